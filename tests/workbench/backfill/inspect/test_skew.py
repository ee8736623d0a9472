"""The rows that each task of a run counts, and the figure of their distribution."""

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import ALL_PARTITIONS, PARTITIONS, session_options
from tests.workbench.backfill.inspect.test_explain import many_features, skewed
from workbench.backfill.inspect.skew import Skew, hops_of, spans_of, tasks_of
from workbench.figures.skew import skew_figure, table_of
from workbench.figures.stills.still import still


def small_skew() -> Skew:
    hours = pd.to_datetime([0, 3600, 7200], unit="s")
    hops = pd.DataFrame({"key": ["b", "b", "a"], "hop": hours, "rows": [70, 5, 1]})
    hops.attrs["hop"] = pd.Timedelta("1h")
    spans = pd.DataFrame({"key": ["b"], "begin": pd.to_datetime(["1970-01-01 01:00"])})
    tasks = [("scan", 0, 6, 70, 0, 0), ("scan", 1, 0, 0, 0, 0)]
    tasks += [("auto", 0, 4, 40, 0, 0), ("auto", 1, 2, 30, 3, 5)]
    names = ["method", "task", "queries", "events", "earlier", "states"]
    table = pd.DataFrame(tasks, columns=names)
    return Skew(hops, spans, table.assign(rows=table[names[2:]].sum(axis=1)))


def test_the_figure_has_every_cell_every_span_and_every_task() -> None:
    figure = skew_figure(small_skew())
    cells, marks, *bars = figure.data
    assert cells.z.tolist() == [[70, 5, 0], [0, 0, 1]]
    assert list(cells.y) == ["b", "a"]
    # If this were an array of times, a widget's axis would show nanoseconds.
    assert {type(at) for at in (*cells.x, *marks.x)} == {pd.Timestamp}
    assert (list(marks.x), list(marks.y)) == ([pd.Timestamp("1970-01-01 01:00")], ["b"])
    heights = {(bar.xaxis, bar.name): list(bar.y) for bar in bars}
    assert heights == {
        ("x2", "queries"): [6, 0],
        ("x2", "events"): [70, 0],
        ("x3", "queries"): [4, 2],
        ("x3", "events"): [40, 30],
        ("x3", "earlier events"): [0, 3],
        ("x3", "earlier states"): [0, 5],
    }
    # The legend has one entry for each name.
    legend = [bar.name for bar in bars if bar.showlegend]
    assert sorted(legend) == ["earlier events", "earlier states", "events", "queries"]


def test_the_still_picture_says_the_same_in_words() -> None:
    picture = still(skew_figure(small_skew()), "Skew")
    assert "Rows by key and hop of an hour: the darkest has 70" in picture
    assert "Rows by task, every key whole" in picture
    assert "largest task 76 rows, 2.0 times the mean" in picture
    assert "Rows by task, large keys cut by time" in picture
    assert "largest task 44 rows, 1.0 times the mean" in picture
    assert repr(small_skew()).startswith(
        "scan: the largest task has 76 rows, 2.0 times the mean; auto:"
    )


def test_tables_without_rows_are_drawn_too() -> None:
    skew = small_skew()
    empty = Skew(skew.hops[:0], skew.spans[:0], skew.tasks.assign(rows=0))
    assert "no rows" in still(skew_figure(empty), "Skew")
    assert table_of(empty.hops).empty


def test_tasks_count_the_rows_they_receive(spark: SparkSession) -> None:
    queries, events = skewed(spark)
    plan = many_features().bound(queries, events)
    with session_options(spark, {PARTITIONS: 5, **ALL_PARTITIONS}):
        runs = {method: tasks_of(plan, method) for method in ("scan", "sawtooth")}
        counting = wb.Backfill("k", "t", wb.Aggregation("count", windows=40), hop=20)
        runs["tree"] = counting.tasks(queries, events, "tree")
        hops, spans = hops_of(plan, 20), spans_of(plan)
    for method, tasks in runs.items():
        assert tasks["task"].tolist() == list(range(5)), method
        assert tasks["answers"].sum() == tasks["queries"].sum() == 400
        assert (
            tasks["rows"] == tasks[["queries", "events", "earlier", "states"]].sum(axis=1)
        ).all()
    scan, sawtooth, tree = (runs[one] for one in ("scan", "sawtooth", "tree"))
    assert scan["events"].sum() == sawtooth["events"].sum() == 2_940
    assert scan[["earlier", "states"]].to_numpy().sum() == 0
    assert (sawtooth["states"].sum() > 0) & (sawtooth["earlier"].sum() > 0)
    assert sawtooth["events"].max() < scan["events"].max()
    assert (tree["events"].sum(), tree["states"].sum() > 0) == (0, True)
    assert hops["rows"].sum() == 2_940 + 392
    assert (hops["key"].iloc[0], hops.attrs["hop"], len(spans)) == ("-1", 20, 0)


def test_the_first_hop_begins_with_the_first_time(spark: SparkSession) -> None:
    rows = spark.sql("SELECT 1 AS k, explode(array(-9223372036854775808, -7)) AS t")
    backfill = wb.Backfill("k", "t", wb.Aggregation("count", windows=100), hop=10)
    assert hops_of(backfill.bound(rows, rows))["hop"].min() == -(2**63)


def test_the_naive_join_has_no_tasks_that_count(spark: SparkSession) -> None:
    with pytest.raises(wb.WorkbenchError, match="method: 'naive' has no tasks that count"):
        many_features().tasks(*skewed(spark), method="naive")
    with pytest.raises(wb.WorkbenchError, match=r"method: \['scan'\] has no tasks that count"):
        many_features().tasks(*skewed(spark), method=["scan"])  # type: ignore[arg-type]
