"""The order of a block's rows as frames, ranks and value functions see it: groups of peers.

Rows with equal order keys are peers, rows without a key are peers of each other, and groups of
peers are numbered from 0. The caller sorts the rows and handles every other aspect of the order.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Int64Row, Uint8Column, kernel

MOST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Order:
    """The order of a block of rows that are sorted within their partitions.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    group : int64 array of shape (rows,)
        The number of each row's group of peers within its partition, from 0.
    start : int64 array of shape (rows,)
        Where each group begins: in a partition with k groups, only the first k cells are valid.
    key : int64 or float64 array of shape (rows,), or None
        The order key; None if the order has several columns, or none.
    code : int64 array of shape (rows,), or None
        The key as :func:`order_code` encodes it, ascending in every partition.
    valid : int64 array of shape (partitions, 2)
        The rows of each partition that have a key, as a half-open range.
    descending : bool
    """

    offsets: NDArray[np.int64]
    group: NDArray[np.int64]
    start: NDArray[np.int64]
    key: NDArray[np.int64] | NDArray[np.float64] | None
    code: NDArray[np.int64] | None
    valid: NDArray[np.int64]
    descending: bool = False

    @property
    def rows(self) -> int:
        """The number of rows in the block."""
        return len(self.group)


def order_by_key(
    offsets: NDArray[np.int64],
    key: NDArray[np.int64] | NDArray[np.float64],
    nulls: NDArray[np.int64] | None = None,
    descending: bool = False,
) -> Order:
    """Return the order of rows that are sorted by one key.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    key : int64 or float64 array of shape (rows,)
        As in the data, sorted within each partition; NaN counts as the greatest key. The values of
        rows without a key are ignored.
    nulls : int64 array of shape (partitions, 2), optional
        The numbers of rows without a key at the begin and at the end of each partition.
    descending : bool
        Whether the keys fall from row to row.

    Returns
    -------
    Order

    Examples
    --------
    >>> import numpy as np
    >>> order = order_by_key(np.array([0, 4]), np.array([9, 5, 5, 1]), descending=True)
    >>> order.group.tolist(), order.start[:3].tolist()
    ([0, 1, 1, 2], [0, 1, 3])
    """
    sizes = np.diff(offsets)
    valid = np.stack([np.zeros_like(sizes), sizes], axis=1)
    if nulls is not None:
        valid += nulls * np.array([1, -1])
    code = order_code(key, descending)
    starts = np.empty(len(code), np.uint8)
    peer_starts.over(offsets, code, valid, starts)
    group, start = _grouped(offsets, starts)
    return Order(offsets, group, start, key, code, valid, descending)


def order_by_starts(offsets: NDArray[np.int64], starts: NDArray[np.uint8]) -> Order:
    """Return the order of rows that are sorted by any number of columns, or by none.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    starts : uint8 array of shape (rows,)
        1 where a row differs from the row before it in a column of the order; all 0 without an
        order, so that all rows of a partition are peers.

    Returns
    -------
    Order

    Examples
    --------
    >>> import numpy as np
    >>> order_by_starts(np.array([0, 2, 4]), np.array([0, 1, 0, 0], np.uint8)).group.tolist()
    [0, 1, 0, 0]
    """
    sizes = np.diff(offsets)
    valid = np.stack([np.zeros_like(sizes), sizes], axis=1)
    return Order(offsets, *_grouped(offsets, starts), None, None, valid)


def _grouped(
    offsets: NDArray[np.int64], starts: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    group, start = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    group_peers.over(offsets, starts, group, start)
    return group, start


def order_code(
    key: NDArray[np.int64] | NDArray[np.float64], descending: bool = False
) -> NDArray[np.int64]:
    """Return integers that compare as the keys do in their direction.

    Parameters
    ----------
    key : int64 or float64 array
        NaN counts as greater than every number and as equal to itself.
    descending : bool
        Let greater keys have smaller codes.

    Returns
    -------
    int64 array of the same shape
        Integer keys in ascending order are their own code.

    Examples
    --------
    >>> import numpy as np
    >>> order_code(np.array([3, -4])).tolist()
    [3, -4]
    >>> np.argsort(order_code(np.array([np.nan, 0.5, -np.inf, 2.0]), descending=True)).tolist()
    [0, 3, 1, 2]
    """
    if key.dtype == np.float64:
        # The bits of positive floats are ordered as integers are; those of negative ones, reversed.
        # Each NaN becomes the default one first, as adding to a signaling NaN would warn.
        bits = (np.where(np.isnan(key), np.nan, key) + 0.0).view(np.int64)
        code = bits ^ ((bits >> 63) & MOST)
    else:
        code = key.astype(np.int64, copy=False)
    return ~code if descending else code


@kernel
def peer_starts(code: Int64Column, valid: Int64Row, starts: Uint8Column) -> None:
    """Mark each row that is not a peer of the row before it.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order key, sorted.
    valid : int64 array of shape (2,)
        The half-open range of rows that have a key.
    starts : uint8 array of shape (rows,)
        Written: 1 where a group of peers starts, else 0.

    Notes
    -----
    O(n). Rows without a key are peers of each other, and of no other row.

    Examples
    --------
    >>> import numpy as np
    >>> starts = np.zeros(5, np.uint8)
    >>> peer_starts(np.array([4, 4, 7, 0, 0]), np.array([0, 3]), starts)
    >>> starts.tolist()
    [1, 0, 1, 1, 0]
    """
    for i in range(len(code)):
        if i == 0 or i == valid[0] or i == valid[1]:
            starts[i] = 1
        else:
            starts[i] = valid[0] < i < valid[1] and code[i] != code[i - 1]


@kernel
def group_peers(starts: Uint8Column, group: Int64Column, start: Int64Column) -> int:
    """Write the number of each row's group of peers, and where each group begins.

    Parameters
    ----------
    starts : uint8 array of shape (rows,)
        1 where a row is not a peer of the row before it; the first row needs no mark.
    group : int64 array of shape (rows,)
        Written: the number of each row's group, from 0.
    start : int64 array of shape (rows,)
        Written: where each group begins, in its first ``groups`` cells.

    Returns
    -------
    int
        The number of groups.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> group, start = np.zeros(4, np.int64), np.zeros(4, np.int64)
    >>> group_peers(np.array([1, 0, 1, 0], np.uint8), group, start)
    2
    >>> group.tolist(), start[:2].tolist()
    ([0, 0, 1, 1], [0, 2])
    """
    groups = 0
    for i in range(len(starts)):
        if i == 0 or starts[i] == 1:
            start[groups] = i
            groups += 1  #: Row {i} begins group {groups - 1}.
        group[i] = groups - 1  #: Row {i} is in group {group[i]}.
    return groups
