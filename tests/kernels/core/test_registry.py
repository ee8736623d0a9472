"""Properties of every kernel: it gives the same results traced and compiled."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import kernels
from kernels import Kernel, registry, trace
from tests.drawn import draws
from tests.kernels.entities import cases as cases_entities
from tests.kernels.frames import cases as frame_cases
from tests.kernels.funnel import brute_force, cases_behaviour, cases_chains
from tests.kernels.stream import cases as cases_streams
from tests.kernels.structures import cases_keys as key_cases
from tests.kernels.tiling import cases as tiling_cases
from tests.kernels.tiling import cases_cells, cases_nodes
from tests.kernels.windows import (
    cases_aggregates,
    cases_distinct,
    cases_holistic,
    cases_lists,
    cases_selection,
)
from tests.kernels.windows import cases_values as value_cases

Args = list[Any]
KERNEL = re.compile(r"^@kernel\ndef (\w+)", re.MULTILINE)

times = st.lists(st.integers(-8, 8), max_size=40)


def int64(values: Any) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def uint32(values: Any) -> NDArray[np.uint32]:
    return np.array(values, np.uint32)


@st.composite
def entries(draw: st.DrawFn, max_size: int = 40, sort: bool = False) -> Args:
    rows = draw(st.lists(st.tuples(st.integers(-8, 8), st.integers(0, 3)), max_size=max_size))
    rows = sorted(rows) if sort else rows
    return [int64([t for t, _ in rows]), uint32([k for _, k in rows])]


@st.composite
def wide_entries(draw: st.DrawFn, min_size: int = 1) -> Args:
    size = draw(st.integers(min_size, 90))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    low, high = draw(st.sampled_from([(-9, 9), (-70_000, 70_000), (-(2**63), 2**63 - 1)]))
    steps = random.integers(0, draw(st.sampled_from([4, 32, 2**32])), size)
    return [random.integers(low, high, size, endpoint=True), uint32(steps)]


@st.composite
def groups(draw: st.DrawFn) -> Args:
    group = draw(st.lists(st.integers(0, 4), max_size=40))
    return [uint32(group), int64(np.zeros(6)), uint32(np.zeros(len(group)))]


@st.composite
def with_digits(draw: st.DrawFn) -> Args:
    time, step = draw(entries())
    return [(time + 8).astype(np.uint8), time, step]


@st.composite
def conditions(draw: st.DrawFn, min_size: int = 0) -> NDArray[np.uint32]:
    return uint32(draw(st.lists(st.integers(0, 15), min_size=min_size, max_size=6)))


@st.composite
def matching(draw: st.DrawFn) -> Args:
    rows = draw(conditions(min_size=1))
    low = draw(st.integers(0, 4))
    spare = draw(st.integers(0, len(rows) - 1))
    memory = [int64(np.zeros(len(rows))) for _ in range(2)] + [int64(np.zeros(4)) for _ in range(2)]
    return [rows, spare, low, draw(st.integers(low, 4)), *memory]


@st.composite
def expansion(draw: st.DrawFn) -> Args:
    rows = draw(conditions())
    sizes = np.maximum(np.bitwise_count(rows), 1)
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return [rows, ends[:-1].copy(), int64(np.zeros(ends[-1])), uint32(np.zeros(ends[-1]))]


@st.composite
def origins(draw: st.DrawFn) -> Args:
    rows = draw(conditions(min_size=1))
    highest = draw(st.integers(0, 3))
    start = int64(sorted(draw(st.lists(times.map(len), min_size=4, max_size=4)), reverse=True))
    row = draw(st.integers(0, len(rows) - 1))
    numbers = [row, draw(st.integers(0, 3)), highest, 40, draw(st.integers(0, 40))]
    memory = [int64(np.zeros(len(rows))) for _ in range(2)] + [int64(np.zeros(4)) for _ in range(2)]
    return [rows, *numbers, draw(st.booleans()), start, *memory]


@st.composite
def extensions(draw: st.DrawFn) -> Args:
    origin = [draw(st.integers(-1, k)) for k in range(4)]
    return [9, int64(origin), int64(np.zeros(4)), int64(np.arange(16).reshape(4, 4))]


@st.composite
def funnels(draw: st.DrawFn) -> Args:
    time, step = draw(entries(max_size=12, sort=True))
    modes = draw(st.one_of(st.just([False] * 4), st.lists(st.booleans(), min_size=4, max_size=4)))
    slots = [int64(np.zeros(3)) for _ in range(2)]
    return [
        time,
        step,
        draw(st.integers(0, 9)),
        *modes,
        *slots,
        np.zeros(len(time), np.int32),
        int64([0, 0, 0]),
    ]


@st.composite
def funnels_once(draw: st.DrawFn) -> Args:
    rows = draw(st.lists(st.tuples(st.integers(-8, 8), st.integers(0, 7)), max_size=10).map(sorted))
    strict = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    modes = [*strict, draw(st.booleans()), draw(st.booleans())]
    slots = [int64(np.zeros(3)) for _ in range(4)]
    memory = [int64(np.zeros((3, 3))), *(int64(np.zeros(len(rows))) for _ in range(2))]
    memory.append(np.zeros(len(rows), np.uint32))
    window = draw(st.integers(0, 9))
    columns = int64([t for t, _ in rows]), uint32([c for _, c in rows])
    return [*columns, window, *modes, *slots, *memory, int64([0, 0, 0])]


Oracle = Callable[[Args, Args, Any], bool]


def is_best_of_all_chains(before: Args, after: Args, result: Any) -> bool:
    """Without modes; what each mode changes is compared with ClickHouse in test_funnel.py."""
    time, step, window, *modes = before[:7]
    bits = [1 << k - 1 if k else 0 for k in step.tolist()]
    rows = list(zip(time.tolist(), bits, strict=True))
    return any(modes) or result == brute_force.level(rows, 3, window)


def is_best_with_each_row_once(before: Args, after: Args, result: Any) -> bool:
    time, conditions, window, order, deduplication, increase = before[:6]
    rows = list(zip(time.tolist(), conditions.tolist(), strict=True))
    best = brute_force.level(rows, 3, window, once=True, increase=increase)
    return order or deduplication or result == best


def sorted_by_both(before: Args, after: Args, result: Any) -> bool:
    pairs = sorted(zip(before[0].tolist(), before[1].tolist(), strict=True))
    return pairs == list(zip(after[0].tolist(), after[1].tolist(), strict=True))


def sorted_by_digit(before: Args, after: Args, result: Any) -> bool:
    rows = zip(*(column.tolist() for column in before), strict=True)
    stable = [row[1:] for row in sorted(rows, key=lambda row: row[0])]
    return stable == list(zip(after[1].tolist(), after[2].tolist(), strict=True))


def says_whether_sorted(before: Args, after: Args, result: Any) -> bool:
    pairs = list(zip(before[0].tolist(), before[1].tolist(), strict=True))
    return brute_force.pairs_in_order(pairs) == bool(result)


def matches_by_force(before: Args, after: Args, result: Any) -> bool:
    rows, spare, low, high = before[:4]
    others = [c for i, c in enumerate(rows.tolist()) if i != spare]
    return brute_force.fillable(others, low, high) == bool(result)


def stands_by_group(before: Args, after: Args, result: Any) -> bool:
    group, (place, offsets, order) = before[0].tolist(), after
    counts = [group.count(g) for g in range(5)]
    in_order = sorted(range(len(group)), key=lambda row: group[row])
    stands = np.array_equal(order[place], np.arange(len(group)))
    grouped = order.tolist() == in_order and np.diff(offsets).tolist() == counts
    return stands and grouped and offsets[0] == 0


def lists_every_bit(before: Args, after: Args, result: Any) -> bool:
    expected = []
    for row, bits in enumerate(before[0].tolist()):
        steps = [k + 1 for k in range(4) if bits >> k & 1] or [0]
        expected += [(row, step) for step in steps]
    return expected == list(zip(after[2].tolist(), after[3].tolist(), strict=True))


def extends_the_newest(before: Args, after: Args, result: Any) -> bool:
    rows, row, k, highest, now, window, increase, start = before[:8]
    others = [c for i, c in enumerate(rows.tolist()) if i != row]
    possible = [
        level
        for level in range(min(k, highest) + 1)
        if (level == k or not increase)
        and (level == 0 or now - start[level - 1] <= window)
        and brute_force.fillable(others, level, k)
    ]
    return result == min(possible, default=-1)


def holds_extended_chains(before: Args, after: Args, result: Any) -> bool:
    now, origin, _, chain = before
    return all(
        after[3][k, : k + 1].tolist() == [*chain[level - 1, :level], *[now] * (k + 1 - level)]
        for k, level in enumerate(origin.tolist())
        if level >= 0
    )


CASES: dict[str, tuple[st.SearchStrategy[Args], Oracle]] = {
    "counting_sort": (with_digits(), sorted_by_digit),
    "expand_conditions": (expansion(), lists_every_bit),
    "fillable": (matching(), matches_by_force),
    "group_rows": (groups(), stands_by_group),
    "hold_chains": (extensions(), holds_extended_chains),
    "in_order": (entries(), says_whether_sorted),
    "insertion_sort": (entries(), sorted_by_both),
    "radix_sort": (wide_entries(), sorted_by_both),
    "oldest_origin": (origins(), extends_the_newest),
    "sort_entries": (st.one_of(entries(max_size=100), wide_entries(min_size=80)), sorted_by_both),
    "window_funnel": (funnels(), is_best_of_all_chains),
    "window_funnel_once": (funnels_once(), is_best_with_each_row_once),
    **cases_chains.CASES,
    **cases_behaviour.CASES,
    **frame_cases.CASES,
    **key_cases.CASES,
    **value_cases.CASES,
    **cases_holistic.CASES,
    **cases_aggregates.CASES,
    **cases_cells.CASES,
    **tiling_cases.CASES,
    **cases_distinct.CASES,
    **cases_lists.CASES,
    **cases_entities.CASES,
    **cases_nodes.CASES,
    **cases_selection.CASES,
    **cases_streams.CASES,
}


def copied(args: Args) -> Args:
    return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]


def same(a: Args, b: Args) -> bool:
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


def test_the_registry_holds_every_kernel_that_is_written_in_any_folder() -> None:
    files = Path(kernels.__file__).parent.rglob("*.py")
    written = [name for file in files for name in KERNEL.findall(file.read_text("utf-8"))]
    assert sorted(written) == sorted(registry)
    assert len(written) >= 122


def test_every_kernel_of_the_registry_has_a_case() -> None:
    assert set(CASES) == set(registry)


@pytest.mark.parametrize("name", sorted(CASES))
@given(data=st.data())
@draws(60)
def test_traced_and_compiled_and_brute_force_agree(name: str, data: st.DataObject) -> None:
    kernel, (strategy, agrees) = registry[name], CASES[name]
    before = data.draw(strategy)
    compiled, stepped = copied(before), copied(before)
    result = kernel(*compiled)
    traced = trace(kernel, *stepped, limit=100_000)
    assert (result or 0) == (traced.result or 0)
    assert same(compiled, stepped)
    assert agrees(before, compiled, result)


@pytest.mark.parametrize("kernel", registry.values(), ids=list(registry))
def test_what_is_stepped_through_is_what_is_compiled(kernel: Kernel) -> None:
    assert kernel.compiled.py_func is kernel.python
    assert kernel.source.startswith(f"def {kernel.__name__}(")


@pytest.mark.parametrize("kernel", registry.values(), ids=list(registry))
def test_every_caption_stands_on_a_line_that_runs(kernel: Kernel) -> None:
    lines = {line for *_, line in kernel.python.__code__.co_lines()}
    assert {kernel.first_line + line - 1 for line in kernel.captions} <= lines


@pytest.mark.parametrize("name", ["in_order", "insertion_sort", "sort_entries"])
@given(data=st.data())
@draws(20)
def test_a_lift_gives_each_partition_what_the_kernel_gives_it_alone(
    name: str, data: st.DataObject
) -> None:
    users = data.draw(st.lists(entries(), min_size=1, max_size=4))
    offsets = np.cumsum([0, *(len(time) for time, _ in users)], dtype=np.int64)
    time, step = (np.concatenate([user[i] for user in users]) for i in range(2))
    results = registry[name].over(offsets, time, step)
    alone = [registry[name](*user) or 0 for user in users]
    assert results.tolist() == alone
    assert time.tolist() == np.concatenate([user[0] for user in users]).tolist()


NOTHING_COMPILED = """
import kernels
import numpy as np
from kernels import funnel_levels, registry
offsets, time, bits = np.array([0, 2]), np.array([1, 2]), np.array([1, 3], np.uint32)
for once in (False, True):
    funnel_levels(offsets, time, bits, 2, 5, strict_once=once)
for kernel in registry.values():
    kernel.compile()
    assert not kernel.lifted.stats.cache_misses, (kernel, kernel.lifted.stats)
"""


def test_a_fresh_process_finds_every_kernel_compiled() -> None:
    for kernel in registry.values():
        kernel.compile()
    subprocess.run([sys.executable, "-c", NOTHING_COMPILED], check=True)


def test_what_cannot_be_written_to_needs_no_version_of_its_own() -> None:
    def versions(writeable: bool) -> tuple[int, int]:
        conditions, ends = np.array([0b101, 0], np.uint32), np.array([0, 2])
        conditions.flags.writeable = ends.flags.writeable = writeable
        row, step = np.zeros(3, np.int64), np.zeros(3, np.uint32)
        registry["expand_conditions"](conditions, ends, row, step)
        registry["in_order"].over(ends, np.array([1, 2]), np.ones(2, np.uint8))
        assert row.tolist() == [0, 0, 1]
        direct, over = (registry[name].lifted for name in ("expand_conditions", "in_order"))
        return len(direct.signatures), len(over.signatures)

    assert versions(writeable=True) == versions(writeable=False)
