"""Entities and runs of queries, brute force, and the registry's cases of their kernels."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.entities.validity import IN, OPEN, OUT, SNAPSHOT
from kernels.entities.validity_tiles import tile_rows, tile_sizes
from tests.kernels.tiling.cases import STATES, room

Args = list[Any]
Oracle = Callable[[Args, Args, Any], bool]
Record = tuple[int, int, int]


def ints(values: Any) -> Any:
    return np.array(values, np.int64)


@st.composite
def entities(draw: st.DrawFn) -> Args:
    """Draw any snapshots and mutations of an entity, contradictions included."""
    instants = st.integers(-6, 9)
    days = sorted(draw(st.sets(instants, max_size=4)))
    records = st.tuples(instants, st.sampled_from([IN, IN, OUT]), st.integers(0, 2))
    rows = draw(st.lists(records, max_size=12))
    for day in days:
        rows += [(day, SNAPSHOT, one) for one in draw(st.lists(st.integers(0, 2), max_size=2))]
    rows.sort(key=lambda row: (row[0], row[1] == SNAPSHOT, row[2], row[1]))
    columns = [ints([row[i] for row in rows]) for i in range(3)]
    return [*columns, ints(days), *(np.zeros(len(rows), np.int64) for _ in range(3))]


def content_at(records: list[Record], days: list[int], now: int) -> int | None:
    """Return the entity's content in the table at an instant, from all changes in order."""
    content: int | None = None
    for instant in sorted({one[0] for one in records} | set(days)):
        if instant > now:
            break
        more: Counter[int] = Counter()
        for at, kind, value in records:
            if at == instant and kind != SNAPSHOT:
                more[value] += 1 if kind == IN else -1
        if any(count < 0 for count in more.values()):
            content = None
        content = max((value for value, count in more.items() if count > 0), default=content)
        if instant in days:
            snapshot = [v for at, kind, v in records if at == instant and kind == SNAPSHOT]
            content = content if content in snapshot else max(snapshot, default=None)
    return content


def follows(before: Args, after: Args, result: Any) -> bool:
    at, kind, content, days = (column.tolist() for column in before[:4])
    records = list(zip(at, kind, content, strict=True))
    _, _, _, _, begin, end, fault = (column.tolist() for column in after)
    for now in range(-8, 12):
        alive = [content[i] for i in range(len(at)) if begin[i] <= now < end[i]]
        expected = content_at(records, days, now)
        if alive != ([] if expected is None else [expected]):
            return False
    lost = all((f & 16 > 0) == (e in days) for f, e in zip(fault, end, strict=True) if f & 16)
    return lost and all(e == OPEN or e <= 9 for e in end)


@st.composite
def runs(draw: st.DrawFn) -> Args:
    """Draw queries, and runs of them."""
    queries = draw(st.integers(1, 9))
    pairs = st.tuples(st.integers(0, queries), st.integers(0, queries)).map(sorted)
    pairs_drawn = draw(st.lists(pairs, max_size=8))
    return [queries, ints([a for a, _ in pairs_drawn]), ints([b for _, b in pairs_drawn])]


@st.composite
def windows_and_rows(draw: st.DrawFn) -> Args:
    some = st.lists(st.integers(-9, 9), max_size=8)
    seen = ints(sorted(draw(some)))
    low = ints(sorted(draw(st.lists(st.integers(-12, 9), min_size=len(seen), max_size=len(seen)))))
    time = ints(draw(some))
    begin = ints(draw(st.lists(st.integers(-9, 9), min_size=len(time), max_size=len(time))))
    lasts = st.one_of(st.integers(0, 9), st.just(OPEN))
    last = draw(st.lists(lasts, min_size=len(time), max_size=len(time)))
    end = ints([min(a + more, OPEN) for a, more in zip(begin.tolist(), last, strict=True)])
    return [seen, low, draw(st.booleans()), time, begin, end, *np.zeros((2, len(time)), np.int64)]


def runs_hold_what_counts(before: Args, after: Args, result: Any) -> bool:
    seen, low, bounded, time, begin, end = before[:6]
    for row, (first, last) in enumerate(zip(*after[6:], strict=True)):
        for query in range(len(seen)):
            counts = time[row] < seen[query] and begin[row] <= seen[query] < end[row]
            counts &= not bounded or low[query] <= time[row]
            if counts != (first <= query < last):
                return False
    return True


@st.composite
def sizes(draw: st.DrawFn) -> Args:
    queries, first, last = draw(runs())
    return [np.zeros((queries, 2), np.int64), first, last]


def started(queries: int, first: Any, last: Any) -> tuple[Any, int]:
    size = np.zeros((queries, 2), np.int64)
    total = tile_sizes(size, first, last)
    return (np.cumsum(size) - size.ravel()).reshape(size.shape), total


@st.composite
def layouts(draw: st.DrawFn) -> Args:
    queries, first, last = draw(runs())
    start, total = started(queries, first, last)
    return [start, first, last, np.arange(len(first)) * 10, np.zeros(total, np.int64)]


def nodes_above(node: int) -> list[int]:
    return [node >> up for up in range(node.bit_length())]


def seen_in_nodes(first: Any, last: Any, rows_of: Callable[[int], list[int]], queries: int) -> bool:
    """Return whether the nodes above each query have the rows that count for it, once each."""
    return all(
        sorted(row for node in nodes_above(queries + query) for row in rows_of(node))
        == [row for row in range(len(first)) if first[row] <= query < last[row]]
        for query in range(queries)
    )


def counts_tiles(before: Args, after: Args, result: Any) -> bool:
    size = after[0].ravel()
    seen = [
        sum(size[node] for node in nodes_above(len(after[0]) + query))
        for query in range(len(after[0]))
    ]
    first, last = before[1], before[2]
    expected = [int(((first <= q) & (q < last)).sum()) for q in range(len(seen))]
    return seen == expected and result == size.sum()


def lays_rows_out(before: Args, after: Args, result: Any) -> bool:
    start, first, last = before[0].ravel(), before[1], before[2]
    stop, rows = after[0].ravel(), after[4]

    def rows_of(node: int) -> list[int]:
        return [int(row) // 10 for row in rows[start[node] : stop[node]]]

    return seen_in_nodes(first, last, rows_of, len(after[0]))


@st.composite
def framed(draw: st.DrawFn) -> Args:
    queries, first, last = draw(runs())
    start, total = started(queries, first, last)
    stop = start.copy()
    tile_rows(stop, first, last, np.arange(len(first)), np.zeros(total, np.int64))
    pieces = (2 * queries - 1).bit_length()
    return [start, stop, *np.zeros((2, queries, pieces), np.int64)]


def frames_hold_nodes(before: Args, after: Args, result: Any) -> bool:
    start, stop = before[0].ravel(), before[1].ravel()
    queries = len(before[0])
    for query, ranges in enumerate(zip(*after[2:], strict=True)):
        pairs_drawn = list(zip(*(one.tolist() for one in ranges), strict=True))
        nodes = nodes_above(queries + query)[::-1]
        rest = len(pairs_drawn) - len(nodes)
        expected = [(0, 0)] * rest + [(start[node], stop[node]) for node in nodes]
        if pairs_drawn != expected:
            return False
    return True


@st.composite
def stated(draw: st.DrawFn) -> Args:
    empty = draw(st.sampled_from(STATES))
    queries, first, last = draw(runs())
    random = np.random.default_rng(draw(st.integers(0, 999)))
    values = random.integers(-9, 9, (2, len(first))).astype(np.asarray(empty).dtype)
    return [empty, first, last, *values, room(empty, queries)]


def holds_what_counts(before: Args, after: Args, result: Any) -> bool:
    empty, first, last, value, other, states = before
    for query in range(len(states)):
        state = empty
        for row in range(len(first)):
            if first[row] <= query < last[row]:
                state = state.update(value[row], other[row], row)
        if after[5][query].tolist() != list(state):
            return False
    return True


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "follow_validity": (entities(), follows),
    "validity_runs": (windows_and_rows(), runs_hold_what_counts),
    "tile_sizes": (sizes(), counts_tiles),
    "tile_rows": (layouts(), lays_rows_out),
    "tile_frames": (framed(), frames_hold_nodes),
    "validity_states": (stated(), holds_what_counts),
}
