"""The same events give the same answer by any type of key and time, any name and condition."""

from functools import reduce
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import ZONE, session_options

DAY = 86_400_000_000
#: User, day and event: before 1970, in both winters and the summer of many clocks.
DAYS = [
    (1, -400, "a"),
    (1, -399, "b"),
    (1, -300, "c"),
    (2, 19_000, "a"),
    (2, 19_002, "b"),
    (2, 19_002, "c"),
    (3, 19_100, "b"),
]
LEVELS = {1: [-400, -399], 2: [19_000, 19_002, 19_002], 3: []}

#: By type of time: SQL from a day's number, SQL back to it, and a window.
TIMES: dict[str, tuple[str, str, Any]] = {
    "timestamp": ("timestamp_seconds(day * 86400)", "unix_seconds(t) div 86400", "2 days"),
    "timestamp_ntz": (
        "timestamp_ntz'1970-01-01' + make_dt_interval(day)",
        "datediff(t, date'1970-01-01')",
        "2 days",
    ),
    "date": ("date_from_unix_date(day)", "unix_date(t)", "2 days"),
    "int": ("int(day)", "t", 2),
    "smallint": ("smallint(day)", "t", 2),
    "bigint": ("bigint(day)", "t", 2),
}
ZONES = ["UTC", "America/New_York", "Asia/Kolkata"]

KEYS = {
    "string": "concat('user ', user)",
    "decimal": "decimal(user) / 3",
    "date": "date_from_unix_date(-user)",
    "boolean": "user > 1",
    "binary": "binary(string(user))",
    "timestamp": "timestamp_seconds(-user)",
    "interval": "make_dt_interval(user)",
}

ODD_NAMES = ["user.id", "User Id", "a`b", "time", "__time__x", "100%2E", "ключ"]


def table(spark: SparkSession, rows: list[tuple[int, int, str]]) -> DataFrame:
    columns = dict(zip(("user", "day", "event"), zip(*rows, strict=True), strict=True))
    return spark.createDataFrame(pa.table(columns)).selectExpr("int(user)", "int(day)", "event")


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> DataFrame:
    return table(spark, DAYS)


def funnel(window: Any = 2, **columns: Any) -> wb.Funnel:
    return wb.Funnel(["a", "b", "c"], window, **{"key": "user", "time": "day", **columns})


def by_user(levels: DataFrame) -> dict[Any, Any]:
    """Return the times of each key; its level is their number."""
    rows = [tuple(row) for row in levels.collect()]
    assert all(level == len(reached) for _, level, reached in rows)
    assert len({key for key, _, _ in rows}) == len(rows)
    return {key: list(reached) for key, _, reached in rows}


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, spark: SparkSession) -> Any:
    with session_options(spark, {ZONE: request.param}):
        yield request.param


def test_every_type_of_time_gives_the_same_answer_in_every_time_zone(
    days: DataFrame, zone: str
) -> None:
    tables = []
    for kind, (from_day, to_day, window) in TIMES.items():
        events = days.withColumn("time", F.expr(from_day))
        assert dict(events.dtypes)["time"] == kind
        reached = F.expr(f"transform(reached, t -> int({to_day}))")
        levels = funnel(window, time="time").levels(events)
        tables.append(levels.select(F.concat(F.lit(kind), "user"), "level", reached))
    assert by_user(reduce(DataFrame.union, tables)) == {
        f"{kind}{user}": reached for kind in TIMES for user, reached in LEVELS.items()
    }


@pytest.mark.parametrize("kind", ["timestamp", "date", "smallint"])
def test_prepared_events_return_times_in_the_type_of_the_table(days: DataFrame, kind: str) -> None:
    from_day, _, window = TIMES[kind]
    events = days.withColumn("time", F.expr(from_day))
    prepared_funnel = funnel(window, time="time")
    with prepared_funnel.prepare(events) as prepared:
        levels = prepared_funnel.levels(prepared)
        assert levels.schema == prepared_funnel.levels(events).schema
        assert by_user(levels) == by_user(prepared_funnel.levels(events))


def test_windows_are_elapsed_time_when_clocks_change(spark: SparkSession, zone: str) -> None:
    """Half past one comes twice in New York, an hour apart."""
    hour = "timestamp_seconds(1383456600 + n * 3600)"
    events = spark.sql(
        f"SELECT 1 AS user, {hour} AS time, event FROM VALUES (0, 'a'), (1, 'b') t(n, event)"
    )
    for window, level in [("59 minutes", 1), ("1 hour", 2)]:
        row = wb.Funnel(["a", "b"], window, "user", "time").levels(events).first()
        assert row is not None
        assert row["level"] == level


def test_every_type_of_key_gives_the_same_answer(days: DataFrame) -> None:
    tables = []
    for kind, key in KEYS.items():
        events = days.where("user < 3").withColumn("key", F.expr(key))
        levels = funnel(key="key").levels(events)
        assert levels.schema["key"].dataType == events.schema["key"].dataType
        keys = events.select("key", "user").distinct()
        kind_and_user = F.concat(F.lit(kind), "user")
        tables.append(levels.join(keys, "key").select(kind_and_user, "level", "reached"))
    assert by_user(reduce(DataFrame.union, tables)) == {
        f"{kind}{user}": LEVELS[user] for kind in KEYS for user in (1, 2)
    }


def test_several_columns_are_one_key(days: DataFrame) -> None:
    events = days.selectExpr("user % 2 AS odd", "concat('user ', user) AS name", "day", "event")
    levels = funnel(key=["odd", "name"]).levels(events)
    assert levels.columns == ["odd", "name", "level", "reached"]
    reached = {(row["odd"], row["name"]): row["reached"] for row in levels.collect()}
    assert reached == {(user % 2, f"user {user}"): days for user, days in LEVELS.items()}


def test_a_key_with_a_null_in_any_column_is_skipped(days: DataFrame) -> None:
    events = days.withColumn("other", F.expr("IF(user = 2, NULL, 'x')"))
    by_both = funnel(key=["user", "other"])
    assert {row["user"] for row in by_both.levels(events).collect()} == {1, 3}
    assert by_both.skipped(events) == 3


@pytest.mark.parametrize("name", ODD_NAMES)
def test_columns_may_have_any_name(days: DataFrame, name: str) -> None:
    tables, expected = [], {u: (r, u if r else None) for u, r in LEVELS.items()}
    for role, old in [("key", "user"), ("time", "day"), ("event", "event"), ("by", "segment")]:
        events = days.withColumn("segment", F.col("user")).withColumnRenamed(old, name)
        by = name if role == "by" else "segment"
        levels = funnel(**({} if role == "by" else {role: name})).levels(events, by=by)
        assert levels.columns == [name if role == "key" else "user", "level", "reached", by]
        tables.append(levels.toDF("key", "level", "reached", "by").withColumn("role", F.lit(role)))
    for row in reduce(DataFrame.union, tables).collect():
        assert (row["reached"], row["by"]) == expected[row["key"]], row["role"]


def test_columns_of_prepared_events_may_have_any_name(days: DataFrame) -> None:
    events = days.withColumn("seg.`ment", F.col("user")).withColumnRenamed("user", "user.id")
    by_user_id = funnel(key="user.id")
    with by_user_id.prepare(events, keep=["seg.`ment"]) as prepared:
        levels = by_user_id.levels(prepared, by="seg.`ment").select("`user.id`", "level", "reached")
        assert by_user(levels) == LEVELS
        steps = by_user_id.steps(prepared, by="seg.`ment")
    assert steps["seg.`ment"].tolist() == [1, 1, 1, 2, 2, 2]


def test_conditions_may_overlap_be_null_and_count_for_several_steps(days: DataFrame) -> None:
    conditions: dict[str, str | Column] = {
        "a or b": F.col("event").isin("a", "b"),
        "b": "event = 'b'",
        "b again": "event LIKE 'b%'",
        "never known": "nullif(event, event) = 'x'",
    }
    overlapping = wb.Funnel(conditions, 2, "user", "day")
    assert by_user(overlapping.levels(days)) == {
        1: [-399, -399, -399],
        2: [19_002, 19_002, 19_002],
        3: [19_100, 19_100, 19_100],
    }
    once = wb.Funnel(conditions, 2, "user", "day", modes="strict_once")
    assert by_user(once.levels(days)) == {1: [-400, -399], 2: [19_000, 19_002], 3: [19_100]}


def test_an_event_may_be_named_in_two_steps(days: DataFrame) -> None:
    again = wb.Funnel(["a", "b", "a"], 1_000, "user", "day")
    events = days.union(days.where("event = 'a'").withColumn("day", F.expr("day + 5")))
    with again.prepare(events) as prepared:
        for source in (events, prepared):
            assert by_user(again.levels(source)) == {
                1: [-400, -399, -395],
                2: [19_000, 19_002, 19_005],
                3: [],
            }


@pytest.mark.parametrize("width", [31, 32])
def test_up_to_thirty_two_conditions_are_possible(spark: SparkSession, width: int) -> None:
    events = spark.range(64).selectExpr("id % 2 AS user", "id div 2 AS n")
    conditions = {f"step {k}": f"n = {k}" for k in range(width)}
    wide = wb.Funnel(conditions, 100, "user", "n")
    expected = {user: list(range(width)) for user in (0, 1)}
    with wide.prepare(events) as prepared:
        for source in (events, prepared):
            assert by_user(wide.levels(source)) == expected


@pytest.mark.parametrize(("window", "level"), [(0, 1), (399, 2), (400, 3), (10**15, 3)])
def test_the_window_is_inclusive_from_zero_to_beyond_the_data(
    spark: SparkSession, window: int, level: int
) -> None:
    rows = [(1, -200, "a"), (1, 0, "b"), (1, 0, "b"), (1, 200, "c"), (1, 200, "c")]
    events = table(spark, rows)
    assert len(by_user(funnel(window).levels(events))[1]) == level


def test_a_window_of_zero_takes_several_steps_at_one_instant(spark: SparkSession) -> None:
    rows = [(1, 5, "c"), (1, 5, "b"), (1, 5, "a"), (1, 5, "a")]
    events = table(spark, rows)
    assert by_user(funnel(0).levels(events)) == {1: [5, 5, 5]}
    assert by_user(funnel(0, modes="strict_increase").levels(events)) == {1: [5]}


def test_duplicate_rows_change_nothing(days: DataFrame) -> None:
    twice = days.union(days)
    assert by_user(funnel().levels(twice)) == LEVELS
    assert funnel().steps(twice).equals(funnel().steps(days))


def test_events_may_be_integer_codes(days: DataFrame) -> None:
    events = days.withColumn("event", F.expr("ascii(event) - 96"))
    assert by_user(wb.Funnel(["1", "2", "3"], 2, "user", "day").levels(events)) == LEVELS
