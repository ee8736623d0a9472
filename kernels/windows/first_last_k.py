"""The first and the last rows of moving frames, as concatenated lists."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Int64Matrix, Int64Scratch, kernel
from kernels.frames.frame_deltas import frame_size

#: Arrow's columns of lists count their values in 32 bits.
MOST_VALUES = 2**31 - 1


@kernel
def end_rows(
    begin: Int64Matrix,
    end: Int64Matrix,
    to: Int64Column,
    size: Int64Column,
    last: bool,
    listed: Int64Scratch,
) -> None:
    """Write the first or the last rows of each frame, in their order.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, in order.
    to : int64 array of shape (rows,)
        Where the list of each frame begins.
    size : int64 array of shape (rows,)
        The number of rows to write for each frame, at most as many as it has.
    last : bool
        Whether to return the last rows instead of the first.
    listed : int64 array
        Written: the lists, one after the other.

    Notes
    -----
    O(rows · pieces + rows that are written).

    Examples
    --------
    >>> begin, end, listed = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(4, np.int64)
    >>> end_rows(begin, end, np.array([0, 2]), np.array([2, 2]), True, listed)
    >>> listed.tolist()
    [0, 1, 1, 2]
    """
    for i in range(len(begin)):
        at, skip = to[i], 0
        if last:
            skip = frame_size(begin, end, i) - size[i]
        for piece in range(begin.shape[1]):
            low, high = begin[i, piece], end[i, piece]
            passed = min(skip, high - low)
            low, skip = low + passed, skip - passed
            for row in range(low, min(high, low + to[i] + size[i] - at)):
                listed[at] = row
                at += 1  #: Row {row} is in the list of row {i}.


def list_ends(size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the offsets of concatenated lists of some sizes.

    Parameters
    ----------
    size : int64 array of shape (rows,)

    Returns
    -------
    int64 array of shape (rows + 1,)

    Raises
    ------
    OverflowError
        When there are more values than a column of lists can hold.

    Examples
    --------
    >>> list_ends(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    ends = np.concatenate([[0], np.cumsum(size, dtype=np.int64)])
    if ends[-1] > MOST_VALUES:
        raise OverflowError(
            f"the lists of a partition have {ends[-1]:,} values, but a column holds "
            f"{MOST_VALUES:,}; take shorter frames, or more partitions."
        )
    return ends


def moving_ends(
    offsets: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    k: int,
    *,
    last: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first or the last k rows of each frame.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values, in order.
    k : int
        1 or more.
    last : bool
        Whether to return the last rows instead of the first.

    Returns
    -------
    ends : int64 array of shape (rows + 1,)
        The list of frame i goes from ``ends[i]`` to ``ends[i + 1]``.
    rows : int64 array
        Rows of the partition, in their order.

    Raises
    ------
    OverflowError
        When the lists have more values than a column of lists can hold.

    Examples
    --------
    >>> begin, end = np.array([[0], [0], [2]]), np.array([[2], [3], [2]])
    >>> ends, rows = moving_ends(np.array([0, 3]), begin, end, 1, last=True)
    >>> ends.tolist(), rows.tolist()
    ([0, 1, 2, 2], [1, 2])
    """
    size = np.minimum((end - begin).sum(axis=1), k)
    ends = list_ends(size)
    rows = np.empty(ends[-1], np.int64)
    end_rows.over(offsets, begin, end, ends[:-1], size, last, rows)
    return ends, rows
