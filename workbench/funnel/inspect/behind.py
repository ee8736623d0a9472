"""The keys behind a point of a trend or a cell of a comparison, as a DataFrame."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from workbench.described import set_html, unrun_table
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind, clock_of, period_of, segment_types
from workbench.funnel.checks import check_level
from workbench.funnel.periods import check_every, periods_for, span_of
from workbench.funnel.plan import each_period, levels
from workbench.funnel.prepared import Prepared
from workbench.funnel.rules import step_number
from workbench.funnel.segment_values import checked_values, equals, is_nan
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.levels import ENTERED
from workbench.spark.micros import micros_of
from workbench.spark.table import BoundTable, column, name_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from workbench.durations import Duration
    from workbench.funnel.counting import Moment
    from workbench.spark.sources.given import TableLike


@dataclass(frozen=True)
class WhichPeople:
    """Which keys are meant; see :meth:`workbench.Funnel.people`."""

    stopped_at: int | None = None
    reached: str | int | None = None
    by: tuple[str, ...] = ()
    segment: Any = None
    entered: "Moment | None" = None
    every: "Duration | None" = None
    open: bool = False


def behind(funnel: FunnelSpec, events: "TableLike | Prepared", asked: WhichPeople) -> "DataFrame":
    """Return the keys behind a number; nothing runs until it is used.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    asked : WhichPeople

    Returns
    -------
    pyspark.sql.DataFrame
    """
    given = _checked(funnel, asked)
    bound = bind(funnel, events, asked.by)
    values = () if given is None else checked_values(funnel, bound, asked.by, given, "segment")
    more: dict[str, Any] = {"levels": _levels(funnel, asked), "by": asked.by}
    span = None if asked.entered is None else _span(funnel, bound, asked)
    if span is not None or asked.open:
        more["entered"] = True
    if span is not None and each_period(funnel):
        more["period"] = span
    people = levels(funnel, bound, **more)
    for condition in _conditions(funnel, asked):
        people = people.where(condition)
    if values:
        people = _of_segment(funnel, bound, asked.by, values, people)
    if span is not None or asked.open:
        people = _entered(funnel, bound, people, span, asked.open)
    set_html(people, partial(unrun_table, "People", people.columns))
    return people


def _checked(funnel: FunnelSpec, asked: WhichPeople) -> tuple[Any, ...] | None:
    """The segment as it is given, if one is asked for; refuse what does not go together."""
    if (asked.stopped_at is None) == (asked.reached is None):
        raise WorkbenchError(
            "stopped_at: say by stopped_at= at which level people stopped, or by reached= which "
            "step they reached; give one of both."
        )
    if asked.reached is None:
        check_level(funnel, asked.stopped_at)
    if (asked.entered is None) != (asked.every is None):
        raise WorkbenchError(
            "entered: a period is told by a time in it and by how long periods are; "
            'give both, such as entered="2024-01-31", every="1 day".'
        )
    if asked.every is not None:
        check_every(asked.every)
    if asked.segment is None:
        return None
    several = isinstance(asked.segment, tuple | list)
    values = tuple(asked.segment) if several else (asked.segment,)
    if len(values) != len(asked.by):
        raise WorkbenchError(
            f"segment: {asked.segment!r} is {len(values)} of {len(asked.by)} values; give by=, "
            "and the value of each of its columns."
        )
    return values


def _levels(funnel: FunnelSpec, asked: WhichPeople) -> tuple[int, ...]:
    if asked.reached is None:
        return (asked.stopped_at,) if asked.stopped_at is not None else ()
    step, steps = step_number(asked.reached, funnel.labels, "reached"), len(funnel.labels)
    # Those who went on from an optional step are found by its time.
    return tuple(range(1 if step in funnel.rules.optional else step + 1, steps + 1))


def _span(funnel: FunnelSpec, events: BoundTable | Prepared, asked: WhichPeople) -> tuple[int, int]:
    """The begin and the end of the period in which people entered, within the funnel's own."""
    periods = periods_for(cast("Duration", asked.every), funnel, events)
    begin, end = span_of(asked.entered, periods, *clock_of(funnel, events))
    own = period_of(funnel, events) or (None, None)
    first = begin if own[0] is None else max(begin, own[0])
    return first, end if own[1] is None else max(first, min(end, own[1]))


def _conditions(funnel: FunnelSpec, asked: WhichPeople) -> "list[Column]":
    from pyspark.sql import functions as F

    found = []
    if asked.reached is not None:
        step = step_number(asked.reached, funnel.labels, "reached")
        if step in funnel.rules.optional:
            found.append(F.get(F.col("reached"), F.lit(step)).isNotNull())
    if asked.open and asked.entered is None and funnel.rules.exclusions:
        found.append(~F.col("excluded"))
    return found


def _of_segment(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    by: tuple[str, ...],
    values: tuple[Any, ...],
    people: "DataFrame",
) -> "DataFrame":
    """Those whose segment has some values; for NaN the null one, where there is none of NaN."""
    from pyspark.sql import functions as F

    kinds, each = segment_types(funnel, events, by), list(map(name_of, by))
    same, nulls = F.lit(True), F.lit(0)
    for one, value, kind in zip(each, values, kinds, strict=True):
        alike = equals(one, value, kind.typeName())
        same &= (alike | one.isNull()) if is_nan(value) else alike
    doubtful = [one for one, value in zip(each, values, strict=True) if is_nan(value)]
    if not doubtful:
        return people.where(same)
    # A table of pandas shows NaN and null alike, so that its reader asks for either by NaN.
    for one in doubtful:
        nulls = nulls * 2 + one.isNull().cast("int")
    begun = levels(funnel, events, by=by).where(same & (F.col("level") > 0))
    least = begun.agg(F.coalesce(F.min(nulls), F.lit(2 ** len(doubtful) - 1)).alias("__nulls__"))
    found = people.where(same).crossJoin(F.broadcast(least)).where(nulls == F.col("__nulls__"))
    return found.select(*map(name_of, people.columns))


def _entered(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    people: "DataFrame",
    span: tuple[int, int] | None,
    is_open: bool,
) -> "DataFrame":
    """Those whose chain begins in a period, with a window that is over or that is not."""
    from pyspark.sql import functions as F

    kind, found = events.schema[funnel.time].dataType.typeName(), people
    if span is not None:
        begun = micros_of(F.get(F.col("reached"), F.lit(0)), kind)
        found = people.where((begun >= F.lit(span[0])) & (begun <= F.lit(span[1] - 1)))
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
        found = found.crossJoin(F.broadcast(rows.agg(F.max("end").alias("__end__"))))
        end = F.col("__end__")
    # As decimals, since the distance of two times may need more than 64 bits.
    left = end.cast("decimal(20,0)") - F.col(ENTERED).cast("decimal(20,0)") < F.lit(window)
    return found.where(left if is_open else ~left).select(*map(name_of, _shown(people)))


def _shown(people: "DataFrame") -> list[str]:
    return [name for name in people.columns if name != ENTERED]
