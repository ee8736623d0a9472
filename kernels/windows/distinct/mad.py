"""The median absolute deviation of the distinct values of moving frames."""

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.core.arrays import Floats, Ints
from kernels.core.kernel import Float64Column, Int64Column, Int64Matrix, Uint32Column, kernel
from kernels.frames.frame_deltas import only_in, visit_order
from kernels.structures.sort_keys import orders, sort_keys
from kernels.windows.distinct.quantile import dense_ranks
from kernels.windows.mad import median_deviation

NONE = -1


@register_jitable
def count_rank(tree: Ints, rank: int, by: int) -> int:
    """Add to the count of a rank in a Fenwick tree, and return the addend. O(log ranks).

    Examples
    --------
    >>> tree = np.zeros(5, np.int64)
    >>> count_rank(tree, 2, 1), tree.tolist()
    (1, [0, 0, 0, 1, 1])
    """
    node = rank + 1
    while node < len(tree):
        tree[node] += by
        node += node & -node
    return by


@register_jitable
def nth_value(value: Floats, row_of: Ints, tree: Ints, size: int, index: int) -> float:
    """Return the value of the counted rank with ``index`` counted ranks below it, or NaN.

    Examples
    --------
    >>> tree = np.zeros(4, np.int64)
    >>> counted = [count_rank(tree, rank, 1) for rank in (0, 2)]
    >>> float(nth_value(np.array([5.0, 6.0, 7.0]), np.array([0, 1, 2]), tree, 2, 1))
    7.0
    """
    if index < 0 or index >= size:
        return np.nan
    step, rank = 1, 0
    while 2 * step < len(tree):
        step *= 2
    while step > 0:
        if rank + step < len(tree) and tree[rank + step] <= index:
            rank += step
            index -= tree[rank]
        step >>= 1
    result: float = value[row_of[rank]]
    return result


@register_jitable
def deviation_of(value: Floats, row_of: Ints, tree: Ints, size: int) -> float:
    """Return the median deviation of the counted ranks, with bisection for the run at the median.

    Examples
    --------
    >>> tree = np.zeros(4, np.int64)
    >>> counted = [count_rank(tree, rank, 1) for rank in (0, 1, 2)]
    >>> float(deviation_of(np.array([1.0, 2.0, 9.0]), np.array([0, 1, 2]), tree, 3))
    1.0
    """
    half, even = (size - 1) // 2, size % 2 == 0
    median = nth_value(value, row_of, tree, size, half)
    if even:
        median = median * 0.5 + nth_value(value, row_of, tree, size, half + 1) * 0.5
    first, last = 0, size - 1 - half
    while first < last:
        at = (first + last) // 2
        low = nth_value(value, row_of, tree, size, at)
        over = nth_value(value, row_of, tree, size, at + half + 1)
        if median - low > over - median:
            first = at + 1
        else:
            last = at
    under = nth_value(value, row_of, tree, size, first - 1)
    low = nth_value(value, row_of, tree, size, first)
    high = nth_value(value, row_of, tree, size, first + half)
    over = nth_value(value, row_of, tree, size, first + half + 1)
    return median_deviation(median, even, low, high, under, over)


@kernel
def distinct_deviations(
    value: Float64Column,
    order: Uint32Column,
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    result: Float64Column,
) -> None:
    """Follow the frames with a count of the distinct values, and search the run at the median.

    Parameters
    ----------
    value : float64 array of shape (values,)
        NaN counts as the largest. Values that no frame has are ignored.
    order : uint32 array of shape (values,)
        The row of each rank.
    key : int64 array of shape (values,)
        Equal for equal values.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    result : float64 array of shape (rows,)
        Written: NaN for an empty frame.

    Notes
    -----
    O((rows that enter or leave + rows · log values) · log values). Frames that move far are visited
    in Mo's order, in which O(√values) rows enter and leave a frame.

    Source: the tree of counts is that of Fenwick, "A new data structure for cumulative frequency
    tables" (1994).

    Examples
    --------
    >>> value, key = np.array([1.0, 1.0, 9.0]), np.array([1, 1, 9])
    >>> order = np.arange(3, dtype=np.uint32)
    >>> begin, end, result = np.array([[0], [0]]), np.array([[2], [3]]), np.zeros(2)
    >>> distinct_deviations(value, order, key, begin, end, result)
    >>> result.tolist()
    [0.0, 4.0]
    """
    rank, row_of = dense_ranks(order, key)
    tree, count = np.zeros(len(key) + 1, np.int64), np.zeros(len(key), np.int64)
    visit = np.zeros(len(begin), np.uint32)
    visit_order(begin, end, visit)
    sides, size, before = 2 * begin.shape[1], 0, NONE
    for now in visit:
        i = int(now)
        for side in range(sides):
            first, last = only_in(begin, end, before, i, side)
            for row in range(first, last):
                count[rank[row]] -= 1
                if count[rank[row]] == 0:
                    size += count_rank(tree, rank[row], -1)  #: {value[row]} is out.
        for side in range(sides):
            first, last = only_in(begin, end, i, before, side)
            for row in range(first, last):
                count[rank[row]] += 1
                if count[rank[row]] == 1:
                    size += count_rank(tree, rank[row], 1)  #: {value[row]} is in.
        before, result[i] = i, np.nan
        if size > 0:
            result[i] = deviation_of(value, row_of, tree, size)  #: Row {i}: {size} values.


def moving_distinct_mad(
    offsets: Ints,
    values: NDArray[np.number],
    begin: Ints,
    end: Ints,
) -> Floats:
    """Return the median absolute deviation of the distinct values of each frame.

    Parameters
    ----------
    offsets, values, begin, end
        As :func:`kernels.windows.mad.moving_mad` takes them.

    Returns
    -------
    float64 array of shape (rows,)
        NaN for an empty frame.

    Examples
    --------
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> moving_distinct_mad(np.array([0, 3]), np.array([3, 3, 8]), begin, end).tolist()
    [0.0, 2.5, 2.5]
    """
    value = values.astype(np.float64, copy=False)
    key, result = sort_keys(value), np.empty(len(begin), np.float64)
    distinct_deviations.over(offsets, value, orders(offsets, key), key, begin, end, result)
    return result
