"""The online view on Spark: uploads by its workers, streams from a checkpoint, bad input."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.online.cases import agree
from tests.workbench.spark.jobs import no_job

HOUR = 3_600
DAY = 24 * HOUR
#: 2013-03-01 00:00 UTC.
START = 1_362_096_000
UNTIL = "2013-03-05 00:00:00+00:00"
AT = "2013-03-05 09:17:30+00:00"
WINDOWS = ["5 hours", "36 hours", "20 days", None]
AGGREGATIONS = [
    wb.Aggregation("count", windows=WINDOWS),
    wb.Aggregation("sum", "cents", WINDOWS),
    wb.Aggregation("avg", "price", WINDOWS, where="price > 2"),
    wb.Aggregation("max", "price", WINDOWS, by="shop"),
    wb.Aggregation("last", "cents", WINDOWS),
    wb.Aggregation("stddev", "price", "20 days"),
    wb.Aggregation("min", "at", "20 days"),
    wb.Aggregation("sum", "paid", "36 hours", by="shop"),
    wb.Aggregation("last", "shop", WINDOWS),
    wb.Aggregation(wb.fn.top_k("price", 2), windows="20 days", where="cents > 99"),
    wb.Aggregation(wb.fn.histogram("shop"), windows=["36 hours", None]),
    wb.Aggregation(wb.fn.approx_count_distinct("price"), windows="20 days", by="shop"),
]
BACKFILL = wb.Backfill(["user", "city"], "at", AGGREGATIONS)


def events_of(spark: SparkSession, first: int, last: int, rows: int, seed: int) -> DataFrame:
    """Return rows between two times, in seconds from the start, most of them of few keys."""
    number = F.lit(seed * 1_000_003) + F.col("id")
    second = F.lit(START + first) + F.pmod(F.xxhash64(number), F.lit(last - first))
    price = F.pmod(F.xxhash64(number + 7), F.lit(40)) / 4
    return spark.range(rows, numPartitions=2).select(
        F.pmod(F.xxhash64(number + 1), F.lit(7)).alias("user"),
        F.when(F.col("id") % 50 != 0, F.concat(F.lit("c"), F.col("id") % 2)).alias("city"),
        F.timestamp_seconds(second).alias("at"),
        F.when(F.col("id") % 9 != 0, price).alias("price"),
        F.when(F.col("id") % 8 != 0, F.col("id") * 11).alias("cents"),
        (F.col("id") % 90 / 8).cast("decimal(9,2)").alias("paid"),
        F.when(F.col("id") % 7 != 0, F.concat(F.lit("s"), F.col("id") % 3)).alias("shop"),
    )


def check(view: wb.OnlineView, events: DataFrame, at: str = AT) -> None:
    """Compare a fetch of all keys with a backfill."""
    spark = events.sparkSession
    keys = [(user, city) for user in range(8) for city in ("c0", "c1")]
    queries = spark.createDataFrame(keys, "user long, city string")
    queries = queries.withColumn("at", F.lit(at).cast("timestamp"))
    # Times as microseconds, as a fetch does not use the session's zone.
    low = F.unix_micros("at_min_20d").alias("at_min_20d")
    answers = BACKFILL.run(queries, events).withColumn("at_min_20d", low).collect()
    fetched = view.fetch(keys, at=at)
    assert sorted(fetched.errors) == [(7, "c0"), (7, "c1")]
    for answer in answers:
        key = answer["user"], answer["city"]
        if key[0] == 7:
            continue
        row = fetched[key]
        least = row["at_min_20d"]
        row = row | {"at_min_20d": least and round(least.timestamp() * 1_000_000)}
        wrong = {n: (row[n], answer[n]) for n in BACKFILL.names if not agree(row[n], answer[n])}
        assert not wrong, key


def test_an_upload_and_a_stream_agree_with_a_backfill(spark: SparkSession, tmp_path: Path) -> None:
    view = wb.OnlineView(BACKFILL, tmp_path / "store")
    before = events_of(spark, 0, 4 * DAY + 2 * HOUR, 6_000, 1)
    counts = view.upload(before, UNTIL)
    since = F.col("at") >= F.lit(UNTIL).cast("timestamp")
    without = F.col("city").isNull()
    assert counts.skipped == before.where(without).count() > 0
    assert counts.after == before.where(since & ~without).count() > 0
    assert counts.events == 6_000 - counts.after - counts.skipped
    known = before.where(~since)
    check(view, known)
    # Batches of a stream, some of whose events are late.
    source = tmp_path / "source"
    for batch in range(3):
        first = 4 * DAY - HOUR + batch * 3 * HOUR
        part = events_of(spark, first, first + 3 * HOUR + 100, 300, 10 + batch)
        part.coalesce(1).write.mode("append").parquet(str(source))
        schema = before.schema
        stream = spark.readStream.schema(schema).parquet(str(source))
        query = view.update(stream, tmp_path / "checkpoint", {"availableNow": True})
        assert query.awaitTermination(120)
        assert query.exception() is None
    status = view.status()
    streamed = spark.read.parquet(str(source))
    assert status.late == streamed.where(~since & ~without).count() > 0
    assert status.skipped == streamed.where(without).count() > 0
    assert (status.batch, status.stream) == (2, query.id)
    check(view, known.unionAll(streamed.where(since)))
    # A batch that the checkpoint has not committed is repeated, but not counted again.
    for mark in (tmp_path / "checkpoint" / "commits").glob("*2*"):
        mark.unlink()
    query = view.update(stream, tmp_path / "checkpoint", {"availableNow": True})
    assert query.awaitTermination(120)
    again = [one for one in query.recentProgress if one["numInputRows"]]
    assert [one["batchId"] for one in again] == [2]
    assert view.status() == status
    # The next upload until the same time contains the late events.
    both = before.where(~since).unionAll(streamed)
    other_order = both.columns[::-1]
    # Columns are found by their names, in any order.
    view.upload(both.select(other_order), UNTIL)
    check(view, both)
    # Another checkpoint is another stream, which might repeat stored events.
    with pytest.raises(wb.WorkbenchError, match=r"another one .* keeps the store current"):
        view.update(stream, tmp_path / "another", {"availableNow": True})
    view.forget_stream()
    check(view, both.where(~since))
    stream = stream.select(other_order)
    query = view.update(stream, tmp_path / "third", {"availableNow": True})
    assert query.awaitTermination(120)
    check(view, both)


def test_an_event_that_a_later_batch_repeats_counts_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark drops repeated events, by state in the stream's checkpoint that a watermark bounds."""
    aggregations = [
        wb.Aggregation("count", windows="5 hours"),
        wb.Aggregation("sum", "cents", "5 hours"),
    ]
    view = wb.OnlineView(wb.Backfill("shop", "at", aggregations), tmp_path / "store")
    number = F.monotonically_increasing_id()
    rows = events_of(spark, 4 * DAY, 4 * DAY + 3 * HOUR, 60, 3).coalesce(1).withColumn("id", number)
    rows.write.parquet(str(tmp_path / "rows"))
    rows = spark.read.parquet(str(tmp_path / "rows"))
    view.upload(rows.limit(0), UNTIL)
    (tmp_path / "source").mkdir()
    stream = spark.readStream.schema(rows.schema).parquet(str(tmp_path / "source"))
    without_repeats = stream.withWatermark("at", "12 hours").dropDuplicatesWithinWatermark(["id"])
    # Each batch has the rows of the one before once more, the second one in the other order.
    for last, order in ((40, F.col("id")), (60, -F.col("id"))):
        part = rows.where(F.col("id") < last).orderBy(order).coalesce(1)
        part.write.mode("append").parquet(str(tmp_path / "source"))
        query = view.update(without_repeats, tmp_path / "checkpoint", {"availableNow": True})
        assert query.awaitTermination(120)
        assert query.exception() is None
    shops = {row["shop"]: row for row in rows.groupBy("shop").agg(
        F.count("id").alias("count_5h"), F.sum("cents").alias("cents_sum_5h")
    ).collect() if row["shop"] is not None}  # fmt: skip
    fetched = view.fetch(sorted(shops), at="2013-03-05 04:00:00+00:00")
    for shop, row in shops.items():
        assert fetched[shop] == {name: row[name] for name in ("count_5h", "cents_sum_5h")}
    status = view.status()
    assert status.streamed + status.skipped == rows.count()


def test_a_fetch_starts_no_java(spark: SparkSession, tmp_path: Path) -> None:
    count = wb.Backfill("user", "ts", wb.Aggregation("count", windows=20), hop=5)
    view = wb.OnlineView(count, tmp_path / "store", lasting=100)
    view.upload(spark.sql("SELECT 'ann' AS user, id AS ts FROM range(100)"), 90)
    code = f"""
import sys, workbench as wb
count = wb.Backfill("user", "ts", wb.Aggregation("count", windows=20), hop=5)
view = wb.OnlineView(count, {str(tmp_path / "store")!r}, lasting=100)
assert view.fetch(["ann"], at=97)["ann"] == {{"count_20": 15}}
from pyspark import SparkContext
assert SparkContext._active_spark_context is None and SparkContext._gateway is None
"""
    subprocess.run([sys.executable, "-c", code], check=True)


COUNT = wb.Aggregation("count", windows=["5 hours"])
SPECIFICATIONS: list[tuple[Callable[[str], Any], str]] = [
    (
        lambda path: wb.OnlineView(wb.Backfill("user", "at", COUNT, "sliding"), path),
        "backfill: its windows are 'sliding', which hops cannot answer",
    ),
    (
        lambda path: wb.OnlineView(COUNT, path),  # type: ignore[arg-type]
        "backfill: wb.Aggregation.* is not a backfill; give wb.Back",
    ),
    (
        lambda path: wb.OnlineView(wb.Backfill("user", "at", COUNT), path, lasting="soon"),
        "lasting: 'soon' is not a duration",
    ),
    (
        lambda path: wb.OnlineView(wb.Backfill("user", "at", COUNT), path, clock="now"),  # type: ignore[arg-type]
        "clock: 'now' cannot be called; give a function that returns the current time",
    ),
    (
        lambda path: wb.OnlineView(wb.Backfill("user", "at", COUNT), path).fetch("ann"),
        "store: nothing has been uploaded to the store in .* yet; call view.upload",
    ),
]


@pytest.mark.parametrize(("call", "sentence"), SPECIFICATIONS)
def test_an_invalid_view_is_one_sentence(
    call: Callable[[str], Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(wb.WorkbenchError, match=sentence):
        call(str(tmp_path / "store"))


def test_what_a_store_cannot_hold_is_one_sentence(spark: SparkSession, tmp_path: Path) -> None:
    events = events_of(spark, 0, DAY, 10, 1)
    stream = spark.readStream.format("rate").load()
    numbered = spark.range(3).selectExpr("id AS user", "id AS at")
    counting = wb.Backfill("user", "at", wb.Aggregation("count", windows=20), hop=5)

    def view(*functions: Any, **options: Any) -> wb.OnlineView:
        aggregations = [wb.Aggregation(one, windows="5 hours") for one in functions] or COUNT
        backfill = wb.Backfill("user", "at", aggregations)
        return wb.OnlineView(backfill, tmp_path / "store", **options)

    calls: list[tuple[Callable[[], Any], str]] = [
        (
            lambda: view(wb.fn.median("price")).upload(events, UNTIL),
            "price_median_5h: median has no small state .* use wb.fn.approx_quantile, or wb.Back",
        ),
        (
            lambda: view(wb.fn.mode("price")).upload(events, UNTIL),
            "price_mode_5h: mode has no small state .* use wb.fn.approx_top_k, or wb.Backfill.run.",
        ),
        (
            lambda: view().upload(events, "2013-03-05 00:01+00:00"),
            "until: 2013-03-05 00:01:00.00:00 is within a hop; .* such as 2013-03-05 00:00:00",
        ),
        (
            lambda: view().upload(events, "2013-03-05 00:00"),
            "until: 2013-03-05 00:00:00 has no zone, but the events' times have one",
        ),
        (lambda: view().upload(events, 7), "until: 7 is not a time; give a datetime, or text"),
        (lambda: view().upload(events, pd.NaT), "until: NaT is not a time; give a datetime"),
        (
            lambda: wb.OnlineView(counting, tmp_path / "store", 100).upload(numbered, 5 * 10**25),
            "until: 50000000000000000000000000 is too far from 0; give an integer up to",
        ),
        (
            lambda: view(lasting=7).upload(events, UNTIL),
            "lasting: 7 has no unit, but the events have times",
        ),
        (lambda: view().upload(stream, UNTIL), "events: this is a stream; give a table"),
        (
            lambda: view().update(events, tmp_path / "c"),
            "stream: this is not a stream; give a streaming DataFrame",
        ),
        (
            lambda: view().upload(events.withColumn("user", F.array("user")), UNTIL),
            "key: the events' column 'user' holds arrays, which cannot be grouped by",
        ),
        (
            lambda: view().update(stream, None),  # type: ignore[arg-type]
            "checkpoint: None is not a path; give the folder where Spark keeps",
        ),
        (
            lambda: view().update(stream.selectExpr("value AS user", "timestamp AS at"), "\ud800"),
            r"checkpoint: '\\ud800' has half of a character",
        ),
        (
            lambda: view().update(stream, tmp_path / "c"),
            "key: the events have no column 'user'; there are 'timestamp', 'value'",
        ),
    ]
    for call, sentence in calls:
        with no_job(spark), pytest.raises(wb.WorkbenchError, match=sentence):
            call()


def test_a_stream_that_spark_does_not_start_is_one_sentence(
    spark: SparkSession, tmp_path: Path
) -> None:
    view = wb.OnlineView(wb.Backfill("user", "at", COUNT), tmp_path / "store")
    view.upload(events_of(spark, 0, DAY, 10, 1), UNTIL)
    rows = spark.readStream.format("rate").load()
    stream = rows.selectExpr("value AS user", "timestamp AS at")
    (tmp_path / "file").touch()
    summed = stream.groupBy("user", "at").count()
    triggers: list[Any] = [{"now": True}, {"availableNow": False}, {"processingTime": "soon"}, 5]
    triggers += [0, "", {}]
    for trigger in triggers:
        with pytest.raises(
            wb.WorkbenchError, match=r"trigger: .* is not a trigger; give what Spark's Data"
        ):
            view.update(stream, tmp_path / "checkpoint", trigger)
    with pytest.raises(wb.WorkbenchError, match=r"stream: Spark does not start it .*streaming ag"):
        view.update(summed, tmp_path / "checkpoint")
    with pytest.raises(wb.WorkbenchError, match=r"Spark does not start it \((?!An error occ)"):
        view.update(stream, tmp_path / "file" / "checkpoint")


def test_a_view_with_a_lambda_in_a_column_recognizes_its_store(
    spark: SparkSession, tmp_path: Path
) -> None:
    def view(least: int) -> wb.OnlineView:
        large = F.exists(F.array("id"), lambda id: id > least)
        count = wb.Aggregation(wb.fn.count().where(large), windows=20)
        return wb.OnlineView(wb.Backfill("user", "at", count, hop=5), tmp_path / "store", 100)

    view(3).upload(spark.range(10).selectExpr("'ann' AS user", "id", "id AS at"), 10)
    assert view(3).fetch("ann", 10).rows == ({"count_20": 6},)
    with pytest.raises(wb.WorkbenchError, match="holds the states of another backfill"):
        view(4).fetch("ann", 10)


def test_several_keys_are_a_list(spark: SparkSession, tmp_path: Path) -> None:
    view = wb.OnlineView(wb.Backfill("user", "at", COUNT), tmp_path / "store")
    view.upload(events_of(spark, 0, DAY, 10, 1), UNTIL)
    keys: list[Any] = [np.array([1, 2]), pd.Series([1, 2]), {1, 2}, range(2), {1: 2}]
    for several in keys:
        with pytest.raises(
            wb.WorkbenchError, match=r"keys: this is .*; give one key, or several in"
        ):
            view.fetch(several, at=AT)


def test_a_status_is_short(spark: SparkSession, tmp_path: Path) -> None:
    view = wb.OnlineView(wb.Backfill("user", "at", COUNT), tmp_path / "store")
    view.upload(events_of(spark, 0, DAY, 10, 1), UNTIL)
    assert len(repr(view.status())) < 500
