"""Impossible window calls over a stream are refused before a query is started."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import session_options
from tests.conftest import RunOn
from workbench import Frame, fn
from workbench.spark.sessions.session import PROVIDER, ROCKSDB

CLOSE = "on window close"
TOTAL = fn.sum("value")


@pytest.fixture(scope="module")
def stream(spark: SparkSession) -> DataFrame:
    rows = spark.readStream.format("rate").load()
    return rows.selectExpr("value", "timestamp AS at", "value % 3 AS user")


@pytest.fixture(scope="module")
def marked(stream: DataFrame) -> DataFrame:
    return stream.withWatermark("at", "10 seconds")


def test_a_stream_needs_a_known_emit(marked: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"emit: this is a stream, so say when .* 'on wind"):
        wb.over(marked, "user", "at", total=TOTAL)
    with pytest.raises(wb.WorkbenchError, match="emit: 'never' is not known; give 'on window cl"):
        wb.over(marked, "user", "at", emit="never", total=TOTAL)


def test_a_table_at_rest_takes_no_emit(spark: SparkSession) -> None:
    with pytest.raises(wb.WorkbenchError, match="is for streams, and this table is at rest"):
        wb.over(spark.range(3), "id", "id", emit=CLOSE, total=fn.sum("id"))


def test_a_stream_without_a_watermark_is_refused(stream: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"needs a watermark, .* df.withWatermark\('at', "):
        wb.over(stream, "user", "at", emit=CLOSE, total=TOTAL)
    dotted = stream.withColumnRenamed("at", "at.time")
    with pytest.raises(wb.WorkbenchError, match=r"df.withWatermark\('`at.time`', "):
        wb.over(dotted, "user", "at.time", emit=CLOSE, total=TOTAL)


@pytest.mark.parametrize("kind", ["timestamp_ntz", "date", "bigint", "string"])
def test_a_column_that_cannot_have_a_watermark_is_refused(stream: DataFrame, kind: str) -> None:
    other = stream.withColumn("at", F.lit(None).cast(kind))
    with pytest.raises(wb.WorkbenchError, match=r"timestamps alone, .* F.col\('at'\).cast\('time"):
        wb.over(other, "user", "at", emit=CLOSE, total=TOTAL)


@pytest.mark.parametrize(
    ("partition_by", "order_by", "message"),
    [
        ("user", "value", "follows the column of the watermark, and other .* by 'at' first"),
        ("user", ["value", "at"], "other columns can only break ties; order by 'at' first"),
        ("user", (), "order_by: .* order by 'at'"),
        ("user", ["-at", "value"], "needs an ascending order, .* order by 'at'"),
        ("user", "-at", "needs an ascending order, .* order by 'at'"),
        ((), "at", "partition_by: .* needs partitions"),
        ("nobody", "at", "partition_by: there is no column 'nobody'"),
    ],
)
def test_orders_and_partitions_that_no_watermark_can_close_are_refused(
    marked: DataFrame, partition_by: Any, order_by: Any, message: str
) -> None:
    with pytest.raises(wb.WorkbenchError, match=message):
        wb.over(marked, partition_by, order_by, emit=CLOSE, n=fn.count())


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (TOTAL.over(Frame.rows(0, None)), "total: .* has no end, so it never closes"),
        (TOTAL.over(Frame.range(None, None)), "total: .* has no end, so it never closes"),
        (fn.percent_rank(), "total: percent_rank depends on rows to come"),
        (fn.ntile(4), "total: ntile depends on rows to come"),
        (fn.lead("value").ignore_nulls(), "total: lead that ignores nulls may wait for ever"),
        (fn.approx_quantile("value", 0.5), "total: approx_quantile counts its chunks"),
    ],
)
def test_functions_whose_windows_never_close_are_refused(
    marked: DataFrame, function: fn.Function, message: str
) -> None:
    with pytest.raises(wb.WorkbenchError, match=message):
        wb.over(marked, "user", "at", emit=CLOSE, total=function)


def test_frames_that_differ_from_row_to_row_are_refused(marked: DataFrame) -> None:
    each = TOTAL.over(Frame.rows(0, F.col("value")))
    with pytest.raises(wb.WorkbenchError, match="total: a frame that differs from row to row"):
        wb.over(marked, "user", "at", emit=CLOSE, total=each)


def test_streams_take_neither_sparks_engine_nor_a_cut(marked: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match="engine: Spark has no window functions over str"):
        wb.over(marked, "user", "at", engine="spark", emit=CLOSE, total=TOTAL)
    with pytest.raises(wb.WorkbenchError, match="cut: partitions of a stream are not cut"):
        wb.over(marked, "user", "at", Frame.rows(-1, 0), cut=9, emit=CLOSE, total=TOTAL)


def refuse_a_second_watermark(spark: SparkSession, emit: str) -> None:
    rows = spark.readStream.format("rate").load().selectExpr("value % 3 AS user", "timestamp AS at")
    closed = wb.over(rows.withWatermark("at", "1 minute"), "user", "at", emit=CLOSE, n=fn.count())
    again = closed.unionByName(closed).withWatermark("at", "1 minute")
    with pytest.raises(wb.WorkbenchError, match=r"df: .* no row would ever be emitted; write the"):
        wb.over(again, "user", "at", emit=emit, m=fn.count())


def refuse_a_second_watermark_in_rocksdb(spark: SparkSession, emit: str) -> None:
    with session_options(spark, {PROVIDER: ROCKSDB}):
        refuse_a_second_watermark(spark, emit)


@pytest.mark.parametrize("kind", ["classic", "connect"])
@pytest.mark.parametrize("emit", [CLOSE, "on update"])
def test_a_watermark_after_a_call_that_waits_for_one_is_refused(
    run_on: RunOn, kind: str, emit: str
) -> None:
    run_on(kind, refuse_a_second_watermark_in_rocksdb, emit)


def test_a_watermark_after_operators_that_emit_at_once_is_accepted(
    marked: DataFrame, stream: DataFrame
) -> None:
    updates = wb.over(stream, "user", "at", emit="on update", n=fn.count()).drop("op")
    wb.over(updates.withWatermark("at", "1 minute"), "user", "at", emit=CLOSE, m=fn.count())
    deduplicated = marked.dropDuplicatesWithinWatermark(["value"])
    wb.over(deduplicated, "user", "at", emit=CLOSE, m=fn.count())


def test_a_session_that_keeps_state_outside_of_rocksdb_is_refused(marked: DataFrame) -> None:
    elsewhere = {PROVIDER: ROCKSDB.replace("RocksDB", "HDFSBacked")}
    with (
        session_options(marked.sparkSession, elsewhere),
        pytest.raises(wb.WorkbenchError, match=r"RocksDB.* spark.conf.set\('.*', '.*RocksDB"),
    ):
        wb.over(marked, "user", "at", emit=CLOSE, total=TOTAL)


def test_a_folder_that_is_not_a_checkpoint_is_refused(spark: SparkSession, tmp_path: Any) -> None:
    for read in (wb.stream_state, wb.late_rows):
        sentence = r"there is no state of a window call in .* location: \S+\)\.$"
        with pytest.raises(wb.WorkbenchError, match=sentence):
            read(tmp_path)


@pytest.mark.parametrize("operator", ["x", -1, 1.0, True, None])
def test_an_impossible_operator_is_refused(
    spark: SparkSession, tmp_path: Any, operator: Any
) -> None:
    for read in (wb.stream_state, wb.late_rows):
        with pytest.raises(
            wb.WorkbenchError, match=r"operator: .* give 0 for the query's last one, 1"
        ):
            read(tmp_path, operator=operator)


def test_explorers_need_a_table_at_rest(marked: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match="this is a stream; give a table that is at rest"):
        wb.Over("user", "at", total=TOTAL).bound(marked)
    with pytest.raises(wb.WorkbenchError, match="this is a stream; give a table that is at rest"):
        wb.Over("user", "at", total=TOTAL).explain(marked)
