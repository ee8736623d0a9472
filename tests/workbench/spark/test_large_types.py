"""Sessions whose text and bytes come with places of 64 bits get the answers of others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

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
FUNNEL = wb.Funnel(["view", "cart", "buy"], 60, "who", "t", "word")


def rows(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, SCHEMA).repartition(3, "id")


def given(df: DataFrame) -> list[str]:
    return sorted(str(row.asDict()) for row in df.collect())


def levels(spark: SparkSession, folder: Path) -> Any:
    people = FUNNEL.people(rows(spark), 1)
    steps = FUNNEL.steps(rows(spark), by="word")
    return given(FUNNEL.levels(rows(spark))), given(people), steps.to_dict()


def prepared(spark: SparkSession, folder: Path) -> Any:
    with wb.prepare(rows(spark), "who", "t", "word", keep=["raw"]) as held:
        steps = FUNNEL.steps(held, by="raw").to_dict()
        return held.names, held.keys, given(FUNNEL.levels(held)), steps


def windows(spark: SparkSession, folder: Path) -> Any:
    asked = {"least": fn.min("word"), "all": fn.string_agg("word"), "raws": fn.max("raw")}
    near = wb.Frame.rows(-2, 1)
    whole = wb.over(rows(spark), "who", ["t", "id"], near, **asked)
    cut = wb.over(rows(spark), "raw", ["word", "id"], near, least=fn.min("who"), cut=4)
    return given(whole), given(cut)


def quantiles(spark: SparkSession, folder: Path) -> Any:
    return given(wb.quantiles(rows(spark), ["word", "who"], 0.5, by="raw", kind="disc"))


def features(method: str) -> Callable[[SparkSession, Path], Any]:
    def run(spark: SparkSession, folder: Path) -> Any:
        queries = rows(spark).select("id", "who", (F.col("t") + 1).alias("t"), "raw")
        return given(BACKFILL.run(queries, rows(spark), method=method))

    return run


def lives(spark: SparkSession, folder: Path) -> Any:
    seen = rows(spark).where("t < 90").withColumn("day", F.lit(50).cast("long"))
    made = rows(spark).withColumn("op", F.lit("insert")).withColumn("at", F.lit(60).cast("long"))
    named = {"key": "who", "id": "word", "time": "t"}
    entities = wb.Entities(seen, made, date="day", mutation_time="at", op="op", **named)
    queries = rows(spark).select("id", "who", (F.col("t") + 1).alias("t"))
    return given(KEPT.run(queries, entities)), given(entities.problems())


def served(spark: SparkSession, folder: Path) -> Any:
    view = wb.OnlineView(KEPT, folder / "store")
    uploaded = view.upload(rows(spark), 50)
    rows(spark).coalesce(1).write.parquet(str(folder / "new"))
    stream = spark.readStream.schema(SCHEMA).parquet(str(folder / "new"))
    query = view.update(stream, folder / "checkpoint", {"availableNow": True})
    assert query.awaitTermination(120)
    assert query.exception() is None
    return uploaded, dict(view.fetch([name for name in NAMES if name is not None], at=101))


def streamed(emit: str) -> Callable[[SparkSession, Path], Any]:
    def run(spark: SparkSession, folder: Path) -> Any:
        timed = rows(spark).withColumn("at", F.timestamp_seconds("t")).coalesce(1)
        timed.sortWithinPartitions("t").write.parquet(str(folder / "rows"))
        stream = spark.readStream.schema(timed.schema).parquet(str(folder / "rows"))
        late = stream.withWatermark("at", "200 seconds")
        near, asked = wb.Frame.rows(-1, 0), {"least": fn.min("word"), "most": fn.max("raw")}
        found = wb.over(late, "who", "at", near, emit=emit, **asked)
        seen: list[str] = []
        writer = found.writeStream.foreachBatch(lambda batch, _: seen.extend(given(batch)))
        mode = "append" if emit == "on window close" else "update"
        query = (
            writer.outputMode(mode)
            .option("checkpointLocation", str(folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)
        assert query.exception() is None
        return sorted(seen)

    return run


PATHS: dict[str, Callable[[SparkSession, Path], Any]] = {
    "funnels": levels,
    "prepared events": prepared,
    "windows": windows,
    "quantiles": quantiles,
    **{method: features(method) for method in ("scan", "sawtooth", "tree", "auto", "naive")},
    "entities": lives,
    "online view": served,
    "on window close": streamed("on window close"),
    "on update": streamed("on update"),
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
