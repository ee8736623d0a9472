"""Checks of a backfill and its tables: errors of one sentence, before a job starts."""

from datetime import timedelta
from typing import TYPE_CHECKING

from workbench.backfill.aggregation import Aggregation, Window
from workbench.backfill.worker.cogroup import Span
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import ARRAY_AGG, EQUAL, SORTED, kind_of
from workbench.spark.table import BoundTable, check_column, check_plain, column, type_of
from workbench.windows.checks import check_arrow

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

    from workbench.backfill.spec import BackfillSpec


def check_sides(backfill: "BackfillSpec", queries: BoundTable, events: BoundTable) -> None:
    """Refuse tables that lack the key or the time, or have them in other types.

    Raises
    ------
    WorkbenchError
    """
    check_arrow(queries.schema, "queries")
    for name in backfill.key:
        for rows in (queries, events):
            check_in_both(rows, name, "key")
            check_plain(rows.schema, name, "key", side=rows.side)
        ours, theirs = (type_of(rows, name).simpleString() for rows in (queries, events))
        if ours != theirs:
            raise WorkbenchError(
                f"key: {name!r} holds {ours} in the {queries.side} but {theirs} in the "
                f"{events.side}; cast one of them to the type of the other."
            )
    own_name = backfill.query_time != backfill.time
    check_column(queries, backfill.query_time, "query_time" if own_name else "time")
    _check_time(queries, events)
    query_names = {name.lower() for name in queries.names}
    for name in backfill.names:
        if name.lower() in query_names:
            raise WorkbenchError(
                f"{name}: the queries have a column of this name; "
                "rename it, or give the aggregation another name=."
            )


def check_compared(aggregation: Aggregation, kinds: "tuple[DataType, ...]") -> None:
    """Refuse functions that compare values of types which only a window call can compare.

    Raises
    ------
    WorkbenchError
    """
    info, distinct = aggregation.function.info, aggregation.function.options.distinct
    compares = EQUAL in info.takes or (info.family == ARRAY_AGG and distinct)
    for kind in kinds[:1]:
        if compares and kind_of(kind) not in SORTED:
            raise WorkbenchError(
                f"function: {aggregation.function.name} of {kind.simpleString()} is only for "
                "window calls; give it a column of plain values, such as numbers, times or text."
            )


def check_in_both(rows: BoundTable, name: str, argument: str) -> None:
    """Refuse a table that lacks a column which both tables need.

    Raises
    ------
    WorkbenchError
    """
    if name not in rows.names:
        raise WorkbenchError(
            f"{argument}: the {rows.side} have no column {name!r}; "
            "both tables need it, under the same name."
        )
    column(rows, name, argument)


def _check_time(queries: BoundTable, events: BoundTable) -> None:
    integers = events.integer_time
    if queries.integer_time and integers:
        return
    ours, theirs = (type_of(rows, rows.time).simpleString() for rows in (queries, events))
    if ours != theirs:
        raise WorkbenchError(
            f"time: the {queries.side}' {queries.time!r} holds {ours} but the {events.side}' "
            f"{events.time!r} holds {theirs}; cast one of them to the type of the other."
        )


def check_windows(backfill: "BackfillSpec", integer_time: bool) -> None:
    """Refuse windows with a unit over integer times, and without a unit over other times.

    Raises
    ------
    WorkbenchError
    """
    for aggregation in backfill.aggregations:
        given = [(window, "windows") for window in aggregation.windows]
        for value, argument in (*given, (aggregation.hop, "hop"), (backfill.hop, "hop")):
            if value is None or isinstance(value, int) == integer_time:
                continue
            if integer_time:
                shown = str(value) if isinstance(value, timedelta) else repr(value)
                raise WorkbenchError(
                    f"{argument}: {shown} has a unit, but the time columns hold integers; "
                    "give an integer in the unit of those columns."
                )
            raise WorkbenchError(
                f"{argument}: {value} has no unit, but the time columns hold times; "
                "give a duration with a unit, such as '90 days'."
            )
    for aggregation in backfill.aggregations if integer_time and backfill.hop is None else ():
        rounded = backfill.window == "hopping" or any(
            one is not None for one in aggregation.windows
        )
        if backfill.window != "sliding" and rounded and aggregation.hop is None:
            raise WorkbenchError(
                f"hop: {backfill.window} windows of integer times need a hop; "
                "give an integer in the unit of the time columns."
            )


def check_hop(aggregation: Aggregation, window: Window, span: Span) -> None:
    """Refuse a window that is shorter than its hop, and a hop of length 0.

    Raises
    ------
    WorkbenchError
    """
    if span.hop < 1:
        raise WorkbenchError("hop: it has no length; give a hop longer than 0.")
    if span.hop > 1 and span.window is not None and span.window < span.hop:
        raise WorkbenchError(
            f"windows: {window!r} of {aggregation.base!r} is shorter than its hop; give a longer "
            "window, a shorter hop=, or window='sliding', which has none."
        )


def check_bucket(events: BoundTable, by: str) -> None:
    """Refuse a bucket column of a type without equality.

    Raises
    ------
    WorkbenchError
    """
    column(events, by, "by")
    kind = type_of(events, by)
    if kind_of(kind) not in SORTED:
        raise WorkbenchError(
            f"by: {events.column_text(by)} holds {kind.simpleString()}, which cannot be a bucket; "
            "name a column of numbers, times or text."
        )
