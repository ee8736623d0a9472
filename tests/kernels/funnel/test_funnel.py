"""The funnel's kernels against brute force over all chains, and against ClickHouse in process."""

from functools import cache
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from chdb.session import Session
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import funnel_levels
from kernels.funnel.chain_levels import Rules, chain_levels
from tests.drawn import draws
from tests.kernels.funnel import brute_force
from tests.kernels.funnel.events import COMBINATIONS, MODES, Streams, name, random_streams, streams


def levels(case: Streams, **modes: Any) -> list[int]:
    level, _ = funnel_levels(*case.columns, case.steps, case.window, **modes)
    return level.tolist()


@cache
def clickhouse() -> Session:
    """Return a ClickHouse session in this process, started once, as the start is slow."""
    return Session()


def ask_clickhouse(case: Streams, modes: dict[str, bool]) -> list[int]:
    """Return ClickHouse's levels; rows of the same time are sorted by their conditions."""
    users = [user for user, rows in enumerate(case.users) for _ in rows]
    rows = [row for rows in case.users for row in rows]
    table = pa.table(  # noqa: F841 (the query reads it by its name)
        {
            "user": pa.array(users, pa.int64()),
            "time": pa.array([time for time, _ in rows], pa.uint64()),
            "conditions": pa.array([conditions for _, conditions in rows], pa.uint32()),
        }
    ).sort_by([("user", "ascending"), ("time", "ascending"), ("conditions", "ascending")])
    flags = "".join(f", '{mode}'" for mode in MODES if modes[mode])
    conditions = ", ".join(f"assumeNotNull(bitTest(conditions, {k}))" for k in range(case.steps))
    query = f"""
        SELECT user, windowFunnel({case.window}{flags})(assumeNotNull(time), {conditions}) AS level
        FROM Python(table) GROUP BY user SETTINGS max_threads = 1"""
    answer = dict.fromkeys(range(len(case.users)), 0)
    for row in clickhouse().query(query, "ArrowTable").to_pylist() if len(rows) else []:
        answer[row["user"]] = row["level"]
    return list(answer.values())


def winning_chains(case: Streams, **modes: Any) -> list[NDArray[np.int64]]:
    level, reached = funnel_levels(*case.columns, case.steps, case.window, **modes)
    return [times[:n] for n, times in zip(level, reached, strict=True)]


@pytest.mark.parametrize("modes", COMBINATIONS, ids=name)
@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8])
def test_every_combination_of_modes_gives_the_levels_of_clickhouse(
    modes: dict[str, bool], steps: int
) -> None:
    for window, spread in [(0, 6), (4, 12), (10_000, 30)]:
        case = random_streams(steps * 100 + window, 250, steps, window, spread)
        assert levels(case, **modes) == ask_clickhouse(case, modes)


#: What users did, their levels in ClickHouse's ``strict_order``, and those in strict order.
STRICT = {
    "A B C": (3, 3),
    "o A B C": (3, 3),
    "A A B C": (3, 3),
    "A B o C": (2, 2),
    "A o A B C": (1, 3),
    "A B o A B C": (2, 3),
    "A C A B C": (1, 3),
    "A B B C": (3, 2),
    "A B B A B C": (3, 3),
}


def test_strict_order_of_clickhouse_ends_at_another_event_and_strict_order_begins_again() -> None:
    users = [
        [(at, "ABC".find(one) >= 0 and 1 << "ABC".find(one)) for at, one in enumerate(did.split())]
        for did in STRICT
    ]
    case = Streams(3, 9, [[(at, int(bits)) for at, bits in user] for user in users])
    modes = dict.fromkeys(MODES, False) | {"strict_order": True}
    ends, anew = zip(*STRICT.values(), strict=True)
    assert ask_clickhouse(case, modes) == levels(case, **modes) == [*ends]
    assert chain_levels(*case.columns, Rules(3, 9, "strict"))[0].tolist() == [*anew]


@pytest.mark.parametrize("modes", COMBINATIONS[:4], ids=name)
def test_thirty_two_steps_have_the_levels_of_clickhouse(modes: dict[str, bool]) -> None:
    rng = np.random.default_rng(1)
    users = [
        [(t, 1 << min(31, max(0, t // 2 + int(rng.integers(-1, 2))))) for t in range(66)]
        for _ in range(40)
    ]
    case = Streams(32, 1_000, users)
    assert levels(case, **modes) == ask_clickhouse(case, modes)


@given(streams(most_rows=7), st.booleans())
def test_the_default_level_is_that_of_the_best_chain(case: Streams, once: bool) -> None:
    best = [brute_force.level(u, case.steps, case.window, once=once) for u in case.users]
    assert levels(case, strict_once=once) == best


@given(streams(most_rows=7, shift=-(10**12)))
def test_strict_once_with_strict_increase_misses_no_chain_even_before_1970(case: Streams) -> None:
    best = [
        brute_force.level(u, case.steps, case.window, once=True, increase=True) for u in case.users
    ]
    assert levels(case, strict_once=True, strict_increase=True) == best


@given(streams(), st.sampled_from(COMBINATIONS))
def test_the_winning_chain_is_a_chain_of_events_within_the_window(
    case: Streams, modes: dict[str, bool]
) -> None:
    for user, chain in zip(case.users, winning_chains(case, **modes), strict=True):
        for k, time in enumerate(chain):
            assert any(t == time and conditions >> k & 1 for t, conditions in user)
        if len(chain):
            assert chain[-1] - chain[0] <= case.window
        gaps = np.diff(chain)
        assert (gaps > 0).all() if modes["strict_increase"] else (gaps >= 0).all()


@given(streams(), st.sampled_from(COMBINATIONS), st.randoms(use_true_random=False))
def test_the_answer_does_not_depend_on_the_order_of_arrival(
    case: Streams, modes: dict[str, bool], random: Random
) -> None:
    shuffled = [random.sample(user, len(user)) for user in case.users]
    again = Streams(case.steps, case.window, shuffled)
    assert levels(again, **modes) == levels(case, **modes)
    chains = zip(winning_chains(again, **modes), winning_chains(case, **modes), strict=True)
    assert all(np.array_equal(a, b) for a, b in chains)


@given(streams(), st.sampled_from(COMBINATIONS))
def test_users_do_not_affect_each_other(case: Streams, modes: dict[str, bool]) -> None:
    alone = [levels(Streams(case.steps, case.window, [u]), **modes)[0] for u in case.users]
    assert levels(case, **modes) == alone


@given(streams(most_rows=60), st.sampled_from(COMBINATIONS))
@draws(30)
def test_the_input_is_not_changed(case: Streams, modes: dict[str, Any]) -> None:
    offsets, time, conditions = case.columns
    funnel_levels(offsets, time, conditions, case.steps, case.window, **modes)
    for before, after in zip(case.columns, (offsets, time, conditions), strict=True):
        np.testing.assert_array_equal(before, after)


ENDS = [-(2**63), -(2**63) + 1, -3, 0, 4, 2**63 - 2, 2**63 - 1]


@given(
    st.lists(st.tuples(st.sampled_from(ENDS), st.integers(0, 7)), max_size=7),
    st.sampled_from([0, 1, 5, 2**62, 2**63 - 3, 2**63 - 1]),
    st.booleans(),
)
def test_distances_of_times_at_the_ends_of_64_bits_do_not_overflow(
    user: list[tuple[int, int]], window: int, once: bool
) -> None:
    best = brute_force.level(user, 3, window, once=once)
    assert levels(Streams(3, window, [user]), strict_once=once) == [best]


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7)), min_size=5, max_size=9),
    st.integers(0, 1),
    st.booleans(),
)
def test_more_rows_of_an_instant_than_a_chain_takes_have_the_right_level(
    user: list[tuple[int, int]], window: int, increase: bool
) -> None:
    best = brute_force.level(user, 3, window, once=True, increase=increase)
    modes = {"strict_once": True, "strict_increase": increase}
    assert levels(Streams(3, window, [user]), **modes) == [best]


@pytest.mark.parametrize("modes", [one for one in COMBINATIONS if one["strict_once"]], ids=name)
def test_many_rows_at_few_instants_have_the_levels_of_clickhouse(modes: dict[str, bool]) -> None:
    for steps in (1, 2, 3):
        case = random_streams(steps, 150, steps, 1, 2)
        assert levels(case, **modes) == ask_clickhouse(case, modes)


def test_many_rows_of_one_instant_take_linear_time() -> None:
    # Before this instant a chain is at step 17; at it, only two rows fulfil the steps before.
    rows = np.full(20_000, 2**31 - 2**16, np.uint32)
    rows[:2] = 2**31 - 1
    time = np.concatenate([np.arange(17) - 50, np.zeros(len(rows), np.int64)])
    conditions = np.concatenate([np.uint32(1) << np.arange(17, dtype=np.uint32), rows])
    began = perf_counter()
    level, _ = funnel_levels(np.array([0, len(time)]), time, conditions, 32, 99, strict_once=True)
    assert level.tolist() == [31]
    assert perf_counter() - began < 20


def test_many_rows_of_one_instant_that_fulfil_every_step_are_fast_in_strict_once() -> None:
    everything = [(0, (1 << 12) - 1)] * 40
    assert levels(Streams(12, 0, [everything, everything[:5]]), strict_once=True) == [12, 5]


@given(streams(), st.sampled_from(COMBINATIONS), st.integers(0, 2**32 - 1))
@draws(60)
def test_bits_beyond_the_steps_change_nothing(
    case: Streams, modes: dict[str, Any], beyond: int
) -> None:
    offsets, time, conditions = case.columns
    more = conditions | np.uint32(beyond >> case.steps << case.steps)
    result = funnel_levels(offsets, time, more, case.steps, case.window, **modes)
    expected = funnel_levels(offsets, time, conditions, case.steps, case.window, **modes)
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(one, other)
