"""Binding a window call to a table: resolves columns and checks types before a job starts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from workbench.errors import WorkbenchError
from workbench.frames.bounds import PerRow, is_column
from workbench.frames.frame import RUNNING, WHOLE, Frame
from workbench.functions.catalogue import (
    FILL,
    MEASURED,
    answer_type,
    check_arguments,
    kind_of,
)
from workbench.functions.fn import Argument, Function
from workbench.spark.table import BoundTable, check_arrow_type, column, type_of
from workbench.spark.types import values_in_words
from workbench.spark.values import check_repeatable, value_type
from workbench.windows.bind_frame import bind_frame
from workbench.windows.checks import check_distance, check_order_columns
from workbench.windows.defaults import default_of

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType


@dataclass(frozen=True)
class Resolved:
    """A function bound to a table.

    Attributes
    ----------
    column : str
        The result's name.
    function : Function
    frame : Frame
    arguments, kinds : tuple of Column, tuple of DataType
    answer : DataType
    where, default : Column or None
    per_row_n : Column or None
        The n of each row, where ``n`` is a column.
    """

    column: str
    function: Function
    frame: Frame
    arguments: "tuple[Column, ...]"
    kinds: "tuple[DataType, ...]"
    answer: "DataType"
    where: "Column | None"
    default: "Column | None"
    per_row_n: "Column | None" = None


def frame_for(function: Function, frame: Frame | None, ordered: bool) -> Frame:
    """Return the frame of a function: its own, else the call's, else SQL's default."""
    if not function.info.has_frame:
        return WHOLE
    return function.frame or frame or (RUNNING if ordered else WHOLE)


def resolve(
    df: BoundTable, functions: Mapping[str, Function], frame: Frame | None, order: Sequence[Any]
) -> list[Resolved]:
    """Bind functions to a table.

    Parameters
    ----------
    df : BoundTable
    functions : dict of str to Function
        By the name of the result.
    frame : Frame or None
    order : sequence of OrderColumn

    Returns
    -------
    list of Resolved

    Raises
    ------
    WorkbenchError
        When an argument is missing or has a type that the function cannot take.
    """
    resolved: list[Resolved] = []
    conditions: dict[Any, Column | None] = {}
    frames: dict[Frame, Frame] = {}
    for name, function in functions.items():
        own = frame_for(function, frame, bool(order))
        if own.measured:
            check_distance(df, own, order[0].name)
        if own not in frames:
            frames[own] = bind_frame(df, own, order)
        values = [_argument(df, name, argument) for argument in function.arguments]
        check_arguments(name, function.name, tuple(kind for _, kind in values))
        function, values = _adapt_to_kind(function, values)
        kinds = tuple(kind for _, kind in values)
        check_order_columns(df, function.order, name)
        along = (function.order or tuple(order))[:1]
        if function.info.family == FILL and kind_of(type_of(df, along[0].name)) not in MEASURED:
            raise WorkbenchError(
                f"{name}: fill interpolates along numbers or times; order by a column of these."
            )
        answer = answer_type(function.name, function.options, kinds[0] if kinds else None)
        condition_key = function.condition if isinstance(function.condition, str) else id(function)
        if condition_key not in conditions:
            conditions[condition_key] = _condition(df, name, function.condition)
        default = default_of(df, name, function.options.default, answer)
        arguments = tuple(value for value, _ in values)
        where = conditions[condition_key]
        resolved.append(
            Resolved(
                name, function, frames[own], arguments, kinds, answer, where, default,
                _n_column(df, name, function),
            )
        )  # fmt: skip
    check_repeatable(df.without_rows, [pair for one in resolved for pair in _computed(one)])
    return resolved


def check_kinds(one: Resolved, side: str = "") -> None:
    """Refuse arguments that Spark cannot send to a Python worker.

    Parameters
    ----------
    one : Resolved
    side : str
        The role of its table among several, as :class:`BoundTable` names it.

    Raises
    ------
    WorkbenchError
    """
    for given, kind in zip(one.function.arguments, one.kinds, strict=True):
        check_arrow_type(kind, given if isinstance(given, str) else "value", one.column, side)


def _computed(one: Resolved) -> "Iterator[tuple[str, Column]]":
    """Yield the values of a call that are computed, not columns of the table."""
    for given, value in zip(one.function.arguments, one.arguments, strict=True):
        if not isinstance(given, str):
            yield f"{one.column}: this", value
    if one.where is not None:
        yield f"{one.column}: the condition", one.where
    if one.per_row_n is not None:
        yield f"{one.column}: n", one.per_row_n
    for name, bound in (("low", one.frame.low), ("high", one.frame.high)):
        if bound is not None and isinstance(bound.amount, PerRow):
            yield f"{name}: the bound", cast("Column", bound.amount.column)


def _adapt_to_kind(
    function: Function, values: "list[tuple[Column, DataType]]"
) -> "tuple[Function, list[tuple[Column, DataType]]]":
    """Return the function for the values' kind, or the values cast to the function's kind."""
    from pyspark.sql.types import IntegerType, StringType

    info = function.info
    if not info.own or kind_of(values[0][1]) in info.own:
        return function, values
    if info.of_others:
        return replace(function, name=info.of_others), values
    kind = StringType() if info.others_as == "string" else IntegerType()
    value = values[0][0].cast(kind)
    turned = replace(function, arguments=(value, *function.arguments[1:]))
    return turned, [(value, kind), *values[1:]]


def _argument(df: BoundTable, name: str, given: Argument) -> "tuple[Column, DataType]":
    if isinstance(given, str):
        return column(df, given, name), type_of(df, given)
    return given, value_type(df.without_rows, given, f"{name}: this", df.side)


def _condition(df: BoundTable, name: str, given: Argument | None) -> "Column | None":
    from pyspark.sql import functions as F

    if given is None:
        return None
    condition = F.expr(given) if isinstance(given, str) else given
    kind = value_type(df.without_rows, condition, f"{name}: the condition", df.side).typeName()
    if kind != "boolean":
        raise WorkbenchError(
            f"{name}: the condition gives {values_in_words(kind)}; write one that is true or false."
        )
    return condition


def _n_column(df: BoundTable, name: str, function: Function) -> "Column | None":
    """Return the n of each row as a column of longs, None where n is one number."""
    given = function.options.n
    if not is_column(given):
        return None
    if not function.info.by_row:
        raise WorkbenchError(
            f"{name}: the n of {function.name} must be one number for all rows; give an integer."
        )
    kind = value_type(df.without_rows, given, f"{name}: n", df.side)
    if kind_of(kind) != "integer":
        raise WorkbenchError(
            f"{name}: n holds {kind.simpleString()}, but {function.name} counts rows; "
            "give a Column of integers."
        )
    longs: Column = given.cast("long")
    return longs
