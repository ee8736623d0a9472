"""The Spark plan of a window call on a table at rest."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.engine.block import Call
from workbench.engine.ranges.carry import CarryTask
from workbench.engine.ranges.route import PieceTask
from workbench.engine.ranges.unbounded import unbounded_sides_of
from workbench.engine.task import WindowTask
from workbench.errors import WorkbenchError
from workbench.functions.order import OrderColumn
from workbench.spark.in_driver import as_dataframe, run_by_key, worker_rows
from workbench.spark.partitions import shuffle_of
from workbench.spark.ranges import RangePlan, keys_in_pieces, piece_rows
from workbench.spark.shipping import ship
from workbench.spark.shuffle import Carried, bundle_rows
from workbench.spark.sources.given import table
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, type_of
from workbench.windows.bind import Resolved, check_kinds, resolve
from workbench.windows.bind_frame import name_bounds
from workbench.windows.checks import check_arrow, check_table, warn_of_text
from workbench.windows.extent import call_extent
from workbench.windows.spark_engine import with_spark
from workbench.windows.spec import WindowCall

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from workbench.spark.sources.given import TableLike


def resolved(call: WindowCall, df: BoundTable) -> list[Resolved]:
    """Return the functions of a call bound to a table, after checking the table's columns.

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    check_table(df, call.order_by, list(call.columns))
    return resolve(df, call.columns, call.frame, call.order_by)


def bound(call: WindowCall, df: "TableLike") -> tuple[WindowTask, Carried]:
    """Return the task that the workers run for a table, and the columns sent to them.

    Parameters
    ----------
    call : WindowCall
    df : TableLike

    Returns
    -------
    task : WindowTask
    carried : Carried

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    bound_table = BoundTable.of(table(df, "df"), call.partition_by)
    return task_of(call, bound_table, resolved(call, bound_table))


def task_of(
    call: WindowCall, df: BoundTable, functions: list[Resolved]
) -> tuple[WindowTask, Carried]:
    """Return the task that the workers run for a call's functions, and the columns sent to them."""
    check_arrow(df.schema)
    carried = Carried.every(df)
    calls = tuple(_call(one, carried) for one in functions)
    keys = tuple(map(carried.of, call.partition_by))
    order = tuple(
        OrderColumn(carried.of(term.name), term.descending, term.nulls_first)
        for term in call.order_by
    )
    columns = tuple((name, carried.of(name)) for name in df.names)
    return WindowTask(columns, keys, order, calls), carried


def run_at_rest(call: WindowCall, df: BoundTable) -> "DataFrame":
    """Return a table at rest with a call's results, computed by the engine that the call chose."""
    functions = resolved(call, df)
    warn_of_text(df, call.order_by, (one.frame for one in functions))
    if call.choice.engine == "spark":
        return with_spark(df, call.order_by, functions)
    task, carried = task_of(call, df, functions)
    if (local := _run_in_driver(df, functions, task, carried)) is not None:
        return local
    ship(df.without_rows.sparkSession)
    if range_plan := _range_plan(call, df, functions, carried):
        task = replace(task, extent=range_plan.extent)
        summaries = range_plan.summaries(df.df, carried.wanted)
        task_class, fields = bundling(task)
        rows = piece_rows(df.df, carried.wanted, range_plan, summaries, task_class, **fields)
    else:
        rows = bundle_rows(df.df, carried.wanted, task.keys)
    return rows.mapInArrow(
        named_task("window kernel", task.from_rows), result_schema(df, functions)
    )


def bundling(task: WindowTask) -> tuple[type[PieceTask], dict[str, Any]]:
    """Return the task class that bundles the rows of pieces, and its further fields.

    Where calls look at all rows on a side, states of these rows travel with the pieces.
    """
    calls = tuple(call for call in task.calls if any(unbounded_sides_of(call)))
    return (CarryTask, {"calls": calls, "along": task.order}) if calls else (PieceTask, {})


def _run_in_driver(
    df: BoundTable, functions: list[Resolved], task: WindowTask, carried: Carried
) -> "DataFrame | None":
    """Return the result for a table in local memory, None where Spark has to compute it."""
    if df.held is None:
        return None
    plain = {carried.of(name): name for name in df.names}
    rows = worker_rows(df.held, carried.wanted, plain)
    if rows is None:
        return None
    answers = run_by_key(task.of_keys, [rows], task.keys)
    return as_dataframe(answers, result_schema(df, functions), df.held.spark)


def pieces_of(call: WindowCall, df: "TableLike") -> "DataFrame":
    """Return the partitions of a table that are cut into pieces: their keys, rows and pieces.

    Raises
    ------
    WorkbenchError
        When the call's partitions cannot be cut, or when it does not fit the table.
    """
    if call.uncut is not None:
        raise WorkbenchError(f"cut: each partition is one task, because {call.uncut}.")
    bound_table = BoundTable.of(table(df, "df"), call.partition_by)
    functions = resolved(call, bound_table)
    ship(bound_table.without_rows.sparkSession)
    carried = Carried.every(bound_table)
    range_plan = _range_plan(call, bound_table, functions, carried)
    assert range_plan is not None
    summaries = range_plan.summaries(bound_table.df, carried.wanted)
    return keys_in_pieces(bound_table, range_plan, summaries)


def result_schema(df: BoundTable, functions: list[Resolved]) -> "StructType":
    """Return the schema of a table with the result columns."""
    from pyspark.sql.types import StructField, StructType

    added = [StructField(one.column, one.answer) for one in functions]
    return StructType([*df.schema.fields, *added])


def _range_plan(
    call: WindowCall, df: BoundTable, functions: list[Resolved], carried: Carried
) -> RangePlan | None:
    if call.uncut is not None:
        return None
    first = call.order_by[0]
    order = replace(first, name=carried.of(first.name))
    extent = call_extent(functions, type_of(df, first.name))
    keys = tuple(map(carried.of, call.partition_by))
    rows = call.cut if isinstance(call.cut, int) else None
    return RangePlan(keys, order, extent, shuffle_of(df.df), rows)


def _call(one: Resolved, carried: Carried) -> Call:
    check_kinds(one)
    pairs = zip(one.function.arguments, one.arguments, strict=True)
    arguments = tuple(carried.add(name, value) for name, value in pairs)
    n = one.function.options.n if one.per_row_n is None else 1
    options = replace(one.function.options, default=None, n=n)
    columns = (one.where, one.default, one.per_row_n)
    where, default, per_row_n = (None if c is None else carried.add(None, c) for c in columns)
    frame = name_bounds(one.frame, lambda bound: carried.add(None, bound))
    order = tuple(replace(term, name=carried.of(term.name)) for term in one.function.order)
    name = one.function.name
    return Call(one.column, name, arguments, options, frame, where, default, order, per_row_n)
