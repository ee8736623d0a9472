"""The keys that a point of a trend or a cell of a comparison counts, as a DataFrame."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from workbench.described import set_html, unrun_table
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind, clock_of, period_of, segment_types
from workbench.funnel.checks import END, NULLS, check_level
from workbench.funnel.periods import check_every, periods_for, span_of
from workbench.funnel.plan import each_period, levels
from workbench.funnel.prepared import Prepared
from workbench.funnel.rules import step_number
from workbench.funnel.segment_values import checked_values, equals, is_nan
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import step_names
from workbench.funnel.worker.levels import ENTERED
from workbench.spark.micros import micros_of
from workbench.spark.names import name_of
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from workbench.durations import Duration
    from workbench.funnel.counting import Moment
    from workbench.spark.sources.given import TableLike


@dataclass(frozen=True)
class PeopleQuery:
    """Which keys are requested; see :meth:`workbench.Funnel.people`."""

    stopped_at: int | None = None
    reached: str | int | None = None
    by: tuple[str, ...] = ()
    segment: Any = None
    entered: "Moment | None" = None
    every: "Duration | None" = None
    open: bool = False


def people_behind(
    funnel: FunnelSpec, events: "TableLike | Prepared", query: PeopleQuery
) -> "DataFrame":
    """Return the keys that a number counts; nothing runs until it is used.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    query : PeopleQuery

    Returns
    -------
    pyspark.sql.DataFrame
    """
    segment = _checked_segment(funnel, query)
    bound = bind(funnel, events, query.by)
    segment_values = (
        () if segment is None else checked_values(funnel, bound, query.by, segment, "segment")
    )
    more: dict[str, Any] = {"levels": _levels(funnel, query), "by": query.by}
    span = None if query.entered is None else _span(funnel, bound, query)
    if span is not None or query.open:
        more["entered"] = True
    if span is not None and each_period(funnel):
        more["period"] = span
    people = levels(funnel, bound, **more)
    for condition in _conditions(funnel, query):
        people = people.where(condition)
    if segment_values:
        people = _of_segment(funnel, bound, query.by, segment_values, people)
    if span is not None or query.open:
        people = _entered(funnel, bound, people, span, query.open)
    set_html(people, partial(unrun_table, "People", people.columns))
    return people


def _checked_segment(funnel: FunnelSpec, query: PeopleQuery) -> tuple[Any, ...] | None:
    """Return the requested segment as given, or None; refuse arguments that do not go together."""
    if (query.stopped_at is None) == (query.reached is None):
        raise WorkbenchError(
            "stopped_at: say by stopped_at= at which level people stopped, or by reached= which "
            "step they reached; give one of the two."
        )
    if query.reached is None:
        check_level(funnel, query.stopped_at)
    if (query.entered is None) != (query.every is None):
        raise WorkbenchError(
            "entered: a period is given by a time in it and the length of periods; "
            'give both, such as entered="2024-01-31", every="1 day".'
        )
    if query.every is not None:
        check_every(query.every)
    if query.segment is None:
        return None
    several = isinstance(query.segment, tuple | list)
    values = tuple(query.segment) if several else (query.segment,)
    if len(values) != len(query.by):
        raise WorkbenchError(
            f"segment: {query.segment!r} is {len(values)} of {len(query.by)} values; give by=, "
            "and the value of each of its columns."
        )
    return values


def _levels(funnel: FunnelSpec, query: PeopleQuery) -> tuple[int, ...]:
    if query.reached is None:
        return (query.stopped_at,) if query.stopped_at is not None else ()
    step, steps = _reached(funnel, query), len(funnel.labels)
    # Those who took an optional step are selected later, by its time.
    return tuple(range(1 if step in funnel.rules.optional else step + 1, steps + 1))


def _reached(funnel: FunnelSpec, query: PeopleQuery) -> int:
    # With steps in any order, tables of steps count them, and the label of one means no number.
    return step_number(query.reached, step_names(funnel), "reached")


def _span(funnel: FunnelSpec, events: BoundTable | Prepared, query: PeopleQuery) -> tuple[int, int]:
    """Return the begin and end of the period of entry, within the funnel's own period."""
    periods = periods_for(cast("Duration", query.every), funnel, events)
    begin, end = span_of(query.entered, periods, *clock_of(funnel, events))
    own = period_of(funnel, events) or (None, None)
    first = begin if own[0] is None else max(begin, own[0])
    return first, end if own[1] is None else max(first, min(end, own[1]))


def _conditions(funnel: FunnelSpec, query: PeopleQuery) -> "list[Column]":
    from pyspark.sql import functions as F

    conditions = []
    if query.reached is not None:
        step = _reached(funnel, query)
        if step in funnel.rules.optional:
            conditions.append(F.get(F.col("reached"), F.lit(step)).isNotNull())
    if query.open and query.entered is None and funnel.rules.exclusions:
        conditions.append(~F.col("excluded"))
    return conditions


def _of_segment(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    by: tuple[str, ...],
    values: tuple[Any, ...],
    people: "DataFrame",
) -> "DataFrame":
    """Return those whose segment has some values; NaN means null if no segment is NaN."""
    from pyspark.sql import functions as F

    kinds, columns = segment_types(funnel, events, by), list(map(name_of, by))
    matches, nulls = F.lit(True), F.lit(0)
    for one, value, kind in zip(columns, values, kinds, strict=True):
        is_same = equals(one, value, kind.typeName())
        matches &= (is_same | one.isNull()) if is_nan(value) else is_same
    nan_columns = [one for one, value in zip(columns, values, strict=True) if is_nan(value)]
    if not nan_columns:
        return people.where(matches)
    # A pandas table shows NaN and null alike, so a NaN may request either.
    for one in nan_columns:
        nulls = nulls * 2 + one.isNull().cast("int")
    entrants = levels(funnel, events, by=by).where(matches & (F.col("level") > 0))
    fewest = F.coalesce(F.min(nulls), F.lit(2 ** len(nan_columns) - 1))
    least = entrants.agg(fewest.alias(NULLS))
    candidates = people.where(matches).crossJoin(F.broadcast(least))
    people_in_segment = candidates.where(nulls == F.col(NULLS))
    return people_in_segment.select(*map(name_of, people.columns))


def _entered(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    people: "DataFrame",
    span: tuple[int, int] | None,
    is_open: bool,
) -> "DataFrame":
    """Return those whose chain begins in a period, and whose window is open or over."""
    from pyspark.sql import functions as F

    kind, entered = events.schema[funnel.time].dataType.typeName(), people
    if span is not None:
        begin = micros_of(F.get(F.col("reached"), F.lit(0)), kind)
        entered = people.where((begin >= F.lit(span[0])) & (begin <= F.lit(span[1] - 1)))
    window = funnel.span(events.integer_time)
    if isinstance(events, Prepared):
        end = F.lit(events.span[1] if events.span else 0)
    else:
        present = [column(events, key, "key").isNotNull() for key in events.key]
        rows = events.df.select(micros_of(events.instants, kind).alias("end"), *(
            one.alias(f"k{k}") for k, one in enumerate(present)
        ))  # fmt: skip
        for k in range(len(present)):
            rows = rows.where(f"k{k}")
        entered = entered.crossJoin(F.broadcast(rows.agg(F.max("end").alias(END))))
        end = F.col(END)
    # As decimals, because the distance between two times may need more than 64 bits.
    window_open = end.cast("decimal(20,0)") - F.col(ENTERED).cast("decimal(20,0)") < F.lit(window)
    entered = entered.where(window_open if is_open else ~window_open)
    return entered.select(*map(name_of, _result_columns(people)))


def _result_columns(people: "DataFrame") -> list[str]:
    return [name for name in people.columns if name != ENTERED]
