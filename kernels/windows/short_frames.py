"""Quantiles of frames of a few rows, which are kept sorted by insertion."""

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

#: The most rows of a frame that is kept sorted; with more, insertion is slower than ranks.
LONGEST = 32


@helper
def remove_row(rows: NDArray[np.int64], size: int, row: int) -> None:
    """Remove a row from the sorted rows of a frame.

    Examples
    --------
    >>> rows = np.array([7, 5, 6])
    >>> remove_row(rows, 3, 5)
    >>> rows[:2].tolist()
    [7, 6]
    """
    position = 0
    while rows[position] != row:
        position += 1
    for above in range(position, size - 1):
        rows[above] = rows[above + 1]


@helper
def insert_row(rows: NDArray[np.int64], size: int, key: NDArray[np.int64], row: int) -> None:
    """Insert a row into the sorted rows of a frame.

    Examples
    --------
    >>> rows, key = np.array([2, 0, 0]), np.array([30, 20, 10])
    >>> insert_row(rows, 2, key, 1)
    >>> rows.tolist()
    [2, 1, 0]
    """
    position, new = size, key[row]
    while position > 0:
        other = rows[position - 1]
        if key[other] < new or (key[other] == new and other < row):
            break
        rows[position] = other
        position -= 1
    rows[position] = row


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
    """Keep the rows of a short frame sorted, and read the quantiles at their positions.

    Parameters
    ----------
    key : int64 array of shape (values,)
        The sort key of the values; equal keys are ordered by row.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, of no more than
        :data:`LONGEST` rows together.
    q, billionths, low, high, fraction : arrays
        As :func:`kernels.windows.quantile.walk_quantiles` takes and writes them.

    Notes
    -----
    O(rows that enter or leave · rows of a frame + rows · quantiles): an insertion sort that
    continues from frame to frame (Knuth, The Art of Computer Programming 3, section 5.2.1). The
    values as a whole are never sorted.

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
                remove_row(rows, size, row)
                size -= 1  #: Row {row} leaves, and those above it move down.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                insert_row(rows, size, key, row)
                size += 1  #: Row {row} enters at its place among {size}.
        for k in range(len(q)):
            low[i, k], high[i, k], fraction[i, k] = NONE, NONE, 0.0
            if size > 0:
                index, above, part = target(size, q[k], billionths[k])
                low[i, k], high[i, k] = rows[index], rows[above]
                fraction[i, k] = part  #: The quantile {q[k]} of {size} rows is at place {index}.
