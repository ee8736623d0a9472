"""Aggregates of frames that slide: each row enters once and leaves once.

Three methods, each O(1) per row: a state from which rows are removed, if the aggregate has an
inverse; two stacks, for any aggregate; and a deque of candidates for the smallest value.
"""

import numpy as np

from kernels.core.kernel import (
    Column,
    Int64Column,
    Int64Matrix,
    InvertibleState,
    Matrix,
    State,
    kernel,
)
from kernels.frames.frame_deltas import longest, only_in
from kernels.states.states import load, store

NO_ROW = -1


@kernel
def running_states(
    empty: InvertibleState,
    value: Column,
    other: Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Follow the frames from row to row with one state to which rows are added and removed.

    Parameters
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`, with an inverse.
    value, other : arrays of shape (values,)
        The columns to aggregate, of the type of the state's fields.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values.
    states : array of shape (rows, fields)
        Written: the state of each frame.

    Notes
    -----
    O(rows + rows that enter or leave), no memory. Only for integers: with floating numbers,
    rounding errors would accumulate, and NaN would never go away.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Sum
    >>> value, states = np.array([1, 2, 4]), np.zeros((2, 2), np.int64)
    >>> begin, end = np.array([[0], [1]]), np.array([[2], [3]])
    >>> running_states(Sum(0, 0), value, value, begin, end, states)
    >>> states.tolist()
    [[3, 2], [6, 2]]
    """
    state, sides = empty, 2 * begin.shape[1]
    for i in range(len(begin)):
        for side in range(sides):
            first, last = only_in(begin, end, i - 1, i, side)
            for row in range(first, last):
                state = state.inverse(value[row], other[row], row)  #: Row {row} leaves: {state}.
        for side in range(sides):
            first, last = only_in(begin, end, i, i - 1, side)
            for row in range(first, last):
                state = state.update(value[row], other[row], row)  #: Row {row} enters: {state}.
        store(states, i, state)  #: Row {i}: {state}.


@kernel
def sliding_states(
    empty: State,
    value: Column,
    other: Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Follow a frame that only moves forward, with states of its older and of its newer rows.

    Parameters
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`.
    value, other : arrays of shape (values,)
        The columns to aggregate, of the type of the state's fields.
    begin, end : int64 arrays of shape (rows, 1)
        The frame of each row as a half-open range of the values; from one non-empty frame to the
        next, neither end moves back.
    states : array of shape (rows, fields)
        Written: the state of each frame.

    Notes
    -----
    O(values + rows): a row is added once to the newer rows and once to the older ones; for each
    older row the state from it up to the pivot is stored. The order of rows is kept.

    Source: the queue of two stacks, as in Tangwongsan, Hirzel and Schneider, "Low-latency
    sliding-window aggregation in worst-case constant time" (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Least
    >>> value, states = np.array([5, 2, 4]), np.zeros((2, 2), np.int64)
    >>> sliding_states(Least(), value, value, np.array([[0], [2]]), np.array([[2], [3]]), states)
    >>> states.tolist()
    [[2, 1], [4, 2]]
    """
    older = np.zeros((longest(begin, end), len(empty)), value.dtype)
    newer, first, pivot, seen = empty, 0, 0, 0
    for i in range(len(begin)):
        low, high = begin[i, 0], end[i, 0]
        answer = empty
        if low < high:
            if low >= pivot:
                for row in range(high - 1, low - 1, -1):
                    answer = empty.update(value[row], other[row], row).combine(answer)
                    store(older, row - low, answer)  #: Row {row} is turned over: {answer}.
                newer, first = empty, low
                pivot = seen = high  #: The rows up to {high} are now the older.
            for row in range(seen, high):
                newer = newer.update(value[row], other[row], row)
                seen = row + 1  #: Row {row} joins the newer rows: {newer}.
            answer = load(empty, older, low - first).combine(newer)
        store(states, i, answer)  #: Row {i}, from {low} to {high}: {answer}.


@kernel
def least_rows(key: Int64Column, begin: Int64Matrix, end: Int64Matrix, least: Int64Column) -> None:
    """Write the row of the smallest key in a frame that only moves forward, with a monotonic deque.

    Parameters
    ----------
    key : int64 array of shape (values,)
        For the largest, give ``~key``.
    begin, end : int64 arrays of shape (rows, 1)
        The frame of each row as a half-open range of the values; from one non-empty frame to the
        next, neither end moves back.
    least : int64 array of shape (rows,)
        Written: the first row with the smallest key, -1 for an empty frame.

    Notes
    -----
    O(values + rows). A row is removed from the deque when a smaller one enters after it, since it
    can never be the smallest again.

    Source: Lemire, "Streaming maximum-minimum filter using no more than three comparisons per
    element" (2006).

    Examples
    --------
    >>> import numpy as np
    >>> least = np.zeros(2, np.int64)
    >>> least_rows(np.array([5, 2, 4]), np.array([[0], [2]]), np.array([[2], [3]]), least)
    >>> least.tolist()
    [1, 2]
    """
    queue = np.zeros(len(key), np.int64)
    head, tail, seen = 0, 0, 0
    for i in range(len(begin)):
        low, high = begin[i, 0], end[i, 0]
        least[i] = NO_ROW
        if low < high:
            for row in range(max(seen, low), high):
                while head < tail and key[queue[tail - 1]] > key[row]:
                    tail -= 1  #: Row {queue[tail]} can no longer be the smallest.
                queue[tail] = row
                tail += 1  #: Row {row} waits at the end.
            seen = high
            while queue[head] < low:
                head += 1  #: Row {queue[head - 1]} has left the frame.
            least[i] = queue[head]  #: Row {i}: the smallest is in row {queue[head]}.
