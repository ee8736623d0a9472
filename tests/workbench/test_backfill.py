"""Backfills on Spark: every method, every kind of window and of time, against DuckDB in process."""

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.conftest import RunOn
from tests.workbench.jobs import no_job
from workbench import fn
from workbench.backfill_methods import METHODS

WINDOWS = [7, 40, None]
#: The bounds of each kind of window, with the hop h: a query at q sees the events in [low, high).
BOUNDS = {
    "sliding": ("q - {w}", "q"),
    "sawtooth": ("(q - {w}) - (((q - {w}) % 5) + 5) % 5", "q"),
    "hopping": ("(q - {w}) - (((q - {w}) % 5) + 5) % 5", "q - ((q % 5) + 5) % 5"),
}
#: Features and what DuckDB calls them.
FEATURES: dict[str, tuple[Callable[[Any], wb.Aggregation], str]] = {
    "v_sum": (lambda w: wb.Aggregation("sum", "v", w), "sum(v)"),
    "v_average": (lambda w: wb.Aggregation("average", "v", w), "avg(v)"),
    "v_max": (lambda w: wb.Aggregation("max", "v", w), "max(v)"),
    "s_last": (lambda w: wb.Aggregation("last", "s", w), "last(s ORDER BY t, s NULLS FIRST)"),
    "v_first": (lambda w: wb.Aggregation("first", "v", w), "first(v ORDER BY t, v NULLS FIRST)"),
    "s_unique_count": (lambda w: wb.Aggregation("unique_count", "s", w), "count(DISTINCT s)"),
    "v_stddev": (lambda w: wb.Aggregation("stddev", "v", w), "stddev_samp(v)"),
    "big": (
        lambda w: wb.Aggregation("count", windows=w, where="v > 3", name="big"),
        "count(*) FILTER (v > 3)",
    ),
    "iqr": (
        lambda w: wb.Aggregation(fn.quantile("v", [0.25, 0.75]), windows=w, name="iqr"),
        "quantile_cont(v, [0.25, 0.75])",
    ),
}


def tables(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Queries and events with ties, duplicates, nulls, strange keys, and times before 1970."""
    random = np.random.default_rng(3)
    events = [
        (
            None if i % 17 == 0 else int(random.integers(0, 5)),
            None if i % 23 == 0 else int(random.integers(-50, 100)),
            None if i % 9 == 0 else int(random.integers(-5, 9)),
            [None, "x", "y"][i % 3],
            ["p", "q", "r", None][int(random.integers(0, 4))],
        )
        for i in range(300)
    ]
    queries = [
        (
            None if i % 11 == 0 else int(random.integers(0, 7)),
            None if i % 13 == 0 else int(random.integers(-60, 130)),
            i,
        )
        for i in range(80)
    ]
    return (
        spark.createDataFrame([*queries, queries[5]], "k long, t long, id long"),
        spark.createDataFrame(events, "k long, t long, v long, b string, s string"),
    )


def backfill(kind: str, windows: Sequence[int | None] = WINDOWS) -> wb.Backfill:
    asked = [make(windows) for make, _ in FEATURES.values()]
    return wb.Backfill("k", "t", asked, kind, None if kind == "sliding" else 5)


def rows(df: DataFrame, order: str = "id") -> list[dict[str, Any]]:
    return [row.asDict() for row in df.orderBy(order).collect()]


def ask_duckdb(queries: pa.Table, events: pa.Table, kind: str) -> list[dict[str, Any]]:
    columns = []
    for name, (_, call) in FEATURES.items():
        for window in WINDOWS:
            low, high = (bound.format(w=window) for bound in BOUNDS[kind])
            bounds = f"t < {high}" if window is None else f"t >= {low} AND t < {high}"
            ending = "" if window is None else f"_{window}"
            of_window = f"(SELECT {call} FROM events e WHERE e.k = asked.k AND {bounds})"
            columns.append(f"{of_window} AS {name}{ending}")
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("queries", queries)
        connection.register("events", events)
        text = f"SELECT *, {', '.join(columns)} FROM (SELECT k, t AS q, id FROM queries) asked"
        found = connection.sql(f"{text} ORDER BY id").to_arrow_table()
    renamed = ["t" if name == "q" else name for name in found.column_names]
    answers: list[dict[str, Any]] = found.rename_columns(renamed).to_pylist()
    return answers


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    return bool(a == b)


@pytest.mark.parametrize("kind", BOUNDS)
@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_every_method_answers_as_duckdb_does(spark: SparkSession, method: str, kind: str) -> None:
    queries, events = tables(spark)
    expected = ask_duckdb(queries.toArrow(), events.toArrow(), kind)
    found = rows(backfill(kind).run(queries, events, method))
    assert len(found) == len(expected) == 81
    for ours, theirs in zip(found, expected, strict=True):
        for name, value in theirs.items():
            assert alike(ours[name], value), (name, ours, theirs)


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_buckets_are_answered_for_themselves(spark: SparkSession, method: str) -> None:
    asked = wb.Backfill(
        "k",
        "t",
        [
            wb.Aggregation("sum", "v", [40], by="b"),
            wb.Aggregation("count", windows=[40], by="b", where="v > 0", name="good"),
            wb.Aggregation("last", "s", [40], by="b"),
        ],
        "sliding",
    )
    queries = spark.createDataFrame([(1, 50, 0), (1, 5, 1), (2, 50, 2)], "k long, t long, id long")
    events = spark.createDataFrame(
        [
            *((1, 10, 3, "x", "p"), (1, 20, 4, "x", "q"), (1, 20, -1, "y", None)),
            *((1, 49, 9, None, "r"), (1, 50, 9, "x", "z"), (2, 9, 9, "x", "z")),
        ],
        "k long, t long, v long, b string, s string",
    )
    found = rows(asked.run(queries, events, method))
    assert found[0] == {
        "k": 1,
        "t": 50,
        "id": 0,
        "v_sum_40_by_b": {"x": 7, "y": -1},
        "good_40_by_b": {"x": 2},
        "s_last_40_by_b": {"x": "q", "y": None},
    }
    assert [row["v_sum_40_by_b"] for row in found[1:]] == [None, None]


def moments(spark: SparkSession, kind: str, zone: str) -> tuple[DataFrame, DataFrame]:
    """Hours around the change to summer time and before 1970, as a type of time."""
    hours = [datetime(2024, 3, 30, 20) + timedelta(hours=i) for i in range(12)]
    hours += [datetime(1969, 12, 31, 20) + timedelta(hours=i) for i in range(8)]
    numbered = [(1, hour, i) for i, hour in enumerate(hours)]
    events = spark.createDataFrame(numbered, f"k int, t {kind}, v int")
    asked = [(1, datetime(2024, 3, 31, 5, 30), 0), (1, datetime(1970, 1, 1, 0, 30), 1)]
    queries = spark.createDataFrame(asked, f"k int, t {kind}, id int")
    spark.conf.set("spark.sql.session.timeZone", zone)
    return queries, events


@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz"])
def test_no_clock_and_no_zone_changes_an_answer(
    spark: SparkSession, kind: str, method: str
) -> None:
    functions = ("min", "max", "count")
    asked = wb.Backfill("k", "t", [wb.Aggregation(one, "v", "5 hours") for one in functions])
    try:
        found = rows(asked.run(*moments(spark, kind, "Europe/Berlin"), method))
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert [[row[f"v_{one}_5h"] for one in functions] for row in found] == [[5, 9, 5], [12, 16, 5]]


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_dates_have_no_hours(spark: SparkSession, method: str) -> None:
    days = [("a", date(2024, 1, day)) for day in (1, 2, 3)]
    events = spark.createDataFrame(days, "k string, day date")
    asked = wb.Backfill("k", "day", wb.Aggregation("count", windows=["1 day", "12 days"]))
    found = rows(asked.run(events, events, method), "day")
    assert [(row["count_1d"], row["count_12d"]) for row in found] == [(0, 0), (1, 1), (1, 2)]


def test_days_of_a_run_are_days_of_the_whole(spark: SparkSession) -> None:
    events = spark.range(2_000).selectExpr(
        "id % 3 AS k", "timestamp_seconds(id * 1800 - 500000) AS t", "id AS v"
    )
    asked = wb.Backfill(
        "k", "t", [wb.Aggregation("sum", "v", ["90 minutes", "3 days"]), wb.Aggregation("count")]
    )
    whole = asked.run(events, events).where("t >= '1970-01-03' AND t < '1970-01-05'")
    days = asked.run(events, events, days=("1970-01-03", date(1970, 1, 4)))
    assert rows(days, "v") == rows(whole, "v")
    assert days.count() == 96
    one = asked.run(events, events, days="1970-01-04")
    assert rows(one, "v") == rows(whole.where("t >= '1970-01-04'"), "v")


def test_a_run_is_lazy_and_keeps_every_column_and_row(spark: SparkSession) -> None:
    queries = spark.sql("SELECT 1 AS `the key`, 5 AS `at.`, map('a', array(1)) AS m FROM range(3)")
    events = spark.sql("SELECT 1 AS `the key`, id AS `t``s`, 'x' AS `w.` FROM range(9)")
    count = wb.Aggregation("count", "w.", [3])
    asked = wb.Backfill("the key", "t`s", count, "sliding", query_time="at.")
    with no_job(spark):
        found = asked.run(queries.withColumn("at.", F.col("`at.`").cast("long")), events)
    assert [tuple(row) for row in found.collect()] == [(1, 5, {"a": [1]}, 3)] * 3


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_tables_without_rows_give_counts_of_nothing(spark: SparkSession, method: str) -> None:
    queries, events = tables(spark)
    asked = wb.Backfill("k", "t", [wb.Aggregation("count"), wb.Aggregation("max", "s")])
    assert rows(asked.run(queries.limit(0), events, method)) == []
    found = rows(asked.run(queries, events.limit(0), method))
    assert {(row["count"], row["s_max"]) for row in found} == {(0, None)}


def test_events_without_key_or_time_are_counted(spark: SparkSession) -> None:
    _, events = tables(spark)
    expected = events.where("k IS NULL OR t IS NULL").count()
    assert backfill("sliding").skipped(events) == expected > 0


def features(spark: SparkSession) -> list[Any]:
    queries, events = tables(spark)
    return rows(backfill("sawtooth").run(queries, events))


@pytest.mark.parametrize("kind", ["connect", pytest.param("cluster", marks=pytest.mark.cluster)])
def test_every_kind_of_session_gives_one_answer(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, features) == run_on("classic", features)
