"""Distinct values and joined texts of moving frames, against DuckDB and brute force."""

from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import (
    AGGREGATES,
    find_distinct_quantile_rows,
    moving_count_distinct,
    moving_distinct,
    moving_distinct_mad,
    moving_join,
)
from kernels.states.aggregates import KEYS
from kernels.structures.sort_keys import sort_keys
from tests.drawn import draws
from tests.kernels.frames.frames import SPECIALS, Window, members, random_frames, windows

NUMBERS = st.integers(-3, 3).map(float)
OF_NUMBERS = [name for name, one in AGGREGATES.items() if one.takes != KEYS]
SQL = {"integer_sum": "sum", "integer_avg": "avg"}


def one_partition(values: Any) -> Any:
    return np.array([0, len(values)])


def column(data: st.DataObject, of: st.SearchStrategy[Any], window: Window) -> Any:
    size = len(window.peer)
    return np.array(data.draw(st.lists(of, min_size=size, max_size=size)))


def check(got: list[Any], expected: list[Any]) -> None:
    one, other = (np.array([np.nan if x is None else x for x in a], float) for a in (got, expected))
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", OF_NUMBERS)
@given(window=windows(), data=st.data())
@draws(15)
def test_an_aggregate_of_distinct_values_is_that_of_duckdb(
    name: str, window: Window, data: st.DataObject
) -> None:
    of = {"bool": st.integers(0, 1), "inte": st.integers(-3, 3), "bit_": st.integers(-3, 3)}
    values = column(data, of.get(name[:4], NUMBERS), window)
    columns = {"value": values.astype(bool) if name.startswith("bool") else values}
    call, other, key = f"{SQL.get(name, name)}(DISTINCT value)", None, sort_keys(values)
    if AGGREGATES[name].takes == "pairs":
        other = columns["other"] = column(data, NUMBERS, window)
        call, key = f"{name}(DISTINCT value, other)", sort_keys(values * 100 + other)
    shared = one_partition(values), name, values, key, *window.frames
    got = moving_distinct(*shared, other=other)
    sizes = moving_count_distinct(one_partition(values), key, *window.frames)
    enough = sizes >= AGGREGATES[name].needs
    answers = [one if some else None for one, some in zip(got, enough, strict=True)]
    check(answers, window.ask_duckdb(call, **columns))


@pytest.mark.parametrize("discrete", [False, True])
@given(window=windows(), data=st.data(), q=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@draws(30)
def test_a_quantile_of_distinct_values_is_that_of_duckdb(
    discrete: bool, window: Window, data: st.DataObject, q: float
) -> None:
    values = column(data, SPECIALS, window)
    shared = one_partition(values), sort_keys(values), *window.frames, [q]
    low, high, part = find_distinct_quantile_rows(*shared, discrete=discrete)
    name = "quantile_disc" if discrete else "quantile_cont"
    expected = window.ask_duckdb(f"{name}(DISTINCT value, {q})", value=values)
    with np.errstate(invalid="ignore"):
        between = values[low] * (1 - part) + values[high] * part
    got = np.where(low < 0, np.nan, np.where(low == high, values[low], between))
    check(got.ravel().tolist(), expected)


@given(window=windows(), data=st.data())
@draws(40)
def test_the_median_deviation_of_distinct_values_is_that_of_duckdb(
    window: Window, data: st.DataObject
) -> None:
    values = column(data, SPECIALS, window)
    got = moving_distinct_mad(one_partition(values), values, *window.frames)
    expected = window.ask_duckdb("mad(DISTINCT value)", value=values)
    np.testing.assert_allclose(got, np.array(expected, np.float64), rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("distinct", [False, True])
@given(window=windows(), data=st.data(), separator=st.sampled_from(["", ",", " → "]))
@draws(30)
def test_joined_texts_are_those_of_duckdb(
    distinct: bool, window: Window, data: st.DataObject, separator: str
) -> None:
    words = column(data, st.sampled_from(["", "a", "bc", "é"]), window).tolist()
    encoded = [word.encode() for word in words]
    stop = np.cumsum([len(word) for word in encoded])
    start = stop - [len(word) for word in encoded]
    key = np.array([words.index(word) for word in words])
    ends, joined = moving_join(
        one_partition(words), np.frombuffer(b"".join(encoded), np.uint8), start, stop,
        *window.frames, separator.encode(), key=key if distinct else None,
    )  # fmt: skip
    got = [bytes(joined[a:b]).decode() for a, b in pairwise(ends)]
    call = f"string_agg({'DISTINCT ' if distinct else ''}value, '{separator}')"
    expected = window.ask_duckdb(call, value=pa.array(words))
    assert got == [answer or "" for answer in expected]


@pytest.mark.parametrize("distinct", [False, True])
def test_texts_too_long_to_be_joined_are_refused_at_once(distinct: bool) -> None:
    rows = 200_000
    text = np.frombuffer(b"abcdefgh" * rows, np.uint8)
    start = 8 * np.arange(rows)
    frames = np.zeros((rows, 1), np.int64), np.arange(1, rows + 1)[:, None]
    parts = one_partition(start), text, start, start + 8, *frames, b", "
    began = perf_counter()
    with pytest.raises(OverflowError, match="of a partition have 200,000,600,000 bytes"):
        moving_join(*parts, key=start if distinct else None)
    assert perf_counter() - began < 10


@given(st.integers(1, 60), st.data())
@draws(60)
def test_any_frames_have_the_distinct_values_that_counting_finds(
    size: int, data: st.DataObject
) -> None:
    values = np.array(data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)))
    frames = data.draw(random_frames(size, size))
    expected = [sum(set(values[members(*frames, i)].tolist())) for i in range(size)]
    for name in ("sum", "integer_sum"):
        assert moving_distinct(one_partition(values), name, values, values, *frames).tolist() == (
            expected
        )


def test_a_value_that_leaves_together_with_nan_is_removed() -> None:
    values = np.array([1.0, np.nan, 2.0, 2.0])
    frames = np.array([[0], [2]]), np.array([[2], [4]])
    got = moving_distinct(one_partition(values), "sum", values, sort_keys(values), *frames)
    assert got[1] == 2.0


def test_texts_too_large_for_a_column_are_refused() -> None:
    ends = np.array([0]), np.array([2**31])
    frames = np.zeros((1, 1), np.int64), np.ones((1, 1), np.int64)
    with pytest.raises(OverflowError, match="have 2,147,483,648 bytes, but a column holds"):
        moving_join(np.array([0, 1]), np.zeros(1, np.uint8), *ends, *frames, b"")


def test_a_name_that_is_no_aggregate_of_numbers_is_refused() -> None:
    frames = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    with pytest.raises(ValueError, match="'max' is no aggregate of numbers; use one of count, sum"):
        moving_distinct(np.array([0, 1]), "max", np.zeros(1), np.zeros(1, int), *frames)
