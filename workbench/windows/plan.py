"""A window call on a table at rest, as a Spark plan."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.engine.block import Call
from workbench.engine.ranges.carry import CarryTask
from workbench.engine.ranges.route import PieceTask
from workbench.engine.ranges.unbounded import sides_of
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
    """Return the functions of a call bound to a table, which has the columns that it needs.

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so.
    """
    check_table(df, call.order_by, list(call.columns))
    return resolve(df, call.columns, call.frame, call.order_by)


def bound(call: WindowCall, df: "TableLike") -> tuple[WindowTask, Carried]:
    """Return what the workers do for a table, and the columns that they get of it.

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
        When a column is missing or has a type that cannot be used so.
    """
    found = BoundTable.of(table(df, "df"), call.partition_by)
    return task_of(call, found, resolved(call, found))


def task_of(call: WindowCall, df: BoundTable, found: list[Resolved]) -> tuple[WindowTask, Carried]:
    """Return what the workers do with a call's functions, and the columns that they get."""
    check_arrow(df.schema)
    carried = Carried.every(df)
    calls = tuple(_call(one, carried) for one in found)
    keys = tuple(map(carried.of, call.partition_by))
    order = tuple(
        OrderColumn(carried.of(term.name), term.descending, term.nulls_first)
        for term in call.order_by
    )
    back = tuple((name, carried.of(name)) for name in df.names)
    return WindowTask(back, keys, order, calls), carried


def answered(call: WindowCall, df: BoundTable) -> "DataFrame":
    """Return a table at rest with a call's answers, by the engine that the call chose."""
    found = resolved(call, df)
    warn_of_text(df, call.order_by, (one.frame for one in found))
    if call.choice.engine == "spark":
        return with_spark(df, call.order_by, found)
    task, carried = task_of(call, df, found)
    if (here := _in_driver(df, found, task, carried)) is not None:
        return here
    ship(df.without_rows.sparkSession)
    if cutting := _cutting(call, df, found, carried):
        task = replace(task, extent=cutting.extent)
        summaries = cutting.summaries(df.df, carried.wanted)
        kind, more = bundling(task)
        rows = piece_rows(df.df, carried.wanted, cutting, summaries, kind, **more)
    else:
        rows = bundle_rows(df.df, carried.wanted, task.keys)
    return rows.mapInArrow(named_task("window kernel", task.from_rows), result_schema(df, found))


def bundling(task: WindowTask) -> tuple[type[PieceTask], dict[str, Any]]:
    """Return what bundles the rows of pieces, and its further fields.

    Where calls look at all rows on a side, what these say goes along.
    """
    calls = tuple(call for call in task.calls if any(sides_of(call)))
    return (CarryTask, {"calls": calls, "along": task.order}) if calls else (PieceTask, {})


def _in_driver(
    df: BoundTable, found: list[Resolved], task: WindowTask, carried: Carried
) -> "DataFrame | None":
    """The answers of a table that this process holds; None where Spark has to give them."""
    if df.held is None:
        return None
    plain = {carried.of(name): name for name in df.names}
    rows = worker_rows(df.held, carried.wanted, plain)
    if rows is None:
        return None
    answers = run_by_key(task.of_keys, [rows], task.keys)
    return as_dataframe(answers, result_schema(df, found), df.held.spark)


def pieces_of(call: WindowCall, df: "TableLike") -> "DataFrame":
    """Return the partitions of a table that are cut: their keys, rows and pieces.

    Raises
    ------
    WorkbenchError
        When the call's partitions cannot be cut, or when it does not fit the table.
    """
    if call.uncut is not None:
        raise WorkbenchError(f"cut: each partition is one task, because {call.uncut}.")
    bound = BoundTable.of(table(df, "df"), call.partition_by)
    found = resolved(call, bound)
    ship(bound.without_rows.sparkSession)
    carried = Carried.every(bound)
    cutting = _cutting(call, bound, found, carried)
    assert cutting is not None
    summaries = cutting.summaries(bound.df, carried.wanted)
    return keys_in_pieces(bound, cutting, summaries)


def result_schema(df: BoundTable, found: list[Resolved]) -> "StructType":
    """Return the columns of a table with the answers."""
    from pyspark.sql.types import StructField, StructType

    added = [StructField(one.column, one.answer) for one in found]
    return StructType([*df.schema.fields, *added])


def _cutting(
    call: WindowCall, df: BoundTable, found: list[Resolved], carried: Carried
) -> RangePlan | None:
    if call.uncut is not None:
        return None
    first = call.order_by[0]
    order = replace(first, name=carried.of(first.name))
    extent = call_extent(found, type_of(df, first.name))
    keys = tuple(map(carried.of, call.partition_by))
    rows = call.cut if isinstance(call.cut, int) else None
    return RangePlan(keys, order, extent, shuffle_of(df.df), rows)


def _call(one: Resolved, carried: Carried) -> Call:
    check_kinds(one)
    given = one.function.arguments
    pairs = zip(given, one.arguments, strict=True)
    arguments = tuple(carried.add(name, value) for name, value in pairs)
    options = replace(
        one.function.options, default=None, n=1 if one.each is not None else one.function.options.n
    )
    others = (one.where, one.default, one.each)
    where, default, each = (None if one is None else carried.add(None, one) for one in others)
    frame = name_bounds(one.frame, lambda bound: carried.add(None, bound))
    order = tuple(replace(term, name=carried.of(term.name)) for term in one.function.order)
    name = one.function.name
    return Call(one.column, name, arguments, options, frame, where, default, order, each)
