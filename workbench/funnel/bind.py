"""A funnel bound to its events: columns found, types checked, before a job starts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import KEEP, NAME
from workbench.funnel.checks import check_events, check_prepared, check_segments
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import MODES, FunnelSpec
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.summary import segment
from workbench.spark.shuffle import bits_of, bits_of_names
from workbench.spark.sources.given import table
from workbench.spark.table import INTEGERS, BoundTable, column, column_unit

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType

    from workbench.spark.sources.given import TableLike


def bind(
    funnel: FunnelSpec,
    events: "TableLike | Prepared",
    by: Sequence[str] = (),
    taken: Sequence[str] = (),
) -> BoundTable | Prepared:
    """Bind a funnel to its events.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    by : sequence of str
        The columns of segments.
    taken : sequence of str
        Further names that the result uses itself.

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
        bound = BoundTable.of(table(events), funnel.key, funnel.time)
        check_events(funnel, bound)
        for name in by:
            column(bound, name, "by")
    check_segments(funnel, bound.schema, by, taken)
    return bound


def unit_of(funnel: FunnelSpec, events: BoundTable | Prepared) -> str:
    """Return what the keys are, in the plural, for the labels of tables and figures.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared

    Returns
    -------
    str
        The funnel's own word, else what the column of the key says, else ``users``.
    """
    said = column_unit(events.schema, events.key[0]) if len(events.key) == 1 else None
    return funnel.unit or said or "users"


def time_unit(events: BoundTable | Prepared) -> str | None:
    """Return the unit of an integer time column, where it says one."""
    return column_unit(events.schema, events.time) if events.integer_time else None


def bits(funnel: FunnelSpec, events: BoundTable) -> "dict[str, Column]":
    """Return which steps each row fulfils, whether they are named or conditions themselves."""
    what = funnel.looked_for
    if isinstance(what, dict):
        return bits_of(events, what)
    return bits_of_names(events, funnel.event, what)


def task_of(
    funnel: FunnelSpec, integer_time: bool, names: bool, known: Sequence[str] = (), **more: Any
) -> FunnelTask:
    """Return what the workers have to know: the funnel without its columns.

    Parameters
    ----------
    funnel : FunnelSpec
    integer_time : bool
    names : bool
        Whether the events are given by name, and not by the bits of conditions.
    known : sequence of str
        The labels of the bits, when they are not just this funnel's own.
    **more
        Further fields of the task.

    Returns
    -------
    FunnelTask
    """
    what, window = funnel.looked_for, funnel.span(integer_time)
    steps: tuple[tuple[str, ...] | int, ...] = tuple(range(len(what)))
    if isinstance(what, dict):
        steps = tuple(map(list(known or what).index, what))
    elif names:
        steps = what
    modes = {mode: mode in funnel.modes for mode in MODES}
    rules = funnel.rules.for_kernel(len(funnel.labels), window, integer_time)
    more |= {"rules": rules, "without_excluded": funnel.rules.exclude_from == "all"}
    return FunnelTask(funnel.key, steps, window, modes, **more)


def prepared_task(funnel: FunnelSpec, events: Prepared, **more: Any) -> FunnelTask:
    """Return what the workers have to know to answer from prepared events."""
    named = isinstance(events.event, str)
    if named or funnel.event in events.keep:
        more["next"] = NAME if named else KEEP + funnel.event
    return task_of(funnel, events.integer_time, named, events.names, **more)


def task_schema(task: FunnelTask, source: "StructType", time: str) -> "StructType":
    """Return the schema of what a task's workers return.

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
    kinds |= {"level": T.IntegerType(), "reached": T.ArrayType(instant)}
    kinds |= {"excluded": T.BooleanType()} if task.excludes else {}
    kinds |= {name: source[name].dataType for name in task.by}
    if task.timed:
        kinds["since_first"] = T.ArrayType(T.LongType())
    if task.levels:
        kinds |= {} if task.next is None else {"next_event": T.StringType()}
        kinds["next_time"] = instant
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])


def summary_schema(segments: "Sequence[DataType]") -> "StructType":
    """Return the schema of a summary, given the type of each column of segments."""
    from pyspark.sql import types as T

    whole, one, real = T.BooleanType(), T.LongType(), T.ArrayType(T.DoubleType())
    kinds = {"whole": whole, "users": T.ArrayType(one), "median": real, "p90": real}
    kinds |= {"excluded": T.ArrayType(one), "width": one, "histogram": T.ArrayType(one)}
    kinds |= {segment(k): kind for k, kind in enumerate(segments)}
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])
