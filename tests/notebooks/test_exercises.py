"""The exercises of the notebooks take the right answers, recomputed here, and no others."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.exercises import digest_of

FUNNEL = Path(__file__).parents[2] / "notebooks" / "01-funnel.ipynb"
CASCADE = ["departed 15 min late", "departed 60 min late", "landed 120 min late"]


def cascade(window: str) -> wb.Funnel:
    return wb.Funnel(CASCADE, window, key="tailnum", time="time")


def accepted(answer: object) -> bool:
    return digest_of(answer) in FUNNEL.read_text()


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
