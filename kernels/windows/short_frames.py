"""Quantiles of frames of a few rows: the rows of a frame are kept sorted by moving them along."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import (
    Float64Matrix,
    Float64Scratch,
    Int64Column,
    Int64Matrix,
    Int64Scratch,
    kernel,
)
from kernels.frames.frame_deltas import only_in
from kernels.windows.quantile_places import NONE, target

#: The most rows of a frame that is kept sorted; with more, finding places takes longer than ranks.
LONGEST = 32


@helper
def take_out(rows: NDArray[np.int64], size: int, row: int) -> None:
    """Take a row out of the sorted rows of a frame.

    Examples
    --------
    >>> rows = np.array([7, 5, 6])
    >>> take_out(rows, 3, 5)
    >>> rows[:2].tolist()
    [7, 6]
    """
    place = 0
    while rows[place] != row:
        place += 1
    for above in range(place, size - 1):
        rows[above] = rows[above + 1]


@helper
def put_in(rows: NDArray[np.int64], size: int, key: NDArray[np.int64], row: int) -> None:
    """Put a row at its place among the sorted rows of a frame.

    Examples
    --------
    >>> rows, key = np.array([2, 0, 0]), np.array([30, 20, 10])
    >>> put_in(rows, 2, key, 1)
    >>> rows.tolist()
    [2, 1, 0]
    """
    place, new = size, key[row]
    while place > 0:
        other = rows[place - 1]
        if key[other] < new or (key[other] == new and other < row):
            break
        rows[place] = other
        place -= 1
    rows[place] = row


@kernel
def insert_quantiles(
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    q: Float64Scratch,
    billionths: Int64Scratch,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
) -> None:
    """Keep the rows of a short frame sorted, and read the quantiles at their places.

    Parameters
    ----------
    key : int64 array of shape (values,)
        What the values are ordered by, equal ones by their rows.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, of no more than
        :data:`LONGEST` rows together.
    q, billionths, low, high, fraction : arrays
        As :func:`kernels.windows.quantile.walk_quantiles` takes and writes them.

    Notes
    -----
    O(rows that enter or leave · rows of a frame + rows · quantiles): an insertion sort that goes on
    from frame to frame (Knuth, The Art of Computer Programming 3, section 5.2.1). The values as a
    whole are never sorted.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [1]]), np.array([[2], [3]])
    >>> low, high, fraction = np.zeros((3, 2, 1))
    >>> low, high = low.astype(np.int64), high.astype(np.int64)
    >>> median = np.array([0.5]), np.array([-1])
    >>> insert_quantiles(np.array([30, 40, 20]), begin, end, *median, low, high, fraction)
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[0], [2]], [[1], [1]], [[0.5], [0.5]])
    """
    rows, size = np.zeros(LONGEST, np.int64), 0
    sides = 2 * begin.shape[1]
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                take_out(rows, size, row)
                size -= 1  #: Row {row} leaves, and those above it move down.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                put_in(rows, size, key, row)
                size += 1  #: Row {row} enters at its place among {size}.
        for k in range(len(q)):
            low[i, k], high[i, k], fraction[i, k] = NONE, NONE, 0.0
            if size > 0:
                index, above, part = target(size, q[k], billionths[k])
                low[i, k], high[i, k] = rows[index], rows[above]
                fraction[i, k] = part  #: The quantile {q[k]} of {size} rows is at place {index}.
