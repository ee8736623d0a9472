"""Frames for the tests: random ones, and those of a window in SQL with DuckDB's results."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from kernels.core.arrays import Ints
from tests.oracle import duck

Frames = tuple[Ints, Ints]

EXCLUDES = ("NO OTHERS", "CURRENT ROW", "GROUP", "TIES")

#: Values with ties, extremes, infinities and NaN.
FLOATS = st.sampled_from([-1e9, -2.5, -1.0, -0.0, 0.0, 0.1, 0.7, 1.0, 3.0, 8.0, 1e300])
SPECIALS = st.one_of(FLOATS, st.sampled_from([float("nan"), float("inf"), float("-inf")]))


def members(begin: Ints, end: Ints, i: int) -> list[int]:
    """Return the rows of a frame."""
    return [row for b, e in zip(begin[i], end[i], strict=True) for row in range(b, e)]


@st.composite
def random_frames(draw: st.DrawFn, values: int, rows: int) -> Frames:
    """Draw frames that slide or jump, of one piece or with a hole."""
    pieces = draw(st.sampled_from([1, 3]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    ends = np.sort(random.integers(0, values + 1, (rows, 2 * pieces)), axis=1)
    if draw(st.booleans()):
        ends = np.sort(ends, axis=0)
    return np.ascontiguousarray(ends[:, ::2]), np.ascontiguousarray(ends[:, 1::2])


@dataclass(frozen=True)
class Window:
    """A window in SQL: rows back and ahead of each row, in groups of peers, and what to exclude."""

    back: list[int]
    ahead: list[int]
    peer: list[int]
    exclude: str

    @property
    def frames(self) -> Frames:
        """The frame of each row as three ranges."""
        peer = np.array(self.peer, np.int64)
        row = np.arange(len(peer))
        first, last = np.searchsorted(peer, peer), np.searchsorted(peer, peer, side="right")
        low = np.maximum(row - self.back, 0)
        high = np.minimum(row + self.ahead + 1, len(peer))
        hole = {"NO OTHERS": (row, row), "CURRENT ROW": (row, row + 1)}
        out, back_in = hole.get(self.exclude, (first, last))
        of_row = [row, row + 1] if self.exclude == "TIES" else [out, out]
        ends = np.stack([low, out, *of_row, back_in, high], axis=1).astype(np.int64)
        ends = np.clip(ends, low[:, None], high[:, None])
        return np.ascontiguousarray(ends[:, ::2]), np.ascontiguousarray(ends[:, 1::2])

    def ask_duckdb(self, call: str, **columns: Any) -> list[Any]:
        """Return DuckDB's results of a function over this window."""
        table_columns = {"back": self.back, "ahead": self.ahead, "peer": self.peer, **columns}
        rows = pa.table({name: pa.array(column) for name, column in table_columns.items()})  # noqa: F841
        query = f"""
            SELECT {call} OVER (ORDER BY peer ROWS BETWEEN back PRECEDING AND ahead FOLLOWING
                                EXCLUDE {self.exclude}) FROM rows"""
        with duck() as connection:
            return [answer for (answer,) in connection.execute(query).fetchall()]


@st.composite
def windows(draw: st.DrawFn, most: int = 20) -> Window:
    """Draw a window: with the same bounds for every row, or with separate ones.

    DuckDB keeps the order of peers only where it sorts by insertion, below 24 rows.
    """
    size = draw(st.integers(1, most))
    reach = st.integers(0, 8)
    if draw(st.booleans()):
        back, ahead = [draw(reach)] * size, [draw(reach)] * size
    else:
        back, ahead = (draw(st.lists(reach, min_size=size, max_size=size)) for _ in range(2))
    peer = sorted(draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)))
    return Window(back, ahead, peer, draw(st.sampled_from(EXCLUDES)))
