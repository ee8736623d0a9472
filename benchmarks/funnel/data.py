"""Generated events as Parquet files, kept for the next run."""

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.datasets import clickstream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS_A_USER = 10
FILES = 8
HEAVY_USER = 1


def clicks(spark: "SparkSession", rows: int, folder: Path) -> str:
    """Return the path of a clickstream whose busiest users have most of the events.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    rows : int
    folder : Path

    Returns
    -------
    str
    """
    events = clickstream(spark, users=rows // EVENTS_A_USER, partitions=FILES)
    return _kept(events, folder / f"clicks-{rows}")


def even(spark: "SparkSession", rows: int, folder: Path) -> str:
    """Return the path of a clickstream in which no user has many more events than others."""
    events = clickstream(spark, users=rows // EVENTS_A_USER, skew=0, partitions=FILES)
    return _kept(events, folder / f"even-{rows}")


def one_heavy(spark: "SparkSession", rows: int, folder: Path) -> str:
    """Return the path of the events of :func:`even`, half of which are given to one user."""
    from pyspark.sql import functions as F

    events = spark.read.parquet(even(spark, rows, folder))
    coin = F.pmod(F.xxhash64("user_id", "timestamp", "event"), F.lit(2))
    user = F.when(coin == 0, F.lit(HEAVY_USER)).otherwise(F.col("user_id"))
    return _kept(events.withColumn("user_id", user), folder / f"one-heavy-{rows}")


def _kept(events: "DataFrame", path: Path) -> str:
    if not (path / "_SUCCESS").exists():
        events.write.mode("overwrite").parquet(str(path))
    return str(path)
