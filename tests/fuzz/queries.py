"""Random queries as text, against DuckDB and ClickHouse in process with the same text."""

from pyspark.sql import SparkSession

import workbench as wb
from tests.fuzz.check import Check, same
from tests.oracle import duck
from tests.workbench.queries.cases import EVENTS, TABLE, plain
from tests.workbench.queries.generated import funnel_queries, queries
from tests.workbench.queries.held_by_clickhouse import answer_of_clickhouse


def queries_have_the_answers_of_duckdb(spark: SparkSession, query: str) -> None:
    with duck() as con:
        con.register("t", TABLE)
        expected = [plain(row) for row in con.execute(query).fetchall()]
    same([plain(list(row)) for row in wb.sql(query, t=TABLE).collect()], expected)


def queries_of_funnels_have_the_answers_of_clickhouse(spark: SparkSession, query: str) -> None:
    expected = answer_of_clickhouse(query)
    answer = wb.sql(query, dialect="clickhouse", events=EVENTS)
    same([plain(list(row)) for row in answer.collect()], expected)


CHECKS = [
    Check(queries_have_the_answers_of_duckdb, {"query": queries()}, examples=10, on_spark=True),
    Check(
        queries_of_funnels_have_the_answers_of_clickhouse,
        {"query": funnel_queries()},
        examples=10,
        on_spark=True,
    ),
]
