"""Quantiles of moving frames: fingers that move with the frame, or a wavelet matrix for any frame.

Frames of a few rows are a third case: :mod:`kernels.windows.short_frames` keeps each one sorted.
All return rows instead of values: the rows of the values below and above the quantile, and its
fraction of the way between them. So one kernel serves every ordered type, and the caller
interpolates as the type requires: :func:`moving_quantile` does so for numbers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import (
    Float64Column,
    Float64Matrix,
    Float64Scratch,
    Int64Column,
    Int64Matrix,
    Int64Scratch,
    Uint32Column,
    kernel,
)
from kernels.frames.cache_blocks import CacheBlock, parts
from kernels.frames.frame_deltas import FEW, frame_size, only_in, turnover
from kernels.structures.rank_set import add_rank, next_rank, rank_set, remove_rank, walk
from kernels.structures.sort_keys import orders, sort_keys
from kernels.structures.wavelet import kth_smallest, wavelet
from kernels.windows.quantile_places import INTERPOLATE, NONE, in_billionths, target
from kernels.windows.short_frames import LONGEST, insert_quantiles

#: Up to this many values, fingers are as fast in frames of a few rows as keeping these sorted.
FEW_VALUES = 1_024


@helper
def count_below_fingers(
    below: NDArray[np.int64], finger: NDArray[np.int64], at: int, count: int
) -> None:
    """Add to the number of ranks below each finger, if the finger is above a rank.

    Examples
    --------
    >>> below = np.zeros(2, np.int64)
    >>> count_below_fingers(below, np.array([3, 7]), 5, 1)
    >>> below.tolist()
    [0, 1]
    """
    for k in range(len(finger)):
        below[k] += count * (at < finger[k])


@kernel
def walk_quantiles(
    order: Uint32Column,
    rank: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    q: Float64Scratch,
    billionths: Int64Scratch,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
) -> None:
    """Follow the frames from row to row, with one finger per quantile on the sorted values.

    Parameters
    ----------
    order : uint32 array of shape (values,)
        The row of each rank.
    rank : int64 array of shape (values,)
        The rank of each row.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    q : float64 array of shape (quantiles,)
        From 0 to 1.
    billionths : int64 array of shape (quantiles,)
        -1 to interpolate; for a discrete quantile q in billionths, or -2 if that is no integer.
    low, high : int64 arrays of shape (rows, quantiles)
        Written: the rows of the values around the quantile, -1 for an empty frame.
    fraction : float64 array of shape (rows, quantiles)
        Written: the quantile's fraction of the way from the low value to the high one.

    Notes
    -----
    O(quantiles · (rows + rows that enter or leave)) steps of O(log₃₂ values). If the frame has a
    large share of the values, this is mostly one step per quantile: a finger moves no further than
    the frame has changed, 32 ranks at a time. In frames that never move back, each value enters
    once.

    Source: Wesley and Xu, "Incremental computation of common windowed holistic aggregates" (2016),
    with a set of ranks instead of a list of rows.

    Examples
    --------
    >>> import numpy as np
    >>> order, rank = np.array([2, 0, 1], np.uint32), np.array([1, 2, 0])
    >>> begin, end = np.array([[0], [1]]), np.array([[2], [3]])
    >>> low, high, fraction = np.zeros((3, 2, 1))
    >>> low, high = low.astype(np.int64), high.astype(np.int64)
    >>> median = np.array([0.5]), np.array([-1])
    >>> walk_quantiles(order, rank, begin, end, *median, low, high, fraction)
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[0], [2]], [[1], [1]], [[0.5], [0.5]])
    """
    words, starts = rank_set(len(rank))
    finger, below = np.zeros(len(q), np.int64), np.zeros(len(q), np.int64)
    sides, size = 2 * begin.shape[1], 0
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                at = rank[row]
                remove_rank(words, starts, at)
                count_below_fingers(below, finger, at, -1)
                size -= 1  #: Row {row} leaves: rank {at} is free.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                at = rank[row]
                add_rank(words, starts, at)
                count_below_fingers(below, finger, at, 1)
                size += 1  #: Row {row} enters: rank {at} is taken.
        for k in range(len(q)):
            low[i, k], high[i, k], fraction[i, k] = NONE, NONE, 0.0
            if size > 0:
                index, above, part = target(size, q[k], billionths[k])
                at = walk(words, starts, finger[k], below[k], index)
                finger[k], below[k] = at, index
                if above > index:
                    at = next_rank(words, starts, at)
                low[i, k], high[i, k] = order[finger[k]], order[at]
                fraction[i, k] = part  #: The finger for {q[k]} is at rank {finger[k]}.


@kernel
def find_quantiles(
    order: Uint32Column,
    rank: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    q: Float64Scratch,
    billionths: Int64Scratch,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
) -> None:
    """Find the quantiles of each frame independently, for frames that move in any way.

    Parameters
    ----------
    order, rank, begin, end, q, billionths, low, high, fraction : arrays
        As :func:`walk_quantiles` takes and writes them.

    Notes
    -----
    O((values + rows · quantiles · pieces) · log values), 2.5 · values · log values bits.

    Source: Vogelsgesang et al., "Efficient evaluation of arbitrarily-framed holistic SQL
    aggregates and window functions" (2022), with a wavelet matrix instead of a merge sort tree.

    Examples
    --------
    >>> import numpy as np
    >>> order, rank = np.array([2, 0, 1], np.uint32), np.array([1, 2, 0])
    >>> begin, end = np.array([[0, 2]]), np.array([[1, 3]])
    >>> low, high, fraction = np.zeros((3, 1, 1))
    >>> low, high = low.astype(np.int64), high.astype(np.int64)
    >>> largest = np.array([1.0]), np.array([-1])
    >>> find_quantiles(order, rank, begin, end, *largest, low, high, fraction)
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[0]], [[0]], [[0.0]])
    """
    bits, ones = wavelet(rank, len(rank))
    first, last = np.zeros(begin.shape[1], np.int64), np.zeros(begin.shape[1], np.int64)
    for i in range(len(begin)):
        size = frame_size(begin, end, i)
        for k in range(len(q)):
            low[i, k], high[i, k], fraction[i, k] = NONE, NONE, 0.0
            if size > 0:
                index, above, part = target(size, q[k], billionths[k])
                first[:], last[:] = begin[i], end[i]
                at = kth_smallest(bits, ones, len(rank), first, last, index)
                low[i, k], high[i, k] = order[at], order[at]
                if above > index:
                    first[:], last[:] = begin[i], end[i]
                    high[i, k] = order[kth_smallest(bits, ones, len(rank), first, last, above)]
                fraction[i, k] = part  #: Of {size} values, {index} are below rank {at}.


@kernel
def quantile_rows(
    order: Uint32Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    q: Float64Scratch,
    billionths: Int64Scratch,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
) -> None:
    """Write the rows around each quantile of each frame.

    Parameters
    ----------
    order : uint32 array of shape (values,)
        The row of each rank; values that no frame has may have any rank.
    begin, end, q, billionths, low, high, fraction : arrays
        As :func:`walk_quantiles` takes and writes them.

    Notes
    -----
    O(values + rows) steps if frames move little from row to row, as they do unless their bounds
    come from columns; else O((values + rows) · log values).

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [1]]), np.array([[2], [3]])
    >>> low, high, fraction = np.zeros((3, 2, 1))
    >>> low, high = low.astype(np.int64), high.astype(np.int64)
    >>> order, median = np.array([2, 0, 1], np.uint32), (np.array([0.5]), np.array([-1]))
    >>> quantile_rows(order, begin, end, *median, low, high, fraction)
    >>> low.tolist(), high.tolist(), fraction.tolist()
    ([[0], [2]], [[1], [1]], [[0.5], [0.5]])
    """
    rank = np.zeros(len(order), np.int64)
    for i in range(len(order)):
        rank[order[i]] = i
    if turnover(begin, end) <= FEW * len(begin):
        walk_quantiles(order, rank, begin, end, q, billionths, low, high, fraction)
    else:
        find_quantiles(order, rank, begin, end, q, billionths, low, high, fraction)


@kernel
def interpolate(
    value: Float64Column,
    low: Int64Matrix,
    high: Int64Matrix,
    fraction: Float64Matrix,
    result: Float64Matrix,
) -> None:
    """Write the number at a fraction of the way from one row's value to another's.

    Parameters
    ----------
    value : float64 array of shape (values,)
    low, high : int64 arrays of shape (rows, columns)
        Rows of the values, or -1 for none.
    fraction : float64 array of shape (rows, columns)
        From 0 to 1.
    result : float64 array of shape (rows, columns)
        Written: low · (1 - fraction) + high · fraction, and NaN if there is no row.

    Notes
    -----
    O(rows · columns). At fraction 0 it is the low value, infinite ones included.

    Examples
    --------
    >>> import numpy as np
    >>> result = np.zeros((2, 1))
    >>> rows = np.array([[0], [-1]]), np.array([[1], [-1]])
    >>> interpolate(np.array([10.0, 20.0]), *rows, np.array([[0.25], [0.0]]), result)
    >>> result.tolist()
    [[12.5], [nan]]
    """
    for i in range(len(low)):
        for k in range(low.shape[1]):
            result[i, k] = np.nan
            if low[i, k] != NONE:
                result[i, k] = value[low[i, k]]
                if low[i, k] != high[i, k]:
                    part = fraction[i, k]
                    result[i, k] = result[i, k] * (1 - part) + value[high[i, k]] * part


def find_quantile_rows(
    offsets: NDArray[np.int64],
    key: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    q: Sequence[float],
    *,
    discrete: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows around each quantile of each frame, for values of any type.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    key : int64 array of shape (rows,)
        The sort key of the values. If a partition has fewer values than rows, they come first, and
        the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values.
    q : sequence of float
        From 0 to 1.
    discrete : bool
        Whether a quantile is one of the values instead of being interpolated between two.

    Returns
    -------
    low, high : int64 arrays of shape (rows, quantiles)
        Rows of the partition, or -1 for an empty frame.
    fraction : float64 array of shape (rows, quantiles)
        The quantile's fraction of the way from the low value to the high one.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0]]), np.array([[2], [0]])
    >>> rows = find_quantile_rows(np.array([0, 2]), np.array([8, 5]), begin, end, [0.25])
    >>> [column.tolist() for column in rows]
    [[[1], [-1]], [[0], [-1]], [[0.25], [0.0]]]
    """
    shape = len(begin), len(q)
    low, high = np.empty(shape, np.int64), np.empty(shape, np.int64)
    fraction = np.empty(shape, np.float64)
    for part in parts(offsets, begin, end):
        at = part.rows
        low[at], high[at], fraction[at] = _rows_of(part, key[part.values], q, discrete)
        part.to_partition(low[at])
        part.to_partition(high[at])
    return low, high, fraction


def _rows_of(
    part: CacheBlock, key: NDArray[np.int64], q: Sequence[float], discrete: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows around the quantiles, counted from the part's first value."""
    shape = len(part.begin), len(q)
    low, high = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    fraction = np.zeros(shape, np.float64)
    billionths = [in_billionths(quantile) if discrete else INTERPOLATE for quantile in q]
    quantiles = np.array(q, np.float64), np.array(billionths, np.int64)
    if len(key) > FEW_VALUES and (part.end - part.begin).sum(axis=1).max() <= LONGEST:
        arguments = part.begin, part.end, *quantiles
        insert_quantiles.over(part.offsets, key, *arguments, low, high, fraction)
        return low, high, fraction
    order = orders(part.offsets, key)
    quantile_rows.over(part.offsets, order, part.begin, part.end, *quantiles, low, high, fraction)
    return low, high, fraction


def moving_quantile(
    offsets: NDArray[np.int64],
    values: NDArray[np.number],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    q: Sequence[float],
    *,
    discrete: bool = False,
) -> NDArray[np.float64]:
    """Return the quantiles of each frame, for numbers.

    Parameters
    ----------
    offsets, begin, end, q, discrete
        As :func:`find_quantile_rows` takes them.
    values : array of shape (rows,)
        Numbers; NaN counts as the largest.

    Returns
    -------
    float64 array of shape (rows, quantiles)
        NaN for an empty frame.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> moving_quantile(np.array([0, 3]), np.array([3, 1, 8]), begin, end, [0.5, 1]).tolist()
    [[2.0, 3.0], [3.0, 8.0], [4.5, 8.0]]
    """
    value = values.astype(np.float64, copy=False)
    result = np.empty((len(begin), len(q)), np.float64)
    for part in parts(offsets, begin, end):
        rows = _rows_of(part, sort_keys(values[part.values]), q, discrete)
        interpolate.over(part.offsets, value[part.values], *rows, result[part.rows])
    return result
