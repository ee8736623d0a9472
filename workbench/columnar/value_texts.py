"""Conversion of values to text that identifies them in any block and process, and back."""

import math
import struct
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.columnar.columns import as_column, codes_in_order, is_ranked
from workbench.durations import DAY


def items_of(values: pa.Array) -> list[str]:
    """Return text that identifies each value, equal where values are equal, in any block.

    Parameters
    ----------
    values : pyarrow.Array
        Of any sortable type, without nulls.

    Returns
    -------
    list of str

    Examples
    --------
    >>> items_of(pa.array(["b", ""])), items_of(pa.array([b"b"])), items_of(pa.array([7]))
    (['b', ''], ['b'], ['7'])
    """
    if not is_ranked(values.type):
        return [str(code) for code in codes_in_order(values).tolist()]
    if pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        return [value.decode("latin-1") for value in values.to_pylist()]
    return [str(value) for value in values.to_pylist()]


def value_of_item(kind: pa.DataType) -> Callable[[str], Any]:
    """Return a function from the text of a value to the value; see :func:`items_of`.

    Examples
    --------
    >>> values = pa.array([2.5, -0.0])
    >>> list(map(value_of_item(values.type), items_of(values)))
    [2.5, 0.0]
    """
    if not is_ranked(kind):
        of_key = value_of_key(kind)
        return lambda item: of_key(int(item))
    if pa.types.is_decimal(kind):
        return Decimal
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return lambda item: item.encode("latin-1")
    return str


def order_of_item(kind: pa.DataType) -> Callable[[str], Any]:
    """Return a sort key function that sorts the texts of values like the values."""
    if not is_ranked(kind):
        return int
    return Decimal if pa.types.is_decimal(kind) else str


def value_of_key(kind: pa.DataType) -> Callable[[int], Any]:
    """Return a function from a sort key to the Python value.

    Examples
    --------
    >>> value_of_key(pa.float64())(0)
    0.0
    """
    types = pa.types
    if types.is_integer(kind):
        return int
    if types.is_boolean(kind):
        return bool
    if types.is_floating(kind):
        return _float_of
    if types.is_timestamp(kind):
        return partial(time_of, kind=kind)
    return lambda key: as_column(np.array([key]), np.zeros(1, bool), kind)[0].as_py()


def time_of(instant: int, kind: pa.DataType) -> Any:
    """Return an instant as a Python value: a date, a datetime with or without zone, or an integer.

    Examples
    --------
    >>> time_of(86_400_000_000, pa.timestamp("us")), time_of(5, pa.int64())
    (datetime.datetime(1970, 1, 2, 0, 0), 5)
    """
    if pa.types.is_integer(kind):
        return instant
    if pa.types.is_date32(kind):
        return pa.scalar(instant // DAY, pa.int32()).cast(pa.date32()).as_py()
    return pa.scalar(instant, pa.int64()).cast(pa.timestamp("us", kind.tz)).as_py()


def _float_of(key: int) -> float:
    bits = key ^ ((key >> 63) & (2**63 - 1))
    value: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return math.nan if value != value else value
