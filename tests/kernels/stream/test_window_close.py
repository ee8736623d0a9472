"""Emit on window close: each row is emitted once, as early as possible, with its final result."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernels import trace
from kernels.core.arrays import Ints
from kernels.frames.extent import FrameExtent, extent_table, frame_extent
from kernels.stream.affected import cut_ranges, peers_before
from kernels.stream.sort_buffer import merge_rows
from kernels.stream.window_close import close_windows, closed_windows
from tests.drawn import draws
from tests.kernels.stream.calls import Call, Slices, answers, calls
from tests.kernels.stream.rows import MOST, arrivals, ends_of

PARTITIONS = 3


def zeros() -> Ints:
    return np.zeros(PARTITIONS, np.int64)


def nothing() -> Ints:
    return np.zeros(0, np.int64)


@dataclass
class Stream:
    """The whole state of a query that emits on window close."""

    calls: list[Call]
    offsets: Ints = field(default_factory=lambda: ends_of([0] * PARTITIONS))
    code: Ints = field(default_factory=nothing)
    tie: Ints = field(default_factory=nothing)
    value: Ints = field(default_factory=nothing)
    waiting: Ints = field(default_factory=zeros)
    before: Ints = field(default_factory=zeros)
    peers: Ints = field(default_factory=zeros)

    def run(self, rows: list[tuple[int, int, int]], watermark: int) -> dict[int, list[float]]:
        """Add rows of (partition, code, tie), and return the results of emitted rows by tie."""
        self._merge(rows)
        extents = [call.extent for call in self.calls]
        closed = closed_windows(self.offsets, self.code, self.waiting, extents, watermark)
        cut = cut_ranges(self.offsets, closed.emitted)
        part = self._slices(cut)
        emitted = cut.rows[cut.affected]
        results = answers(self.calls, part)[cut.affected]
        leaves = dict(zip(self.tie[emitted].tolist(), results.tolist(), strict=True))
        self._drop(closed.needed, closed.peers, closed.waiting)
        return leaves

    def _merge(self, rows: list[tuple[int, int, int]]) -> None:
        new = arrivals(rows, PARTITIONS)
        stay = np.zeros(len(self.code), np.uint8)
        merged = merge_rows(self.offsets, self.code, self.tie, stay, *new)
        columns = zip((self.code, self.tie, self.value), (*new[1:], value_of(new[2])), strict=True)
        self.code, self.tie, self.value = (np.concatenate(c)[merged.source] for c in columns)
        self.offsets = merged.offsets

    def _slices(self, cut: Any) -> Slices:
        before = cut.before + self.before[cut.partition]
        peers = peers_before(self.offsets, self.code, cut) + self.peers[cut.partition]
        return Slices(cut.offsets, self.code[cut.rows], self.value[cut.rows], before, peers)

    def _drop(self, needed: Ints, peers: Ints, waiting: Ints) -> None:
        sizes = np.diff(self.offsets)
        row = np.arange(len(self.code)) - np.repeat(self.offsets[:-1], sizes)
        mask = row >= np.repeat(needed, sizes)
        self.code, self.tie, self.value = self.code[mask], self.tie[mask], self.value[mask]
        self.offsets = ends_of((sizes - needed).tolist())
        self.waiting, self.before = waiting - needed, self.before + needed
        self.peers = self.peers + peers


def value_of(tie: Ints) -> Ints:
    return tie * 7 % 5


@st.composite
def events(draw: st.DrawFn) -> list[list[tuple[int, int, int]]]:
    """Draw batches of rows that arrive out of order: in time, in ties, and in their partitions."""
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=5))
    random = np.random.default_rng(draw(st.integers(0, 9999)))
    slow = draw(st.integers(1, 4))
    ties = iter(random.permutation(sum(sizes)).tolist())
    return [
        [
            (
                int(random.integers(0, PARTITIONS)),
                int(at * slow + random.integers(-9, 5)),
                next(ties),
            )
            for _ in range(size)
        ]
        for at, size in enumerate(sizes)
    ]


@draws(100)
@given(events(), st.lists(calls(ahead=False), max_size=3))
def test_every_row_is_emitted_once_with_the_results_over_all_rows(
    batches: list[list[tuple[int, int, int]]], window_calls: list[Call]
) -> None:
    stream, watermark, admitted = Stream(window_calls), -100, []
    emitted: dict[Any, Any] = {}
    for batch in [*batches, []]:
        rows = [row for row in batch if row[1] > watermark]
        admitted += rows
        last = max([watermark, *(code - 4 for _, code, _ in rows)])
        watermark = last if batch else MOST
        leaves = stream.run(rows, watermark)
        assert not leaves.keys() & emitted.keys()
        emitted |= leaves
    offsets, code, tie = arrivals(admitted, PARTITIONS)
    whole = answers(window_calls, Slices(offsets, code, value_of(tie)))
    assert emitted.keys() == set(tie.tolist())
    results = np.array([emitted[one] for one in tie.tolist()]).reshape(whole.shape)
    np.testing.assert_allclose(results, whole, rtol=1e-12)


#: 10:00, 10:02, 10:10 and 10:17; the article's query, whose watermark is five minutes late.
TIMES = np.array([600, 602, 610, 617])
ARTICLE = [FrameExtent("rows", -1, 0), FrameExtent("rows", 0, 1), frame_extent("lead", 1)]


def close(
    times: Ints, extents: list[FrameExtent], watermark: int, waiting: int = 0
) -> tuple[int, ...]:
    """Return the first waiting row, the first needed row, and the next row's watermark."""
    ends = np.array([0, len(times)])
    closed = closed_windows(ends, times, np.array([waiting]), extents, watermark)
    return int(closed.waiting[0]), int(closed.needed[0]), int(closed.due[0])


def test_the_articles_rows_are_emitted_when_the_next_row_is_released() -> None:
    assert close(TIMES[:2], ARTICLE, 597) == (0, 0, 602)
    assert close(TIMES[:3], ARTICLE, 605) == (1, 0, 610)
    assert close(TIMES, ARTICLE, 612, waiting=1) == (2, 1, 617)


def test_the_captions_name_the_rows_that_leave_and_wait() -> None:
    extents, results = extent_table(ARTICLE), np.zeros(4, np.int64)
    steps = trace(close_windows, TIMES, np.array([0]), extents, 605, results).steps
    assert [step.caption for step in steps] == [
        "605 releases the rows before row 2.",
        "Row 0 and its frames are complete: it leaves.",
        "Row 1 waits for the watermark to reach 610.",
        "No later row needs the rows before row 0.",
    ]


def test_a_frame_along_the_order_closes_with_the_watermark_in_a_quiet_partition() -> None:
    ten_minutes = [FrameExtent("range", -10, 10)]
    assert close(TIMES, ten_minutes, 626) == (3, 2, 627)
    assert close(TIMES, ten_minutes, 627) == (4, 4, MOST)


def test_a_frame_that_ends_in_the_past_closes_with_its_row() -> None:
    assert close(TIMES, [FrameExtent("rows", -10, -1), FrameExtent("range", -10, -5)], 617) == (
        4,
        0,
        MOST,
    )


def test_without_calls_rows_are_only_sorted() -> None:
    assert close(TIMES, [], 610) == (3, 3, 617)


def test_a_frame_from_the_first_row_on_needs_all_rows() -> None:
    assert close(TIMES, [FrameExtent("rows", None, 0)], 700) == (4, 0, MOST)


def test_rows_that_are_only_counted_are_not_needed() -> None:
    ranks = [frame_extent(one) for one in ("row_number", "rank", "dense_rank")]
    assert close(TIMES, ranks, 700) == (4, 4, MOST)


def test_a_frame_without_an_end_closes_with_the_stream() -> None:
    for extent in (FrameExtent("rows", 0, None), frame_extent("percent_rank")):
        assert close(TIMES, [extent], 10_000) == (0, 0, MOST)
        assert close(TIMES, [extent], MOST)[0] == 4


def test_all_peers_of_the_last_needed_row_are_retained() -> None:
    assert close(np.array([1, 5, 5, 9]), [frame_extent("lag", 1)], 7)[:2] == (3, 1)
