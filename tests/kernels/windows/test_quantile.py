"""Quantiles of moving frames, against DuckDB in process and against sorting every frame."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels.structures.sort_keys import sort_keys
from kernels.windows.quantile import find_quantile_rows, moving_quantile
from tests.drawn import draws
from tests.kernels.frames.frames import SPECIALS, Window, members, random_frames, windows

QUANTILES = [0.0, 0.07, 0.25, 0.5, 0.54, 1 / 3, 2 / 3, 0.99, 1.0]


def one_partition(values: Any) -> NDArray[np.int64]:
    return np.array([0, len(values)])


def as_floats(answers: list[Any], quantiles: int) -> NDArray[np.float64]:
    """Return DuckDB's results as a matrix, with NaN for NULL."""
    rows = [[np.nan] * quantiles if row is None else row for row in answers]
    return np.array(rows, np.float64).reshape(len(rows), quantiles)


def check(got: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    # Some builds of DuckDB fuse the product and the sum of low · (1 - d) + high · d.
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)


@given(windows(), st.data(), st.sampled_from(["quantile_cont", "quantile_disc"]))
@draws(100)
def test_quantiles_of_floats_are_those_of_duckdb(
    window: Window, data: st.DataObject, function: str
) -> None:
    size = len(window.peer)
    values = np.array(data.draw(st.lists(SPECIALS, min_size=size, max_size=size)))
    q = data.draw(st.lists(st.sampled_from(QUANTILES), min_size=1, max_size=3))
    expected = window.ask_duckdb(f"{function}(value, {q})", value=values)
    discrete = function == "quantile_disc"
    got = moving_quantile(one_partition(values), values, *window.frames, q, discrete=discrete)
    check(got, as_floats(expected, len(q)))


@given(windows(), st.data())
@draws(30)
def test_quantiles_of_integers_are_those_of_duckdb(window: Window, data: st.DataObject) -> None:
    size = len(window.peer)
    whole = st.one_of(st.integers(-9, 9), st.integers(-(2**62), 2**62))
    values = np.array(data.draw(st.lists(whole, min_size=size, max_size=size)), np.int64)
    expected = window.ask_duckdb("quantile_cont(value, [0.25, 0.5])", value=values)
    got = moving_quantile(one_partition(values), values, *window.frames, [0.25, 0.5])
    check(got, as_floats(expected, 2))


@given(st.integers(1, 40), st.integers(1, 40), st.data())
@draws(60)
def test_any_frames_have_the_rows_that_sorting_finds(
    size: int, rows: int, data: st.DataObject
) -> None:
    values = np.array(data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)))
    frames = data.draw(random_frames(size, rows))
    # A block has as many values as rows; values that no frame has are ignored.
    wide = np.concatenate([values, np.full(max(rows - size, 0), 5)])
    begin, end = (
        np.concatenate([ends, np.zeros((len(wide) - rows, ends.shape[1]), np.int64)])
        for ends in frames
    )
    low, high, fraction = find_quantile_rows(one_partition(wide), wide, begin, end, [0.5])
    for i in range(rows):
        inside = sorted(values[members(*frames, i)])
        if not inside:
            assert (low[i, 0], high[i, 0]) == (-1, -1)
            continue
        middle = (len(inside) - 1) // 2, len(inside) // 2
        assert (wide[low[i, 0]], wide[high[i, 0]]) == (inside[middle[0]], inside[middle[1]])
        assert fraction[i, 0] == (0.5 if len(inside) % 2 == 0 else 0)


@pytest.mark.parametrize(("q", "size", "index"), [(0.54, 450, 242), (0.54, 850, 458)])
def test_a_discrete_quantile_of_few_digits_is_computed_in_integers(
    q: float, size: int, index: int
) -> None:
    values, frame = np.arange(size), (np.zeros((size, 1), np.int64), np.full((size, 1), size))
    got = moving_quantile(one_partition(values), values, *frame, [q], discrete=True)
    assert got[0, 0] == index


def test_partitions_do_not_see_each_other() -> None:
    values = np.array([5.0, 1.0, 100.0, 200.0, 300.0])
    begin, end = np.zeros((5, 1), np.int64), np.array([[2], [2], [3], [3], [3]])
    got = moving_quantile(np.array([0, 2, 5]), values, begin, end, [0.5])
    assert got[:, 0].tolist() == [3, 3, 200, 200, 200]


@pytest.mark.parametrize("back", [1_000, 3])
def test_quantiles_are_right_for_thousands_of_rows(back: int) -> None:
    random, rows = np.random.default_rng(back), 3_000
    values, row = random.normal(size=rows), np.arange(rows)
    begin = np.maximum(row - random.integers(0, back, rows), 0)[:, None]
    end = row[:, None] + 1
    got = moving_quantile(one_partition(values), values, begin, end, [0.1, 0.9])
    for i in range(0, rows, 97):
        inside = values[begin[i, 0] : end[i, 0]]
        np.testing.assert_allclose(got[i], np.quantile(inside, [0.1, 0.9]))


def test_keys_are_in_the_order_of_the_values() -> None:
    values = np.array([-np.inf, -1.5, -1e-300, 0.0, 1e-300, 2.0, np.inf, np.nan])
    keys = sort_keys(values)
    assert (np.diff(keys) > 0).all()
    assert sort_keys(-np.abs(values[3:4])) == keys[3]
    assert sort_keys(-values[7:]) == keys[7]
