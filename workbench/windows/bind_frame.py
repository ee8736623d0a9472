"""Binding of frames whose bounds are columns: checks their types before a job starts."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError
from workbench.frames.bounds import COUNT, MICROSECONDS, MONTHS, NUMBER, Offset, PerRow
from workbench.frames.frame import Frame
from workbench.functions.catalogue import MOST_DIGITS, NUMBERS, TIMES, kind_of
from workbench.spark.table import BoundTable
from workbench.spark.values import value_type
from workbench.windows.checks import check_digits

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType


def bind_frame(df: BoundTable, frame: Frame, order: Sequence[Any]) -> Frame:
    """Return a frame whose column bounds are cast to the types that the workers take.

    Parameters
    ----------
    df : BoundTable
    frame : Frame
    order : sequence of OrderColumn

    Returns
    -------
    Frame

    Raises
    ------
    WorkbenchError
        When a bound is not a value per row, or its type is not a distance.
    """
    bounds: list[Offset | None] = []
    for name, bound in (("low", frame.low), ("high", frame.high)):
        if bound is not None and isinstance(bound.amount, PerRow):
            column: Any = bound.amount.column
            kind = value_type(df.without_rows, column, f"{name}: this")
            if frame.unit == "range":
                along = df.schema[order[0].name]
                bound = _distance(name, column, kind, along.name, along.dataType)
            else:
                bound = _count(name, column, kind, frame.unit)
        bounds.append(bound)
    return replace(frame, low=bounds[0], high=bounds[1])


def name_bounds(frame: Frame, name_of: "Callable[[Column], str]") -> Frame:
    """Return a frame for the workers, with column names in place of columns."""

    def named(bound: Offset | None) -> Offset | None:
        if bound is None or not isinstance(bound.amount, PerRow):
            return bound
        column: Any = bound.amount.column
        return Offset(PerRow(name_of(column)), bound.unit)

    if not frame.varies:
        return frame
    low, high = named(frame.low), named(frame.high)
    return Frame(frame.unit, low, high, frame.exclude, (low and low.amount, high and high.amount))


def _count(name: str, column: "Column", kind: "DataType", unit: str) -> Offset:
    if kind_of(kind) != "integer":
        raise WorkbenchError(
            f"{name}: the bound {column!r} holds {kind.simpleString()}, but a frame of {unit} "
            f"counts {unit}; give a Column of integers."
        )
    return Offset(PerRow(column.cast("long")), COUNT)


def _distance(
    name: str, column: "Column", kind: "DataType", order: str, along: "DataType"
) -> Offset:
    problem = f"{name}: the bound {column!r} holds {kind.simpleString()}, but the order column "
    problem += f"{order!r} holds {along.simpleString()}"
    if kind_of(along) in ("interval", "time") and kind_of(kind) != "interval":
        raise WorkbenchError(f"{problem}; give a Column of intervals of days and less.")
    if kind_of(along) in (*TIMES, "interval", "time"):
        return _interval(problem, column, kind)
    if kind_of(along) not in NUMBERS:
        raise WorkbenchError(f"{problem}, which has no distances; order by numbers or times.")
    if kind_of(kind) not in NUMBERS:
        raise WorkbenchError(f"{problem}; give a Column of numbers.")
    if kind_of(along) == "float":
        return Offset(PerRow(column.cast("double")), NUMBER)
    if kind_of(along) == "integer":
        if kind_of(kind) != "integer":
            raise WorkbenchError(f"{problem}; give a Column of integers.")
        return Offset(PerRow(column.cast("long")), NUMBER)
    return _decimal(problem, column, kind, along)


def _interval(problem: str, column: "Column", kind: "DataType") -> Offset:
    from pyspark.sql.types import DayTimeIntervalType, YearMonthIntervalType

    if isinstance(kind, DayTimeIntervalType):
        return Offset(PerRow(column.cast(DayTimeIntervalType())), MICROSECONDS)
    if isinstance(kind, YearMonthIntervalType):
        months = column.cast(YearMonthIntervalType(1, 1)).cast("int")
        return Offset(PerRow(months), MONTHS)
    raise WorkbenchError(
        f"{problem}; give a Column of intervals, such as F.make_dt_interval(F.col('days'))."
    )


def _decimal(problem: str, column: "Column", kind: "DataType", along: Any) -> Offset:
    from pyspark.sql.types import DecimalType

    check_digits(along)
    finer = isinstance(kind, DecimalType) and kind.scale > along.scale
    if finer or kind_of(kind) == "float":
        raise WorkbenchError(f"{problem}; cast the bound to the order column's type.")
    return Offset(PerRow(column.cast(DecimalType(MOST_DIGITS, along.scale))), NUMBER)
