"""Window calls: tables and names of every kind, both engines, and no job before it is needed."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.drawn import draws
from tests.workbench.spark.jobs import no_job
from tests.workbench.windows.cases import Case, ask_spark, bounds, same, tables
from workbench import fn

#: Functions that both engines have.
IN_BOTH = {
    "rows_": fn.count(),
    "some": fn.count().where("whole > 0"),
    "counted": fn.count("word"),
    "total": fn.sum("whole"),
    "spent": fn.sum("price"),
    "mean": fn.avg("price"),
    "low": fn.min("real"),
    "high": fn.max("word"),
    "spread": fn.stddev("x"),
    "var": fn.var_pop("x"),
    "covar": fn.covar_samp("x", "whole"),
    "times": fn.product("x"),
    "all_": fn.bool_and("yes"),
    "first": fn.first("word"),
    "given": fn.last("word").ignore_nulls().where("yes"),
    "second": fn.nth("word", 2),
    "half": fn.median("whole"),
    "band": fn.quantile("x", [0.1, 0.9]),
    "before": fn.lag("day", 2),
    "after": fn.lead("word", 1, "none"),
    "number": fn.row_number(),
    "rank": fn.rank(),
    "dense": fn.dense_rank(),
    "share": fn.percent_rank(),
    "up_to": fn.cume_dist(),
    "tile": fn.ntile(3),
}


@draws(8, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(
    rows=tables(),
    unit=st.sampled_from(["rows", "range"]),
    limits=bounds(st.integers(-3, 3)),
    descending=st.booleans(),
)
def test_both_engines_give_one_answer(
    spark: SparkSession, rows: pa.Table, unit: str, limits: Any, descending: bool
) -> None:
    # Along the unique id, which has no ties; RANGE in steps of it.
    frame = getattr(wb.Frame, unit)(*limits)
    order = ["-id" if descending else "id"]
    functions = {name: Case(one, "") for name, one in IN_BOTH.items()}
    kernel, by_spark = (
        ask_spark(spark, rows, ["p"], order, frame, functions, engine)
        for engine in ("kernel", "spark")
    )
    assert same(kernel, by_spark, functions)


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> DataFrame:
    return spark.sql(
        "SELECT id AS day, id % 2 AS plant, id * id % 7 AS mwh, timestamp_seconds(id * 86400) t "
        "FROM range(10)"
    )


def column(df: DataFrame, name: str, by: str = "day") -> list[Any]:
    return [row[name] for row in df.orderBy(by).collect()]


def test_every_row_comes_back_once_with_all_its_columns(spark: SparkSession) -> None:
    df = spark.sql(
        "SELECT id AS `plant.id`, if(id % 3 = 0, NULL, id % 2) AS `a key`, array(id) AS many, "
        "map('k', id) AS m, struct(id AS `x.y`, NULL AS n) AS s, date'2024-01-01' AS d, "
        "binary('b') AS b, decimal(id) / 3 AS dec, INTERVAL '1' DAY AS i, float(id) AS f "
        "FROM range(50) CROSS JOIN (SELECT explode(array(1, 1)))"
    )
    functions: dict[str, Any] = {"how many": fn.count("plant.id")}
    result = wb.over(df, "a key", "plant.id", engine="kernel", **functions)
    assert result.columns == [*df.columns, "how many"]
    rows = [sorted(map(repr, one.collect())) for one in (result.drop("how many"), df)]
    assert rows[0] == rows[1]


def test_no_job_runs_until_the_result_is_used(spark: SparkSession, days: DataFrame) -> None:
    with no_job(spark):
        for engine in ("kernel", "spark"):
            result = wb.over(days, "plant", "day", engine=engine, total=fn.sum("mwh"))
            assert result.schema["total"].dataType.typeName() == "long"


@pytest.mark.parametrize("engine", ["kernel", "spark"])
def test_an_empty_table_gives_an_empty_table(days: DataFrame, engine: str) -> None:
    result = wb.over(days.where("day < 0"), "plant", "day", engine=engine, mean=fn.avg("mwh"))
    assert result.collect() == []
    assert result.columns == [*days.columns, "mean"]


def test_keys_of_every_type_make_partitions(spark: SparkSession) -> None:
    keys = {
        "text": "string(id % 2)",
        "nothing": "if(id % 2 = 0, NULL, 1)",
        "real": "if(id % 2 = 0, double('NaN'), if(id % 4 = 1, 0D, -0D))",
        "list": "if(id % 2 = 0, array(1, NULL), NULL)",
        "struct": "struct(id % 2 AS a, if(id % 2 = 0, array('x'), array()) AS b)",
        "decimal": "decimal(id % 2) / 7",
        "date": "date_from_unix_date(int(id % 2))",
        "interval": "make_dt_interval(int(id % 2))",
        "flag": "id % 2 = 0",
        "bytes": "binary(string(id % 2))",
    }
    df = spark.range(12).selectExpr("id", *(f"{sql} AS {name}" for name, sql in keys.items()))
    for key in keys:
        result = wb.over(df, key, engine="kernel", size=fn.count())
        assert set(column(result, "size", "id")) == {6}, key


ORDERS = {
    "text": ("string(id % 5)", ("k", "asc")),
    "decimal": ("decimal(id % 5) / 3", ("k", "desc")),
    "long decimal": ("cast(id % 5 AS decimal(30, 2))", ("k", "asc")),
    "flag": ("id % 2 = 0", ("k", "desc")),
    "interval": ("make_dt_interval(int(id % 5))", ("k", "asc")),
    "null": ("if(id % 3 = 0, NULL, id % 5)", ("k", "asc")),
    "null, descending": ("if(id % 3 = 0, NULL, string(id % 5))", ("k", "desc")),
    "null last": ("if(id % 3 = 0, NULL, id % 5)", ("k", "asc", "nulls last")),
    "null first": ("if(id % 3 = 0, NULL, double(id % 5))", ("k", "desc", "nulls first")),
    "real": ("if(id % 4 = 0, double('NaN'), -id)", ("k", "asc")),
}


@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_every_type_are_as_in_spark(spark: SparkSession, name: str) -> None:
    value, term = ORDERS[name]
    df = spark.range(20).selectExpr("id", f"{value} AS k", "id % 2 AS p")
    answers = [
        column(wb.over(df, "p", [term, "-id"], engine=engine, n=fn.row_number()), "n", "id")
        for engine in ("kernel", "spark")
    ]
    assert answers[0] == answers[1]


def test_an_argument_may_be_any_column_of_spark(days: DataFrame) -> None:
    result = wb.over(
        days, "plant", "day", engine="kernel",
        total=fn.sum(F.col("mwh") * 2).where(F.col("mwh") > 1), twice=fn.sum("mwh"),
    )  # fmt: skip
    doubled = days.where("plant = 0 AND mwh > 1").agg(F.sum("mwh")).collect()[0][0] * 2
    assert column(result.where("plant = 0"), "total")[-1] == doubled


def test_a_function_may_have_its_own_frame(days: DataFrame) -> None:
    result = wb.over(
        days, order_by="day", frame=wb.Frame.rows(-1, 0), engine="kernel",
        two=fn.count(), all_=fn.count().over(wb.Frame.rows(None, None)), number=fn.row_number(),
    )  # fmt: skip
    assert column(result, "two") == [1] + [2] * 9
    assert column(result, "all_") == [10] * 10
    assert column(result, "number") == list(range(1, 11))


def test_results_have_the_types_that_users_expect(spark: SparkSession) -> None:
    df = spark.sql(
        "SELECT 1Y AS small, 1.5F AS f, 1.50 AS dec, date'2024-01-01' AS d, "
        "timestamp'2024-01-01' AS t, timestamp_ntz'2024-01-01' AS n, 'a' AS s"
    ).withColumn("dec", F.col("dec").cast("decimal(9,2)"))
    types = {
        "bigint": [fn.sum("small"), fn.count("s")],
        "double": [fn.sum("f"), fn.avg("dec"), fn.median("small"), fn.quantile("dec", 0.5)],
        "decimal(19,2)": [fn.sum("dec")],
        "timestamp": [fn.median("t"), fn.max("t")],
        "timestamp_ntz": [fn.median("d"), fn.median("n")],
        "array<double>": [fn.quantile("f", [0.5])],
        "array<string>": [fn.quantile_disc("s", [0.5])],
        "tinyint": [fn.min("small"), fn.mode("small"), fn.quantile_disc("small", 0.5)],
        "date": [fn.max("d")],
        "string": [fn.mode("s")],
    }
    columns = {f"c{i}": (kind, one) for i, (kind, one) in enumerate(
        (kind, one) for kind, ones in types.items() for one in ones
    )}  # fmt: skip
    functions: dict[str, Any] = {name: one for name, (_, one) in columns.items()}
    result = wb.over(df, engine="kernel", **functions)
    assert {name: result.schema[name].dataType.simpleString() for name in columns} == {
        name: kind for name, (kind, _) in columns.items()
    }
    row = result.collect()[0]
    assert row["c6"] == Decimal("1.50")


def test_months_go_by_the_calendar_of_the_session(spark: SparkSession) -> None:
    with session_options(spark, {ZONE: "America/New_York"}):
        # In between, clocks go forward: a month of noons is an hour short of 31 days.
        df = spark.sql(
            "SELECT id, timestamp'2024-02-20 12:00' + make_dt_interval(0, id) AS t "
            "FROM range(0, 29 * 24)"
        )
        result = wb.over(
            df, order_by="t",
            month=fn.count().over(wb.Frame.range("-1 month", 0)),
            days=fn.count().over(wb.Frame.range("-29 days", 0)),
        )  # fmt: skip
        last = result.orderBy(F.desc("id")).first()
        assert last is not None
        assert last["month"] == last["days"] == 29 * 24
        ends = wb.over(
            df.where("id IN (0, 29 * 24 - 1)"), order_by="t",
            n=fn.count().over(wb.Frame.range("-1 month", 0)),
        )  # fmt: skip
        assert column(ends, "n", "id") == [1, 2]


def test_a_month_that_ends_in_an_hour_that_clocks_skip_is_as_in_spark(
    spark: SparkSession,
) -> None:
    with session_options(spark, {ZONE: "America/New_York"}):
        spark.sql(
            "SELECT id, timestamp'2024-02-10 02:30' + make_interval(0, int(id) % 3, 0, 0, 0, "
            "int(id) * 5 % 60 div 12) AS t FROM range(40)"
        ).createOrReplaceTempView("around_a_change")
        by_spark = spark.sql(
            "SELECT id, count(*) OVER (ORDER BY t RANGE BETWEEN INTERVAL 1 MONTH PRECEDING "
            "AND INTERVAL 1 MONTH FOLLOWING) AS n FROM around_a_change"
        )
        month = wb.Frame.range("-1 month", "1 month")
        result = wb.over(spark.table("around_a_change"), order_by="t", frame=month, n=fn.count())
        assert column(result, "n", "id") == column(by_spark, "n", "id")


@pytest.mark.parametrize("engine", ["kernel", "spark"])
def test_a_quantile_between_minus_infinity_and_a_number_is_minus_infinity(
    spark: SparkSession, engine: str
) -> None:
    values = "array(double('-inf'), 3), array(double('-inf'), double('inf')), array(3, 4)"
    df = spark.sql(f"SELECT pos, explode(col) AS x FROM (SELECT posexplode(array({values})))")
    result = wb.over(df, "pos", engine=engine, half=fn.median("x"), both=fn.quantile("x", [0, 0.5]))
    rows = {row["pos"]: row for row in result.collect()}
    assert repr([rows[k]["half"] for k in range(3)]) == "[-inf, nan, 3.5]"
    assert repr([rows[k]["both"] for k in range(3)]) == "[[-inf, -inf], [-inf, nan], [3.0, 3.5]]"


@pytest.mark.parametrize("engine", ["auto", "kernel"])
def test_defaults_are_times_of_day_and_times_of_the_proleptic_gregorian_calendar(
    spark: SparkSession, engine: str
) -> None:
    day = "date'0500-03-01' AS day, TIME'10:30:00' AS of_day"
    df = spark.sql(f"SELECT timestamp'1500-03-01 12:00' AS at, {day}")
    functions: dict[str, Any] = {
        "time": fn.lag("at", 1, datetime(1500, 3, 1, 12)),
        "date": fn.lag("day", 1, date(500, 3, 1)),
        "clock": fn.lag("of_day", 1, time(10, 30)),
    }
    result = wb.over(df, order_by="at", engine=engine, **functions)
    rows = result.where("time = at AND date = day").select("clock", "of_day").collect()
    assert rows == [(time(10, 30), time(10, 30))]


def test_a_sum_beyond_64_bits_is_an_error(spark: SparkSession) -> None:
    df = spark.sql("SELECT id, 9223372036854775807 AS x FROM range(2)")
    with pytest.raises(Exception, match="a sum does not fit a 64-bit integer"):
        wb.over(df, engine="kernel", total=fn.sum("x")).collect()
    one = wb.over(df, order_by="id", frame=wb.Frame.rows(0, 0), engine="kernel", m=fn.avg("x"))
    assert column(one, "m", "id") == [2.0**63, 2.0**63]


def test_timestamps_are_interpolated_to_the_microsecond(spark: SparkSession) -> None:
    start = datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)
    times = pa.array([start, start + timedelta(microseconds=3)], pa.timestamp("us", "UTC"))
    df = spark.createDataFrame(pa.table({"t": times}))
    result = wb.over(df, q=fn.quantile("t", [0, 1 / 3, 1]))
    micros = result.selectExpr("transform(q, x -> unix_micros(x)) AS q").first()
    assert micros is not None
    assert micros["q"] == [-1, 0, 2]


CHOICES = [
    (None, fn.row_number(), "spark", "is quick at them"),
    (None, fn.lag("mwh"), "spark", "is quick at them"),
    (None, fn.sum("mwh"), "spark", "is quick at them"),
    (wb.Frame.rows(-3, 3), fn.sum("mwh"), "spark", "is quick at them"),
    (wb.Frame.rows(-30, 0), fn.sum("mwh"), "kernel", "goes through all 31 rows of each frame"),
    (wb.Frame.rows(0, None), fn.sum("mwh"), "kernel", "goes through all rows of each frame"),
    (wb.Frame.groups(-1, 0), fn.sum("mwh"), "kernel", "Spark has no GROUPS"),
    (wb.Frame.rows(-1, 0, exclude="ties"), fn.sum("mwh"), "kernel", "Spark has no EXCLUDE"),
    (wb.Frame.rows(-1, 0), fn.median("mwh"), "kernel", "from scratch"),
    (None, fn.mode("mwh"), "kernel", "any of the equally frequent"),
    (None, fn.sum("mwh").distinct(), "kernel", "Spark refuses DISTINCT in a window"),
    (None, fn.max("mwh").distinct(), "spark", "is quick at them"),
    (None, fn.string_agg("s"), "kernel", "no order of the rows"),
    (None, fn.skewness("mwh"), "kernel", "that of a population"),
    (None, fn.lag("mwh").ignore_nulls(), "kernel", "cannot ignore nulls"),
    (None, fn.fill("mwh"), "kernel", "Spark has no fill"),
]


@pytest.mark.parametrize(("frame", "function", "engine", "why"), CHOICES)
def test_auto_chooses_spark_where_it_is_right_and_quick(
    frame: wb.Frame | None, function: fn.Function, engine: str, why: str
) -> None:
    over = wb.Over("plant", "day", frame, answer=function)
    assert over.choice.engine == engine
    assert why in over.explain().splitlines()[0]
    assert ("answer" in over.choice.why) == (engine == "kernel")


def test_a_call_reads_as_it_was_written() -> None:
    over = wb.Over(
        "plant", ["-day", ("-x", "asc"), ("y", "desc", "nulls first")],
        wb.Frame.rows(-3, None),
        "kernel",
        q=fn.quantile("mwh", [0.5]).where("mwh > 0").over(wb.Frame.rows(0, 1)),
        d=fn.count("mwh").distinct(),
        n=fn.last("mwh").ignore_nulls(),
        lag=fn.lag("mwh", 2, 0), list=fn.string_agg("s", "-").distinct().where("a"),
    )  # fmt: skip
    assert repr(over) == (
        "wb.Over(partition_by=['plant'], "
        "order_by=['-day', ('-x', 'asc'), ('y', 'desc', 'nulls first')], "
        "frame=wb.Frame.rows(-3, None), engine='kernel', "
        "q=wb.fn.quantile('mwh', [0.5]).where('mwh > 0').over(wb.Frame.rows(0, 1)), "
        "d=wb.fn.count_distinct('mwh'), n=wb.fn.last('mwh').ignore_nulls(), "
        "lag=wb.fn.lag('mwh', 2, 0), list=wb.fn.string_agg('s', '-').distinct().where('a'))"
    )


@pytest.mark.parametrize(
    ("numbers", "shares"),
    [(np.array([0.25, 0.75]), [0.25, 0.75]), (np.float32(0.5), 0.5), (np.int64(1), 1.0)],
    ids=str,
)
def test_shares_of_quantiles_may_be_those_of_numpy(numbers: Any, shares: Any) -> None:
    assert fn.quantile("x", numbers).options == fn.quantile("x", shares).options


def test_frames_are_equal_when_their_bounds_are_the_same_column(spark: SparkSession) -> None:
    n, same_name = F.col("n"), F.col("n")
    frame = wb.Frame.rows(n, 0)
    assert frame == wb.Frame.rows(n, 0)
    assert frame not in (wb.Frame.rows(same_name, 0), wb.Frame.rows(n, 1), wb.Frame.rows(0, n))
    assert len({frame, wb.Frame.rows(n, 0), wb.Frame.rows(same_name, 0)}) == 2
    assert repr(frame) == "wb.Frame.rows(Column<'n'>, 0)"
    assert frame.varies
    assert not wb.Frame.rows(-1, 0).varies


def test_a_bound_may_be_any_column_that_functions_share(days: DataFrame) -> None:
    frame = wb.Frame.range(-F.when(F.col("day") > 5, F.col("day") - 5).otherwise(0), 0)
    result = wb.over(days, order_by="day", frame=frame, n=fn.count(), low=fn.min("day"))
    assert result.columns == [*days.columns, "n", "low"]
    assert column(result, "n") == [1, 1, 1, 1, 1, 1, 2, 3, 4, 5]
    assert column(result, "low") == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]


@pytest.mark.parametrize("unit", ["rows", "groups", "range"])
def test_a_bound_that_is_null_is_an_error(days: DataFrame, unit: str) -> None:
    frame = getattr(wb.Frame, unit)(F.when(F.col("day") != 3, -1), 0)
    result = wb.over(days, order_by="day", frame=frame, n=fn.count())
    with pytest.raises(Exception, match="low: the bound is null or NaN in 1 row of a partition"):
        result.collect()


def test_rows_with_a_null_order_need_no_distance(spark: SparkSession) -> None:
    df = spark.sql("SELECT id, if(id < 2, NULL, id) AS k, if(id < 2, NULL, 1) AS n FROM range(5)")
    result = wb.over(df, order_by="k", frame=wb.Frame.range(-F.col("n"), 0), n_rows=fn.count())
    assert column(result, "n_rows", "id") == [2, 2, 1, 2, 2]


def test_string_agg_joins_bytes_and_nulls(spark: SparkSession) -> None:
    df = spark.sql(
        "SELECT id, if(id % 2 = 0, NULL, 'é') AS s, binary('b') AS b, string(NULL) AS n "
        "FROM range(3)"
    )
    result = wb.over(
        df, order_by="id", frame=wb.Frame.rows(-1, 0),
        s_=fn.string_agg("s", ""), b_=fn.string_agg("b", "-"), n_=fn.string_agg("n"),
    )  # fmt: skip
    assert column(result, "s_", "id") == [None, "é", "é"]
    assert column(result, "b_", "id") == [b"b", b"b-b", b"b-b"]
    assert column(result, "n_", "id") == [None] * 3


def test_the_least_time_of_day_is_one(spark: SparkSession) -> None:
    # Spark reads times of day, but refuses to cast to their type.
    times = spark.sql("SELECT 1 g, 2 t, time'10:00:00' at")
    (row,) = wb.over(times, "g", "t", wb.Frame.rows(-1, 0), least=wb.fn.min("at")).collect()
    assert row["least"] == time(10)
