"""Subpartitions: a task reassembles its input from short values, some whole keys at a time."""

import gc
from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workbench.backfill.cases import FUNCTION_CASES, Row, feature
from tests.workbench.backfill.spans import answer_in_spans, answer_whole
from tests.workbench.backfill.trees import answer_by_tree
from workbench.backfill.worker.cogroup import CoGroup, PlacedRows, QueryWindow, Span
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import BUNDLE, PARTITION
from workbench.columnar.subpartitions import SubpartitionTask, subpartitions, subpartitions_of

SUBPARTITIONS = 5

keys_of = st.lists(st.integers(0, SUBPARTITIONS - 1), max_size=40)


def sent(keys: list[int], column: str = "c0") -> list[pa.RecordBatch]:
    """Return the values of rows whose keys are the numbers of their subpartitions."""
    columns = {"k0": keys, column: [f"{column} {i}" for i in range(len(keys))]}
    rows = pa.table(columns | {PARTITION: pa.array(keys, pa.int32())})
    task = SubpartitionTask(tuple(rows.column_names), ("k0",), SUBPARTITIONS)
    return list(task.run(rows.to_batches(max_chunksize=7)))


def sorted_by_partition(values: pa.Table, values_a_batch: int = 9) -> list[pa.RecordBatch]:
    """Return values as Spark sorts them, which keeps the order of those of one subpartition."""
    number = values.column(PARTITION).to_pylist()
    order = sorted(range(len(values)), key=number.__getitem__)
    batches: list[pa.RecordBatch] = (
        values.take(order).combine_chunks().to_batches(max_chunksize=values_a_batch)
    )
    return batches


@given(st.lists(keys_of, max_size=4), st.integers(1, 300), st.integers(1, 9), st.integers(1, 30))
def test_rows_arrive_once_and_a_key_arrives_whole(
    tasks: list[list[int]], size: int, values_a_batch: int, rows_at_once: int
) -> None:
    with (
        patch("workbench.columnar.subpartitions.BYTES_OF_VALUE", size),
        patch("workbench.columnar.subpartitions.ROWS_AT_ONCE", rows_at_once),
    ):
        # Queries and events have different columns, so a subpartition has several streams.
        bundles = [one for i, keys in enumerate(tasks) for one in sent(keys, f"c{i % 2}")]
        arrived = [pa.Table.from_batches([one]) for one in bundles]
        rows_at_a_time = []
        if arrived:
            # Spark keeps the order of the values of one subpartition.
            batches = sorted_by_partition(pa.concat_tables(arrived), values_a_batch)
            rows_at_a_time = [
                [row for part in parts for row in part.to_pylist()]
                for parts in subpartitions(batches)
            ]
    assert all(len(one.column(BUNDLE)[0].as_py()) <= size for one in bundles)
    rows = [row for together in rows_at_a_time for row in together]
    expected = [
        {"k0": key, f"c{i % 2}": f"c{i % 2} {j}"}
        for i, keys in enumerate(tasks)
        for j, key in enumerate(keys)
    ]
    assert sorted(map(str, rows)) == sorted(map(str, expected))
    keys_at_a_time = [{row["k0"] for row in together} for together in rows_at_a_time]
    assert sum(map(len, keys_at_a_time)) == len({row["k0"] for row in expected})
    # The rows at a time exceed the limit by less than those of the largest key.
    largest = max(
        (sum(row["k0"] == key for row in rows) for key in range(SUBPARTITIONS)), default=0
    )
    assert all(len(together) < rows_at_once + largest for together in rows_at_a_time)


def test_a_shuffle_has_a_limited_number_of_bundles() -> None:
    for partitions in (1, 2, 4, 16, 200, 5_000):
        assert partitions * subpartitions_of(partitions) <= max(256, partitions)


@pytest.mark.parametrize("by", [False, True])
def test_the_memory_of_a_subpartition_is_free_after_its_answers(by: bool) -> None:
    queries: list[Row] = [{"k0": "a", TIME: i} for i in range(50)]
    events: list[Row] = [
        {"k0": "a", TIME: i // 2, "number": i, "word": "x", "good": True, "bucket": "p"}
        for i in range(90)
    ]
    features = [feature(one, Span(11, 4), False, by) for one in FUNCTION_CASES]
    features = [
        replace(one, call=replace(one.call, column=f"found {i}")) for i, one in enumerate(features)
    ]
    before = Counter(map(type, gc.get_objects()))
    gc.disable()
    try:
        for answer in (answer_whole, answer_in_spans, answer_by_tree):
            supported = features if answer is not answer_by_tree else features[:2]
            answer(queries, events, supported)
        left = Counter(map(type, gc.get_objects())) - before
    finally:
        gc.enable()
    assert left[CoGroup] == left[QueryWindow] == left[PlacedRows] == 0
