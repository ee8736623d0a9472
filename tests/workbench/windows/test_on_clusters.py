"""Windows and groups give the same answers on classic Spark, on Spark Connect and on a cluster."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.conftest import RunOn
from workbench import fn


def moving(spark: SparkSession, engine: str) -> list[Any]:
    df = spark.range(40).selectExpr("id", "id % 2 AS p", "timestamp_seconds(id * 3600) AS t")
    constant = wb.over(
        df,
        "p",
        "-t",
        wb.Frame.range("-4 hours", 0),
        engine,
        total=fn.sum(F.col("id") + 1).where("id > 3"),
        before=fn.lag("id", 1, -1),
        rank=fn.rank(),
    )
    frame = wb.Frame.range(-F.make_dt_interval(F.lit(0), F.col("id") % 5), 0)
    varying = wb.over(
        df, "p", "t", frame,
        seen=fn.string_agg((F.col("id") % 3).cast("string"), "-").distinct(),
        total=fn.sum(F.col("id") % 3).distinct(),
    )  # fmt: skip
    return [tuple(row)[3:] for df in (constant, varying) for row in df.orderBy("id").collect()]


def grouped(spark: SparkSession) -> list[Any]:
    df = spark.range(40).selectExpr("id % 3 AS g", "id * id % 17 AS v", "id")
    middle = wb.quantiles(df, "v", [0.25, 0.5, 0.9], by="g")
    last = wb.last_in_group(df, "g", "id")
    return [tuple(row) for df in (middle, last) for row in df.orderBy("g").collect()]


KINDS = pytest.mark.parametrize(
    "kind", ["connect", pytest.param("cluster", marks=pytest.mark.cluster)]
)


@KINDS
@pytest.mark.parametrize("engine", ["kernel", "spark"])
def test_every_kind_of_session_gives_the_same_answers(
    run_on: RunOn, kind: str, engine: str
) -> None:
    assert run_on(kind, moving, engine) == run_on("classic", moving, "kernel")


@KINDS
def test_every_kind_of_session_gives_the_same_groups(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, grouped) == run_on("classic", grouped)
