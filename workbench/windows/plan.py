"""A window call on a table at rest, as a Spark plan."""

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.engine.block import Call
from workbench.engine.order import OrderColumn
from workbench.engine.task import WindowTask
from workbench.errors import WorkbenchError
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundle_rows
from workbench.spark.table import table
from workbench.windows.bind import Carried, Resolved, check_kinds, resolve
from workbench.windows.checks import check_arrow, check_table
from workbench.windows.extent import call_extent
from workbench.windows.ranges_plan import RangePlan, cut_keys, cut_rows
from workbench.windows.spark_engine import with_spark
from workbench.windows.spec import WindowCall

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


def resolved(call: WindowCall, df: "DataFrame") -> list[Resolved]:
    """Return the functions of a call bound to a table, which has the columns that it needs.

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so.
    """
    check_table(df, call.partition_by, call.order_by, list(call.columns))
    return resolve(df, call.columns, call.frame, call.order_by)


def bound(call: WindowCall, df: "DataFrame") -> tuple[WindowTask, Carried]:
    """Return what the workers do for a table, and the columns that they get of it.

    Parameters
    ----------
    call : WindowCall
    df : pyspark.sql.DataFrame

    Returns
    -------
    task : WindowTask
    carried : Carried

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so.
    """
    return task_of(call, table(df, "df"), resolved(call, df))


def task_of(call: WindowCall, df: "DataFrame", found: list[Resolved]) -> tuple[WindowTask, Carried]:
    """Return what the workers do with a call's functions, and the columns that they get."""
    check_arrow(df)
    carried = Carried(df)
    calls = tuple(_call(one, carried) for one in found)
    keys = tuple(map(carried.of, call.partition_by))
    order = tuple(
        OrderColumn(carried.of(term.name), term.descending, term.nulls_first)
        for term in call.order_by
    )
    back = tuple((name, carried.of(name)) for name in df.columns)
    return WindowTask(back, keys, order, calls), carried


def answered(call: WindowCall, df: "DataFrame", found: list[Resolved]) -> "DataFrame":
    """Return a table at rest with a call's answers, by the engine that the call chose."""
    if call.choice.engine == "spark":
        return with_spark(df, call.partition_by, call.order_by, found)
    ship(df.sparkSession)
    task, carried = task_of(call, df, found)
    if cutting := _cutting(call, df, found, carried):
        task = replace(task, reach=cutting.reach)
        rows = cut_rows(df, carried.wanted, cutting)
    else:
        rows = bundle_rows(df, carried.wanted, task.keys)
    return rows.mapInArrow(task.from_rows, result_schema(df, found))


def pieces_of(call: WindowCall, df: "DataFrame") -> "DataFrame":
    """Return the partitions of a table that are cut: their keys, rows and pieces.

    Raises
    ------
    WorkbenchError
        When the call's partitions cannot be cut, or when it does not fit the table.
    """
    if call.uncut is not None:
        raise WorkbenchError(f"cut: each partition is one task, because {call.uncut}.")
    found = resolved(call, table(df, "df"))
    ship(df.sparkSession)
    carried = Carried(df)
    cutting = _cutting(call, df, found, carried)
    assert cutting is not None
    return cut_keys(df, carried.wanted, cutting, call.partition_by)


def result_schema(df: "DataFrame", found: list[Resolved]) -> "StructType":
    """Return the columns of a table with the answers."""
    from pyspark.sql.types import StructField, StructType

    added = [StructField(one.column, one.answer) for one in found]
    return StructType([*df.schema.fields, *added])


def _cutting(
    call: WindowCall, df: "DataFrame", found: list[Resolved], carried: Carried
) -> RangePlan | None:
    if call.uncut is not None:
        return None
    first = call.order_by[0]
    order = replace(first, name=carried.of(first.name))
    reach = call_extent(found, df.schema[first.name].dataType)
    keys = tuple(map(carried.of, call.partition_by))
    return RangePlan(keys, order, reach, call.cut if isinstance(call.cut, int) else None)


def _call(one: Resolved, carried: Carried) -> Call:
    check_kinds(one)
    given = one.function.arguments
    pairs = zip(given, one.arguments, strict=True)
    arguments = tuple(str(carried.add(name, value)) for name, value in pairs)
    options = replace(one.function.options, default=None)
    where, default = carried.add(None, one.where), carried.add(None, one.default)
    return Call(
        one.column, one.function.name, arguments, options, carried.frame(one.frame), where, default
    )
