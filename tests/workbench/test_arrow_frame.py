"""Every session of Spark takes tables of pandas, Polars and Arrow, with and without rows."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import session_options
from tests.conftest import RunOn
from workbench.arrow_frame import BATCH, TIMES, arrow_frame
from workbench.spark.sources.given import with_row_numbers
from workbench.spark.sources.small_tables import (
    ANSWER_IN_DRIVER,
    GIVEN,
    in_driver_setting,
    local_rows,
)

START = datetime(2024, 1, 1, tzinfo=UTC)
AT = pa.timestamp("us", "UTC")
EVENTS = pa.table(
    {
        "who": ["a", "a", "b"],
        "at": pa.array([START + timedelta(hours=n) for n in (0, 1, 0)], pa.timestamp("ns", "UTC")),
        "what": ["view", "buy", "view"],
        "n": [1, 2, 4],
    }
)
MAKE: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda rows: rows.to_pandas(),
    "Polars": pl.from_arrow,
    "Arrow": lambda rows: rows,
}
FUNNEL = wb.Funnel(["view", "buy"], "2 days", key="who", time="at", event="what")
OVER = wb.Over("who", "at", wb.Frame.rows(-1, 0), m=wb.fn.median("n"))
BACKFILL = wb.Backfill("who", "at", wb.Aggregation("count", windows="1 day"))
#: The answers of these events, and of the same columns without rows.
ANSWERS = ([2, 1], [2, 2], [1.0, 1.5, 4.0], [0, 0, 1], [2.0])
NO_ANSWERS: tuple[Any, ...] = ([0, 0], [], [], [], None)
#: A column of every type that the workbench passes to Spark.
TYPES = pa.table(
    {
        "at": pa.array([START], AT),
        "local": pa.array([START.replace(tzinfo=None)], pa.timestamp("us")),
        "ns": pa.array([START.replace(tzinfo=None)], pa.timestamp("ns")),
        "day": pa.array([START.date()], pa.date32()),
        "text": pa.array(["a"], pa.large_string()),
        "word": pa.array(["a"]).dictionary_encode(),
        "bytes": pa.array([b"a"], pa.large_binary()),
        "small": pa.array([1], pa.uint8()),
        "paid": pa.array([Decimal("1.25")], pa.decimal128(9, 2)),
        "words": pa.array([["a"]], pa.large_list(pa.large_string())),
        "pair": pa.array([{"at": START, "n": 1}], pa.struct({"at": AT, "n": pa.int32()})),
        "nothing": pa.nulls(1),
    }
)


def answers(rows: Any) -> tuple[Any, ...]:
    """Return the answers of a funnel, a window call and a backfill, wherever they are computed."""
    return (
        FUNNEL.steps(rows)["users"].tolist(),
        FUNNEL.trend(rows)["entrants"].tolist(),
        sorted(row.m for row in OVER.run(rows).collect()),
        sorted(row[BACKFILL.names[0]] for row in BACKFILL.run(rows, rows).collect()),
        wb.quantiles(rows, "n", [0.5]).collect()[0][0],
    )


def connected(spark: SparkSession, kind: str) -> Any:
    return in_driver_setting(spark), [
        answers(MAKE[kind](rows)) for rows in (EVENTS, EVENTS.slice(0, 0))
    ]


@pytest.mark.parametrize("kind", MAKE)
def test_over_spark_connect_tables_of_python_are_answered_with_and_without_rows(
    run_on: RunOn, kind: str
) -> None:
    setting, results = run_on("connect", connected, kind)
    assert setting == GIVEN
    assert results == [ANSWERS, NO_ANSWERS]


def types(spark: SparkSession) -> tuple[list[list[str]], str]:
    def schemas(rows: pa.Table) -> list[str]:
        in_no_chunk = pa.Table.from_batches([], rows.schema)
        return [wb.table(one).schema.json() for one in (rows, rows.slice(0, 0), in_no_chunk)]

    by_time_type = [schemas(TYPES)]
    with session_options(spark, {TIMES: "TIMESTAMP_NTZ"}):
        by_time_type.append(schemas(TYPES))
    numbered = with_row_numbers(TYPES.slice(0, 0), "events", "number")
    assert numbered is not None
    return by_time_type, numbered.schema["number"].dataType.simpleString()


@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_a_table_has_the_same_types_without_rows(run_on: RunOn, kind: str) -> None:
    by_time_type, number = run_on(kind, types)
    assert [len(set(schemas)) for schemas in by_time_type] == [1, 1]
    assert by_time_type[0] != by_time_type[1]
    assert number == "bigint"


@pytest.mark.parametrize("limit", ["0", "-1"])
def test_batches_may_have_any_number_of_rows(spark: SparkSession, limit: str) -> None:
    with session_options(spark, {ANSWER_IN_DRIVER: GIVEN, BATCH: limit}):
        assert answers(EVENTS) == ANSWERS
        assert local_rows(OVER.run(EVENTS)) == len(EVENTS)
        assert wb.datasets.power_plants(spark).count() == 24
        assert arrow_frame(spark, EVENTS).count() == len(EVENTS)
        assert spark.conf.get(BATCH) == limit
