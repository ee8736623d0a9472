"""Quantiles of groups on Spark, against DuckDB in process and against Spark's own."""

from collections.abc import Callable
from datetime import time
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.drawn import draws
from tests.oracle import duck
from tests.workbench.spark.jobs import no_job
from tests.workbench.windows.cases import alike, tables

few_examples = draws(
    6,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
QUANTILES = st.sampled_from([0.0, 0.07, 0.25, 0.5, 0.54, 1 / 3, 0.99, 1.0])

#: The columns of each kind of quantile, with their SQL in DuckDB.
COLUMNS = {
    "cont": {name: name for name in ("real", "whole", "small", "x", "day", "moment")}
    | {"price": "price::DOUBLE"},
    "disc": {name: name for name in ("real", "whole", "small", "price", "day", "moment")}
    | {name: name for name in ("word", "yes")},
}


def ask_duckdb(rows: pa.Table, columns: dict[str, str], q: Any, by: list[str], kind: str) -> Any:
    calls = [f'quantile_{kind}({sql}, {q}) AS "{name}"' for name, sql in columns.items()]
    group_by = f"GROUP BY {', '.join(by)}" if by else ""
    with duck() as connection:
        connection.register("rows", rows)
        answer = connection.sql(f"SELECT {', '.join(by + calls)} FROM rows {group_by}")
        return answer.to_arrow_table().to_pylist()


def sorted_by(rows: list[dict[str, Any]], by: list[str]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: [str(row[name]) for name in by])


@few_examples
@given(
    rows=tables(most_rows=30),
    q=st.one_of(QUANTILES, st.lists(QUANTILES, min_size=1, max_size=4)),
    by=st.sampled_from([[], ["p"], ["p", "k"], ["z"]]),
    kind=st.sampled_from(["cont", "disc"]),
)
def test_quantiles_are_those_of_duckdb(
    spark: SparkSession, rows: pa.Table, q: Any, by: list[str], kind: str
) -> None:
    rows = rows.append_column("z", rows.column("real"))
    columns = COLUMNS[kind]
    expected = sorted_by(ask_duckdb(rows, columns, q, by, kind), by)
    answer = wb.quantiles(spark.createDataFrame(rows), list(columns), q, by, kind)
    assert answer.columns == [*by, *columns]
    results = sorted_by(answer.toArrow().to_pylist(), by)
    assert len(results) == len(expected)
    for got, wanted in zip(results, expected, strict=True):
        for name in (*by, *columns):
            assert alike(got[name], wanted[name]), (name, got, wanted)


def test_quantiles_of_many_rows_are_those_of_spark(spark: SparkSession) -> None:
    rows = spark.range(40_000).selectExpr(
        "id % 7 AS key", "hash(id) / 1000 AS x", "hash(id, 1) % 50 AS few", "id / 8 AS up"
    )
    shares = [0.01, 0.25, 0.5, 0.999]
    names = ["x", "few", "up"]
    all_shares = F.array(*map(F.lit, shares))
    for by in ([], ["key"]):
        results = wb.quantiles(rows, names, shares, by).collect()
        expected = rows.groupBy(*by).agg(*(F.percentile(n, all_shares).alias(n) for n in names))
        for got, wanted in zip(sorted(results), sorted(expected.collect()), strict=True):
            for one, other in zip(got, wanted, strict=True):
                assert one == pytest.approx(other, rel=1e-12)


def test_a_discrete_quantile_is_that_of_spark(spark: SparkSession) -> None:
    rows = spark.range(1_000).selectExpr("hash(id) AS x")
    expected = rows.selectExpr("percentile_disc(0.3) WITHIN GROUP (ORDER BY x)").collect()
    assert wb.quantiles(rows, "x", 0.3, kind="disc").collect()[0][0] == int(expected[0][0])


@pytest.mark.parametrize("kind", ["cont", "disc"])
def test_an_empty_table_gives_one_row_without_groups_and_none_with_them(
    spark: SparkSession, kind: str
) -> None:
    for empty in (
        spark.createDataFrame([], "key string, x double"),
        spark.range(9).selectExpr("'a' AS key", "id / 2 AS x").where("x > 9"),
    ):
        assert [tuple(row) for row in wb.quantiles(empty, "x", 0.5, kind=kind).collect()] == [
            (None,)
        ]
        assert wb.quantiles(empty, "x", [0.5], by="key", kind=kind).collect() == []


def test_times_of_day_are_interpolated(spark: SparkSession) -> None:
    times = pa.array([time(11), None, time(10)], pa.time64("us"))
    rows = pa.table({"at": times, "g": [1, 1, 1]})
    for df in (rows, spark.createDataFrame(rows)):
        answer = wb.quantiles(df, "at", [0.25, 1.0], by="g")
        assert answer.collect() == [(1, [time(10, 15), time(11)])]


def test_a_group_of_nulls_has_a_row(spark: SparkSession) -> None:
    rows = spark.sql("SELECT * FROM VALUES ('a', 1), ('b', NULL), (NULL, 4) AS t(key, x)")
    found = wb.quantiles(rows, "x", [0.5, 1.0], by="key").collect()
    assert {row["key"]: row["x"] for row in found} == {"a": [1, 1], "b": None, None: [4, 4]}


def test_a_discrete_quantile_of_one_row_is_its_value_in_its_type(spark: SparkSession) -> None:
    rows = spark.range(3).selectExpr(
        "id AS `a.b c`",
        "cast(id AS decimal(30, 2)) AS `wide ``x`",
        "cast(id AS decimal(5, 2)) AS narrow",
        "date_add(date'1969-12-30', cast(id AS int)) AS day",
        "timestamp'1969-12-30 01:00:00' AS moment",
        "cast(id / 3 AS float) AS short",
        "cast(concat('b', id) AS binary) AS bytes",
        "make_dt_interval(cast(id AS int)) AS length",
        "id = 1 AS yes",
    )
    answer = wb.quantiles(rows, rows.columns[1:], 0.5, by="a.b c", kind="disc")
    assert [f.dataType for f in answer.schema] == [f.dataType for f in rows.schema]
    assert sorted(answer.collect()) == sorted(rows.collect())


def test_no_job_runs_until_the_result_is_used(spark: SparkSession) -> None:
    rows = spark.range(5).withColumn("x", F.col("id") * 2)
    with no_job(spark):
        wb.quantiles(rows, "x", [0.5], by="id")
        wb.quantiles(rows, "x")


#: Invalid calls, and how the error message begins.
REFUSED: list[tuple[Callable[[DataFrame], object], str]] = [
    (
        lambda df: wb.quantiles(df, "mwhs"),
        "columns: there is no column 'mwhs'; did you mean 'mwh'?",
    ),
    (
        lambda df: wb.quantiles(df, F.col("mwh")),  # type: ignore[arg-type]
        "columns: Column<'mwh'> is not text; give the name of a column, or several in a list.",
    ),
    (lambda df: wb.quantiles(df, []), "columns: no column is named; give one column, or several "),
    (lambda df: wb.quantiles(df, "mwh", by="plants"), "by: there is no column 'plants'; "),
    (
        lambda df: wb.quantiles(df, "mwh", 1.5),
        "q: 1.5 is not a quantile; give numbers from 0 to 1.",
    ),
    (lambda df: wb.quantiles(df, "mwh", [0.5, -0.1]), "q: -0.1 is not a quantile; give numbers "),
    (lambda df: wb.quantiles(df, "mwh", []), "q: the list is empty; give quantiles from 0 to 1"),
    (
        lambda df: wb.quantiles(df, "mwh", "0.5"),  # type: ignore[arg-type]
        "q: '0.5' is not a quantile; give numbers from 0",
    ),
    (
        lambda df: wb.quantiles(df.sparkSession.sql("SELECT TIME'09:00' AS at"), "at"),
        "columns: column 'at' holds times of day, which this session only passes on; "
        "set spark.sql.timeType.enabled to true, or give by.",
    ),
    (
        lambda df: wb.quantiles(df, "mwh", kind="median"),
        "kind: 'median' is not known; give 'cont' or 'disc'.",
    ),
    (
        lambda df: wb.quantiles(df, "plant"),
        "plant: quantile cannot take string; give it a column of numbers or times.",
    ),
    (lambda df: wb.quantiles(df, "m", kind="disc"), "m: quantile_disc cannot take map<"),
    (lambda df: wb.quantiles(df, "mwh", by="m"), "by: column 'm' holds maps, which cannot be "),
    (lambda df: wb.quantiles(df, "mwh", by="mwh"), "by: the result has a column 'mwh' of its own;"),
    (lambda df: wb.quantiles(df, "mwh", by="years"), "by: column 'years' holds interval year"),
    (
        lambda df: wb.quantiles([1], "mwh"),  # type: ignore[arg-type]
        "df: this is a list and no table;",
    ),
]


def test_invalid_arguments_are_refused_before_any_job(spark: SparkSession) -> None:
    plants = wb.datasets.power_plants(spark).selectExpr(
        "*", "map('a', 1) AS m", "INTERVAL '1' YEAR AS years"
    )
    with no_job(spark):
        for call, sentence in REFUSED:
            with pytest.raises(wb.WorkbenchError) as raised:
                call(plants)
            assert str(raised.value).startswith(sentence)
