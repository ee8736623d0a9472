"""Literals of values that a user gives equal those of the table."""

from datetime import UTC, date, datetime

import pytest
from pyspark.sql import SparkSession

from workbench.spark.one_key import literal


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (datetime(1500, 3, 1, 12, tzinfo=UTC), "TIMESTAMP '1500-03-01 12:00:00Z'"),
        (datetime(2024, 3, 1, 12, tzinfo=UTC), "TIMESTAMP '2024-03-01 12:00:00Z'"),
        (date(1500, 3, 1), "DATE '1500-03-01'"),
        (date(500, 1, 1), "DATE '0500-01-01'"),
    ],
)
def test_times_and_dates_before_1582_are_those_of_the_same_calendar(
    spark: SparkSession, given: date, stored: str
) -> None:
    table = spark.sql(f"SELECT {stored} AS at")
    assert table.where(literal(given) == table["at"]).count() == 1
