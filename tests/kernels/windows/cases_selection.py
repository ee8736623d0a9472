"""Cases of the registry's tests for the kernels that select by rank."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Args = list[Any]
Oracle = Callable[[Args, Args, Any], bool]

LEAST, MOST = -(2**63), 2**63 - 1


@st.composite
def columns(draw: st.DrawFn) -> NDArray[np.int64]:
    """Draw keys that are unsorted, sorted, with many ties, or far apart."""
    size, seed = draw(st.integers(0, 150)), draw(st.integers(0, 999))
    low, high = draw(st.sampled_from([(0, 0), (-2, 2), (-500, 500), (LEAST, MOST)]))
    key = np.random.default_rng(seed).integers(low, high, size, endpoint=True)
    shapes = {
        "any": key,
        "up": np.sort(key),
        "down": np.sort(key)[::-1].copy(),
        "ends": np.where(np.arange(size) % max(size // 9, 1) == 0, LEAST, key),
    }
    return shapes[draw(st.sampled_from(sorted(shapes)))]


@st.composite
def selections(draw: st.DrawFn) -> Args:
    key = draw(columns())
    some = st.lists(st.integers(-1, len(key) - 1), min_size=1, max_size=5)
    return [key, np.sort(np.array(draw(some), np.int64))]


@st.composite
def splits(draw: st.DrawFn) -> Args:
    key = draw(columns())
    pivot = draw(st.sampled_from([LEAST, -1, 0, 1, MOST, *key[:3].tolist()]))
    return [key, pivot, draw(st.booleans())]


@st.composite
def sizes_and_quantiles(draw: st.DrawFn) -> Args:
    size = np.array(draw(st.lists(st.integers(0, 9), max_size=6)), np.int64)
    q = np.array([draw(st.floats(0, 1)), 0.25, 0.25])
    matrices = np.zeros((3, len(size), 3))
    quantiles = [q, np.array([-1, -2, 250_000_000])]
    return [size, *quantiles, *matrices[:2].astype(np.int64), matrices[2]]


def selects_as_sorting(before: Args, after: Args, result: Any) -> bool:
    key, ranks = after[0], [rank for rank in before[1].tolist() if rank >= 0]
    ordered = np.sort(before[0])
    return (np.sort(key) == ordered).all() and all(
        key[rank] == ordered[rank]
        and (key[:rank] <= key[rank]).all()
        and (key[rank:] >= key[rank]).all()
        for rank in ranks
    )


def splits_at_the_pivot(before: Args, after: Args, result: Any) -> bool:
    key, pivot, with_equals = before[0].tolist(), *before[1:]
    front = sorted(k for k in key if k < pivot or (with_equals and k == pivot))
    moved = after[0].tolist()
    return result == len(front) and sorted(moved[:result]) == front and sorted(moved) == sorted(key)


def places_by_formula(before: Args, after: Args, result: Any) -> bool:
    for size, low, high, part in zip(before[0], *after[3:], strict=True):
        place = max(size - 1, 0) * before[1][0]
        disc = max(int(np.ceil(size * 0.25)), 1) - 1
        expected_low, expected_high = [int(place), disc, disc], [int(np.ceil(place)), disc, disc]
        if size == 0:
            expected_low = expected_high = [-1, -1, -1]
        if low.tolist() != expected_low or high.tolist() != expected_high:
            return False
        if not np.allclose(part, [place % 1, 0, 0]):
            return False
    return True


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "move_below": (splits(), splits_at_the_pivot),
    "quantile_places": (sizes_and_quantiles(), places_by_formula),
    "select_ranks": (selections(), selects_as_sorting),
}
