"""The exercises of the notebooks take the right answers, recomputed here, and no others."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from kernels.windows.segment_tree import tree_levels
from workbench.exercises import digest_of
from workbench.widgets.explorers.tree import TreeExplorer

FOLDER = Path(__file__).parents[2] / "notebooks"
FUNNEL = FOLDER / "01-funnel.ipynb"
TREE = FOLDER / "03-segment-tree.ipynb"
QUESTIONS = FOLDER / "09-funnel-questions.ipynb"
CASCADE = ["departed 15 min late", "departed 60 min late", "landed 120 min late"]


def cascade(window: str) -> wb.Funnel:
    return wb.Funnel(CASCADE, window, key="tailnum", time="time")


def accepted(answer: object, notebook: Path = FUNNEL) -> bool:
    return digest_of(answer) in notebook.read_text()


@pytest.mark.filterwarnings("ignore:2,512 rows were left out")
def test_how_many_reach_the_third_step_within_a_day(spark: SparkSession) -> None:
    users = cascade("24 hours").steps(wb.datasets.flights(spark))["users"]
    assert accepted(int(users[2]))
    assert not accepted(int(users[1]))


def test_going_back_is_no_skip_ahead(spark: SparkSession) -> None:
    rows = [(1, i, letter) for i, letter in enumerate("ABAC")]
    events = spark.createDataFrame(rows, "user_id long, timestamp long, event string")
    (row,) = wb.Funnel(list("ABC"), 60, modes=["strict_order"]).levels(events).collect()
    assert accepted(row.level)


def test_what_one_aircraft_did_next(spark: SparkSession) -> None:
    flights = wb.datasets.flights(spark).where("tailnum = 'N12967'")
    (row,) = cascade("12 hours").people(flights, stopped_at=3).collect()
    assert accepted(row.next_event)


def test_the_number_of_parts_of_a_frame() -> None:
    explorer = TreeExplorer(range(32), before=0, after=29, fanout=2)
    explorer.row.value = 1
    assert accepted(len(explorer.step.used), TREE)


def test_how_many_levels_a_million_rows_have() -> None:
    assert accepted(len(tree_levels(1_000_000, 16)) - 1, TREE)


def test_which_delay_stands_out_second_most(spark: SparkSession) -> None:
    departures = wb.datasets.flights(spark).where("event LIKE 'departed%'")
    frame = wb.Frame.rows(-500, 500, exclude="current row")
    functions: dict[str, Any] = {"usual": wb.fn.avg("delay"), "spread": wb.fn.stddev("delay")}
    neighbours = wb.over(departures, "origin", ["time", "tailnum", "flight"], frame, **functions)
    scored = neighbours.where("spread > 0").selectExpr("delay", "(delay - usual) / spread AS score")
    _, second = scored.orderBy("score", ascending=False).limit(2).collect()
    assert accepted(second.delay, TREE)


@pytest.mark.filterwarnings("ignore:2,512 rows were left out")
def test_in_which_month_the_largest_share_gets_to_the_end(spark: SparkSession) -> None:
    trend = cascade("12 hours").trend(wb.datasets.flights(spark), every="1 month")
    last = trend[trend["step"] == CASCADE[-1]]
    largest: Any = last["share"].idxmax()
    begin: Any = last.loc[largest, "from"]
    month = begin.month
    assert accepted(month, QUESTIONS)
    assert not accepted(month + 1, QUESTIONS)


def test_who_is_still_open_in_the_shop(spark: SparkSession) -> None:
    clicks = wb.datasets.clickstream(spark, users=5_000).where("timestamp < '2024-01-12'")
    shop = wb.Funnel(["signup", "add_to_cart", "checkout"], window="3 days")
    trend = shop.trend(clicks, every="1 day").set_index(["from", "step"])
    still_open: Any = trend.loc[("2024-01-10", "checkout"), "open"]
    assert accepted(int(still_open), QUESTIONS)


def test_which_device_differs_by_more_than_chance(spark: SparkSession) -> None:
    clicks = wb.datasets.clickstream(spark, users=5_000).where("timestamp < '2024-01-12'")
    shop = wb.Funnel(["signup", "add_to_cart", "checkout"], window="3 days")
    comparison = shop.compare(clicks, by="device", baseline="mobile")
    paid = comparison[comparison["step"] == "checkout"].set_index("device")
    (device,) = paid.index[(paid["difference_low"] > 0) | (paid["difference_high"] < 0)]
    assert accepted(device, QUESTIONS)


def test_what_predicts_who_checks_out(spark: SparkSession) -> None:
    clicks = wb.datasets.clickstream(spark, users=5_000).where("timestamp < '2024-01-12'")
    shop = wb.Funnel(["signup", "add_to_cart", "checkout"], window="3 days")
    drivers = shop.drivers(clicks, "checkout", ["device", "country"], landmark="2 minutes")
    assert accepted(drivers.table["value"].iloc[0], QUESTIONS)
