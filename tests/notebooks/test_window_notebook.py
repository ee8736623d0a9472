"""The notebook on windows: its exercises take the right answers, and a reader's table runs."""

from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.notebooks.own_tables import texts_with
from workbench.exercises import digest_of

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "02-windows.ipynb"
WEEK = wb.Frame.range("-3 days", "3 days")
OWN_TABLE = """
source = {sensors!r}
key, time, value = "sensor", "at", "heat"
days, unit = 36, "hours"
"""


@pytest.fixture(scope="module")
def plants(spark: SparkSession) -> DataFrame:
    return wb.datasets.power_plants(spark)


def accepted(answer: object) -> bool:
    return digest_of(answer) in NOTEBOOK.read_text()


def test_days_above_the_moving_upper_quartile(plants: DataFrame) -> None:
    quartile = wb.over(plants, "plant", "date", WEEK, upper=wb.fn.quantile("mwh", 0.75))
    assert accepted(quartile.where("plant = 'Boston' AND mwh > upper").count())


def test_rows_in_the_frame_of_the_first_day(plants: DataFrame) -> None:
    frame = wb.Frame.rows(-3, 3, exclude="current row")
    table = wb.Over("plant", "date", frame, n=wb.fn.count()).frames(plants, "Boston")
    assert accepted(int(table.inside[0].sum()))


def test_items_around_the_group_of_peers(spark: SparkSession) -> None:
    prices = [10, 20, 20, 20, 50, 60]
    items = ["pen", "ink", "cap", "nib", "pad", None]
    sales = spark.createDataFrame([*zip(prices, items, strict=True)], "price int, item string")
    frame = wb.Frame.groups(-1, 1, exclude="group")
    counted = wb.over(sales, order_by="price", frame=frame, n=wb.fn.count("item"))
    (row,) = counted.where("item = 'cap'").collect()
    assert accepted(row.n)


def test_steps_of_the_moving_median(plants: DataFrame) -> None:
    median = wb.Over("plant", "date", WEEK, middle=wb.fn.median("mwh"))
    player = wb.play(median, plants, key="Worcester")
    assert accepted(len(player.lesson["steps"]))


def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    hours = pd.date_range("1969-12-30", periods=30, freq="6h", tz="UTC")
    heat = [None if i % 11 == 5 else i * i % 17 / 2 for i in range(60)]
    sensors = pd.DataFrame({"sensor": ["a", "b"] * 30, "at": hours.repeat(2), "heat": heat})
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, sensors=sensors)
    assert any("heat" in text and "so_far" in text for text in texts)
