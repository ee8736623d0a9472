"""A plan that is shown is Spark's plan, and the numbers of a run are those of its rows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import generating_code
from workbench.figures.plan import plan_figure
from workbench.figures.plan_layout import lateness, layout
from workbench.spark.plans.metrics import query_plan
from workbench.spark.plans.text import Edge, Operator, QueryPlan, explain, read_plan
from workbench.spark.plans.words import operator_caption, operator_name
from workbench.spark.steps import STEPS
from workbench.widgets.plan import PlanView


def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> Iterator[SparkSession]:
    """The session of all tests, with plans of generated code as users see them."""
    with generating_code(spark):
        yield spark


@pytest.fixture(scope="module")
def numbers(spark: SparkSession) -> DataFrame:
    return spark.range(1000).withColumn("key", F.col("id") % 10)


@pytest.fixture(scope="module")
def pipeline(numbers: DataFrame) -> DataFrame:
    ordered = numbers.where("id < 300").repartition(3, "key").sortWithinPartitions("key", "id")
    return ordered.mapInArrow(same, ordered.schema).groupBy("key").agg(F.sum("id"))


def names(plan: QueryPlan) -> list[str]:
    return [operator.name for operator in plan.operators.values()]


def kinds(plan: QueryPlan) -> dict[str, int]:
    found = [operator.kind for operator in plan.operators.values()]
    return {kind: found.count(kind) for kind in found}


def test_the_plan_before_a_run_is_a_chain_of_the_operators_explained(pipeline: DataFrame) -> None:
    plan = query_plan(pipeline)
    chain = names(plan)
    expected = ["Exchange", "MapInArrow", "Sort", "Exchange", "Range"]
    assert [name for name in chain if name in expected] == expected
    assert [plan.operators[e.source].name for e in plan.edges] == chain[1:]
    assert kinds(plan) == {
        "other": len(chain) - 5,
        "exchange": 2,
        "python": 1,
        "sort": 1,
        "scan": 1,
    }
    assert "before a run" in plan.note
    assert all(operator.rows is None for operator in plan.operators.values())


def test_an_operator_keeps_its_full_text_and_shows_it_without_ids(pipeline: DataFrame) -> None:
    summaries = {op.name: op.summary for op in query_plan(pipeline).operators.values()}
    assert summaries["MapInArrow"] == "function same"
    assert summaries["Sort"] == "key, id"
    exchange = query_plan(pipeline).operators.values()
    assert any("hashpartitioning(key#" in operator.detail for operator in exchange)
    assert not any("#" in operator.summary for operator in exchange)


def test_a_union_has_two_scans(numbers: DataFrame) -> None:
    plan = query_plan(numbers.union(numbers.where("id > 3")))
    union = next(op for op in plan.operators.values() if op.name == "Union")
    assert len(plan.sources(union.id)) == 2
    assert kinds(plan)["scan"] == 2
    assert layout(plan).columns == 2


def test_a_join_reads_its_left_input_first(numbers: DataFrame) -> None:
    left = numbers.where("id < 7").hint("merge")
    right = numbers.where("id > 3").withColumnRenamed("key", "other")
    plan = query_plan(left.join(right, "id"))
    join = next(op for op in plan.operators.values() if op.name == "SortMergeJoin")
    below = [plan.operators[id].name for id in plan.sources(join.id)]
    assert below == ["Sort", "Sort"]
    first, second = (layout(plan).places[id] for id in plan.sources(join.id))
    assert first[0] < second[0]


def test_a_subquery_has_an_edge_of_its_own_kind(spark: SparkSession, numbers: DataFrame) -> None:
    numbers.createOrReplaceTempView("numbers")
    query = spark.sql("select * from numbers where id > (select avg(id) from numbers)")
    plan = query_plan(query, run=True)
    subqueries = [edge for edge in plan.edges if edge.flow == "subquery"]
    assert subqueries
    assert plan.operators[subqueries[0].source].rows == 1
    assert plan.result.rows == 500


def test_a_run_counts_the_rows_of_every_step(pipeline: DataFrame) -> None:
    plan = query_plan(pipeline, run=True)
    rows = [(op.name, op.rows) for op in plan.operators.values()]
    assert rows[0] == ("Result", 10)
    assert ("MapInArrow", 300) in rows
    assert ("Exchange", 300) in rows
    assert ("Sort", 300) in rows
    assert plan.note.startswith("After a run")
    assert "AdaptiveSparkPlan" not in names(plan)


def test_a_run_measures_bytes_and_times(pipeline: DataFrame) -> None:
    operators = query_plan(pipeline, run=True).operators.values()
    python = next(op for op in operators if op.kind == "python")
    assert python.size.endswith("to Python")
    assert python.time
    assert "number of output rows" in python.metrics
    assert any(op.size.endswith("shuffled") for op in operators if op.kind == "exchange")


def test_an_exchange_used_twice_is_read_twice(spark: SparkSession) -> None:
    counts = spark.range(1000).groupBy((F.col("id") % 7).alias("k")).count()
    query = counts.hint("merge").join(counts.withColumnRenamed("count", "n"), "k")
    plan = query_plan(query, run=True)
    (reuse,) = [edge for edge in plan.edges if edge.flow == "reuse"]
    assert plan.operators[reuse.source].name == "Exchange"
    assert plan.operators[reuse.target].rows == plan.operators[reuse.source].rows
    assert plan.result.rows == 7


def test_cached_rows_flow_from_their_cache(numbers: DataFrame) -> None:
    cached = numbers.where("id < 50").cache()
    plan = query_plan(cached.union(cached), run=True)
    scans = [op for op in plan.operators.values() if op.name == "InMemoryTableScan"]
    assert [scan.rows for scan in scans] == [50, 50]
    assert plan.result.rows == 100
    cached.unpersist()


def test_a_run_leaves_the_description_of_jobs_as_it_was(spark: SparkSession) -> None:
    spark.sparkContext.setJobDescription("mine")
    query_plan(spark.range(3), run=True)
    assert spark.sparkContext.getLocalProperty("spark.job.description") == "mine"
    spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]
    query_plan(spark.range(3), run=True)
    assert spark.sparkContext.getLocalProperty("spark.job.description") is None


def test_a_session_without_its_web_pages_gives_the_shape_and_says_so(
    pipeline: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkContext, "uiWebUrl", None)
    plan = query_plan(pipeline, run=True)
    assert names(plan) == names(query_plan(pipeline))
    assert "metrics need a classic session" in plan.note


def shape_over(spark: SparkSession) -> tuple[list[str], str]:
    plan = query_plan(spark.range(10).repartition(2, "id").sort("id"), run=True)
    return names(plan), plan.note


def test_over_spark_connect_a_plan_has_its_shape(run_on: Callable[..., Any]) -> None:
    operators, note = run_on("connect", shape_over)
    assert operators == ["Sort", "Exchange", "Exchange", "Range"]
    assert "before a run" in note


def test_a_stream_has_a_shape_but_is_not_run(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load().select("value")
    assert query_plan(stream).operators
    with pytest.raises(wb.WorkbenchError, match="run: a streaming DataFrame"):
        query_plan(stream, run=True)
    with pytest.raises(wb.WorkbenchError, match=r"^run: 'no' is not known; give True or False.$"):
        query_plan(stream, run="no")  # type: ignore[arg-type]


def test_a_value_that_is_not_a_dataframe_has_no_plan() -> None:
    with pytest.raises(wb.WorkbenchError, match="df: a list has no plan"):
        query_plan([1, 2])  # type: ignore[arg-type]


INITIAL = """== Physical Plan ==
AdaptiveSparkPlan (6)
+- == Final Plan ==
   ResultQueryStage (4), Statistics(sizeInBytes=8.0 EiB)
   +- * Sort (3)
      +- ShuffleQueryStage (2), Statistics(sizeInBytes=1.0 B, rowCount=1)
         +- Exchange (1)
+- == Initial Plan ==
   Sort (5)
   +- Exchange (7)


(1) Exchange
Arguments: SinglePartition, ENSURE_REQUIREMENTS, [plan_id=7]

(3) Sort [codegen id : 1]
Arguments: [a (b)#1 ASC NULLS FIRST, c#2 DESC NULLS LAST], true, 0
"""


def test_the_final_form_of_an_adaptive_plan_is_read() -> None:
    plan = read_plan(INITIAL)
    assert [(op.id, op.summary) for op in plan.operators.values()] == [
        (3, "a (b), c desc"),
        (1, "SinglePartition"),
    ]
    assert plan.edges == (Edge(1, 3),)


def small() -> QueryPlan:
    operators = [
        Operator(3, "Join <inner>", "BroadcastHashJoin", "Condition : (a < b)", rows=5),
        Operator(1, "Scan csv", "Scan csv", rows=1200, size="1.0 MiB read", time="3 ms"),
        Operator(2, "Exchange", "Exchange", rows=5),
    ]
    edges = (Edge(1, 3), Edge(2, 3), Edge(1, 2, "reuse"))
    return QueryPlan({operator.id: operator for operator in operators}, edges, "A note.")


def test_the_figure_has_a_trace_for_each_kind_with_the_operators_numbers() -> None:
    traces = {trace.name: trace for trace in plan_figure(small()).data}
    assert list(traces["Scan"].customdata) == [1]
    assert list(traces["Other"].customdata) == [3]
    symbols = {trace.marker.symbol for trace in traces.values() if trace.customdata is not None}
    assert symbols == {"circle", "diamond", "square"}
    assert "1.0 MiB read · 3 ms" in traces["Scan"].text[0]
    assert "Join &lt;inner&gt;" in traces["Other"].text[0]
    assert "Condition : (a &lt; b)" in traces["Other"].hovertext[0]


def test_the_figure_writes_rows_on_the_edges_and_draws_reuse_dotted() -> None:
    figure = plan_figure(small())
    traces = {trace.name: trace for trace in figure.data}
    assert [text.strip() for text in traces["rows"].text[:]] == ["↓ 1,200 rows", "↓ 5 rows"]
    assert traces["rows used again"].line.dash == "dot"
    assert "A note." in figure.layout.title.text


def test_rows_flow_downwards(pipeline: DataFrame) -> None:
    plan = query_plan(pipeline)
    places = layout(plan).places
    assert all(places[edge.source][1] < places[edge.target][1] for edge in plan.edges)
    assert len(set(places.values())) == len(plan.operators)


def test_the_still_picture_names_every_operator() -> None:
    picture = PlanView(small()).svg
    assert picture.startswith("<svg ")
    for text in ("Join &lt;inner&gt;", "Scan csv", "Exchange", "↓ 1,200 rows", "A note."):
        assert text in picture


def test_the_widget_shows_an_operators_text_when_it_is_chosen(pipeline: DataFrame) -> None:
    view = wb.plan(pipeline)
    python = next(op for op in view.plan.operators.values() if op.kind == "python")
    view.operator.value = python.id
    assert "MapInArrow" in view.text.value
    assert "same(id#" in view.text.value or "same(key#" in view.text.value


BUNDLED = """Input [4]: [c0#301, c1#302, c2#303, __partition__#304]
Arguments: bundle by key(c0#301, c1#302, __partition__#304)#305, [__partition__#306,
__bundle__#307], false"""
TO_FOUR = """Input [2]: [__partition__#306, __bundle__#307]
Arguments: shufflepartitionidpassthrough(direct_shuffle_partition_id(__partition__#306), 4), \
REPARTITION_BY_NUM, [plan_id=290]"""
ROUTED = """Output [3]: [tailnum#18 AS c0#301, time#19 AS c1#302, pmod(hash(tailnum#18, 42), 4) AS \
__partition__#304]
Input [2]: [tailnum#18, time#19]"""


def after_a_run() -> QueryPlan:
    operators = [
        Operator(4, "Project", "Project", "Output [1]: [__bundle__#7]\nInput [1]: [__bundle__#7]"),
        Operator(3, "Exchange", "Exchange", TO_FOUR, seconds=0.5, tasks=(0.1, 0.15)),
        Operator(2, "MapInArrow", "MapInArrow", BUNDLED, seconds=1.5, tasks=(0.2, 1.1)),
        Operator(1, "Project", "Project", ROUTED),
    ]
    edges = tuple(Edge(id, id + 1) for id in (3, 2, 1))
    return QueryPlan({one.id: one for one in operators}, edges, "After a run.", seconds=2.0)


def test_our_steps_have_names_and_captions_and_keep_the_text_of_spark() -> None:
    plan = after_a_run()
    assert [operator_name(one) for one in plan.operators.values()] == [
        "Keep the bundles", "Shuffle by key", "Bundle by key", "Find the partition of each key",
    ]  # fmt: skip
    assert [operator_caption(one) for one in plan.operators.values()] == [
        "", "to 4 partitions", "MapInArrow", "tailnum, time",
    ]  # fmt: skip
    page = PlanView(plan).text.value
    assert "(2) Bundle by key" in page
    assert STEPS["bundle by key"] in page
    assert "bundle by key(c0#301" in page


@pytest.mark.parametrize(
    ("verb", "steps"),
    [
        (
            lambda df: wb.Funnel(["a", "b"], 5, key="key", time="at", event="what").levels(df),
            {"Funnel kernel"},
        ),
        (
            lambda df: wb.over(df, "key", "at", None, "kernel", None, n=wb.fn.count()),
            {"Window kernel"},
        ),
        (
            lambda df: wb.over(df, "key", "at", wb.Frame.rows(-1, 0), "kernel", n=wb.fn.count()),
            {"Window kernel", "Sample", "Choose cuts"},
        ),
        (
            lambda df: wb.Backfill("key", "at", wb.Aggregation("count", windows=5), "sliding").run(
                df, df
            ),
            {"Backfill kernel"},
        ),
    ],
)
def test_a_plan_of_each_verb_names_its_kernel_and_all_of_its_python_steps(
    spark: SparkSession, verb: Callable[[DataFrame], DataFrame], steps: set[str]
) -> None:
    df = spark.sql("SELECT id % 3 AS key, id AS at, 'a' AS what FROM range(20)")
    plan = query_plan(verb(df))
    operator_names = {operator_name(one) for one in plan.operators.values() if one.kind == "python"}
    assert steps <= operator_names
    assert {name.lower() for name in operator_names} <= set(STEPS)


def test_the_share_of_the_time_is_a_shade_and_a_number_and_the_slowest_operator_is_chosen() -> None:
    view = PlanView(after_a_run())
    assert view.operator.value == 2
    shades = sorted(shade.fillcolor for shade in view.figure.layout.shapes)
    assert shades == ["rgba(230,159,0,0.18)", "rgba(230,159,0,0.40)"]
    assert "75% of the time" in view.text.value
    labels = {trace.name: trace.text for trace in view.figure.data}
    assert "75%" in labels["Python: rows leave the JVM"][0]
    assert "The shade is a share of the time" in view.note.value
    assert "75%" in view.svg


def test_a_task_that_outlasts_the_others_is_marked_where_the_run_waits_for_it() -> None:
    plan = after_a_run()
    texts = [lateness(plan, one) for one in plan.operators.values()]
    assert texts == ["", "", "▲ longest task 1.1 s, median 0.2 s", ""]
    # It is a small part of a longer run.
    assert not replace(plan, seconds=20.0).skewed(plan.operators[2])


def test_a_run_gives_times_of_tasks_and_shares_that_add_up(pipeline: DataFrame) -> None:
    plan = query_plan(pipeline, run=True)
    assert plan.seconds > 0
    assert sum(map(plan.share, plan.operators.values())) == pytest.approx(1)


def test_the_ring_follows_the_operator_that_is_chosen() -> None:
    view = PlanView(after_a_run())
    (ring,) = (trace for trace in view.figure.data if trace.name == "chosen")
    before = ring.y
    view.operator.value = 4
    assert (before, ring.y) == ((1,), (3,))
    assert "Keep the bundles" in view.text.value


def test_several_plans_stand_side_by_side_with_their_names(numbers: DataFrame) -> None:
    views = wb.plan({"as it is": numbers, "a < b": numbers.sort("id")})
    assert list(views.views) == ["as it is", "a < b"]
    assert repr(views).startswith("Query plans: as it is: 2 operators; a < b: ")
    assert ">as it is</text>" in views.svg
    assert ">a &lt; b</text>" in views.svg
    assert len(views.children) == 2
    with pytest.raises(wb.WorkbenchError, match="df: no query is given; give one, or several"):
        wb.plan({})


def test_a_notebook_page_without_widgets_gets_the_still_picture(pipeline: DataFrame) -> None:
    bundle = wb.plan(pipeline)._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg ")
    assert bundle["text/plain"].startswith("Query plan: ")
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_explaining_prints_nothing(pipeline: DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(pipeline).startswith("== Physical Plan ==")
    assert capsys.readouterr().out == ""
