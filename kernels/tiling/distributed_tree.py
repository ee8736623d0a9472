"""The tree over queries on many machines: each updates its own nodes, and one merges them all."""

import numpy as np

from kernels.core.kernel import Int64Right, Matrix, Right, RightMatrix, State, kernel
from kernels.states.states import load, store
from kernels.states.unordered import merged
from kernels.tiling.tile_tree import MOST_TILES, count_leaves, generate_tiles, push_down


@kernel
def update_nodes(
    empty: State, begin: Int64Right, end: Int64Right, value: Right, other: Right, tree: Matrix
) -> int:
    """Update the nodes whose tiles cover each event's range of queries.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    begin, end : int64 arrays of shape (events,)
        The queries [begin, end) that see each event, as
        :func:`kernels.tiling.event_ranges.event_ranges` writes them.
    value, other : arrays of shape (events,)
        The columns to aggregate, of the type of the state's fields.
    tree : array of shape (2 · leaves, fields)
        Written: the state of each node; fill it with the empty state before the first call.

    Returns
    -------
    int
        The operations: one for each event, and one for each tile.

    Notes
    -----
    O(events · log queries) at most. Adjacent events with the same range are combined first, so
    sorted events take no more than O(events + queries · log queries).

    Source: Zipline, "Window Tiling Algorithm": the interval tree approach.

    Examples
    --------
    >>> from kernels.states.states import Count
    >>> begin, end, tree = np.array([0, 0, 1]), np.array([2, 2, 2]), np.zeros((4, 1), np.int64)
    >>> update_nodes(Count(), begin, end, begin, begin, tree), tree[1:].tolist()
    (5, [[2], [0], [1]])
    """
    leaves, operations, row = len(tree) // 2, 0, 0
    tiles = np.zeros((MOST_TILES, 2), np.int64)
    while row < len(begin):
        left, right, state = begin[row], end[row], empty
        while row < len(begin) and begin[row] == left and end[row] == right:
            state = state.update(value[row], other[row], row)
            operations += 1
            row += 1  #: Queries {left} to {right} see event {row - 1}: {state}.
        count = generate_tiles(left, right, tiles)
        operations += count
        for k in range(count):
            node = (leaves + tiles[k, 0]) // (tiles[k, 1] - tiles[k, 0])
            updated = merged(load(empty, tree, node), state)
            store(tree, node, updated)  #: It goes into node {node}: {updated}.
    return operations


@kernel
def node_states(empty: State, node: Int64Right, parts: RightMatrix, states: Matrix) -> int:
    """Merge the states of the nodes of several trees, and push them down to the queries.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    node : int64 array of shape (parts,)
        The number of each part's node, in a tree over as many queries as there are ``states``.
    parts : array of shape (parts, fields)
        The node's state from :func:`update_nodes`, in any of the trees.
    states : array of shape (queries, fields)
        Written: the state of each query's window.

    Returns
    -------
    int
        The operations: one for each part, and those of :func:`kernels.tiling.tile_tree.push_down`.

    Notes
    -----
    O(parts + queries); memory only for the queries.

    Source: Zipline, "Window Tiling Algorithm": results from each of the machines are reduced.

    Examples
    --------
    >>> from kernels.states.states import Count
    >>> node, parts, states = np.array([3, 1, 3]), np.array([[2], [1], [4]]), np.zeros((2, 1), int)
    >>> node_states(Count(), node, parts, states), states.tolist()
    (5, [[1], [7]])
    """
    tree = np.zeros((2 * count_leaves(len(states)), len(empty)), states.dtype)
    for k in range(len(tree)):
        store(tree, k, empty)
    for k in range(len(node)):
        state = merged(load(empty, tree, node[k]), load(empty, parts, k))
        store(tree, node[k], state)  #: Part {k} goes into node {node[k]}: {state}.
    return len(node) + int(push_down(empty, tree, states))
