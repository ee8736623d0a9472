"""Tiles over a tree of queries: an event updates a few ranges of queries instead of every query.

The queries are the leaves of a binary tree, and each node stands for the queries below it. The
node's children are ``2 · node`` and ``2 · node + 1``, its parent is ``node // 2``, the root is 1.
"""

import numpy as np

from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Right, Int64Table, Matrix, Right, State, kernel
from kernels.states.states import load, store
from kernels.states.unordered import merged
from kernels.structures.instants import window_end
from kernels.tiling.scan import search_after

#: A range of 64-bit integers has fewer tiles than this.
MOST_TILES = 128


@helper
def count_leaves(positions: int) -> int:
    """Return the number of leaves of a binary tree over some positions: the next power of two.

    Examples
    --------
    >>> count_leaves(5), count_leaves(0)
    (8, 1)
    """
    leaves = 1
    while leaves < positions:
        leaves *= 2
    return leaves


@kernel
def generate_tiles(left: int, right: int, tiles: Int64Table) -> int:
    """Cut a range into tiles whose length is a power of two and whose begin is a multiple of it.

    Parameters
    ----------
    left, right : int
        The range [left, right), from 0 on.
    tiles : int64 array of shape (tiles, 2)
        Written: the begin and the end of each tile, first those left of the split point, from it
        outwards, then those right of it. ``MOST_TILES`` rows are enough for any range.

    Returns
    -------
    int
        The number of tiles: 0 for an empty range.

    Notes
    -----
    O(log right). A range within n positions, n > 1, has at most 2 · log2 n tiles, and all are
    nodes of one binary tree.

    Source: Zipline, "Window Tiling Algorithm": generateTiles, there undefined for empty ranges.

    Examples
    --------
    >>> import numpy as np
    >>> tiles = np.zeros((MOST_TILES, 2), np.int64)
    >>> tiles[: generate_tiles(4, 14, tiles)].tolist()
    [[4, 8], [8, 12], [12, 14]]
    """
    if left >= right:
        return 0  #: From {left} to {right} there is nothing to cover.
    power = 1
    while power <= (left ^ right) // 2:
        power *= 2
    split, count = right // power * power, 0
    edge, size = split, power  #: Split at {split}, where the tree has its largest tiles.
    while edge > left:
        while edge - size < left:
            size //= 2
        edge -= size
        tiles[count, 0], tiles[count, 1] = edge, edge + size
        count += 1  #: On the left, the largest tile that fits: [{edge}, {edge + size}).
    edge, size = split, power
    while edge < right:
        while edge + size > right:
            size //= 2
        tiles[count, 0], tiles[count, 1] = edge, edge + size
        edge += size
        count += 1  #: On the right, the largest tile that fits: [{edge - size}, {edge}).
    return count


@kernel
def update_tiles(
    empty: State,
    query: Int64Column,
    window: int,
    time: Int64Right,
    value: Right,
    other: Right,
    tree: Matrix,
) -> int:
    """Update the nodes whose tiles cover the queries that each event affects.

    Parameters
    ----------
    empty, query, window, time, value, other
        As :func:`kernels.tiling.naive.naive_windows` takes them.
    tree : array of shape (2 · leaves, fields)
        Written: the state of each node; fill it with the empty state before the first call. Later
        calls, for later events, add to it.

    Returns
    -------
    int
        The operations: one for each probe of a search, and one for each tile.

    Notes
    -----
    O(events · log queries).

    Source: Zipline, "Window Tiling Algorithm": the interval tree approach.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, tree = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((4, 1), np.int64)
    >>> update_tiles(Count(), query, 8, time, time, time, tree), tree[1:].tolist()
    (12, [[1], [0], [2]])
    """
    leaves = len(tree) // 2
    tiles = np.zeros((MOST_TILES, 2), np.int64)
    operations = 0
    for row in range(len(time)):
        left, probes = search_after(query, time[row])
        right, more = search_after(query, window_end(time[row], window))
        count = generate_tiles(left, right, tiles)
        operations += probes + more + count  #: Event {row} affects queries [{left}, {right}).
        for k in range(count):
            node = (leaves + tiles[k, 0]) // (tiles[k, 1] - tiles[k, 0])
            state = load(empty, tree, node).update(value[row], other[row], row)
            store(tree, node, state)  #: Event {row} goes into node {node}: {state}.
    return operations


@kernel
def push_down(empty: State, tree: Matrix, states: Matrix) -> int:
    """Pass the state of every node down to its children, and so to the queries at the leaves.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    tree : array of shape (2 · leaves, fields)
        The tree from :func:`update_tiles`. Written: each node's state merged with those above it.
    states : array of shape (queries, fields)
        Written: the state of each query's window.

    Returns
    -------
    int
        The operations: one for each child.

    Notes
    -----
    O(leaves), and there are fewer than 2 · queries. The events of a query are spread over the nodes
    above it, so states are merged by their rows and not by their positions.

    Source: Zipline, "Window Tiling Algorithm": propagate_updates_to_leaf_nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> tree, states = np.array([[0], [1], [0], [2]]), np.zeros((2, 1), np.int64)
    >>> push_down(Count(), tree, states), states.tolist()
    (2, [[1], [3]])
    """
    leaves, operations = len(tree) // 2, 0
    for child in range(2, len(tree)):
        state = merged(load(empty, tree, child // 2), load(empty, tree, child))
        operations += 1
        store(tree, child, state)  #: Node {child // 2} hands its state to node {child}: {state}.
    for i in range(len(states)):
        store(states, i, load(empty, tree, leaves + i))
    return operations


@kernel
def tile_windows(
    empty: State,
    query: Int64Column,
    window: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Stream the events through a tree over the queries, and push its states down once.

    Parameters
    ----------
    empty, query, window, time, value, other, states
        As :func:`kernels.tiling.naive.naive_windows` takes them.

    Returns
    -------
    int
        The operations of :func:`update_tiles` and :func:`push_down`.

    Notes
    -----
    O(queries + events · log queries); memory only for the queries: events may be streamed.

    Source: Zipline, "Window Tiling Algorithm": tree_tiling_sum.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> tile_windows(Count(), query, 5, time, time, time, states), states.tolist()
    (15, [[1], [2]])
    """
    tree = np.zeros((2 * count_leaves(len(query)), len(empty)), value.dtype)
    for node in range(len(tree)):
        store(tree, node, empty)
    operations = update_tiles(empty, query, window, time, value, other, tree)
    operations += push_down(empty, tree, states)
    return int(operations)
