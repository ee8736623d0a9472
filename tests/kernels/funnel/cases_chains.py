"""Funnels with rules, and the kernels that answer them against brute force."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.funnel.chain_levels import Rules, chain_arguments, kinds
from kernels.structures.instants import MOST
from tests.kernels.funnel import chains_brute_force as brute_force
from tests.kernels.funnel.chains_brute_force import Row

Args = list[Any]
Users = list[list[Row]]


@st.composite
def rules(draw: st.DrawFn, orders: tuple[str, ...] = ("this", "strict")) -> Rules:
    """Draw rules: with optional steps, with windows of steps, and with up to two exclusions."""
    steps = draw(st.integers(1, 5))
    later = st.sets(st.integers(1, steps - 1)) if steps > 1 else st.just(set[int]())
    optional = tuple(sorted(draw(later)))
    within = tuple((k, draw(st.integers(0, 6))) for k in sorted(draw(later)))
    required = [k for k in range(steps) if k not in optional]
    pairs = [(a, b) for a in required for b in required if a < b]
    some = st.lists(st.sampled_from(pairs), max_size=2) if pairs else st.just([])
    window = draw(st.sampled_from([0, 2, 5, 8, 12, 10**6]))
    order = draw(st.sampled_from(orders))
    return Rules(steps, window, order, optional, within, tuple(draw(some)))


def users(seed: int, rules: Rules) -> Users:
    """Return a few short streams of close times, with ties, repeats and rows of several steps."""
    rng = np.random.default_rng(seed)
    streams: Users = []
    for _ in range(8):
        n = int(rng.integers(0, 9))
        one, several = 1 << rng.integers(0, rules.steps, n), rng.integers(0, 1 << rules.steps, n)
        bits = np.where(rng.random(n) < 0.25, several, one) * (rng.random(n) > 0.2)
        bars = rng.integers(0, 1 << len(rules.exclusions), n) * (rng.random(n) < 0.25)
        times = rng.integers(-3, 10, n)
        streams.append(
            [(int(t), int(b), int(x)) for t, b, x in zip(times, bits, bars, strict=True)]
        )
    return streams


@st.composite
def sorted_rows(draw: st.DrawFn, orders: tuple[str, ...]) -> tuple[Rules, Args]:
    """Draw one user's rows with their kinds, sorted as the kernels scan them."""
    drawn_rules = draw(rules(orders))
    rows = np.array(users(draw(st.integers(0, 999)), drawn_rules)[0], np.int64).reshape(-1, 3)
    conditions = (rows[:, 1] | rows[:, 2] << drawn_rules.steps).astype(np.uint32)
    kind, fulfils, bars = kinds(conditions, drawn_rules)
    order = np.lexsort((kind, rows[:, 0]))
    return drawn_rules, [rows[order, 0].copy(), kind[order].copy(), fulfils, bars]


@st.composite
def chains(draw: st.DrawFn) -> Args:
    """Draw the arguments of ``chain_funnel``."""
    drawn_rules, columns = draw(sorted_rows(("this", "strict")))
    settings, memory = chain_arguments(drawn_rules)
    outcome, reached = np.zeros(4, np.int64), np.zeros(drawn_rules.steps, np.int64)
    return [*columns, *settings, *memory, outcome, reached]


@st.composite
def any_order(draw: st.DrawFn) -> Args:
    """Draw the arguments of ``any_order_funnel``."""
    drawn_rules, columns = draw(sorted_rows(("any",)))
    memory = [np.zeros(drawn_rules.steps, np.int64) for _ in range(3)]
    outcome, reached = np.zeros(4, np.int64), np.zeros(drawn_rules.steps, np.int64)
    return [*columns[:3], drawn_rules.window, *memory, outcome, reached]


@st.composite
def matched_rows(draw: st.DrawFn) -> Args:
    """Draw rows, some of which are matched to steps, and a new row after them."""
    fulfils = np.array(draw(st.lists(st.integers(0, 15), min_size=1, max_size=7)), np.int64)
    row_of = np.full(4, -1, np.int64)
    for row in range(len(fulfils) - 1):
        free = [k for k in range(4) if int(fulfils[row]) >> k & 1 and row_of[k] == -1]
        if free:
            row_of[draw(st.sampled_from(free))] = row
    kind, memory = np.arange(len(fulfils), dtype=np.uint32), np.zeros((2, 4), np.int64)
    return [len(fulfils) - 1, kind, fulfils, row_of, *memory]


@st.composite
def chain_conversions(draw: st.DrawFn) -> Args:
    """Draw the arguments of ``chain_conversions``: several steps, of which the last is required."""
    args = draw(chains().filter(lambda args: len(args[7]) > 1 and not args[6] >> len(args[7]) - 1))
    return [*args, *_room(args)]


def _room(args: Args) -> Args:
    """Return arrays for the chains that follow each other, and for their ends."""
    rows, steps = len(args[0]), len(args[-1])
    written = np.zeros(1, np.int64), np.zeros(rows + 1, np.int64)
    tables = np.zeros((rows + 1, 4), np.int64), np.zeros((rows + 1, steps), np.int64)
    return [*written, *tables, np.zeros(rows, np.uint8)]


@st.composite
def any_order_conversions(draw: st.DrawFn) -> Args:
    """Draw the arguments of ``any_order_conversions``."""
    args = draw(any_order())
    return [*args, *_room(args)]


@st.composite
def coded_rows(draw: st.DrawFn) -> Args:
    """Draw the arguments of ``matching_rows``: partitions of coded rows, and room for the kept."""
    codes = draw(st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=4))
    code = np.array([code for rows in codes for code in rows], np.uint32)
    time = np.array([draw(st.integers(-9, 9)) for _ in code], np.int64)
    idle = draw(st.integers(-1, 3))
    room = int((code != idle).sum()) + 1
    kind_of = np.array(draw(st.permutations(range(4))), np.uint32)
    offsets = np.cumsum([0, *map(len, codes)], dtype=np.int64)
    kept = np.zeros(len(offsets), np.int64), np.zeros(room, np.int64), np.zeros(room, np.uint32)
    return [offsets, time, code, kind_of, idle, *kept]


def keeps_all_but_idle_rows(before: Args, after: Args, result: Any) -> bool:
    offsets, time, code, kind_of, idle = before[:5]
    kept = np.flatnonzero(code != idle)
    return bool(
        result == len(kept)
        and (after[5] == np.searchsorted(kept, offsets)).all()
        and (after[6][: len(kept)] == time[kept]).all()
        and (after[7][: len(kept)] == kind_of[code[kept]]).all()
    )


@st.composite
def codes(draw: st.DrawFn) -> Args:
    """Draw codes of rows, and marks of all codes."""
    code = np.array(draw(st.lists(st.integers(0, 7), max_size=9)), np.uint32)
    return [code, np.array(draw(st.lists(st.integers(0, 1), min_size=8, max_size=8)), np.uint8)]


def marks_codes_that_occur(before: Args, after: Args, result: Any) -> bool:
    present = np.isin(np.arange(8), before[0]) | (before[1] == 1)
    return bool(result is None and (after[1] == present).all())


def is_best_of_all_chains(before: Args, after: Args, result: Any) -> bool:
    time, kind, fulfils, bars = before[:4]
    rules = rules_of(before)
    columns = time.tolist(), fulfils[kind].tolist(), bars[kind].tolist()
    best = brute_force.answer(list(zip(*columns, strict=True)), rules)
    _, barred, barred_last, _ = after[-2].tolist()
    return (result, barred, barred_last) == (best.level, best.barred, best.barred_last)


def rules_of(args: Args) -> Rules:
    """Return the rules in the arguments of a kernel of chains."""
    window, strict, optional, within, opens, closes = args[4:10]
    return Rules(
        len(within),
        window,
        "strict" if strict else "this",
        tuple(k for k in range(len(within)) if optional >> k & 1),
        tuple((k, int(length)) for k, length in enumerate(within) if length != MOST),
        tuple(zip(opens.tolist(), closes.tolist(), strict=True)),
    )


def completes_most_chains(before: Args, after: Args, result: Any) -> bool:
    time, kind, fulfils, bars = before[:4]
    columns = time.tolist(), fulfils[kind].tolist(), bars[kind].tolist()
    rows = list(zip(*columns, strict=True))
    ends = int(after[-1].sum())
    return result == ends == brute_force.most_completed(rows, rules_of(before))


def completes_most_windows(before: Args, after: Args, result: Any) -> bool:
    time, kind, fulfils, window = before[:4]
    rows = [(at, bits, 0) for at, bits in zip(time.tolist(), fulfils[kind].tolist(), strict=True)]
    rules = Rules(len(before[4]), window, "any")
    return bool(result == after[-1].sum() == brute_force.most_completed(rows, rules))


def counts_what_a_window_holds(before: Args, after: Args, result: Any) -> bool:
    time, kind, fulfils, window = before[:4]
    rows = [(at, bits, 0) for at, bits in zip(time.tolist(), fulfils[kind].tolist(), strict=True)]
    rules = Rules(len(before[4]), window, "any")
    return bool(result == brute_force.any_order_level(rows, rules))


def holds_the_newest_rows(before: Args, after: Args, result: Any) -> bool:
    new, _, fulfils, old = before[:4]
    rows = [int(row) for row in after[3] if row >= 0]
    fits = all(row < 0 or int(fulfils[row]) >> k & 1 for k, row in enumerate(after[3].tolist()))
    candidates = [*(int(row) for row in old if row >= 0), new]
    newest = all(
        sum(row >= first for row in rows)
        == brute_force.matched([int(fulfils[row]) for row in candidates if row >= first], 4)
        for first in range(new + 1)
    )
    return fits and len(set(rows)) == len(rows) and newest


Oracle = Callable[[Args, Args, Any], bool]

CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "any_order_conversions": (any_order_conversions(), completes_most_windows),
    "any_order_funnel": (any_order(), counts_what_a_window_holds),
    "chain_conversions": (chain_conversions(), completes_most_chains),
    "chain_funnel": (chains(), is_best_of_all_chains),
    "mark_codes": (codes(), marks_codes_that_occur),
    "match_newest": (matched_rows(), holds_the_newest_rows),
    "matching_rows": (coded_rows(), keeps_all_but_idle_rows),
}
