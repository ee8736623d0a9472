"""Large partitions on Spark: cut and shared by several tasks, with the same answers."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.conftest import RunOn
from tests.workbench.spark.jobs import no_job
from workbench import fn

#: Functions of numbers, over bounded frames of every unit.
BOUNDED = {
    "total": fn.sum("v").over(wb.Frame.rows(-30, 4)),
    "some": fn.count().where("v > 50").over(wb.Frame.range(-20.5, 10)),
    "half": fn.median("v").over(wb.Frame.groups(-2, 1)),
    "before": fn.lag("v", 9),
}
#: Functions that look at all rows on one side, without losing a digit: by states, by retained rows,
#: and by row counts.
UNBOUNDED = {
    "so_far": fn.sum("v").over(wb.Frame.rows(None, 0)),
    "to_come": fn.avg("v").over(wb.Frame.range(1, None)),
    "most": fn.arg_max("id", "x").over(wb.Frame.groups(None, -2)),
    "known": fn.last("p").ignore_nulls().over(wb.Frame.rows(None, -1)),
    "whole": fn.count("x").over(wb.Frame.range(None, None)),
    "place": fn.row_number(),
    "share": fn.percent_rank(),
    "near": fn.median("v").over(wb.Frame.rows(-2, 2)),
}


def one_key(spark: SparkSession, rows: int = 1000) -> DataFrame:
    """Return a table whose column ``p`` is null in all but a few rows."""
    return spark.range(rows, numPartitions=3).selectExpr(
        "id",
        "if(id % 50 = 0, 'b', NULL) AS p",
        "if(id = 7, NULL, if(id = 8, double('NaN'), id * 7919 % 1009 / 2)) AS x",
        "id % 100 AS v",
    )


def moving(spark: SparkSession, cut: int | None) -> list[Any]:
    """Return answers in the order of ``id``, with a key and without one."""
    answers = []
    for partition_by in ([], ["p"]):
        functions: dict[str, Any] = BOUNDED | UNBOUNDED
        result = wb.over(one_key(spark), partition_by, "-x", None, "kernel", cut, **functions)
        answers += [tuple(row) for row in result.drop("x").orderBy("id").collect()]
    return answers


@pytest.mark.parametrize(
    "kind", ["classic", "connect", pytest.param("cluster", marks=pytest.mark.cluster)]
)
def test_every_kind_of_session_cuts(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, moving, 70) == run_on("classic", moving, None)


def test_several_tasks_share_a_large_partition(spark: SparkSession) -> None:
    frame = wb.Frame.rows(-50, 50)
    over = wb.Over("p", "id", frame, total=fn.sum("v"), before=fn.lag("id", 3, -1))
    df = one_key(spark, 500_000)
    by_task = over.run(df).where("p IS NULL").groupBy(F.spark_partition_id()).count()
    counts = [row["count"] for row in by_task.collect()]
    assert len(counts) > 1
    assert sum(counts) == 490_000
    assert max(counts) < 250_000
    assert [row["p"] for row in over.pieces(df).collect()] == [None]


def test_a_large_partition_has_the_same_answers_as_in_one_task(spark: SparkSession) -> None:
    df = spark.range(400_000).selectExpr("id * 7919 % 400009 AS id", "id % 100 AS v")
    frame = wb.Frame.rows(-1_000, 10)

    def answers(cut: Any) -> Any:
        over = wb.Over((), "id", frame, "kernel", cut, total=fn.sum("v"), half=fn.median("v"))
        return over.run(df).orderBy("id").toPandas()

    largest: Any = wb.Over((), "id", frame, total=fn.sum("v")).pieces(df).first()
    assert largest["pieces"] > 1
    assert answers("auto").equals(answers(None))


def test_a_running_sum_of_a_large_partition_is_shared_by_several_tasks(
    spark: SparkSession,
) -> None:
    functions: dict[str, Any] = {
        "so_far": fn.sum("v"),
        "most": fn.max("v"),
        "place": fn.row_number(),
    }
    df, frame = one_key(spark, 500_000), wb.Frame.rows(None, 0)
    cut = wb.Over("p", "id", frame, "kernel", **functions)
    by_task = cut.run(df).where("p IS NULL").groupBy(F.spark_partition_id()).count()
    counts = [row["count"] for row in by_task.collect()]
    assert len(counts) > 1
    assert max(counts) < 250_000
    whole = wb.Over("p", "id", frame, "kernel", None, **functions)
    answers = [one.run(df).drop("x").orderBy("id").toPandas() for one in (cut, whole)]
    assert answers[0].equals(answers[1])


def test_small_and_even_partitions_are_not_cut(spark: SparkSession) -> None:
    even = spark.range(400_000).selectExpr("id", "id % 20 AS p", "id % 100 AS v")
    over = wb.Over("p", "id", wb.Frame.rows(-5, 30), total=fn.sum("v"))
    assert over.pieces(even).count() == 0
    assert over.pieces(one_key(spark, 100_000)).count() == 0


def test_a_frame_as_large_as_the_partition_is_not_cut(spark: SparkSession) -> None:
    df = spark.range(400_000).selectExpr("id", "id % 100 AS v")
    far = wb.Over((), "id", wb.Frame.range(-400_000, 400_000), total=fn.sum("v"))
    assert far.pieces(df).count() == 0


def test_a_partition_of_one_value_is_not_cut(spark: SparkSession) -> None:
    df = spark.range(100).selectExpr("1 AS t", "id")
    over = wb.Over((), "t", wb.Frame.range(-1, 1), cut=10, rows=fn.count())
    assert over.pieces(df).count() == 0
    assert {row["rows"] for row in over.run(df).collect()} == {100}


def test_no_job_runs_until_the_result_is_used(spark: SparkSession) -> None:
    df = one_key(spark)
    over = wb.Over("p", "id", wb.Frame.rows(-50, 0), total=fn.sum("v"))
    with no_job(spark):
        over.run(df)
        over.pieces(df)


def test_names_with_dots_and_spaces(spark: SparkSession) -> None:
    df = spark.range(50).selectExpr("id AS `the.id`", "id % 2 AS `a key`", "struct(id) AS s")
    over = wb.Over("a key", "-the.id", wb.Frame.rows(-1, 0), cut=5, size=fn.count())
    assert over.pieces(df).columns == ["a key", "rows", "pieces"]
    sizes = [row["size"] for row in over.run(df).orderBy("`the.id`").collect()]
    assert sizes == [2] * 48 + [1, 1]


def test_an_empty_table_stays_empty(spark: SparkSession) -> None:
    over = wb.Over((), "id", wb.Frame.rows(-1, 0), cut=1, size=fn.count())
    assert over.run(spark.range(0)).collect() == []


UNCUT = {
    "dense_rank looks at the whole partition": (fn.dense_rank(), None),
    "fill looks at the whole partition": (fn.fill("id"), None),
    "lag skips any number of nulls": (fn.lag("id", 1_001).ignore_nulls(), None),
    "has no bound on one side, and median needs all rows there": (
        fn.median("id"),
        wb.Frame.rows(None, 0),
    ),
    "and sum needs each distinct value there": (fn.sum("id").distinct(), wb.Frame.rows(None, 0)),
    "and top_k needs more than 1,000 rows there": (fn.top_k("id", 1_001), wb.Frame.rows(0, None)),
    "and first looks at its rows in an order of its own": (
        fn.first("id").order_by("p"),
        wb.Frame.rows(None, 0),
    ),
}


def test_bounds_that_differ_by_row_keep_partitions_whole(spark: SparkSession) -> None:
    frame = wb.Frame.rows(-F.col("id"), 0)
    assert "differs from row to row" in wb.Over("p", "id", frame, n=fn.median("id")).explain()


def test_a_frame_with_one_bound_that_differs_by_row_keeps_partitions_whole(
    spark: SparkSession,
) -> None:
    frame = wb.Frame.rows(None, F.col("id"))
    assert "differs from row to row" in wb.Over("p", "id", frame, n=fn.sum("id")).explain()


def test_explain_names_the_calls_whose_states_go_to_the_pieces() -> None:
    over = wb.Over("p", "id", wb.Frame.rows(-1, 0), "kernel", near=fn.sum("v"), place=fn.rank())
    assert "each with the states of all rows before or after it (place)" in over.explain()


def test_explain_says_that_the_kernels_would_cut_where_sparks_operator_does_not() -> None:
    over = wb.Over("p", "id", wb.Frame.rows(None, 0), total=fn.sum("v"))
    assert "each as a whole, while engine='kernel' cuts it" in over.explain()


def test_rows_without_an_order_cannot_be_cut() -> None:
    assert "no order to be cut by" in wb.Over("p", engine="kernel", n=fn.sum("v")).explain()
    with pytest.raises(wb.WorkbenchError, match="no order to be cut by"):
        wb.Over("p", cut=10, n=fn.sum("v"))


@pytest.mark.parametrize("why", UNCUT)
def test_explain_says_why_partitions_are_not_cut(why: str) -> None:
    function, frame = UNCUT[why]
    if frame is not None:
        function = function.over(frame)
    over = wb.Over("p", "id", engine="kernel", answer=function)
    assert why in over.explain()
    with pytest.raises(wb.WorkbenchError, match="partitions cannot be cut"):
        wb.Over("p", "id", cut=10, answer=function)


@pytest.mark.parametrize("cut", [0, -1, True, 1.5, "never", "100"])
def test_an_impossible_cut_is_refused(cut: Any) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^cut: .* is not possible"):
        wb.Over("p", "id", wb.Frame.rows(-1, 0), cut=cut, total=fn.sum("id"))


def test_sparks_operator_takes_no_cut() -> None:
    with pytest.raises(wb.WorkbenchError, match="Spark's own window operator"):
        wb.Over("p", "id", wb.Frame.rows(-1, 0), "spark", cut=9, total=fn.sum("id"))
    assert wb.Over("p", "id", wb.Frame.rows(-1, 0), cut=9, n=fn.sum("id")).choice.engine == "kernel"
