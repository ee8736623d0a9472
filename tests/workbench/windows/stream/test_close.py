"""Emit on window close, without Spark: each row is emitted once, with its batch answer."""

from collections.abc import Callable
from dataclasses import make_dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from tests.drawn import draws
from tests.workbench.windows.stream.cases import (
    SCHEMA,
    SEAL,
    TICK,
    Memory,
    Query,
    Row,
    arrivals_of,
    batches,
    by_batch,
    calls,
    query_of,
    tie_breakers,
)
from workbench import Frame, fn
from workbench.columnar.zones import with_zones
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn
from workbench.windows.stream.worker.bucket import BucketStep, BucketTask
from workbench.windows.stream.worker.close import LATE, UNTIMED, CloseOperator
from workbench.windows.stream.worker.directory import Directory
from workbench.windows.stream.worker.operator import StreamOperator
from workbench.windows.stream.worker.packing import VERSION, Seal, unpacked_part
from workbench.windows.stream.worker.update import UpdateOperator

END = 10**9
RANGE = {"total": fn.sum("value").over(Frame.range(None, 0))}


def run(query: Query, given_batches: list[list[Row]], delay: int) -> tuple[list[Row], Any]:
    """Run micro-batches and a last watermark; return the admitted rows and, by id, the output."""
    watermark: int | None = None
    before: int | None = None
    admitted: list[Row] = []
    emitted: dict[int, dict[str, Any]] = {}
    last = -END
    for batch in given_batches:
        admitted += [row for row in batch if row[1] is not None and _in_time(row[1], before)]
        output = query.batch(batch, watermark)
        if batch or output:
            before = watermark
        for row in output:
            assert row["id"] not in emitted
            emitted[row["id"]] = row
        last = max([last, *(row[1] for row in batch if row[1] is not None)])
        watermark = None if last == -END else last - delay
    for row in query.batch([], END):
        assert row["id"] not in emitted
        emitted[row["id"]] = row
    return admitted, emitted


def _in_time(time: int, before: int | None) -> bool:
    return before is None or time > before


@draws(150)
@given(batches(), st.integers(0, 8), calls(), st.sampled_from([1, 3_000, 10**6]))
def test_rows_leave_once_with_the_answers_over_all_rows_that_were_in_time(
    given_batches: list[list[Row]], delay: int, functions: dict[str, Function], part_bytes: int
) -> None:
    query = query_of(CloseOperator, functions, part_bytes)
    admitted, emitted = run(query, given_batches, delay * TICK)
    expected = by_batch(functions, admitted)
    assert {n: repr(row) for n, row in emitted.items()} == {n: repr(expected[n]) for n in emitted}
    waiting = {row["id"] for row in held_rows(query)}
    assert set(expected) - set(emitted) <= waiting
    directory = Directory.unpacked(query.store.first, SEAL)
    timed = sum(row[1] is not None for batch in given_batches for row in batch)
    assert directory.late == timed - len(admitted)


@draws(150)
@given(batches(), st.integers(0, 8), calls(distances=False), tie_breakers())
def test_columns_after_the_time_order_rows_of_the_same_time(
    given_batches: list[list[Row]],
    delay: int,
    functions: dict[str, Function],
    order: tuple[OrderColumn, ...],
) -> None:
    query = query_of(CloseOperator, functions, order=order)
    admitted, emitted = run(query, given_batches, delay * TICK)
    expected = by_batch(functions, admitted, order)
    assert {n: repr(row) for n, row in emitted.items()} == {n: repr(expected[n]) for n in emitted}
    assert set(expected) - set(emitted) <= {row["id"] for row in held_rows(query)}


@draws(60)
@given(batches(), st.integers(0, 8), calls(ahead=False, distances=False), tie_breakers())
def test_with_ties_decided_the_watermark_alone_closes_what_needs_no_later_row(
    given_batches: list[list[Row]],
    delay: int,
    functions: dict[str, Function],
    order: tuple[OrderColumn, ...],
) -> None:
    query = query_of(CloseOperator, functions, order=order)
    admitted, emitted = run(query, given_batches, delay * TICK)
    assert set(emitted) == {row[3] for row in admitted}


@draws(60)
@given(batches(), st.integers(0, 8), calls(ahead=False))
def test_the_watermark_alone_closes_what_needs_no_later_row(
    given_batches: list[list[Row]], delay: int, functions: dict[str, Function]
) -> None:
    query = query_of(CloseOperator, functions)
    admitted, emitted = run(query, given_batches, delay * TICK)
    assert set(emitted) == {row[3] for row in admitted}


def held_rows(query: Query) -> list[dict[str, Any]]:
    parts = [unpacked_part(packed, SEAL) for packed in query.store.parts.values()]
    return [row for part in parts for row in part.rows.to_pylist()]


def step(query: Query, rows: list[Row], watermark: int | None) -> BucketStep:
    result = query.task.step(query.store, arrivals_of(rows) if rows else None, watermark)
    assert result is not None
    return result


def test_late_rows_and_rows_without_a_time_are_counted() -> None:
    query = query_of(CloseOperator, RANGE)
    assert step(query, [("a", 10_000, 1, 0), ("a", None, 1, 1)], None).counts[UNTIMED] == 1
    assert step(query, [("a", 12_000, 1, 2)], 8_000).counts[LATE] == 0
    # As in Spark: a row is late if it is not above the watermark of the micro-batch before.
    counts = step(query, [("a", 8_000, 1, 3), ("b", 7_000, 1, 4), ("b", 8_001, 1, 5)], 9_000).counts
    assert counts == {LATE: 2, UNTIMED: 0, "closed_rows": 1}


def test_a_quiet_partition_is_closed_by_the_watermark_and_then_forgotten() -> None:
    functions = {"total": fn.sum("value").over(Frame.range(-TICK, TICK))}
    query = query_of(CloseOperator, functions)
    query.batch([("a", 1_000_001, 1, 0)], None)
    assert query.wake == 1_001  # the first millisecond that is not before 1,000,501
    assert query.batch([], 1_000_000) == []
    assert [row["total"] for row in query.batch([], 1_001_000)] == [1]
    assert query.store.parts == {}


def test_a_quiet_partition_is_forgotten_when_its_last_row_is_out_of_reach() -> None:
    functions = {"total": fn.sum("value").over(Frame.range(-10_000, 0))}
    query = query_of(CloseOperator, functions)
    query.batch([("a", 1_000_000, 1, 0)], None)
    assert len(query.batch([], 1_000_000)) == 1
    assert (len(query.store.parts), query.wake) == (1, 1_010)
    assert query.batch([], 1_010_000) == []
    assert (query.store.parts, query.wake) == ({}, None)


def many(keys: int, at: int, first: int = 0) -> list[Row]:
    return [(f"k{key}", at, 1, first + key) for key in range(keys)]


def spread(rows: list[Row]) -> pa.Table:
    """Return rows whose keys have hashes all over the integers."""
    table = arrivals_of(rows)
    hashes = [int(row[0][1:]) * 0x9E3779B97F4A7C15 % 2**64 - 2**63 for row in rows if row[0]]
    return table.set_column(4, "__hash__", pa.array(np.array(hashes, np.int64)))


def test_a_micro_batch_reads_and_writes_the_parts_that_it_touches() -> None:
    functions = {"before": fn.lag("value")}
    task = query_of(CloseOperator, functions, part_bytes=20_000).task
    store = Memory()
    task.step(store, spread(many(20_000, 1_000)), None)
    parts = len(store.parts)
    assert 60 < parts < 400
    assert max(map(len, store.parts.values())) < 40_000

    def touching(*keys: str) -> tuple[int, int]:
        store.read = store.written = 0
        task.step(store, spread([(key, 2_000, 1, 90_000) for key in keys]), None)
        return store.read, store.written

    # The first time, all other partitions become idle.
    assert touching("k7", "k9") == (parts, len(store.parts))
    parts = len(store.parts)
    assert touching("k7", "k9") == (1, 1)
    # An idle partition moves from its part to the busy ones; a new one is in no idle part.
    assert touching("k7", "k11") == (2, 2)
    assert touching("k30000") == (2, 1)
    store.read = store.written = 0
    assert task.step(store, None, 500) is None
    found = task.step(store, spread([("k7", 3_000, 1, 90_002)]), 1_000)
    assert found is not None
    assert len(found.output) == 20_000
    assert len(store.parts) <= parts


def test_idle_partitions_are_answered_as_if_they_were_busy() -> None:
    functions = {
        "total": fn.sum("id").over(Frame.range(-40_000, 0)),
        "number": fn.row_number(),
        "next": fn.lead("id"),
    }
    random = np.random.default_rng(3)
    plain, apart = (query_of(CloseOperator, functions, size).task for size in (10**9, 2_000))
    stores, idle, number = (Memory(), Memory()), 0, 0
    for batch in range(60):
        busy = range(400) if batch == 0 else random.choice(400, random.integers(0, 4))
        rows: list[Row] = []
        for key in busy:
            rows.append((f"k{key}", batch * 5_000 + int(random.integers(0, 9_000)), 1, number))
            number += 1
        arrivals, watermark = spread(rows) if rows else None, batch * 5_000 - 8_000
        steps = [
            task.step(store, arrivals, watermark)
            for task, store in zip((plain, apart), stores, strict=True)
        ]
        if steps[0] is None or steps[1] is None:
            assert steps == [None, None]
            continue
        one, other = (sorted(map(repr, step.output.to_pylist())) for step in (steps[0], steps[1]))
        assert one == other
        assert steps[0][1:] == steps[1][1:]
        idle += int(Directory.unpacked(stores[1].first, SEAL).idle.partitions.sum())
    assert len(stores[1].parts) > 4
    assert idle > 60 * 200


def test_parts_that_shrink_are_merged() -> None:
    task = query_of(CloseOperator, {"total": fn.sum("value").over(Frame.range(0, 0))}, 20_000).task
    store = Memory()
    task.step(store, spread(many(20_000, 1_000)), None)
    task.step(store, spread(many(1, 9_000)), 1_000)
    assert len(store.parts) == 1
    directory = Directory.unpacked(store.first, SEAL)
    assert len(directory.busy.first) == len(directory.idle.first) == 1


@pytest.mark.parametrize("mode", [CloseOperator, partial(UpdateOperator, timed=True)])
def test_a_restarted_session_may_have_another_time_zone_and_longer_texts(
    mode: Callable[..., StreamOperator],
) -> None:
    functions = {"times": fn.last_k("time", 2), "word": fn.max("key")}
    functions = {name: one.over(Frame.rows(-2, 0)) for name, one in functions.items()}
    plain, restarted = (query_of(mode, functions, part_bytes=1) for _ in range(2))
    kinds = {"time": pa.timestamp("us", "Asia/Tokyo"), "key": pa.large_string()}
    schema = pa.schema([field.with_type(kinds.get(field.name, field.type)) for field in SCHEMA])
    # Some parts are written by the first session, and some by the second.
    rounds = (range(24), SCHEMA), (range(8), schema), (range(4, 12), schema), (range(24), SCHEMA)
    for number, (keys, kept) in enumerate(rounds):
        rows = spread([(f"k{key}", number * 2_000, 1, 100 * number + key) for key in keys])
        steps = [
            query.task.step(query.store, given, number * 2_000 - 3_000)
            for query, given in ((plain, rows), (restarted, rows.cast(kept)))
        ]
        one, other = (sorted(map(repr, _in_utc(step))) for step in steps)
        assert one == other


def _in_utc(step: BucketStep | None) -> list[dict[str, Any]]:
    """Return the output of a step, with its times in UTC."""
    assert step is not None
    zone = [
        field.with_type(with_zones(field.type, lambda _: "UTC")) for field in step.output.schema
    ]
    rows: list[dict[str, Any]] = step.output.cast(pa.schema(zone)).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Seal(2, bytes(16)), r"begun with 1 buckets, but the query now has 2; set .* to 1 as"),
        (Seal(1, b"another call...."), "another window call or over other columns"),
    ],
)
def test_state_of_another_call_is_refused(other: Seal, message: str) -> None:
    query = query_of(CloseOperator, RANGE)
    query.batch([("a", 1, 1, 0)], None)
    task = BucketTask(query.task.mode, other)
    with pytest.raises(wb.WorkbenchError, match=message):
        task.step(query.store, arrivals_of([("a", 2, 1, 1)]), None)


def test_state_of_another_version_is_refused() -> None:
    query = query_of(CloseOperator, RANGE)
    query.batch([("a", 1, 1, 0)], None)
    query.task = replace(query.task, seal=replace(SEAL, version=VERSION + 1))
    sentence = f"the format {VERSION}, but this version .* writes {VERSION + 1}"
    with pytest.raises(wb.WorkbenchError, match=sentence):
        query.batch([("a", 2, 1, 1)], None)
    with pytest.raises(wb.WorkbenchError, match="not written by a window call"):
        SEAL.opened(b"something else")


def test_a_checkpoint_is_bound_to_plain_values_and_not_to_the_names_of_classes() -> None:
    mode: Any = query_of(CloseOperator, {"n": fn.nth("value", 2).over(Frame.rows(-1, 0))}).task.mode
    assert mode.description == {
        "emit": "on window close",
        "columns": [["key", "key"], ["time", "time"], ["value", "value"], ["id", "id"]],
        "keys": ["key"],
        "order": [["time", False, True]],
        "calls": [
            [
                *("n", "nth", ["value"], None, None),
                ["rows", "no others", ["-1", "count"], ["0", "count"]],
                [2, [], False, "None", False, False, ","],
            ]
        ],
    }
    renamed = make_dataclass("Renamed", [], bases=(CloseOperator,), frozen=True)
    assert renamed(mode.task, mode.extents).description == mode.description
    other = query_of(CloseOperator, {"n": fn.nth("value", 3).over(Frame.rows(-1, 0))}).task.mode
    assert other.description != mode.description
