"""Quantiles of the distinct values of moving frames: each value counts once."""

from collections.abc import Sequence

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.core.arrays import Ints, Words
from kernels.core.kernel import (
    Float64Matrix,
    Float64Scratch,
    Int64Column,
    Int64Matrix,
    Int64Scratch,
    Uint32Column,
    kernel,
)
from kernels.frames.frame_deltas import only_in, visit_order
from kernels.structures.rank_set import add_rank, next_rank, rank_set, remove_rank, walk
from kernels.structures.sort_keys import orders
from kernels.windows.quantile import count_below_fingers
from kernels.windows.quantile_places import INTERPOLATE, in_billionths, target

NONE = -1


@register_jitable
def dense_ranks(order: Words, key: Ints) -> tuple[Ints, Ints]:
    """Return the rank of each row's value among the distinct ones, and the first row of each rank.

    Examples
    --------
    >>> [a.tolist() for a in dense_ranks(np.array([2, 0, 1], np.uint32), np.array([5, 5, 4]))]
    [[1, 1, 0], [2, 0, 0]]
    """
    rank, row_of, distinct = np.zeros(len(key), np.int64), np.zeros(len(key), np.int64), 0
    for i in range(len(key)):
        row = int(order[i])
        new = i > 0 and key[row] != key[order[i - 1]]
        distinct += new
        # The first row, as the last may be one that no frame has.
        row_of[distinct] = row if i == 0 or new else min(row, row_of[distinct])
        rank[row] = distinct
    return rank, row_of


@register_jitable
def enter(words: Words, starts: Ints, count: Ints, at: int) -> int:
    """Count a row of a rank; return 1 if it is the first, and the rank enters the set.

    Examples
    --------
    >>> words, starts = rank_set(9)
    >>> count = np.zeros(9, np.int64)
    >>> [enter(words, starts, count, 3), enter(words, starts, count, 3)]
    [1, 0]
    """
    count[at] += 1
    if count[at] > 1:
        return 0
    add_rank(words, starts, at)
    return 1


@register_jitable
def leave(words: Words, starts: Ints, count: Ints, at: int) -> int:
    """Remove a row of a rank; return 1 if it was the last, and the rank leaves the set.

    Examples
    --------
    >>> words, starts = rank_set(9)
    >>> count = np.zeros(9, np.int64)
    >>> [enter(words, starts, count, 3), leave(words, starts, count, 3)]
    [1, 1]
    """
    count[at] -= 1
    if count[at] > 0:
        return 0
    remove_rank(words, starts, at)
    return 1


@kernel
def distinct_quantiles(
    order: Uint32Column,
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    q: Float64Scratch,
    billionths: Int64Scratch,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
) -> None:
    """Follow the frames, with one finger per quantile on the sorted distinct values.

    Parameters
    ----------
    order : uint32 array of shape (values,)
        The row of each rank; values that no frame has may have any rank.
    key : int64 array of shape (values,)
        Equal for equal values.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    q, billionths, low, high, fraction : arrays
        As :func:`kernels.windows.quantile.walk_quantiles` takes and writes them.

    Notes
    -----
    O(quantiles · (values + rows + rows that enter or leave)) steps of O(log₃₂ values): a value
    enters with its first row and leaves with its last. Frames that move far are visited in Mo's
    order, in which O(√values) rows enter and leave a frame.

    Source: Wesley and Xu, "Incremental computation of common windowed holistic aggregates" (2016),
    with a set of ranks instead of a list of rows.

    Examples
    --------
    >>> order, key = np.array([2, 0, 1], np.uint32), np.array([5, 5, 4])
    >>> begin, end = np.array([[0], [0]]), np.array([[2], [3]])
    >>> low, high, fraction = np.zeros((3, 2, 1))
    >>> low, high = low.astype(np.int64), high.astype(np.int64)
    >>> median = np.array([0.5]), np.array([-1])
    >>> distinct_quantiles(order, key, begin, end, *median, low, high, fraction)
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[0], [2]], [[0], [0]], [[0.0], [0.5]])
    """
    rank, row_of = dense_ranks(order, key)
    words, starts = rank_set(len(key))
    count, visit = np.zeros(len(key), np.int64), np.zeros(len(begin), np.uint32)
    finger, below = np.zeros(len(q), np.int64), np.zeros(len(q), np.int64)
    sides, size, before = 2 * begin.shape[1], 0, NONE
    visit_order(begin, end, visit)
    for now in visit:
        i = int(now)
        for side in range(sides):
            first, last = only_in(begin, end, before, i, side)
            for row in range(first, last):
                size -= leave(words, starts, count, rank[row])
                if count[rank[row]] == 0:
                    count_below_fingers(below, finger, rank[row], -1)  #: Rank {rank[row]} is free.
        for side in range(sides):
            first, last = only_in(begin, end, i, before, side)
            for row in range(first, last):
                size += enter(words, starts, count, rank[row])
                if count[rank[row]] == 1:
                    count_below_fingers(below, finger, rank[row], 1)  #: Rank {rank[row]} is taken.
        before = i
        low[i], high[i], fraction[i] = NONE, NONE, 0.0
        for k in range(len(q) if size > 0 else 0):
            index, above, part = target(size, q[k], billionths[k])
            at = walk(words, starts, finger[k], below[k], index)
            finger[k], below[k] = at, index
            low[i, k], fraction[i, k] = row_of[at], part  #: The finger for {q[k]} is at rank {at}.
            high[i, k] = row_of[next_rank(words, starts, at)] if above > index else row_of[at]


def find_distinct_quantile_rows(
    offsets: Ints,
    key: Ints,
    begin: Ints,
    end: Ints,
    q: Sequence[float],
    *,
    discrete: bool = False,
) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Return the rows around each quantile of the distinct values of each frame.

    Parameters
    ----------
    offsets, key, begin, end, q, discrete
        As :func:`kernels.windows.quantile.find_quantile_rows` takes them.

    Returns
    -------
    low, high : int64 arrays of shape (rows, quantiles)
        The first rows of the partition with the values, whether in the frame or not; -1 for an
        empty frame.
    fraction : float64 array of shape (rows, quantiles)
        The quantile's fraction of the way from the low value to the high one.

    Examples
    --------
    >>> key, begin = np.array([8, 8, 5]), np.zeros((3, 1), np.int64)
    >>> end = np.array([[0], [2], [3]])
    >>> low, high, part = find_distinct_quantile_rows(np.array([0, 3]), key, begin, end, [0.5])
    >>> [key[rows[1:, 0]].tolist() for rows in (low, high)], part.ravel().tolist()
    ([[8, 5], [8, 8]], [0.0, 0.0, 0.5])
    """
    shape = len(begin), len(q)
    low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)
    fraction = np.empty(shape, np.float64)
    billionths = [in_billionths(quantile) if discrete else INTERPOLATE for quantile in q]
    quantiles = np.array(q, np.float64), np.array(billionths, np.int64)
    order = orders(offsets, key)
    distinct_quantiles.over(offsets, order, key, begin, end, *quantiles, low, high, fraction)
    return low, high, fraction
