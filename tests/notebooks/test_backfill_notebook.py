"""The notebook on backfills: its exercises take the right answers, and a reader's table runs."""

from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession

import workbench as wb
from tests.notebooks.own_tables import texts_with
from workbench.exercises import digest_of

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "06-backfill.ipynb"
OWN_TABLE = """
source = {paid!r}
key, place, time = "card", "shop", "at"
value, label = "euro", "what"
asked = happened = "true"
"""


def accepted(answer: object) -> bool:
    return digest_of(answer) in NOTEBOOK.read_text()


def test_the_most_departures_of_an_aircraft_in_a_week(spark: SparkSession) -> None:
    flights = wb.datasets.flights(spark)
    departures = flights.where("event LIKE 'departed%'")
    week = wb.Backfill("tailnum", "time", wb.Aggregation("count", windows="7 days"))
    queries = flights.where("event LIKE 'departed%' OR event = 'cancelled'")
    (row,) = week.run(queries, departures).agg({"count_7d": "max"}).collect()
    assert accepted(row[0])


def test_the_hops_of_the_last_flight_of_one_aircraft(spark: SparkSession) -> None:
    flights = wb.datasets.flights(spark)
    departures = flights.where("event LIKE 'departed%'")
    queries = flights.where("event LIKE 'departed%' OR event = 'cancelled'")
    mean = wb.Backfill("tailnum", "time", wb.Aggregation("avg", "delay", "7 days"))
    pieces = mean.origin(queries, departures, "N725MQ").pieces
    assert accepted(sum(piece.kind == "hop" for piece in pieces))
    assert not accepted(len(pieces) + 1)


def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    paid = pd.DataFrame(
        {
            "card": [f"c{i % 3}" for i in range(240)],
            "shop": ["a", "b"] * 120,
            "at": pd.date_range("1969-12-30", periods=240, freq="47min", tz="UTC"),
            "euro": [i * i % 31 / 2 for i in range(240)],
            "what": ["tea", "milk", "bread", None] * 60,
        }
    )
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, paid=paid)
    assert any(text.startswith("Where own_mean_7d = ") and " for c" in text for text in texts)
