"""The values of moving frames in ascending or descending order, and their frequencies.

One list per frame serves several functions: its first k values with repeats are the k least or
greatest, its first k different values are the k least or greatest distinct ones, and the whole list
is a histogram.
"""

import numpy as np

from kernels.core.arrays import Ints, Words
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Matrix, Int64Scratch, Uint32Column, kernel
from kernels.frames.cache_blocks import parts
from kernels.frames.frame_deltas import FEW, only_in, turnover
from kernels.structures.rank_set import add_rank, next_rank, previous_rank, rank_set, remove_rank
from kernels.structures.sort_keys import orders
from kernels.structures.wavelet import ones_before, wavelet
from kernels.windows.distinct.count import moving_count_distinct
from kernels.windows.first_last_k import list_ends


@helper
def put(items: Ints, count: Ints, at: int, stop: int, value: int, times: int, once: bool) -> int:
    """Write a value to a list that ends at ``stop``, and return the position after it.

    Examples
    --------
    >>> items, count = np.zeros(4, np.int64), np.zeros(0, np.int64)
    >>> put(items, count, 1, 3, 7, 5, False)
    3
    >>> items.tolist()
    [0, 7, 7, 0]
    """
    if once:
        items[at], count[at] = value, times
        return at + 1
    after = min(at + times, stop)
    items[at:after] = value
    return after


@kernel
def walk_frequencies(
    number: Int64Column,
    distinct: int,
    begin: Int64Matrix,
    end: Int64Matrix,
    to: Int64Column,
    size: Int64Column,
    greatest: bool,
    once: bool,
    items: Int64Scratch,
    count: Int64Scratch,
) -> None:
    """Follow the frames from row to row, with a set of the values in the frame.

    Parameters
    ----------
    number : int64 array of shape (values,)
        The number of each row's value among the distinct ones in their order, from 0.
    distinct : int
        The number of distinct values.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    to : int64 array of shape (rows,)
        Where the list of each frame begins.
    size : int64 array of shape (rows,)
        The length of each list, at most what the values of the frame can fill.
    greatest : bool
        Whether the list begins with the greatest value instead of the least.
    once : bool
        Whether each value is listed once, instead of as often as it occurs.
    items : int64 array
        Written: the number of each listed value.
    count : int64 array
        Written: how often that value is in the frame. May be empty unless ``once`` is set.

    Notes
    -----
    O(rows that enter or leave + listed values) steps of O(log₃₂ distinct), mostly O(1).

    Source: Wesley and Xu, "Incremental computation of common windowed holistic aggregates" (2016),
    with a set of ranks instead of a list of rows.

    Examples
    --------
    >>> number, items, count = np.array([1, 0, 1]), np.zeros(2, np.int64), np.zeros(2, np.int64)
    >>> frame = np.array([[0]] * 3), np.array([[0], [0], [3]])
    >>> to, size = np.array([0, 0, 0]), np.array([0, 0, 2])
    >>> walk_frequencies(number, 2, *frame, to, size, True, True, items, count)
    >>> items.tolist(), count.tolist()
    ([1, 0], [2, 1])
    """
    # Ranks count from 1, so that there is a rank to start from at either end.
    words, starts = rank_set(distinct + 2)
    inside = np.zeros(distinct + 2, np.int64)
    sides = 2 * begin.shape[1]
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                rank = number[row] + 1
                inside[rank] -= 1
                if inside[rank] == 0:
                    remove_rank(words, starts, rank)  #: Row {row} leaves, the last of its value.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                rank = number[row] + 1
                inside[rank] += 1
                if inside[rank] == 1:
                    add_rank(words, starts, rank)  #: Row {row} enters, the first of its value.
        at, stop, rank = to[i], to[i] + size[i], (distinct + 1) * greatest
        while at < stop:
            if greatest:
                rank = previous_rank(words, starts, rank)
            else:
                rank = next_rank(words, starts, rank)
            value, times = rank - 1, inside[rank]
            at = put(items, count, at, stop, value, times, once)  #: Row {i}: {times} times {value}.


@helper
def open_node(bits: Words, ones: Words, rows: int, greatest: bool, depth: int, walk: Ints) -> int:
    """Replace the node on top of a stack by its children, and return the new top.

    A node of the wavelet matrix is a row of ``walk``: its level, the highest bits of its values,
    and the ranges of rows that have them, first and last of each. The child that comes first in
    the list is on top; a child without rows is omitted.

    Examples
    --------
    >>> bits, ones = wavelet(np.array([2, 0, 3, 1]), 4)
    >>> walk = np.zeros((3, 4), np.int64)
    >>> walk[0] = 0, 0, 0, 3
    >>> open_node(bits, ones, 4, True, 0, walk)
    1
    >>> walk[:2].tolist()
    [[1, 0, 0, 1], [1, 1, 2, 4]]
    """
    level, value = walk[depth, 0], walk[depth, 1]
    split = rows - int(ones[level, -1])
    high = depth + int(greatest)
    low = 2 * depth + 1 - high
    lows, highs = 0, 0
    for p in range(2, walk.shape[1], 2):
        first, last = walk[depth, p], walk[depth, p + 1]
        before = ones_before(bits, ones, level, first)
        within = ones_before(bits, ones, level, last)
        walk[low, p], walk[low, p + 1] = first - before, last - within
        walk[high, p], walk[high, p + 1] = split + before, split + within
        lows, highs = lows + (last - within) - (first - before), highs + within - before
    walk[low, 0], walk[low, 1] = level + 1, 2 * value
    walk[high, 0], walk[high, 1] = level + 1, 2 * value + 1
    if lows > 0 and highs > 0:
        return depth + 1
    if (highs > 0) == greatest:
        walk[depth] = walk[depth + 1]
    return depth


@kernel
def find_frequencies(
    number: Int64Column,
    distinct: int,
    begin: Int64Matrix,
    end: Int64Matrix,
    to: Int64Column,
    size: Int64Column,
    greatest: bool,
    once: bool,
    items: Int64Scratch,
    count: Int64Scratch,
) -> None:
    """List the values of each frame independently, for frames that move in any way.

    Parameters
    ----------
    number, distinct, begin, end, to, size, greatest, once, items, count
        As :func:`walk_frequencies` takes and writes them.

    Notes
    -----
    O((values + different values in the lists · pieces) · log distinct + listed values): a walk down
    the wavelet matrix that opens only nodes with rows of the frame, until the list is full.

    Source: Gagie, Navarro, Puglisi, "New algorithms on wavelet trees and applications to
    information retrieval" (2012), for listing the values of a range.

    Examples
    --------
    >>> number, items, count = np.array([1, 0, 1]), np.zeros(3, np.int64), np.zeros(0, np.int64)
    >>> frame = np.array([[0]]), np.array([[3]])
    >>> to, size = np.array([0]), np.array([3])
    >>> find_frequencies(number, 2, *frame, to, size, False, False, items, count)
    >>> items.tolist()
    [0, 1, 1]
    """
    bits, ones = wavelet(number, distinct)
    walk = np.zeros((len(bits) + 2, 2 + 2 * begin.shape[1]), np.int64)
    for i in range(len(begin)):
        walk[0, :2], depth = 0, 0
        for piece in range(begin.shape[1]):
            walk[0, 2 + 2 * piece], walk[0, 3 + 2 * piece] = begin[i, piece], end[i, piece]
        at, stop = to[i], to[i] + size[i]
        while at < stop:
            if walk[depth, 0] < len(bits):
                depth = open_node(bits, ones, len(number), greatest, depth, walk)
                continue
            value, times = walk[depth, 1], 0
            for p in range(2, walk.shape[1], 2):
                times += walk[depth, p + 1] - walk[depth, p]
            depth -= 1
            at = put(items, count, at, stop, value, times, once)  #: Row {i}: {times} times {value}.


@kernel
def list_frequencies(
    order: Uint32Column,
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    to: Int64Column,
    size: Int64Column,
    greatest: bool,
    once: bool,
    items: Int64Scratch,
    count: Int64Scratch,
) -> None:
    """Write the values of each frame in ascending or descending order.

    Parameters
    ----------
    order : uint32 array of shape (values,)
        The row of each rank; values that no frame has may have any rank.
    key : int64 array of shape (values,)
        Equal where the values are.
    begin, end, to, size, greatest, once, count
        As :func:`walk_frequencies` takes and writes them.
    items : int64 array
        Written: the first row that has each listed value.

    Notes
    -----
    O(values + rows + listed values) steps if frames move little from row to row, else as
    :func:`find_frequencies`.

    Examples
    --------
    >>> order, key = np.array([1, 0, 2], np.uint32), np.array([9, 7, 9])
    >>> frame, items = (np.array([[0]]), np.array([[3]])), np.zeros(2, np.int64)
    >>> to, size, none = np.array([0]), np.array([2]), np.zeros(0, np.int64)
    >>> list_frequencies(order, key, *frame, to, size, True, False, items, none)
    >>> items.tolist()
    [0, 0]
    """
    number, first, distinct = key * 0, key * 0, 0
    for rank in range(len(order)):
        row = int(order[rank])
        if rank == 0 or key[row] != key[order[rank - 1]]:
            first[distinct] = row
            distinct += 1
        number[row] = distinct - 1
        first[distinct - 1] = min(first[distinct - 1], row)
    arguments = to, size, greatest, once, items, count
    if turnover(begin, end) <= FEW * len(begin):
        walk_frequencies(number, distinct, begin, end, *arguments)
    else:
        find_frequencies(number, distinct, begin, end, *arguments)
    for i in range(len(begin)):
        for at in range(to[i], to[i] + size[i]):
            items[at] = first[items[at]]


def moving_extremes(
    offsets: Ints, key: Ints, begin: Ints, end: Ints, k: int, *, greatest: bool, once: bool = False
) -> tuple[Ints, Ints]:
    """Return the rows of the k least or greatest values of each frame, for values of any type.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    key : int64 array of shape (rows,)
        The sort key of the values. If a partition has fewer values than rows, they come first, and
        the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values, in order.
    k : int
        1 or more.
    greatest : bool
        Whether the list begins with the greatest value instead of the least.
    once : bool
        Whether each value is listed once, instead of as often as it occurs.

    Returns
    -------
    ends : int64 array of shape (rows + 1,)
        The list of frame i goes from ``ends[i]`` to ``ends[i + 1]``.
    rows : int64 array
        Rows of the partition with the values: of equal ones, the first of the partition, or of a
        part of a long partition.

    Raises
    ------
    OverflowError
        When the lists have more values than a column of lists can hold.

    Examples
    --------
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> shared = np.array([0, 3]), np.array([7, 9, 9]), begin, end, 2
    >>> ends, rows = moving_extremes(*shared, greatest=True)
    >>> ends.tolist(), rows.tolist()
    ([0, 2, 4, 6], [1, 0, 1, 1, 1, 1])
    """
    size = (end - begin).sum(axis=1)
    if once:
        size = moving_count_distinct(offsets, key, begin, end)
    ends, rows, _ = _lists(offsets, key, begin, end, np.minimum(size, k), greatest, once)
    return ends, rows


def moving_histogram(offsets: Ints, key: Ints, begin: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different values of each frame in ascending order, and their frequencies.

    Parameters
    ----------
    offsets, key, begin, end
        As :func:`moving_extremes` takes them.

    Returns
    -------
    ends : int64 array of shape (rows + 1,)
        The list of frame i goes from ``ends[i]`` to ``ends[i + 1]``.
    rows : int64 array
        Rows of the partition that have the values.
    counts : int64 array

    Raises
    ------
    OverflowError
        When the lists have more values than a column of lists can hold.

    Examples
    --------
    >>> begin, end = np.array([[0], [0], [3]]), np.array([[2], [3], [3]])
    >>> items = moving_histogram(np.array([0, 3]), np.array([9, 7, 9]), begin, end)
    >>> [column.tolist() for column in items]
    [[0, 2, 4, 4], [1, 0, 1, 0], [1, 1, 1, 2]]
    """
    size = moving_count_distinct(offsets, key, begin, end)
    return _lists(offsets, key, begin, end, size, greatest=False, once=True)


def _lists(
    offsets: Ints, key: Ints, begin: Ints, end: Ints, size: Ints, greatest: bool, once: bool
) -> tuple[Ints, Ints, Ints]:
    ends = list_ends(size)
    rows, counts = np.empty(ends[-1], np.int64), np.empty(ends[-1] if once else 0, np.int64)
    for part in parts(offsets, begin, end):
        keys, at = key[part.values], part.rows
        to = ends[:-1][at]
        frames = part.begin, part.end, to, size[at]
        order = orders(part.offsets, keys)
        list_frequencies.over(part.offsets, order, keys, *frames, greatest, once, rows, counts)
        part.to_partition(rows[ends[at.start] : ends[at.stop]])
    return ends, rows, counts
