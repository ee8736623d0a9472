"""The number of distinct values of moving frames."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Matrix, kernel
from kernels.frames.cache_blocks import parts
from kernels.frames.frame_deltas import FEW, only_in, turnover
from kernels.structures.sort_keys import link_equals, sort_keys
from kernels.structures.wavelet import count_below, wavelet


@kernel
def walk_distinct(
    number: Int64Column, begin: Int64Matrix, end: Int64Matrix, result: Int64Column
) -> None:
    """Follow the frames from row to row, and count how often each value is in the frame.

    Parameters
    ----------
    number : int64 array of shape (values,)
        The number of each row's value among the distinct ones, from 0.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    result : int64 array of shape (rows,)
        Written: the number of distinct values of each frame.

    Notes
    -----
    O(values + rows that enter or leave).

    Source: Wesley and Xu, "Incremental computation of common windowed holistic aggregates" (2016).

    Examples
    --------
    >>> import numpy as np
    >>> result = np.zeros(2, np.int64)
    >>> walk_distinct(np.array([0, 0, 1]), np.array([[0], [1]]), np.array([[2], [3]]), result)
    >>> result.tolist()
    [1, 2]
    """
    count = np.zeros(len(number), np.int64)
    sides, distinct = 2 * begin.shape[1], 0
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                value = number[row]
                count[value] -= 1
                distinct -= count[value] == 0  #: Row {row} leaves: {distinct} values are left.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                value = number[row]
                count[value] += 1
                distinct += count[value] == 1  #: Row {row} enters: there are {distinct} values.
        result[i] = distinct  #: Row {i}: {distinct} distinct values.


@helper
def in_frame(begin: NDArray[np.int64], end: NDArray[np.int64], i: int, row: int) -> bool:
    """Return whether a row is in a frame.

    Examples
    --------
    >>> bool(in_frame(np.array([[0, 5]]), np.array([[2, 9]]), 0, 3))
    False
    """
    inside = False
    for piece in range(begin.shape[1]):
        inside |= begin[i, piece] <= row < end[i, piece]
    return inside


@helper
def hull(begin: NDArray[np.int64], end: NDArray[np.int64], i: int) -> tuple[int, int]:
    """Return the range of rows from the first of a frame to its last, empty for an empty frame.

    Examples
    --------
    >>> hull(np.array([[4, 7]]), np.array([[4, 9]]), 0) == (7, 9)
    True
    """
    low, high = 0, 0
    for piece in range(begin.shape[1]):
        if begin[i, piece] < end[i, piece]:
            if high == 0:
                low = begin[i, piece]
            high = end[i, piece]
    return low, high


@helper
def only_in_holes(
    following: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64], i: int, row: int
) -> bool:
    """Return whether a row and all later rows with its value up to the frame's end are in holes.

    Examples
    --------
    >>> following = np.array([-1, 2, -1])
    >>> only_in_holes(following, np.array([[0, 2]]), np.array([[1, 3]]), 0, 1)
    False
    """
    _, high = hull(begin, end, i)
    while 0 <= row < high:
        if in_frame(begin, end, i, row):
            return False
        row = following[row]
    return True


@kernel
def find_distinct(
    previous: Int64Column,
    following: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Int64Column,
) -> None:
    """Count the distinct values of each frame independently, for frames that move in any way.

    Parameters
    ----------
    previous, following : int64 arrays of shape (values,)
        The nearest rows before and after each that have its value, or -1.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, in order.
    result : int64 array of shape (rows,)
        Written: the number of distinct values of each frame.

    Notes
    -----
    O((values + rows) · log values + rows in holes). A value is counted at its first row: the one
    whose previous row with that value is not in the frame.

    Source: Vogelsgesang et al., "Efficient evaluation of arbitrarily-framed holistic SQL
    aggregates and window functions" (2022), with a wavelet matrix instead of a merge sort tree.

    Examples
    --------
    >>> import numpy as np
    >>> previous, following = np.array([-1, 0, -1]), np.array([1, -1, -1])
    >>> begin, end, result = np.array([[0], [1]]), np.array([[2], [3]]), np.zeros(2, np.int64)
    >>> find_distinct(previous, following, begin, end, result)
    >>> result.tolist()
    [1, 2]
    """
    bits, ones = wavelet(previous + 1, len(previous))
    for i in range(len(begin)):
        low, high = hull(begin, end, i)
        distinct = count_below(bits, ones, len(previous), low, high, low + 1)
        lost, at = 0, low
        for piece in range(begin.shape[1]):
            if begin[i, piece] < end[i, piece]:
                for row in range(at, begin[i, piece]):
                    lost += previous[row] < low and only_in_holes(following, begin, end, i, row)
                at = end[i, piece]
        result[i] = distinct - lost  #: Of {distinct} values, {lost} are only in holes.


@kernel
def count_distinct(
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Int64Column,
) -> None:
    """Count the distinct values of each frame.

    Parameters
    ----------
    key : int64 array of shape (values,)
        Equal for equal values. Values that no frame has are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, in order.
    result : int64 array of shape (rows,)
        Written: the number of distinct values of each frame.

    Notes
    -----
    O(values + rows) if frames move little from row to row, else as :func:`find_distinct`.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end, result = np.array([[0], [1]]), np.array([[2], [3]]), np.zeros(2, np.int64)
    >>> count_distinct(np.array([7, 7, 9]), begin, end, result)
    >>> result.tolist()
    [1, 2]
    """
    number, previous, following = key * 0, key * 0, key * 0
    link_equals(key, number, previous, following)
    if turnover(begin, end) <= FEW * len(begin):
        walk_distinct(number, begin, end, result)
    else:
        find_distinct(previous, following, begin, end, result)


def moving_count_distinct(
    offsets: NDArray[np.int64],
    values: NDArray[np.number],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many distinct values each frame has.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    values : integer or float array of shape (rows,)
        For another type, numbers that are equal for equal values. If a partition has fewer values
        than rows, they come first, and the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values, in order.

    Returns
    -------
    int64 array of shape (rows,)

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> moving_count_distinct(np.array([0, 3]), np.array([7, 7, 9]), begin, end).tolist()
    [1, 2, 2]
    """
    key, result = sort_keys(values), np.zeros(len(begin), np.int64)
    for part in parts(offsets, begin, end):
        column = key[part.values]
        count_distinct.over(part.offsets, column, part.begin, part.end, result[part.rows])
    return result
