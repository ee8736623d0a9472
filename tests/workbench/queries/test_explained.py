"""A query is explained as lines of Python, and these give its answer."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.queries.cases import EVENTS, TABLE, plain, queries

DUCKDB, CLICKHOUSE = queries("duckdb"), queries("clickhouse")
QUERIES = [
    *(
        ("duckdb", DUCKDB[name])
        for name in (
            "bounds by row", "shift", "filter", "common tables", "odd names", "qualify", "numbers",
            "quantiles of groups", "ranks of quantiles", "union", "bits", "quantiles of all",
        )
    ),
    *(
        ("clickhouse", CLICKHOUSE[name])
        for name in ("strict order", "funnel beside others", "funnel of all", "levels counted")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "query"), QUERIES)
def test_the_lines_of_python_give_the_answer(spark: SparkSession, dialect: str, query: str) -> None:
    tables: dict[str, Any] = {"t": wb.table(TABLE), "events": wb.table(EVENTS)}
    lines = wb.explain_sql(query, dialect=dialect, **tables)
    namespace: dict[str, Any] = {"wb": wb, "F": F, "spark": spark, **tables}
    exec(lines, namespace)
    steps = [name for name in namespace if name.startswith("step_")]
    rows = [plain(list(row)) for row in namespace[steps[-1]].collect()]
    assert rows == [plain(list(row)) for row in wb.sql(query, dialect=dialect, **tables).collect()]


def test_each_part_says_which_engine_answers_and_why(spark: SparkSession) -> None:
    lines = wb.explain_sql(
        "SELECT p, median(x) AS m, rank() OVER (ORDER BY median(x)) AS r FROM t GROUP BY p", t=TABLE
    )
    assert [line for line in lines.splitlines() if line.startswith("#")] == [
        "# Spark's SQL: the input of the quantiles",
        "# wb.quantiles: quantiles are selected without a sort",
        "# Spark's SQL: the quantiles that the query asks for",
        "# Spark's SQL: the input of the windows",
        "# wb.Over: spark answers, because its own window operator has these functions, and is "
        "quick at them",
        "# Spark's SQL: the rest of the query, after its windows",
    ]


def test_a_table_whose_name_is_not_valid_in_python_gets_one_in_the_lines(
    spark: SparkSession,
) -> None:
    query = """SELECT id, rank() OVER (ORDER BY x) AS r FROM "The table" """
    tables: dict[str, Any] = {"The table": wb.table(TABLE)}
    lines = wb.explain_sql(query, **tables)
    assert lines.splitlines()[0] == "# The_table is the table 'The table'"
    namespace: dict[str, Any] = {"spark": spark, "wb": wb, "The_table": wb.table(TABLE)}
    exec(lines, namespace)
    assert namespace["step_3"].count() == len(TABLE)


def test_a_table_keeps_its_variable_where_a_line_assigns_or_calls_one_of_its_name(
    spark: SparkSession,
) -> None:
    query = (
        "SELECT median(x) FROM step_1 UNION ALL SELECT max(id) FROM step_1 JOIN spark USING (id)"
    )
    lines = wb.explain_sql(query, step_1=TABLE, spark=TABLE)
    assert lines.splitlines()[:2] == [
        "# step_1_ is the table 'step_1'",
        "# spark_ is the table 'spark'",
    ]
    table = wb.table(TABLE)
    namespace: dict[str, Any] = {"spark": spark, "wb": wb, "step_1_": table, "spark_": table}
    exec(lines, namespace)
    steps = [name for name in namespace if name.startswith("step_")]
    assert sorted(map(tuple, namespace[steps[-1]].collect())) == [(3.5,), (11.0,)]
