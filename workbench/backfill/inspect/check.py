"""Is a table of features what a backfill gives, and if not, what did its maker do otherwise?"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kernels.structures.instants import MOST
from kernels.tiling.hops import default_hop
from workbench.arguments import check_count
from workbench.arrow_frame import arrow_frame
from workbench.backfill.bind import BoundFeature, Plan, bind
from workbench.backfill.entities.entities import Entities
from workbench.backfill.entities.plan import bind_entities, lived
from workbench.backfill.inspect.given_types import GivenTable, is_map_as_struct, read_as
from workbench.backfill.methods import scan
from workbench.backfill.naive import naive
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.validity.intervals import VALID_TO
from workbench.columnar.equality import alike
from workbench.described import facts_table, frame_table, set_html
from workbench.durations import DAY
from workbench.errors import WorkbenchError
from workbench.markup import Markup
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.shuffle import one_name
from workbench.spark.table import (
    INTEGERS,
    TIMES,
    BoundTable,
    column,
    name_of,
    type_of,
    unused,
)

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.backfill.spec import BackfillSpec
    from workbench.spark.sources.given import TableLike

#: What a difference is shown by, beside the key and the time.
DIFFERING = ("column", "given", "expected", "reason")
UNKNOWN = "none of the usual reasons"
AFTER_UPLOAD = "what came after the last upload is missing"
AT_QUERY, HEADLESS = "an event at the query's time counts", "the head is missing"
NOT_ROUNDED, ROUNDED = "the tail is not rounded", "the tail is rounded"
LATE = "a late event is missing"
UNTIL_MIDNIGHT = "a row that was taken out counts until midnight"
NEVER_OUT = "a row that was taken out still counts"
ONCE, TWICE = "an event that is there twice counts once", "each event counts twice"


class Difference(NamedTuple):
    """A value that is not what it has to be.

    Attributes
    ----------
    moment : tuple
        The key and the time of the query.
    column : str
    given, expected : value
    reason : str
    """

    moment: tuple[Any, ...]
    column: str
    given: Any
    expected: Any
    reason: str = UNKNOWN


def check_shown(backfill: "BackfillSpec", shown: Sequence[str]) -> None:
    """Refuse a key or a time that is called as a column of what is shown of differences.

    Raises
    ------
    WorkbenchError
    """
    for name in _query_columns(backfill):
        if name in shown:
            raise WorkbenchError(
                f"key: the result has a column {name!r} of its own; rename yours first."
            )


def check_features(
    backfill: "BackfillSpec",
    features: "TableLike",
    events: "TableLike | Entities",
    rows: int,
    arrived: str | None,
) -> "pd.DataFrame":
    """Compare features with those of a backfill; :meth:`workbench.Backfill.check` says what this
    takes and gives."""
    import pandas as pd

    check_shown(backfill, DIFFERING)
    found, checked = differences(backfill, features, events, rows, arrived)
    shown = [(*one.moment, one.column, one.given, one.expected, one.reason) for one in found]
    differing = pd.DataFrame(shown, columns=[*_query_columns(backfill), *DIFFERING])
    differing.attrs["checked"] = checked
    set_html(differing, lambda: _differing_table(differing))
    return differing


def _differing_table(differing: "pd.DataFrame") -> Markup:
    """What a notebook shows of a check: in words where nothing differs."""
    rows, many = f"{differing.attrs['checked']:,} rows compared", len(differing)
    if not many:
        return facts_table("Features as they have to be", {"differing": "none", "rows": rows})
    values = f"{many:,} value{'' if many == 1 else 's'}"
    return frame_table(f"{values} not as they have to be, {rows}", differing)


@in_one_sentence()
def differences(
    backfill: "BackfillSpec",
    features: "TableLike",
    events: "TableLike | Entities",
    rows: int,
    arrived: str | None = None,
    uploads: int | None = None,
    most: bool = False,
) -> tuple[list[Difference], int]:
    """Return what differs from the features of a backfill, and how many rows were compared.

    Parameters
    ----------
    backfill, features, events, rows, arrived
        As :meth:`workbench.backfill.backfill.Backfill.check` takes them.
    uploads : int, optional
        How far apart uploads of an online view are, in what the kernels count in: to find
        features that missed what came after the last one.
    most : bool
        Of reasons that explain a difference, take the one that explains most others too, and not
        the first: then all of them are looked at.

    Returns
    -------
    found : list of Difference
    compared : int

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so.
    """
    rows = check_count(rows, "rows", "rows")
    given_table = GivenTable.of(features, "features")
    wanted = _wanted(backfill, given_table.bound)
    plan = _bound(backfill, _moments(backfill, given_table.bound), events)
    plan = replace(plan, features=tuple(one for one in plan.features if one.name in wanted))
    _check_arrived(plan, arrived)
    sample = _sample(plan, given_table, wanted, rows)
    plan = replace(plan, queries=_asked(backfill, sample))
    given = _in_order(backfill, sample, (*_query_columns(backfill), *wanted.values()))
    if not given:
        return [], 0
    near = _of_the_same_keys(plan)
    near.df.persist()
    try:
        plan = replace(plan, events=near)
        sparse = _sparse(plan, given_table.bound)
        return _compared(plan, wanted, sparse, given, arrived, uploads, most)
    finally:
        near.df.unpersist()


def _compared(
    plan: Plan,
    wanted: Mapping[str, str],
    sparse: Set[str],
    given: list[dict[str, Any]],
    arrived: str | None,
    uploads: int | None,
    most: bool,
) -> tuple[list[Difference], int]:
    """What differs, and how many rows were compared."""
    backfill = plan.backfill
    truth = _in_order(backfill, _answers(plan), wanted)
    number, found = [], []
    for i, (ours, row) in enumerate(zip(given, truth, strict=True)):
        moment = tuple(ours[name] for name in _query_columns(backfill))
        for one, alias in wanted.items():
            if not _agree(ours[alias], row[one], one in sparse):
                number.append(i)
                found.append(Difference(moment, one, ours[alias], row[one]))
    open_ones = list(range(len(found)))
    reasons: dict[str, list[int]] = {}
    for reason, answers in _otherwise(plan, wanted, arrived, uploads) if found else ():
        if not open_ones:
            break
        reasons[reason] = [
            i
            for i in open_ones
            if _agree(
                found[i].given,
                answers[number[i]][found[i].column],
                found[i].column in sparse,
            )
        ]
        if not most:
            open_ones = sorted({*open_ones} - {*reasons[reason]})
    for i, reason in _assigned(reasons).items():
        found[i] = found[i]._replace(reason=reason)
    return found, len(truth)


def _agree(given: Any, expected: Any, sparse: bool) -> bool:
    """Whether two values are the same; a sparse map has no nulls, so they do not count."""
    if sparse and isinstance(expected, Mapping):
        expected = {key: value for key, value in expected.items() if value is not None}
    return alike(given, expected)


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


def _query_columns(backfill: "BackfillSpec") -> tuple[str, ...]:
    """The columns that say which query a row is."""
    return *backfill.key, backfill.query_time


def _wanted(backfill: "BackfillSpec", features: BoundTable) -> dict[str, str]:
    """The columns to compare, and what they are called in the sample."""
    query_columns = _query_columns(backfill)
    for name in query_columns:
        column(features, name, "features")
    wanted = {
        name: unused(query_columns, f"given {i}")
        for i, name in enumerate(backfill.names)
        if name in features.names
    }
    if not wanted:
        raise WorkbenchError(
            "features: the table has none of the backfill's columns, which are "
            f"{', '.join(map(repr, backfill.names))}; rename its own to these."
        )
    return wanted


def _moments(backfill: "BackfillSpec", features: BoundTable) -> "DataFrame":
    """The keys and the times of features: what is bound, before any row is fetched."""
    query_columns = _query_columns(backfill)
    return features.df.select(*(column(features, one, "features") for one in query_columns))


def _sample(
    plan: Plan, given_table: GivenTable, wanted: Mapping[str, str], rows: int
) -> "DataFrame":
    """Some rows with their keys, their times and what is compared, renamed, and numbered: they are
    held here, as many jobs look at them."""
    from pyspark.sql import functions as F

    backfill, features = plan.backfill, given_table.bound
    query_columns = _query_columns(backfill)
    keys = [column(features, name, "features") for name in query_columns]
    given = [
        read_as(given_table, one.name, plan.type_of(one), "features").alias(wanted[one.name])
        for one in plan.features
    ]
    chosen = features.df.select(*keys, *given)
    # By what they hold, so that the same table gives the same rows however it is stored.
    chosen = chosen.orderBy(F.xxhash64(*(name_of(name) for name in query_columns))).limit(rows)
    sampled = in_arrow(chosen)
    numbers = pa.array(range(len(sampled)), pa.int64())
    numbered = sampled.append_column(_number(backfill), numbers)
    return arrow_frame(features.df.sparkSession, numbered)


def _asked(backfill: "BackfillSpec", sample: "DataFrame") -> BoundTable:
    return BoundTable.of(sample, backfill.key, backfill.query_time, "features")


def _sparse(plan: Plan, features: BoundTable) -> frozenset[str]:
    """The features that are maps and came as structs, which cannot say that a bucket has null."""
    pairs = [(one.name, plan.type_of(one)) for one in plan.features]
    return frozenset(
        name for name, kind in pairs if is_map_as_struct(type_of(features, name), kind)
    )


def _number(backfill: "BackfillSpec") -> str:
    """What the number of a row of the sample is called."""
    return unused((*_query_columns(backfill), *backfill.names), "row")


def _in_order(
    backfill: "BackfillSpec", df: "DataFrame", names: Iterable[str]
) -> list[dict[str, Any]]:
    """Columns of the rows by their numbers: so two tables of them stand side by side."""
    number = _number(backfill)
    rows = collected(df.select(name_of(number), *map(name_of, names)))
    return [row.asDict() for row in sorted(rows, key=lambda row: row[number])]


def _of_the_same_keys(plan: Plan) -> BoundTable:
    """The events of the keys that are asked for."""
    from pyspark.sql import functions as F

    taken = plan.events.names
    aliases = {unused(taken, f"key {i}"): name for i, name in enumerate(plan.backfill.key)}
    keys = [column(plan.queries, name, "key").alias(alias) for alias, name in aliases.items()]
    same = [column(plan.events, name, "key") == name_of(alias) for alias, name in aliases.items()]
    once = F.broadcast(plan.queries.df.select(*keys).distinct())
    near = plan.events.df.join(once, reduce(and_, same), "left_semi")
    return plan.events.with_rows(near)


def check_events(
    backfill: "BackfillSpec", given: BoundTable, events: "TableLike | Entities", arrived: str | None
) -> None:
    """Refuse events, or a column of arrivals, that given features could not be checked against.

    Raises
    ------
    WorkbenchError
    """
    _check_arrived(_bound(backfill, _moments(backfill, given), events), arrived)


def _check_arrived(plan: Plan, arrived: str | None) -> None:
    """Refuse a column of arrivals that is missing, or holds no times as those of the queries."""
    if arrived is None:
        return
    column(plan.events, one_name(arrived, "arrived"), "arrived")
    ours, own = (type_of(plan.events, name) for name in (arrived, plan.backfill.time))
    fits = ours.typeName() in (INTEGERS if plan.integer_time else TIMES)
    if not fits:
        raise WorkbenchError(
            f"arrived: column {arrived!r} holds {ours.simpleString()}, but the times are "
            f"{own.simpleString()}; name a column of when each event was known."
        )


def _bound(backfill: "BackfillSpec", queries: "TableLike", events: "TableLike | Entities") -> Plan:
    if isinstance(events, Entities):
        return lived(bind_entities(backfill, queries, events))
    return bind(backfill, queries, events, "features")


def _answers(plan: Plan, arrived: str | None = None) -> "DataFrame":
    """What the naive join says, or the scan of functions that SQL has not."""
    try:
        return naive(plan, arrived)
    except WorkbenchError:
        if arrived is not None:
            raise
        return scan(plan).answers()


def _otherwise(
    plan: Plan, wanted: Mapping[str, str], arrived: str | None, uploads: int | None
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """What others do in place of the plan, and their answers, but for what is the same here."""
    yield from _of_spans(plan, _other_spans(plan, uploads))
    if arrived is not None:
        yield LATE, _in_order(plan.backfill, _answers(plan, arrived), wanted)
    if plan.alive:
        for reason, other in _longer(plan):
            yield reason, _in_order(plan.backfill, _answers(other), wanted)
    events = plan.events.df
    once = replace(plan, events=plan.events.with_rows(events.distinct()))
    yield ONCE, _in_order(plan.backfill, _answers(once), wanted)
    twice = replace(plan, events=plan.events.with_rows(events.unionAll(events)))
    yield TWICE, _in_order(plan.backfill, _answers(twice), wanted)


def _other_spans(plan: Plan, uploads: int | None) -> dict[str, tuple[BoundFeature, ...]]:
    """The features with the windows that others take, by the reason."""
    ways = {}
    if uploads is not None:
        ways[AFTER_UPLOAD] = _spans(plan, lambda span: replace(span, last_hop=uploads))
    ways |= {
        AT_QUERY: _spans(plan, lambda span: replace(span, ahead=1)),
        HEADLESS: _spans(plan, lambda span: replace(span, last_hop=span.hop)),
        NOT_ROUNDED: _spans(plan, lambda span: Span(span.window)),
        ROUNDED: tuple(map(_rounded, plan.features)),
    }
    return {reason: features for reason, features in ways.items() if features != plan.features}


def _of_spans(
    plan: Plan, ways: Mapping[str, tuple[BoundFeature, ...]]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The answers of features with other windows: of all of them in one job."""
    compared = [(reason, one.name) for reason, features in ways.items() for one in features]
    taken = plan.queries.names
    names = {one: unused(taken, f"answer {i}") for i, one in enumerate(compared)}
    renamed = [
        replace(one, resolved=replace(one.resolved, column=names[reason, one.name]))
        for reason, features in ways.items()
        for one in features
    ]
    if not renamed:
        return
    others = replace(plan, features=tuple(renamed))
    rows = _in_order(plan.backfill, _answers(others), names.values())
    for reason, features in ways.items():
        yield (
            reason,
            [{one.name: row[names[reason, one.name]] for one in features} for row in rows],
        )


def _longer(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The same where rows outlive what took them out."""
    from pyspark.sql import functions as F

    events = plan.events.df
    if not plan.integer_time:
        day, end = F.lit(DAY), F.col(VALID_TO)
        midnight = F.when(end < F.lit(MOST), end + F.pmod(-end, day)).otherwise(end)
        longer = plan.events.with_rows(events.withColumn(VALID_TO, midnight))
        yield UNTIL_MIDNIGHT, replace(plan, events=longer)
    endless = plan.events.with_rows(events.withColumn(VALID_TO, F.lit(MOST)))
    yield NEVER_OUT, replace(plan, events=endless)


def _spans(plan: Plan, change: Callable[[Span], Span]) -> tuple[BoundFeature, ...]:
    return tuple(replace(one, span=change(one.span)) for one in plan.features)


def _rounded(one: BoundFeature) -> BoundFeature:
    """The feature over a sawtooth window with the usual hop, where times have one."""
    window = one.span.window
    if one.span.hop > 1 or window is None or isinstance(one.window, int):
        return one
    return replace(one, span=Span(window, default_hop(window)))
