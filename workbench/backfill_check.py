"""Is a table of features what a backfill gives, and if not, what did its maker do otherwise?"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernels.hops import MOST, default_hop
from workbench.backfill_block import Span
from workbench.backfill_lives import END
from workbench.backfill_naive import naive
from workbench.backfill_plan import Bound, Plan
from workbench.blocks import MICROSECONDS_A_DAY
from workbench.columns import column, name_of, table
from workbench.errors import WorkbenchError
from workbench.window_catalogue import kind_of

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.backfill import Backfill
    from workbench.entities import Entities

#: Floats that differ by less than this share are equal.
RELATIVE = 1e-9
UNKNOWN = "none of the usual reasons"
AFTER_UPLOAD = "what came after the last upload is missing"
AT_QUERY, HEADLESS = "an event at the query's time counts", "the head is missing"
NOT_ROUNDED, ROUNDED = "the tail is not rounded", "the tail is rounded"
LATE = "a late event is missing"
UNTIL_MIDNIGHT = "a row that was taken out counts until midnight"
NEVER_OUT = "a row that was taken out still counts"
ONCE, TWICE = "an event that is there twice counts once", "each event counts twice"


def check_features(
    backfill: "Backfill",
    features: "DataFrame",
    events: "DataFrame | Entities",
    rows: int,
    arrived: str | None,
) -> "pd.DataFrame":
    """Compare features with those of a backfill; :meth:`workbench.backfill.Backfill.check` says
    what this takes and gives."""
    import pandas as pd

    found, checked = differences(backfill, features, events, rows, arrived)
    moments = (*backfill.key, backfill.query_time)
    columns = [*moments, "column", "given", "expected", "reason"]
    differing = pd.DataFrame(found, columns=columns)
    differing.attrs["checked"] = checked
    return differing


def differences(
    backfill: "Backfill",
    features: "DataFrame",
    events: "DataFrame | Entities",
    rows: int,
    arrived: str | None = None,
    uploads: int | None = None,
    most: bool = False,
) -> tuple[list[dict[str, Any]], int]:
    """Return what differs from the features of a backfill, and how many rows were compared.

    Parameters
    ----------
    backfill, features, events, rows, arrived
        As :meth:`workbench.backfill.Backfill.check` takes them.
    uploads : int, optional
        How far apart uploads of an online view are, in what the kernels count in: to find
        features that missed what came after the last one.
    most : bool
        Of reasons that explain a difference, take the one that explains most others too, and not
        the first: then all of them are looked at.

    Returns
    -------
    found : list of dict
        The key, the time, ``column``, ``given``, ``expected`` and ``reason`` of each difference.
    compared : int

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so.
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise WorkbenchError(f"rows: {rows!r} is no number of rows; give 1 or more.")
    wanted, sample = _sample(backfill, features, rows)
    plan = _bound(backfill, sample, events)
    plan = replace(plan, features=tuple(one for one in plan.features if one.name in wanted))
    given = _in_order(sample, wanted.values(), backfill)
    truth = _in_order(_answers(plan), wanted, backfill)
    moments = (*backfill.key, backfill.query_time)
    found = [
        {name: row[name] for name in moments}
        | {"column": one, "given": ours[held], "expected": row[one], "row": i}
        for i, (ours, row) in enumerate(zip(given, truth, strict=True))
        for one, held in wanted.items()
        if not alike(ours[held], row[one])
    ]
    open_ones = list(range(len(found)))
    reasons: dict[str, list[int]] = {}
    for reason, other, known in _others(plan, arrived, uploads) if found else ():
        if not open_ones:
            break
        answers = _in_order(_answers(other, known), wanted, backfill)
        reasons[reason] = [
            i
            for i in open_ones
            if alike(found[i]["given"], answers[found[i]["row"]][found[i]["column"]])
        ]
        if not most:
            open_ones = sorted({*open_ones} - {*reasons[reason]})
    for i, reason in _assigned(reasons).items():
        found[i]["reason"] = reason
    return [{"reason": UNKNOWN} | one for one in found], len(truth)


def _assigned(reasons: Mapping[str, list[int]]) -> dict[int, str]:
    """The reason of each difference: those that explain most are taken first.

    Examples
    --------
    >>> _assigned({"by chance": [3], "late": [1, 3, 5]})
    {1: 'late', 3: 'late', 5: 'late'}
    """
    found: dict[int, str] = {}
    left = {reason: {*explained} for reason, explained in reasons.items()}
    while any(left.values()):
        best = max(left, key=lambda reason: len(left[reason]))
        found |= dict.fromkeys(sorted(left[best]), best)
        left = {reason: more - found.keys() for reason, more in left.items()}
    return found


def alike(a: Any, b: Any) -> bool:
    """Say whether two values are the same, floats but for their last digits.

    Examples
    --------
    >>> alike(0.1 + 0.2, 0.3), alike(None, 0), alike([1.0, None], [1.0, None])
    (True, False, True)
    """
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=RELATIVE) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(a == b)


def _sample(
    backfill: "Backfill", features: "DataFrame", rows: int
) -> "tuple[dict[str, str], DataFrame]":
    """The columns to compare, and some rows with their keys, their times and these, renamed."""
    from pyspark.sql import functions as F

    table(features, "features")
    moments = (*backfill.key, backfill.query_time)
    keys = [column(features, name, "features").alias(name) for name in moments]
    wanted = {
        name: f"given {i}" for i, name in enumerate(backfill.names) if name in features.columns
    }
    if not wanted:
        raise WorkbenchError(
            "features: the table has none of the backfill's columns, which are "
            f"{', '.join(map(repr, backfill.names))}; rename its own to these."
        )
    given = [column(features, name, "features").alias(held) for name, held in wanted.items()]
    chosen = features.select(*keys, *given)
    # By what they hold, so that the same table gives the same rows however it is stored.
    return wanted, chosen.orderBy(F.xxhash64(*(name_of(name) for name in moments))).limit(rows)


def _in_order(df: "DataFrame", names: Iterable[str], backfill: "Backfill") -> list[dict[str, Any]]:
    """Rows by key and time, then by what is given: so two tables of them stand side by side."""
    moments = (*backfill.key, backfill.query_time)
    held = [name for name in df.columns if name.startswith("given ")]
    sortable = [name for name in held if kind_of(df.schema[name].dataType) != "other"]
    wanted = [name_of(name) for name in dict.fromkeys((*moments, *held, *names))]
    order = [name_of(name) for name in (*moments, *sortable)]
    return [row.asDict() for row in df.select(*wanted).orderBy(*order).collect()]


def _bound(backfill: "Backfill", queries: "DataFrame", events: "DataFrame | Entities") -> Plan:
    from workbench.entities import Entities
    from workbench.entity_plan import bind_entities, lived

    if isinstance(events, Entities):
        return lived(bind_entities(backfill, queries, events))
    return backfill.bound(queries, events)


def _answers(plan: Plan, arrived: str | None = None) -> "DataFrame":
    """What the naive join says, or the scan of functions that SQL has not."""
    from workbench.backfill_methods import scan

    try:
        return naive(plan, arrived)
    except WorkbenchError:
        if arrived is not None:
            raise
        return scan(plan).answers()


def _others(
    plan: Plan, arrived: str | None, uploads: int | None
) -> Iterator[tuple[str, Plan, str | None]]:
    """What others do in place of the plan, and how, but for what is the same here."""
    ways = {}
    if uploads is not None:
        ways[AFTER_UPLOAD] = _spans(plan, lambda span: replace(span, last_hop=uploads))
    ways |= {
        AT_QUERY: _spans(plan, lambda span: replace(span, ahead=1)),
        HEADLESS: _spans(plan, lambda span: replace(span, last_hop=span.hop)),
        NOT_ROUNDED: _spans(plan, lambda span: Span(span.window)),
        ROUNDED: replace(plan, features=tuple(map(_rounded, plan.features))),
    }
    for reason, other in ways.items():
        if other.features != plan.features:
            yield reason, other, None
    if arrived is not None:
        yield LATE, plan, arrived
    if plan.alive:
        yield from ((reason, other, None) for reason, other in _longer(plan))
    once = replace(plan, events=plan.events.distinct())
    yield ONCE, once, None
    twice = replace(plan, events=plan.events.unionAll(plan.events))
    yield TWICE, twice, None


def _longer(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The same where rows outlive what took them out."""
    from pyspark.sql import functions as F

    if not plan.integer_time:
        day, end = F.lit(MICROSECONDS_A_DAY), F.col(END)
        midnight = F.when(end < F.lit(MOST), end + F.pmod(-end, day)).otherwise(end)
        yield UNTIL_MIDNIGHT, replace(plan, events=plan.events.withColumn(END, midnight))
    yield NEVER_OUT, replace(plan, events=plan.events.withColumn(END, F.lit(MOST)))


def _spans(plan: Plan, change: Callable[[Span], Span]) -> Plan:
    features = (replace(one, span=change(one.span)) for one in plan.features)
    return replace(plan, features=tuple(features))


def _rounded(one: Bound) -> Bound:
    """The feature over a sawtooth window with the usual hop, where times have one."""
    window = one.span.window
    if one.span.hop > 1 or window is None or isinstance(one.window, int):
        return one
    return replace(one, span=Span(window, default_hop(window)))
