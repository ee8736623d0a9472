"""The place of each row along the first order column, as an integer, by which pieces are cut.

Places ascend with the window's order, and peers have the same place. Other rows may share a place
too; they then stay in one piece. Nulls have an end of the integers as their place, and text has its
first eight bytes.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.frames.frames import LEAST
from kernels.frames.ordering import MOST, order_code
from workbench.columnar.columns import is_ranked, present, text_parts
from workbench.engine.order import measured
from workbench.functions.order import OrderColumn

BYTES = 8


def places(values: pa.Array, column: OrderColumn) -> Ints:
    """Return the place of each row.

    Parameters
    ----------
    values : pyarrow.Array
        The order column.
    column : OrderColumn
        Its direction, and where its nulls go.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> places(pa.array([7, 9]), OrderColumn("n", True, nulls_first=False)).tolist()
    [-8, -10]
    >>> place = places(pa.array(["b", "a", None]), OrderColumn("n", False, nulls_first=True))
    >>> np.argsort(place).tolist()
    [2, 1, 0]
    """
    code = _codes(values)
    code = ~code if column.descending else code
    if values.null_count:
        code = np.where(present(values), code, LEAST if column.nulls_first else MOST)
    return np.asarray(code, np.int64)


def _codes(values: pa.Array) -> Ints:
    if not is_ranked(values.type):
        return order_code(measured(values))
    return _within_64_bits(values) if pa.types.is_decimal(values.type) else _first_bytes(values)


def _within_64_bits(values: pa.Array) -> Ints:
    """Return decimals of many digits as 64-bit integers, clipped to their range."""
    first = 2 * values.offset
    words = np.frombuffer(values.buffers()[1], np.int64)[first : first + 2 * len(values)]
    low, high = words[::2], words[1::2]
    return np.where(high == low >> 63, low, np.where(high < 0, LEAST, MOST))


def _first_bytes(values: pa.Array) -> Ints:
    """Return the first bytes of text as an integer."""
    text, start, stop = text_parts(values)
    code = np.zeros(len(values), np.uint64)
    for i in range(BYTES):
        at = start + i
        has_byte = at < stop
        code <<= np.uint64(8)
        code[has_byte] |= text[at[has_byte]]
    return (code ^ np.uint64(1 << 63)).view(np.int64)


def shifted_place(place: int, distance: Any, floating: bool, descending: bool) -> int:
    """Return the place at a distance further along the order.

    Parameters
    ----------
    place : int
    distance : int or float
        Negative is earlier.
    floating, descending : bool
        Whether the order column holds floats, and whether it descends.

    Returns
    -------
    int

    Examples
    --------
    >>> shifted_place(5, -7, floating=False, descending=False)
    -2
    >>> at = places(pa.array([1.0, 2.5]), OrderColumn("x", True, False))
    >>> shifted_place(int(at[1]), 1.5, floating=True, descending=True) == int(at[0])
    True
    """
    if not floating or distance == 0:
        return max(LEAST, min(place + int(distance), MOST))
    code = np.array([~place if descending else place])
    key = (code ^ ((code >> 63) & MOST)).view(np.float64)
    with np.errstate(over="ignore"):
        key = np.where(np.isinf(key), key, key - distance if descending else key + distance)
    return int(order_code(key, descending)[0])
