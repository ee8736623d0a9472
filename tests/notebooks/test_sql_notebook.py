"""The notebook of queries: its exercises take the right answers, and a reader's table runs."""

from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.notebooks.own_tables import texts_with
from workbench.exercises import digest_of

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "10-sql.ipynb"
OWN_TABLE = """
source = {meters!r}
key, time, value = "the meter", "at", "kwh"
"""
#: The cells after it use the tables of the other articles.
NEXT_ARTICLE = "## ClickHouse's funnel"


def accepted(answer: object) -> bool:
    return digest_of(answer) in NOTEBOOK.read_text()


def test_days_below_the_moving_lower_quartile(spark: SparkSession) -> None:
    week = "RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND INTERVAL 3 DAYS FOLLOWING"
    low = f"""
        SELECT date FROM plants WHERE plant = 'Worcester'
        QUALIFY mwh < quantile_cont(mwh, 0.25) OVER (PARTITION BY plant ORDER BY date {week})
    """
    days = wb.sql(low, plants=wb.datasets.power_plants(spark)).count()
    assert accepted(days)
    assert not accepted(days + 5)


def test_the_number_of_parts_of_a_query(spark: SparkSession) -> None:
    ranked = """
        SELECT plant, mwh
        FROM (SELECT plant, mwh, rank() OVER (PARTITION BY plant ORDER BY date DESC) AS r FROM t) t
        WHERE r = 1
    """
    lines = wb.explain_sql(ranked, t=wb.datasets.power_plants(spark)).splitlines()
    assert accepted(sum(line.startswith("#") for line in lines))


def test_how_far_the_nine_events_get_in_two_seconds(spark: SparkSession) -> None:
    names = {1: "signup", 4: "add_to_cart", 7: "add_to_cart", 8: "checkout"}
    events = pd.DataFrame({"u": 1, "t": list(names), "e": list(names.values())})
    conditions = "e = 'signup', e = 'add_to_cart', e = 'checkout'"
    text = f"SELECT windowFunnel(2)(t, {conditions}) AS level FROM events GROUP BY u"
    (row,) = wb.sql(text, dialect="clickhouse", events=events).collect()
    assert accepted(row.level)


def test_the_sum_before_a_late_row(spark: SparkSession) -> None:
    rows = pd.DataFrame({"ts": [0, 2, 6, 10, 17], "x": [5, 3, 8, 9, 0]})
    text = (
        "SELECT ts, sum(x) OVER (ORDER BY ts ROWS BETWEEN 0 PRECEDING AND 1 FOLLOWING) AS s FROM t"
    )
    sums = {row.ts: row.s for row in wb.sql(text, t=rows).collect()}
    assert accepted(sums[2])


@pytest.mark.filterwarnings("ignore:.*rows were left out")
def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    meters = pd.DataFrame(
        {
            "the meter": [f"m{i % 3}" for i in range(60)],
            "at": pd.date_range("1969-12-20", periods=60, freq="17h", tz="UTC"),
            "kwh": [(i * i) % 97 / 4 for i in range(60)],
        }
    )
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, NEXT_ARTICLE, meters=meters)
    assert any(text.startswith("Explorer of") and "7-day Moving IQR" in text for text in texts)
    assert any("m0" in text and "MWh 7-day Moving Average" in text for text in texts)
