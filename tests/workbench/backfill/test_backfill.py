"""Backfills on Spark: every method, every kind of window and of time, against DuckDB in process.

A run on Spark costs seconds whatever it answers, so each answers as much as one plan can hold.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.conftest import RunOn
from tests.oracle import duck
from tests.workbench.columnar.test_subpartitions import sorted_by_partition
from tests.workbench.spark.jobs import no_job
from workbench import fn
from workbench.backfill.bind import Plan, bundles
from workbench.backfill.methods import METHODS, execute
from workbench.columnar.subpartitions import subpartitions

WINDOWS = [7, 40, None]
#: The bounds of each kind of window, with the hop h: a query at q sees the events in [low, high).
BOUNDS = {
    "sliding": ("q - {w}", "q"),
    "sawtooth": ("(q - {w}) - (((q - {w}) % 5) + 5) % 5", "q"),
    "hopping": ("(q - {w}) - (((q - {w}) % 5) + 5) % 5", "q - ((q % 5) + 5) % 5"),
}
#: Features, and their calls in DuckDB.
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
#: Features by bucket: the condition on events with a bucket, and the call for each bucket.
BY_BUCKET: dict[str, tuple[Callable[[Any], wb.Aggregation], str, str]] = {
    "v_sum": (lambda w: wb.Aggregation("sum", "v", w, by="b"), "v IS NOT NULL", "sum(v)"),
    "good": (
        lambda w: wb.Aggregation("count", windows=w, by="b", where="v > 0", name="good"),
        "v > 0",
        "count(*)",
    ),
    "s_last": (
        lambda w: wb.Aggregation("last", "s", w, by="b"),
        "true",
        "last(s ORDER BY t, s NULLS FIRST)",
    ),
}
#: Features without a state that adds up.
NOT_BY_TREE = ("s_unique_count", "iqr")
EVERY_METHOD = ["auto", *METHODS]


def tables(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Return queries and events with ties, duplicates, nulls, and times before 1970."""
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
    aggregations = [make(windows) for make, _ in FEATURES.values()]
    return wb.Backfill("k", "t", aggregations, kind, None if kind == "sliding" else 5)


def rows(df: DataFrame, order: str = "id") -> list[dict[str, Any]]:
    return [row.asDict() for row in df.orderBy(order).collect()]


def plan_of_all_kinds(queries: DataFrame, events: DataFrame, method: str) -> Plan:
    """Return one plan with the windows of every kind, so that one run answers for all."""
    bound_features = []
    for kind in BOUNDS:
        aggregations = [
            make(WINDOWS)
            for name, (make, _) in FEATURES.items()
            if method != "tree" or name not in NOT_BY_TREE
        ]
        aggregations += [make([40]) for make, *_ in BY_BUCKET.values()]
        hop = None if kind == "sliding" else 5
        for one in wb.Backfill("k", "t", aggregations, kind, hop).bound(queries, events).features:
            resolved = replace(one.resolved, column=f"{kind}_{one.name}")
            bound_features.append(replace(one, resolved=resolved))
    plan = backfill("sliding").bound(queries, events)
    return replace(plan, features=tuple(bound_features))


def ask_duckdb(queries: pa.Table, events: pa.Table) -> list[dict[str, Any]]:
    """Return the answers of all kinds, a statement for each, as long ones take minutes to plan."""
    with duck() as connection:
        connection.register("queries", queries)
        connection.register("events", events)
        answers = [connection.sql(in_duckdb(kind)).to_arrow_table() for kind in BOUNDS]
    rows_of_kinds = [table.to_pylist(maps_as_pydicts="strict") for table in answers]
    return [reduce(lambda a, b: a | b, rows) for rows in zip(*rows_of_kinds, strict=True)]


def in_duckdb(kind: str) -> str:
    columns = []
    for window in WINDOWS:
        low, high = (bound.format(w=window) for bound in BOUNDS[kind])
        in_window = f"e.k = asked.k AND t < {high}" + ("" if window is None else f" AND t >= {low}")
        ending = "" if window is None else f"_{window}"
        for name, (_, call) in FEATURES.items():
            of_window = f"(SELECT {call} FROM events e WHERE {in_window})"
            columns.append(f"{of_window} AS {kind}_{name}{ending}")
        for name, (_, counts, call) in BY_BUCKET.items() if window == 40 else ():
            each = f"SELECT b, {call} AS c FROM events e WHERE {in_window} AND {counts} AND b = b"
            maps = f"SELECT map_from_entries(list((b, c) ORDER BY b)) FROM ({each} GROUP BY b)"
            columns.append(f"({maps}) AS {kind}_{name}_40_by_b")
    asked = "(SELECT k, t AS q, id FROM queries) asked"
    return f"SELECT id, {', '.join(columns)} FROM {asked} ORDER BY id"


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    return bool(a == b)


@pytest.fixture(scope="module")
def expected(spark: SparkSession) -> list[dict[str, Any]]:
    """The answers of DuckDB to the queries of :func:`tables`."""
    return ask_duckdb(*(df.toArrow() for df in tables(spark)))


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_every_method_answers_as_duckdb_does(
    spark: SparkSession, expected: list[dict[str, Any]], method: str
) -> None:
    plan = plan_of_all_kinds(*tables(spark), method)
    answers = rows(execute(plan, method))
    assert len(answers) == len(expected) == 81
    for ours, theirs in zip(answers, expected, strict=True):
        for name in ("id", *(one.name for one in plan.features)):
            assert alike(ours[name], theirs[name]), (name, ours[name], theirs[name], ours["id"])


def test_lists_histograms_and_sketches_are_features_too(spark: SparkSession) -> None:
    backfill = wb.Backfill(
        "k",
        "t",
        [
            wb.Aggregation(fn.last_k("v", 2), windows=5),
            wb.Aggregation(fn.top_k("v", 2), windows=5),
            wb.Aggregation("histogram", "v", windows=5),
            wb.Aggregation(fn.bounded_count_distinct("v", 2), windows=5),
            wb.Aggregation("approx_unique_count", "v", windows=5),
        ],
        "sliding",
    )
    queries = spark.createDataFrame([(1, 9, 0), (1, 2, 1), (3, 2, 2)], "k long, t long, id long")
    values = [(1, t, v) for t, v in enumerate([9, 5, 5, 5, 7, 5, 8, 5, None, 9])]
    events = spark.createDataFrame(values, "k long, t long, v long")
    answers = backfill.run(queries, events).drop("k", "t", "id")
    assert [tuple(row) for row in answers.orderBy(F.desc("v_last_k_5")).collect()] == [
        ([9, 5], [9, 5], {5: 1, 9: 1}, 2, 2),
        ([8, 5], [8, 7], {5: 2, 7: 1, 8: 1}, 2, 3),
        (None, None, None, 0, 0),
    ]


def hourly_tables(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Return hours around the change to summer time and before 1970, in every type of time."""
    hours = [datetime(2024, 3, 30, 20) + timedelta(hours=i) for i in range(12)]
    hours += [datetime(1969, 12, 31, 20) + timedelta(hours=i) for i in range(8)]
    event_rows = [(1, hour, hour, i) for i, hour in enumerate(hours)]
    events = spark.createDataFrame(event_rows, "k int, t timestamp, n timestamp_ntz, v int")
    query_times = [datetime(2024, 3, 31, 5, 30), datetime(1970, 1, 1, 0, 30)]
    query_rows = [(1, hour, hour, i) for i, hour in enumerate(query_times)]
    queries = spark.createDataFrame(query_rows, "k int, t timestamp, n timestamp_ntz, id int")
    columns = "*", "cast(n AS date) AS day"
    return queries.selectExpr(*columns), events.selectExpr(*columns)


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_answers_depend_on_no_clock_change_and_no_zone(spark: SparkSession, method: str) -> None:
    functions, times = ("min", "max", "count"), ("t", "n")
    queries, events = hourly_tables(spark)
    with session_options(spark, {ZONE: "Europe/Berlin"}):
        # In one chain: a separate run for each type of time would cost as much again.
        for time in times:
            aggregations = [
                wb.Aggregation(one, "v", "5 hours", name=f"{time}_{one}") for one in functions
            ]
            queries = wb.Backfill("k", time, aggregations).run(queries, events, method)
        days = wb.Aggregation("count", windows=["1 day", "12 days"], name="days")
        answers = rows(wb.Backfill("k", "day", days).run(queries, events, method))
    for time in times:
        values = [[row[f"{time}_{one}_5h"] for one in functions] for row in answers]
        assert values == [[5, 9, 5], [12, 16, 5]]
    assert [(row["days_1d"], row["days_12d"]) for row in answers] == [(4, 4), (4, 4)]


def test_a_run_of_some_days_equals_those_days_of_the_whole_run(spark: SparkSession) -> None:
    events = spark.range(2_000).selectExpr(
        "id % 3 AS k", "timestamp_seconds(id * 1800 - 500000) AS t", "id AS v"
    )
    backfill = wb.Backfill(
        "k", "t", [wb.Aggregation("sum", "v", ["90 minutes", "3 days"]), wb.Aggregation("count")]
    )
    whole = backfill.run(events, events).where("t >= '1970-01-03' AND t < '1970-01-05'")
    days = backfill.run(events, events, days=("1970-01-03", date(1970, 1, 4)))
    assert rows(days, "v") == rows(whole, "v")
    assert days.count() == 96
    one = backfill.run(events, events, days="1970-01-04")
    assert rows(one, "v") == rows(whole.where("t >= '1970-01-04'"), "v")


def test_the_naive_join_is_repeated_for_a_column_of_buckets_not_for_each_feature(
    spark: SparkSession,
) -> None:
    queries, events = tables(spark)
    by_bucket = [make([20, 40]) for make, *_ in BY_BUCKET.values()]
    answers = wb.Backfill("k", "t", by_bucket, "sliding").run(queries, events, "naive")
    plan = answers._jdf.queryExecution().analyzed().toString()
    # Twice queries with events, of which one is for the maps; then both, and all queries.
    assert sum("Join " in line for line in plan.splitlines()) == 4


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_windows_end_with_the_first_and_the_last_integer(spark: SparkSession, ansi: str) -> None:
    events = spark.sql("SELECT 1 AS k, explode(array(-9223372036854775805, -5)) AS t")
    ends = "-9223372036854775808, -9223372036854775800, 9223372036854775807"
    queries = spark.sql(f"SELECT 1 AS k, explode(array({ends})) AS t")
    count = [wb.Aggregation("count", windows=[100, 2**63 - 8, 2**63 - 1], name="n")]
    with session_options(spark, {"spark.sql.ansi.enabled": ansi}):
        for kind, hop in (("sliding", None), ("sawtooth", 7), ("hopping", 7)):
            backfill = wb.Backfill("k", "t", count, kind, hop)
            runs = [rows(backfill.run(queries, events, one), "t") for one in ("naive", "scan")]
            assert runs[0] == runs[1]
            assert [row["n_100"] for row in runs[0]] == [0, 1, 0]
        wrong = backfill.run(queries, events).withColumn("n_100", F.lit(9))
        differences = backfill.check(wrong, events).sort_values("t")
        assert differences["expected"].tolist() == [0, 1, 0]


def test_days_may_be_of_any_year(spark: SparkSession) -> None:
    days = "date'0499-12-30', date'0500-01-01', date'0500-01-02'"
    events = spark.sql(f"SELECT 1 AS k, explode(array({days})) AS t")
    backfill = wb.Backfill("k", "t", wb.Aggregation("count", windows="2 days"), "sliding")
    features = backfill.run(events, events, days=("0500-01-02", date(500, 1, 3)))
    assert [row["count_2d"] for row in features.collect()] == [1]


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date"])
def test_the_last_day_of_the_calendar_has_an_end(spark: SparkSession, kind: str) -> None:
    days = "VALUES ('9999-12-29'), ('9999-12-30'), ('9999-12-31') AS (day)"
    events = spark.sql(f"SELECT 1 AS k, CAST(day AS {kind}) AS t FROM {days}")
    backfill = wb.Backfill("k", "t", wb.Aggregation("count", windows="2 days"), "sliding")
    features = backfill.run(events, events, days="9999-12-31")
    assert [row["count_2d"] for row in features.collect()] == [2]


def test_a_run_is_lazy_and_keeps_every_column_and_row(spark: SparkSession) -> None:
    queries = spark.sql("SELECT 1 AS `the key`, 5 AS `at.`, map('a', array(1)) AS m FROM range(3)")
    events = spark.sql("SELECT 1 AS `the key`, id AS `t``s`, 'x' AS `w.` FROM range(9)")
    count = wb.Aggregation("count", "w.", [3])
    backfill = wb.Backfill("the key", "t`s", count, "sliding", query_time="at.")
    with no_job(spark):
        features = backfill.run(queries.withColumn("at.", F.col("`at.`").cast("long")), events)
    assert [tuple(row) for row in features.collect()] == [(1, 5, {"a": [1]}, 3)] * 3


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_empty_tables_give_counts_of_zero(spark: SparkSession, method: str) -> None:
    queries, events = tables(spark)
    backfill = wb.Backfill("k", "t", [wb.Aggregation("count"), wb.Aggregation("max", "s")])
    empty = queries.limit(0), events.limit(0)
    pairs = ((empty[0], events), (queries, empty[1]), empty)
    runs = [backfill.run(*pair, method).withColumn("run", F.lit(i)) for i, pair in enumerate(pairs)]
    answers = rows(reduce(DataFrame.unionAll, runs))
    assert {(row["run"], row["count"], row["s_max"]) for row in answers} == {(1, 0, None)}
    assert len(answers) == 81


def test_events_without_key_or_time_are_counted(spark: SparkSession) -> None:
    _, events = tables(spark)
    expected = events.where("k IS NULL OR t IS NULL").count()
    assert backfill("sliding").skipped(events) == expected > 0


def test_queries_have_the_same_subpartitions_in_any_order(spark: SparkSession) -> None:
    queries, events = tables(spark)
    splits = []
    for query_rows in (queries, queries.orderBy(F.desc("id")).repartition(5)):
        plan = backfill("sliding").bound(query_rows, events)
        values = bundles(plan, plan.wire.queries, ("k0",), queries=True).toArrow()
        with patch("workbench.columnar.subpartitions.ROWS_AT_ONCE", 1):
            parts = [
                pa.Table.from_batches(part) for part in subpartitions(sorted_by_partition(values))
            ]
        splits.append(
            [sorted(part.select(["c0", "c1", "c2"]).to_pylist(), key=str) for part in parts]
        )
    assert splits[0] == splits[1]
    # Queries without a key or a time are in many subpartitions.
    assert sum(any(None in row.values() for row in part) for part in splits[0]) > 9


def features(spark: SparkSession) -> list[Any]:
    queries, events = tables(spark)
    query_rows = backfill("sawtooth").run(queries, events)
    aggregations = [wb.Aggregation("count", windows=7), wb.Aggregation("max", "s", 7)]
    return rows(wb.Backfill("k", "t", aggregations, "sliding").run(query_rows, events, "tree"))


@pytest.mark.parametrize("kind", ["connect", pytest.param("cluster", marks=pytest.mark.cluster)])
def test_every_kind_of_session_gives_one_answer(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, features) == run_on("classic", features)


def test_lengths_are_integers_of_python_or_of_numpy() -> None:
    lengths: list[tuple[Any, Any]] = [(np.int64(40), np.int32(5)), (40, 5)]
    ours, theirs = (
        wb.Backfill("k", "t", wb.Aggregation("count", windows=[one, None], hop=two), hop=two)
        for one, two in lengths
    )
    assert repr(ours) == repr(theirs)
    assert ours.names == ("count_40", "count")
