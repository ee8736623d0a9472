"""Cases of the registry's tests for the kernels that run on an aggregate's state."""

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.states.states import Count, Last, Least, Sum
from kernels.windows.segment_tree import build_tree, tree_levels
from tests.kernels.frames.frames import members, random_frames
from tests.kernels.windows.cases_holistic import Args, Oracle, framed

INVERTIBLE = [Count(), Sum(0, 0), Sum(0.0, 0.0)]


@st.composite
def columns(draw: st.DrawFn, empty: Any, size: int) -> Args:
    """Draw integers in the type of a state's fields."""
    random = np.random.default_rng(draw(st.integers(0, 999)))
    return list(random.integers(-9, 9, (2, size)).astype(np.asarray(empty).dtype))


@st.composite
def sliding_frames(draw: st.DrawFn, size: int, rows: int) -> Args:
    random = np.random.default_rng(draw(st.integers(0, 999)))
    ends = np.sort(np.sort(random.integers(0, size + 1, (rows, 2)), axis=1), axis=0)
    return [np.ascontiguousarray(ends[:, :1]), np.ascontiguousarray(ends[:, 1:])]


@st.composite
def states(draw: st.DrawFn, kernel: str) -> Args:
    """The arguments of a kernel that writes the states of frames."""
    empty = draw(st.sampled_from(INVERTIBLE + [Last(), Least()] * (kernel != "running_states")))
    size, rows = draw(st.integers(1, 60)), draw(st.integers(1, 12))
    fanout = [draw(st.integers(2, 5))] if "tree" in kernel else []
    shape = sliding_frames if kernel == "sliding_states" else random_frames
    values = draw(columns(empty, size))
    tree = []
    if kernel == "query_tree":
        starts = tree_levels(size, *fanout)
        tree = [starts, np.zeros((starts[-1], len(empty)), values[0].dtype)]
        build_tree(empty, *fanout, *values, *tree)
    room = np.zeros((rows, len(empty)), values[0].dtype)
    return [empty, *fanout, *values, *tree, *draw(shape(size, rows)), room]


@st.composite
def trees(draw: st.DrawFn) -> Args:
    empty, *rest = draw(states("tree_states"))
    fanout, value, other = rest[:3]
    starts = tree_levels(len(value), fanout)
    return [empty, fanout, value, other, starts, np.zeros((starts[-1], len(empty)), value.dtype)]


@st.composite
def extremes(draw: st.DrawFn) -> Args:
    size, rows = draw(st.integers(1, 60)), draw(st.integers(1, 12))
    key = draw(columns(Least(), size))[0]
    return [key, *draw(sliding_frames(size, rows)), np.zeros(rows, np.int64)]


@st.composite
def ranges_of_states(draw: st.DrawFn) -> Args:
    """Draw states of a few rows each, and ranges of them that move forward."""
    empty = draw(st.sampled_from([Count(), Sum(0, 0), Last(), Least()]))
    size, rows = draw(st.integers(1, 60)), draw(st.integers(1, 12))
    value, other = draw(columns(empty, 3 * size))
    parts = [state_of(empty, value, other, range(3 * i, 3 * i + 3)) for i in range(size)]
    part = np.array(parts, np.asarray(empty).dtype)
    return [empty, part, *draw(sliding_frames(size, rows)), np.zeros((rows, len(empty)), int)]


def state_of(empty: Any, value: Any, other: Any, rows: Any) -> list[Any]:
    for row in rows:
        empty = empty.update(value[row], other[row], row)
    return list(empty)


def updates_row_by_row(before: Args, after: Args, result: Any) -> bool:
    empty = before[0]
    value, other = [column for column in before[1:] if np.ndim(column) == 1][:2]
    begin, end = before[-3:-1]
    expected = [state_of(empty, value, other, members(begin, end, i)) for i in range(len(begin))]
    return bool((after[-1] == expected).all())


def joins_what_is_between(before: Args, after: Args, result: Any) -> bool:
    empty, part, begin, end, _ = before
    for i in range(len(begin)):
        state = empty
        for row in members(begin, end, i):
            state = state.combine(type(empty)(*part[row].tolist()))
        if after[-1][i].tolist() != list(state):
            return False
    return True


def joins_children(before: Args, after: Args, result: Any) -> bool:
    empty, fanout, value, other, starts, _ = before
    for level in range(1, len(starts)):
        span = fanout**level
        for node in range(starts[level] - starts[level - 1]):
            rows = range(node * span, min((node + 1) * span, len(value)))
            found = after[-1][starts[level - 1] + node].tolist()
            if found != state_of(empty, value, other, rows):
                return False
    return True


def finds_the_least(before: Args, after: Args, result: Any) -> bool:
    key, begin, end = before[:3]
    rows = [members(begin, end, i) for i in range(len(begin))]
    return after[3].tolist() == [min(r, key=lambda row: key[row], default=-1) for r in rows]


def says_whether_they_slide(before: Args, after: Args, result: Any) -> bool:
    begin, end = before
    ends = [(b, e) for b, e in zip(begin[:, 0], end[:, 0], strict=True) if b < e]
    ahead = all(a <= b and c <= d for (a, c), (b, d) in itertools.pairwise(ends))
    return bool(result) == (ahead and begin.shape[1] == 1)


def of_any_size() -> st.SearchStrategy[Args]:
    ends = [0.0, -0.0, 1.0, 2.0**170, 2.0**-170, 1e80, -1e80, 5e-324, np.inf, np.nan]
    return st.lists(st.sampled_from(ends), max_size=9).map(lambda values: [np.array(values, float)])


def counts_those_beyond(before: Args, after: Args, result: Any) -> bool:
    sizes = np.abs(before[0][np.isfinite(before[0]) & (before[0] != 0)])
    return bool(result == sum(not 2.0**-170 <= size < 2.0**170 for size in sizes))


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "count_far": (of_any_size(), counts_those_beyond),
    "build_tree": (trees(), joins_children),
    "frames_slide": (framed(), says_whether_they_slide),
    "join_ranges": (ranges_of_states(), joins_what_is_between),
    "least_rows": (extremes(), finds_the_least),
    "naive_states": (states("naive_states"), updates_row_by_row),
    "query_tree": (states("query_tree"), updates_row_by_row),
    "running_states": (states("running_states"), updates_row_by_row),
    "sliding_states": (states("sliding_states"), updates_row_by_row),
    "tree_states": (states("tree_states"), updates_row_by_row),
}
