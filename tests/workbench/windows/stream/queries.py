"""Queries over streams of files: their input, their window calls, and the batch answers."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import workbench as wb
from tests.clusters import PARTITIONS
from tests.workbench.windows.stream import files as files_of
from tests.workbench.windows.stream.files import DELAY, LATE, SENTINEL
from workbench import Frame, fn
from workbench.spark.sessions.session import PROVIDER, ROCKSDB
from workbench.windows.stream.plan import bucket_names
from workbench.windows.stream.worker.update import OP

#: Each costs a task and its Python worker in every micro-batch.
BUCKETS = 2
FUNCTIONS: dict[str, Any] = {
    "total": fn.sum("value").over(Frame.range("-30 seconds", 0)),
    "iqr": fn.quantile("value", [0.25, 0.75]).over(Frame.rows(-5, 0)),
    "before": fn.lag("id"),
    "number": fn.row_number(),
    "large": fn.count("value").where("value > 4").over(Frame.rows(-3, 0)),
    "around": fn.max("id").over(Frame.range("-5 seconds", "5 seconds")),
}


class Kind(NamedTuple):
    """A kind of query over a stream.

    Attributes
    ----------
    emit : str
    row_id : str or None
        For a changelog, which has no watermark here.
    partitions : int
        How many partitions the query retains at its end.
    """

    emit: str
    row_id: str | None
    partitions: int

    def files(self, files: Path) -> Path:
        return files / ("rows" if self.row_id is None else "changes")

    def stream(self, spark: SparkSession, files: Path) -> DataFrame:
        """Return the files as a stream, one file a micro-batch."""
        reader = spark.readStream.option("maxFilesPerTrigger", 1)
        stream = reader.schema(self.schema).parquet(str(self.files(files)))
        return stream if self.row_id else stream.withWatermark("at", f"{DELAY} seconds")

    def windows(self, spark: SparkSession, files: Path, **functions: Any) -> DataFrame:
        """Return the answers of the given functions, or of :data:`FUNCTIONS`."""
        stream = self.stream(spark, files)
        functions = functions or FUNCTIONS
        return wb.over(stream, "user", "at", emit=self.emit, row_id=self.row_id, **functions)

    @property
    def schema(self) -> str:
        return files_of.SCHEMA if self.row_id is None else f"{files_of.SCHEMA}, {OP} string"


KINDS = {
    "close": Kind("on window close", None, 10),
    "update": Kind("on update", None, 10),
    "changelog": Kind("on update", "id", 9),
}
#: Spark's error for a query whose Python worker started too late.
NOT_BEGUN = "Python worker failed to connect back"
Rows = list[tuple[Any, ...]]
Batches = Callable[[DataFrame, int], None]


def user_of_new_bucket(spark: SparkSession, now: int, before: int = BUCKETS) -> str:
    """Return a user whose bucket exists among ``now`` buckets, but not among ``before``."""
    names = F.array(*map(F.lit, bucket_names(now)))
    users = spark.range(99).select(F.concat(F.lit("user "), F.col("id")).alias("user"))
    bucket = names[F.pmod(F.hash(F.xxhash64("user")), F.lit(now))]
    moved = users.where(~bucket.isin(bucket_names(before))).limit(1).collect()
    return str(moved[0][0])


def start(answers: DataFrame, folder: Path, each: Batches) -> StreamingQuery:
    """Start a query over all available files, with its checkpoint next to its answers."""
    writer = answers.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
    return writer.foreachBatch(each).trigger(availableNow=True).start()


def keep_in(folder: Path) -> Batches:
    """Return a sink with a folder for each micro-batch, so that a repeated one counts once."""

    def keep(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(f"{folder}/answers/{number}")

    return keep


def nowhere(batch: DataFrame, number: int) -> None:
    """Compute a micro-batch, so that Spark writes its state, and store nothing."""
    batch.write.format("noop").mode("overwrite").save()


def answers_in(folder: Path, row_id: str | None = None) -> Rows:
    """Return all answers in a folder, except those of the rows that only end the stream.

    Changes are folded micro-batch by micro-batch; removing a row that is not there fails.
    """
    answers: pa.Table | None = None
    for batch in _batches_in(folder / "answers"):
        if OP in batch.column_names:
            answers = wb.folded(answers, batch, row_id)
        else:
            answers = batch if answers is None else pa.concat_tables([answers, batch])
    assert answers is not None
    return _rows(answers)


def _batches_in(answers: Path) -> Iterator[pa.Table]:
    """Return the output of each micro-batch in order: by the log of Spark's sink, or by folder."""
    log = answers / "_spark_metadata"
    if log.exists():
        batches = {int(p.name): files_of.named_in(p) for p in log.iterdir() if p.name.isdigit()}
    else:
        batches = {int(p.name): sorted(p.glob("*.parquet")) for p in answers.iterdir()}
    assert sorted(batches) == list(range(len(batches)))
    for number in sorted(batches):
        tables = [pq.read_table(path) for path in batches[number]]
        tables = [table for table in tables if table.num_columns]
        if tables:
            yield pa.concat_tables(tables)


def _rows(answers: pa.Table) -> Rows:
    """Return rows for comparison: ordered by id, with times as numbers."""
    at = answers.column("at").cast(pa.timestamp("us")).cast(pa.int64())
    answers = answers.set_column(answers.column_names.index("at"), "at", at)
    answers = answers.filter(pc.not_equal(answers.column("user"), SENTINEL)).sort_by("id")
    return [tuple(row.values()) for row in answers.to_pylist()]


def by_batch(spark: SparkSession, files: Path, kind: str) -> Rows:
    """Return the batch answers over the rows in time, or over those that a changelog folds to."""
    if KINDS[kind].row_id:
        df = spark.createDataFrame(files_of.rows_of_changes())
    else:
        df = spark.read.schema(files_of.SCHEMA).parquet(str(KINDS[kind].files(files)))
        late = (F.unix_seconds("at") < files_of.START + 1) & (F.col("id") > 1000)
        df = df.where(~late)
    return _rows(wb.over(df, "user", "at", engine="kernel", **FUNCTIONS).toArrow())


def run_to_the_end(spark: SparkSession, files: Path, folder: Path) -> dict[str, StreamingQuery]:
    """Run all kinds of queries over all files at once, into files."""

    def begin(name: str) -> StreamingQuery:
        writer = KINDS[name].windows(spark, files).writeStream.format("parquet").queryName(name)
        writer = writer.option("checkpointLocation", str(folder / name / "checkpoint"))
        return writer.trigger(availableNow=True).start(str(folder / name / "answers"))

    queries = {name: begin(name) for name in KINDS}
    for name, query in queries.items():
        try:
            query.awaitTermination()
        except StreamingQueryException as error:
            # Spark gives the Python that it starts next to the driver ten seconds to begin, which
            # three at once have exceeded on a busy machine; the query then has done nothing yet.
            if NOT_BEGUN not in str(error):
                raise
            queries[name] = begin(name)
            queries[name].awaitTermination()
    return queries


def run_and_read(spark: SparkSession, files: str, folder: str) -> dict[str, Rows]:
    """Run all kinds of queries over all files, check their counts, and return their answers."""
    # A session that already existed does not have this setting.
    spark.conf.set(PROVIDER, ROCKSDB)
    spark.conf.set(PARTITIONS, BUCKETS)
    queries = run_to_the_end(spark, Path(files), Path(folder))
    for name, kind in KINDS.items():
        checkpoint = f"{folder}/{name}/checkpoint"
        assert wb.late_rows(queries[name]) == (0 if kind.row_id else LATE)
        assert wb.stream_state(checkpoint).count() == kind.partitions
    return read(Path(folder))


def read(folder: Path) -> dict[str, Rows]:
    """Return the answers of all kinds of queries."""
    return {name: answers_in(folder / name, kind.row_id) for name, kind in KINDS.items()}


def wait_for_batch(folder: Path, number: int, patience: float = 240) -> None:
    """Wait until all kinds of queries have finished a micro-batch."""
    end = time.monotonic() + patience
    paths = [folder / name / "answers" / "_spark_metadata" / str(number) for name in KINDS]
    while not all(path.exists() for path in paths):
        if time.monotonic() > end:
            raise TimeoutError(paths)
        time.sleep(0.05)


if __name__ == "__main__":
    session = wb.session({"spark.master": "local[2]", PARTITIONS: BUCKETS})
    run_to_the_end(session, Path(sys.argv[1]), Path(sys.argv[2]))
