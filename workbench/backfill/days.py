"""Limits a backfill to some days: their queries, and the events that these can see."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.backfill.bind import Plan
from workbench.durations import DAY, since_epoch
from workbench.errors import WorkbenchError
from workbench.spark.one_key import literal
from workbench.spark.table import column, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column

P = TypeVar("P", bound=Plan)
_EXAMPLE = "give a day such as '2013-01-31', or the first and the last one"


def limit_to_days(plan: Plan, days: Any) -> Plan:
    """Return the backfill of the queries of some days, and of the events that these can see.

    Parameters
    ----------
    plan : Plan
    days : date, str, or pair of them
        The day, or the first and the last one, in UTC.

    Returns
    -------
    Plan
        Filters its tables by time only, so that Spark can skip the rest of them.

    Raises
    ------
    WorkbenchError
        When these are no days, or times are integers.
    """
    first, last = first_and_last_day(plan, days)
    kind = type_of(plan.queries, plan.queries.time).typeName()
    queries = limit_queries_to_days(plan, days).queries
    time = column(plan.events, plan.events.time, "time")
    events = plan.events.df.where(time < _start_of_next(last, kind))
    if plan.extent is not None:
        try:
            begin = datetime(first.year, first.month, first.day) - timedelta(
                microseconds=plan.extent
            )
        except OverflowError:
            return replace(plan, queries=queries, events=plan.events.with_rows(events))
        # Round to a whole day, as a column of dates has no parts of one.
        events = events.where(time >= _start_of(begin.date(), kind))
    return replace(plan, queries=queries, events=plan.events.with_rows(events))


def limit_queries_to_days(plan: P, days: Any) -> P:
    """Return the backfill of the queries of some days, and of all events.

    Parameters
    ----------
    plan : Plan
    days : date, str, or pair of them
        The day, or the first and the last one, in UTC.

    Returns
    -------
    Plan

    Raises
    ------
    WorkbenchError
        When these are no days, or times are integers.
    """
    first, last = first_and_last_day(plan, days)
    query_time = column(plan.queries, plan.queries.time, "query_time")
    kind = type_of(plan.queries, plan.queries.time).typeName()
    during = (query_time >= _start_of(first, kind)) & (query_time < _start_of_next(last, kind))
    return replace(plan, queries=plan.queries.with_rows(plan.queries.df.where(during)))


def first_and_last_day(plan: Plan, days: Any) -> tuple[date, date]:
    """Return the first and the last day.

    Raises
    ------
    WorkbenchError
        When these are no days, or times are integers.
    """
    if plan.integer_time:
        raise WorkbenchError(
            "days: the time columns hold integers, which have no days; filter the queries."
        )
    pair = days if isinstance(days, tuple | list) else (days, days)
    if len(pair) != 2:
        raise WorkbenchError(f"days: {days!r} is not a range of days; {_EXAMPLE}.")
    first, last = map(_as_date, pair)
    if last < first:
        raise WorkbenchError(f"days: {last} is before {first}; {_EXAMPLE}.")
    return first, last


def _as_date(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise WorkbenchError(f"days: {value!r} is not a day; {_EXAMPLE}.") from None


def _start_of(day: date, kind: str) -> "Column":
    """Return the begin of a day in UTC, as a value of the time column's type."""
    from pyspark.sql import functions as F

    if kind == "date":
        return literal(day)
    if kind == "timestamp_ntz":
        return F.lit(f"{day} 00:00:00").cast("timestamp_ntz")
    return F.timestamp_micros(F.lit(_micros(day)))


def _start_of_next(day: date, kind: str) -> "Column":
    """Return the begin of the next day, which Spark has even after Python's last day."""
    from pyspark.sql import functions as F

    if kind == "date":
        return F.date_add(literal(day), 1)
    if kind == "timestamp_ntz":
        return _start_of(day, kind) + F.make_dt_interval(days=F.lit(1))
    return F.timestamp_micros(F.lit(_micros(day) + DAY))


def _micros(day: date) -> int:
    return since_epoch(datetime(day.year, day.month, day.day))
