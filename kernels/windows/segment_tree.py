"""A segment tree: aggregates that can combine, over any frames, with a few states per frame.

Every ``fanout`` rows share a node with their state, every ``fanout`` nodes a node of the level
above, up to a single one. A frame is combined from the rows and nodes that exactly cover it.

Source: Leis et al., "Efficient processing of window functions in analytical SQL queries" (2015).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import Column, Int64Matrix, Int64Scratch, Matrix, State, kernel
from kernels.states.states import load, store

FANOUT = 16


@helper
def tree_levels(rows: int, fanout: int) -> NDArray[np.int64]:
    """Return where the nodes of each level start, and after these the number of nodes.

    Examples
    --------
    >>> tree_levels(10, 4).tolist()
    [0, 3, 4]
    """
    starts = np.zeros(65, np.int64)
    levels, width = 0, rows
    while width > 1 or levels == 0:
        width = (width + fanout - 1) // fanout
        starts[levels + 1] = starts[levels] + width
        levels += 1
    return starts[: levels + 1].copy()


@kernel
def build_tree(
    empty: State, fanout: int, value: Column, other: Column, starts: Int64Scratch, tree: Matrix
) -> None:
    """Write the state of every node, level by level.

    Parameters
    ----------
    empty : state
        The aggregate's state before any row, of :mod:`kernels.states.states`.
    fanout : int
        The number of children of a node, 2 or more.
    value, other : arrays of shape (rows,)
        The columns to aggregate, of the type of the state's fields; only aggregates of pairs read
        the other one.
    starts : int64 array of shape (levels + 1,)
        Where the nodes of each level start, as :func:`tree_levels` returns it.
    tree : array of shape (nodes, fields)
        Written: the state of each node.

    Notes
    -----
    O(rows · fanout / (fanout - 1)).

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Sum
    >>> starts, tree = tree_levels(5, 2), np.zeros((6, 2), np.int64)
    >>> build_tree(Sum(0, 0), 2, np.arange(5), np.arange(5), starts, tree)
    >>> tree[:, 0].tolist()
    [1, 5, 4, 6, 4, 10]
    """
    for node in range(starts[1]):
        state = empty
        for row in range(node * fanout, min((node + 1) * fanout, len(value))):
            state = state.update(value[row], other[row], row)
        store(tree, node, state)  #: {(1, node):place}: {state:state}.
    for level in range(1, len(starts) - 1):
        children = starts[level] - starts[level - 1]
        for node in range(starts[level + 1] - starts[level]):
            state = empty
            for child in range(node * fanout, min((node + 1) * fanout, children)):
                state = state.combine(load(empty, tree, starts[level - 1] + child))
            store(tree, starts[level] + node, state)  #: {(level + 1, node):place}: {state:state}.


@helper
def absorb(
    state: Any,
    empty: Any,
    value: NDArray[Any],
    other: NDArray[Any],
    starts: NDArray[np.int64],
    tree: NDArray[Any],
    level: int,
    at: int,
) -> Any:
    """Return a state with a node of a level appended, or with a row for level 0.

    Examples
    --------
    >>> from kernels.states.states import Count
    >>> absorb(Count(), Count(), np.zeros(1), np.zeros(1), np.zeros(1), np.zeros((0, 1)), 0, 0)
    Count(rows=1)
    """
    if level == 0:
        return state.update(value[at], other[at], at)
    return state.combine(load(empty, tree, starts[level - 1] + at))


@kernel
def query_tree(
    empty: State,
    fanout: int,
    value: Column,
    other: Column,
    starts: Int64Scratch,
    tree: Matrix,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Write the state of each frame, combined from rows and nodes in their order.

    Parameters
    ----------
    empty, fanout, value, other, starts, tree
        As :func:`build_tree` takes and writes them.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, in order.
    states : array of shape (rows, fields)
        Written: the state of each frame.

    Notes
    -----
    O(fanout · log_fanout(frame)) per piece. On each level the nodes before the first whole parent
    join from the left, those after the last whole one from the right, and the parents cover the
    rest, so the order of rows is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Sum
    >>> starts, tree, states = tree_levels(5, 2), np.zeros((6, 2), np.int64), np.zeros((1, 2), int)
    >>> shared = Sum(0, 0), 2, np.arange(5), np.arange(5), starts, tree
    >>> build_tree(*shared)
    >>> query_tree(*shared, np.array([[1]]), np.array([[5]]), states)
    >>> states.tolist()
    [[10, 4]]
    """
    for i in range(len(begin)):
        answer = empty
        for piece in range(begin.shape[1]):
            low, high = begin[i, piece], end[i, piece]
            left, right, level = empty, empty, 0  #: Row {i}: {(low, high):rows} to put together.
            while low < high:
                whole = min((low + fanout - 1) // fanout * fanout, high)
                rest = max(high // fanout * fanout, whole)
                for at in range(low, whole):
                    left = absorb(left, empty, value, other, starts, tree, level, at)
                    low = at + 1  #: {(level, at):place} joins from the left.
                tail = empty
                for at in range(rest, high):
                    tail = absorb(tail, empty, value, other, starts, tree, level, at)
                    high = rest  #: {(level, at):place} joins from the right.
                right = tail.combine(right)
                low, high, level = whole // fanout, rest // fanout, level + 1
            answer = answer.combine(left).combine(right)
        store(states, i, answer)  #: Row {i}: the frame holds {answer:state}.


@kernel
def tree_states(
    empty: State,
    fanout: int,
    value: Column,
    other: Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    states: Matrix,
) -> None:
    """Build the tree of a partition, and write the state of each frame.

    Parameters
    ----------
    empty, fanout, value, other, begin, end, states
        As :func:`build_tree` and :func:`query_tree` take and write them.

    Notes
    -----
    O(values + rows · fanout · log_fanout(frame)); a node for every ``fanout - 1`` values.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Last
    >>> rows, states = np.arange(5), np.zeros((2, 1), np.int64)
    >>> begin, end = np.array([[0], [3]]), np.array([[4], [3]])
    >>> tree_states(Last(), 2, rows, rows, begin, end, states)
    >>> states.tolist()
    [[3], [-1]]
    """
    starts = tree_levels(len(value), fanout)
    tree = np.zeros((starts[-1], len(empty)), value.dtype)
    build_tree(empty, fanout, value, other, starts, tree)
    query_tree(empty, fanout, value, other, starts, tree, begin, end, states)
