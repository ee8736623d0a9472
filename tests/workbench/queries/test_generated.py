"""Random queries as text: the answer is that of DuckDB, and of funnels that of ClickHouse."""

from hypothesis import HealthCheck, Phase, given
from pyspark.sql import SparkSession

from tests.drawn import draws
from tests.fuzz.queries import (
    queries_have_the_answers_of_duckdb,
    queries_of_funnels_have_the_answers_of_clickhouse,
)
from tests.workbench.queries.generated import funnel_queries, queries


@draws(
    40,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(query=queries())
def test_random_queries_have_the_answers_of_duckdb(spark: SparkSession, query: str) -> None:
    queries_have_the_answers_of_duckdb(spark, query)


@draws(
    15,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(query=funnel_queries())
def test_random_queries_of_funnels_have_the_answers_of_clickhouse(
    spark: SparkSession, query: str
) -> None:
    queries_of_funnels_have_the_answers_of_clickhouse(spark, query)
