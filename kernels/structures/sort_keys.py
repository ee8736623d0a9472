"""Order rows by value: integer keys for all types of values, ranks, and links of equal values."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Uint32Column, kernel
from kernels.structures.order import sort_entries

NONE = -1
#: From this many rows per partition on, NumPy's sort is worth a separate call.
LONG = 1_000
#: 2⁶⁴ divided by the golden ratio.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def sort_keys(values: NDArray[np.number]) -> NDArray[np.int64]:
    """Return integers that compare as the values do.

    Parameters
    ----------
    values : integer or float array
        NaN comes last and equals itself; -0.0 equals 0.0.

    Returns
    -------
    int64 array of the same shape

    Examples
    --------
    >>> import numpy as np
    >>> np.argsort(sort_keys(np.array([np.nan, 2.5, -np.inf, -1.0, np.inf]))).tolist()
    [2, 3, 1, 4, 0]
    >>> sort_keys(np.array([7, 3], np.int32)).tolist()
    [7, 3]
    """
    if values.dtype.kind != "f":
        return values.astype(np.int64, copy=False)
    # Adding zero turns -0.0 into 0.0.
    bits = (values.astype(np.float64) + 0.0).view(np.int64)
    bits[np.isnan(values)] = np.int64(0x7FF8 << 48)
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))


@kernel
def order_rows(key: Int64Column, order: Uint32Column) -> None:
    """Order the rows of a partition by their keys; the sort is stable.

    Parameters
    ----------
    key : int64 array of shape (rows,)
    order : uint32 array of shape (rows,)
        Written: the row of each rank.

    Notes
    -----
    O(rows), with a radix sort.

    Examples
    --------
    >>> import numpy as np
    >>> order = np.zeros(3, np.uint32)
    >>> order_rows(np.array([30, 10, 20]), order)
    >>> order.tolist()
    [1, 2, 0]
    """
    ordered = key.copy()
    for row in range(len(key)):
        order[row] = row
    sort_entries(ordered, order)


def orders(offsets: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the row of each rank in every partition of a block; equal keys are in any order.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    key : int64 array of shape (rows,)

    Returns
    -------
    uint32 array of shape (rows,)
        Row numbers count from the first row of the partition.

    Examples
    --------
    >>> import numpy as np
    >>> orders(np.array([0, 2, 4]), np.array([5, 3, 1, 2])).tolist()
    [1, 0, 0, 1]
    """
    order = np.empty(len(key), np.uint32)
    if len(key) < LONG * len(offsets):
        order_rows.over(offsets, key, order)
    else:
        for first, last in pairwise(offsets.tolist()):
            order[first:last] = np.argsort(key[first:last])
    return order


@kernel
def link_equals(
    key: Int64Column, number: Int64Column, previous: Int64Column, following: Int64Column
) -> int:
    """Number the distinct keys, and link each row to the previous and the next row of its key.

    Parameters
    ----------
    key : int64 array of shape (rows,)
    number : int64 array of shape (rows,)
        Written: the number of the row's key, in order of first appearance from 0.
    previous, following : int64 arrays of shape (rows,)
        Written: the nearest rows before and after each row that have its key, or -1.

    Returns
    -------
    int
        The number of distinct keys.

    Notes
    -----
    O(rows) expected, by hashing (Fibonacci hashing and linear probing). Numbers in order of
    appearance keep the keys of a frame close in memory.

    Examples
    --------
    >>> import numpy as np
    >>> number, previous, following = np.zeros((3, 3), np.int64)
    >>> link_equals(np.array([7, 5, 7]), number, previous, following)
    2
    >>> number.tolist(), previous.tolist(), following.tolist()
    ([0, 1, 0], [-1, -1, 0], [2, -1, -1])
    """
    bits = 1
    while 1 << bits < 2 * len(key):
        bits += 1
    newest = np.full(1 << bits, NONE, np.int32)
    hashes = (key ^ (key >> 32)).view(np.uint64) * GOLDEN
    slots = (hashes >> np.uint64(64 - bits)).astype(np.int64)
    distinct = 0
    for row in range(len(key)):
        slot = slots[row]
        while newest[slot] != NONE and key[newest[slot]] != key[row]:
            slot = (slot + 1) & ((1 << bits) - 1)
        before = newest[slot]
        previous[row], following[row], newest[slot] = before, NONE, row
        if before == NONE:
            number[row] = distinct
            distinct += 1
        else:
            number[row], following[before] = number[before], row
    return distinct
