"""Order rows by value: integer keys of any value, ranks, and neighbours of equal value."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kernels.kernel import Int64Column, Uint32Column, kernel
from kernels.order import sort_entries

NONE = -1
#: From this many rows a partition on, NumPy's sort is worth a call of its own.
LONG = 1_000


def sort_keys(values: NDArray[np.number]) -> NDArray[np.int64]:
    """Return integers that are in the order of the values, equal where the values are.

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
    """Order the rows of a partition by their keys; rows of equal keys stay as they are.

    Parameters
    ----------
    key : int64 array of shape (rows,)
    order : uint32 array of shape (rows,)
        Written: the row of each rank.

    Notes
    -----
    O(rows), by digits.

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


def orders(
    offsets: NDArray[np.int64], key: NDArray[np.int64], *, stable: bool = True
) -> NDArray[np.uint32]:
    """Return the row of each rank in every partition of a block.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    key : int64 array of shape (rows,)
    stable : bool
        Whether rows of equal keys have to stay as they are: long partitions are sorted faster
        when they need not.

    Returns
    -------
    uint32 array of shape (rows,)
        Rows count from the first of their partition.

    Examples
    --------
    >>> import numpy as np
    >>> orders(np.array([0, 2, 4]), np.array([5, 3, 1, 2])).tolist()
    [1, 0, 0, 1]
    """
    order = np.empty(len(key), np.uint32)
    if stable or len(key) < LONG * len(offsets):
        order_rows.over(offsets, key, order)
    else:
        for first, last in pairwise(offsets.tolist()):
            order[first:last] = np.argsort(key[first:last])
    return order


@kernel
def link_equals(
    key: Int64Column,
    order: Uint32Column,
    number: Int64Column,
    previous: Int64Column,
    following: Int64Column,
) -> int:
    """Number the distinct keys, and link each row with the rows of its key around it.

    Parameters
    ----------
    key : int64 array of shape (rows,)
    order : uint32 array of shape (rows,)
        The row of each rank, as :func:`order_rows` writes it.
    number : int64 array of shape (rows,)
        Written: how many distinct keys are smaller than that of the row.
    previous, following : int64 arrays of shape (rows,)
        Written: the nearest row before and behind each that has its key, or -1.

    Returns
    -------
    int
        How many distinct keys there are.

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> import numpy as np
    >>> number, previous, following = np.zeros((3, 3), np.int64)
    >>> order = np.array([1, 0, 2], np.uint32)
    >>> link_equals(np.array([7, 5, 7]), order, number, previous, following)
    2
    >>> number.tolist(), previous.tolist(), following.tolist()
    ([1, 0, 1], [-1, -1, 0], [2, -1, -1])
    """
    distinct = 0
    for i in range(len(key)):
        row = order[i]
        previous[row], following[row] = NONE, NONE
        if i > 0 and key[order[i - 1]] == key[row]:
            previous[row] = order[i - 1]
            following[order[i - 1]] = row
        else:
            distinct += 1
        number[row] = distinct - 1
    return distinct
