"""The notebook of window tiling: its exercises are right, and a reader's tables run in it."""

from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession

import workbench as wb
from tests.notebooks.own_tables import texts_with
from workbench.exercises import digest_of
from workbench.lessons.tiles import tiles_of
from workbench.lessons.window_types import window_types

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05-window-tiling.ipynb"
OWN_TABLES = """
asked_from, events_from = {queries!r}, {sold!r}
key, time, value = "the shop", "at", "euro"
windows = ["3 hours", "10 days"]
"""


def accepted(answer: object) -> bool:
    return digest_of(answer) in NOTEBOOK.read_text()


def test_the_number_of_tiles_of_the_longest_range() -> None:
    assert accepted(len(tiles_of(1, 63)))
    assert not accepted(len(tiles_of(0, 63)))


def test_when_a_hopping_window_sees_an_event() -> None:
    noon = 720
    seen = [
        minute
        for minute in range(noon, noon + 30)
        if window_types(minute, 60, 5, [noon + 1])[1].count
    ]
    assert accepted(f"12:{seen[0] - noon:02}")


def test_what_carl_rated_within_thirty_days(spark: SparkSession) -> None:
    at = pd.Timestamp("2021-11-21 07:44")
    inside = [at - pd.Timedelta("90 days") * (k + 0.5) / 10 for k in range(10)]
    table = pd.DataFrame({"user": "carl", "timestamp": inside, "rating": [3] + 9 * [2]})
    queries = spark.createDataFrame(pd.DataFrame({"user": ["carl"], "timestamp": [at]}))
    average = wb.Aggregation("avg", "rating", windows="30 days", name="rating")
    backfill = wb.Backfill("user", "timestamp", average, window="sliding")
    (row,) = backfill.run(queries, spark.createDataFrame(table)).collect()
    assert accepted(round(row.rating_30d, 2))


def test_it_runs_on_a_reader_s_tables(spark: SparkSession, tmp_path: Path) -> None:
    hours = pd.date_range("1969-12-30", periods=90, freq="h", tz="UTC")
    sold = pd.DataFrame({"the shop": ["a", "b", None] * 30, "at": hours, "euro": range(90)})
    queries = sold[["the shop", "at"]][::7]
    texts = texts_with(spark, NOTEBOOK, OWN_TABLES, tmp_path, queries=queries, sold=sold)
    assert any("euro_avg_10d" in text for text in texts)
