"""A task after a shuffle receives everything that was sent to it, or fails."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from workbench.columnar.bundles import BUNDLE, PARTITION, BundleTask, unbundled
from workbench.columnar.delivery import delivered, to_one_task
from workbench.columnar.subpartitions import SubpartitionTask, subpartitions
from workbench.errors import WorkbenchError
from workbench.spark.shuffle import bundle_rows
from workbench.widgets.causes import cause

#: How rows are sent: a task before the shuffle, and the function that opens bundles after it.
Transfer = tuple[type[BundleTask], Callable[[Iterable[pa.RecordBatch]], Iterator[Any]]]
TRANSFERS: list[Transfer] = [(BundleTask, unbundled), (SubpartitionTask, subpartitions)]
PARTITIONS = 3


def sent(kind: type[BundleTask], rows_of_tasks: list[list[int]]) -> pa.Table:
    """Return the values that tasks send for their rows, which are numbers, by partition."""
    task = kind(("k0", PARTITION), ("k0",), PARTITIONS)
    values: list[Any] = []
    for rows in rows_of_tasks:
        partitions = pa.array([number % PARTITIONS for number in rows], pa.int32())
        values += task.run([pa.record_batch({"k0": rows, PARTITION: partitions})])
    return pa.Table.from_batches(values).sort_by(PARTITION)


@pytest.mark.parametrize("transfer", TRANSFERS, ids=["whole bundles", "short values"])
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=9), min_size=1, max_size=4),
    st.sampled_from([40, 512]),
    st.data(),
)
def test_a_value_that_is_lost_or_repeated_is_noticed(
    transfer: Transfer, rows: list[list[int]], size: int, data: st.DataObject
) -> None:
    kind, open_bundles = transfer
    with patch("workbench.columnar.subpartitions.BYTES_OF_VALUE", size):
        values = sent(kind, rows)
    assert list(open_bundles(values.to_batches()))
    at = data.draw(st.integers(0, len(values) - 1))
    lost = [values.slice(0, at), values.slice(at + 1)]
    # A repeated bundle of rows is an error; a repeated note changes nothing.
    repeated = [*lost, values.slice(at, 1), values.slice(at, 1), values.slice(at, 1)]
    for wrong in (lost, repeated):
        batches = pa.concat_tables(wrong).combine_chunks().sort_by(PARTITION).to_batches()
        try:
            rows_received = list(open_bundles(batches))
        except WorkbenchError:
            continue
        assert wrong is repeated
        assert str(rows_received) == str(list(open_bundles(values.to_batches())))


def test_a_repetition_of_everything_that_a_task_sent_is_noticed() -> None:
    values = sent(BundleTask, [[1, 2, 3, 4]])
    with pytest.raises(WorkbenchError, match=r"^shuffle: 4 rows in 3 bundles .* 8 rows in 6 bundl"):
        list(unbundled([*values.to_batches(), *values.to_batches()]))


def test_a_task_that_runs_again_sends_the_same_values_and_notes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.columnar.delivery.task_number", lambda: 7)
    assert sent(SubpartitionTask, [[1, 2, 3]]) == sent(SubpartitionTask, [[1, 2, 3]])


def test_a_value_that_a_single_receiving_task_lacks_is_noticed() -> None:
    tables = [pa.table({"n": [1, 2]}), pa.table({"n": pa.array([], "int64")})]
    values = [
        one.column("all")[0].as_buffer()
        for name in ("queries", "events")
        for one in to_one_task(tables, "all", [name])
    ]
    assert [len(table) for table in delivered(values)] == [2, 0, 2, 0]
    with pytest.raises(WorkbenchError, match=r"4 rows in 4 bundles were sent .* but 4 rows in 3"):
        list(delivered(values[:1] + values[2:]))
    assert list(delivered([])) == []


def test_a_job_that_loses_bundles_fails_with_one_sentence(spark: SparkSession) -> None:
    rows = bundle_rows(spark.range(6, numPartitions=1), {"k": F.col("id")}, [])
    assert rows.mapInArrow(unbundled, "k long").count() == 6
    notes = rows.where(F.length(BUNDLE) < 100)
    with pytest.raises(PythonException) as error:
        notes.mapInArrow(unbundled, "k long").collect()
    assert cause(error.value) == (
        "shuffle: 6 rows in 1 bundles were sent to a task, but 0 rows in 0 bundles arrived, so "
        "there is no answer; run it again, and report it if this persists."
    )
