"""Compares a table of features with those of a backfill, and finds the reasons of differences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from kernels.structures.instants import MOST
from kernels.tiling.hops import default_hop
from workbench.arguments import check_count, one_name
from workbench.arrow_frame import arrow_frame
from workbench.backfill.bind import BoundFeature, Plan, bind
from workbench.backfill.entities.entities import Entities
from workbench.backfill.entities.plan import bind_entities, with_validity
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
from workbench.spark.names import name_of, unused
from workbench.spark.table import BoundTable, column, type_of
from workbench.spark.types import INTEGERS, TIMES

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

    from workbench.backfill.spec import BackfillSpec
    from workbench.spark.sources.given import TableLike

#: The columns of a difference, in addition to the key and the time.
DIFFERING = ("column", "given", "expected", "reason")
UNKNOWN = "none of the usual reasons"
AFTER_UPLOAD = "events after the last upload are missing"
AT_QUERY, HEADLESS = "an event at the query's time counts", "the head is missing"
NOT_ROUNDED, ROUNDED = "the tail is not rounded", "the tail is rounded"
LATE = "a late event is missing"
UNTIL_MIDNIGHT = "a row that was removed counts until midnight"
NEVER_OUT = "a row that was removed still counts"
ONCE, TWICE = "an event that occurs twice counts once", "each event counts twice"
#: About how many features one job computes: Spark writes code for all of them at once, and for
#: each count_distinct copies the rows with columns for all others.
MOST_IN_JOB = 24


class Difference(NamedTuple):
    """A value that differs from the correct one.

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
    """Refuse a key or a time with the name of a column of the result.

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
    """Compare features with those of a backfill; see :meth:`workbench.Backfill.check`."""
    import pandas as pd

    check_shown(backfill, DIFFERING)
    found, checked = differences(backfill, features, events, rows, arrived)
    shown = [(*one.moment, one.column, one.given, one.expected, one.reason) for one in found]
    differing = pd.DataFrame(shown, columns=[*_query_columns(backfill), *DIFFERING])
    differing.attrs["checked"] = checked
    set_html(differing, lambda: _differing_table(differing))
    return differing


def _differing_table(differing: "pd.DataFrame") -> Markup:
    """Return what a notebook shows of a check: a sentence if nothing differs."""
    rows, many = f"{differing.attrs['checked']:,} rows compared", len(differing)
    if not many:
        return facts_table("Features as expected", {"differing": "none", "rows": rows})
    values = f"{many:,} value{'' if many == 1 else 's'}"
    return frame_table(f"{values} not as expected, {rows}", differing)


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
    """Return the differences from the features of a backfill, and the number of rows compared.

    Parameters
    ----------
    backfill, features, events, rows, arrived
        As :meth:`workbench.backfill.backfill.Backfill.check` takes them.
    uploads : int, optional
        The interval between uploads of an online view, in the kernels' integers: to find features
        that missed events after the last upload.
    most : bool
        Compute all reasons, and give each difference the one that explains most differences. By
        default it gets the first one that explains it.

    Returns
    -------
    found : list of Difference
    compared : int

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    rows = check_count(rows, "rows", "rows")
    given_table = GivenTable.of(features, "features")
    wanted = _compared_columns(backfill, given_table.bound)
    plan = _bind(backfill, _query_rows(backfill, given_table.bound), events)
    plan = replace(plan, features=tuple(one for one in plan.features if one.name in wanted))
    _check_arrived(plan, arrived)
    sample = _sample(plan, given_table, wanted, rows)
    plan = replace(plan, queries=_sample_queries(backfill, sample))
    given = _rows_in_order(backfill, sample, (*_query_columns(backfill), *wanted.values()))
    if not given:
        return [], 0
    events_of_keys = _events_of_same_keys(plan)
    events_of_keys.df.persist()
    try:
        plan = replace(plan, events=events_of_keys)
        sparse_maps = _sparse(plan, given_table.bound)
        return _compare(plan, wanted, sparse_maps, given, arrived, uploads, most)
    finally:
        events_of_keys.df.unpersist()


def _compare(
    plan: Plan,
    wanted: Mapping[str, str],
    sparse_maps: Set[str],
    given: list[dict[str, Any]],
    arrived: str | None,
    uploads: int | None,
    most: bool,
) -> tuple[list[Difference], int]:
    """Return the differences, and the number of rows compared."""
    backfill = plan.backfill
    truth = _rows_in_order(backfill, _answers(plan), wanted)
    row_number, found = [], []
    for i, (ours, row) in enumerate(zip(given, truth, strict=True)):
        moment = tuple(ours[name] for name in _query_columns(backfill))
        for one, alias in wanted.items():
            if not _agree(ours[alias], row[one], one in sparse_maps):
                row_number.append(i)
                found.append(Difference(moment, one, ours[alias], row[one]))
    unexplained = list(range(len(found)))
    reasons: dict[str, list[int]] = {}
    differing = {one.column for one in found}
    # Only features that differ are computed once more for each reason.
    plan = replace(plan, features=tuple(one for one in plan.features if one.name in differing))
    for reason, answers in _answers_of_mistakes(plan, differing, arrived, uploads) if found else ():
        if not unexplained:
            break
        reasons[reason] = [
            i
            for i in unexplained
            if _agree(
                found[i].given,
                answers[row_number[i]][found[i].column],
                found[i].column in sparse_maps,
            )
        ]
        if not most:
            unexplained = sorted({*unexplained} - {*reasons[reason]})
    for i, reason in _assign_reasons(reasons).items():
        found[i] = found[i]._replace(reason=reason)
    return found, len(truth)


def _agree(given: Any, expected: Any, sparse_maps: bool) -> bool:
    """Return whether two values are the same; nulls in a map do not count if it is sparse."""
    if sparse_maps and isinstance(expected, Mapping):
        expected = {key: value for key, value in expected.items() if value is not None}
    return alike(given, expected)


def _assign_reasons(reasons: Mapping[str, list[int]]) -> dict[int, str]:
    """Return the reason of each difference, preferring reasons that explain most differences.

    Examples
    --------
    >>> _assign_reasons({"by chance": [3], "late": [1, 3, 5]})
    {1: 'late', 3: 'late', 5: 'late'}
    """
    found: dict[int, str] = {}
    remaining = {reason: {*explained} for reason, explained in reasons.items()}
    while any(remaining.values()):
        best = max(remaining, key=lambda reason: len(remaining[reason]))
        found |= dict.fromkeys(sorted(remaining[best]), best)
        remaining = {reason: more - found.keys() for reason, more in remaining.items()}
    return found


def _query_columns(backfill: "BackfillSpec") -> tuple[str, ...]:
    """Return the columns that identify a query."""
    return *backfill.key, backfill.query_time


def _compared_columns(backfill: "BackfillSpec", features: BoundTable) -> dict[str, str]:
    """Return the columns to compare, and their names in the sample."""
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
            f"{', '.join(map(repr, backfill.names))}; rename its columns to these."
        )
    return wanted


def _query_rows(backfill: "BackfillSpec", features: BoundTable) -> "DataFrame":
    """Return the keys and the times of features, to be bound before any row is fetched."""
    query_columns = _query_columns(backfill)
    return features.df.select(*(column(features, one, "features") for one in query_columns))


def _sample(
    plan: Plan, given_table: GivenTable, wanted: Mapping[str, str], rows: int
) -> "DataFrame":
    """Return a sample of rows with their keys, times and the columns to compare, renamed and
    numbered. The driver holds it, as many jobs read it."""
    from pyspark.sql import functions as F

    backfill, features = plan.backfill, given_table.bound
    query_columns = _query_columns(backfill)
    keys = [column(features, name, "features") for name in query_columns]
    given = [
        read_as(given_table, one.name, plan.type_of(one), "features").alias(wanted[one.name])
        for one in plan.features
    ]
    chosen = features.df.select(*keys, *given)
    # Ordered by a hash of values, so the sample does not depend on how the table is stored.
    chosen = chosen.orderBy(F.xxhash64(*(name_of(name) for name in query_columns))).limit(rows)
    sampled = in_arrow(chosen)
    numbers = pa.array(range(len(sampled)), pa.int64())
    numbered = sampled.append_column(_number(backfill), numbers)
    return arrow_frame(features.df.sparkSession, numbered)


def _sample_queries(backfill: "BackfillSpec", sample: "DataFrame") -> BoundTable:
    return BoundTable.of(sample, backfill.key, backfill.query_time, "features")


def _sparse(plan: Plan, features: BoundTable) -> frozenset[str]:
    """Return the features that are maps given as structs, which cannot hold a bucket with null."""
    pairs = [(one.name, plan.type_of(one)) for one in plan.features]
    return frozenset(
        name for name, kind in pairs if is_map_as_struct(type_of(features, name), kind)
    )


def _number(backfill: "BackfillSpec") -> str:
    """Return the name of the column with the row numbers of the sample."""
    return unused((*_query_columns(backfill), *backfill.names), "row")


def _rows_in_order(
    backfill: "BackfillSpec", df: "DataFrame", names: Iterable[str]
) -> list[dict[str, Any]]:
    """Return columns of the rows in the order of their numbers, so that two tables align."""
    row_number = _number(backfill)
    rows = collected(df.select(name_of(row_number), *map(name_of, names)))
    return [row.asDict() for row in sorted(rows, key=lambda row: row[row_number])]


def _events_of_same_keys(plan: Plan) -> BoundTable:
    """Return the events of the queries' keys."""
    from pyspark.sql import functions as F

    taken = plan.events.names
    aliases = {unused(taken, f"key {i}"): name for i, name in enumerate(plan.backfill.key)}
    keys = [column(plan.queries, name, "key").alias(alias) for alias, name in aliases.items()]
    same = [column(plan.events, name, "key") == name_of(alias) for alias, name in aliases.items()]
    once = F.broadcast(plan.queries.df.select(*keys).distinct())
    events_of_keys = plan.events.df.join(once, reduce(and_, same), "left_semi")
    return plan.events.with_rows(events_of_keys)


def check_events(
    backfill: "BackfillSpec", given: BoundTable, events: "TableLike | Entities", arrived: str | None
) -> None:
    """Refuse events, or a column of arrivals, that features cannot be checked against.

    Raises
    ------
    WorkbenchError
    """
    _check_arrived(_bind(backfill, _query_rows(backfill, given), events), arrived)


def _check_arrived(plan: Plan, arrived: str | None) -> None:
    """Refuse a column of arrivals that is missing, or holds no times like those of the queries."""
    if arrived is None:
        return
    column(plan.events, one_name(arrived, "arrived"), "arrived")
    arrival_type, time_type = (type_of(plan.events, name) for name in (arrived, plan.backfill.time))
    fits = arrival_type.typeName() in (INTEGERS if plan.integer_time else TIMES)
    if not fits:
        raise WorkbenchError(
            f"arrived: column {arrived!r} holds {arrival_type.simpleString()}, but the times are "
            f"{time_type.simpleString()}; name the column that says when each event arrived."
        )


def _bind(backfill: "BackfillSpec", queries: "TableLike", events: "TableLike | Entities") -> Plan:
    if isinstance(events, Entities):
        return with_validity(bind_entities(backfill, queries, events))
    return bind(backfill, queries, events, "features")


def _answers(plan: Plan, arrived: str | None = None) -> "DataFrame":
    """Return the answers of the naive join, or of the scan if SQL lacks a function."""
    try:
        return naive(plan, arrived)
    except WorkbenchError:
        if arrived is not None:
            raise
        return scan(plan).answers()


def _answers_of_mistakes(
    plan: Plan, wanted: Set[str], arrived: str | None, uploads: int | None
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the reasons of known mistakes with the answers that each gives."""
    yield from _answers_of_spans(plan, _other_spans(plan, uploads))
    if arrived is not None:
        yield LATE, _rows_in_order(plan.backfill, _answers(plan, arrived), wanted)
    if plan.has_validity:
        for reason, other in _plans_with_longer_validity(plan):
            yield reason, _rows_in_order(plan.backfill, _answers(other), wanted)
    events = plan.events.df
    once = replace(plan, events=plan.events.with_rows(events.distinct()))
    yield ONCE, _rows_in_order(plan.backfill, _answers(once), wanted)
    twice = replace(plan, events=plan.events.with_rows(events.unionAll(events)))
    yield TWICE, _rows_in_order(plan.backfill, _answers(twice), wanted)


def _other_spans(plan: Plan, uploads: int | None) -> dict[str, tuple[BoundFeature, ...]]:
    """Return the features with other windows, by the reason, without those that change nothing."""
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


def _answers_of_spans(
    plan: Plan, ways: Mapping[str, tuple[BoundFeature, ...]]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the reasons with the answers of features with other windows, computed in few jobs."""
    left, at_once = list(ways.items()), max(1, MOST_IN_JOB // len(plan.features))
    while left:
        part, left = left[:at_once], left[at_once:]
        compared = [(reason, one) for reason, features in part for one in features]
        names = {
            (reason, one.name): unused(plan.queries.names, f"answer {i}")
            for i, (reason, one) in enumerate(compared)
        }
        renamed = (
            replace(one, resolved=replace(one.resolved, column=names[reason, one.name]))
            for reason, one in compared
        )
        others = replace(plan, features=tuple(renamed))
        rows = _rows_in_order(plan.backfill, _answers(others), names.values())
        for reason, features in part:
            yield (
                reason,
                [{one.name: row[names[reason, one.name]] for one in features} for row in rows],
            )


def _plans_with_longer_validity(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Yield the reasons with plans in which rows stay valid after their delete."""
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
    """Return the feature over a sawtooth window with the default hop, if times have one."""
    window = one.span.window
    if one.span.hop > 1 or window is None or isinstance(one.window, int):
        return one
    return replace(one, span=Span(window, default_hop(window)))
