"""Which keys a backfill cuts by time, and how it explains that."""

from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.clusters import ALL_PARTITIONS, PARTITIONS, session_options
from tests.workbench.spark.jobs import no_job
from workbench.backfill.inspect import explain
from workbench.backfill.split.plan import SplitPlan, split
from workbench.columnar.blocks import TIME
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.cuts import CutTask
from workbench.engine.ranges.sample import SampleTask
from workbench.functions.order import OrderColumn


def skewed(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Return tables with two thirds of the rows in one key, ties, nulls, and times before 1970."""
    columns = (
        "if(id % 3 = 0, id % 7, -1) AS k",
        "if(id % 50 = 0, NULL, (id * 7919) % 900 - 300) AS t",
        "id AS v",
        "if(id % 4 = 0, NULL, (id * 31) % 11) AS x",
        "concat('b', id % 3) AS b",
    )
    return spark.range(400).selectExpr(*columns), spark.range(3_000).selectExpr(*columns)


def many_features() -> wb.Backfill:
    return wb.Backfill(
        "k",
        "t",
        [
            wb.Aggregation("count", windows=None),
            *(wb.Aggregation(one, "x", [40, 250]) for one in ("avg", "max", "count_distinct")),
            wb.Aggregation("median", "x", 40),
            wb.Aggregation("sum", "x", 250, by="b"),
            wb.Aggregation("last", "x", 250, by="b", name="last"),
            wb.Aggregation("count", windows=250, where="x > 4", name="many"),
        ],
        hop=20,
    )


def answers(df: DataFrame) -> list[tuple[object, ...]]:
    rows = df.orderBy("v").collect()
    return [tuple(round(one, 9) if isinstance(one, float) else one for one in row) for row in rows]


def test_a_key_that_is_cut_has_the_answers_of_a_whole_one(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    backfill = many_features()
    # With two tasks, a key with two thirds of all rows has less than 1.5 times a task's share.
    with session_options(spark, {PARTITIONS: 4}):
        cutting = SplitPlan(backfill.bound(queries, events), least=300)
        assert [(row["k"], row["spans"] > 1) for row in cutting.cut_keys().collect()] == [
            (-1, True)
        ]
        expected = answers(backfill.run(queries, events, "scan"))
        assert answers(split(cutting.plan, cutting).answers()) == expected


def test_nan_is_a_key_like_any_other(spark: SparkSession) -> None:
    events = spark.sql("SELECT double('nan') AS k, id AS t FROM range(9)")
    backfill = wb.Backfill("k", "t", wb.Aggregation("count"), "sliding")
    counts = backfill.run(events, events, "sawtooth").orderBy("t").select("count").collect()
    assert [row["count"] for row in counts] == list(range(9))


def test_nothing_runs_before_the_answer_is_used(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    with no_job(spark):
        for method in ("auto", "sawtooth"):
            many_features().run(queries, events, method)
        wb.Backfill("k", "t", wb.Aggregation("count"), "sliding").run(queries, events, "tree")


def test_explain_says_what_is_cut_and_why(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    text = many_features().explain(queries, events)
    assert "392 queries and 2,940 events with a key and a time, of 8 keys" in text
    assert "cut by time: no key" in text
    assert "all events travel to each span that sees them, for x_median_40;" in text
    unsupported = "x_count_distinct_40, x_count_distinct_250, x_median_40"
    assert f"tree cannot answer {unsupported}: they have no state that adds up" in text


@pytest.mark.parametrize(
    ("count", "parts"),
    [
        ("4", ["auto takes scan: a shuffle has 4", "cut by time: no key"]),
        ("5", ["auto: a key with more", "no key; a key of more than 150,000 rows is large"]),
    ],
)
def test_few_tasks_leave_all_keys_whole(spark: SparkSession, count: str, parts: list[str]) -> None:
    queries, events = skewed(spark)
    with session_options(spark, {PARTITIONS: count, **ALL_PARTITIONS}):
        text = many_features().explain(queries, events)
    assert [part for part in parts if part not in text] == []


def test_a_single_query_or_key_is_in_the_singular(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explain, "SplitPlan", partial(SplitPlan, least=1))
    rows = [pa.table({"k": [1] * n, "t": range(n)}) for n in (1, 5)]
    with session_options(spark, {PARTITIONS: "5", **ALL_PARTITIONS}):
        text = wb.Backfill("k", "t", wb.Aggregation("count"), hop=1).explain(*rows)
    assert text.startswith(
        "1 query and 5 events with a key and a time, of 1 key; the largest has 6 rows"
    )
    assert "cut by time: 1 key; " in text


def test_small_tables_leave_all_keys_whole(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    with session_options(spark, {PARTITIONS: "200"}):
        text = many_features().explain(queries, events)
    assert "auto takes scan: the tables are small" in text


@pytest.mark.parametrize(("most_rows", "cut"), [(0, False), (1, True)])
def test_a_key_is_cut_if_it_has_more_rows_than_the_stated_number(most_rows: int, cut: bool) -> None:
    task = CutTask(("k0",), CallExtent(), False, pieces=8, rows=None, least=100)
    large = task.sizes(800)[1] + most_rows
    key = np.arange(800)
    key[:large] = -1
    rows = pa.record_batch({"k0": key, TIME: np.arange(800)})
    sample = SampleTask(("k0", TIME), ("k0",), OrderColumn(TIME, False, True), 8)
    assert bool(task.cuts(sample.run([rows]))) is cut
