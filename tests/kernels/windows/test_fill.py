"""``fill`` against DuckDB in process."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import fill, order_by_key, order_by_starts
from tests.drawn import draws
from tests.kernels.windows.partitions import Partitions, partitions

MOST = 2**63 - 1
some = draws(150)
whole = st.one_of(st.integers(-9, 9), *(st.integers(-(2**n), 2**n) for n in (40, 62)))
wide = st.integers(-(2**100), 2**100)
fractions = st.one_of(st.integers(-9, 9).map(lambda x: x / 4), st.just(float("inf")))


def filled(case: Partitions, values: list[Any], dtype: Any) -> list[Any]:
    present = np.array([value is not None for value in values], np.uint8)
    column = np.array([0 if value is None else value for value in values], dtype)
    bits = 128 if dtype is object else 64
    result, given = fill(case.order, column, present, bits)
    return [value if ok else None for value, ok in zip(result.tolist(), given, strict=True)]


@pytest.mark.parametrize(
    ("numbers", "dtype", "kind"),
    [
        (whole, np.int64, pa.int64()),
        (fractions, np.float64, pa.float64()),
        (st.one_of(whole, wide), object, pa.decimal128(38)),
    ],
    ids=["int64", "float64", "integers of 128 bits"],
)
@some
@given(data=st.data(), case=partitions(most_rows=10))
def test_filled_values_are_those_of_duckdb(
    numbers: Any, dtype: Any, kind: pa.DataType, data: st.DataObject, case: Partitions
) -> None:
    size = case.rows
    value = st.one_of(st.none(), st.none(), numbers)
    values = data.draw(st.lists(value, min_size=size, max_size=size))
    argument = "value::HUGEINT" if dtype is object else "value"
    answer = case.ask(f"fill({argument}) OVER w", value=pa.array(values, kind))
    expected = [value for (value,) in answer]
    # DuckDB's build may fuse the multiplication and the addition, which changes the last bit.
    exact = dtype != np.float64
    assert filled(case, values, dtype) == (expected if exact else pytest.approx(expected))


def test_keys_whose_distance_overflows_a_double_make_a_line() -> None:
    order = order_by_key(np.array([0, 3]), np.array([-1e308, 0.0, 1e308]))
    present = np.array([1, 0, 1], np.uint8)
    assert fill(order, np.array([1.0, 0.0, 3.0]), present)[0].tolist() == [1.0, 2.0, 3.0]


def test_times_before_1970_are_filled_like_any_others() -> None:
    hour = 3_600_000_000
    case = Partitions([[-4 * hour, -3 * hour, 0]])
    assert filled(case, [-8, None, -4], np.int64) == [-8, -7, -4]


def test_an_integer_outside_of_64_bits_stays_missing() -> None:
    case = Partitions([[0, 1, 2, 3]])
    assert filled(case, [None, -MOST, MOST, None], np.int64) == [None, -MOST, MOST, None]
    assert filled(case, [None, 0, MOST - 9, None], np.int64)[3] is None


def test_an_integer_outside_of_8_bits_stays_missing() -> None:
    order = order_by_key(np.array([0, 4]), np.array([0, 1, 2, 3]))
    value, present = np.array([90, 110, 0, 0]), np.array([1, 1, 0, 0], np.uint8)
    assert fill(order, value, present)[1].tolist() == [True, True, True, True]
    assert fill(order, value, present, bits=8)[1].tolist() == [True, True, False, False]


def test_a_partition_without_values_stays_without_values() -> None:
    case = Partitions([[1, 2], [1, 2]])
    assert filled(case, [None, None, 5, None], np.int64) == [None, None, 5, 5]


def test_the_input_is_not_changed() -> None:
    value, given = np.array([1, 0, 3]), np.array([1, 0, 1], np.uint8)
    fill(order_by_key(np.array([0, 3]), np.array([1, 2, 3])), value, given)
    assert value.tolist() == [1, 0, 3]
    assert given.tolist() == [1, 0, 1]


def test_fill_along_several_columns_is_refused() -> None:
    order = order_by_starts(np.array([0, 1]), np.array([1], np.uint8))
    with pytest.raises(ValueError, match="fill needs an order by exactly one column"):
        fill(order, np.array([1]), np.array([1], np.uint8))
