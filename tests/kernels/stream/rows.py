"""Rows that arrive and are deleted, for windows kept up to date, and the rows an extent sees."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.frames.extent import FrameExtent
from kernels.stream.sort_buffer import Merged, merge_rows, sorted_rows

MOST = 2**63 - 1
UNITS = ("rows", "range", "groups", "session")

#: Just before 1970 and after it, with ties.
codes = st.integers(-6, 6)


@st.composite
def extents(draw: st.DrawFn, units: tuple[str, ...] = UNITS, ahead: bool = True) -> FrameExtent:
    """Draw an extent: before the row, around it or after it, with or without a bound."""
    low, high = sorted([draw(st.integers(-3, 3)), draw(st.integers(-3, 3))])
    to = high if not ahead else draw(st.sampled_from([high, high, high, None]))
    unit = draw(st.sampled_from(units))
    if unit == "session":
        return FrameExtent(unit, -abs(high) - 1, abs(high) + 1)
    return FrameExtent(unit, draw(st.sampled_from([low, low, low, None])), to)


def in_session(extent: FrameExtent, code: list[int], one: int, other: int) -> bool:
    """Return whether two codes are in one session, given the codes between them."""
    assert extent.high is not None
    low, high = sorted((one, other))
    chain = [low, *sorted(c for c in code if low < c < high), high]
    return all(b - a < extent.high for a, b in pairwise(chain))


def steps(code: list[int], one: int, other: int) -> int:
    """Return the distance in groups of peers from one code to another."""
    low, high = min(one, other), max(one, other)
    return 0 if one == other else 1 + len({c for c in code if low < c < high})


def within(extent: FrameExtent, away: int) -> bool:
    """Return whether a place at a distance after a row is within the bounds of its extent."""
    above = extent.low is None or extent.low <= away
    return above and (extent.high is None or away <= extent.high)


def reaches(extent: FrameExtent, away: int) -> bool:
    """Return as ``within`` does, and True for a place between the row and its frame."""
    wide = FrameExtent(
        extent.unit,
        None if extent.low is None else min(extent.low, 0),
        None if extent.high is None else max(extent.high, 0),
    )
    return within(wide, away)


@dataclass(frozen=True)
class Batch:
    """Rows of several partitions, some of which are deleted, and arrivals; an id breaks ties."""

    offsets: Ints
    code: Ints
    tie: Ints
    gone: NDArray[np.uint8]
    new_offsets: Ints
    new_code: Ints
    new_tie: Ints

    @property
    def merged(self) -> Merged:
        """The partitions after the batch."""
        arrivals = self.new_offsets, self.new_code, self.new_tie
        return merge_rows(self.offsets, self.code, self.tie, self.gone, *arrivals)

    def after(self, merged: Merged, old: Any, new: Any) -> NDArray[Any]:
        """Return a column after the batch."""
        return np.concatenate([old, new])[merged.source]


def ends_of(sizes: list[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def column(rows: list[Any], index: int = 0) -> Ints:
    return np.array([row[index] for row in rows], np.int64)


@st.composite
def batches(draw: st.DrawFn, most: int = 12) -> Batch:
    """Draw partitions, some of them empty; a deleted row may arrive again unchanged."""
    old: list[list[tuple[int, int, int]]] = []
    new: list[list[tuple[int, int]]] = []
    tie = 0
    for _ in range(draw(st.integers(1, 3))):
        present = draw(st.lists(st.tuples(codes, st.sampled_from("kkkkgr")), max_size=most))
        arriving = draw(st.lists(codes, max_size=4))
        rows = [(code, tie + i, fate) for i, (code, fate) in enumerate(present)]
        tie += len(present) + len(arriving)
        arrivals = [(code, tie - i) for i, code in enumerate(arriving)]
        arrivals += [(code, number) for code, number, fate in rows if fate == "r"]
        old.append(sorted((code, number, int(fate != "k")) for code, number, fate in rows))
        new.append(sorted(arrivals))
    rows_, arrivals_ = [r for part in old for r in part], [r for part in new for r in part]
    return Batch(
        ends_of([len(part) for part in old]),
        column(rows_),
        column(rows_, 1),
        column(rows_, 2).astype(np.uint8),
        ends_of([len(part) for part in new]),
        column(arrivals_),
        column(arrivals_, 1),
    )


def arrivals(rows: list[tuple[int, int, int]], partitions: int) -> tuple[Ints, Ints, Ints]:
    """Sort rows of (partition, code, tie): their offsets, codes and ties."""
    rows = sorted(rows)
    counts = [sum(p == partition for p, _, _ in rows) for partition in range(partitions)]
    offsets = ends_of(counts)
    code, tie = column(rows, 1), column(rows, 2)
    assert sorted_rows(offsets, code, tie).tolist() == list(range(len(rows)))
    return offsets, code, tie
