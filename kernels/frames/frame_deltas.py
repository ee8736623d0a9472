"""How frames move from row to row: the rows that leave and enter, and an order of visits."""

import numpy as np

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Matrix, Uint32Column, kernel
from kernels.structures.order import sort_entries

NONE = -1
#: Frames are visited in order of rows if they exchange at most this many rows per row on average.
FEW = 16


@helper
def only_in(begin: Ints, end: Ints, one: int, other: int, side: int) -> tuple[int, int]:
    """Return the rows that one frame has and another does not, as a half-open range.

    Piece ``side // 2`` of one frame is compared with the same piece of the other: even sides give
    the rows before it, odd sides those after it. Frame -1 is empty.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[2], [4]]), np.array([[7], [9]])
    >>> [range(*only_in(begin, end, 0, 1, side)) for side in (0, 1)]
    [range(2, 4), range(9, 7)]
    """
    piece = side >> 1
    if one == NONE or (other == NONE and side & 1):
        return 0, 0
    if other == NONE:
        return begin[one, piece], end[one, piece]
    if side & 1:
        return max(begin[one, piece], end[other, piece]), end[one, piece]
    return begin[one, piece], min(end[one, piece], begin[other, piece])


@helper
def longest(begin: Ints, end: Ints) -> int:
    """Return the number of rows of the longest frame, for frames of one piece.

    Examples
    --------
    >>> import numpy as np
    >>> longest(np.array([[2], [8]]), np.array([[7], [9]]))
    5
    """
    most = 0
    for i in range(len(begin)):
        most = max(most, int(end[i, 0] - begin[i, 0]))
    return most


@helper
def frame_size(begin: Ints, end: Ints, i: int) -> int:
    """Return how many rows a frame has.

    Examples
    --------
    >>> import numpy as np
    >>> int(frame_size(np.array([[2, 8]]), np.array([[7, 9]]), 0))
    6
    """
    size = 0
    for piece in range(begin.shape[1]):
        size += end[i, piece] - begin[i, piece]
    return size


@kernel
def turnover(begin: Int64Matrix, end: Int64Matrix) -> int:
    """Return how many rows leave and enter in all, from the first frame to the last.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges.

    Returns
    -------
    int

    Notes
    -----
    O(rows). At most 2 · rows per piece when frames never move back.

    Examples
    --------
    >>> import numpy as np
    >>> turnover(np.array([[0], [1]]), np.array([[3], [4]]))
    5
    """
    total = 0
    for i in range(len(begin)):
        for side in range(2 * begin.shape[1]):
            first, last = only_in(begin, end, i - 1, i, side)
            total += max(last - first, 0)
            first, last = only_in(begin, end, i, i - 1, side)
            total += max(last - first, 0)
    return total


@kernel
def frames_slide(begin: Int64Matrix, end: Int64Matrix) -> int:
    """Return 1 if frames only move forward, else 0.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges.

    Returns
    -------
    int
        1 if frames have one piece, and from one non-empty frame to the next neither end moves
        back.

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> import numpy as np
    >>> frames_slide(np.array([[0], [1]]), np.array([[3], [3]]))
    1
    """
    if begin.shape[1] > 1:
        return 0
    low, high = 0, 0
    for i in range(len(begin)):
        if begin[i, 0] < end[i, 0]:
            if begin[i, 0] < low or end[i, 0] < high:
                return 0
            low, high = begin[i, 0], end[i, 0]
    return 1


@kernel
def visit_order(begin: Int64Matrix, end: Int64Matrix, visit: Uint32Column) -> int:
    """Write an order of visits in which few rows leave and enter from one frame to the next.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges.
    visit : uint32 array of shape (rows,)
        Written: the rows in their own order if that is good enough, else in Mo's order: in strips
        of frames whose begins are close, and within each strip by their ends, alternately ascending
        and descending.

    Returns
    -------
    int
        1 if the rows are visited in their own order, else 0.

    Notes
    -----
    O(rows), with a radix sort. In Mo's order O(√rows) rows leave and enter from frame to frame, and
    those of the holes that EXCLUDE makes.

    Source: Mo's algorithm for offline range queries.

    Examples
    --------
    >>> import numpy as np
    >>> visit = np.zeros(3, np.uint32)
    >>> visit_order(np.array([[0], [1], [2]]), np.array([[2], [3], [4]]), visit)
    1
    >>> visit.tolist()
    [0, 1, 2]
    """
    for i in range(len(begin)):
        visit[i] = i
    if turnover(begin, end) <= FEW * len(begin):
        return 1
    most = end.max()
    strip = max(int(most / np.sqrt(len(begin))), 1)
    place = np.zeros(len(begin), np.int64)
    for i in range(len(begin)):
        low, high = most, 0
        for piece in range(begin.shape[1]):
            if begin[i, piece] < end[i, piece]:
                low, high = min(low, begin[i, piece]), max(high, end[i, piece])
        number = low // strip
        place[i] = (number << 32) + (high if number % 2 == 0 else -high)
    sort_entries(place, visit)
    return 0
