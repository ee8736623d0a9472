"""Queries over streams of files: what comes, how it is asked, and what batch says of it."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import workbench as wb
from workbench import Frame, fn
from workbench.session import PROVIDER, ROCKSDB
from workbench.stream_plan import bucket_names

SECOND = 1_000_000
#: 2024-05-01, in seconds.
START = 1_714_521_600
SCHEMA = "user string, at timestamp, value double, id long"
#: How late rows may come, in seconds, and how many come later than that.
DELAY, LATE = 20, 3
SENTINEL = "~ the end"

FUNCTIONS: dict[str, Any] = {
    "total": fn.sum("value").over(Frame.range("-30 seconds", 0)),
    "iqr": fn.quantile("value", [0.25, 0.75]).over(Frame.rows(-5, 0)),
    "before": fn.lag("id"),
    "number": fn.row_number(),
    "large": fn.count("value").where("value > 4").over(Frame.rows(-3, 0)),
    "around": fn.max("id").over(Frame.range("-5 seconds", "5 seconds")),
}


def write_files(folder: Path, files: int = 4, rows: int = 60, users: int = 9) -> None:
    """Write files whose rows come out of order, three of them too late, and one that ends all."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(5)
    for number in range(files):
        late = LATE if number == files - 1 else 0
        name = [f"user {n}" for n in random.integers(0, users, rows)] + ["user 1"] * late
        # No two rows of a user have one time, so that the order is determined.
        spread = number * 30 + random.integers(0, DELAY, rows)
        micros = (START + np.concatenate([spread, np.zeros(late, int)])) * SECOND
        ids = number * 1000 + np.arange(rows + late)
        _write(folder, number, name, micros + ids, random.integers(0, 9, rows + late), ids)
    for number in (files, files + 1):
        ids = np.array([number * 1000])
        _write(folder, number, [SENTINEL], (START + ids + 10_000) * SECOND, ids, ids)


def user_of_new_bucket(spark: SparkSession, before: int, now: int) -> str:
    """A user who goes to a bucket that there is among so many, but not among as many as before."""
    names = F.array(*map(F.lit, bucket_names(now)))
    users = spark.range(99).select(F.concat(F.lit("user "), F.col("id")).alias("user"))
    goes = names[F.pmod(F.hash(F.xxhash64("user")), F.lit(now))]
    found = users.where(~goes.isin(bucket_names(before))).limit(1).collect()
    return str(found[0][0])


def write_one(folder: Path, number: int, user: str) -> Path:
    """Write one more file, of a row behind all others."""
    ids = np.array([number * 1000])
    _write(folder, number, [user], (START + ids) * SECOND, ids, ids)
    return folder / f"{number:03}.parquet"


def _write(folder: Path, number: int, user: Any, at: Any, value: Any, ids: Any) -> None:
    time = pa.array(at.astype(np.int64)).cast(pa.timestamp("us", "UTC"))
    columns = {"user": user, "at": time, "value": value.astype(float), "id": ids}
    path = folder / f"{number:03}.parquet"
    pq.write_table(pa.table(columns), path)
    os.utime(path, (START + number, START + number))


def stream_of(spark: SparkSession, folder: Path) -> DataFrame:
    """The files as a stream, one a micro-batch, with a watermark."""
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    return files.withWatermark("at", f"{DELAY} seconds")


def windows(stream: DataFrame) -> DataFrame:
    return wb.over(stream, "user", "at", emit="on window close", **FUNCTIONS)


Batches = Callable[[DataFrame, int], None]


def start(found: DataFrame, folder: Path, each: Batches) -> StreamingQuery:
    """Start a query for all there is, with a checkpoint beside its answers."""
    checkpoint = found.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
    return checkpoint.foreachBatch(each).trigger(availableNow=True).start()


def keep_in(folder: Path) -> Batches:
    """Write each micro-batch to a place of its own, so that one that is done again counts once."""
    to = str(folder / "answers")

    def keep(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(f"{to}/batch={number}")

    return keep


def nowhere(batch: DataFrame, number: int) -> None:
    """Compute a micro-batch, as Spark wants its state written, and keep nothing."""
    batch.write.format("noop").mode("overwrite").save()


def answers_in(spark: SparkSession, folder: Path) -> list[tuple[Any, ...]]:
    """All answers that were kept, but for those of the rows that only end the stream."""
    return rows_of(spark.read.parquet(str(folder / "answers")).drop("batch"))


def rows_of(found: DataFrame) -> list[tuple[Any, ...]]:
    rows = found.where(F.col("user") != SENTINEL).orderBy("id").collect()
    return [tuple(row) for row in rows]


def by_batch(spark: SparkSession, folder: Path) -> list[tuple[Any, ...]]:
    """What the call answers for the rows that are in time, at rest."""
    df = spark.read.schema(SCHEMA).parquet(str(folder))
    late = (F.unix_micros("at") < F.lit((START + 1) * SECOND)) & (F.col("id") > 1000)
    return rows_of(wb.over(df.where(~late), "user", "at", engine="kernel", **FUNCTIONS))


def run_to_the_end(spark: SparkSession, files: Path, folder: Path) -> StreamingQuery:
    """Answer all files into files."""
    writer = windows(stream_of(spark, files)).writeStream.format("parquet")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(folder / "answers"))
    query.awaitTermination()
    return query


def run_and_read(spark: SparkSession, files: str, folder: str) -> list[tuple[Any, ...]]:
    """Answer all files into files, and return the answers; late rows must have been counted."""
    # A session that was there before does not have it.
    spark.conf.set(PROVIDER, ROCKSDB)
    query = run_to_the_end(spark, Path(files), Path(folder))
    assert wb.late_rows(query) == LATE
    assert wb.stream_state(f"{folder}/checkpoint").count() == 10
    return answers_in(spark, Path(folder))


def wait_for(path: Path, patience: float = 240) -> None:
    """Wait until a file is there."""
    end = time.monotonic() + patience
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.05)


if __name__ == "__main__":
    run_to_the_end(wb.session({"spark.master": "local[2]"}), Path(sys.argv[1]), Path(sys.argv[2]))
