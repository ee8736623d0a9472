"""A value that Spark cannot compute is an error of one sentence, in jobs of the workbench."""

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from workbench import fn


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    rows = spark.range(6).selectExpr("id % 2 AS k", "id AS t", "'a' AS event", "id AS n")
    return rows.withColumn("x_5", F.lit(1.0))


FUNNEL = wb.Funnel({"small": "1 / n > 0"}, 5, "k", "t")


def over() -> wb.Over:
    return wb.Over("k", "t", x=fn.sum(F.expr("1 / n")))


def backfill() -> wb.Backfill:
    total = wb.Aggregation(fn.sum(F.expr("1 / n")), windows=5, name="x")
    return wb.Backfill("k", "t", total, "sliding")


CALLS: dict[str, Callable[[DataFrame], object]] = {
    "steps": FUNNEL.steps,
    "prepare": FUNNEL.prepare,
    "play": lambda df: wb.play(FUNNEL, df),
    "frames": lambda df: over().frames(df),
    "check": lambda df: backfill().check(df.select("k", "t", "x_5"), df),
    "origin": lambda df: backfill().origin(df.select("k", "t"), df, 0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_division_by_zero_is_an_error_of_one_sentence(
    events: DataFrame, call: Callable[[DataFrame], object]
) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        call(events)
    assert str(error.value).startswith(
        "Spark cannot compute a value of a row: Division by zero. Use `try_divide` to tolerate"
    )
    assert "\n" not in str(error.value)
