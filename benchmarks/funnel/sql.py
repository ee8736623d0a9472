"""Funnels with rules as an analyst writes them in ClickHouse's SQL."""

from collections.abc import Sequence

_TIME = "toUnixTimestamp64Micro(timestamp)"


def any_order(source: str, steps: Sequence[str], window: int) -> str:
    """Return the query for how many different steps one window holds, at most, by key.

    A window that holds the most ends at an event, so each is tried as its end: it holds the steps
    whose newest event is not too old. So a row is looked at once, however long a key is.

    Parameters
    ----------
    source : str
        What stands behind ``FROM``.
    steps : sequence of str
    window : int
        Microseconds; inclusive.
    """
    newest = ", ".join(
        f"maxIf(at, event = '{step}') OVER upto AS n{k}" for k, step in enumerate(steps)
    )
    held = " + ".join(f"ifNull(n{k} >= at - {window}, false)" for k in range(len(steps)))
    return f"""
        SELECT user_id, max({held}) AS level FROM (
            SELECT user_id, at, {newest} FROM (
                SELECT user_id, {_TIME} AS at, event FROM {source}
                WHERE event IN ({_texts(steps)})
            ) WINDOW upto AS (PARTITION BY user_id ORDER BY at)
        ) GROUP BY user_id
    """


def exclusion(source: str, steps: Sequence[str], window: int, excluded: str) -> str:
    """Return the query for the level of each key, where an event must not precede the last step.

    For each last step the newest event of the step before it, and for that one the newest of the
    step before, and so on: of all chains that end there this one has the least time for an excluded
    event, and began last. One at the time of a step is behind it. A key without a clean chain is as
    far as the steps before go.

    Parameters
    ----------
    source : str
        What stands behind ``FROM``.
    steps : sequence of str
        Three or more.
    window : int
        Microseconds; inclusive.
    excluded : str
        The event that must not happen between the last two steps.
    """
    last = len(steps) - 1
    arrays = ", ".join(f"groupArrayIf({_TIME}, event = '{s}') AS t{k}" for k, s in enumerate(steps))
    before = ", ".join(f"event = '{step}'" for step in steps[:last])
    newest, columns = f"t{last}", []
    for k in reversed(range(last)):
        columns.append(f"arrayMap(x -> arrayMax(arrayFilter(y -> y <= x, t{k})), {newest}) AS n{k}")
        newest = f"n{k}"
    clean = f"""arrayExists(
        (t, begin, before) -> begin > 0 AND t - begin <= {window}
            AND NOT arrayExists(x -> x >= before AND x < t, excluded),
        t{last}, n0, n{last - 1})"""
    return f"""
        SELECT if({clean}, {last + 1}, partly) AS level
        FROM (
            SELECT *, {", ".join(columns)} FROM (
                SELECT user_id, {arrays}, groupArrayIf({_TIME}, event = '{excluded}') AS excluded,
                    windowFunnel({window})(toUInt64({_TIME}), {before}) AS partly
                FROM {source} WHERE event IN ({_texts([*steps, excluded])}) GROUP BY user_id
            )
        )
    """


def _texts(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
