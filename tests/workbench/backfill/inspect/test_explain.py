"""Which keys a backfill cuts by time, and what it says that this costs."""

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.workbench.spark.jobs import no_job
from workbench.backfill.inspect.cost import CutKeys, RowKind, Sizes, auto, sawtooth, scan, tree
from workbench.backfill.split.plan import SplitPlan, split

SIZES = Sizes(9_000_000, 1_000_000, 1_000, 10**9, 5_000_000, 365, partitions=100, tasks=50)
DAYS = [RowKind(90, 1, slots=3, few=2), RowKind(7, 1, slots=3, few=2)]


def skewed(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Two of three rows are of one key; there are ties, nulls, and times before 1970."""
    columns = (
        "if(id % 3 = 0, id % 7, -1) AS k",
        "if(id % 50 = 0, NULL, (id * 7919) % 900 - 300) AS t",
        "id AS v",
        "if(id % 4 = 0, NULL, (id * 31) % 11) AS x",
        "concat('b', id % 3) AS b",
    )
    return spark.range(400).selectExpr(*columns), spark.range(3_000).selectExpr(*columns)


def asked() -> wb.Backfill:
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
    backfill = asked()
    cutting = SplitPlan(backfill.bound(queries, events), least=300)
    assert [(row["k"], row["spans"] > 1) for row in cutting.shown().collect()] == [(-1, True)]
    expected = answers(backfill.run(queries, events, "scan"))
    assert answers(split(cutting.plan, cutting).answers()) == expected


def test_nan_is_a_key_like_any_other(spark: SparkSession) -> None:
    events = spark.sql("SELECT double('nan') AS k, id AS t FROM range(9)")
    asked = wb.Backfill("k", "t", wb.Aggregation("count"), "sliding")
    found = asked.run(events, events, "sawtooth").orderBy("t").select("count").collect()
    assert [row["count"] for row in found] == list(range(9))


def test_nothing_runs_before_the_answer_is_used(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    with no_job(spark):
        for method in ("auto", "sawtooth"):
            asked().run(queries, events, method)
        wb.Backfill("k", "t", wb.Aggregation("count"), "sliding").run(queries, events, "tree")


def test_it_says_what_is_cut_and_why(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    said = asked().explain(queries, events)
    assert "392 queries and 2,940 events with a key and a time, of 8 keys" in said
    assert "cut by time: no key" in said
    assert "all events travel to each span that sees them, for x_median_40;" in said
    lines = said.splitlines()
    assert [line.split()[0] for line in lines[-4:]] == ["naive", "scan", "sawtooth", "auto"]
    cannot = "x_count_distinct_40, x_count_distinct_250, x_median_40"
    assert f"tree cannot answer {cannot}: no state of theirs adds up" in said


@pytest.mark.parametrize(
    ("partitions", "said"), [("4", "auto is scan: a shuffle has 4"), ("5", "auto: a key of more")]
)
def test_few_tasks_leave_all_keys_whole(spark: SparkSession, partitions: str, said: str) -> None:
    queries, events = skewed(spark)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        assert said in asked().explain(queries, events)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))


def test_cutting_a_large_key_bounds_the_largest_task() -> None:
    whole, cut = scan(SIZES, DAYS), auto(SIZES, DAYS, [CutKeys(1, 5_000_000, 50)])
    assert whole.largest == 5_050_000
    assert cut.largest < 1.5 * SIZES.rows / SIZES.partitions
    assert whole.rows < cut.rows < 1.1 * whole.rows < sawtooth(SIZES, DAYS).rows


def test_a_tree_costs_by_its_queries() -> None:
    few = replace(SIZES, queries=10_000)
    # Where a task in front of the shuffle has one bundle, more events make no more nodes.
    more = replace(few, events=25_000_000, tasks=few.tasks)
    assert tree(more, DAYS).rows < 1.1 * tree(few, DAYS).rows
    assert tree(few, DAYS).broadcast == 80_000
    assert tree(few, DAYS).rows < tree(SIZES, DAYS).rows


def test_states_do_not_grow_with_the_events() -> None:
    more = replace(SIZES, events=22_500_000, queries=2_500_000, largest_key=12_500_000)
    few = auto(SIZES, DAYS, [CutKeys(1, 5_000_000, 50)]).rows - SIZES.rows
    assert auto(more, DAYS, [CutKeys(1, 12_500_000, 50)]).rows - more.rows < 1.1 * few
