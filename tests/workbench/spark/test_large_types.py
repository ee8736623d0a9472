"""Sessions whose text and bytes have offsets of 64 bits get the same answers as others."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import workbench as wb
from workbench import fn

SETTING = "spark.sql.execution.arrow.useLargeVarTypes"
NAMES = [None, "a", "", "bob", "Zoë", "a long name, longer than most of them"]
WORDS = ["view", "cart", "buy", None]
#: More rows than keys, unordered, some of them null.
ROWS = [
    (i, NAMES[i * 7 % 6], i * 37 % 101, WORDS[i * 5 % 4], f"{i % 5}".encode()) for i in range(100)
]
SCHEMA = "id long, who string, t long, word string, raw binary"
AGGREGATIONS = [
    wb.Aggregation("count", windows=[30, None]),
    wb.Aggregation("last", "word", [30, None]),
    wb.Aggregation("min", "raw", [None]),
    wb.Aggregation("count", windows=[40], by="word"),
]
BACKFILL = wb.Backfill("who", "t", AGGREGATIONS, hop=5)
ONLINE_BACKFILL = wb.Backfill("who", "t", AGGREGATIONS[:2], hop=5)
METHODS = ("scan", "sawtooth", "tree", "auto")
FUNNEL = wb.Funnel(["view", "cart", "buy"], 60, "who", "t", "word")


def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA).repartition(3, "id")


def row_texts(df: DataFrame) -> list[str]:
    return sorted(str(row.asDict()) for row in df.collect())


def funnels(spark: SparkSession, folder: Path) -> Any:
    events = rows(spark).where("who IS NOT NULL")
    with wb.prepare(events, "who", "t", "word", keep=["raw"]) as prepared_events:
        prepared = (
            prepared_events.names,
            prepared_events.keys,
            row_texts(FUNNEL.levels(prepared_events)),
        )
    return prepared, FUNNEL.steps(events, by="word").to_csv()


def windows(spark: SparkSession, folder: Path) -> Any:
    functions: dict[str, Any] = {
        "least": fn.min("word"), "all": fn.string_agg("word"), "raws": fn.max("raw"),
    }  # fmt: skip
    near = wb.Frame.rows(-2, 1)
    whole = wb.over(rows(spark), "who", ["t", "id"], near, **functions)
    cut = wb.over(rows(spark), "raw", ["word", "id"], near, least=fn.min("who"), cut=4)
    return row_texts(whole), row_texts(cut)


def quantiles(spark: SparkSession, folder: Path) -> Any:
    return row_texts(wb.quantiles(rows(spark), ["word", "who"], 0.5, by="raw", kind="disc"))


def queries(spark: SparkSession) -> DataFrame:
    return rows(spark).select("id", "who", (F.col("t") + 1).alias("t"), "raw")


def features(spark: SparkSession, folder: Path) -> Any:
    # All methods under large text give what one method gives without it.
    methods = METHODS if spark.conf.get(SETTING) == "true" else METHODS[:1]
    runs = [BACKFILL.run(queries(spark), rows(spark), method) for method in methods]
    return sorted(row_texts(reduce(DataFrame.unionAll, runs)) * (len(METHODS) // len(methods)))


def lives(spark: SparkSession, folder: Path) -> Any:
    seen = rows(spark).where("t < 90").withColumn("day", F.lit(50).cast("long"))
    made = rows(spark).withColumn("op", F.lit("insert")).withColumn("at", F.lit(60).cast("long"))
    named = {"key": "who", "id": "word", "time": "t"}
    entities = wb.Entities(seen, made, date="day", mutation_time="at", op="op", **named)
    return row_texts(ONLINE_BACKFILL.run(queries(spark), entities))


PATHS: dict[str, Callable[[SparkSession, Path], Any]] = {
    "funnels": funnels,
    "windows": windows,
    "quantiles": quantiles,
    "backfills": features,
    "entities": lives,
}


@pytest.fixture(scope="module")
def sessions(spark: SparkSession) -> dict[str, SparkSession]:
    by_setting = {large: spark.newSession() for large in ("false", "true")}
    for large, session in by_setting.items():
        session.conf.set("spark.sql.shuffle.partitions", 2)
        session.conf.set(SETTING, large)
    text = [one.range(1).select(F.lit("a").alias("x")) for one in by_setting.values()]
    assert [one.toArrow().schema.types for one in text] == [[pa.string()], [pa.large_string()]]
    return by_setting


@pytest.mark.parametrize("path", PATHS)
def test_large_text_and_bytes_change_no_answer(
    path: str, sessions: dict[str, SparkSession], tmp_path: Path
) -> None:
    expected, answer = (PATHS[path](one, tmp_path / large) for large, one in sessions.items())
    assert answer == expected


def test_a_store_and_its_stream_take_large_text(
    sessions: dict[str, SparkSession], tmp_path: Path
) -> None:
    spark = sessions["true"]
    view = wb.OnlineView(ONLINE_BACKFILL, tmp_path / "store", lasting=60)
    assert view.upload(rows(spark), 50).keys == len(NAMES) - 1
    rows(spark).coalesce(1).write.parquet(str(tmp_path / "new"))
    stream = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "new"))
    finish(view.update(stream, tmp_path / "checkpoint", {"availableNow": True}))
    names = [name for name in NAMES if name is not None]
    points = sessions["false"].createDataFrame(
        [(name, 105) for name in names], "who string, t long"
    )
    answers = ONLINE_BACKFILL.run(points, rows(sessions["false"])).drop("t").collect()
    fetched = view.fetch(names, at=105)
    assert [{"who": name} | fetched[name] for name in names] == in_order_of(names, answers)


def in_order_of(names: list[str], answers: list[Any]) -> list[dict[str, Any]]:
    return sorted((row.asDict() for row in answers), key=lambda row: names.index(row["who"]))


def test_streams_take_large_text(sessions: dict[str, SparkSession], tmp_path: Path) -> None:
    spark = sessions["true"]
    near = wb.Frame.rows(-1, 0)
    functions: dict[str, Any] = {"least": fn.min("word"), "most": fn.max("raw")}
    timed = rows(spark).withColumn("at", F.timestamp_seconds(F.col("t") + 1)).coalesce(1)
    timed.write.parquet(str(tmp_path / "rows"))
    late = timed.limit(1).withColumn("at", F.timestamp_seconds(F.lit(9_999_999)))
    late.write.mode("append").parquet(str(tmp_path / "rows"))
    rows_by_emit: dict[str, list[str]] = {}
    for emit, mode in (("on window close", "append"), ("on update", "update")):
        reader = spark.readStream.schema(timed.schema).option("maxFilesPerTrigger", 1)
        stream = reader.parquet(str(tmp_path / "rows")).withWatermark("at", "0 seconds")
        rows_of = rows_by_emit.setdefault(emit, [])
        answers = wb.over(stream, "who", "at", near, emit=emit, **functions)

        def keep(batch: DataFrame, _: int, rows_of: list[str] = rows_of) -> None:
            rows_of += row_texts(batch.where("at < '1970-02-01'").drop("op"))

        writer = answers.writeStream.foreachBatch(keep).outputMode(mode)
        writer = writer.option("checkpointLocation", str(tmp_path / emit))
        # One after the other: Spark gives the Python that it starts next to the driver ten
        # seconds to begin, which two at once have exceeded on a busy machine.
        finish(writer.trigger(availableNow=True).start())
    plain = rows(sessions["false"]).withColumn("at", F.timestamp_seconds(F.col("t") + 1))
    expected = row_texts(wb.over(plain, "who", "at", near, **functions))
    assert {emit: sorted(one) for emit, one in rows_by_emit.items()} == dict.fromkeys(
        rows_by_emit, expected
    )


def finish(query: StreamingQuery) -> None:
    assert query.awaitTermination(300)
    assert query.exception() is None
