"""A local session has one daemon of Python workers for all tasks, which starts quickly."""

import os
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
