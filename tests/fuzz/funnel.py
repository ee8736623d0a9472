"""Funnels in all modes against ClickHouse in process, against every chain tried, and on Spark."""

from itertools import pairwise, product
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from kernels import funnel_levels
from tests.fuzz.check import Check, same
from tests.fuzz.ends import INSTANTS, MOST
from tests.kernels.funnel import brute_force
from tests.kernels.funnel.events import COMBINATIONS, WINDOWS, Streams, streams
from tests.kernels.funnel.test_funnel import ask_clickhouse, levels, winning_chains
from tests.workbench.columnar.test_blocks import KEYS
from tests.workbench.funnel.test_on_spark import STEPS, expected, levels_by_every_path
from workbench.columnar.blocks import CONDITIONS, TIME, key_columns
from workbench.columnar.bundles import BUNDLE, PARTITION, BundleTask
from workbench.funnel.worker.levels import FunnelTask

Modes = dict[str, Any]

modes = st.sampled_from(COMBINATIONS)
windows = st.one_of(WINDOWS, st.sampled_from([MOST, MOST - 1, 2 * 10**15]))
small = streams(most_steps=8, most_rows=30, most_users=30)
at_ends = streams(most_steps=32, times=INSTANTS, windows=windows, most_users=30)


def with_near_times(case: Streams) -> Streams:
    """Return the same funnel for ClickHouse, whose window ends at an unsigned time.

    Times begin at 0, and gaps that are longer than the window are one longer: so any two rows
    are within the window, or not, as they were.
    """
    times = sorted({time for user in case.users for time, _ in user})
    longest = times[-1] - times[0] if times else 0
    window = min(case.window, longest)
    gaps = [min(after - before, window + 1) for before, after in pairwise(times)]
    near = {time: sum(gaps[:i]) for i, time in enumerate(times)}
    return Streams(case.steps, window, [[(near[t], c) for t, c in user] for user in case.users])


def levels_are_those_of_clickhouse(case: Streams, modes: Modes) -> None:
    near = with_near_times(case)
    last = max((time for user in near.users for time, _ in user), default=0)
    # Where ClickHouse's own sum would wrap, only the check against the best of all chains applies.
    if last + near.window < 2**64:
        same(levels(case, **modes), ask_clickhouse(near, modes))


def levels_are_those_of_the_best_of_all_chains(case: Streams, increase: bool, once: bool) -> None:
    # Without strict_once, strict_increase follows ClickHouse, which misses some chains.
    increase = increase and once
    best = [
        brute_force.level(user, case.steps, case.window, once=once, increase=increase)
        for user in case.users
    ]
    same(levels(case, strict_once=once, strict_increase=increase), best)


def chains_are_of_events_within_the_window(case: Streams, modes: Modes) -> None:
    chains = winning_chains(case, **modes)
    for user, chain in zip(case.users, (chain.tolist() for chain in chains), strict=True):
        for k, time in enumerate(chain):
            there = any(t == time and conditions >> k & 1 for t, conditions in user)
            assert there, f"no event fulfils step {k} at {time}"
        took = chain[-1] - chain[0] if chain else 0
        assert took <= case.window, f"a chain of {took} is longer than the window"
        least = min((after - before for before, after in pairwise(chain)), default=1)
        assert least >= modes["strict_increase"], f"two steps are {least} apart"


def workers_answer_each_key_as_the_kernel_does(
    case: Streams, modes: Modes, key: list[str], rows_a_batch: int
) -> None:
    """Rows of all keys in bundles, as they come out of the shuffle."""
    task = FunnelTask(tuple(key), tuple(range(case.steps)), case.window, modes)
    key_names = key_columns(key)
    kinds = {name: KEYS[kind][0] for name, kind in zip(key_names, key, strict=True)}
    schema = pa.schema(
        [*kinds.items(), (TIME, pa.int64()), (CONDITIONS, pa.int32()), (PARTITION, pa.int32())]
    )
    all_keys, rows = list(product(*(dict.fromkeys(KEYS[name][1]) for name in key))), []
    case = Streams(case.steps, case.window, case.users[: len(all_keys)])
    for user, events in zip(all_keys, case.users, strict=False):
        rows += [(*user, time, _as_int32(conditions), 0) for time, conditions in events]
    arrived = pa.table([pa.array(c, f.type) for c, f in _columns(rows, schema)], schema)
    bundle = BundleTask(tuple(schema.names), key_names, 1, task.only_matching)
    batches = arrived.to_batches(max_chunksize=rows_a_batch)
    answered = pa.Table.from_batches(
        task.from_rows(one.select([BUNDLE]) for one in bundle.run(batches)), None
    ) if rows else None  # fmt: skip
    level, reached = funnel_levels(*case.columns, case.steps, case.window, **modes)
    expected = [
        (user, level[i], reached[i, : level[i]].tolist())
        for i, user in enumerate(all_keys[: len(case.users)])
        if case.users[i]
    ]
    rows_answered = [] if answered is None else answered.to_pylist()
    answers = [(tuple(r[n] for n in key), r["level"], r["reached"]) for r in rows_answered]
    same(sorted(answers, key=repr), sorted(expected, key=repr))


def _as_int32(bits: int) -> int:
    return bits - 2**32 if bits >= 2**31 else bits


def _columns(rows: list[Any], schema: pa.Schema) -> Any:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return zip(columns, schema, strict=True)


def levels_on_spark_are_those_of_clickhouse(
    spark: SparkSession, case: Streams, modes: list[Modes]
) -> None:
    combinations = [tuple(mode for mode, on in one.items() if on) for one in modes]
    case = Streams(STEPS, case.window, case.users)
    answers = levels_by_every_path(spark, case, False, combinations)
    same(answers, expected(case, combinations))


CHECKS = [
    Check(
        levels_are_those_of_clickhouse,
        {
            "case": st.one_of(small, at_ends),
            "modes": modes,
        },
    ),
    Check(
        levels_are_those_of_the_best_of_all_chains,
        {
            "case": streams(most_rows=7, times=INSTANTS, windows=windows),
            "increase": st.booleans(),
            "once": st.booleans(),
        },
    ),
    Check(
        chains_are_of_events_within_the_window,
        {"case": streams(most_rows=30, times=INSTANTS, windows=windows), "modes": modes},
    ),
    Check(
        workers_answer_each_key_as_the_kernel_does,
        {
            "case": streams(most_rows=20),
            "modes": modes,
            "key": st.sampled_from(
                [["long"], ["string"], ["date"], ["decimal"], ["date", "boolean", "decimal"]]
            ),
            "rows_a_batch": st.integers(1, 40),
        },
    ),
    Check(
        levels_on_spark_are_those_of_clickhouse,
        {
            "case": streams(most_steps=STEPS, most_rows=20).filter(lambda one: any(one.users)),
            "modes": st.lists(modes, min_size=1, max_size=2),
        },
        examples=2,
        on_spark=True,
    ),
]
