"""Lag, lead and the values of a frame against DuckDB in process."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import frame_ranges, lag_rows, lead_rows, value_rows
from kernels.frames.frames import EXCLUSIONS
from tests.drawn import draws
from tests.kernels.windows.partitions import Partitions, in_sql, partitions

MOST = 2**63 - 1
Values = list[int | None]

some = draws(100)
far = st.sampled_from([-MOST, MOST])
away = st.one_of(st.none(), st.integers(-3, 3))
nulls = st.sampled_from(["RESPECT NULLS", "IGNORE NULLS"])


@st.composite
def with_values(draw: st.DrawFn) -> tuple[Partitions, Values]:
    """Draw partitions and a value for each row; all values are different."""
    case = draw(partitions())
    present = draw(st.lists(st.booleans(), min_size=case.rows, max_size=case.rows))
    return case, [100 + row if has_value else None for row, has_value in enumerate(present)]


def mask(values: Values, treatment: str) -> NDArray[np.uint8] | None:
    present = np.array([value is not None for value in values], np.uint8)
    return present if treatment == "IGNORE NULLS" else None


def values_at(values: Values, rows: NDArray[np.int64], default: int | None = None) -> Values:
    return [default if row < 0 else values[row] for row in rows.tolist()]


def ask(case: Partitions, values: Values, expression: str, **columns: Any) -> Values:
    answer = case.ask(expression, value=pa.array(values, pa.int64()), **columns)
    return [value for (value,) in answer]


@pytest.mark.parametrize(("function", "rows"), [("lag", lag_rows), ("lead", lead_rows)])
@some
@given(drawn=with_values(), treatment=nulls, distance=st.one_of(st.integers(-4, 4), far))
def test_lag_and_lead_are_those_of_duckdb(
    function: str, rows: Any, drawn: tuple[Partitions, Values], treatment: str, distance: int
) -> None:
    case, values = drawn
    result = values_at(values, rows(case.offsets, distance, mask(values, treatment)), default=-7)
    expression = f"{function}(value, {distance}, -7 {treatment}) OVER w"
    assert result == ask(case, values, expression)


@pytest.mark.parametrize(("function", "rows"), [("lag", lag_rows), ("lead", lead_rows)])
@some
@given(data=st.data(), drawn=with_values(), treatment=nulls)
def test_each_row_may_have_another_distance(
    function: str, rows: Any, data: st.DataObject, drawn: tuple[Partitions, Values], treatment: str
) -> None:
    case, values = drawn
    size = case.rows
    distances = data.draw(st.lists(st.integers(-4, 4), min_size=size, max_size=size))
    distance = np.array(distances, np.int64)
    result = values_at(values, rows(case.offsets, distance, mask(values, treatment)))
    expression = f"{function}(value, distance {treatment}) OVER w"
    assert result == ask(case, values, expression, distance=pa.array(distance))


@pytest.mark.parametrize(
    ("expression", "nth"),
    [
        ("first_value(value {})", 1),
        ("last_value(value {})", -1),
        ("nth_value(value, 2 {})", 2),
        ("nth_value(value, 9223372036854775807 {})", MOST),
        ("nth_value(value, 0 {})", 0),
    ],
)
@some
@given(
    drawn=with_values(),
    treatment=nulls,
    unit=st.sampled_from(("rows", "range", "groups")),
    bounds=st.tuples(away, away),
    exclude=st.sampled_from(EXCLUSIONS),
)
def test_values_of_frames_are_those_of_duckdb(
    expression: str,
    nth: int,
    drawn: tuple[Partitions, Values],
    treatment: str,
    unit: str,
    bounds: tuple[int | None, int | None],
    exclude: str,
) -> None:
    low, high = bounds
    assume(low is None or high is None or not low > 0 > high)
    case, values = drawn
    ranges = frame_ranges(case.order, unit, low, high, exclude)
    result = values_at(values, value_rows(case.offsets, *ranges, nth, mask(values, treatment)))
    over = f"OVER (w {in_sql((unit, low, high, exclude))})"
    assert result == ask(case, values, f"{expression.format(treatment)} {over}")


@some
@given(data=st.data(), drawn=with_values(), treatment=nulls)
def test_each_row_may_have_another_nth(
    data: st.DataObject, drawn: tuple[Partitions, Values], treatment: str
) -> None:
    case, values = drawn
    size = case.rows
    nth = np.array(data.draw(st.lists(st.integers(1, 4), min_size=size, max_size=size)), np.int64)
    ranges = frame_ranges(case.order, "rows", -2, 2)
    result = values_at(values, value_rows(case.offsets, *ranges, nth, mask(values, treatment)))
    over = "OVER (w ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING)"
    expression = f"nth_value(value, nth {treatment}) {over}"
    assert result == ask(case, values, expression, nth=pa.array(nth))
