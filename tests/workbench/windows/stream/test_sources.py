"""Windows over streams of Spark's rate sources, and of messages in the schema of Kafka's source."""

import json
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.windows.cases import same
from workbench.lessons.follow import Follower

DOCUMENT = Path(__file__).parents[4] / "docs" / "streams.md"
CALL = wb.Over(
    "user",
    "at",
    wb.Frame.range("-8 seconds", 0),
    total=wb.fn.sum("id"),
    middle=wb.fn.median("id").over(wb.Frame.rows(-6, 0)),
    before=wb.fn.lag("id"),
    number=wb.fn.row_number(),
)
RATE = {"rowsPerSecond": 40, "rampUpTime": 0, "numPartitions": 2}
BY_BATCH = {
    "rowsPerBatch": 20,
    "startTimestamp": 1_714_521_600_000,
    "advanceMillisPerBatch": 5_000,
    "numPartitions": 2,
}


def out_of_order(rows: DataFrame) -> DataFrame:
    """Return rows of three users, up to six seconds out of order, no two with the same time."""
    away = F.pmod(F.col("value") * 7, F.lit(20)) * 300_000
    at = F.timestamp_micros(F.unix_micros("timestamp") + away)
    return rows.select(
        (F.col("value") % 3).alias("user"), at.alias("at"), F.col("value").alias("id")
    )


def follow(stream: DataFrame, checkpoint: Path, rows: int) -> pa.Table:
    """Return the output of a query that has emitted at least so many rows, with one restart."""
    follower = Follower(stream, checkpoint)
    for minimum in (rows // 3, rows):
        follower.start()
        end = time.monotonic() + 120
        while follower.table is None or len(follower.table) < minimum:
            assert follower.query is not None
            assert follower.query.isActive, follower.query.exception()
            assert time.monotonic() < end
            time.sleep(0.05)
        follower.stop()
    assert follower.table is not None
    return follower.table


def plain(rows: pa.Table) -> dict[str, list[Any]]:
    at = rows.column("at").cast(pa.timestamp("us")).cast(pa.int64())
    rows = rows.set_column(rows.column_names.index("at"), "at", at)
    columns: dict[str, list[Any]] = rows.sort_by("id").to_pydict()
    return columns


@pytest.mark.parametrize(("source", "options"), [("rate", RATE), ("rate-micro-batch", BY_BATCH)])
def test_rate_sources_on_update(
    spark: SparkSession, tmp_path: Path, source: str, options: dict[str, Any]
) -> None:
    rows = out_of_order(spark.readStream.format(source).options(**options).load())
    stream = CALL.run(rows.withWatermark("at", "1 minute"), emit="on update")
    output = follow(stream, tmp_path, 90)
    assert sorted(output["id"].to_pylist()) == list(range(len(output)))
    batch = CALL.run(spark.createDataFrame(output.select(["user", "at", "id"]))).toArrow()
    assert same(plain(output), plain(batch), batch.column_names)


def test_a_rate_source_on_window_close(spark: SparkSession, tmp_path: Path) -> None:
    source = spark.readStream.format("rate-micro-batch").options(**BY_BATCH).load()
    rows = out_of_order(source).withWatermark("at", "6 seconds")
    output = plain(follow(CALL.run(rows, emit="on window close"), tmp_path, 60))
    batches = F.floor(F.col("id") / 20) * 5_000 + BY_BATCH["startTimestamp"]
    all_rows = spark.range(2 * len(output["id"]) + 200).select(
        F.col("id").alias("value"), F.timestamp_millis(batches).alias("timestamp")
    )
    # The emitted rows are the batch answers of all rows up to a time.
    batch = plain(CALL.run(out_of_order(all_rows)).toArrow())
    closed = [at <= max(output["at"]) for at in batch["at"]]
    expected = {
        name: [one for one, closes in zip(column, closed, strict=True) if closes]
        for name, column in batch.items()
    }
    assert same(output, expected, list(expected))


def blocks() -> list[str]:
    """Return the document's blocks of code, in order."""
    return re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), flags=re.DOTALL)


def messages(folder: Path) -> list[tuple[str, datetime, float, int]]:
    """Write files in the schema of Kafka's source, and return the ticks in their messages."""
    start, ticks = datetime(2024, 5, 1, 10, tzinfo=UTC), []
    for number in range(3):
        pairs = []
        for place in range(20):
            who = number * 20 + place
            minutes = number * 40 + place * 7 % 20 * 2
            tick = (f"s{who % 3}", start + timedelta(minutes=minutes), who * 7 % 11 / 2, who)
            ticks.append(tick)
            _, at, price, _ = tick
            pairs.append((tick[0], json.dumps({"at": at.isoformat(), "price": price, "id": who})))
        pairs += [("s0", "no JSON"), ("s1", '{"price": 1.5, "id": 7}')] * (number == 1)
        write_messages(folder / f"{number}.parquet", pairs)
    return ticks


def write_messages(path: Path, pairs: list[tuple[str, str]]) -> None:
    now = pa.array([datetime(2024, 6, 1, tzinfo=UTC)] * len(pairs), pa.timestamp("us", "UTC"))
    columns = {
        "key": pa.array([key.encode() for key, _ in pairs]),
        "value": pa.array([value.encode() for _, value in pairs]),
        "topic": pa.array(["ticks"] * len(pairs)),
        "partition": pa.array([0] * len(pairs), pa.int32()),
        "offset": pa.array(range(len(pairs))),
        "timestamp": now,
        "timestampType": pa.array([0] * len(pairs), pa.int32()),
    }
    pq.write_table(pa.table(columns), path)


def test_kafka_messages_are_parsed_as_the_document_shows(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    ticks = messages(tmp_path / "in")
    schema = spark.read.parquet(str(tmp_path / "in")).schema
    files = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    _, session, parse, call = blocks()
    assert f":{pyspark.__version__}" in session
    namespace: dict[str, Any] = {"wb": wb, "messages": files.parquet(str(tmp_path / "in"))}
    exec(parse + call, namespace)
    rows = spark.createDataFrame(ticks, "symbol string, at timestamp, price double, id long")
    batch = plain(
        wb.over(rows, "symbol", "at", namespace["hour"], mean=namespace["mean"]).toArrow()
    )
    update, close = (
        Follower(namespace[name], tmp_path / name).drain() for name in ("changes", "closed")
    )
    assert same(plain(update.table), batch, list(batch))
    assert update.count("rows_without_time") == close.count("rows_without_time") == 2
    output = plain(close.table)
    assert 30 < len(output["id"]) < 60
    by_id = dict(zip(batch["id"], batch["mean"], strict=True))
    assert [by_id[who] for who in output["id"]] == pytest.approx(output["mean"])
