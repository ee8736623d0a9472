"""Sessions as frames: compared with a running sum of gaps in Spark SQL, and refused calls."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench import Frame, fn


@pytest.fixture(scope="module")
def visits() -> pa.Table:
    """Rows of a hot key and others, with ties, before and after 1970, and some without a time."""
    random, rows = np.random.default_rng(7), 400
    minutes = np.cumsum(random.choice([0, 0, 1, 9, 10, 11, 60], rows))
    first = datetime(1969, 12, 31, 20, tzinfo=UTC)
    times = [first + timedelta(minutes=int(one)) for one in random.permutation(minutes)]
    names: list[Any] = ["hot", "a", "b", None]
    who = random.choice(names, rows, p=[0.7, 0.1, 0.1, 0.1])
    return pa.table(
        {
            "id": range(rows),
            "who": pa.array(who.tolist(), pa.string()),
            "at": pa.array([None if k % 29 == 0 else t for k, t in enumerate(times)]),
            "x": pa.array([None if k % 5 == 0 else k * 7 % 11 for k in range(rows)], pa.int64()),
        }
    )


def test_sessions_match_a_running_sum_of_gaps(spark: SparkSession, visits: pa.Table) -> None:
    functions: dict[str, Any] = {
        "begin": fn.min("at"), "end": fn.max("at"), "rows": fn.count(), "total": fn.sum("x"),
        "median": fn.median("x"), "kinds": fn.count_distinct("x"), "even": fn.sum("x").where(
            "x % 2 = 0"),
    }  # fmt: skip
    df = spark.createDataFrame(visits)
    result = wb.over(df, "who", "at", Frame.session("10 minutes"), **functions)
    opens = "CASE WHEN at < lag(at) OVER w + INTERVAL 10 MINUTES THEN 0 ELSE 1 END"
    df.createOrReplaceTempView("visits")
    expected = spark.sql(f"""
        WITH marked AS (
            SELECT *, {opens} AS opens FROM visits WINDOW w AS (PARTITION BY who ORDER BY at)
        ), numbered AS (
            SELECT *, sum(opens) OVER (
                PARTITION BY who ORDER BY at ROWS UNBOUNDED PRECEDING) AS session
            FROM marked
        ), sessions AS (
            SELECT who, session, min(at) AS begin, max(at) AS end, count(*) AS rows,
                sum(x) AS total, median(x) AS median, count(DISTINCT x) AS kinds,
                sum(x) FILTER (WHERE x % 2 = 0) AS even
            FROM numbered GROUP BY who, session
        )
        SELECT id, n.who, at, x, begin, end, rows, total, median, kinds, even
        FROM numbered AS n JOIN sessions AS s ON n.who <=> s.who AND n.session = s.session
    """)
    assert sorted(map(repr, result.collect())) == sorted(map(repr, expected.collect()))


def test_gaps_are_measured_along_numbers_and_by_the_calendar(spark: SparkSession) -> None:
    days = [datetime(2024, 1, 31, tzinfo=UTC), datetime(2024, 2, 28, tzinfo=UTC),
            datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 3, 29, tzinfo=UTC)]  # fmt: skip
    rows = pa.table({"n": [3, 1, 4, 9], "x": [0.5, 1.0, 1.5, 2.25], "at": days})

    def sizes(along: str, gap: Any) -> list[int]:
        result = wb.over(rows, order_by=along, frame=Frame.session(gap), size=fn.count())
        return [int(row["size"]) for row in result.orderBy(along.removeprefix("-")).collect()]

    assert sizes("n", 3) == sizes("-n", 3) == [3, 3, 3, 1]
    assert sizes("x", 0.75) == [3, 3, 3, 1]
    # A month after the end of January is the end of February; a row before that joins the session.
    assert sizes("at", "1 month") == [3, 3, 3, 1]
    assert sizes("at", timedelta(days=28)) == [1, 2, 2, 1]


def test_the_example_of_risingwave_runs_as_written(spark: SparkSession) -> None:
    rows = pa.table(
        {
            "tm": [datetime(2023, 5, 6, 16 + m // 60, m % 60) for m in (51, 56, 90, 95, 119, 121)],
            "bar": [100, 100, 200, 100, 100, 200],
        }
    )
    result = wb.sql(
        """SELECT first_value(tm) OVER w AS window_start, count(*) OVER (w) AS n,
               sum(bar) OVER (PARTITION BY bar ORDER BY tm
                   SESSION WITH GAP INTERVAL '31' MINUTE EXCLUDE CURRENT ROW) AS others
           FROM t WINDOW w AS (PARTITION BY bar ORDER BY tm SESSION WITH GAP '10 minutes')
           ORDER BY tm""",
        dialect="risingwave",
        t=rows,
    )
    answers = [(row[0].minute, *row[1:]) for row in result.collect()]
    assert answers == [(51, 2, 100), (51, 2, 100), (30, 1, None),
                       (35, 1, 100), (59, 1, 100), (1, 1, None)]  # fmt: skip


OVER = "SELECT sum(x) OVER (ORDER BY {}) AS s FROM t"
REFUSED = [
    (lambda t: Frame.session(0), "gap: 0 is not above zero, and rows a gap apart are in two "),
    (lambda t: Frame.session("-3 days"), "gap: '-3 days' is not above zero"),
    (lambda t: Frame.session(F.col("x")),  # type: ignore[arg-type]
     "gap: Column<'x'> is not a single gap for all rows"),
    (lambda t: Frame.session("soon"), "gap: "),
    (lambda t: wb.over(t, order_by=["at", "x"], n=fn.count().over(Frame.session("1 day"))),
     "n: wb.Frame.session('1 day') is measured along one column, but order_by names 2"),
    (lambda t: wb.over(t, order_by="at", n=fn.count().over(Frame.session(3))),
     "frame: 3 has no unit, but the order column 'at' holds timestamp"),
    (lambda t: wb.over(t, order_by="x", n=fn.count().over(Frame.session("1 day"))),
     "frame: '1 day' has a unit, but the order column 'x' holds bigint; give a number."),
    (lambda t: wb.Over((), "at", Frame.session("1 day"), "spark", n=fn.count()),
     "n: engine='spark' cannot: Spark's windows have no SESSION; take engine='kernel'"),
    (lambda t: wb.Over((), "at", Frame.session("1 day"), n=fn.count()).to_sql("duckdb", "t"),
     "frame: wb.Frame.session('1 day') cannot be written as SQL; only RisingWave has sessions."),
    (lambda t: wb.sql(OVER.format("at SESSION WITH GAP x"), dialect="risingwave", t=t),
     "query: SESSION has a gap of x; write an interval or a number above zero."),
    (lambda t: wb.sql(OVER.format("at SESSION WITH GAP"), dialect="risingwave", t=t),
     "query: line 1, column 49: expected a gap, such as INTERVAL '30 minutes'"),
    (lambda t: wb.sql(OVER.format("at SESSION WITH GAP '1 day'"), dialect="postgres", t=t),
     "query: line 1, column 33: expecting )"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_an_impossible_session_is_one_sentence_before_any_job(
    spark: SparkSession, visits: pa.Table, case: int
) -> None:
    call, sentence = REFUSED[case]
    table = spark.createDataFrame(visits.slice(0, 3))
    with no_job(spark), pytest.raises(wb.WorkbenchError, match=f"^{re.escape(sentence)}"):
        call(table)


def test_large_partitions_of_sessions_are_one_task() -> None:
    over = wb.Over("who", "at", Frame.session("1 day"), n=fn.count())
    assert over.uncut == "wb.Frame.session('1 day') ends only at a gap (n)"
    assert "kernel, because Spark's windows have no SESSION (n)" in over.explain()
