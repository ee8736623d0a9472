"""Aggregates of the distinct values of moving frames: each value counts once.

Two methods: a count for each value and a state from which values are removed, or a sweep over the
rows that stores each value only at its newest row.
"""

from typing import Any

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.core.kernel import (
    Column,
    Int64Column,
    Int64Matrix,
    InvertibleState,
    Matrix,
    State,
    Uint32Column,
    kernel,
)
from kernels.frames.frame_deltas import FEW, only_in, turnover
from kernels.states.aggregates import AGGREGATES, KEYS, empty_for, finalized
from kernels.states.states import load, store
from kernels.structures.order import sort_entries
from kernels.structures.sort_keys import link_equals
from kernels.windows.distinct.count import hull, in_frame


@register_jitable
def put(empty: Any, tree: NDArray[Any], at: int, state: Any) -> None:
    """Write the state of a row, and of the nodes above it, into a binary tree of states.

    Node n joins nodes 2 n and 2 n + 1; the rows are the second half of the nodes.

    Examples
    --------
    >>> from kernels.states.states import Sum
    >>> tree = np.zeros((4, 2), np.int64)
    >>> put(Sum(0, 0), tree, 1, Sum(7, 1))
    >>> tree[:, 0].tolist()
    [0, 7, 0, 7]
    """
    node = at + (len(tree) >> 1)
    store(tree, node, state)
    node >>= 1
    while node > 0:
        store(tree, node, load(empty, tree, 2 * node).combine(load(empty, tree, 2 * node + 1)))
        node >>= 1


@register_jitable
def between(empty: Any, tree: NDArray[Any], low: int, high: int) -> Any:
    """Return the state of a range of rows, in their order.

    Examples
    --------
    >>> from kernels.states.states import Sum
    >>> between(Sum(0, 0), np.array([[0, 0], [12, 2], [5, 1], [7, 1]]), 0, 2)
    Sum(total=12, rows=2)
    """
    left, right = empty, empty
    low, high = low + (len(tree) >> 1), high + (len(tree) >> 1)
    while low < high:
        if low & 1:
            left = left.combine(load(empty, tree, low))
            low += 1
        if high & 1:
            high -= 1
            right = load(empty, tree, high).combine(right)
        low, high = low >> 1, high >> 1
    return left.combine(right)


@kernel
def running_distinct(
    empty: InvertibleState,
    value: Column,
    other: Column,
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Follow the frames from row to row, and add a value to the state when its first row enters.

    Parameters
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`, with an inverse.
    value, other : arrays of shape (values,)
        The columns to aggregate, of the type of the state's fields.
    key : int64 array of shape (values,)
        Equal for equal values. Values that no frame has are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    states : array of shape (rows, fields)
        Written: the state of each frame.

    Notes
    -----
    O(values + rows that enter or leave). Only for integers, as
    :func:`kernels.windows.sliding.running_states`.

    Source: Wesley and Xu, "Incremental computation of common windowed holistic aggregates" (2016).

    Examples
    --------
    >>> from kernels.states.states import Sum
    >>> value, states = np.array([5, 5, 4]), np.zeros((2, 2), np.int64)
    >>> begin, end = np.array([[0], [0]]), np.array([[2], [3]])
    >>> running_distinct(Sum(0, 0), value, value, value, begin, end, states)
    >>> states.tolist()
    [[5, 1], [9, 2]]
    """
    number, previous, following = key * 0, key * 0, key * 0
    count = np.zeros(link_equals(key, number, previous, following), np.int64)
    state, sides = empty, 2 * begin.shape[1]
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                count[number[row]] -= 1
                if count[number[row]] == 0:
                    state = state.inverse(value[row], other[row], row)  #: {value[row]} is out.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                count[number[row]] += 1
                if count[number[row]] == 1:
                    state = state.update(value[row], other[row], row)  #: {value[row]} is in.
        store(states, i, state)  #: Row {i}: {state}.


@kernel
def by_end(begin: Int64Matrix, end: Int64Matrix, visit: Uint32Column) -> None:
    """Write an order of the frames in which no end of a non-empty frame moves back.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges.
    visit : uint32 array of shape (rows,)
        Written: the rows; in their own order if that is such an order.

    Notes
    -----
    O(rows), with a radix sort.

    Examples
    --------
    >>> visit = np.zeros(3, np.uint32)
    >>> by_end(np.array([[1], [0], [0]]), np.array([[4], [2], [3]]), visit)
    >>> visit.tolist()
    [1, 2, 0]
    """
    to, most = np.zeros(len(begin), np.int64), 0
    for i in range(len(begin)):
        _, high = hull(begin, end, i)
        visit[i], to[i] = i, high if high > 0 else most
        most = max(most, to[i])
    sort_entries(to, visit)


@kernel
def sweep_distinct(
    empty: State,
    value: Column,
    other: Column,
    key: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Sweep over the rows with a tree of states that contains only the newest row of each value.

    Parameters
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`.
    value, other : arrays of shape (values,)
        The columns to aggregate, of the type of the state's fields.
    key : int64 array of shape (values,)
        Equal for equal values. Values that no frame has are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, in order.
    states : array of shape (rows, fields)
        Written: the state of each frame.

    Notes
    -----
    O((values + rows) · log values + rows in holes). Frames are visited by their ends: when the
    sweep reaches the end of a frame, the tree contains each of its values once from the frame's
    begin on. For a value whose newest row is in a hole, an earlier row is searched.

    Examples
    --------
    >>> from kernels.states.states import Sum
    >>> value, states = np.array([5.0, 5.0, 4.0]), np.zeros((2, 2))
    >>> key, begin, end = np.array([5, 5, 4]), np.array([[0], [0]]), np.array([[2], [3]])
    >>> sweep_distinct(Sum(0.0, 0.0), value, value, key, begin, end, states)
    >>> states.tolist()
    [[5.0, 1.0], [9.0, 2.0]]
    """
    number, previous, following = key * 0, key * 0, key * 0
    link_equals(key, number, previous, following)
    visit = np.zeros(len(begin), np.uint32)
    by_end(begin, end, visit)
    tree, seen = np.zeros((2 * len(value), len(empty)), value.dtype), 0
    for node in range(len(tree)):
        store(tree, node, empty)
    for now in visit:
        i = int(now)
        low, high = hull(begin, end, i)
        for row in range(seen, high):
            if previous[row] >= 0:
                put(empty, tree, previous[row], empty)  #: Row {previous[row]} is not the newest.
            put(empty, tree, row, empty.update(value[row], other[row], row))
            seen = row + 1  #: Row {row} stands for its value.
        answer, at = empty, low
        for piece in range(begin.shape[1]):
            first, last = begin[i, piece], end[i, piece]
            if first < last:
                for row in range(at, first):
                    back = row if not low <= following[row] < high else -1
                    while back >= low and not in_frame(begin, end, i, back):
                        back = previous[back]
                    if back >= low:
                        answer = answer.update(value[back], other[back], back)
                answer, at = answer.combine(between(empty, tree, first, last)), last
        store(states, i, answer)  #: Row {i}, from {low} to {high}: {answer}.


def moving_distinct(
    offsets: NDArray[np.int64],
    name: str,
    values: NDArray[Any],
    key: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    *,
    other: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return an aggregate over the distinct values of each frame.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    name : str
        An aggregate of numbers from :data:`kernels.states.aggregates.AGGREGATES`; the others are
        the same for distinct values.
    values : array of shape (rows,)
        If a partition has fewer values than rows, they come first, and the other cells are ignored.
    key : int64 array of shape (rows,)
        Equal for equal values, or pairs of values.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values, in order.
    other : array of shape (rows,), optional
        The second column of an aggregate of pairs.

    Returns
    -------
    array of shape (rows,)
        The result; it is not valid for a frame with fewer distinct values than the aggregate
        ``needs``.

    Raises
    ------
    ValueError
        When the name is not known.

    Examples
    --------
    >>> values, frames = np.array([3, 3, 8]), (np.array([[0], [0], [1]]), np.array([[2], [3], [3]]))
    >>> moving_distinct(np.array([0, 3]), "integer_sum", values, values, *frames).tolist()
    [3, 11, 11]
    """
    if name not in AGGREGATES or AGGREGATES[name].takes == KEYS:
        names = ", ".join(key for key, each in AGGREGATES.items() if each.takes != KEYS)
        raise ValueError(f"name: {name!r} is no aggregate of numbers; use one of {names}.")
    dtype = np.asarray(AGGREGATES[name].empty).dtype
    value = values.astype(dtype, copy=False)
    columns = value, value if other is None else other.astype(dtype, copy=False)
    empty = empty_for(name, *columns)
    states = np.empty((len(begin), len(empty)), dtype)
    exact = hasattr(empty, "inverse") and isinstance(empty[0], int)
    few_moves = exact and turnover.over(offsets, begin, end).sum() <= FEW * len(begin)
    states_of = running_distinct if few_moves else sweep_distinct
    states_of.over(offsets, empty, *columns, key, begin, end, states)
    return finalized(name, states)
