"""Cases of the registry's tests for the kernels of moving frames that need every value."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.structures.sort_keys import link_equals
from kernels.windows.short_frames import LONGEST
from tests.kernels.frames.frames import members, random_frames

Args = list[Any]
Oracle = Callable[[Args, Args, Any], bool]

keys = st.lists(st.integers(-5, 5), min_size=1, max_size=90).map(lambda k: np.array(k, np.int64))


def ordered(key: NDArray[np.int64]) -> NDArray[np.uint32]:
    return np.argsort(key, kind="stable").astype(np.uint32)


def ranked(order: NDArray[np.uint32]) -> NDArray[np.int64]:
    return np.argsort(order).astype(np.int64)


def blank(*shape: int) -> NDArray[np.int64]:
    return np.zeros(shape, np.int64)


@st.composite
def orderings(draw: st.DrawFn) -> Args:
    key = draw(keys)
    return [key, np.zeros(len(key), np.uint32)]


@st.composite
def links(draw: st.DrawFn) -> Args:
    key = draw(keys)
    return [key, *blank(3, len(key))]


@st.composite
def framed(draw: st.DrawFn) -> Args:
    return list(draw(random_frames(draw(st.integers(1, 90)), draw(st.integers(1, 20)))))


@st.composite
def visits(draw: st.DrawFn) -> Args:
    frames = draw(framed())
    return [*frames, np.zeros(len(frames[0]), np.uint32)]


@st.composite
def quantiles(draw: st.DrawFn, with_rank: bool = True) -> Args:
    order = ordered(draw(keys))
    rest = draw(frames_and_quantiles(len(order)))
    return [order, ranked(order), *rest] if with_rank else [order, *rest]


@st.composite
def short(draw: st.DrawFn) -> Args:
    key = draw(keys)[:LONGEST]
    return [key, *draw(frames_and_quantiles(len(key)))]


@st.composite
def frames_and_quantiles(draw: st.DrawFn, values: int) -> Args:
    """Draw frames and quantiles, with room for the results."""
    rows = draw(st.integers(1, 20))
    frames = draw(random_frames(values, rows))
    billionths = draw(st.sampled_from([-1, -2, 250_000_000]))
    q = [np.array([0.25, draw(st.floats(0, 1))]), np.array([billionths, -1])]
    return [*frames, *q, *blank(2, rows, 2), np.zeros((rows, 2))]


@st.composite
def interpolations(draw: st.DrawFn) -> Args:
    value = np.array(draw(st.lists(st.floats(-9, 9), min_size=1, max_size=9)))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    low, high = random.integers(-1, len(value), (2, 5, 2))
    high[low < 0] = -1
    high = np.where((high < 0) & (low >= 0), low, high)
    return [value, low, high, random.random((5, 2)), np.zeros((5, 2))]


def orders_stably(before: Args, after: Args, result: Any) -> bool:
    return bool((after[1] == ordered(before[0])).all())


def links_neighbours(before: Args, after: Args, result: Any) -> bool:
    key = before[0].tolist()
    distinct = list(dict.fromkeys(key))
    previous = [max((j for j in range(i) if key[j] == k), default=-1) for i, k in enumerate(key)]
    following = [
        next((j for j in range(i + 1, len(key)) if key[j] == k), -1) for i, k in enumerate(key)
    ]
    expected = [distinct.index(k) for k in key], previous, following
    return result == len(distinct) and [a.tolist() for a in after[1:]] == list(expected)


def exchanged(begin: Any, end: Any, order: list[int]) -> int:
    """Return how many rows leave or enter pieces when frames are visited in an order."""
    total = 0
    for piece in range(begin.shape[1]):
        pieces = [set(range(begin[i, piece], end[i, piece])) for i in order]
        total += sum(len(a ^ b) for a, b in zip([set(), *pieces], pieces, strict=False))
    return total


def counts_exchanges(before: Args, after: Args, result: Any) -> bool:
    begin, end = before
    return bool(result == exchanged(begin, end, list(range(len(begin)))))


def visits_each_once(before: Args, after: Args, result: Any) -> bool:
    natural = list(range(len(before[0])))
    return sorted(after[2].tolist()) == natural and (not result or after[2].tolist() == natural)


def quantiles_of_keys(before: Args, after: Args, result: Any) -> bool:
    return quantiles_by_sorting([ordered(before[0]), *before[1:]], after, result)


def quantiles_by_sorting(before: Args, after: Args, result: Any) -> bool:
    rank = ranked(before[0])
    begin, end, q, billionths = before[-7:-3]
    low, high, fraction = (column.tolist() for column in after[-3:])
    for i in range(len(begin)):
        inside = sorted(members(begin, end, i), key=lambda row: rank[row])
        for k in range(2):
            if not inside:
                expected = -1, -1, 0
            elif billionths[k] == -1:
                place = (len(inside) - 1) * q[k]
                expected = inside[int(place)], inside[int(np.ceil(place))], place % 1
            else:
                index = max(int(np.ceil(len(inside) * 0.25)), 1) - 1
                expected = inside[index], inside[index], 0
            if (low[i][k], high[i][k]) != expected[:2] or abs(fraction[i][k] - expected[2]) > 1e-9:
                return False
    return True


@st.composite
def counted(draw: st.DrawFn, kernel: str) -> Args:
    """Draw a kernel's description of a column, frames, and room for its results."""
    key = draw(keys)
    order, rows = ordered(key), draw(st.integers(1, 20))
    number, previous, following = blank(3, len(key))
    distinct = link_equals(key, number, previous, following)
    descriptions = {
        "walk_distinct": [number],
        "find_distinct": [previous, following],
        "walk_mode": [number, following, distinct],
        "walk_mad": [key[order].astype(np.float64), ranked(order)],
        "median_deviations": [key.astype(np.float64), order],
    }.get(kernel, [key])
    frames: tuple[Any, ...] = draw(random_frames(len(key), rows))
    if kernel == "walk_mode":
        frames = *frames, np.array(draw(st.permutations(range(rows))), np.uint32)
    deviations = kernel in ("walk_mad", "median_deviations")
    return [*descriptions, *frames, np.zeros(rows) if deviations else blank(rows)]


def check_frames(values: Any, frames: Args, got: Any, answer: Callable[[list[Any]], Any]) -> bool:
    """Return whether the result of each frame is that over its rows, as (row, value)."""
    begin, end = frames
    expected = [
        answer([(row, values[row]) for row in members(begin, end, i)]) for i in range(len(begin))
    ]
    return np.allclose(got, expected, equal_nan=True)


def count_values(rows: list[Any]) -> int:
    return len({value for _, value in rows})


def first_of_mode(rows: list[Any]) -> int:
    counts = Counter(value for _, value in rows)
    most = max(counts.values(), default=0)
    return next((row for row, value in rows if counts[value] == most), -1)


def deviation(rows: list[Any]) -> float:
    values = np.array([value for _, value in rows] or [np.nan])
    return float(np.median(np.abs(values - np.median(values))))


def numbered(before: Args, after: Args, result: Any) -> bool:
    return check_frames(before[0], before[1:3], after[-1], count_values)


def linked(before: Args, after: Args, result: Any) -> bool:
    value = list(range(len(before[0])))
    for row, previous in enumerate(before[0]):
        value[row] = value[previous] if previous >= 0 else row
    return check_frames(value, before[2:4], after[-1], count_values)


def mode_of_keys(before: Args, after: Args, result: Any) -> bool:
    return check_frames(before[0], before[1:3], after[-1], first_of_mode)


def deviation_of_values(before: Args, after: Args, result: Any) -> bool:
    return check_frames(before[0], before[2:4], after[-1], deviation)


def mode_of_numbers(before: Args, after: Args, result: Any) -> bool:
    return check_frames(before[0], before[3:5], after[-1], first_of_mode)


def deviation_of_ranks(before: Args, after: Args, result: Any) -> bool:
    value = before[0][before[1]]
    return result == 0 or check_frames(value, before[2:4], after[-1], deviation)


def deviation_of_all_ranks(before: Args, after: Args, result: Any) -> bool:
    return deviation_of_ranks(before, after, 1)


def interpolates(before: Args, after: Args, result: Any) -> bool:
    value, low, high, part = before[:4]
    expected = value[low] * (1 - part) + value[high] * part
    return np.allclose(after[4], np.where(low < 0, np.nan, expected), equal_nan=True)


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "count_distinct": (counted("count_distinct"), numbered),
    "find_distinct": (counted("find_distinct"), linked),
    "find_mad": (counted("walk_mad"), deviation_of_all_ranks),
    "find_quantiles": (quantiles(), quantiles_by_sorting),
    "insert_quantiles": (short(), quantiles_of_keys),
    "interpolate": (interpolations(), interpolates),
    "link_equals": (links(), links_neighbours),
    "median_deviations": (counted("median_deviations"), deviation_of_values),
    "mode_rows": (counted("mode_rows"), mode_of_keys),
    "order_rows": (orderings(), orders_stably),
    "quantile_rows": (quantiles(with_rank=False), quantiles_by_sorting),
    "turnover": (framed(), counts_exchanges),
    "visit_order": (visits(), visits_each_once),
    "walk_distinct": (counted("walk_distinct"), numbered),
    "walk_mad": (counted("walk_mad"), deviation_of_ranks),
    "walk_mode": (counted("walk_mode"), mode_of_numbers),
    "walk_quantiles": (quantiles(), quantiles_by_sorting),
}
