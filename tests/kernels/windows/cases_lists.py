"""Cases of the registry's tests for the kernels that list several values of each frame."""

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.kernels.frames.frames import members, random_frames
from tests.kernels.windows.cases_holistic import Args, Oracle, blank, keys, ordered


@st.composite
def ends(draw: st.DrawFn) -> Args:
    rows, k = draw(st.integers(1, 20)), draw(st.integers(1, 5))
    begin, end = draw(random_frames(draw(st.integers(1, 40)), rows))
    size = np.minimum((end - begin).sum(axis=1), k)
    ends_at = np.cumsum([0, *size], dtype=np.int64)
    return [begin, end, ends_at[:-1].copy(), size, draw(st.booleans()), blank(ends_at[-1])]


@st.composite
def frequencies(draw: st.DrawFn, numbered: bool) -> Args:
    """Draw values as numbers or as keys, frames, and room for lists of some or all values."""
    key, rows = draw(keys), draw(st.integers(1, 20))
    greatest, once = draw(st.booleans()), draw(st.booleans())
    frames, k = draw(random_frames(len(key), rows)), draw(st.integers(1, 9))
    size = [min(k, len(listed(key[members(*frames, i)], False, once))) for i in range(rows)]
    ends_at = np.cumsum([0, *size], dtype=np.int64)
    room = [ends_at[:-1].copy(), np.array(size, np.int64), greatest, once, *blank(2, ends_at[-1])]
    if not numbered:
        return [ordered(key), key, *frames, *room]
    different, number = np.unique(key, return_inverse=True)
    return [number.astype(np.int64), len(different), *frames, *room]


def listed(values: Any, greatest: bool, once: bool) -> list[tuple[int, int]]:
    """Return pairs of each value and its frequency, listed once or as often as it occurs."""
    pairs = sorted(Counter(values.tolist()).items(), reverse=greatest)
    return [pair for pair in pairs for _ in range(1 if once else pair[1])]


def lists_the_ends(before: Args, after: Args, result: Any) -> bool:
    begin, end, _, size, last = before[:5]
    expected = []
    for i in range(len(begin)):
        inside = members(begin, end, i)
        expected += inside[len(inside) - size[i] :] if last else inside[: size[i]]
    return bool(after[-1].tolist() == expected)


def lists_values(before: Args, after: Args, result: Any) -> bool:
    return lists_by_counting(before[0], before, after, after[-2].tolist())


def lists_rows(before: Args, after: Args, result: Any) -> bool:
    key = before[1]
    pairs = [key.tolist().index(key[row]) for row in after[-2]]
    return pairs == after[-2].tolist() and lists_by_counting(key, before, after, key[after[-2]])


def lists_by_counting(values: Any, before: Args, after: Args, pairs: Any) -> bool:
    begin, end, _, size, greatest, once = before[2:8]
    expected = []
    for i in range(len(begin)):
        expected += listed(values[members(begin, end, i)], greatest, once)[: size[i]]
    counts = after[-1].tolist() if once else [count for _, count in expected]
    return list(zip(pairs, counts, strict=True)) == expected


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "end_rows": (ends(), lists_the_ends),
    "find_frequencies": (frequencies(numbered=True), lists_values),
    "list_frequencies": (frequencies(numbered=False), lists_rows),
    "walk_frequencies": (frequencies(numbered=True), lists_values),
}
