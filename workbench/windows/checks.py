"""Checks of a window call: each refuses it with one sentence, before a job starts."""

import warnings
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError, WorkbenchWarning
from workbench.frames.bounds import MICROSECONDS, MONTHS, NUMBER, PerRow
from workbench.frames.frame import Frame
from workbench.functions.catalogue import FILL, MOST_DIGITS, NUMBERS, SORTED, TIMES, kind_of
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn
from workbench.spark.sources.times import is_called_time
from workbench.spark.table import (
    BoundTable,
    check_arrow_type,
    check_column,
    check_grouped,
    time_hint,
    type_of,
)

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, DecimalType, StructType

#: Arrow sends types up to 64 levels deep, and our own lists and maps around a column take some.
MOST_NESTED = 60


def check_order(column_name: str, function: Function, frame: Frame, terms: int) -> None:
    """Refuse a function or a frame that needs another order than the call has.

    Parameters
    ----------
    column_name : str
        The result's name.
    function : Function
    frame : Frame
    terms : int
        How many columns the order has.

    Raises
    ------
    WorkbenchError
    """
    if terms == 0 and function.info.needs_order:
        raise WorkbenchError(
            f"{column_name}: {function.name} needs an order; name its columns in order_by."
        )
    if terms == 0 and not (frame.low is None and frame.high is None):
        raise WorkbenchError(
            f"{column_name}: {frame!r} needs an order; name its columns in order_by."
        )
    along = len(function.order) or terms
    filled = along != 1 and function.info.family == FILL
    if filled or (terms != 1 and frame.measured):
        what, terms = ("fill interpolates", along) if filled else (f"{frame!r} is measured", terms)
        raise WorkbenchError(
            f"{column_name}: {what} along one column, but order_by names {terms}; name one."
        )


def check_distance(df: BoundTable, frame: Frame, name: str) -> None:
    """Refuse a distance whose unit does not fit the order column.

    Parameters
    ----------
    df : BoundTable
    frame : Frame
    name : str
        The order column.

    Raises
    ------
    WorkbenchError
    """
    data_type = type_of(df, name)
    kind = kind_of(data_type)
    for bound, given in zip((frame.low, frame.high), frame.given, strict=True):
        if bound is None or bound.amount == 0 or isinstance(bound.amount, PerRow):
            continue
        holds = f"but the order column {name!r} holds {data_type.simpleString()}"
        if kind in ("interval", "time") and bound.unit == MICROSECONDS:
            continue
        if kind not in (*NUMBERS, *TIMES):
            raise WorkbenchError(
                f"frame: a distance such as {given!r} needs numbers or times, {holds}"
                f"{f'; {time_hint(name)}' if kind == 'text' else '.'}"
            )
        if bound.unit in (MICROSECONDS, MONTHS) and kind not in TIMES:
            raise WorkbenchError(f"frame: {given!r} has a unit, {holds}; give a number.")
        if bound.unit == NUMBER and kind in TIMES:
            raise WorkbenchError(
                f"frame: {given!r} has no unit, {holds}; give a duration such as '-3 days'."
            )
        _check_number(data_type, bound.amount, given, holds)


def warn_of_text(df: BoundTable, order: Sequence[OrderColumn], frames: Iterable[Frame]) -> None:
    """Warn where a ROWS frame is ordered by times stored as text, which sort as text.

    Warns
    -----
    WorkbenchWarning
    """
    if all(frame.unit != "rows" or (frame.low, frame.high) == (None, None) for frame in frames):
        return
    for term in order:
        if is_called_time(term.name) and kind_of(type_of(df, term.name)) == "text":
            warnings.warn(
                f"order_by: column {term.name!r} holds text, which is sorted letter by letter; "
                f"if it holds times, {time_hint(term.name)}",
                WorkbenchWarning,
                stacklevel=4,
            )


def check_digits(along: "DecimalType") -> None:
    """Refuse a distance along decimals of so many digits that their multiples are no integers.

    Raises
    ------
    WorkbenchError
    """
    if along.precision > MOST_DIGITS:
        raise WorkbenchError(
            f"frame: a distance along decimals of more than {MOST_DIGITS} digits is not "
            "available; cast the order column to fewer digits or to double."
        )


def _check_number(data_type: "DataType", amount: Any, given: Any, holds: str) -> None:
    from pyspark.sql.types import DecimalType

    if kind_of(data_type) == "integer" and amount != int(amount):
        raise WorkbenchError(f"frame: {given!r} is not a whole number, {holds}; give an integer.")
    if isinstance(data_type, DecimalType):
        check_digits(data_type)
        scaled = Decimal(str(amount)) * 10**data_type.scale
        if scaled != int(scaled):
            raise WorkbenchError(
                f"frame: {given!r} has more digits than the order column, {holds}."
            )


def check_table(df: BoundTable, order: Sequence[OrderColumn], results: Sequence[str]) -> None:
    """Refuse a table that lacks columns of the call, or has columns of unsupported types.

    Parameters
    ----------
    df : BoundTable
        With the columns that make its partitions as its key.
    order : sequence of OrderColumn
    results : sequence of str
        The names of the columns that are added.

    Raises
    ------
    WorkbenchError
    """
    for name in df.names:
        check_column(df, name, "df")
    for key in df.key:
        check_column(df, key, "partition_by")
        check_grouped(df.schema, key, "partition_by")
    check_order_columns(df, order, "order_by")
    taken = {name.lower() for name in df.names}
    if clash := [name for name in results if name.lower() in taken]:
        raise WorkbenchError(
            f"{clash[0]}: the table has a column of this name; give the result another one."
        )


def check_order_columns(df: BoundTable, order: Sequence[OrderColumn], argument: str) -> None:
    """Refuse order columns that are missing, or whose type has no order.

    Raises
    ------
    WorkbenchError
    """
    for term in order:
        check_column(df, term.name, argument)
        if kind_of(type_of(df, term.name)) not in SORTED:
            kind = type_of(df, term.name).simpleString()
            raise WorkbenchError(
                f"{argument}: column {term.name!r} holds {kind}, which has no order here; "
                "name a column of numbers, times or text."
            )


def check_arrow(schema: "StructType", argument: str = "df") -> None:
    """Refuse columns that Spark cannot send to a Python worker."""
    for field in schema.fields:
        check_arrow_type(field.dataType, field.name, argument)
        if (depth := depth_of(field.dataType)) > MOST_NESTED:
            raise WorkbenchError(
                f"{argument}: column {field.name!r} is nested {depth} deep, and {MOST_NESTED} is "
                "the most; drop it, or extract what you need."
            )


def depth_of(kind: "DataType") -> int:
    """Return the nesting depth of a type as Arrow counts it, where a map is a list of pairs.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType, MapType
    >>> depth_of(LongType()), depth_of(MapType(LongType(), ArrayType(LongType())))
    (0, 3)
    """
    name = kind.typeName()
    if name == "array":
        return 1 + depth_of(kind.elementType)  # type: ignore[attr-defined]
    if name == "map":
        return 2 + max(depth_of(kind.keyType), depth_of(kind.valueType))  # type: ignore[attr-defined]
    if name == "struct":
        return 1 + max((depth_of(one.dataType) for one in kind.fields), default=0)  # type: ignore[attr-defined]
    return 0
