"""The last rows of groups, by every method, against DuckDB in process."""

from collections.abc import Callable
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
from tests.workbench.windows.cases import tables

few_examples = draws(
    4,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
groups = st.sampled_from([["p"], ["p", "yes"], ["real"], ["day"]])
orders = st.sampled_from([["k"], ["moment"], ["x", "word"], ["price", "k"], ["real"]])

#: The article's two queries: a window in reverse order, and a join with the greatest of each group.
ARTICLE = {
    "window": """SELECT plant, mwh FROM (
        SELECT plant, mwh, rank() OVER (PARTITION BY plant ORDER BY date DESC) AS r
        FROM rows) t WHERE r = 1 ORDER BY 1""",
    "join": """SELECT rows.plant, mwh
        FROM rows, (SELECT plant, max(date) AS date FROM rows GROUP BY 1) lasts
        WHERE rows.plant = lasts.plant AND rows.date = lasts.date ORDER BY 1""",
}


def ask_duckdb(rows: pa.Table, by: list[str], order: list[str], function: str) -> list[int]:
    """Return ids of the rows that are first in their group, in descending order."""
    terms = ", ".join(f"{name} DESC NULLS LAST" for name in order)
    window = f"{function}() OVER (PARTITION BY {', '.join(by)} ORDER BY {terms})"
    with duck() as connection:
        connection.register("rows", rows)
        answer = connection.sql(f"SELECT id FROM rows QUALIFY {window} = 1 ORDER BY id")
        ids: list[int] = answer.to_arrow_table().column("id").to_pylist()
    return ids


@pytest.mark.parametrize("method", ["window", "join"])
def test_the_articles_queries_have_the_same_answer(spark: SparkSession, method: str) -> None:
    plants = wb.datasets.power_plants(spark)
    with duck() as connection:
        connection.register("rows", plants.toArrow())
        expected = connection.sql(ARTICLE[method]).fetchall()
    last = wb.last_in_group(plants, "plant", "date", method).orderBy("plant")
    assert [tuple(row) for row in last.select("plant", "mwh").collect()] == expected
    assert expected == [("Boston", 531518), ("Worcester", 107170)]


@few_examples
@given(rows=tables(most_rows=30), by=groups, order=orders)
def test_every_method_gives_all_rows_that_tie(
    spark: SparkSession, rows: pa.Table, by: list[str], order: list[str]
) -> None:
    order = [name for name in order if name not in by] or ["k"]
    df, expected = spark.createDataFrame(rows), ask_duckdb(rows, by, order, "rank")
    for method in ("window", "join", "auto"):
        last = wb.last_in_group(df, by, order, method)
        assert last.columns == rows.column_names
        assert sorted(row["id"] for row in last.collect()) == expected


@few_examples
@given(rows=tables(most_rows=30), by=groups, order=orders)
def test_every_method_gives_the_same_row_of_those_that_tie(
    spark: SparkSession, rows: pa.Table, by: list[str], order: list[str]
) -> None:
    order = [name for name in order if name not in by] or ["k"]
    rows = rows.select([*rows.column_names[1:], "id"])
    others = [name for name in rows.column_names if name not in (*by, *order)]
    expected = ask_duckdb(rows, by, [*order, *others], "row_number")
    df = spark.createDataFrame(rows)
    for method in ("window", "join", "aggregate", "auto"):
        last = wb.last_in_group(df, by, order, method, ties="one")
        assert last.columns == rows.column_names
        assert sorted(row["id"] for row in last.collect()) == expected


@pytest.mark.parametrize("method", ["window", "join", "aggregate"])
def test_of_rows_equal_in_all_columns_one_is_returned(spark: SparkSession, method: str) -> None:
    twice = spark.sql("SELECT 'a' AS key, 1 AS day UNION ALL SELECT 'a', 1")
    assert wb.last_in_group(twice, "key", "day", method, "one").count() == 1
    assert wb.last_in_group(twice, "key", "day").count() == 2


@pytest.mark.parametrize("method", ["window", "join", "aggregate"])
def test_a_null_is_last_only_in_a_group_of_nulls(spark: SparkSession, method: str) -> None:
    rows: Any = spark.sql("SELECT * FROM VALUES ('a', NULL), ('a', 3), (NULL, NULL) AS t(key, day)")
    last = wb.last_in_group(rows, "key", "day", method, "one")
    assert {tuple(row) for row in last.collect()} == {("a", 3), (None, None)}


@pytest.mark.parametrize("method", ["window", "join"])
def test_a_column_of_type_void_divides_no_group(spark: SparkSession, method: str) -> None:
    rows = spark.createDataFrame([(None, 1, 2), (None, 1, 3)], "void void, key int, day int")
    for by in ("void", ["void", "key"]):
        assert [*map(tuple, wb.last_in_group(rows, by, "day", method).collect())] == [(None, 1, 3)]


@pytest.mark.parametrize("ties", ["all", "one"])
def test_an_empty_table_has_no_last_rows(spark: SparkSession, ties: str) -> None:
    empty = spark.createDataFrame([], "key string, day int")
    assert wb.last_in_group(empty, "key", "day", ties=ties).collect() == []


@pytest.mark.parametrize("method", ["window", "join", "aggregate"])
def test_columns_may_have_any_name(spark: SparkSession, method: str) -> None:
    rows = spark.range(4).selectExpr(
        "id % 2 AS `a.b c`", "id AS `day ``x`", "1 AS last_0", "2 AS Row"
    )
    last = wb.last_in_group(rows, "a.b c", "day `x", method, "one")
    assert sorted(tuple(row) for row in last.collect()) == [(0, 2, 1, 2), (1, 3, 1, 2)]


def test_a_column_without_an_order_is_returned_too(spark: SparkSession) -> None:
    rows = spark.range(4).selectExpr("id % 2 AS key", "id AS day", "map('id', id) AS m")
    last = wb.last_in_group(rows, "key", "day")
    assert sorted(row["m"]["id"] for row in last.collect()) == [2, 3]


def test_a_struct_may_have_a_field_of_any_name(spark: SparkSession) -> None:
    rows = spark.range(4).selectExpr("id % 2 AS key", "1 AS day", "struct(id AS variant) AS s")
    last = wb.last_in_group(rows, "key", "day", ties="one")
    assert sorted(row["s"]["variant"] for row in last.collect()) == [2, 3]


def test_no_job_runs_until_the_result_is_used(spark: SparkSession) -> None:
    rows = spark.range(5).withColumn("day", F.col("id") * 2)
    with no_job(spark):
        for method in ("window", "join", "aggregate"):
            wb.last_in_group(rows, "id", "day", method, "one")


#: Invalid calls, and the error message.
REFUSED: list[tuple[Callable[[DataFrame], object], str]] = [
    (
        lambda df: wb.last_in_group(df, "plants", "date"),
        "by: there is no column 'plants'; did you mean 'plant'?",
    ),
    (
        lambda df: wb.last_in_group(df, F.col("plant"), "date"),  # type: ignore[arg-type]
        "by: Column<'plant'> is not text; give the name of a column, or several in a list.",
    ),
    (
        lambda df: wb.last_in_group(df, [], "date"),
        "by: no column is named; give one column, or several in a list.",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "-date"),
        "order_by: there is no column '-date'; did you mean 'date'?",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "plant"),
        "order_by: column 'plant' is in by too, so all rows of a group tie; name another column.",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "m"),
        "order_by: column 'm' holds map<string,int>, which has no order here; "
        "name a column of numbers, times or text.",
    ),
    (
        lambda df: wb.last_in_group(df, "m", "date"),
        "by: column 'm' holds maps, which cannot be grouped by; name a plain column.",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "date", "sort"),
        "method: 'sort' is not known; give one of 'auto', 'window', 'join', 'aggregate'.",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "date", ties="first"),
        "ties: 'first' is not known; give 'all' or 'one'.",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "date", "aggregate"),
        "method: 'aggregate' keeps one row per group; give ties='one', or take 'join'.",
    ),
    (
        lambda df: wb.last_in_group(df, "plant", "date", ties="one"),
        "ties: column 'm' holds map<string,int>, which has no order to choose one row by; "
        "give ties='all', or drop the column.",
    ),
    (
        lambda df: wb.last_in_group(
            df.drop("m").withColumn("s", F.expr("array(make_interval(0, 1))")),
            "plant",
            "date",
            ties="one",
        ),
        "ties: column 's' holds array<interval>, which has no order to choose one row by; "
        "give ties='all', or drop the column.",
    ),
    (
        lambda df: wb.last_in_group(df.sparkSession.sql("SELECT 1 k, TIME'09:00' at"), "k", "at"),
        "df: column 'at' holds times of day, which this session only passes on; "
        "set spark.sql.timeType.enabled to true, or give method='window'.",
    ),
    (
        lambda df: wb.last_in_group(df.select("date", "date", "plant"), "plant", "date"),
        "df: there are several columns 'date'; rename all but one of them.",
    ),
]


def test_invalid_arguments_are_refused_before_any_job(spark: SparkSession) -> None:
    plants = wb.datasets.power_plants(spark).withColumn("m", F.expr("map('a', 1)"))
    with no_job(spark):
        for call, sentence in REFUSED:
            with pytest.raises(wb.WorkbenchError) as raised:
                call(plants)
            assert str(raised.value) == sentence
