"""Sums and means are exact by Spark's engine, too."""

from decimal import Decimal

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from workbench import fn

LEAST = -(2**63)


@pytest.fixture(scope="module")
def amounts(spark: SparkSession) -> DataFrame:
    """Amounts that nearly cancel each other in each group."""
    return spark.sql(
        "SELECT g, i, cast(n AS long) n, cast(d AS decimal(18, 5)) d, cast(w AS decimal(38, 5)) w "
        "FROM VALUES (1, 1, 9223372036854775807, 9999999999999.99999, 1e32), "
        "(1, 2, -9223372036854775807, -9999999999999.99999, -1e32), (1, 3, 1, 0.0001, 0.0001), "
        "(2, 1, -9223372036854775808, 9999999999999.99999, 9e31) AS t(g, i, n, d, w)"
    )


@pytest.mark.parametrize("engine", ["kernel", "spark"])
def test_a_window_adds_up_exactly_by_either_engine(amounts: DataFrame, engine: str) -> None:
    names = [f"{one}_{name}" for one in ("sum", "avg") for name in ("n", "d", "w")]
    functions = {name: getattr(fn, name[:3])(name[4:]) for name in names}
    frame = wb.Frame.rows(None, None)
    sums = wb.over(amounts, "g", "i", frame, engine=engine, **functions)
    rows = {row["g"]: row for row in sums.where("i = 1").collect()}
    little = Decimal("0.0001")
    assert [rows[1][name] for name in names[:3]] == [1, little, little]
    assert [rows[1][name] for name in names[3:]] == pytest.approx(
        [1 / 3, 1e-4 / 3, 1e-4 / 3], rel=1e-15
    )
    assert [rows[2][name] for name in names[:3]] == [
        LEAST,
        Decimal("9999999999999.99999"),
        9 * 10**31,
    ]
    assert [rows[2][name] for name in names[3:]] == [float(LEAST), 9999999999999.99999, 9e31]
    with pytest.raises(Exception, match="sum_n: a sum does not fit a 64-bit integer; cast"):
        wb.over(
            amounts.where("n < 0"), None, "i", frame, engine=engine, sum_n=fn.sum("n")
        ).collect()
    wide = fn.sum(F.lit(Decimal(9 * 10**37)))
    with pytest.raises(Exception, match="sum_w: a sum has more than 38 digits; cast the column"):
        wb.over(amounts, None, "i", frame, engine=engine, sum_w=wide).collect()


def test_the_naive_method_adds_up_exactly(amounts: DataFrame) -> None:
    events = amounts.withColumn("at", F.timestamp_seconds("i"))
    queries = events.select("g", F.timestamp_seconds(F.lit(9)).alias("at")).distinct()
    features = [wb.Aggregation(one, name) for one in ("sum", "avg") for name in ("n", "d", "w")]
    backfill = wb.Backfill(key="g", time="at", aggregations=features)
    auto, naive = (
        {row["g"]: row.asDict() for row in backfill.run(queries, events, method=method).collect()}
        for method in ("auto", "naive")
    )
    assert auto[1]["n_sum"] == 1
    for group, row in auto.items():
        for name in set(row) - {"g", "at"}:
            assert float(naive[group][name]) == pytest.approx(float(row[name]), rel=1e-15)
