"""Queries and events of one key, brute force, and the registry's cases of the tiling kernels."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.states.states import Last, Least, Sum
from kernels.tiling.hops import hop_states
from kernels.tiling.sawtooth import head_states
from kernels.tiling.tails import stack_tails
from kernels.tiling.tile_tree import MOST_TILES, count_leaves, update_tiles

Args = list[Any]
Oracle = Callable[[Args, Args, Any], bool]
Bounds = Callable[[int, int, int], tuple[int, int]]

#: One of each kind: a total, a row number, and a key with ties.
STATES = [Sum(0, 0), Last(), Least()]
INVERTIBLE_ONLY = ("cursor_windows", "cursor_tails")
WITH_HOPS = ("rollup_windows", "sawtooth_windows", "head_states", "hop_states")

#: Close together, so that there are ties and duplicates, and on both sides of 1970.
TIMES = st.lists(st.integers(-20, 20), max_size=12).map(lambda times: np.array(sorted(times), int))
WINDOWS = st.one_of(st.integers(0, 12), st.sampled_from([0, 5, 45, 10**6, 2**63 - 30]))


def sliding(query: int, window: int, hop: int) -> tuple[int, int]:
    return query - window, query


def hopping(query: int, window: int, hop: int) -> tuple[int, int]:
    return (query - window) // hop * hop, query // hop * hop


def sawtooth(query: int, window: int, hop: int) -> tuple[int, int]:
    return (query - window) // hop * hop, query


def head(query: int, window: int, hop: int) -> tuple[int, int]:
    return query // hop * hop, query


def state_of(empty: Any, event: Args, bounds: tuple[int, int]) -> Any:
    """Return the state of the events in [low, high), updated one by one in their order."""
    time, value, other = event
    low, high = bounds
    for row in range(len(time)):
        if low <= int(time[row]) < high:
            empty = empty.update(value[row], other[row], row)
    return empty


def by_force(
    empty: Any, query: Any, window: int, hop: int, event: Args, bounds: Bounds
) -> list[list[Any]]:
    """Return the state of each query's window."""
    return [list(state_of(empty, event, bounds(q, window, hop))) for q in query.tolist()]


@st.composite
def events(draw: st.DrawFn, empty: Any) -> Args:
    """Draw times, values and other values; integers, so that sums are exact in every order."""
    time = draw(TIMES)
    random = np.random.default_rng(draw(st.integers(0, 999)))
    values = random.integers(-9, 9, (2, len(time))).astype(np.asarray(empty).dtype)
    return [time, *values]


def rolled(empty: Any, hop: int, event: Args) -> Args:
    """Return the begins and the states of hops."""
    size = len(event[0])
    start, stop = np.zeros(size, np.int64), np.zeros(size, np.int64)
    hops = np.zeros((size, len(empty)), np.asarray(empty).dtype)
    count = hop_states(empty, hop, *event, start, stop, hops)
    return [start[:count].copy(), hops[:count].copy()]


def room(empty: Any, rows: int) -> Any:
    return np.zeros((rows, len(empty)), np.asarray(empty).dtype)


@st.composite
def windowed(draw: st.DrawFn, name: str) -> Args:
    """Draw the arguments of a kernel that writes a state for each query."""
    empty = draw(st.sampled_from(STATES[:1] if name in INVERTIBLE_ONLY else STATES))
    query, event = draw(TIMES), draw(events(empty))
    window = [] if name == "head_states" else [draw(WINDOWS)]
    hop = [draw(st.integers(1, 7))] if name in WITH_HOPS or "tails" in name else []
    table = rolled(empty, hop[0], event) if "tails" in name else event
    return [empty, query, *window, *hop, *table, room(empty, len(query))]


@st.composite
def hops(draw: st.DrawFn) -> Args:
    empty, _, hop, *event, _ = draw(windowed("head_states"))
    size = len(event[0])
    edges = np.zeros(size, np.int64), np.zeros(size, np.int64)
    return [empty, hop, *event, *edges, room(empty, size)]


@st.composite
def trees(draw: st.DrawFn) -> Args:
    *args, states = draw(windowed("tile_windows"))
    tree = room(args[0], 2 * count_leaves(len(states)))
    tree[:] = list(args[0])
    return [*args, tree]


@st.composite
def filled_trees(draw: st.DrawFn) -> Args:
    empty, query, *rest, tree = draw(trees())
    update_tiles(empty, query, *rest, tree)
    return [empty, tree, room(empty, len(query))]


@st.composite
def tails_and_heads(draw: st.DrawFn) -> Args:
    """Draw tails and heads of the same queries."""
    empty, query, window, hop, *event, _ = draw(windowed("sawtooth_windows"))
    tails, heads = room(empty, len(query)), room(empty, len(query))
    stack_tails(empty, query, window, hop, *rolled(empty, hop, event), tails)
    head_states(empty, query, hop, *event, heads)
    return [empty, tails, heads, room(empty, len(query))]


@st.composite
def ranges(draw: st.DrawFn) -> Args:
    ends = [draw(st.integers(0, 300)), draw(st.integers(0, 300))]
    return [*ends, np.zeros((MOST_TILES, 2), np.int64)]


def sees(bounds: Bounds, with_hop: bool = False) -> Oracle:
    """Return an oracle for kernels that take (empty, query, window, [hop], events, states)."""

    def agrees(before: Args, after: Args, result: Any) -> bool:
        empty, query, window, *rest = before
        hop = rest.pop(0) if with_hop else 1
        return bool(after[-1].tolist() == by_force(empty, query, window, hop, rest[:3], bounds))

    return agrees


def joins_whole_hops(before: Args, after: Args, result: Any) -> bool:
    empty, query, window, hop, start, hops, _ = before
    for i, q in enumerate(query.tolist()):
        low, high = hopping(q, window, hop)
        state = empty
        for begin, one in zip(start.tolist(), hops.tolist(), strict=True):
            state = state.combine(type(empty)(*one)) if low <= begin < high else state
        if after[-1][i].tolist() != list(state):
            return False
    return True


def sees_the_head(before: Args, after: Args, result: Any) -> bool:
    empty, query, hop, *event, _ = before
    return bool(after[-1].tolist() == by_force(empty, query, 0, hop, event, head))


def rolls_up(before: Args, after: Args, result: Any) -> bool:
    empty, hop, *event = before[:5]
    *_, start, stop, hops = after
    begins = sorted({int(time) // hop * hop for time in event[0]})
    expected = [list(state_of(empty, event, (begin, begin + hop))) for begin in begins]
    stops = [int(np.searchsorted(event[0], begin + hop)) for begin in begins]
    written = start[:result].tolist(), stop[:result].tolist(), hops[:result].tolist()
    return written == (begins, stops, expected)


def covers_in_tiles(before: Args, after: Args, result: Any) -> bool:
    left, right, _ = before
    tiles = sorted(after[2][:result].tolist())
    positions = [position for begin, end in tiles for position in range(begin, end)]
    return positions == list(range(left, right))


def way_to_the_root(empty: Any, tree: Any, i: int) -> list[Any]:
    """Return the state of a leaf and the nodes above it, combined in the order of their rows."""
    leaves = len(tree) // 2
    above = [tree[(leaves + i) >> up].tolist() for up in range(leaves.bit_length())]
    for one in sorted(above, key=lambda state: state[-1] if "row" in empty._fields else 0):
        empty = empty.combine(type(empty)(*one))
    return list(empty)


def puts_events_above_their_queries(before: Args, after: Args, result: Any) -> bool:
    empty, query, window, *event, _ = before
    found = [way_to_the_root(empty, after[-1], i) for i in range(len(query))]
    return found == by_force(empty, query, window, 1, event, sliding)


def adds_up_the_way_to_the_root(before: Args, after: Args, result: Any) -> bool:
    empty, tree, states = before
    return bool(after[-1].tolist() == [way_to_the_root(empty, tree, i) for i in range(len(states))])


def joins_tail_and_head(before: Args, after: Args, result: Any) -> bool:
    empty, tails, heads, _ = before
    pairs = zip(tails.tolist(), heads.tolist(), strict=True)
    expected = [list(type(empty)(*tail).combine(type(empty)(*one))) for tail, one in pairs]
    return bool(after[-1].tolist() == expected)


@st.composite
def rounded(draw: st.DrawFn) -> Args:
    """Draw queries and events, with a window of any kind, or without a bound."""
    query, time, hop = draw(TIMES), draw(TIMES), draw(st.integers(1, 7))
    hops = draw(st.sampled_from([(1, 1), (hop, 1), (hop, hop)]))
    ranges = [np.zeros((len(query), 1), np.int64) for _ in range(2)]
    return [query, draw(st.booleans()), draw(WINDOWS), *hops, time, *ranges]


def sees_the_events_between(before: Args, after: Args, result: Any) -> bool:
    query, bounded, window, hop, last_hop, time, *_ = before
    for i, q in enumerate(query.tolist()):
        low, high = (q - window) // hop * hop, q // last_hop * last_hop
        first, last = (int(column[i, 0]) for column in after[-2:])
        seen = [t for t in time.tolist() if t < high and (not bounded or t >= low)]
        if time[first:last].tolist() != seen:
            return False
    return True


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "cursor_tails": (windowed("cursor_tails"), joins_whole_hops),
    "cursor_windows": (windowed("cursor_windows"), sees(sliding)),
    "generate_tiles": (ranges(), covers_in_tiles),
    "head_states": (windowed("head_states"), sees_the_head),
    "hop_states": (hops(), rolls_up),
    "join_heads": (tails_and_heads(), joins_tail_and_head),
    "naive_windows": (windowed("naive_windows"), sees(sliding)),
    "push_down": (filled_trees(), adds_up_the_way_to_the_root),
    "query_ranges": (rounded(), sees_the_events_between),
    "rollup_windows": (windowed("rollup_windows"), sees(sliding, with_hop=True)),
    "sawtooth_windows": (windowed("sawtooth_windows"), sees(sawtooth, with_hop=True)),
    "search_windows": (windowed("search_windows"), sees(sliding)),
    "stack_tails": (windowed("stack_tails"), joins_whole_hops),
    "tile_windows": (windowed("tile_windows"), sees(sliding)),
    "tree_tails": (windowed("tree_tails"), joins_whole_hops),
    "update_tiles": (trees(), puts_events_above_their_queries),
}
