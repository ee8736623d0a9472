"""Spark for the tests: classic in this process, Spark Connect and a cluster in others."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import workbench as wb


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local classic session on two cores."""
    session = wb.session({"spark.master": "local[2]", "spark.driver.memory": "2g"})
    yield session
    session.stop()
