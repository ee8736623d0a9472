"""Sessions whose text and bytes come with places of 64 bits get the answers of others."""

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
#: More rows than keys, in no order, and nulls among them.
ROWS = [
    (i, NAMES[i * 7 % 6], i * 37 % 101, WORDS[i * 5 % 4], f"{i % 5}".encode()) for i in range(100)
]
SCHEMA = "id long, who string, t long, word string, raw binary"
ASKED = [
    wb.Aggregation("count", windows=[30, None]),
    wb.Aggregation("last", "word", [30, None]),
    wb.Aggregation("min", "raw", [None]),
    wb.Aggregation("count", windows=[40], by="word"),
]
BACKFILL = wb.Backfill("who", "t", ASKED, hop=5)
KEPT = wb.Backfill("who", "t", ASKED[:2], hop=5)
METHODS = ("scan", "sawtooth", "tree", "auto")
FUNNEL = wb.Funnel(["view", "cart", "buy"], 60, "who", "t", "word")


def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA).repartition(3, "id")


def given(df: DataFrame) -> list[str]:
    return sorted(str(row.asDict()) for row in df.collect())


def funnels(spark: SparkSession, folder: Path) -> Any:
    events = rows(spark).where("who IS NOT NULL")
    with wb.prepare(events, "who", "t", "word", keep=["raw"]) as held:
        prepared = held.names, held.keys, given(FUNNEL.levels(held))
    return prepared, FUNNEL.steps(events, by="word").to_csv()


def windows(spark: SparkSession, folder: Path) -> Any:
    asked: dict[str, Any] = {
        "least": fn.min("word"), "all": fn.string_agg("word"), "raws": fn.max("raw"),
    }  # fmt: skip
    near = wb.Frame.rows(-2, 1)
    whole = wb.over(rows(spark), "who", ["t", "id"], near, **asked)
    cut = wb.over(rows(spark), "raw", ["word", "id"], near, least=fn.min("who"), cut=4)
    return given(whole), given(cut)


def quantiles(spark: SparkSession, folder: Path) -> Any:
    return given(wb.quantiles(rows(spark), ["word", "who"], 0.5, by="raw", kind="disc"))


def queries(spark: SparkSession) -> DataFrame:
    return rows(spark).select("id", "who", (F.col("t") + 1).alias("t"), "raw")


def features(spark: SparkSession, folder: Path) -> Any:
    # All methods under large text give what one gives without.
    methods = METHODS if spark.conf.get(SETTING) == "true" else METHODS[:1]
    runs = [BACKFILL.run(queries(spark), rows(spark), method) for method in methods]
    return sorted(given(reduce(DataFrame.unionAll, runs)) * (len(METHODS) // len(methods)))


def lives(spark: SparkSession, folder: Path) -> Any:
    seen = rows(spark).where("t < 90").withColumn("day", F.lit(50).cast("long"))
    made = rows(spark).withColumn("op", F.lit("insert")).withColumn("at", F.lit(60).cast("long"))
    named = {"key": "who", "id": "word", "time": "t"}
    entities = wb.Entities(seen, made, date="day", mutation_time="at", op="op", **named)
    return given(KEPT.run(queries(spark), entities))


PATHS: dict[str, Callable[[SparkSession, Path], Any]] = {
    "funnels": funnels,
    "windows": windows,
    "quantiles": quantiles,
    "backfills": features,
    "entities": lives,
}


@pytest.fixture(scope="module")
def sessions(spark: SparkSession) -> dict[str, SparkSession]:
    found = {large: spark.newSession() for large in ("false", "true")}
    for large, session in found.items():
        session.conf.set("spark.sql.shuffle.partitions", 2)
        session.conf.set(SETTING, large)
    text = [one.range(1).select(F.lit("a").alias("x")) for one in found.values()]
    assert [one.toArrow().schema.types for one in text] == [[pa.string()], [pa.large_string()]]
    return found


@pytest.mark.parametrize("path", PATHS)
def test_large_text_and_bytes_change_no_answer(
    path: str, sessions: dict[str, SparkSession], tmp_path: Path
) -> None:
    expected, found = (PATHS[path](one, tmp_path / large) for large, one in sessions.items())
    assert found == expected


def test_a_store_and_its_stream_take_large_text(
    sessions: dict[str, SparkSession], tmp_path: Path
) -> None:
    spark = sessions["true"]
    view = wb.OnlineView(KEPT, tmp_path / "store", lasting=60)
    assert view.upload(rows(spark), 50).keys == len(NAMES) - 1
    rows(spark).coalesce(1).write.parquet(str(tmp_path / "new"))
    stream = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "new"))
    finish(view.update(stream, tmp_path / "checkpoint", {"availableNow": True}))
    names = [name for name in NAMES if name is not None]
    asked = sessions["false"].createDataFrame([(name, 105) for name in names], "who string, t long")
    answers = KEPT.run(asked, rows(sessions["false"])).drop("t").collect()
    found = view.fetch(names, at=105)
    assert [{"who": name} | found[name] for name in names] == in_order_of(names, answers)


def in_order_of(names: list[str], answers: list[Any]) -> list[dict[str, Any]]:
    return sorted((row.asDict() for row in answers), key=lambda row: names.index(row["who"]))


def test_streams_take_large_text(sessions: dict[str, SparkSession], tmp_path: Path) -> None:
    spark = sessions["true"]
    near = wb.Frame.rows(-1, 0)
    asked: dict[str, Any] = {"least": fn.min("word"), "most": fn.max("raw")}
    timed = rows(spark).withColumn("at", F.timestamp_seconds(F.col("t") + 1)).coalesce(1)
    timed.write.parquet(str(tmp_path / "rows"))
    late = timed.limit(1).withColumn("at", F.timestamp_seconds(F.lit(9_999_999)))
    late.write.mode("append").parquet(str(tmp_path / "rows"))
    found: dict[str, list[str]] = {}
    for emit, mode in (("on window close", "append"), ("on update", "update")):
        reader = spark.readStream.schema(timed.schema).option("maxFilesPerTrigger", 1)
        stream = reader.parquet(str(tmp_path / "rows")).withWatermark("at", "0 seconds")
        rows_of = found.setdefault(emit, [])
        answers = wb.over(stream, "who", "at", near, emit=emit, **asked)

        def keep(batch: DataFrame, _: int, rows_of: list[str] = rows_of) -> None:
            rows_of += given(batch.where("at < '1970-02-01'").drop("op"))

        writer = answers.writeStream.foreachBatch(keep).outputMode(mode)
        writer = writer.option("checkpointLocation", str(tmp_path / emit))
        # One behind the other: Spark gives the Python that it starts beside the driver ten seconds
        # to begin, which two at once have exceeded on a busy machine.
        finish(writer.trigger(availableNow=True).start())
    plain = rows(sessions["false"]).withColumn("at", F.timestamp_seconds(F.col("t") + 1))
    expected = given(wb.over(plain, "who", "at", near, **asked))
    assert {emit: sorted(one) for emit, one in found.items()} == dict.fromkeys(found, expected)


def finish(query: StreamingQuery) -> None:
    assert query.awaitTermination(300)
    assert query.exception() is None
