"""Tails from hop states: the older part of a window, [floor(q - window), floor(q)), in whole hops.

Three ways: two cursors that add and subtract, for aggregates with an inverse; two stacks, for any
aggregate; and a tree over the hops, whose tiles are combined.
"""

import numpy as np

from kernels.core.kernel import (
    Int64Column,
    Int64Right,
    InvertibleState,
    Matrix,
    RightMatrix,
    State,
    kernel,
)
from kernels.states.states import load, store
from kernels.states.unordered import without
from kernels.tiling.hops import floor_to, window_start
from kernels.tiling.tile_tree import MOST_TILES, count_leaves, generate_tiles


@kernel
def cursor_tails(
    empty: InvertibleState,
    query: Int64Column,
    window: int,
    hop: int,
    start: Int64Right,
    hops: RightMatrix,
    states: Matrix,
) -> int:
    """Scan queries and hops once, with a cursor at each end of the tail.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`, with an inverse.
    query : int64 array of shape (queries,)
        The times of the queries, microseconds, sorted.
    window, hop : int
        Microseconds, 0 or more, and 1 or more.
    start : int64 array of shape (hops,)
        The begin of each hop, microseconds, sorted.
    hops : array of shape (hops, fields)
        The state of each hop, as :func:`kernels.tiling.hops.hop_states` writes it.
    states : array of shape (queries, fields)
        Written: the state of each query's tail; the empty state for a tail without events.

    Returns
    -------
    int
        The operations: one for each hop that enters or leaves, and one for each query.

    Notes
    -----
    O(queries + hops), no memory. Exact for integers; with floating numbers, rounding errors
    accumulate, and NaN or an infinite value would never go away.

    Source: Zipline, "Window Tiling Algorithm": compute_tails.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, start, hops = np.array([11, 19]), np.array([-5, 0, 10]), np.array([[1], [2], [4]])
    >>> states = np.zeros((2, 1), np.int64)
    >>> cursor_tails(Count(), query, 11, 5, start, hops, states), states.tolist()
    (7, [[2], [4]])
    """
    state, first, last, operations = empty, 0, 0, 0
    for i in range(len(query)):
        low, high = window_start(query[i], window, hop), floor_to(query[i], hop)
        while last < len(start) and start[last] < high:
            state = state.combine(load(empty, hops, last))
            operations += 1
            last += 1  #: The hop from {start[last - 1]:time} enters: {state}.
        while first < last and start[first] < low:
            state = without(state, load(empty, hops, first))
            operations += 1
            first += 1  #: The hop from {start[first - 1]:time} leaves: {state}.
        operations += 1
        store(states, i, state)  #: Query {i}, from {low:time} to {high:time}: {state}.
    return operations


@kernel
def stack_tails(
    empty: State,
    query: Int64Column,
    window: int,
    hop: int,
    start: Int64Right,
    hops: RightMatrix,
    states: Matrix,
) -> int:
    """Scan queries and hops once, with one state for the tail's older and one for its newer hops.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    query, window, hop, start, hops, states
        As :func:`cursor_tails` takes them.

    Returns
    -------
    int
        The operations: one for each hop that joins the newer or the older ones, one for each query.

    Notes
    -----
    O(queries + hops): a hop joins the newer ones once and the older ones once; for each older hop
    the state from it up to the pivot is stored. Nothing is subtracted, and the order is kept.

    Source: the queue of two stacks, as in Tangwongsan, Hirzel and Schneider, "Low-latency
    sliding-window aggregation in worst-case constant time" (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Last
    >>> query, start, hops = np.array([11, 19]), np.array([-5, 0, 10]), np.array([[0], [2], [6]])
    >>> states = np.zeros((2, 1), np.int64)
    >>> stack_tails(Last(), query, 11, 5, start, hops, states), states.tolist()
    (7, [[2], [6]])
    """
    older = np.zeros_like(hops)
    newer, pivot, first, last, operations = empty, 0, 0, 0, 0
    for i in range(len(query)):
        low, high = window_start(query[i], window, hop), floor_to(query[i], hop)
        while last < len(start) and start[last] < high:
            newer = newer.combine(load(empty, hops, last))
            operations += 1
            last += 1  #: The hop from {start[last - 1]:time} joins the newer ones: {newer}.
        while first < last and start[first] < low:
            first += 1  #: The hop from {start[first - 1]:time} leaves.
        if first >= pivot:
            state = empty
            for k in range(last - 1, first - 1, -1):
                state = load(empty, hops, k).combine(state)
                operations += 1
                store(older, k, state)  #: The hop from {start[k]:time} is turned over: {state}.
            newer, pivot = empty, last  #: No older hops are left: those up to {last} are now older.
        state = load(empty, older, first).combine(newer) if first < pivot else newer
        operations += 1
        store(states, i, state)  #: Query {i}, from {low:time} to {high:time}: {state}.
    return operations


@kernel
def tree_tails(
    empty: State,
    query: Int64Column,
    window: int,
    hop: int,
    start: Int64Right,
    hops: RightMatrix,
    states: Matrix,
) -> int:
    """Build a binary tree over the hops, and combine each tail from the tiles that cover it.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    query, window, hop, start, hops, states
        As :func:`cursor_tails` takes them.

    Returns
    -------
    int
        The operations: one for each node, each move of a cursor, each tile, and each query.

    Notes
    -----
    O(hops + queries · log hops), less if queries share a tail. The order of hops is kept: tiles
    left of the first one are prepended, the others appended.

    Source: Zipline, "Window Tiling Algorithm", which says that tails can be combined from reused
    elements, as in the tree.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Last
    >>> query, start, hops = np.array([11, 19]), np.array([-5, 0, 10]), np.array([[0], [2], [6]])
    >>> states = np.zeros((2, 1), np.int64)
    >>> tree_tails(Last(), query, 11, 5, start, hops, states), states.tolist()
    (12, [[2], [6]])
    """
    leaves = count_leaves(len(start))
    tree = np.zeros((2 * leaves, len(empty)), hops.dtype)
    tiles = np.zeros((MOST_TILES, 2), np.int64)
    for k in range(leaves):
        store(tree, leaves + k, load(empty, hops, k) if k < len(start) else empty)
    for node in range(leaves - 1, 0, -1):
        state = load(empty, tree, 2 * node).combine(load(empty, tree, 2 * node + 1))
        store(tree, node, state)  #: Node {node}, of nodes {2 * node} and {2 * node + 1}: {state}.
    state, first, last, operations = empty, 0, 0, leaves - 1
    for i in range(len(query)):
        low, high = window_start(query[i], window, hop), floor_to(query[i], hop)
        before = first + last
        while last < len(start) and start[last] < high:
            last += 1
        while first < last and start[first] < low:
            first += 1
        moves = first + last - before
        operations += 1 + moves
        if moves > 0:
            count = generate_tiles(first, last, tiles)
            state = empty
            for k in range(count):
                node = (leaves + tiles[k, 0]) // (tiles[k, 1] - tiles[k, 0])
                tile = load(empty, tree, node)
                in_front = tiles[k, 0] < tiles[0, 0]
                state = tile.combine(state) if in_front else state.combine(tile)
                operations += 1  #: Node {node} has hops {tiles[k, 0]} to {tiles[k, 1]}: {state}.
        store(states, i, state)  #: Query {i}, from {low:time} to {high:time}: {state}.
    return operations
