"""Rows that each count for a run of queries, as ranges: tiles over a binary tree of the queries.

A row of an entity counts for a query when it is alive then and its time is in the query's window.
Both ends of the window move forward from query to query, so these queries are adjacent: a run. A
run is cut into tiles of the binary tree over the queries, and a query sees the rows of the nodes
above it. With the rows laid out node by node, these are a few ranges: a frame, which every
aggregate accepts.

The queries are the last nodes of the tree, from ``queries`` on; the parent of a node is half of it,
and node n is the cell ``[n // 2, n % 2]`` of a matrix with a row for each query.
"""

import numpy as np

from kernels.core.kernel import (
    Int64Column,
    Int64Matrix,
    Int64Right,
    Int64Scratch,
    Matrix,
    Right,
    State,
    kernel,
)
from kernels.states.states import load, store
from kernels.states.unordered import merged
from kernels.structures.instants import MOST


@kernel
def validity_runs(
    seen: Int64Column,
    low: Int64Column,
    bounded: bool,
    time: Int64Right,
    begin: Int64Right,
    end: Int64Right,
    first: Int64Right,
    last: Int64Right,
) -> None:
    """Write the run of queries for which each row counts.

    Parameters
    ----------
    seen : int64 array of shape (queries,)
        The end of each query's window, sorted. A query sees rows with times before it, and the
        table at that instant.
    low : int64 array of shape (queries,)
        The begin of each query's window, sorted.
    bounded : bool
        Whether windows have a begin.
    time : int64 array of shape (rows,)
        The time of each row.
    begin, end : int64 arrays of shape (rows,)
        The validity interval [begin, end) of each row; an open one ends at the last instant.
    first, last : int64 arrays of shape (rows,)
        Written: the run [first, last) of queries, empty for a row that no query sees.

    Notes
    -----
    O(rows · log queries).

    Examples
    --------
    >>> seen, time, born, died = np.array([4, 9, 12]), np.array([1, 4]), np.array([0, 10]), [20, 20]
    >>> first, last = np.zeros((2, 2), np.int64)
    >>> validity_runs(seen, seen - 8, True, time, born, np.array(died), first, last)
    >>> first.tolist(), last.tolist()
    ([0, 2], [2, 3])
    """
    for row in range(len(time)):
        entered = np.searchsorted(seen, time[row], side="right")
        left, right = np.searchsorted(seen, begin[row]), len(seen)
        if end[row] != MOST:
            right = np.searchsorted(seen, end[row])
        if bounded:
            right = min(right, np.searchsorted(low, time[row], side="right"))
        first[row] = max(left, entered)
        last[row] = max(first[row], right)  #: Row {row} counts for [{first[row]}, {last[row]}).


@kernel
def tile_sizes(size: Int64Matrix, first: Int64Right, last: Int64Right) -> int:
    """Count the rows of each node after every run is cut into tiles.

    Parameters
    ----------
    size : int64 array of shape (queries, 2)
        Written: the number of rows of each node; zeros at first.
    first, last : int64 arrays of shape (rows,)
        The run [first, last) of queries of each row.

    Returns
    -------
    int
        The number of rows of all nodes.

    Notes
    -----
    O(rows · log queries): a run has at most two tiles on each level of the tree.

    Source: Zipline, "Window Tiling Algorithm": the interval tree approach, with validity
    intervals instead of windows.

    Examples
    --------
    >>> size = np.zeros((4, 2), np.int64)
    >>> tile_sizes(size, np.array([1]), np.array([4])), size.ravel().tolist()
    (2, [0, 0, 0, 1, 0, 1, 0, 0])
    """
    queries, total = len(size), 0
    for row in range(len(first)):
        left, right = first[row] + queries, last[row] + queries
        while left < right:
            if left & 1:
                size[left >> 1, 1] += 1
                total += 1  #: Row {row} goes into node {left}.
            if right & 1:
                size[right >> 1, 0] += 1
                total += 1  #: Row {row} goes into node {right - 1}.
            left, right = (left + 1) >> 1, right >> 1
    return total


@kernel
def tile_rows(
    stop: Int64Matrix,
    first: Int64Right,
    last: Int64Right,
    number: Int64Right,
    row_at: Int64Scratch,
) -> None:
    """Write the rows node by node, each once per tile.

    Parameters
    ----------
    stop : int64 array of shape (queries, 2)
        The position of each node's first row. Written: the position after its last row.
    first, last : int64 arrays of shape (rows,)
        The run [first, last) of queries of each row.
    number : int64 array of shape (rows,)
        The number that is written for each row.
    row_at : int64 array
        Written: the numbers of the rows at the positions of all nodes.

    Notes
    -----
    O(rows · log queries). The rows of a node keep their order.

    Source: Zipline, "Window Tiling Algorithm": the interval tree approach, with validity
    intervals instead of windows.

    Examples
    --------
    >>> stop, row_at = np.zeros((4, 2), np.int64), np.zeros(2, np.int64)
    >>> stop[2, 1] = 1
    >>> tile_rows(stop, np.array([1]), np.array([4]), np.array([7]), row_at)
    >>> row_at.tolist(), stop.ravel().tolist()
    ([7, 7], [0, 0, 0, 1, 0, 2, 0, 0])
    """
    queries = len(stop)
    for row in range(len(first)):
        left, right = first[row] + queries, last[row] + queries
        while left < right:
            if left & 1:
                row_at[stop[left >> 1, 1]] = number[row]
                stop[left >> 1, 1] += 1  #: Row {row} stands in node {left}.
            if right & 1:
                row_at[stop[right >> 1, 0]] = number[row]
                stop[right >> 1, 0] += 1  #: Row {row} stands in node {right - 1}.
            left, right = (left + 1) >> 1, right >> 1


@kernel
def tile_frames(
    start: Int64Matrix, stop: Int64Matrix, begin: Int64Matrix, end: Int64Matrix
) -> None:
    """Write the frame of each query: the ranges of positions of the nodes above it, from the root.

    Parameters
    ----------
    start, stop : int64 arrays of shape (queries, 2)
        The positions [start, stop) of each node's rows, node after node.
    begin, end : int64 arrays of shape (queries, pieces)
        Written: one range per level of the tree, empty for levels above the root. A tree over q
        queries has at most ⌈log2 q⌉ + 1 levels.

    Notes
    -----
    O(queries · pieces).

    Examples
    --------
    >>> start, stop = np.zeros((2, 2), np.int64), np.array([[0, 0], [0, 3]])
    >>> begin, end = np.zeros((2, 2), np.int64), np.zeros((2, 2), np.int64)
    >>> tile_frames(start, stop, begin, end)
    >>> begin.tolist(), end.tolist()
    ([[0, 0], [0, 0]], [[0, 0], [0, 3]])
    """
    for query in range(len(begin)):
        node = query + len(begin)
        for piece in range(begin.shape[1] - 1, -1, -1):
            begin[query, piece], end[query, piece] = 0, 0
            if node > 0:
                begin[query, piece] = start[node >> 1, node & 1]
                end[query, piece] = stop[node >> 1, node & 1]
            node >>= 1  #: Query {query}, piece {piece}: up to node {node}.


@kernel
def validity_states(
    empty: State,
    first: Int64Right,
    last: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Update the nodes of each row's tiles, and pass their states down to the queries.

    Parameters
    ----------
    empty : state
        The aggregate's state before any row, of :mod:`kernels.states.states`.
    first, last : int64 arrays of shape (rows,)
        The run [first, last) of queries of each row, in the order of the rows' times.
    value, other : arrays of shape (rows,)
        The columns to aggregate, of the type of the state's fields; only aggregates of pairs read
        the other one.
    states : array of shape (queries, fields)
        Written: the state of the rows that each query sees.

    Returns
    -------
    int
        The number of operations: one for each tile of a row, and one for each node.

    Notes
    -----
    O(rows · log queries + queries), and memory only for the queries. No row is removed from a
    state, so every aggregate that combines is exact, whatever is deleted.

    Source: Zipline, "Window Tiling Algorithm": the interval tree approach, with validity
    intervals instead of windows.

    Examples
    --------
    >>> from kernels.states.states import Sum
    >>> first, last, value = np.array([0, 1]), np.array([3, 2]), np.array([5, 7])
    >>> states = np.zeros((3, 2), np.int64)
    >>> validity_states(Sum(0, 0), first, last, value, value, states), states[:, 0].tolist()
    (7, [5, 12, 5])
    """
    queries, operations = len(states), 0
    tree = np.zeros((2 * queries + 2, len(empty)), value.dtype)
    for node in range(len(tree)):
        store(tree, node, empty)
    for row in range(len(first)):
        left, right = first[row] + queries, last[row] + queries
        while left < right:
            if left & 1:
                store(tree, left, load(empty, tree, left).update(value[row], other[row], row))
                operations += 1  #: Row {row} goes into node {left}.
            if right & 1:
                node = right - 1
                store(tree, node, load(empty, tree, node).update(value[row], other[row], row))
                operations += 1  #: Row {row} goes into node {node}.
            left, right = (left + 1) >> 1, right >> 1
    for child in range(2, 2 * queries):
        state = merged(load(empty, tree, child >> 1), load(empty, tree, child))
        operations += 1
        store(tree, child, state)  #: Node {child >> 1} hands its state to node {child}: {state}.
    for query in range(queries):
        store(states, query, load(empty, tree, queries + query))
    return operations
