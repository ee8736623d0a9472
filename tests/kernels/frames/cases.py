"""Cases of the registry's tests for the kernels of frames, with their expected results."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Args = list[Any]

MOST = 2**63 - 1
distances = st.one_of(st.integers(-3, 3), st.sampled_from([-MOST - 1, MOST]))


def int64(values: Any) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def blank(*shape: int) -> NDArray[np.int64]:
    return np.full(shape, 99, np.int64)


def bits(most: int = 12) -> st.SearchStrategy[NDArray[np.uint8]]:
    return st.lists(st.integers(0, 1), max_size=most).map(lambda x: np.array(x, np.uint8))


@st.composite
def codes(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw sorted keys with rows without a key at one end, and the range of rows that have one."""
    keys = sorted(draw(st.lists(st.one_of(st.integers(-4, 4), distances), max_size=10)))
    nulls = draw(st.integers(0, 3))
    if draw(st.booleans()):
        return int64([7] * nulls + keys), int64([nulls, nulls + len(keys)])
    return int64(keys + [7] * nulls), int64([0, len(keys)])


@st.composite
def grouped(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw the groups of rows, and where each begins."""
    sizes = draw(st.lists(st.integers(1, 3), max_size=5))
    group = int64(np.repeat(np.arange(len(sizes)), int64(sizes)))
    start = blank(len(group))
    start[: len(sizes)] = np.cumsum([0, *sizes])[:-1]
    return group, start


@st.composite
def starts(draw: st.DrawFn) -> Args:
    starts_column = draw(bits())
    return [starts_column, blank(len(starts_column)), blank(len(starts_column))]


@st.composite
def marks(draw: st.DrawFn) -> Args:
    code, valid = draw(codes())
    return [code, valid, np.full(len(code), 9, np.uint8)]


@st.composite
def same_distance(draw: st.DrawFn) -> Args:
    return [draw(distances), blank(draw(st.integers(0, 9)))]


@st.composite
def row_distances(draw: st.DrawFn) -> Args:
    each = draw(st.lists(distances, max_size=9))
    return [int64(each), blank(len(each))]


@st.composite
def group_distance(draw: st.DrawFn, each: bool) -> Args:
    group, start = draw(grouped())
    size = len(group)
    one = (
        int64(draw(st.lists(distances, min_size=size, max_size=size))) if each else draw(distances)
    )
    return [group, start, one, blank(size)]


@st.composite
def searches(draw: st.DrawFn) -> Args:
    code, (first, last) = draw(codes())
    hint = draw(st.integers(int(first), int(last)))
    bound = draw(st.one_of(st.integers(-5, 5), distances))
    return [code, bound, draw(st.integers(0, 1)), hint, int(first), int(last)]


@st.composite
def range_bounds(draw: st.DrawFn) -> Args:
    code, valid = draw(codes())
    size = len(code)
    bound = draw(st.lists(st.one_of(st.integers(-5, 5), distances), min_size=size, max_size=size))
    beyond = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    end = draw(st.booleans())
    return [code, int64(bound), np.array(beyond, np.uint8), valid, end, blank(size)]


@st.composite
def sessions(draw: st.DrawFn) -> Args:
    code, _, beyond, valid, _, to = draw(range_bounds())
    gaps = draw(st.lists(st.integers(1, 4), min_size=len(code), max_size=len(code)))
    pairs = zip(code.tolist(), gaps, strict=True)
    next_code = [min(one + gap, MOST) for one, gap in pairs]
    return [code, int64(next_code), beyond, valid, to, to.copy()]


@st.composite
def frames(draw: st.DrawFn, pieces: int = 1, size: int | None = None) -> Args:
    """Draw the begins and ends of frames, with pieces in order."""
    rows = draw(st.integers(0, 8)) if size is None else size
    edge = st.lists(st.integers(0, rows), min_size=2 * pieces, max_size=2 * pieces).map(sorted)
    edges = int64([draw(edge) for _ in range(rows)]).reshape(rows, 2 * pieces)
    return [edges[:, ::2].copy(), edges[:, 1::2].copy()]


@st.composite
def holes(draw: st.DrawFn) -> Args:
    begin, end = draw(frames())
    size = len(begin)
    low = int64([draw(st.integers(0, i)) for i in range(size)])
    high = int64([draw(st.integers(i + 1, size)) for i in range(size)])
    pieces = blank(size, 3), blank(size, 3)
    return [begin.ravel(), end.ravel(), low, high, draw(st.booleans()), *pieces]


@st.composite
def filtered(draw: st.DrawFn) -> Args:
    kept = draw(bits(8))
    begin, end = draw(frames(pieces=draw(st.sampled_from([1, 3])), size=len(kept)))
    return [kept, blank(len(kept)), blank(len(kept)), begin, end]


@st.composite
def numbers(draw: st.DrawFn) -> Args:
    row = draw(st.lists(st.integers(-1, 5), max_size=6))
    return [int64([draw(st.integers(0, 9))]), int64(row)]


def counted_from_the_block(before: Args, after: Args, result: Any) -> bool:
    first, row = before
    return after[1].tolist() == [r if r < 0 else r + first[0] for r in row.tolist()]


def clamped(at: int, most: int) -> int:
    return max(0, min(at, most))


def first_of_groups(before: Args, after: Args, result: Any) -> bool:
    numbers = [int(sum(before[0][1 : i + 1])) for i in range(len(before[0]))]
    begins = [i for i, start in enumerate(before[0]) if i == 0 or start]
    return after[1].tolist() == numbers and after[2][:result].tolist() == begins


def marks_new_keys(before: Args, after: Args, result: Any) -> bool:
    code, (first, last), _ = before
    keys = [code[i] if first <= i < last else None for i in range(len(code))]
    return after[2].tolist() == [i == 0 or keys[i] != keys[i - 1] for i in range(len(keys))]


def rows_away(before: Args, after: Args, result: Any) -> bool:
    away, to = after
    each = [int(x) for x in np.broadcast_to(away, len(to))]
    return to.tolist() == [clamped(i + x, len(to)) for i, x in enumerate(each)]


def groups_away(before: Args, after: Args, result: Any) -> bool:
    group, _, away, to = after
    each = [int(x) for x in np.broadcast_to(away, len(to))]
    targets = [number + x for number, x in zip(group.tolist(), each, strict=True)]
    return to.tolist() == [sum(group < clamped(x, len(group))) for x in targets]


def reached(key: int, bound: int, beyond: int) -> bool:
    return key > bound if beyond else key >= bound


def first_that_reached(before: Args, after: Args, result: Any) -> bool:
    code, bound, beyond, _, first, last = before
    return result == min(
        (i for i in range(first, last) if reached(code[i], bound, beyond)), default=last
    )


def first_for_each_row(before: Args, after: Args, result: Any) -> bool:
    code, bound, beyond, (first, last), end, to = after
    for i in range(len(code)):
        if first <= i < last:
            hits = (j for j in range(first, last) if reached(code[j], bound[i], beyond[i]))
            expected = min(hits, default=last)
        else:
            low, high = (0, first) if i < first else (last, len(code))
            expected = high if end else low
        if to[i] != expected:
            return False
    return True


def rows_that_join(before: Args, after: Args, result: Any) -> bool:
    code, next_code, beyond, (first, last) = (one.tolist() for one in before[:4])
    opens = [
        i
        for i in range(len(code))
        if not first < i < last or reached(code[i], next_code[i - 1], beyond[i - 1])
    ]
    ends = [*opens[1:], len(code)]
    pairs = zip(opens, ends[: len(opens)], strict=True)
    expected = [(b, e) for b, e in pairs for _ in range(b, e)]
    found = list(zip(after[4].tolist(), after[5].tolist(), strict=True))
    return result == len(opens) and found == expected


def rows_of(begin: NDArray[np.int64], end: NDArray[np.int64]) -> list[list[int]]:
    """Return the rows of each frame from its ranges."""
    return [
        [row for low, high in zip(lows, highs, strict=True) for row in range(low, high)]
        for lows, highs in zip(begin.tolist(), end.tolist(), strict=True)
    ]


def rows_outside_the_hole(before: Args, after: Args, result: Any) -> bool:
    begin, end, low, high, keep_row = before[:5]
    expected = [
        [j for j in range(begin[i], end[i]) if not low[i] <= j < high[i] or (keep_row and i == j)]
        for i in range(len(begin))
    ]
    return rows_of(*after[5:]) == expected


def only_rows_that_qualify(before: Args, after: Args, result: Any) -> bool:
    kept, row = before[0], after[2].tolist()
    expected = [[j for j in frame if kept[j]] for frame in rows_of(*before[3:])]
    found = [[row[j] for j in frame] for frame in rows_of(*after[3:])]
    return found == expected and result == sum(kept)


CASES: dict[str, Any] = {
    "cut_hole": (holes(), rows_outside_the_hole),
    "group_bound": (group_distance(each=False), groups_away),
    "group_bound_each": (group_distance(each=True), groups_away),
    "group_peers": (starts(), first_of_groups),
    "keep_rows": (filtered(), only_rows_that_qualify),
    "number_in_block": (numbers(), counted_from_the_block),
    "peer_starts": (marks(), marks_new_keys),
    "range_bound_each": (range_bounds(), first_for_each_row),
    "row_bound": (same_distance(), rows_away),
    "row_bound_each": (row_distances(), rows_away),
    "search_from": (searches(), first_that_reached),
    "session_bounds": (sessions(), rows_that_join),
}
