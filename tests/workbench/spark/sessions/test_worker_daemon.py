"""A local session has one daemon of Python workers for all tasks, which starts quickly."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.sql import Row, SparkSession


def parent_and_place(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"parent": [os.getppid()], "place": [pyspark.__file__]})


def row_of_a_task(spark: SparkSession) -> Row:
    """Return the parent process of a worker, and the path of its PySpark."""
    query = spark.range(1, numPartitions=1).mapInArrow(
        parent_and_place, "parent long, place string"
    )
    (row,) = query.collect()
    return row


def test_rows_of_python_and_tables_have_workers_of_one_daemon(spark: SparkSession) -> None:
    of_rows = spark.sparkContext.parallelize([0], 1).map(lambda _: os.getppid()).collect()
    assert of_rows == [row_of_a_task(spark).parent]


def test_workers_import_the_pyspark_that_is_compiled(spark: SparkSession) -> None:
    assert Path(row_of_a_task(spark).place) == Path(pyspark.__file__)


def test_no_python_that_spark_starts_reads_an_archive_of_sources(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    assert "pyspark.zip" not in jvm.org.apache.spark.api.python.PythonUtils.sparkPythonPath()


def leave_a_list(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Leave a list in the worker; yield whether its collector looks through the last task's."""
    list(batches)  # Spark ends a worker that leaves some of its rows.
    left = getattr(sys, "left", None)
    seen = left is not None and any(one is left for one in gc.get_objects())
    setattr(sys, "left", [[]])  # noqa: B010 (a name that the module has not)
    yield pa.RecordBatch.from_pydict({"later": [left is not None], "seen": [seen]})


def test_a_worker_does_not_look_again_through_what_a_task_left(spark: SparkSession) -> None:
    tasks = spark.range(1, numPartitions=1).mapInArrow(leave_a_list, "later boolean, seen boolean")
    # On two cores at most two workers wait, so that one of them has a second task.
    rows = [tasks.collect()[0] for _ in range(3)]
    assert any(row.later for row in rows)
    assert not any(row.seen for row in rows)
