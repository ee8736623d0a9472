"""Large partitions on Spark: cut, shared by several tasks, and never with another answer."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.conftest import RunOn
from tests.workbench.spark.jobs import no_job
from workbench import fn

#: Frames of every unit, over functions of numbers.
ASKED = {
    "total": fn.sum("v").over(wb.Frame.rows(-30, 4)),
    "some": fn.count().where("v > 50").over(wb.Frame.range(-20.5, 10)),
    "half": fn.median("v").over(wb.Frame.groups(-2, 1)),
    "before": fn.lag("v", 9),
}


def one_key(spark: SparkSession, rows: int = 1000) -> DataFrame:
    """Return a table whose column ``p`` is null but in a few rows."""
    return spark.range(rows, numPartitions=3).selectExpr(
        "id",
        "if(id % 50 = 0, 'b', NULL) AS p",
        "if(id = 7, NULL, if(id = 8, double('NaN'), id * 7919 % 1009 / 2)) AS x",
        "id % 100 AS v",
    )


def moving(spark: SparkSession, cut: int | None) -> list[Any]:
    """Return answers in the order of ``id``, with a key and without one."""
    found = []
    for partition_by in ([], ["p"]):
        answer = wb.over(one_key(spark), partition_by, "-x", None, "kernel", cut, **ASKED)
        found += [tuple(row) for row in answer.drop("x").orderBy("id").collect()]
    return found


@pytest.mark.parametrize(
    "kind", ["classic", "connect", pytest.param("cluster", marks=pytest.mark.cluster)]
)
def test_every_kind_of_session_cuts(run_on: RunOn, kind: str) -> None:
    assert run_on(kind, moving, 70) == run_on("classic", moving, None)


def test_several_tasks_share_a_large_partition(spark: SparkSession) -> None:
    frame = wb.Frame.rows(-50, 50)
    over = wb.Over("p", "id", frame, total=fn.sum("v"), before=fn.lag("id", 3, -1))
    df = one_key(spark, 500_000)
    found = over.run(df).where("p IS NULL").groupBy(F.spark_partition_id()).count()
    counts = [row["count"] for row in found.collect()]
    assert len(counts) > 1
    assert sum(counts) == 490_000
    assert max(counts) < 250_000
    assert [row["p"] for row in over.pieces(df).collect()] == [None]


def test_a_large_partition_gives_what_it_gives_in_one_task(spark: SparkSession) -> None:
    df = spark.range(400_000).selectExpr("id * 7919 % 400009 AS id", "id % 100 AS v")
    frame = wb.Frame.rows(-1_000, 10)

    def answers(cut: Any) -> Any:
        over = wb.Over((), "id", frame, "kernel", cut, total=fn.sum("v"), half=fn.median("v"))
        return over.run(df).orderBy("id").toPandas()

    assert wb.Over((), "id", frame, total=fn.sum("v")).pieces(df).first()["pieces"] > 1
    assert answers("auto").equals(answers(None))


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


def test_nothing_runs_until_the_answer_is_used(spark: SparkSession) -> None:
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
    "rank looks at the whole partition": (fn.rank(), None),
    "fill looks at the whole partition": (fn.fill("id"), None),
    "lag passes over any number of nulls": (fn.lag("id").ignore_nulls(), None),
    "has no bound on one side": (fn.median("id"), wb.Frame.rows(None, 0)),
}


def test_bounds_of_each_row_keep_partitions_whole(spark: SparkSession) -> None:
    frame = wb.Frame.rows(-F.col("id"), 0)
    assert "differs from row to row" in wb.Over("p", "id", frame, n=fn.median("id")).explain()


@pytest.mark.parametrize("why", UNCUT)
def test_it_says_why_partitions_are_not_cut(why: str) -> None:
    function, frame = UNCUT[why]
    found = function if frame is None else function.over(frame)
    over = wb.Over("p", "id", engine="kernel", found=found)
    assert why in over.explain()
    with pytest.raises(wb.WorkbenchError, match="partitions cannot be cut"):
        wb.Over("p", "id", cut=10, found=found)


@pytest.mark.parametrize("cut", [0, -1, True, 1.5, "never", "100"])
def test_a_cut_that_is_none_is_refused(cut: Any) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^cut: .* is not possible"):
        wb.Over("p", "id", wb.Frame.rows(-1, 0), cut=cut, total=fn.sum("id"))


def test_a_number_is_not_for_sparks_own_operator() -> None:
    with pytest.raises(wb.WorkbenchError, match="Spark's own window operator"):
        wb.Over("p", "id", wb.Frame.rows(-1, 0), "spark", cut=9, total=fn.sum("id"))
    assert wb.Over("p", "id", wb.Frame.rows(-1, 0), cut=9, n=fn.sum("id")).choice.engine == "kernel"
