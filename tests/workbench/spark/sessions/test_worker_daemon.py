"""The daemon of a local session's Python workers: one for all tasks, quick to begin."""

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from pyspark.sql import Row, SparkSession

from workbench.spark.sessions.worker_daemon import without_archive

PIP, SPARK = "/env/site-packages", "/opt/spark/python"
OF_PIP, OF_SPARK = f"{PIP}/pyspark/python/lib/pyspark.zip", f"{SPARK}/lib/pyspark.zip"


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


@pytest.mark.parametrize(
    ("path", "left"),
    [
        (["", OF_PIP, "/lib/py4j.zip", PIP], ["", "/lib/py4j.zip", PIP]),
        ([OF_SPARK, "/mine", SPARK], ["/mine", SPARK]),
        # What nothing else on the path has stays where it is.
        ([OF_PIP, SPARK], [OF_PIP, SPARK]),
        ([OF_SPARK, "/mine"], [OF_SPARK, "/mine"]),
        (["pyspark.zip", "/a/lib/pyspark.zip", PIP], ["pyspark.zip", "/a/lib/pyspark.zip", PIP]),
    ],
)
def test_an_archive_gives_way_to_what_it_was_made_of(path: list[str], left: list[str]) -> None:
    assert without_archive(path) == left
