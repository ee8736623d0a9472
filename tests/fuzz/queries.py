"""Random queries as text, against DuckDB in process with the same text."""

from pyspark.sql import SparkSession

import workbench as wb
from tests.fuzz.check import Check, same
from tests.oracle import duck
from tests.workbench.queries.cases import TABLE, plain
from tests.workbench.queries.generated import queries


def queries_have_the_answers_of_duckdb(spark: SparkSession, query: str) -> None:
    with duck() as con:
        con.register("t", TABLE)
        expected = [plain(row) for row in con.execute(query).fetchall()]
    same([plain(list(row)) for row in wb.sql(query, t=TABLE).collect()], expected)


CHECKS = [
    Check(queries_have_the_answers_of_duckdb, {"query": queries()}, examples=10, on_spark=True)
]
