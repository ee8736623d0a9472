"""The notebook on features now: its exercise takes the right answer."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import workbench as wb
from workbench.exercises import digest_of

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "08-online-offline.ipynb"


def test_the_departures_of_an_airport_in_30_days(spark: SparkSession) -> None:
    departures = wb.datasets.flights(spark).where("event LIKE 'departed%'")
    midnight = F.lit("2013-07-10 00:00:00+00:00").cast("timestamp")
    asked = spark.createDataFrame([("EWR",)], ["origin"]).withColumn("time", midnight)
    month = wb.Backfill("origin", "time", wb.Aggregation("count", windows="30 days"))
    (row,) = month.run(asked, departures).collect()
    assert digest_of(row["count_30d"]) in NOTEBOOK.read_text()
    assert digest_of(row["count_30d"] + 1) not in NOTEBOOK.read_text()
