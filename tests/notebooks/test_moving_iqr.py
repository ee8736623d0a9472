"""The notebook of moving quartiles: a reader's table runs in it, and its exercises are right."""

from pathlib import Path

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.notebooks.own_tables import texts_with
from workbench.exercises import digest_of

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04-moving-iqr.ipynb"
OWN_TABLE = """
source = {shops!r}
series, order, value = "shop", "at", "sold by hand"
around = "5 hours"
points = 20_000
"""


def accepted(answer: object) -> bool:
    return digest_of(answer) in NOTEBOOK.read_text()


def outliers(spark: SparkSession, around: str) -> "pd.Series[int]":
    """Return how many hours of each airport are outliers of their own window."""
    iqr = wb.fn.quantile("temp", [0.25, 0.75])
    over = wb.Over("origin", "time", wb.Frame.range(f"-{around}", around), iqr=iqr)
    rows = over.run(wb.datasets.weather(spark)).select("origin", "temp", "iqr").toPandas()
    low, high = np.stack(rows["iqr"].to_list()).T
    reach = 1.5 * (high - low)
    unusual = (rows["temp"] < low - reach) | (rows["temp"] > high + reach)
    return unusual.groupby(rows["origin"]).sum()


def departures(spark: SparkSession) -> DataFrame:
    return wb.datasets.flights(spark).where("event LIKE 'departed%'")


def test_how_many_hours_at_jfk_are_outliers(spark: SparkSession) -> None:
    hours = outliers(spark, "3 days")
    assert accepted(int(hours["JFK"]))
    assert not accepted(int(hours["EWR"]))


def test_which_airport_has_the_most_outliers_of_four_weeks(spark: SparkSession) -> None:
    hours = outliers(spark, "14 days")
    assert accepted(hours.idxmax())
    assert (hours == hours.max()).sum() == 1


def test_the_highest_moving_median_of_the_delay(spark: SparkSession) -> None:
    median = wb.fn.median("delay")
    late = wb.over(departures(spark), "origin", "time", wb.Frame.rows(-100, 100), median=median)
    (row,) = late.where("origin = 'LGA'").agg({"median": "max"}).collect()
    assert accepted(row[0])


def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    hours = pd.date_range("1969-12-30", periods=90, freq="h", tz="UTC")
    shops = pd.DataFrame(
        {
            "shop": ["a", "b", None] * 30,
            "at": hours,
            "sold by hand": [i * i % 31 for i in range(90)],
        }
    )
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, shops=shops)
    assert any("'sold by hand'" in text and text.startswith("Explorer of") for text in texts)
