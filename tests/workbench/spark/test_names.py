"""Answers do not depend on the names of columns: no name is reserved."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import session_options
from workbench import Frame, fn
from workbench.spark.table import CASE

#: Names that this project or Spark uses internally, and names that need quotes.
HOSTILE = (
    *("__time__", "__conditions__", "__partition__", "__name__", "__bundle__", "__begin__"),
    *("__key0__", "__number__", "__query__", "__row__", "__rows__", "__asked__", "__hash__"),
    *("row", "key 0", "given 0", "answer 0", "k0", "c0", "x1", "qk0", "count", "a.b", "a`b"),
)
PLAIN = tuple(f"plain{i}" for i in range(len(HOSTILE)))

Names = Sequence[str]
Rows = list[tuple[Any, ...]]


def table(spark: SparkSession, names: Names) -> DataFrame:
    """Return events whose key has a column for each name, all of one value."""
    event = "CASE WHEN id % 3 = 0 THEN 'a' ELSE 'b' END event"
    rows = spark.range(8).selectExpr("id", "id AS t", event, "id * 1.5D AS v")
    key = [(F.col("id") % 2).alias(name) for name in names]
    return rows.select(*key, "t", "event", "v")


def rows_of(df: DataFrame) -> Rows:
    return sorted(map(tuple, df.collect()), key=repr)


def levels(df: DataFrame, names: Names) -> Rows:
    return rows_of(wb.Funnel(["a", "b"], 5, list(names), "t").levels(df))


def people(df: DataFrame, names: Names) -> Rows:
    return rows_of(wb.Funnel(["a", "b"], 5, list(names), "t").people(df, 2))


def prepared_levels(df: DataFrame, names: Names) -> Rows:
    with wb.prepare(df, list(names), "t", keep="v") as prepared:
        return rows_of(wb.Funnel(["a", "b"], 5, list(names), "t").levels(prepared, by="v"))


def running(df: DataFrame, names: Names) -> Rows:
    return rows_of(wb.over(df, list(names), "t", middle=fn.median("v")))


def backfill(names: Names) -> wb.Backfill:
    aggregations = [wb.Aggregation("sum", "v", windows=4), wb.Aggregation("count", windows=3)]
    return wb.Backfill(list(names), "t", aggregations, window="sliding")


def features(df: DataFrame, names: Names) -> Rows:
    return rows_of(backfill(names).run(df.select(*quoted(names), "t"), df, method="scan"))


def differences(df: DataFrame, names: Names) -> Rows:
    """Return the differences of features whose counts are all one too high."""
    queries = df.select(*quoted(names), "t")
    wrong = (
        backfill(names).run(queries, df, method="scan").withColumn("count_3", F.col("count_3") + 1)
    )
    rows = backfill(names).check(wrong, df)
    return [tuple(row) for row in rows.itertuples(index=False)]


def origin(df: DataFrame, names: Names) -> list[str]:
    queries = df.select(*quoted(names), "t")
    return backfill(names).origin(queries, df, (0,) * len(names)).states


def frames(df: DataFrame, names: Names) -> str:
    return str(wb.Over(list(names), "t", total=fn.sum("v")).frames(df))


def played(df: DataFrame, names: Names) -> str:
    return repr(wb.play(wb.Funnel(["a", "b"], 5, list(names), "t"), df, key=(1,) * len(names)))


def quoted(names: Names) -> list[str]:
    return ["`" + name.replace("`", "``") + "`" for name in names]


CALLS: list[Callable[[DataFrame, Names], Any]] = [
    *(levels, people, prepared_levels, running, features, differences, origin, frames, played),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_key_may_have_any_name(
    spark: SparkSession, call: Callable[[DataFrame, Names], Any]
) -> None:
    answer = call(table(spark, HOSTILE), HOSTILE)
    assert answer
    assert answer == call(table(spark, PLAIN), PLAIN)


@pytest.mark.parametrize("name", ["column", "given", "expected", "reason"])
def test_a_key_with_the_name_of_a_column_of_differences_is_refused(
    spark: SparkSession, name: str
) -> None:
    df = table(spark, [name])
    with pytest.raises(wb.WorkbenchError, match=f"^key: the result has a column '{name}' of its"):
        backfill([name]).check(df, df)


def test_columns_that_results_add_to_a_key_are_renamed_if_the_key_has_their_name(
    spark: SparkSession,
) -> None:
    pieces = wb.Over("rows", "t", Frame.rows(-1, 0), cut=2, n=fn.sum("v"))
    assert pieces.pieces(table(spark, ["rows"])).columns == ["rows", "rows_", "pieces"]
    snapshots = spark.sql("SELECT 0L AS ds, 7 AS known, 'ann' AS alive_from, 1L AS ts")
    entities = wb.Entities(snapshots, key="alive_from", id="known", time="ts", accuracy="midnight")
    assert entities.problems().columns == ["alive_from", "known", "ts", "known_", "problem"]
    lives = ["known", "alive_from", "ts", "alive_from_", "alive_until"]
    assert entities.lives().columns == lives


def test_names_that_differ_by_case_are_two_where_spark_is_case_sensitive(
    spark: SparkSession,
) -> None:
    with session_options(spark, {CASE: "true"}):
        names = ["k", "K"]
        two, plain = table(spark, names), table(spark, PLAIN[:2])
        for call in (levels, running, features):
            assert call(two, names) == call(plain, PLAIN[:2])


def test_names_that_differ_by_case_only_are_refused_where_spark_ignores_case(
    spark: SparkSession,
) -> None:
    two = table(spark, ["k", "K"])
    calls: list[Callable[[], object]] = [
        lambda: wb.Funnel(["a"], 5, "k", "t").levels(two),
        lambda: wb.over(two, "t", "t", n=fn.count()),
        lambda: wb.last_in_group(two, "t", "v"),
        lambda: backfill(["K"]).run(two, two),
    ]
    for call in calls:
        with pytest.raises(wb.WorkbenchError, match="columns 'k' and 'K' are one name to Spark"):
            call()


def test_a_column_of_a_snapshot_with_the_name_of_an_added_one_is_refused(
    spark: SparkSession,
) -> None:
    rows = spark.sql("SELECT 0L AS ds, 7 AS id, 'ann' AS user, 1L AS ts, 5 AS __at__")
    with pytest.raises(wb.WorkbenchError, match=r"^snapshots: column '__at__' has the name of"):
        wb.Entities(rows, key="user", id="id", time="ts", accuracy="midnight")
