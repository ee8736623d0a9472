"""The median absolute deviation from the median, of moving frames.

The h values closest to the median are adjacent in sorted order: a *run*. So the h-th smallest
deviation is at an end of a run of h values: of all such runs, the one with the closest ends.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Floats, Ints, Words
from kernels.core.helper import helper
from kernels.core.kernel import Float64Column, Int64Column, Int64Matrix, Uint32Column, kernel
from kernels.frames.cache_blocks import parts
from kernels.frames.frame_deltas import FEW, frame_size, only_in, turnover
from kernels.structures.rank_set import (
    add_rank,
    next_rank,
    previous_rank,
    rank_set,
    remove_rank,
    walk,
)
from kernels.structures.sort_keys import orders, sort_keys
from kernels.structures.wavelet import kth_smallest, wavelet
from kernels.windows.quantile import count_below_fingers

NONE = -1
MEDIAN, LOW, HIGH = 0, 1, 2


@helper
def value_at(ascending: Floats, rank: int) -> float:
    """Return the value of a rank, NaN for rank -1.

    Examples
    --------
    >>> float(value_at(np.array([2.0, 3.0]), 1))
    3.0
    """
    return np.nan if rank == NONE else ascending[rank]


@helper
def median_deviation(
    median: float, even: bool, low: float, high: float, under: float, over: float
) -> float:
    """Return the median deviation from the values at the ends of the run and next to them.

    NaN counts as the largest value, and also stands for a missing one.

    Examples
    --------
    >>> median_deviation(5.0, False, 3.0, 6.0, 1.0, 9.0)
    2.0
    >>> median_deviation(5.0, True, 3.0, 6.0, 1.0, 8.0)
    2.5
    """
    if not np.isfinite(median):
        return np.nan
    near, far = median - low, high - median
    first = near if near > far else far
    if not even:
        return first
    near, far = median - under, over - median
    second = near if near < far or np.isnan(far) else far
    return first * 0.5 + second * 0.5


@helper
def move_run(
    words: Words, starts: Ints, ascending: Floats, finger: Ints, below: Ints, median: float
) -> int:
    """Move the run's fingers until no value outside is closer to the median; return the steps.

    Examples
    --------
    >>> words, starts = rank_set(4)
    >>> for rank in range(4):
    ...     add_rank(words, starts, rank)
    >>> finger, below = np.array([2, 0, 1]), np.array([2, 0, 1])
    >>> move_run(words, starts, np.array([1.0, 2.0, 7.0, 8.0]), finger, below, 7.0)
    2
    >>> finger.tolist(), below.tolist()
    ([2, 2, 3], [2, 2, 3])
    """
    up = down = 0
    over, under = next_rank(words, starts, finger[HIGH]), previous_rank(words, starts, finger[LOW])
    if np.isfinite(median):
        while over != NONE and median - ascending[finger[LOW]] > ascending[over] - median:
            finger[LOW], finger[HIGH] = next_rank(words, starts, finger[LOW]), over
            over = next_rank(words, starts, over)
            up += 1
        while (
            up == 0
            and under != NONE
            and not ascending[finger[HIGH]] - median <= median - ascending[under]
        ):
            finger[LOW], finger[HIGH] = under, previous_rank(words, starts, finger[HIGH])
            under = previous_rank(words, starts, under)
            down += 1
    for k in (LOW, HIGH):
        below[k] += up - down
    return up + down


@kernel
def walk_mad(
    ascending: Float64Column,
    rank: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Float64Column,
) -> int:
    """Follow the frames with three fingers: on the median, and on both ends of the run around it.

    Parameters
    ----------
    ascending : float64 array of shape (values,)
        The value of each rank.
    rank : int64 array of shape (values,)
        The rank of each row.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    result : float64 array of shape (rows,)
        Written: the median absolute deviation, NaN for an empty frame.

    Returns
    -------
    int
        1 if all frames are done, 0 if the kernel gave up, as the run moves too far from row to row.

    Notes
    -----
    O(rows + rows that enter or leave) steps of O(log₃₂ values).

    Source: after Wesley and Xu, "Incremental computation of common windowed holistic aggregates"
    (2016), with a run that moves along instead of a second sort.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end, result = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2)
    >>> walk_mad(np.array([1.0, 2.0, 9.0]), np.arange(3), begin, end, result)
    1
    >>> result.tolist()
    [0.5, 1.0]
    """
    words, starts = rank_set(len(rank))
    finger, below = np.zeros(3, np.int64), np.zeros(3, np.int64)
    sides, steps = 2 * begin.shape[1], 0
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                at = rank[row]
                remove_rank(words, starts, at)
                count_below_fingers(below, finger, at, -1)  #: Row {row} leaves, rank {at}.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                at = rank[row]
                add_rank(words, starts, at)
                count_below_fingers(below, finger, at, 1)  #: Row {row} enters, rank {at}.
        result[i] = np.nan
        size = frame_size(begin, end, i)
        if size > 0:
            half, even = (size - 1) // 2, size % 2 == 0
            index = min(below[LOW], size - 1 - half)
            for k, target in enumerate((half, index, index + half)):
                finger[k] = walk(words, starts, finger[k], below[k], target)
                below[k] = target
            median = ascending[finger[MEDIAN]]
            if even:
                above = ascending[next_rank(words, starts, finger[MEDIAN])]
                median = median * 0.5 + above * 0.5  #: The median is {median}.
            steps += move_run(words, starts, ascending, finger, below, median)
            if steps > FEW * len(begin):
                return 0
            low, high = ascending[finger[LOW]], ascending[finger[HIGH]]
            under = value_at(ascending, previous_rank(words, starts, finger[LOW]))
            over = value_at(ascending, next_rank(words, starts, finger[HIGH]))
            deviation = median_deviation(median, even, low, high, under, over)
            result[i] = deviation  #: Of {size} values, {half + 1} are from {low} to {high}.
    return 1


@helper
def nth(
    ascending: Floats, bits: Words, ones: Words, begin: Ints, end: Ints, i: int, index: int
) -> float:
    """Return the value at an index of the sorted frame of row i, NaN outside of it.

    Examples
    --------
    >>> ascending, (bits, ones) = np.array([10.0, 20.0]), wavelet(np.array([1, 0]), 2)
    >>> float(nth(ascending, bits, ones, np.array([[0]]), np.array([[2]]), 0, 1))
    20.0
    """
    if index < 0 or index >= frame_size(begin, end, i):
        return np.nan
    first, last = begin[i].copy(), end[i].copy()
    return value_at(ascending, kth_smallest(bits, ones, len(ascending), first, last, index))


@kernel
def find_mad(
    ascending: Float64Column,
    rank: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Float64Column,
) -> None:
    """Find the run around the median of each frame by bisection, for frames that move in any way.

    Parameters
    ----------
    ascending, rank, begin, end, result : arrays
        As :func:`walk_mad` takes and writes them.

    Notes
    -----
    O((values + rows · log values · pieces) · log values).

    Source: bisection over the structure of Vogelsgesang et al., "Efficient evaluation of
    arbitrarily-framed holistic SQL aggregates and window functions" (2022).

    Examples
    --------
    >>> import numpy as np
    >>> begin, end, result = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2)
    >>> find_mad(np.array([1.0, 2.0, 9.0]), np.arange(3), begin, end, result)
    >>> result.tolist()
    [0.5, 1.0]
    """
    bits, ones = wavelet(rank, len(rank))
    for i in range(len(begin)):
        result[i] = np.nan
        size = frame_size(begin, end, i)
        if size > 0:
            half, even = (size - 1) // 2, size % 2 == 0
            median = nth(ascending, bits, ones, begin, end, i, half)
            if even:
                above = nth(ascending, bits, ones, begin, end, i, half + 1)
                median = median * 0.5 + above * 0.5
            first, last = 0, size - 1 - half  #: Which {half + 1} values are closest to {median}?
            while first < last:
                at = (first + last) // 2
                low = nth(ascending, bits, ones, begin, end, i, at)
                over = nth(ascending, bits, ones, begin, end, i, at + half + 1)
                if median - low > over - median:
                    first = at + 1  #: From {low} on is too low: {over} is closer.
                else:
                    last = at  #: From {low} on is not too low: {over} is no closer.
            under = nth(ascending, bits, ones, begin, end, i, first - 1)
            low = nth(ascending, bits, ones, begin, end, i, first)
            high = nth(ascending, bits, ones, begin, end, i, first + half)
            over = nth(ascending, bits, ones, begin, end, i, first + half + 1)
            result[i] = median_deviation(median, even, low, high, under, over)


@kernel
def median_deviations(
    value: Float64Column,
    order: Uint32Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Float64Column,
) -> None:
    """Write the median absolute deviation of each frame.

    Parameters
    ----------
    value : float64 array of shape (values,)
        NaN counts as the largest. Values that no frame has are ignored.
    order : uint32 array of shape (values,)
        The row of each rank.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    result : float64 array of shape (rows,)
        Written: NaN for an empty frame.

    Notes
    -----
    O(values + rows) steps if frames and the runs around their medians move little from row to row,
    as they mostly do; else O((values + rows · log values) · log values).

    Examples
    --------
    >>> import numpy as np
    >>> begin, end, result = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2)
    >>> order = np.array([1, 0, 2], np.uint32)
    >>> median_deviations(np.array([2.0, 1.0, 9.0]), order, begin, end, result)
    >>> result.tolist()
    [0.5, 1.0]
    """
    ascending, rank = np.zeros(len(value)), np.zeros(len(value), np.int64)
    for i in range(len(order)):
        ascending[i], rank[order[i]] = value[order[i]], i
    walked = 0
    if turnover(begin, end) <= FEW * len(begin):
        walked = walk_mad(ascending, rank, begin, end, result)
    if walked == 0:
        find_mad(ascending, rank, begin, end, result)


def moving_mad(
    offsets: Ints,
    values: NDArray[np.number],
    begin: Ints,
    end: Ints,
) -> Floats:
    """Return the median absolute deviation from the median of each frame.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    values : array of shape (rows,)
        Numbers, or instants as numbers: then the deviations are in their unit. If a partition has
        fewer values than rows, they come first, and the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values.

    Returns
    -------
    float64 array of shape (rows,)
        NaN for an empty frame.

    Notes
    -----
    Computed in float64, which is exact for integers up to 2⁵³.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> moving_mad(np.array([0, 3]), np.array([3, 1, 8]), begin, end).tolist()
    [1.0, 2.0, 3.5]
    """
    value = values.astype(np.float64, copy=False)
    key, result = sort_keys(value), np.zeros(len(begin), np.float64)
    for part in parts(offsets, begin, end):
        column, order = value[part.values], orders(part.offsets, key[part.values])
        frames = part.begin, part.end
        median_deviations.over(part.offsets, column, order, *frames, result[part.rows])
    return result
