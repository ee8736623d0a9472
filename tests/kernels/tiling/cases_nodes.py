"""The registry's cases of the kernels of a tree over queries with events on many machines."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.tiling.distributed_tree import update_nodes
from kernels.tiling.event_ranges import event_ranges
from kernels.tiling.tile_tree import count_leaves
from tests.kernels.tiling.cases import STATES, Args, Oracle, room, rounded, way_to_the_root


@st.composite
def queries_and_events(draw: st.DrawFn) -> Args:
    """Draw queries, and events in any order, with a window of any kind, or without a bound."""
    query, bounded, window, hop, last_hop, time, *_ = draw(rounded())
    time = np.random.default_rng(draw(st.integers(0, 999))).permutation(time)
    ranges = [np.zeros(len(time), np.int64) for _ in range(2)]
    return [query, bounded, window, hop, last_hop, time, *ranges]


@st.composite
def ranged(draw: st.DrawFn) -> Args:
    """Draw the queries that see each event, and an empty tree."""
    empty = draw(st.sampled_from(STATES))
    query, *kind, begin, end = draw(queries_and_events())
    event_ranges(query, *kind, begin, end)
    values = np.random.default_rng(draw(st.integers(0, 999))).integers(-9, 9, (2, len(begin)))
    tree = room(empty, 2 * count_leaves(len(query)))
    tree[:] = list(empty)
    return [empty, begin, end, *values.astype(tree.dtype), tree]


@st.composite
def parts_of_trees(draw: st.DrawFn) -> Args:
    """Draw the nodes of two trees that share the events, in any order, and room for the queries."""
    empty, begin, end, *values, tree = draw(ranged())
    random = np.random.default_rng(draw(st.integers(0, 999)))
    in_first = random.integers(0, 2, len(begin)) == 1
    parts = []
    for chosen in (in_first, ~in_first):
        copy = tree.copy()
        # No query sees the events of the other tree.
        update_nodes(empty, begin * chosen, end * chosen, *values, copy)
        parts.append(copy[1:])
    order = random.permutation(2 * (len(tree) - 1))
    node = np.tile(np.arange(1, len(tree)), 2)
    return [empty, node[order], np.concatenate(parts)[order], room(empty, len(tree) // 2)]


def sees_the_queries_between(before: Args, after: Args, result: Any) -> bool:
    query, bounded, window, hop, last_hop, time, *_ = before
    for row, t in enumerate(time.tolist()):
        first, last = (int(column[row]) for column in after[-2:])
        seeing = [
            i
            for i, q in enumerate(query.tolist())
            if t < q // last_hop * last_hop and (not bounded or t >= (q - window) // hop * hop)
        ]
        if list(range(first, last)) != seeing:
            return False
    return True


def puts_events_above_their_ranges(before: Args, after: Args, result: Any) -> bool:
    empty, begin, end, value, other, tree = before
    for i in range(len(tree) // 2):
        state = empty
        for row in np.flatnonzero((begin <= i) & (i < end)).tolist():
            state = state.update(value[row], other[row], row)
        if way_to_the_root(empty, after[-1], i) != list(state):
            return False
    return True


def adds_up_all_parts(before: Args, after: Args, result: Any) -> bool:
    empty, node, parts, states = before
    leaves = len(states)
    for i in range(leaves):
        way = {(leaves + i) >> up for up in range(leaves.bit_length())}
        chosen = [part for at, part in zip(node.tolist(), parts.tolist(), strict=True) if at in way]
        state = empty
        for part in sorted(chosen, key=lambda one: one[-1] if "row" in empty._fields else 0):
            state = state.combine(type(empty)(*part))
        if after[-1][i].tolist() != list(state):
            return False
    return True


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "event_ranges": (queries_and_events(), sees_the_queries_between),
    "node_states": (parts_of_trees(), adds_up_all_parts),
    "update_nodes": (ranged(), puts_events_above_their_ranges),
}
