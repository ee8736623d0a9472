"""Served features that differ from a backfill's are counted, measured, and explained."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.backfill.entities.tables import history
from tests.workbench.backfill.entities.tables import queries as entity_queries
from tests.workbench.spark.jobs import no_job
from workbench import fn
from workbench.backfill.naive import naive
from workbench.figures.consistency import consistency_figure
from workbench.online.inspect.agreement import Consistency
from workbench.online.inspect.agreement_counts import STATES

AGGREGATIONS = [wb.Aggregation("count", windows="5 hours"), wb.Aggregation("avg", "v", "5 hours")]
BACKFILL = wb.Backfill("k", "t", AGGREGATIONS)


@dataclass(frozen=True)
class Flow:
    """Events, queries, and a backfill's features, each computed once for all tests.

    Attributes
    ----------
    events, queries, offline : pyspark.sql.DataFrame
    """

    events: DataFrame
    queries: DataFrame
    offline: DataFrame


@pytest.fixture(scope="module")
def flow(spark: SparkSession) -> Flow:
    """Return an event every seven minutes, some of which are known two hours later."""
    events = computed_once(
        spark.range(400).selectExpr(
            "id % 2 AS k", "timestamp_seconds(id * 420) AS t", "id AS v",
            "timestamp_seconds(id * 420 + if(id % 50 = 0, 7200, 0)) AS known",
        )
    )  # fmt: skip
    queries = computed_once(
        spark.range(60).selectExpr("id % 2 AS k", "timestamp_seconds(id * 2520 + 421) t")
    )
    return Flow(events, queries, computed_once(BACKFILL.run(queries, events)))


def computed_once(df: DataFrame) -> DataFrame:
    """Return the rows of a table, in one partition and computed once."""
    return df.sparkSession.createDataFrame(df.toArrow()).coalesce(1)


def compare(flow: Flow, view_log: DataFrame, **options: Any) -> Consistency:
    return wb.consistency(view_log, flow.offline, BACKFILL, flow.events, **options)


def test_equal_tables_agree(flow: Flow) -> None:
    consistency = compare(flow, flow.offline)
    assert consistency.columns["equal"].tolist() == [60, 60]
    assert consistency.columns["smape"].tolist() == [0.0, 0.0]
    assert len(consistency.differing) == 0
    assert repr(consistency).startswith("120 of 120 values agree; only served: 0 rows,")
    assert consistency.over_time.groupby("column")["rows"].sum().tolist() == [60, 60]
    assert consistency.over_time["time"].is_monotonic_increasing or len(consistency.over_time) == 4


def test_where_nothing_was_served_nothing_is_compared(flow: Flow) -> None:
    consistency = compare(flow, flow.offline.limit(0))
    assert str(consistency) == "0 of 0 values agree; only served: 0 rows, only offline: 60 rows"
    assert len(consistency.columns) == len(consistency.over_time) == 0


def test_states_measures_and_periods_are_those_of_pandas(spark: SparkSession) -> None:
    """Each state, an error of known size, rows of one table alone, and periods of an hour."""
    rows = [
        # key, second, served and offline values
        ("a", 10, 4, 4), ("a", 20, None, None), ("a", 30, None, 7), ("a", 40, 5, None),
        ("a", 3_700, 6, 2), ("a", 3_800, 0, 0), (None, 50, 3, 1), ("a", -5, 2, 2),
    ]  # fmt: skip
    table = spark.createDataFrame(rows, "k string, second long, served long, offline long")
    table = table.withColumn("t", F.timestamp_seconds("second"))
    backfill = wb.Backfill("k", "t", wb.Aggregation("count", windows="1 hour"))
    log = table.select("k", "t", F.col("served").alias("count_1h"))
    offline = table.select("k", "t", F.col("offline").cast("double").alias("count_1h"))
    alone = spark.sql("SELECT 'b' AS k, timestamp_seconds(5) AS t, 1L AS count_1h")
    consistency = wb.consistency(
        log.unionAll(alone),
        offline.unionAll(offline).unionAll(
            alone.selectExpr("'c'", "t", "1D").unionAll(alone.selectExpr("'d'", "t", "1D"))
        ),
        backfill,
        by="1 hour",
    )
    for table_of_result in (consistency.columns, consistency.over_time, consistency.differing):
        assert '<table class="wb-described">' in table_of_result._repr_html_()  # type: ignore[operator]
    whole = consistency.columns.loc["count_1h"]
    assert [whole[state] for state in ("rows", *STATES)] == [8, 1, 1, 1, 3, 2]
    assert whole["smape"] == pytest.approx((0 + 100 + 0 + 100 + 0) / 5)
    served, exact = pd.Series([4, 6, 0, 3, 2]), pd.Series([4, 2, 0, 1, 2])
    quantiles = (served - exact).quantile([0.05, 0.5, 0.95])
    assert [whole[name] for name in ("p05", "p50", "p95")] == pytest.approx(quantiles.tolist())
    assert (consistency.only_served, consistency.only_offline) == (1, 2)
    assert consistency.over_time["rows"].tolist() == [1, 5, 2]
    assert consistency.over_time["time"].tolist() == [
        pd.Timestamp("1969-12-31 23:00"), pd.Timestamp("1970-01-01 00:00"),
        pd.Timestamp("1970-01-01 01:00"),
    ]  # fmt: skip
    assert consistency.over_time["different"].tolist() == [0, 1, 1]
    assert consistency.differing["reason"].unique().tolist() == ["no events are given"]
    assert len(consistency.differing) == 4
    result = consistency_figure(consistency.over_time, "count_1h")
    bars = {bar.name: list(bar.y) for bar in result.figure.data}
    assert bars["different"] == [0.0, 20.0, 50.0]


def test_each_cause_of_events_is_found(flow: Flow) -> None:
    plan = BACKFILL.bound(flow.queries, flow.events)
    late = compare(flow, naive(plan, arrived="known"), arrived="known")
    assert late.differing["cause"].unique().tolist() == ["late event"]
    sliding = wb.Backfill("k", "t", AGGREGATIONS, "sliding").run(flow.queries, flow.events, "naive")
    assert compare(flow, sliding).causes.columns.tolist() == ["boundary"]
    upload_time = "timestamp_seconds(floor(unix_seconds(t) / 21600) * 21600)"
    begin = F.expr("t - interval 5 hours")
    tail = F.timestamp_seconds(F.floor(F.unix_seconds(begin) / 300) * 300)
    queries = (
        flow.queries.withColumn("tail", tail).withColumn("upload", F.expr(upload_time)).alias("q")
    )
    on = F.expr("q.k = e.k AND e.t >= tail AND e.t < upload")
    grouped = queries.join(flow.events.alias("e"), on, "left").groupBy("q.k", "q.t")
    stale = grouped.agg(F.count("e.v").alias("count_5h"), F.avg("e.v").alias("v_avg_5h"))
    not_uploaded = compare(flow, stale, uploads="6 hours")
    assert not_uploaded.differing["cause"].unique().tolist() == ["not yet uploaded"]
    wrong = flow.offline.withColumn("count_5h", F.col("count_5h") + 1)
    consistency = wb.consistency(flow.offline, wrong, BACKFILL, flow.events)
    assert consistency.differing["cause"].unique().tolist() == ["offline"]


def test_deletes_are_found_and_nested_values_are_compared(spark: SparkSession) -> None:
    changed = history()
    table = wb.Entities(
        changed.snapshots(spark), changed.changes(spark),
        key="k", id="id", time="t", mutation_time="made",
    )  # fmt: skip
    aggregations = [
        wb.Aggregation("count", windows="2 days"),
        wb.Aggregation("sum", "v", windows="2 days", by="s"),
        wb.Aggregation(fn.quantile("v", [0.25, 0.75]), windows="2 days", name="quarters"),
    ]
    backfill = wb.Backfill("k", "t", aggregations, "sliding")
    log = computed_once(
        entity_queries(spark).where("k IS NOT NULL AND t IS NOT NULL").select("k", "t").distinct()
    )
    offline = computed_once(backfill.run(log, table))
    known = table.lives().where("alive_from IS NOT NULL")
    stale = backfill.run(log, known)
    same = wb.consistency(offline, backfill.run(log, table, "scan"), backfill)
    assert same.columns["different"].tolist() == [0, 0, 0]
    counted = wb.Backfill("k", "t", aggregations[:1], "sliding")
    exact = stale.select("k", "t", "count_2d")
    forever = known.alias("e").join(
        log.alias("q"),
        F.expr("q.k = e.k AND e.t < q.t AND e.t >= q.t - interval 2 days AND alive_from <= q.t"),
    )
    forever = forever.groupBy("q.k", "q.t").agg(F.count("id").alias("count_2d"))
    forever = log.join(forever, ["k", "t"], "left").fillna(0)
    assert exact.columns == forever.columns
    consistency = wb.consistency(forever, offline, counted, table)
    assert len(consistency.differing) > 10
    assert consistency.differing["reason"].unique().tolist() == [
        "a row that was removed still counts"
    ]
    assert consistency.differing["cause"].unique().tolist() == ["delete"]
    assert math.isfinite(consistency.columns["smape"].iloc[0])


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
    for view_log, offline, options, sentence in cases:
        with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
            wb.consistency(view_log, offline, BACKFILL, **({"events": flow.events} | options))
        assert str(error.value).startswith(sentence), str(error.value)


def test_maps_from_pandas_are_compared_as_maps(spark: SparkSession) -> None:
    values = "VALUES ('a', 1, 'x', 1.5), ('a', 2, 'y', NULL), ('b', 2, 'y', 2.5) AS (k, t, c, v)"
    events = spark.sql(f"SELECT * FROM {values}")
    aggregations = [wb.Aggregation("count", by="c"), wb.Aggregation("max", "v", by="c")]
    backfill = wb.Backfill("k", "t", aggregations, "sliding")
    offline = computed_once(
        backfill.run(spark.sql("SELECT explode(array('a', 'b')) AS k, 12 AS t"), events)
    )
    log = offline.toPandas()
    for served, later, rows in (
        (log, offline, 2),
        (offline, log, 2),
        (log, log[log["k"] == "b"], 1),
    ):
        consistency = wb.consistency(served, later, backfill, by=None)
        assert consistency.columns["different"].tolist() == [0, 0]
        assert consistency.columns["equal"].tolist() == [rows, rows]
    log["count_by_c"] = log["count_by_c"].map(lambda one: one | {"y": 7})
    consistency = wb.consistency(log, offline, backfill, events, by=None)
    assert sorted(consistency.differing["served"], key=len) == [{"y": 7}, {"x": 1, "y": 7}]
