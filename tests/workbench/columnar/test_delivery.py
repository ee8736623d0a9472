"""A task behind a shuffle gets what was sent to it, or says that it did not."""

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

#: How rows travel: a task in front of the shuffle, and what opens bundles behind it.
Way = tuple[type[BundleTask], Callable[[Iterable[pa.RecordBatch]], Iterator[Any]]]
WAYS: list[Way] = [(BundleTask, unbundled), (SubpartitionTask, subpartitions)]
PLACES = 3


def sent(kind: type[BundleTask], rows_of_tasks: list[list[int]]) -> pa.Table:
    """The values of all tasks whose rows have numbers, in order of their places."""
    task = kind(("k0", PARTITION), ("k0",), PLACES)
    values: list[Any] = []
    for rows in rows_of_tasks:
        to = pa.array([number % PLACES for number in rows], pa.int32())
        values += task.run([pa.record_batch({"k0": rows, PARTITION: to})])
    return pa.Table.from_batches(values).sort_by(PARTITION)


@pytest.mark.parametrize("way", WAYS, ids=["whole bundles", "short values"])
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=9), min_size=1, max_size=4),
    st.sampled_from([40, 512]),
    st.data(),
)
def test_a_value_that_is_lost_or_comes_twice_is_noticed(
    way: Way, rows: list[list[int]], size: int, data: st.DataObject
) -> None:
    kind, opened = way
    with patch("workbench.columnar.subpartitions.BYTES_OF_VALUE", size):
        values = sent(kind, rows)
    assert list(opened(values.to_batches()))
    at = data.draw(st.integers(0, len(values) - 1))
    lost = [values.slice(0, at), values.slice(at + 1)]
    # A bundle of rows twice; its note twice says no more than once.
    twice = [*lost, values.slice(at, 1), values.slice(at, 1), values.slice(at, 1)]
    for wrong in (lost, twice):
        batches = pa.concat_tables(wrong).combine_chunks().sort_by(PARTITION).to_batches()
        try:
            found = list(opened(batches))
        except WorkbenchError:
            continue
        assert wrong is twice
        assert str(found) == str(list(opened(values.to_batches())))


def test_what_a_task_sent_is_noticed_when_it_all_comes_twice() -> None:
    values = sent(BundleTask, [[1, 2, 3, 4]])
    with pytest.raises(WorkbenchError, match=r"^shuffle: 4 rows in 3 bundles .* 8 rows in 6 bundl"):
        list(unbundled([*values.to_batches(), *values.to_batches()]))


def test_what_is_said_of_a_shuffle_is_the_same_when_a_task_runs_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.columnar.delivery.task_number", lambda: 7)
    assert sent(SubpartitionTask, [[1, 2, 3]]) == sent(SubpartitionTask, [[1, 2, 3]])


def test_tasks_that_send_to_a_single_one_are_noticed_too() -> None:
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
