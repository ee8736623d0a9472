"""Funnels with rules in ClickHouse's SQL, as an analyst would write them."""

from collections.abc import Sequence

_TIME = "toUnixTimestamp64Micro(timestamp)"


def any_order(source: str, steps: Sequence[str], window: int) -> str:
    """Return the query for the largest number of different steps in one window, by key.

    The best window ends at an event, so each event is tried as the end: the window contains the
    steps whose newest event is not too old. Each row is visited once, however long a key is.

    Parameters
    ----------
    source : str
        The text after ``FROM``.
    steps : sequence of str
    window : int
        Microseconds; inclusive.
    """
    newest = ", ".join(
        f"maxIf(at, event = '{step}') OVER upto AS n{k}" for k, step in enumerate(steps)
    )
    within_window = " + ".join(f"ifNull(n{k} >= at - {window}, false)" for k in range(len(steps)))
    return f"""
        SELECT user_id, max({within_window}) AS level FROM (
            SELECT user_id, at, {newest} FROM (
                SELECT user_id, {_TIME} AS at, event FROM {source}
                WHERE event IN ({_texts(steps)})
            ) WINDOW upto AS (PARTITION BY user_id ORDER BY at)
        ) GROUP BY user_id
    """


def exclusion(source: str, steps: Sequence[str], window: int, excluded: str) -> str:
    """Return the query for the level of each key, where an event must not precede the last step.

    Of all chains that end at an event, the chain of the newest steps before it leaves the least
    time for an excluded event, and began last: its start is carried from step to step, as the
    greatest so far. An excluded event at the time of a step counts as after it. A key without a
    clean chain has the level of the steps before. Each row is visited once for each step.

    Parameters
    ----------
    source : str
        The text after ``FROM``.
    steps : sequence of str
        Two or more.
    window : int
        Microseconds; inclusive.
    excluded : str
        The event that must not happen between the last two steps.
    """
    last = len(steps) - 1
    along = "PARTITION BY user_id ORDER BY at RANGE BETWEEN UNBOUNDED PRECEDING"
    upto = f"WINDOW upto AS ({along} AND CURRENT ROW)"
    began = f"""
        SELECT *, maxIf(at, event = '{steps[last - 1]}') OVER upto AS before,
            maxIf(at, event = '{excluded}') OVER ({along} AND 1 PRECEDING) AS broken
        FROM (
            SELECT user_id, {_TIME} AS at, event FROM {source}
            WHERE event IN ({_texts([*steps, excluded])})
        ) {upto}
    """
    reached = [f"event = '{steps[0]}', 1"]
    for k, step in enumerate(steps[:last]):
        newest = f"begin{k - 1}" if k else "at"
        began = f"""
            SELECT *, maxIf({newest}, event = '{step}') OVER upto AS begin{k}
            FROM ({began}) {upto}
        """
        within = f"begin{k} > 0 AND at - begin{k} <= {window}"
        clean = " AND ifNull(broken, 0) < before" if k + 1 == last else ""
        reached.append(f"event = '{steps[k + 1]}' AND {within}{clean}, {k + 2}")
    return f"""
        SELECT user_id, max(multiIf({", ".join(reached)}, 0)) AS level FROM ({began})
        GROUP BY user_id
    """


def _texts(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
