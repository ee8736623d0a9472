"""The table of seeded events and its prepared form, for tests that define no events."""

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.workbench.funnel.events import FUNNEL, ROWS, as_table


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return as_table(spark, ROWS)


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with FUNNEL.prepare(events, keep=["segment"]) as prepared:
        assert prepared.tasks == 1
        yield prepared
