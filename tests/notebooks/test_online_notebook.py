"""The notebook on features now: its exercise takes the right answer, and a reader's table runs."""

from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.notebooks.own_tables import texts_with
from workbench.exercises import digest_of

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "08-online-offline.ipynb"
OWN_TABLE = """
source = {sold!r}
key, time, value, label = "shop", "at", "euro", "what"
happened = "true"
midnight = "1970-01-04 00:00:00+00:00"
hours, step = 6, 3
"""


def test_the_departures_of_an_airport_in_30_days(spark: SparkSession) -> None:
    departures = wb.datasets.flights(spark).where("event LIKE 'departed%'")
    midnight = F.lit("2013-07-10 00:00:00+00:00").cast("timestamp")
    queries = spark.createDataFrame([("EWR",)], ["origin"]).withColumn("time", midnight)
    month = wb.Backfill("origin", "time", wb.Aggregation("count", windows="30 days"))
    (row,) = month.run(queries, departures).collect()
    assert digest_of(row["count_30d"]) in NOTEBOOK.read_text()
    assert digest_of(row["count_30d"] + 1) not in NOTEBOOK.read_text()


def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    sold = pd.DataFrame(
        {
            "shop": ["a", "b", "c"] * 160,
            "at": pd.date_range("1970-01-01", periods=480, freq="17min", tz="UTC"),
            "euro": [i * i % 31 / 2 for i in range(480)],
            "what": ["tea", "milk", "bread", None] * 120,
        }
    )
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, sold=sold)
    # Three shops, two moments, and eight features.
    assert "48 features, and none differs\n" in texts
    assert "late: 1\n" in texts
