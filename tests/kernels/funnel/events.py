"""Streams of events for the funnel, drawn by Hypothesis: ties, repeats, overlaps, gaps."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

MODES = ("strict_order", "strict_deduplication", "strict_increase", "strict_once", "allow_reentry")

#: Every combination that ClickHouse accepts: allow_reentry needs strict_order.
COMBINATIONS = [
    {mode: bool(on) for mode, on in zip(MODES, switches, strict=True)}
    for switches in product((0, 1), repeat=len(MODES))
    if switches[0] or not switches[-1]
]

WINDOWS = st.one_of(st.integers(0, 12), st.just(10**6))


@dataclass(frozen=True)
class Streams:
    """The streams of several users, one after another."""

    steps: int
    window: int
    users: list[list[tuple[int, int]]]

    @property
    def columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
        """The offsets, times and conditions of a block."""
        rows = [row for user in self.users for row in user]
        offsets = np.cumsum([0, *map(len, self.users)], dtype=np.int64)
        time = np.array([time for time, _ in rows], np.int64)
        return offsets, time, np.array([conditions for _, conditions in rows], np.uint32)


@st.composite
def streams(
    draw: st.DrawFn,
    most_steps: int = 5,
    most_rows: int = 12,
    shift: int = 0,
    one_each: bool = False,
    times: st.SearchStrategy[int] | None = None,
    windows: st.SearchStrategy[int] = WINDOWS,
    most_users: int = 6,
) -> Streams:
    """Draw streams of close times, so that ties and window edges are common."""
    steps = draw(st.integers(1, most_steps))
    window = draw(windows)
    ones = st.integers(0, steps).map(lambda k: 1 << k - 1 if k else 0)
    any_of_them = ones if one_each else st.one_of(ones, st.integers(0, (1 << steps) - 1))
    row = st.tuples(st.integers(shift, shift + 10) if times is None else times, any_of_them)
    users = draw(st.lists(st.lists(row, max_size=most_rows), min_size=1, max_size=most_users))
    return Streams(steps, window, users)


def random_streams(seed: int, users: int, steps: int, window: int, spread: int) -> Streams:
    """Return many seeded streams: rows with none, one or several conditions, times with ties."""
    rng = np.random.default_rng(seed)

    def user() -> list[tuple[int, int]]:
        n = int(rng.integers(0, 14))
        several = rng.random(n) < 0.2
        one = np.where(rng.random(n) < 0.2, 0, 1 << rng.integers(0, steps, n))
        conditions = np.where(several, rng.integers(0, 1 << steps, n), one)
        return list(zip(rng.integers(0, spread, n).tolist(), conditions.tolist(), strict=True))

    return Streams(steps, window, [user() for _ in range(users)])


def name(modes: dict[str, Any]) -> str:
    """Return a readable name of a combination of modes."""
    return "+".join(mode for mode, on in modes.items() if on) or "default"
