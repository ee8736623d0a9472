"""The ladder of window tiling: every rung of a meaning has the result of brute force."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.states.aggregates import AGGREGATES, finalized
from kernels.states.states import Sum
from kernels.tiling.hops import DAY, HOUR, MINUTE, default_hop
from kernels.tiling.ladder import RUNGS, tiled_aggregate
from kernels.tiling.sawtooth import sawtooth_windows
from kernels.tiling.tile_tree import MOST_TILES, generate_tiles
from tests.drawn import draws
from tests.kernels.tiling.cases import TIMES, WINDOWS, by_force, hopping, sawtooth, sliding

BOUNDS = {"sliding": sliding, "hopping": hopping, "sawtooth": sawtooth}
SUBTRACTING = ("cursors", "cursor hops", "cursor sawtooth")
#: One of each kind of state, and of each need.
NAMES = ["count", "integer_sum", "avg", "bool_and", "first", "last", "min", "max", "var_samp"]
NAMES += ["skewness", "corr", "product"]


def numbers(data: st.DataObject, name: str, size: int) -> Any:
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    if name in ("count", "integer_sum", "bool_and"):
        return random.integers(0, 2 if name == "bool_and" else 2**50, (2, size))
    return np.round(random.uniform(0.5, 2, (2, size)), data.draw(st.sampled_from([0, 9])))


def expected(name: str, rung: str, query: Any, window: int, hop: int, event: Any) -> Any:
    """Return the results of brute force, with values instead of rows."""
    bounds = BOUNDS[RUNGS[rung].meaning]
    states = by_force(AGGREGATES[name].empty, query, window, hop, event, bounds)
    fields = len(AGGREGATES[name].empty)
    return finalized(name, np.array(states).reshape(-1, fields)), [
        sum(bounds(q, window, hop)[0] <= t < bounds(q, window, hop)[1] for t in event[0].tolist())
        for q in query.tolist()
    ]


AT_ENDS = st.one_of(st.integers(-(2**63), 20 - 2**63), st.integers(2**63 - 20, 2**63 - 1))
NEAR_ENDS = st.lists(AT_ENDS, max_size=12).map(lambda times: np.array(sorted(times), np.int64))


@pytest.mark.parametrize("name", ["integer_sum", "last"])
@given(query=NEAR_ENDS, time=NEAR_ENDS, window=WINDOWS, hop=st.integers(1, 7), data=st.data())
@draws(40)
def test_windows_at_the_ends_of_time_are_right(
    name: str, query: Any, time: Any, window: int, hop: int, data: st.DataObject
) -> None:
    check_every_rung(name, query, time, window, hop, data)


@pytest.mark.parametrize("name", NAMES)
@given(query=TIMES, time=TIMES, window=WINDOWS, hop=st.integers(1, 7), data=st.data())
@draws(25)
def test_every_rung_answers_like_brute_force(
    name: str, query: Any, time: Any, window: int, hop: int, data: st.DataObject
) -> None:
    check_every_rung(name, query, time, window, hop, data)


def check_every_rung(
    name: str, query: Any, time: Any, window: int, hop: int, data: st.DataObject
) -> None:
    values, other = numbers(data, name, len(time))
    for rung in RUNGS:
        if rung in SUBTRACTING and not hasattr(AGGREGATES[name].empty, "inverse"):
            continue
        answers, rows = expected(name, rung, query, window, hop, [time, values, other])
        got = tiled_aggregate(rung, name, query, time, values, window, hop, other=other)
        assert got.rows.tolist() == rows
        valid = got.rows >= AGGREGATES[name].needs
        if answers.dtype == np.float64:
            np.testing.assert_allclose(got.value[valid], answers[valid], rtol=1e-9, atol=1e-9)
        else:
            assert got.value[valid].tolist() == answers[valid].tolist()


def test_nothing_counts_as_nothing_and_has_no_row() -> None:
    query, none = np.array([5, 5, 9]), np.array([], np.int64)
    for rung in RUNGS:
        counted = tiled_aggregate(rung, "count", query, none, none, 5, 2)
        assert counted.value.tolist() == counted.rows.tolist() == [0, 0, 0]
    assert tiled_aggregate("tiles", "max", query, none, none, 5).value.tolist() == [-1, -1, -1]


def test_a_window_excludes_its_end_and_includes_its_begin() -> None:
    query, time = np.array([-10, 0, 10]), np.array([-20, -10, 0, 10])
    for rung in ("naive", "rollups", "search", "tiles", "sawtooth"):
        got = tiled_aggregate(rung, "last", query, time, time, 10, 5)
        assert (got.value.tolist(), got.rows.tolist()) == ([0, 1, 2], [1, 1, 1])


def test_floors_round_down_before_1970() -> None:
    query, time = np.array([-1]), np.array([-10, -6, -5, -2])
    got = {r: tiled_aggregate(r, "count", query, time, time, 5, 5).value.tolist() for r in RUNGS}
    assert got["naive"] == [3]
    assert got["stack hops"] == [2]
    assert got["sawtooth"] == [4]


def test_every_range_within_256_is_covered_by_few_dyadic_tiles() -> None:
    tiles = np.zeros((MOST_TILES, 2), np.int64)
    all_tiles = set()
    for left in range(257):
        for right in range(left, 257):
            count = generate_tiles(left, right, tiles)
            cover = tiles[:count]
            begin, end = np.sort(cover[:, 0]), np.sort(cover[:, 1])
            assert [left, *end.tolist()] == [*begin.tolist(), right]
            size = cover[:, 1] - cover[:, 0]
            assert not ((size & (size - 1)) | (cover[:, 0] % np.maximum(size, 1))).any()
            assert count <= max(1, 2 * (right - 1).bit_length()) if right else count == 0
            all_tiles |= set(map(tuple, cover.tolist()))
    assert len(all_tiles) == 2 * 256 - 1


def test_the_example_of_the_source_has_three_tiles() -> None:
    tiles = np.zeros((MOST_TILES, 2), np.int64)
    assert tiles[: generate_tiles(4, 14, tiles)].tolist() == [[4, 8], [8, 12], [12, 14]]


def test_operations_are_quadratic_only_for_nested_loops() -> None:
    def operations(rung: str, size: int) -> int:
        times = np.arange(size) * 10
        return tiled_aggregate(rung, "count", times, times, times, 5 * size, 50).operations

    growth = {rung: operations(rung, 2_048) / operations(rung, 512) for rung in RUNGS}
    assert growth["naive"] == 16
    assert all(growth[rung] > 12 for rung in ("rollups", "search"))
    assert all(growth[rung] < 5.5 for rung in RUNGS if rung not in ("naive", "rollups", "search"))


def test_partitions_of_two_tables_do_not_see_each_other() -> None:
    query, time = np.array([4, 9, 3, 8, 8]), np.array([1, 2, 8, 0, 7])
    queries, events = np.array([0, 2, 2, 4, 5]), np.array([0, 2, 3, 5, 5])
    value, states = time * 10, np.zeros((5, 2), np.int64)
    operations = sawtooth_windows.over(
        queries, Sum(0, 0), query, 6, 5, time, value, value, states, right=events
    )
    assert states.tolist() == [[30, 2], [30, 2], [0, 1], [70, 2], [0, 0]]
    assert len(operations) == 4


def test_hops_follow_the_length_of_the_window() -> None:
    windows = [HOUR, 12 * HOUR - 1, 12 * HOUR, 12 * DAY - 1, 12 * DAY]
    assert [default_hop(window) for window in windows] == [5 * MINUTE] * 2 + [HOUR] * 2 + [DAY]


def test_invalid_arguments_are_refused() -> None:
    some = np.array([1, 2])

    def ask(
        rung: str = "naive", name: str = "sum", query: Any = some, window: int = 5, hop: int = 5
    ) -> None:
        tiled_aggregate(rung, name, query, some, some, window, hop)

    with pytest.raises(ValueError, match="rung: 'ladder' is not known; use one of naive"):
        ask("ladder")
    with pytest.raises(ValueError, match="name: 'averag' is no aggregate"):
        ask(name="averag")
    with pytest.raises(ValueError, match="'cursors' subtracts, which max cannot"):
        ask("cursors", "max")
    with pytest.raises(ValueError, match="window: -1 is negative"):
        ask(window=-1)
    with pytest.raises(ValueError, match="hop: 0 is too short"):
        ask(hop=0)
    with pytest.raises(ValueError, match="query: the times are not sorted"):
        ask(query=np.array([2, 1]))
