"""Cases of the registry's tests for the kernels of cells."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.structures.instants import LEAST
from kernels.tiling import cells as c

Args = list[Any]
#: A count, a total, the latest value, and the total as a floating number.
SLOTS = np.array([[c.COUNT, 3, 0], [c.WHOLE, 4, 0], [c.LAST, 6, 0], [c.TOTAL, 10, 0]])
WHOLE, REAL, SIZE = 10, 2, 12
HOPS = np.array([4, 6])
#: Series, length, hop, and the core's begin for an upload until 24 that serves up to 40.
WINDOWS = np.array([[0, 9, 4, 24], [0, 30, 4, 8], [1, 30, 6, 6], [1, -1, 6, LEAST]])
UNTIL = 24


def as_cells(time: Any, value: Any) -> tuple[Any, Any]:
    """Return events as cells of one event each."""
    ones, zeros = np.ones(len(time), np.int64), np.zeros(len(time), np.int64)
    picks = [ones, time, ones, value]
    whole = np.stack([zeros, time, time, ones, value, ones, *picks], axis=1)
    return whole, np.stack([value, ones], axis=1).astype(float)


@st.composite
def events(draw: st.DrawFn, low: int = -30, high: int = UNTIL - 1) -> tuple[Any, Any]:
    pairs = sorted(
        draw(st.lists(st.tuples(st.integers(low, high), st.integers(-9, 9)), max_size=20))
    )
    time = np.array([time for time, _ in pairs], np.int64)
    return time, np.array([value for _, value in pairs], np.int64)


def words_of(cells: Any, numbers: Any, count: int) -> Any:
    return np.concatenate([cells[:count], numbers[:count].view(np.int64)], axis=1).ravel()


def rolled(time: Any, value: Any, windows: Any, since: int) -> Any:
    """Return events as the words of cells, made by the kernel that is tested here too."""
    room = 2 * len(time) + len(windows)
    cells, numbers = np.zeros((room, WHOLE), np.int64), np.zeros((room, REAL))
    single = as_cells(time, value)
    count = c.roll_up.python(time, *single, since, HOPS, windows, SLOTS, cells, numbers)
    return words_of(cells, numbers, count)


STORED = np.array([[0, -1, 4, 2**62], [1, -1, 6, 2**62]])


@st.composite
def rolls(draw: st.DrawFn) -> Args:
    time, value = draw(events())
    room = 2 * len(time) + len(WINDOWS)
    memory = [np.zeros((room, WHOLE), np.int64), np.zeros((room, REAL))]
    return [time, *as_cells(time, value), UNTIL, HOPS, WINDOWS, SLOTS, *memory]


@st.composite
def merges(draw: st.DrawFn) -> Args:
    stored, new = (rolled(*draw(events()), STORED, LEAST) for _ in range(2))
    words = np.concatenate([stored, new])
    count = len(words) // SIZE
    memory = [np.zeros((count, WHOLE), np.int64), np.zeros((count, REAL))]
    return [words, words.view(float), draw(st.integers(-40, 30)), SLOTS, *memory]


@st.composite
def joins(draw: st.DrawFn) -> Args:
    at = draw(st.integers(UNTIL, 40))
    words = rolled(*draw(events()), WINDOWS, UNTIL)
    states = [np.zeros(len(WINDOWS) * WHOLE, np.int64), np.zeros(len(WINDOWS) * REAL)]
    return [words, words.view(float), at, LEAST, UNTIL, len(HOPS), WINDOWS, SLOTS, *states]


def state(time: Any, value: Any, rows: Any) -> list[int]:
    """Return the number of events, their total, and the value of the last one."""
    last = max(((time[row], value[row]) for row in rows), default=(0, 0))
    return [len(rows), int(value[rows].sum()), int(last[1])]


def totals_of(cell: Any, numbers: Any) -> list[int]:
    assert cell[5] == cell[3] == cell[6] == 0 or cell[6] == 1
    assert numbers.tolist() == [cell[4], cell[3]]
    return [int(cell[3]), int(cell[4]), int(cell[9])]


def rolls_up(before: Args, after: Args, result: Any) -> bool:
    """Return whether every core is one cell, and every hop of a tail another one."""
    time, value = before[0], before[1][:, 4]
    expected = {}
    for w, (h, length, hop, core) in enumerate(WINDOWS.tolist()):
        if (rows := np.flatnonzero(time >= core)).size:
            expected[len(HOPS) + w, core] = state(time, value, rows)
        low = LEAST if length < 0 else (UNTIL - length) // hop * hop
        for begin in {t // hop * hop for t in time.tolist()}:
            if low <= begin < core:
                rows = np.flatnonzero(time // hop * hop == begin)
                expected[h, begin] = state(time, value, rows)
    cells, numbers = after[7][:result], after[8][:result]
    found = {
        (int(one[0]), int(one[1])): totals_of(one, number)
        for one, number in zip(cells, numbers, strict=True)
    }
    return found == expected and len(found) == result


def merges_hops(before: Args, after: Args, result: Any) -> bool:
    words, since = before[0].reshape(-1, SIZE), before[2]
    totals: dict[tuple[int, int], list[int]] = {}
    for one in words.tolist():
        if one[1] >= since:
            old = totals.get((one[0], one[1]), [0, 0])
            totals[one[0], one[1]] = [old[0] + one[3], old[1] + one[4]]
    found = [(int(one[0]), int(one[1])) for one in after[4][:result]]
    sums = [totals_of(*pair)[:2] for pair in zip(after[4][:result], after[5][:result], strict=True)]
    return found == sorted(totals) and sums == [totals[hop] for hop in found]


def joins_windows(before: Args, after: Args, result: Any) -> bool:
    """Return whether each window is its collapsed cell and the hops since its begin."""
    words, at = before[0].reshape(-1, SIZE), before[2]
    expected = []
    for w, (h, length, hop, core) in enumerate(WINDOWS.tolist()):
        low = LEAST if length < 0 else (at - length) // hop * hop
        window_cells = [
            one
            for one in words.tolist()
            if one[0] == len(HOPS) + w or (one[0] == h and low <= one[1] < core)
        ]
        expected.append([sum(one[3] for one in window_cells), sum(one[4] for one in window_cells)])
    states, numbers = after[8].reshape(-1, WHOLE), after[9].reshape(-1, REAL)
    found = [totals_of(*pair)[:2] for pair in zip(states, numbers, strict=True)]
    return found == expected and result == 0


CASES = {
    "roll_up": (rolls(), rolls_up),
    "merge_cells": (merges(), merges_hops),
    "join_windows": (joins(), joins_windows),
}
