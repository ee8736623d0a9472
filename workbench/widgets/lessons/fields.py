"""The fields of an edited input: times, numbers and texts as field values, and back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.durations import SECOND, from_epoch, since_epoch
from workbench.errors import WorkbenchError

Rows = list[list[Any]]

TIME, NUMBER, TEXT = "time", "number", "text"


def field_values(
    time: Sequence[int] | NDArray[np.int64], integer_time: bool
) -> tuple[str, list[Any]]:
    """Return the kind of field that edits times, and the values of the fields.

    Parameters
    ----------
    time : sequence of int
        Microseconds, or integers in the user's unit.
    integer_time : bool

    Returns
    -------
    str
        The kind of the field, which is "time" for whole seconds.
    list

    Examples
    --------
    >>> field_values([1_500_000_000_000_000], integer_time=False)
    ('time', ['2017-07-14 02:40:00'])
    """
    if integer_time:
        return NUMBER, [int(one) for one in time]
    texts = [from_epoch(int(one)).replace(tzinfo=None) for one in time]
    kind = TEXT if any(int(one) % SECOND for one in time) else TIME
    return kind, [text.isoformat(" ") for text in texts]


def instant(field: Any, integer_time: bool) -> int:
    """Return the time in a field.

    Parameters
    ----------
    field : str or int
    integer_time : bool

    Returns
    -------
    int
        Microseconds, or the integer.

    Raises
    ------
    WorkbenchError
        When the field has no valid time.

    Examples
    --------
    >>> instant("2017-07-14 02:40", integer_time=False), instant("7", integer_time=True)
    (1500000000000000, 7)
    """
    try:
        if integer_time:
            return int(field)
        return since_epoch(datetime.fromisoformat(str(field)))
    except (ValueError, OverflowError):
        such = "17" if integer_time else "2013-01-01 10:03:00"
        raise WorkbenchError(f"time: {field!r} is not a time; give one such as {such}.") from None


def check_rows(rows: Rows, columns: int) -> Rows:
    """Return edited rows, or raise an error if there are none or one lacks fields."""
    if not rows:
        raise WorkbenchError("rows: no row is left to step through; keep one.")
    if any(len(row) != columns for row in rows):
        raise WorkbenchError(f"rows: a row needs {columns} fields.")
    return rows


def number_of(field: Any) -> float:
    """Return the number in a field, or raise an error if it has none."""
    try:
        return float(field)
    except ValueError:
        raise WorkbenchError(f"value: {field!r} is not a number; give one such as 4.5.") from None


def plain_type(type_: pa.DataType) -> pa.DataType:
    """Return the type of a column's values, also of a dictionary-encoded column."""
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def is_written(type_: pa.DataType) -> bool:
    """Return whether values of a type can be written as text and parsed again."""
    kinds = pa.types
    checks = (kinds.is_integer, kinds.is_floating, kinds.is_boolean, kinds.is_decimal)
    texts = (kinds.is_string, kinds.is_large_string, kinds.is_date, kinds.is_timestamp)
    return any(check(type_) for check in (*checks, *texts))


def fields_of(values: pa.Array, type_: pa.DataType) -> tuple[str, list[Any]]:
    """Return the kind of a column's fields, and their values; an empty field means null."""
    if pa.types.is_timestamp(type_):
        micros = values.cast(pa.timestamp("us", type_.tz)).cast(pa.int64()).to_pylist()
        kind, texts = field_values([one for one in micros if one is not None], integer_time=False)
        known = iter(texts)
        return kind, ["" if one is None else next(known) for one in micros]
    is_number = pa.types.is_integer(type_) or pa.types.is_floating(type_)
    cells = values.to_pylist()
    return (NUMBER if is_number else TEXT), ["" if one is None else str(one) for one in cells]


def column_of(cells: list[Any], name: str, type_: pa.DataType) -> pa.Array:
    """Return the column of these fields; ``name`` is for the error about an invalid one."""
    texts = [None if cell in ("", None) else str(cell) for cell in cells]
    try:
        if pa.types.is_timestamp(type_):
            micros = [None if one is None else instant(one, integer_time=False) for one in texts]
            return pa.array(micros, pa.int64()).cast(pa.timestamp("us", type_.tz)).cast(type_)
        return pa.array(texts, pa.string()).cast(type_)
    except pa.ArrowInvalid as error:
        raise WorkbenchError(f"{name}: {error}; give another value.") from None
