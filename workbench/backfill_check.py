"""Is a table of features what a backfill gives, and if not, what did its maker do otherwise?"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernels.hops import default_hop
from workbench.backfill_block import Span
from workbench.backfill_naive import naive
from workbench.backfill_plan import Bound, Plan
from workbench.columns import column, name_of, table
from workbench.errors import WorkbenchError
from workbench.window_catalogue import kind_of

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.backfill import Backfill

#: Floats that differ by less than this share are equal.
RELATIVE = 1e-9
UNKNOWN = "none of the usual reasons"


def check_features(
    backfill: "Backfill",
    features: "DataFrame",
    events: "DataFrame",
    rows: int,
    arrived: str | None,
) -> "pd.DataFrame":
    """Compare features with those of a backfill; :meth:`workbench.backfill.Backfill.check` says
    what this takes and gives."""
    import pandas as pd

    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise WorkbenchError(f"rows: {rows!r} is no number of rows; give 1 or more.")
    wanted, sample = _sample(backfill, features, rows)
    plan = backfill.bound(sample, events)
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
    open_ones = list(found)
    for reason, other, known in _others(plan, arrived):
        if not open_ones:
            break
        answers = _in_order(_answers(other, known), wanted, backfill)
        for one in open_ones:
            if alike(one["given"], answers[one["row"]][one["column"]]):
                one["reason"] = reason
        open_ones = [one for one in open_ones if "reason" not in one]
    columns = [*moments, "column", "given", "expected", "reason"]
    differing = pd.DataFrame([{"reason": UNKNOWN} | one for one in found], columns=columns)
    differing.attrs["checked"] = len(truth)
    return differing


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


def _answers(plan: Plan, arrived: str | None = None) -> "DataFrame":
    """What the naive join says, or the scan of functions that SQL has not."""
    from workbench.backfill_methods import scan

    try:
        return naive(plan, arrived)
    except WorkbenchError:
        if arrived is not None:
            raise
        return scan(plan).answers()


def _others(plan: Plan, arrived: str | None) -> Iterator[tuple[str, Plan, str | None]]:
    """What others do in place of the plan, and how, but for what is the same here."""
    ways = {
        "an event at the query's time counts": _spans(plan, lambda span: replace(span, ahead=1)),
        "the head is missing": _spans(plan, lambda span: replace(span, last_hop=span.hop)),
        "the tail is not rounded": _spans(plan, lambda span: Span(span.window)),
        "the tail is rounded": replace(plan, features=tuple(map(_rounded, plan.features))),
    }
    for reason, other in ways.items():
        if other.features != plan.features:
            yield reason, other, None
    if arrived is not None:
        yield "a late event is missing", plan, arrived
    once = replace(plan, events=plan.events.distinct())
    yield "an event that is there twice counts once", once, None
    twice = replace(plan, events=plan.events.unionAll(plan.events))
    yield "each event counts twice", twice, None


def _spans(plan: Plan, change: Callable[[Span], Span]) -> Plan:
    features = (replace(one, span=change(one.span)) for one in plan.features)
    return replace(plan, features=tuple(features))


def _rounded(one: Bound) -> Bound:
    """The feature over a sawtooth window with the usual hop, where times have one."""
    window = one.span.window
    if one.span.hop > 1 or window is None or isinstance(one.window, int):
        return one
    return replace(one, span=Span(window, default_hop(window)))
