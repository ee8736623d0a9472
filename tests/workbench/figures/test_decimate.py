"""Fewer points without a lost peak: those drawn of a column have the range of all of its points."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.figures.decimate import in_view, line_points, mark_points, within

values = st.one_of(st.integers(-5, 5), st.floats(-1e9, 1e9), st.just(np.nan))
places = st.one_of(st.integers(0, 3), st.integers(-(10**12), 10**12))


@st.composite
def lines(draw: st.DrawFn) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
    y = np.array(draw(st.lists(values, max_size=300)), np.float64)
    x = draw(st.lists(places, min_size=len(y), max_size=len(y)))
    return np.sort(np.array(x, np.int64)), y, draw(st.integers(1, 12))


def ends(y: NDArray[np.float64]) -> tuple[float, float]:
    """Return the least and the greatest of the values, or zeros if there are none."""
    known = y[~np.isnan(y)]
    return (known.min(), known.max()) if len(known) else (0.0, 0.0)


@given(lines())
def test_no_peak_is_lost(line: tuple[Any, ...]) -> None:
    x, y, columns = line
    points = line_points(x, y, columns)
    assert ends(y[points]) == ends(y)
    assert len(points) <= 4 * columns
    assert (np.diff(points) > 0).all()


@given(lines(), st.integers(-6, 6))
def test_no_peak_of_a_column_is_lost_even_beside_a_higher_one(line: Any, peak: int) -> None:
    x, y, columns = line
    if len(y) == 0:
        return
    at = abs(peak) * (len(y) - 1) // 6
    y = np.where(np.isnan(y), np.nan, np.sign(y))
    y[at] = 9.0
    y[0] = 10.0
    points = line_points(x, y, columns)
    width = max((x[-1] - x[0]) / columns, 1)
    near = y[points][np.abs(x[points] - x[at]) <= width]
    assert np.nanmax(near) >= 9.0


@given(lines())
def test_the_first_and_the_last_point_stay(line: tuple[Any, ...]) -> None:
    x, y, columns = line
    points = line_points(x, y, columns)
    assert len(y) == 0 or (points[0] == 0 and points[-1] == len(y) - 1)


@given(lines())
def test_few_points_are_all_drawn(line: tuple[Any, ...]) -> None:
    x, y, _ = line
    assert len(line_points(x, y, len(x) + 1)) == len(x)


def test_a_gap_that_is_wider_than_a_column_stays_a_gap() -> None:
    y = np.arange(1000.0)
    y[400:600] = np.nan
    assert np.isnan(y[line_points(np.arange(1000), y, 20)]).any()


@pytest.mark.parametrize("unit", ["s", "us"])
def test_times_before_1970_are_positions_too(unit: str) -> None:
    x = np.arange(-500, 500).astype(f"M8[{unit}]")
    y = np.zeros(1000)
    y[[123, 877]] = 5, -5
    assert {123, 877} <= set(line_points(x, y, 10).tolist())


@given(lines())
def test_marks_keep_the_outermost_and_one_in_each_place(line: tuple[Any, ...]) -> None:
    x, y, columns = line
    x, y = x[~np.isnan(y)], y[~np.isnan(y)]
    points = mark_points(x, y, (columns, 5))
    assert ends(y[points]) == ends(y)
    assert len(points) <= (5 + 4) * columns
    if len(y) and y.min() < y.max():
        height = (y.max() - y.min()) / 5
        far = [np.abs(y[points] - value).min() for value in y]
        assert max(far) <= height * 1.001


def test_a_view_includes_the_next_point_on_either_side() -> None:
    x = np.array([0, 10, 10, 20, 30])
    assert x[in_view(x, 10, 15)].tolist() == [0, 10, 10, 20]
    assert x[within(x, 10, 15)].tolist() == [10, 10]
    assert in_view(x, 40, 50) == slice(4, 5)
    assert in_view(np.arange(0), 0, 1) == slice(0, 0)
