"""Random queries as text: the answer is DuckDB's."""

from hypothesis import HealthCheck, Phase, given
from pyspark.sql import SparkSession

from tests.drawn import draws
from tests.fuzz.queries import queries_have_the_answers_of_duckdb
from tests.workbench.queries.generated import queries


@draws(
    40,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(query=queries())
def test_random_queries_have_the_answers_of_duckdb(spark: SparkSession, query: str) -> None:
    queries_have_the_answers_of_duckdb(spark, query)
