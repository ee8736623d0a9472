"""The most frequent value of a moving frame; of several, the one that appears first."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Matrix, Uint32Column, kernel
from kernels.frames.cache_blocks import parts
from kernels.frames.frame_deltas import only_in, visit_order
from kernels.structures.sort_keys import link_equals, sort_keys

NONE = -1


@helper
def replay(winner: Ints, count: Ints, first: Ints, value: int) -> None:
    """Replay the matches of one value in a knockout tournament, as far as the result can change.

    Node n of the tournament has the better of the winners of nodes 2 n and 2 n + 1, and the values
    are its leaves. O(log values), and mostly one or two matches.

    Examples
    --------
    >>> winner, first = np.array([0, 0, 0, 1]), np.array([0, 1])
    >>> replay(winner, np.array([1, 2]), first, 1)
    >>> int(winner[1])
    1
    """
    node = (value + len(count)) >> 1
    while node > 0:
        a, b = winner[2 * node], winner[2 * node + 1]
        better = a
        if count[b] > count[a] or (count[b] == count[a] and first[b] < first[a]):
            better = b
        if better == winner[node] and better != value:
            break
        winner[node] = better
        node >>= 1


@kernel
def walk_mode(
    number: Int64Column,
    following: Int64Column,
    distinct: int,
    begin: Int64Matrix,
    end: Int64Matrix,
    visit: Uint32Column,
    result: Int64Column,
) -> None:
    """Follow the frames with a tournament of the values, which the most frequent one wins.

    Parameters
    ----------
    number : int64 array of shape (values,)
        The number of each row's value among the distinct ones, from 0.
    following : int64 array of shape (values,)
        The nearest row after each that has its value, or -1.
    distinct : int
        The number of distinct values.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    visit : uint32 array of shape (rows,)
        The order of visiting the frames.
    result : int64 array of shape (rows,)
        Written: the first row in the frame with its most frequent value, -1 for an empty frame.

    Notes
    -----
    O((values + rows that enter or leave) · log distinct), mostly without the logarithm.

    Source: Wesley and Xu, "Incremental computation of common windowed holistic aggregates" (2016),
    with a tournament instead of a search of all counts.

    Examples
    --------
    >>> import numpy as np
    >>> number, following = np.array([0, 1, 1]), np.array([-1, 2, -1])
    >>> begin, end, result = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2, np.int64)
    >>> visit = np.array([0, 1], np.uint32)
    >>> walk_mode(number, following, 2, begin, end, visit, result)
    >>> result.tolist()
    [0, 1]
    """
    count, first = np.zeros(distinct, np.int64), np.zeros(distinct, np.int64)
    winner = np.arange(2 * distinct) - distinct
    for node in range(distinct - 1, 0, -1):
        winner[node] = winner[2 * node]
    inside = np.zeros(len(number), np.uint8)
    sides, before = 2 * begin.shape[1], NONE
    for now in visit:
        i = int(now)
        for side in range(sides):
            low, high = only_in(begin, end, before, i, side)
            for row in range(low, high):
                value, inside[row] = number[row], 0
                count[value] -= 1
                if count[value] > 0 and first[value] == row:
                    at = following[row]
                    while inside[at] == 0:
                        at = following[at]
                    first[value] = at
                replay(winner, count, first, value)  #: Row {row} leaves: value {value} plays again.
        for side in range(sides):
            low, high = only_in(begin, end, i, before, side)
            for row in range(low, high):
                value, inside[row] = number[row], 1
                if count[value] == 0 or row < first[value]:
                    first[value] = row
                count[value] += 1
                replay(winner, count, first, value)  #: Row {row} enters: value {value} plays again.
        best, before = winner[1], i
        result[i] = first[best] if count[best] > 0 else NONE  #: Value {best} wins for row {i}.


@kernel
def mode_rows(
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Int64Column,
) -> None:
    """Write the first row of each frame with the frame's most frequent value.

    Parameters
    ----------
    key : int64 array of shape (values,)
        Equal for equal values. Values that no frame has are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    result : int64 array of shape (rows,)
        Written: a row of the values, -1 for an empty frame.

    Notes
    -----
    O((values + rows) · log distinct) if frames move little from row to row; for any frames
    O(rows · √values · log distinct), in Mo's order. No structure with less than about √values per
    query is known for the mode.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end, result = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2, np.int64)
    >>> mode_rows(np.array([9, 7, 7]), begin, end, result)
    >>> result.tolist()
    [0, 1]
    """
    number, previous, following = key * 0, key * 0, key * 0
    visit = np.zeros(len(begin), np.uint32)
    if len(begin) > 0:
        distinct = link_equals(key, number, previous, following)
        visit_order(begin, end, visit)
        walk_mode(number, following, distinct, begin, end, visit, result)


def moving_mode(
    offsets: Ints,
    values: NDArray[np.number],
    begin: Ints,
    end: Ints,
) -> Ints:
    """Return the row of each frame's most frequent value, for values of any type.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    values : integer or float array of shape (rows,)
        For another type, numbers that are equal for equal values. If a partition has fewer values
        than rows, they come first, and the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values.

    Returns
    -------
    int64 array of shape (rows,)
        The first row in the frame with its mode, among the partition's values; of several equally
        frequent values, the one that appears first. -1 for an empty frame.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [1]])
    >>> moving_mode(np.array([0, 3]), np.array([9, 7, 7]), begin, end).tolist()
    [0, 1, -1]
    """
    key, result = sort_keys(values), np.zeros(len(begin), np.int64)
    for part in parts(offsets, begin, end):
        rows = result[part.rows]
        mode_rows.over(part.offsets, key[part.values], part.begin, part.end, rows)
        part.to_partition(rows)
    return result
