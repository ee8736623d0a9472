"""Bind a funnel to its events: find columns and check types before a job starts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import KEEP, NAME
from workbench.funnel.checks import check_events, check_prepared, check_segments
from workbench.funnel.prepared import Prepared, holds_names
from workbench.funnel.spec import MODES, FunnelSpec
from workbench.funnel.steps import bits_of, bits_of_names
from workbench.funnel.worker.levels import ENTERED, FunnelTask
from workbench.funnel.worker.summary import OTHERS, segment_column
from workbench.spark.in_driver import ZONE
from workbench.spark.sources.small_tables import source
from workbench.spark.table import BoundTable, column
from workbench.spark.types import INTEGERS, column_unit

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

    from workbench.spark.sources.given import TableLike


def bind(
    funnel: FunnelSpec,
    events: "TableLike | Prepared",
    by: Sequence[str] = (),
    reserved: Sequence[str] = (),
    at_once: bool = False,
) -> BoundTable | Prepared:
    """Bind a funnel to its events.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    by : sequence of str
        The columns of segments.
    reserved : sequence of str
        Further column names of the result.
    at_once : bool
        Whether the result is computed at once, and no DataFrame.

    Returns
    -------
    BoundTable or Prepared

    Raises
    ------
    WorkbenchError
        When a column is missing or has a wrong type, or prepared events do not hold it.
    """
    bound: BoundTable | Prepared
    if isinstance(events, Prepared):
        bound = events
        check_prepared(funnel, events, by)
    else:
        bound = BoundTable.of(source(events, at_once=at_once), funnel.key, funnel.time)
        check_events(funnel, bound)
        cohorts = {one.column for one in funnel.segmenting.of(by)}
        for name in funnel.segmenting.columns(by):
            column(bound, name, "cohorts" if name in cohorts - {*by} else "by")
    check_segments(funnel, bound.schema, by, reserved)
    period_of(funnel, bound)
    return bound


def period_of(
    funnel: FunnelSpec, events: BoundTable | Prepared
) -> tuple[int | None, int | None] | None:
    """Return the begin and end of a funnel's period as the workers' integers, or None."""
    counting = funnel.counting
    if not counting.has_period:
        return None
    return counting.period(*clock_of(funnel, events))


def clock_of(funnel: FunnelSpec, events: BoundTable | Prepared) -> tuple[str, str]:
    """Return Spark's type name of the time column, and the session's time zone."""
    rows = events.blocks if isinstance(events, Prepared) else events.without_rows
    zone = rows.sparkSession.conf.get(ZONE) or "UTC"
    return events.schema[funnel.time].dataType.typeName(), str(zone)


def unit_of(funnel: FunnelSpec, events: BoundTable | Prepared) -> str:
    """Return the plural noun for the keys, for the labels of tables and figures.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared

    Returns
    -------
    str
        The funnel's own unit, else that of the key's column, else ``users``.
    """
    key = funnel.own_key
    from_column = column_unit(events.schema, key[0]) if len(key) == 1 else None
    return funnel.counted or from_column or "users"


def time_unit(events: BoundTable | Prepared) -> str | None:
    """Return the unit of an integer time column, if its metadata has one."""
    return column_unit(events.schema, events.time) if events.integer_time else None


def bits(funnel: FunnelSpec, events: BoundTable, by: Sequence[str] = ()) -> "dict[str, Column]":
    """Return which steps, exclusions and cohorts each row fulfils, by names or conditions.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable
    by : sequence of str
        The segments; only their cohorts are computed.

    Returns
    -------
    dict of str to Column
    """
    cohorts = [one for one in funnel.segmenting.of(by) if one.column is None]
    if funnel.all_conditions is not None:
        more = {one.label: one.condition for one in cohorts if one.condition is not None}
        return bits_of(events, funnel.all_conditions | more, argument_of=funnel.argument_of)
    return bits_of_names(events, funnel.event, (*funnel.all_names, *(one.names for one in cohorts)))


def segment_types(
    funnel: FunnelSpec, events: BoundTable | Prepared, by: Sequence[str]
) -> "list[DataType]":
    """Return the type of each segment column: that of the table, or boolean for cohorts."""
    from pyspark.sql import types as T

    cohorts = {one.label for one in funnel.segmenting.of(by)}
    return [T.BooleanType() if name in cohorts else events.schema[name].dataType for name in by]


def task_of(
    funnel: FunnelSpec,
    integer_time: bool,
    names: bool,
    bit_labels: Sequence[str] = (),
    **more: Any,
) -> FunnelTask:
    """Return the task of the workers: the funnel without its columns.

    Parameters
    ----------
    funnel : FunnelSpec
    integer_time : bool
    names : bool
        Whether the events are given by name, and not by the bits of conditions.
    bit_labels : sequence of str
        The labels of the bits, if they differ from this funnel's own.
    **more
        Further fields of the task.

    Returns
    -------
    FunnelTask
    """
    conditions, window = funnel.all_conditions, funnel.span(integer_time)
    cohorts = funnel.segmenting.of(more.get("by", ()))
    done = [one for one in cohorts if one.column is None]
    steps: tuple[tuple[str, ...] | int, ...] = (*funnel.all_names, *(one.names for one in done))
    if conditions is not None:
        labels = [*conditions, *(one.label for one in done)]
        steps = tuple(map(list(bit_labels or labels).index, labels))
    elif not names:
        steps = tuple(range(len(steps)))
    modes = {mode: mode in funnel.modes for mode in MODES}
    counting = funnel.counting
    conversions = counting.count == "conversions"
    rules = funnel.rules.for_kernel(len(funnel.labels), window, integer_time, always=conversions)
    more |= {"rules": rules, "without_excluded": funnel.rules.exclude_from == "all"}
    more |= {"number": counting.number, "gap": counting.gap(integer_time)}
    more["done"] = tuple(one.label for one in done)
    more["having"] = {one.label: (one.column, one.values) for one in cohorts if one.column}
    more["attribution"] = funnel.segmenting.attribution
    return FunnelTask(funnel.key, steps, window, modes, **more)


def prepared_task(funnel: FunnelSpec, events: Prepared, **more: Any) -> FunnelTask:
    """Return the task of the workers for prepared events."""
    named = isinstance(events.event, str)
    if holds_names(events, funnel.event):
        more["next"] = NAME if named else KEEP + funnel.event
    more.setdefault("period", period_of(funnel, events))
    return task_of(funnel, events.integer_time, named, events.names, **more)


def task_schema(task: FunnelTask, source: "StructType", time: str) -> "StructType":
    """Return the schema of a task's result.

    Parameters
    ----------
    task : FunnelTask
    source : pyspark.sql.types.StructType
        The schema of the user's table.
    time : str
        Its time column.

    Returns
    -------
    pyspark.sql.types.StructType
    """
    from pyspark.sql import types as T

    kind = source[time].dataType
    instant = T.LongType() if kind.typeName() in INTEGERS else kind
    kinds = {key: source[key].dataType for key in task.keys}
    kinds |= {} if task.number is None else {task.number: T.LongType()}
    kinds |= {"level": T.IntegerType(), "reached": T.ArrayType(instant)}
    kinds |= {"excluded": T.BooleanType()} if task.excludes else {}
    for name in task.by:
        kinds[name] = T.BooleanType() if name in task.cohorts else source[name].dataType
    if task.timed:
        kinds["since_first"] = T.ArrayType(T.LongType())
    if task.entered:
        kinds[ENTERED] = T.LongType()
    if task.levels:
        kinds |= {} if task.next is None else {"next_event": T.StringType()}
        kinds["next_time"] = instant
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])


def trend_schema(segments: "Sequence[DataType]") -> "StructType":
    """Return the schema of a trend's figures, given the type of each column of segments."""
    from pyspark.sql import types as T

    one = T.LongType()
    kinds = {"period": one, "entrants": one, "open": one, "users": T.ArrayType(one)}
    kinds |= {OTHERS: one, "end": one}
    kinds |= {segment_column(k): kind for k, kind in enumerate(segments)}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])


def summary_schema(segments: "Sequence[DataType]") -> "StructType":
    """Return the schema of a summary, given the type of each column of segments."""
    from pyspark.sql import types as T

    whole, one, real = T.BooleanType(), T.LongType(), T.ArrayType(T.DoubleType())
    kinds = {"whole": whole, "users": T.ArrayType(one), "median": real, "p90": real}
    kinds |= {"excluded": T.ArrayType(one), "open": T.ArrayType(one)}
    kinds |= {"median_low": real, "median_high": real}
    kinds |= {"width": one, "histogram": T.ArrayType(one), OTHERS: one}
    kinds |= {segment_column(k): kind for k, kind in enumerate(segments)}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])
