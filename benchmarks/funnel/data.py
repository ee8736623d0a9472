"""Generated events as Parquet files, kept for the next run."""

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measuring.kept import cached_folder
from workbench.datasets import clickstream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EVENTS_A_USER = 10
FILES = 8
HEAVY_USER = 1
#: The number of event names in addition to the steps, and of columns, of wide events.
NAMES, COLUMNS = 97, 5


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
    return _cached(events, folder / f"clicks-{rows}")


def even(spark: "SparkSession", rows: int, folder: Path) -> str:
    """Return the path of a clickstream in which no user has many more events than others."""
    events = clickstream(spark, users=rows // EVENTS_A_USER, skew=0, partitions=FILES)
    return _cached(events, folder / f"even-{rows}")


def one_heavy(spark: "SparkSession", rows: int, folder: Path) -> str:
    """Return the path of the events of :func:`even`, with half of them moved to one user."""
    from pyspark.sql import functions as F

    events = spark.read.parquet(even(spark, rows, folder))
    coin = F.pmod(F.xxhash64("user_id", "timestamp", "event"), F.lit(2))
    user = F.when(coin == 0, F.lit(HEAVY_USER)).otherwise(F.col("user_id"))
    return _cached(events.withColumn("user_id", user), folder / f"one-heavy-{rows}")


def wide(spark: "SparkSession", rows: int, folder: Path) -> str:
    """Return the path of a clickstream of 100 event names, with five columns of some values each.

    The steps keep their names; other events are named "event" with a number.
    """
    from pyspark.sql import functions as F

    events = spark.read.parquet(clicks(spark, rows, folder))
    own = F.col("event").isin("signup", "add_to_cart", "checkout")
    kind = F.pmod(F.xxhash64("user_id", "timestamp"), F.lit(NAMES)).cast("string")
    name = F.when(own, F.col("event")).otherwise(F.concat(F.lit("event "), kind))
    values = {
        f"c{k}": F.concat(F.lit("v"), F.pmod(F.xxhash64("user_id", F.lit(k)), F.lit(4 << k)))
        for k in range(COLUMNS)
    }
    return _cached(events.withColumn("event", name).withColumns(values), folder / f"wide-{rows}")


def _cached(events: "DataFrame", path: Path) -> str:
    return str(cached_folder(path, lambda path: events.write.mode("overwrite").parquet(str(path))))
