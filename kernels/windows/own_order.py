"""Frames whose rows are evaluated in another order than that of the window: ``rank(ORDER BY x)``.

Each row of a partition has a place in that other order, from 0. The functions count the rows of a
frame before a place, and find the nth place in a frame.

Source: Vogelsgesang et al., "Efficient evaluation of arbitrarily-framed holistic SQL aggregates and
window functions" (2022), with a wavelet matrix instead of a merge sort tree.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Int64Matrix, kernel
from kernels.frames.frame_deltas import frame_size
from kernels.structures.wavelet import count_below, kth_smallest, wavelet

NONE = -1


@kernel
def count_before(
    place: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    limit: Int64Column,
    before: Int64Column,
) -> None:
    """Write how many rows of each frame come before a place.

    Parameters
    ----------
    place : int64 array of shape (values,)
        The place of each value, from 0, all different; values that no frame has are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    limit : int64 array of shape (rows,)
        The place to compare with, for each row.
    before : int64 array of shape (rows,)
        Written.

    Notes
    -----
    O((values + rows · pieces) · log values).

    Examples
    --------
    >>> begin, end, before = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2, np.int64)
    >>> count_before(np.array([2, 0, 1]), begin, end, np.array([2, 2]), before)
    >>> before.tolist()
    [1, 2]
    """
    rows = len(place)
    bits, ones = wavelet(place, rows)
    for i in range(len(begin)):
        found = 0
        for piece in range(begin.shape[1]):
            found += count_below(bits, ones, rows, begin[i, piece], end[i, piece], limit[i])
        before[i] = found  #: {found} rows of the frame of row {i} come before place {limit[i]}.


@kernel
def nth_in_order(
    place: Int64Column, begin: Int64Matrix, end: Int64Matrix, nth: Int64Column, found: Int64Column
) -> None:
    """Write the place of the nth row of each frame, from the first one or from the last.

    Parameters
    ----------
    place, begin, end : arrays
        As :func:`count_before` takes them.
    nth : int64 array of shape (rows,)
        1 is the first row, 2 the second; -1 is the last row, -2 the one before it; 0 is no row.
    found : int64 array of shape (rows,)
        Written: a place, or -1 if the frame has no such row.

    Notes
    -----
    O((values + rows · pieces) · log values).

    Examples
    --------
    >>> begin, end, found = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2, np.int64)
    >>> nth_in_order(np.array([2, 0, 1]), begin, end, np.array([2, -2]), found)
    >>> found.tolist()
    [2, 1]
    """
    rows, pieces = len(place), begin.shape[1]
    bits, ones = wavelet(place, rows)
    first, last = np.zeros(pieces, np.int64), np.zeros(pieces, np.int64)
    for i in range(len(begin)):
        size = frame_size(begin, end, i)
        index = nth[i] - 1 if nth[i] > 0 else size + nth[i]
        at = NONE
        if nth[i] != 0 and 0 <= index < size:
            first[:], last[:] = begin[i], end[i]
            at = kth_smallest(bits, ones, rows, first, last, index)
        found[i] = at  #: Number {nth[i]} of {size} rows of the frame of row {i} stands at {at}.


def rows_before(
    offsets: NDArray[np.int64],
    place: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    limit: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many rows of each frame come before a place.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    place : int64 array of shape (rows,)
        The place of each value among all rows of its partition, from 0. If a partition has fewer
        values than rows, they come first, and the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values.
    limit : int64 array of shape (rows,)

    Returns
    -------
    int64 array of shape (rows,)

    Examples
    --------
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> place = np.array([2, 0, 1])
    >>> rows_before(np.array([0, 3]), place, begin, end, place).tolist()
    [1, 0, 1]
    """
    before = np.zeros(len(begin), np.int64)
    count_before.over(offsets, place, begin, end, limit, before)
    return before


def nth_places(
    offsets: NDArray[np.int64],
    place: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    nth: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the place of the nth row of each frame, or -1.

    Parameters
    ----------
    offsets, place, begin, end
        As :func:`rows_before` takes them.
    nth : int64 array of shape (rows,)
        1, 2, ... count from the first row, -1, -2, ... from the last; 0 is no row.

    Returns
    -------
    int64 array of shape (rows,)

    Examples
    --------
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> place, nth = np.array([2, 0, 1]), np.array([1, -1, 3])
    >>> nth_places(np.array([0, 3]), place, begin, end, nth).tolist()
    [0, 2, -1]
    """
    found = np.zeros(len(begin), np.int64)
    nth_in_order.over(offsets, place, begin, end, nth, found)
    return found
