"""Ranking functions against DuckDB in process."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import order_by_key, order_by_starts, ranking, tiles
from kernels.windows.ranking import RANKINGS
from tests.drawn import draws
from tests.kernels.windows.partitions import Partitions, partitions

some = draws(100)


@some
@given(partitions())
def test_rankings_are_those_of_duckdb(case: Partitions) -> None:
    answer = case.ask(", ".join(f"{function}() OVER w" for function in RANKINGS))
    results = [ranking(case.order, function).tolist() for function in RANKINGS]
    assert list(zip(*results, strict=True)) == answer


@some
@given(partitions(), st.integers(1, 12))
def test_buckets_are_those_of_duckdb(case: Partitions, buckets: int) -> None:
    answer = case.ask(f"ntile({buckets}) OVER w")
    assert tiles(case.order, buckets).tolist() == [tile for (tile,) in answer]


@some
@given(data=st.data(), case=partitions())
def test_each_row_may_have_another_number_of_buckets(data: st.DataObject, case: Partitions) -> None:
    size = case.rows
    buckets = data.draw(st.lists(st.integers(1, 12), min_size=size, max_size=size))
    answer = case.ask("ntile(buckets) OVER w", buckets=pa.array(buckets, pa.int64()))
    assert tiles(case.order, np.array(buckets, np.int64)).tolist() == [tile for (tile,) in answer]


@pytest.mark.parametrize("function", RANKINGS)
def test_without_an_order_all_rows_of_a_partition_are_peers(function: str) -> None:
    order = order_by_starts(np.array([0, 3]), np.zeros(3, np.uint8))
    first = {"row_number": [1, 2, 3], "percent_rank": [0.0] * 3, "cume_dist": [1.0] * 3}
    assert ranking(order, function).tolist() == first.get(function, [1, 1, 1])


def test_an_unknown_ranking_function_is_refused() -> None:
    order = order_by_key(np.array([0, 1]), np.array([1]))
    with pytest.raises(ValueError, match="'ranking' is no ranking function; give one of 'row_n"):
        ranking(order, "ranking")


def test_zero_buckets_are_refused() -> None:
    order = order_by_key(np.array([0, 1]), np.array([1]))
    with pytest.raises(ValueError, match="buckets: ntile needs at least one bucket"):
        tiles(order, np.array([0]))
