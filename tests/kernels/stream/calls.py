"""Window calls with the engine's functions, over whole partitions or over slices of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import (
    frame_ranges,
    lead_rows,
    moving_aggregate,
    moving_mode,
    moving_quantile,
    order_by_key,
    ranking,
)
from kernels.core.arrays import Ints
from kernels.frames.extent import FrameExtent, frame_extent
from tests.kernels.stream.rows import extents

Answers = NDArray[Any]


@dataclass(frozen=True)
class Slices:
    """Sorted rows, and the numbers of rows and groups of peers before them."""

    offsets: Ints
    code: Ints
    value: Ints
    before: Ints | int = 0
    peers: Ints | int = 0

    def each(self, of_partition: Ints | int) -> Ints:
        sizes = np.diff(self.offsets)
        return np.repeat(np.broadcast_to(of_partition, len(sizes)), sizes)


@dataclass(frozen=True)
class Call:
    """A call: how far it looks, and its results as floats, NaN for NULL."""

    name: str
    extent: FrameExtent
    answer: Callable[[Slices], Answers]


def _frames(rows: Slices, extent: FrameExtent, exclude: str) -> tuple[Ints, Ints]:
    order = order_by_key(rows.offsets, rows.code)
    return frame_ranges(order, extent.unit, extent.low, extent.high, exclude)


def _sum(extent: FrameExtent, exclude: str) -> Callable[[Slices], Answers]:
    def answer(rows: Slices) -> Answers:
        begin, end = _frames(rows, extent, exclude)
        total = moving_aggregate(rows.offsets, "integer_sum", rows.value, begin, end)
        return np.where((end - begin).sum(axis=1) > 0, total, np.nan)

    return answer


def _quantile(extent: FrameExtent, exclude: str) -> Callable[[Slices], Answers]:
    def answer(rows: Slices) -> Answers:
        frames = _frames(rows, extent, exclude)
        return moving_quantile(rows.offsets, rows.value, *frames, [0.3])[:, 0]

    return answer


def _mode(extent: FrameExtent, exclude: str) -> Callable[[Slices], Answers]:
    def answer(rows: Slices) -> Answers:
        at = moving_mode(rows.offsets, rows.value, *_frames(rows, extent, exclude))
        return _picked(rows, np.where(at < 0, -1, at + rows.each(rows.offsets[:-1])))

    return answer


def _shift(away: int) -> Callable[[Slices], Answers]:
    return lambda rows: _picked(rows, lead_rows(rows.offsets, away))


def _picked(rows: Slices, at: Ints) -> Answers:
    return np.where(at < 0, np.nan, np.append(rows.value, 0)[at])


def _ranking(name: str) -> Callable[[Slices], Answers]:
    def answer(rows: Slices) -> Answers:
        results = ranking(order_by_key(rows.offsets, rows.code), name).astype(np.float64)
        if name in ("percent_rank", "cume_dist"):
            return results
        return results + rows.each(rows.peers if name == "dense_rank" else rows.before)

    return answer


FRAMED = {"sum": _sum, "quantile": _quantile, "mode": _mode}
EXCLUDES = st.sampled_from(["no others", "current row", "group", "ties"])


@st.composite
def calls(draw: st.DrawFn, ahead: bool = True) -> Call:
    """Draw a call; without ``ahead``, one whose frame has an end."""
    shares = ["percent_rank"] if ahead else []
    name = draw(
        st.sampled_from(
            [*FRAMED, *FRAMED, "lag", "lead", "row_number", "rank", "dense_rank", *shares]
        )
    )
    if name in FRAMED:
        extent = draw(extents(ahead=ahead))
        return Call(name, extent, FRAMED[name](extent, draw(EXCLUDES)))
    if name in ("lag", "lead"):
        away = draw(st.integers(0, 3))
        return Call(name, frame_extent(name, away), _shift(away if name == "lead" else -away))
    return Call(name, frame_extent(name), _ranking(name))


def answers(window_calls: list[Call], rows: Slices) -> Answers:
    """Return the results of all calls, one column each."""
    results = np.zeros((len(rows.code), len(window_calls)))
    if len(results):
        for k, call in enumerate(window_calls):
            results[:, k] = call.answer(rows)
    return results
