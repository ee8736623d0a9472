"""Selection by rank: against sorting, in the worst case, and within its promised cost."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import trace
from kernels.structures.sort_keys import sort_keys
from kernels.windows.selection import (
    between,
    floats_of_keys,
    keys_at,
    move_below,
    quantile_ranks,
    select_ranks,
)
from tests.kernels.frames.frames import SPECIALS
from tests.oracle import duck

QUANTILES = [0.0, 0.07, 0.25, 0.5, 0.54, 1 / 3, 2 / 3, 0.99, 1.0]


def worst_case_keys(size: int) -> NDArray[np.int64]:
    """Return keys whose every pivot is among the least: each round's nine samples are the least."""
    key, free = np.full(size, -1, np.int64), np.arange(size)
    least = 0
    while len(free) > 16:
        sampled = np.unique(np.arange(9) * (len(free) // 9))
        key[free[sampled]] = least + np.arange(len(sampled))
        least += len(sampled)
        order = free.copy()
        below = 0
        for i in range(len(order)):
            low = key[order[i]] != -1
            order[i], order[below] = order[below], order[i]
            below += low
        free = order[below:]
    key[free] = least + np.arange(len(free))
    return key


def keys_read(key: NDArray[np.int64], rank: int) -> int:
    """Return how often keys are read to split them."""
    steps = trace(select_ranks, key.copy(), np.array([rank]), limit=200_000).steps
    return sum(step.kernel == "move_below" for step in steps)


@pytest.mark.parametrize("kind", ["any", "up", "down", "ties", "against"])
def test_a_median_reads_each_key_a_few_times(kind: str) -> None:
    size = 1_500
    key = {
        "any": np.random.default_rng(1).permutation(size),
        "up": np.arange(size),
        "down": np.arange(size)[::-1],
        "ties": np.arange(size) % 3,
        "against": worst_case_keys(size),
    }[kind]
    assert keys_read(key, size // 2) < 5 * size


def test_the_hardest_keys_are_selected_too() -> None:
    key = worst_case_keys(5_000)
    ranks = np.array([[0, 1, 2_500, 4_998, 4_999]])
    assert keys_at(np.array([0, 5_000]), key, ranks)[0].tolist() == np.sort(key)[ranks].tolist()


@given(st.lists(st.lists(st.integers(-9, 9), max_size=40), min_size=1, max_size=5), st.data())
def test_each_partition_has_separate_ranks(users: list[list[int]], data: st.DataObject) -> None:
    offsets = np.cumsum([0, *map(len, users)])
    ranks = [[data.draw(st.integers(-1, len(user) - 1)) for _ in range(3)] for user in users]
    key = np.array([k for user in users for k in user], np.int64)
    expected = [
        [sorted(user)[r] if r >= 0 else 0 for r in user_ranks]
        for user, user_ranks in zip(users, ranks, strict=True)
    ]
    original = key.copy()
    assert keys_at(offsets, key, np.array(ranks))[0].tolist() == expected
    assert key.tolist() == original.tolist()


@given(
    st.lists(SPECIALS, max_size=30),
    st.lists(st.sampled_from(QUANTILES), min_size=1, max_size=4),
    st.booleans(),
)
def test_quantiles_of_floats_are_those_of_duckdb(
    values: list[float], q: list[float], discrete: bool
) -> None:
    column = np.array(values, np.float64)
    low, high, part = quantile_ranks(np.array([len(column)]), q, discrete=discrete)
    low, high = keys_at(np.array([0, len(column)]), sort_keys(column), low, high)
    got = between(floats_of_keys(low), floats_of_keys(high), part)
    function = "quantile_disc" if discrete else "quantile_cont"
    rows = pa.table({"value": column})
    with duck() as connection:
        connection.register("rows", rows)
        query = connection.sql(f"SELECT {function}(value, {q}) AS result FROM rows")
        [expected] = query.to_arrow_table().column("result").to_pylist()
    expected_values = [np.nan] * len(q) if expected is None else expected
    values_found = got[0] if values else expected_values
    np.testing.assert_allclose(values_found, expected_values, rtol=1e-14, atol=1e-14)


def test_keys_at_the_ends_of_64_bits_are_distinguished() -> None:
    least, most = -(2**63), 2**63 - 1
    key = np.array([most, least, most, 0])
    assert move_below(key.copy(), most, False) == 2
    assert move_below(key.copy(), most, True) == 4
    assert move_below(key.copy(), least, False) == 0
