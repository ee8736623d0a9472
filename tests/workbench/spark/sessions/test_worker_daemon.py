"""The daemon of a local session's Python workers: one for all tasks, quick to begin."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.sql import Row, SparkSession


def parent_and_place(_: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"parent": [os.getppid()], "place": [pyspark.__file__]})


def of_a_task_of_a_table(spark: SparkSession) -> Row:
    """Whose child a worker is, and where its PySpark is."""
    asked = spark.range(1, numPartitions=1).mapInArrow(
        parent_and_place, "parent long, place string"
    )
    (found,) = asked.collect()
    return found


def test_rows_of_python_and_tables_have_workers_of_one_daemon(spark: SparkSession) -> None:
    of_rows = spark.sparkContext.parallelize([0], 1).map(lambda _: os.getppid()).collect()
    assert of_rows == [of_a_task_of_a_table(spark).parent]


def test_workers_read_the_pyspark_that_is_compiled(spark: SparkSession) -> None:
    assert Path(of_a_task_of_a_table(spark).place) == Path(pyspark.__file__)


def test_no_python_that_spark_starts_reads_an_archive_of_sources(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    assert "pyspark.zip" not in jvm.org.apache.spark.api.python.PythonUtils.sparkPythonPath()
