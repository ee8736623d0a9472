"""Served features that differ from a backfill's: they are counted, measured, and explained."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.backfill.entities.tables import history
from tests.workbench.backfill.entities.tables import queries as moments
from tests.workbench.spark.jobs import no_job
from workbench import fn
from workbench.backfill.naive import naive
from workbench.figures.consistency import consistency_figure
from workbench.online.inspect.agreement import Consistency
from workbench.online.inspect.agreement_counts import STATES

ASKED = [wb.Aggregation("count", windows="5 hours"), wb.Aggregation("avg", "v", "5 hours")]
BACKFILL = wb.Backfill("k", "t", ASKED)


@dataclass(frozen=True)
class Flow:
    """Events, queries of them, and what a backfill says, each held here: all tests compare these.

    Attributes
    ----------
    events, queries, offline : pyspark.sql.DataFrame
    """

    events: DataFrame
    queries: DataFrame
    offline: DataFrame


@pytest.fixture(scope="module")
def flow(spark: SparkSession) -> Flow:
    """An event every seven minutes, some of which are known two hours later."""
    events = held(
        spark.range(400).selectExpr(
            "id % 2 AS k", "timestamp_seconds(id * 420) AS t", "id AS v",
            "timestamp_seconds(id * 420 + if(id % 50 = 0, 7200, 0)) AS known",
        )
    )  # fmt: skip
    queries = held(
        spark.range(60).selectExpr("id % 2 AS k", "timestamp_seconds(id * 2520 + 421) t")
    )
    return Flow(events, queries, held(BACKFILL.run(queries, events)))


def held(df: DataFrame) -> DataFrame:
    """The rows of a table, in one partition and computed once."""
    return df.sparkSession.createDataFrame(df.toArrow()).coalesce(1)


def compared(flow: Flow, view_log: DataFrame, **more: Any) -> Consistency:
    return wb.consistency(view_log, flow.offline, BACKFILL, flow.events, **more)


def test_what_is_the_same_is_equal(flow: Flow) -> None:
    found = compared(flow, flow.offline)
    assert found.columns["equal"].tolist() == [60, 60]
    assert found.columns["smape"].tolist() == [0.0, 0.0]
    assert len(found.differing) == 0
    assert repr(found).startswith("120 of 120 values agree; only served: 0 rows,")
    assert found.over_time.groupby("column")["rows"].sum().tolist() == [60, 60]
    assert found.over_time["time"].is_monotonic_increasing or len(found.over_time) == 4


def test_where_nothing_was_served_nothing_is_compared(flow: Flow) -> None:
    found = compared(flow, flow.offline.limit(0))
    assert str(found) == "0 of 0 values agree; only served: 0 rows, only offline: 60 rows"
    assert len(found.columns) == len(found.over_time) == 0


def test_states_measures_and_periods_are_those_of_pandas(spark: SparkSession) -> None:
    """Each state, an error of known size, rows of one table alone, and periods of an hour."""
    rows = [
        # key, second, served and offline values
        ("a", 10, 4, 4), ("a", 20, None, None), ("a", 30, None, 7), ("a", 40, 5, None),
        ("a", 3_700, 6, 2), ("a", 3_800, 0, 0), (None, 50, 3, 1), ("a", -5, 2, 2),
    ]  # fmt: skip
    table = spark.createDataFrame(rows, "k string, second long, served long, offline long")
    table = table.withColumn("t", F.timestamp_seconds("second"))
    one = wb.Backfill("k", "t", wb.Aggregation("count", windows="1 hour"))
    log = table.select("k", "t", F.col("served").alias("count_1h"))
    offline = table.select("k", "t", F.col("offline").cast("double").alias("count_1h"))
    alone = spark.sql("SELECT 'b' AS k, timestamp_seconds(5) AS t, 1L AS count_1h")
    found = wb.consistency(
        log.unionAll(alone),
        offline.unionAll(offline).unionAll(
            alone.selectExpr("'c'", "t", "1D").unionAll(alone.selectExpr("'d'", "t", "1D"))
        ),
        one,
        by="1 hour",
    )
    for shown in (found.columns, found.over_time, found.differing):
        assert '<table class="wb-described">' in shown._repr_html_()  # type: ignore[operator]
    whole = found.columns.loc["count_1h"]
    assert [whole[state] for state in ("rows", *STATES)] == [8, 1, 1, 1, 3, 2]
    assert whole["smape"] == pytest.approx((0 + 100 + 0 + 100 + 0) / 5)
    served, exact = pd.Series([4, 6, 0, 3, 2]), pd.Series([4, 2, 0, 1, 2])
    quantiles = (served - exact).quantile([0.05, 0.5, 0.95])
    assert [whole[name] for name in ("p05", "p50", "p95")] == pytest.approx(quantiles.tolist())
    assert (found.only_served, found.only_offline) == (1, 2)
    assert found.over_time["rows"].tolist() == [1, 5, 2]
    assert found.over_time["time"].tolist() == [
        pd.Timestamp("1969-12-31 23:00"), pd.Timestamp("1970-01-01 00:00"),
        pd.Timestamp("1970-01-01 01:00"),
    ]  # fmt: skip
    assert found.over_time["different"].tolist() == [0, 1, 1]
    assert found.differing["reason"].unique().tolist() == ["no events are given"]
    assert len(found.differing) == 4
    drawn = consistency_figure(found.over_time, "count_1h")
    bars = {bar.name: list(bar.y) for bar in drawn.figure.data}
    assert bars["different"] == [0.0, 20.0, 50.0]


def test_each_cause_of_events_is_found(flow: Flow) -> None:
    plan = BACKFILL.bound(flow.queries, flow.events)
    late = compared(flow, naive(plan, arrived="known"), arrived="known")
    assert late.differing["cause"].unique().tolist() == ["late event"]
    sliding = wb.Backfill("k", "t", ASKED, "sliding").run(flow.queries, flow.events, "naive")
    assert compared(flow, sliding).causes.columns.tolist() == ["boundary"]
    six = "timestamp_seconds(floor(unix_seconds(t) / 21600) * 21600)"
    begin = F.expr("t - interval 5 hours")
    tail = F.timestamp_seconds(F.floor(F.unix_seconds(begin) / 300) * 300)
    seen = flow.queries.withColumn("tail", tail).withColumn("upload", F.expr(six)).alias("q")
    on = F.expr("q.k = e.k AND e.t >= tail AND e.t < upload")
    grouped = seen.join(flow.events.alias("e"), on, "left").groupBy("q.k", "q.t")
    stale = grouped.agg(F.count("e.v").alias("count_5h"), F.avg("e.v").alias("v_avg_5h"))
    found = compared(flow, stale, uploads="6 hours")
    assert found.differing["cause"].unique().tolist() == ["not yet uploaded"]
    wrong = flow.offline.withColumn("count_5h", F.col("count_5h") + 1)
    of_wrong = wb.consistency(flow.offline, wrong, BACKFILL, flow.events)
    assert of_wrong.differing["cause"].unique().tolist() == ["offline"]


def test_deletes_are_found_and_nested_values_are_compared(spark: SparkSession) -> None:
    changed = history()
    given = wb.Entities(
        changed.snapshots(spark), changed.changes(spark),
        key="k", id="id", time="t", mutation_time="made",
    )  # fmt: skip
    asked = [
        wb.Aggregation("count", windows="2 days"),
        wb.Aggregation("sum", "v", windows="2 days", by="s"),
        wb.Aggregation(fn.quantile("v", [0.25, 0.75]), windows="2 days", name="quarters"),
    ]
    one = wb.Backfill("k", "t", asked, "sliding")
    log = held(moments(spark).where("k IS NOT NULL AND t IS NOT NULL").select("k", "t").distinct())
    offline = held(one.run(log, given))
    known = given.lives().where("alive_from IS NOT NULL")
    stale = one.run(log, known)
    same = wb.consistency(offline, one.run(log, given, "scan"), one)
    assert same.columns["different"].tolist() == [0, 0, 0]
    counted = wb.Backfill("k", "t", asked[:1], "sliding")
    exact = stale.select("k", "t", "count_2d")
    forever = known.alias("e").join(
        log.alias("q"),
        F.expr("q.k = e.k AND e.t < q.t AND e.t >= q.t - interval 2 days AND alive_from <= q.t"),
    )
    forever = forever.groupBy("q.k", "q.t").agg(F.count("id").alias("count_2d"))
    forever = log.join(forever, ["k", "t"], "left").fillna(0)
    assert exact.columns == forever.columns
    found = wb.consistency(forever, offline, counted, given)
    assert len(found.differing) > 10
    assert found.differing["reason"].unique().tolist() == ["a row that was removed still counts"]
    assert found.differing["cause"].unique().tolist() == ["delete"]
    assert math.isfinite(found.columns["smape"].iloc[0])


def test_what_cannot_be_compared_is_one_sentence(spark: SparkSession, flow: Flow) -> None:
    log = flow.offline
    text = log.withColumn("v_avg_5h", F.col("v_avg_5h").cast("string"))
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (log.drop("k"), log, {}, "view_log: the served rows have no column 'k';"),
        (log, log.drop("v_avg_5h"), {}, "offline: the offline rows have no column 'v_avg_5h';"),
        (log.select("k", "t"), log, {}, "view_log: the table has none of the backfill's columns,"),
        (log, text, {}, "offline: 'v_avg_5h' holds double in the log but string offline; cast"),
        (log, log, {"rows": 0}, "rows: 0 is not possible; give 1 or more rows."),
        (log, log, {"rows": 2**31}, "rows: 2147483648 rows are too many; give up to "),
        (log, log, {"events": log.drop("t")}, "time: the events have no column 't';"),
        (log, log, {"events": 5}, "events: this is an int and no table;"),
        (log, log, {"arrived": "seen"}, "arrived: the events have no column 'seen';"),
        (log, log, {"by": "1 fortnight"}, "by: "),
        (log, log, {"uploads": "often"}, "uploads: "),
        ([], log, {}, "view_log: this is"),
    ]
    for view_log, offline, more, sentence in cases:
        with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
            wb.consistency(view_log, offline, BACKFILL, **({"events": flow.events} | more))
        assert str(error.value).startswith(sentence), str(error.value)


def test_maps_that_come_from_pandas_are_compared_as_maps(spark: SparkSession) -> None:
    seen = "VALUES ('a', 1, 'x', 1.5), ('a', 2, 'y', NULL), ('b', 2, 'y', 2.5) AS (k, t, c, v)"
    events = spark.sql(f"SELECT * FROM {seen}")
    asked = [wb.Aggregation("count", by="c"), wb.Aggregation("max", "v", by="c")]
    backfill = wb.Backfill("k", "t", asked, "sliding")
    offline = held(backfill.run(spark.sql("SELECT explode(array('a', 'b')) AS k, 12 AS t"), events))
    log = offline.toPandas()
    for served, later, rows in (
        (log, offline, 2),
        (offline, log, 2),
        (log, log[log["k"] == "b"], 1),
    ):
        found = wb.consistency(served, later, backfill, by=None)
        assert found.columns["different"].tolist() == [0, 0]
        assert found.columns["equal"].tolist() == [rows, rows]
    log["count_by_c"] = log["count_by_c"].map(lambda one: one | {"y": 7})
    found = wb.consistency(log, offline, backfill, events, by=None)
    assert sorted(found.differing["served"], key=len) == [{"y": 7}, {"x": 1, "y": 7}]
