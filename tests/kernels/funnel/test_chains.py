"""Funnels with rules against brute force, and against the examples of products."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kernels.funnel.chain_levels import Rules, chain_levels
from kernels.funnel.conversions import conversions
from kernels.funnel.levels import funnel_levels
from tests.drawn import draws
from tests.kernels.funnel import chains_brute_force as brute_force
from tests.kernels.funnel.cases_chains import Users, rules, users
from tests.kernels.funnel.chains_brute_force import Answer
from tests.kernels.funnel.events import random_streams


def levels_of(users: Users, rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = np.array([row for user in users for row in user], np.int64).reshape(-1, 3)
    offsets = np.cumsum([0, *map(len, users)], dtype=np.int64)
    time, bits, bars = rows.T.copy()
    conditions = (bits | bars << rules.steps).astype(np.uint32)
    return chain_levels(offsets, time, conditions, rules)


def answers(users: Users, rules: Rules) -> list[Answer]:
    level, reached, outcome = levels_of(users, rules)
    options = [sum(int(bits) >> k & 1 for k in rules.optional) for bits in outcome[:, 0]]
    start = np.where(level > 0, reached[:, 0], 0).tolist()
    ended = outcome[:, 1:3].astype(bool).tolist()
    return [
        Answer(*one, *two)
        for one, two in zip(zip(level.tolist(), start, options, strict=True), ended, strict=True)
    ]


@given(rules(), st.integers(0, 2**32))
@draws(400)
def test_the_winning_chain_is_the_best_chain(rules: Rules, seed: int) -> None:
    streams = users(seed, rules)
    assert answers(streams, rules) == [brute_force.answer(user, rules) for user in streams]


@given(st.integers(1, 5), st.sampled_from([0, 2, 5, 12]), st.integers(0, 2**32))
@draws(200)
def test_any_order_counts_the_steps_that_one_window_can_match(
    steps: int, window: int, seed: int
) -> None:
    rules = Rules(steps, window, "any")
    streams = users(seed, rules)
    level, reached, outcome = levels_of(streams, rules)
    assert level.tolist() == [brute_force.any_order_level(user, rules) for user in streams]
    for bits, times, count in zip(outcome[:, 0], reached, level, strict=True):
        taken = [int(times[k]) for k in range(steps) if int(bits) >> k & 1]
        assert len(taken) == count
        assert not taken or max(taken) - min(taken) <= window


@given(rules(), st.integers(0, 2**32))
@draws(100)
def test_the_times_of_a_winning_chain_are_in_order_and_in_time(rules: Rules, seed: int) -> None:
    streams = users(seed, rules)
    _, reached, outcome = levels_of(streams, rules)
    for user, times, bits in zip(streams, reached, outcome[:, 0], strict=True):
        steps = [k for k in range(rules.steps) if int(bits) >> k & 1]
        taken = [int(times[k]) for k in steps]
        assert taken == sorted(taken)
        assert not taken or taken[-1] - taken[0] <= rules.window
        for k, time in zip(steps, taken, strict=True):
            assert any(row[0] == time and row[1] >> k & 1 for row in user)


@given(rules(("this", "strict", "any")), st.integers(0, 2**32))
@draws(200)
def test_conversions_are_the_most_chains_that_follow_each_other(rules: Rules, seed: int) -> None:
    assume(rules.steps - 1 not in rules.optional)
    assume(rules.order != "any" or not (rules.optional or rules.within or rules.exclusions))
    streams = users(seed, rules)
    rows = np.array([row for user in streams for row in user], np.int64).reshape(-1, 3)
    offsets = np.cumsum([0, *map(len, streams)], dtype=np.int64)
    time, bits, bars = rows.T.copy()
    conditions = (bits | bars << rules.steps).astype(np.uint32)
    chains = conversions(offsets, time, conditions, rules)
    order, ends = chains.order, chains.ends
    unsorted_time, unsorted_conditions = time, conditions
    result = [int(ends[a:b].sum()) for a, b in pairwise(offsets.tolist())]
    assert result == [brute_force.most_completed(user, rules) for user in streams]
    if order is not None:
        time, conditions = time[order], conditions[order]
    cuts = np.unique([*offsets, *(np.flatnonzero(ends) + 1)])
    level, reached, outcome = chain_levels(cuts, time, conditions, rules)
    assert chains.level.tolist() == level.tolist()
    assert chains.outcome[:, :3].tolist() == outcome[:, :3].tolist()
    uncut = conversions(offsets, unsorted_time, unsorted_conditions, rules, cut=False)
    with_level = uncut.level > 0
    assert uncut.level[with_level].tolist() == level[level > 0].tolist()
    assert (uncut.chain_counts - chains.chain_counts <= 1).all()
    taken_steps = (outcome[:, :1] >> np.arange(rules.steps)) & 1 == 1
    assert (chains.reached == reached)[taken_steps].all()
    complete = [bool(ends[b - 1]) for b in cuts[1:]]
    assert (level == rules.steps).tolist() == complete


def test_without_rules_a_stream_of_single_steps_has_the_levels_of_clickhouse() -> None:
    for steps, window in [(1, 3), (3, 4), (5, 10), (8, 1_000)]:
        case = random_streams(steps, 400, steps, window, 30)
        offsets, time, conditions = case.columns
        single = np.where(np.bitwise_count(conditions) > 1, 0, conditions)
        single = single.astype(np.uint32)
        level, reached, _ = chain_levels(offsets, time, single, Rules(steps, window))
        expected = funnel_levels(offsets, time, single, steps, window)
        assert level.tolist() == expected[0].tolist()
        assert reached.tolist() == expected[1].tolist()


@given(rules(("this", "strict", "any")), st.integers(0, 2**32), st.integers(0, 2**32 - 1))
@draws(60)
def test_bits_beyond_steps_and_exclusions_change_nothing(
    rules: Rules, seed: int, beyond: int
) -> None:
    rows = np.array([row for user in users(seed, rules) for row in user], np.int64).reshape(-1, 3)
    offsets, (time, bits, bars) = np.array([0, len(rows)]), rows.T.copy()
    conditions = (bits | bars << rules.steps).astype(np.uint32)
    bits_used = rules.steps + len(rules.exclusions)
    more = conditions | np.uint32(beyond >> bits_used << bits_used)
    result = chain_levels(offsets, time, more, rules)
    for one, other in zip(result, chain_levels(offsets, time, conditions, rules), strict=True):
        np.testing.assert_array_equal(one, other)


#: Steps A, B, C, ...; x is excluded between the first and the second, other letters are no step.
EXAMPLES = {
    "strict: another event between ends the chain": ("A B o C", Rules(3, 9, "strict"), 2),
    "strict: a repeated first step begins anew": ("A A B C D", Rules(4, 9, "strict"), 4),
    "strict: the furthest step is kept": ("A B o A C D", Rules(4, 9, "strict"), 2),
    "any order: all in another sequence": ("C B A", Rules(3, 9, "any"), 3),
    "any order: two of three": ("B A", Rules(3, 9, "any"), 2),
    "an excluded event between": ("A x B", Rules(2, 9, exclusions=((0, 1),)), 1),
    "an excluded event before": ("x A B", Rules(2, 9, exclusions=((0, 1),)), 2),
    "a clean chain behind it": ("A x A B", Rules(2, 9, exclusions=((0, 1),)), 2),
    "a window of a step that is over": ("A o o B", Rules(2, 9, within=((1, 2),)), 1),
    "a window of a step from the newest step before": ("A A o B", Rules(2, 9, within=((1, 2),)), 2),
    "optional: left out": ("A C", Rules(3, 9, optional=(1,)), 3),
    "optional: alone goes no further": ("A B", Rules(3, 9, optional=(1,)), 1),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_products(example: str) -> None:
    events, rules, expected = EXAMPLES[example]
    letters = "ABCDEFGH"[: rules.steps]
    user = [
        (at, 1 << letters.index(one) if one in letters else 0, int(one == "x"))
        for at, one in enumerate(events.split())
    ]
    assert levels_of([user], rules)[0].tolist() == [expected]


def test_optional_steps_are_counted_as_in_posthog() -> None:
    taken = ["1", "123", "13", "12345", "1235", "134", "1345", "135"]
    streams = [[(at, 1 << int(step) - 1, 0) for at, step in enumerate(user)] for user in taken]
    rules = Rules(5, 100, optional=(1, 3))
    _, _, outcome = levels_of(streams, rules)
    assert [int((outcome[:, 0] >> k & 1).sum()) for k in range(5)] == [8, 3, 7, 3, 4]


def test_an_excluded_event_after_the_window_excludes_nobody() -> None:
    rules = Rules(2, 10, exclusions=((0, 1),))
    late, early = [(0, 1, 0), (11, 0, 1), (12, 2, 0)], [(0, 1, 0), (4, 0, 1), (5, 2, 0)]
    assert answers([late, early], rules) == [
        Answer(1, 0, 0, False, False),
        Answer(1, 0, 0, True, True),
    ]


def test_distances_of_times_at_the_ends_of_64_bits_do_not_overflow() -> None:
    ends = [(-(2**63), 1, 0), (2**63 - 1, 2, 0)]
    for order in ("this", "any"):
        level, _, _ = levels_of([ends], Rules(2, 2**63 - 1, order))
        assert level.tolist() == [1]
