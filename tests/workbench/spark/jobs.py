"""How many jobs a call starts, on classic Spark."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep
from uuid import uuid4

from pyspark.sql import SparkSession


@contextmanager
def no_job(spark: SparkSession) -> Iterator[None]:
    """Assert that what runs inside this context starts no job."""
    context, group = spark.sparkContext, str(uuid4())
    context.setJobGroup(group, "counted")
    try:
        yield
        # The status tracker lists jobs later, but in their order: this job comes last.
        spark.range(1, numPartitions=1).collect()
        while not (jobs := context.statusTracker().getJobIdsForGroup(group)):
            sleep(0.05)
        assert len(jobs) == 1
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
