"""Cases of the registry's tests for the kernels of distinct values and of joined texts."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.states.states import Last, Least, Product, Sum
from kernels.windows.distinct.count import hull
from tests.kernels.frames.frames import members, random_frames
from tests.kernels.windows.cases_aggregates import INVERTIBLE, state_of
from tests.kernels.windows.cases_holistic import (
    Args,
    Oracle,
    blank,
    check_frames,
    deviation,
    framed,
    keys,
    ordered,
)

WORDS = [b"", b"a", b"bc", "é".encode()]


@st.composite
def states(draw: st.DrawFn, inverse: bool) -> Args:
    """Draw few different values, and another column that depends only on the value."""
    empty = draw(st.sampled_from(INVERTIBLE if inverse else [Sum(0, 0), Product(), Least()]))
    key, rows = draw(keys), draw(st.integers(1, 12))
    value = key.astype(np.asarray(empty).dtype)
    frames = draw(random_frames(len(key), rows))
    return [empty, value, value * 2, key, *frames, np.zeros((rows, len(empty)), value.dtype)]


@st.composite
def quantiles(draw: st.DrawFn) -> Args:
    key, rows = draw(keys), draw(st.integers(1, 20))
    billionths = draw(st.sampled_from([-1, -2, 250_000_000]))
    q = [np.array([0.25, draw(st.floats(0, 1))]), np.array([billionths, -1])]
    frames = draw(random_frames(len(key), rows))
    return [ordered(key), key, *frames, *q, *blank(2, rows, 2), np.zeros((rows, 2))]


@st.composite
def deviations(draw: st.DrawFn) -> Args:
    key, rows = draw(keys), draw(st.integers(1, 20))
    frames = draw(random_frames(len(key), rows))
    return [key.astype(np.float64), ordered(key), key, *frames, np.zeros(rows)]


@st.composite
def visits(draw: st.DrawFn) -> Args:
    frames = draw(framed())
    return [*frames, np.zeros(len(frames[0]), np.uint32)]


@st.composite
def texts(draw: st.DrawFn) -> Args:
    """Draw concatenated words that are repeated or listed once."""
    which = draw(st.lists(st.integers(0, 3), min_size=1, max_size=30))
    rows, once = draw(st.integers(1, 12)), draw(st.booleans())
    stop = np.cumsum([len(WORDS[k]) for k in which], dtype=np.int64)
    start = stop - [len(WORDS[k]) for k in which]
    back = [max((j for j in range(i) if which[j] == k), default=-1) for i, k in enumerate(which)]
    previous = np.array(back if once else [-1] * len(which), np.int64)
    frames = draw(random_frames(len(which), rows))
    text = as_bytes(b"".join(WORDS[k] for k in which))
    expected = [b"-".join(chosen(text, start, stop, previous, *frames, i)) for i in range(rows)]
    ends = np.cumsum([0, *map(len, expected)], dtype=np.int64)
    written = np.zeros(ends[-1], np.uint8)
    return [text, start, stop, previous, *frames, as_bytes(b"-"), ends[:-1].copy(), written]


def as_bytes(text: bytes) -> Any:
    return np.frombuffer(text, np.uint8).copy()


def chosen(text: Any, start: Any, stop: Any, previous: Any, begin: Any, end: Any, i: int) -> Any:
    """Return the texts of a frame, each once if earlier rows with the same text are linked."""
    inside = members(begin, end, i)
    found = [(row, bytes(text[start[row] : stop[row]])) for row in inside]
    once = (previous >= 0).any()
    if once:
        found = list({word: (row, word) for row, word in reversed(found)}.values())
    return [word for _, word in sorted(found)]


def joins_by_force(before: Args, after: Args, result: Any) -> bool:
    text, start, stop, previous, begin, end, separator = before[:7]
    frames = (chosen(text, start, stop, previous, begin, end, i) for i in range(len(begin)))
    return bytes(after[-1]) == b"".join(bytes(separator).join(words) for words in frames)


def once_each(before: Args, after: Args, result: Any) -> bool:
    """Return whether each value is once in the states, in any order of the values."""
    empty, value, other, key, begin, end = before[:6]
    for i in range(len(begin)):
        rows = list({key[row]: row for row in reversed(members(begin, end, i))}.values())
        expected = state_of(empty, value, other, sorted(rows))
        found = after[-1][i].tolist()
        # Any row of a value may represent it.
        ends = 1 if isinstance(empty, Least | Last) else len(expected)
        if not np.allclose(found[:ends], expected[:ends]):
            return False
    return True


def quantiles_of_distinct_values(before: Args, after: Args, result: Any) -> bool:
    _, key, begin, end, q, billionths = before[:6]
    low, high, fraction = after[-3:]
    for i in range(len(begin)):
        inside = sorted({int(key[row]) for row in members(begin, end, i)})
        for k in range(2):
            rows = low[i, k], high[i, k]
            if not inside:
                expected: tuple[Any, ...] = -1, -1, 0
                found: tuple[Any, ...] = rows
            else:
                found = key[rows[0]], key[rows[1]]
                if billionths[k] == -1:
                    place = (len(inside) - 1) * q[k]
                    expected = inside[int(place)], inside[int(np.ceil(place))], place % 1
                else:
                    at = max(int(np.ceil(len(inside) * 0.25)), 1) - 1
                    expected = inside[at], inside[at], 0
            if found != expected[:2] or abs(fraction[i, k] - expected[2]) > 1e-9:
                return False
    return True


def deviation_of_distinct_values(before: Args, after: Args, result: Any) -> bool:
    def once(rows: list[Any]) -> float:
        return deviation(list({value: (row, value) for row, value in rows}.values()))

    return check_frames(before[0], before[3:5], after[-1], once)


def ends_never_move_back(before: Args, after: Args, result: Any) -> bool:
    visit = after[2].tolist()
    ends = [hull(before[0], before[1], i)[1] for i in visit]
    some = [end for end in ends if end > 0]
    return sorted(visit) == list(range(len(visit))) and some == sorted(some)


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "by_end": (visits(), ends_never_move_back),
    "distinct_deviations": (deviations(), deviation_of_distinct_values),
    "distinct_quantiles": (quantiles(), quantiles_of_distinct_values),
    "join": (texts(), joins_by_force),
    "running_distinct": (states(inverse=True), once_each),
    "sweep_distinct": (states(inverse=False), once_each),
}
