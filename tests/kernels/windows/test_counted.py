"""Mode, distinct values and median deviation of moving frames, against DuckDB and brute force."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.windows.distinct.count import moving_count_distinct
from kernels.windows.mad import moving_mad
from kernels.windows.mode import moving_mode
from tests.drawn import draws
from tests.kernels.frames.frames import SPECIALS, Frames, Window, members, random_frames, windows

FEW = st.sampled_from([-1.0, -0.0, 0.0, 2.0, float("nan")])


def one_partition(values: Any) -> NDArray[np.int64]:
    return np.array([0, len(values)])


def column(data: st.DataObject, of: st.SearchStrategy[float], window: Window) -> Any:
    size = len(window.peer)
    return np.array(data.draw(st.lists(of, min_size=size, max_size=size)))


@given(windows(), st.data())
@draws(60)
def test_the_mode_is_that_of_duckdb(window: Window, data: st.DataObject) -> None:
    values = column(data, FEW, window)
    rows = moving_mode(one_partition(values), values, *window.frames)
    expected = window.ask_duckdb("mode(value)", value=values)
    assert [row == -1 for row in rows] == [answer is None for answer in expected]
    got = values[rows[rows >= 0]]
    np.testing.assert_array_equal(got, [answer for answer in expected if answer is not None])


@given(windows(), st.data())
@draws(60)
def test_the_number_of_distinct_values_is_that_of_duckdb(
    window: Window, data: st.DataObject
) -> None:
    values = column(data, FEW, window)
    got = moving_count_distinct(one_partition(values), values, *window.frames)
    assert got.tolist() == window.ask_duckdb("count(DISTINCT value)", value=values)


@given(windows(), st.data())
@draws(100)
def test_the_median_deviation_is_that_of_duckdb(window: Window, data: st.DataObject) -> None:
    values = column(data, SPECIALS, window)
    got = moving_mad(one_partition(values), values, *window.frames)
    expected = window.ask_duckdb("mad(value)", value=values)
    np.testing.assert_allclose(got, np.array(expected, np.float64), rtol=1e-14, atol=1e-14)


def by_force(values: Any, frames: Frames) -> tuple[list[int], list[int], list[float]]:
    modes, distinct, deviations = [], [], []
    for i in range(len(frames[0])):
        rows = members(*frames, i)
        counts = Counter(values[rows].tolist())
        most = max(counts.values(), default=0)
        modes.append(next((row for row in rows if counts[values[row]] == most), -1))
        distinct.append(len(counts))
        inside = values[rows] if rows else np.array([np.nan])
        deviations.append(float(np.median(np.abs(inside - np.median(inside)))))
    return modes, distinct, deviations


def check_by_force(values: Any, frames: Frames) -> None:
    modes, distinct, deviations = by_force(values, frames)
    call = one_partition(values), values, *frames
    assert moving_mode(*call).tolist() == modes
    assert moving_count_distinct(*call).tolist() == distinct
    np.testing.assert_allclose(moving_mad(*call), deviations)


@given(st.integers(1, 40), st.data())
@draws(80)
def test_any_frames_have_what_counting_finds(size: int, data: st.DataObject) -> None:
    values = np.array(data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)))
    check_by_force(values, data.draw(random_frames(size, size)))


@pytest.mark.parametrize("distinct", [5, 1_000])
@pytest.mark.parametrize("jumps", [False, True])
def test_hundreds_of_rows_have_the_right_results(distinct: int, jumps: bool) -> None:
    random, row = np.random.default_rng(distinct), np.arange(700)
    ends = np.stack([row - 90, row - 3, row + 2, row + 120], axis=1)
    if jumps:
        ends = np.sort(random.integers(0, 700, (700, 4)), axis=1)
    ends = np.clip(ends, 0, 700)
    frames = np.ascontiguousarray(ends[:, ::2]), np.ascontiguousarray(ends[:, 1::2])
    check_by_force(random.integers(0, distinct, 700), frames)


def test_a_median_that_jumps_between_two_clusters_is_right() -> None:
    row = np.arange(2_000)
    values = np.where(row % 2 == 0, row * 1e-6, 1 + row * 1e-6)
    frames = np.maximum(row - 500, 0)[:, None], row[:, None] + 1
    check_by_force(values, frames)


def test_empty_partitions_and_empty_blocks_have_no_results() -> None:
    nothing, none = np.zeros((0, 1), np.int64), np.zeros(0)
    for function in (moving_mode, moving_count_distinct, moving_mad):
        assert function(np.array([0, 0, 0]), none, nothing, nothing).tolist() == []
