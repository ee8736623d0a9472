"""Lists of the values of moving frames, and histograms, against DuckDB and brute force."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import moving_ends, moving_extremes, moving_histogram
from kernels.core.arrays import Ints
from kernels.structures.sort_keys import sort_keys
from kernels.windows.first_last_k import list_ends
from tests.drawn import draws
from tests.kernels.frames.frames import SPECIALS, Window, members, random_frames, windows
from tests.kernels.frames.test_cache_blocks import CHECKED_ROWS, FRAMES, ROWS, VALUES, inside

few = st.integers(1, 5)


def one_partition(values: Any) -> Ints:
    return np.array([0, len(values)])


def column(data: st.DataObject, window: Window) -> NDArray[np.float64]:
    size = len(window.peer)
    return np.array(data.draw(st.lists(SPECIALS, min_size=size, max_size=size)))


def lists(ends: Ints, values: Any) -> list[list[Any]]:
    return [values[first:last].tolist() for first, last in pairwise(ends)]


def check(got: list[list[Any]], expected: list[Any]) -> None:
    """Compare lists; DuckDB's is null where ours is empty."""
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs or [])


@pytest.mark.parametrize("last", [False, True])
@given(window=windows(), data=st.data(), k=few)
@draws(30)
def test_the_first_and_last_values_are_slices_of_duckdb_s_list(
    last: bool, window: Window, data: st.DataObject, k: int
) -> None:
    values = column(data, window)
    ends, rows = moving_ends(one_partition(values), *window.frames, k, last=last)
    expected = window.ask_duckdb("list(value)", value=values)
    slices = [one and (one[-k:] if last else one[:k]) for one in expected]
    check(lists(ends, values[rows]), slices)


@pytest.mark.parametrize("greatest", [False, True])
@given(window=windows(), data=st.data(), k=few)
@draws(30)
def test_the_extreme_values_are_those_of_duckdb(
    greatest: bool, window: Window, data: st.DataObject, k: int
) -> None:
    values = column(data, window)
    moving = one_partition(values), sort_keys(values), *window.frames, k
    ends, rows = moving_extremes(*moving, greatest=greatest)
    call = f"{'max' if greatest else 'min'}(value, {k})"
    check(lists(ends, values[rows]), window.ask_duckdb(call, value=values))


@given(window=windows(), data=st.data())
@draws(30)
def test_a_histogram_is_that_of_duckdb(window: Window, data: st.DataObject) -> None:
    values = column(data, window)
    ends, rows, counts = moving_histogram(one_partition(values), sort_keys(values), *window.frames)
    expected = window.ask_duckdb("histogram(value)", value=values)
    check(lists(ends, values[rows]), [list(one or ()) for one in expected])
    check(lists(ends, counts), [list((one or {}).values()) for one in expected])


@given(size=st.integers(1, 60), data=st.data(), k=few)
@draws(60)
def test_any_frames_have_the_lists_that_sorting_finds(
    size: int, data: st.DataObject, k: int
) -> None:
    values = np.array(data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)))
    frames = data.draw(random_frames(size, size))
    columns = [values[members(*frames, i)].tolist() for i in range(size)]
    moving = one_partition(values), values, *frames
    for greatest in (False, True):
        ends, rows = moving_extremes(*moving, k, greatest=greatest)
        check(lists(ends, values[rows]), [sorted(one, reverse=greatest)[:k] for one in columns])
        ends, rows = moving_extremes(*moving, k, greatest=greatest, once=True)
        check(
            lists(ends, values[rows]), [sorted(set(one), reverse=greatest)[:k] for one in columns]
        )
    ends, rows, counts = moving_histogram(*moving)
    check(lists(ends, values[rows]), [sorted(set(one)) for one in columns])
    check(lists(ends, counts), [[n for _, n in sorted(Counter(one).items())] for one in columns])


@pytest.mark.parametrize("name", sorted(set(FRAMES) - {"running"}))
def test_a_frame_across_a_cut_lists_its_values(name: str) -> None:
    frames = FRAMES[name]
    key = VALUES.astype(np.int64)
    ends, rows = moving_extremes(ROWS, key, *frames, 3, greatest=True)
    for row in CHECKED_ROWS:
        first, positions = inside(frames, row)
        result = VALUES[first + rows[ends[row] : ends[row + 1]]]
        assert result.tolist() == sorted(VALUES[first + positions], reverse=True)[:3], row


def test_lists_too_large_for_a_column_are_refused() -> None:
    with pytest.raises(OverflowError, match="have 2,147,483,648 values, but a column holds"):
        list_ends(np.array([2**31]))
