"""Windows kept up to date: affected rows and their results, against computing all rows anew."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import frame_ranges, order_by_key, trace
from kernels.core.arrays import Ints
from kernels.frames.extent import FrameExtent, extent_table, frame_extent
from kernels.frames.ordering import MOST
from kernels.stream.affected import (
    Affected,
    affected_ranges,
    cut_ranges,
    find_affected,
    peers_before,
)
from kernels.stream.retention import settled_rows
from kernels.stream.sort_buffer import Changes, Merged
from tests.drawn import draws
from tests.kernels.stream.calls import Call, Slices, answers, calls
from tests.kernels.stream.rows import Batch, batches, extents

some = draws(100)


def rows_in(offsets: Ints, ranges: Affected) -> set[int]:
    """Return the rows of the block that are in a range."""
    edges = zip(ranges.partition, ranges.first_curr_row, ranges.last_curr_row, strict=True)
    return {int(offsets[p]) + row for p, low, high in edges for row in range(low, high + 1)}


def contents(offsets: Ints, code: Ints, extent: FrameExtent, ids: Ints) -> list[list[int]]:
    """Return the ids of the rows in the frame of each row."""
    frames = frame_ranges(order_by_key(offsets, code), extent.unit, extent.low, extent.high)
    first = np.repeat(offsets[:-1], np.diff(offsets))
    ranges = zip(first, frames[0][:, 0], frames[1][:, 0], strict=True)
    return [ids[base + low : base + high].tolist() for base, low, high in ranges]


def changed_rows(batch: Batch, merged: Merged, extent: FrameExtent) -> set[int]:
    """Return the rows that are new, or that have another frame than before."""
    code = batch.after(merged, batch.code, batch.new_code)
    old = contents(batch.offsets, batch.code, extent, np.arange(len(batch.code)))
    new = contents(merged.offsets, code, extent, merged.source)
    return {row for row, was in enumerate(merged.source) if was >= len(old) or old[was] != new[row]}


def affected(batch: Batch, merged: Merged, looks: list[FrameExtent]) -> Affected:
    code = batch.after(merged, batch.code, batch.new_code)
    return find_affected(merged.offsets, code, merged.changes, looks)


@some
@given(batches(), st.lists(extents(), min_size=1, max_size=3))
def test_no_frame_changes_outside_the_affected_ranges(
    batch: Batch, several: list[FrameExtent]
) -> None:
    merged = batch.merged
    ranges = rows_in(merged.offsets, affected(batch, merged, several))
    for extent in several:
        assert changed_rows(batch, merged, extent) <= ranges


@some
@given(batches(), extents())
def test_every_frame_with_its_own_row_changes_within_an_affected_range(
    batch: Batch, extent: FrameExtent
) -> None:
    low, high = (None if bound is None else abs(bound) for bound in extent[1:3])
    wide = extent._replace(low=None if low is None else -low, high=high)
    merged = batch.merged
    assert rows_in(merged.offsets, affected(batch, merged, [wide])) == changed_rows(
        batch, merged, wide
    )


@some
@given(batches(), st.lists(extents(), max_size=3))
def test_ranges_of_a_partition_are_separate_and_in_order(
    batch: Batch, several: list[FrameExtent]
) -> None:
    ranges = affected(batch, batch.merged, several)
    pairs = list(zip(ranges.partition, ranges.first_curr_row, ranges.last_curr_row, strict=True))
    assert all(first <= last for _, first, last in pairs)
    for (one, _, last), (other, first, _) in pairwise(pairs):
        assert one < other or (one == other and last + 1 < first)


@st.composite
def valued(draw: st.DrawFn, most: int = 12) -> tuple[Batch, Ints, Ints]:
    batch = draw(batches(most))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    old, new = (random.integers(0, 5, len(one)) for one in (batch.code, batch.new_code))
    return batch, old, new


@some
@given(valued(), st.lists(calls(), min_size=1, max_size=3))
def test_results_over_the_ranges_are_those_over_all_rows(
    drawn: tuple[Batch, Ints, Ints], window_calls: list[Call]
) -> None:
    batch, old_value, new_value = drawn
    merged = batch.merged
    code = batch.after(merged, batch.code, batch.new_code)
    value = batch.after(merged, old_value, new_value)
    looks_of_calls = [call.extent for call in window_calls]
    cut = cut_ranges(merged.offsets, affected(batch, merged, looks_of_calls))
    peers = peers_before(merged.offsets, code, cut)
    part = Slices(cut.offsets, code[cut.rows], value[cut.rows], cut.before, peers)
    updated = old_answers(window_calls, batch, merged, old_value)
    updated[cut.rows[cut.affected]] = answers(window_calls, part)[cut.affected]
    whole = answers(window_calls, Slices(merged.offsets, code, value))
    np.testing.assert_allclose(updated, whole, rtol=1e-12)


def old_answers(window_calls: list[Call], batch: Batch, merged: Merged, value: Ints) -> Any:
    """Return the old results of rows; for new rows, a number that no call returns."""
    old = answers(window_calls, Slices(batch.offsets, batch.code, value))
    return np.vstack([old, np.full((1, old.shape[1]), -99.0)])[merged.before]


@some
@given(batches(), st.lists(extents(), max_size=3))
def test_no_row_is_cut_out_twice(batch: Batch, several: list[FrameExtent]) -> None:
    merged = batch.merged
    ranges = affected(batch, merged, several)
    cut = cut_ranges(merged.offsets, ranges)
    assert len(set(cut.rows.tolist())) == len(cut.rows)
    assert set(cut.rows[cut.affected].tolist()) == rows_in(merged.offsets, ranges)
    starts = merged.offsets[cut.partition] + cut.before
    assert cut.rows[cut.offsets[:-1]].tolist() == starts.tolist()


@some
@given(batches(), st.lists(extents(), max_size=3), st.integers(1, 3))
def test_no_change_after_a_watermark_affects_settled_rows(
    batch: Batch, several: list[FrameExtent], sooner: int
) -> None:
    changed = [*batch.code[batch.gone == 1].tolist(), *batch.new_code.tolist()]
    retention = settled_rows(batch.offsets, batch.code, several, min(changed, default=0) - sooner)
    ranges = affected(batch, batch.merged, several)
    assert (ranges.first_curr_row >= retention.final[ranges.partition]).all()
    assert (ranges.first_frame_start >= retention.needed[ranges.partition]).all()


#: The article's rows: 10:00, 10:02, 10:06 (inserted), 10:10 and 10:17.
TIMES = np.array([600, 602, 606, 610, 617])
ARTICLE = [FrameExtent("rows", -1, 0), FrameExtent("rows", 0, 1), frame_extent("lead", 1)]


def test_the_captions_of_the_articles_insert_name_its_four_rows() -> None:
    change = np.array([2]), np.array([606]), np.ones(1, np.uint8)
    ranges = np.zeros((4, 1), np.int64)
    clock = {"time": lambda minute: f"{minute // 60}:{minute % 60:02}"}
    steps = trace(affected_ranges, TIMES, extent_table(ARTICLE), *change, *ranges, show=clock).steps
    assert ranges[:, 0].tolist() == [0, 1, 3, 4]
    captions = [step.caption for step in steps]
    assert captions[0] == "Row 2, of 10:06, has changed."
    assert captions[-4:] == [
        "Affected from row 1 on: first_curr_row.",
        "And up to row 3: last_curr_row.",
        "The first frame begins at row 0: first_frame_start.",
        "The last frame ends at row 4: last_frame_end.",
    ]


def one_partition(at: list[int], code: Ints, inserted: int = 1) -> Changes:
    rows = np.array(at, np.int64)
    flags = np.full(len(rows), inserted, np.uint8)
    return Changes(np.array([0, len(rows)]), rows, code[rows], flags)


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        (frame_extent("lag", 2), [(10, 12), (50, 52)]),
        (frame_extent("lead", 3), [(7, 10), (47, 50)]),
        (FrameExtent("rows", -20, 19), [(0, 70)]),
        (FrameExtent("range", 0, 0), [(10, 10), (50, 50)]),
        (FrameExtent("range", -50, 50), [(5, 15), (45, 55)]),
        (FrameExtent("rows", None, 0), [(10, 99)]),
        (FrameExtent("rows", -9, None), [(0, 59)]),
        (frame_extent("row_number"), [(10, 99)]),
        (frame_extent("dense_rank"), [(10, 99)]),
        (frame_extent("percent_rank"), [(0, 99)]),
    ],
)
def test_changes_far_apart_have_separate_ranges(
    extent: FrameExtent, expected: list[tuple[int, int]]
) -> None:
    code = np.arange(100) * 10 - 300
    ranges = find_affected(np.array([0, 100]), code, one_partition([10, 50], code), [extent])
    pairs = zip(ranges.first_curr_row.tolist(), ranges.last_curr_row.tolist(), strict=True)
    assert list(pairs) == expected


def test_ranges_that_need_the_same_rows_are_cut_out_as_one_slice() -> None:
    code = np.arange(100)
    looks_back = [FrameExtent("rows", -9, 0)]
    for far, slices in ((15, 1), (90, 2)):
        ranges = find_affected(np.array([0, 100]), code, one_partition([0, far], code), looks_back)
        cut = cut_ranges(np.array([0, 100]), ranges)
        assert (len(ranges.partition), len(cut.partition)) == (2, slices)


def test_a_change_within_a_long_partition_needs_few_rows() -> None:
    code = np.arange(1_000_000)
    ends, change = np.array([0, len(code)]), one_partition([500_000], code)
    ranges = find_affected(ends, code, change, [FrameExtent("range", -100, 0)])
    assert len(cut_ranges(ends, ranges).rows) == 201


def test_the_deletion_of_a_row_that_no_row_sees_affects_nothing() -> None:
    code = np.array([10, 20])
    deletion = Changes(np.array([0, 1]), np.array([2]), np.array([30]), np.zeros(1, np.uint8))
    assert not len(find_affected(np.array([0, 2]), code, deletion, [frame_extent("lag")]).partition)


def test_rows_without_a_key_are_in_frames_of_each_other_and_in_frames_without_a_bound() -> None:
    code = np.array([1, 2, 3, MOST, MOST])
    change = one_partition([3], code)
    for high, first in ((5, 3), (None, 0)):
        ranges = find_affected(np.array([0, 5]), code, change, [FrameExtent("range", -1, high)])
        assert (ranges.first_curr_row[0], ranges.last_curr_row[0]) == (first, 4)


@pytest.mark.parametrize(
    ("extent", "message"),
    [
        (FrameExtent("row", 0, 0), "unit: 'row' is none of 'rows', 'range', 'groups'"),
        (FrameExtent("rows", 0.5, 1), "low, high: -0.5 is no integer; give integers or None"),  # type: ignore[arg-type]
    ],
)
def test_an_invalid_extent_is_refused(extent: FrameExtent, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        extent_table([extent])
