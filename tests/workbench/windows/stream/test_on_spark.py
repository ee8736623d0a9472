"""Windows over streams on Spark emit the batch answers, each once, whatever fails in between."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

import workbench as wb
from tests.clusters import PARTITIONS, Cluster, session_options
from tests.conftest import RunOn
from tests.workbench.windows.stream import queries as q
from tests.workbench.windows.stream.files import LATE, write_files, write_one
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.windows.stream import plan as stream_plan
from workbench.windows.stream.worker.packing import VERSION, Seal

ROOT = Path(__file__).parents[4]


every_kind = pytest.mark.parametrize("kind", list(q.KINDS))


@pytest.fixture(scope="module", autouse=True)
def few_buckets(spark: SparkSession) -> Iterator[None]:
    with session_options(spark, {PARTITIONS: q.BUCKETS}):
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession, files: Path) -> dict[str, q.Rows]:
    return {kind: q.by_batch(spark, files, kind) for kind in q.KINDS}


Done = tuple[Path, dict[str, StreamingQuery]]


@pytest.fixture(scope="module")
def done(spark: SparkSession, files: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Return the folder of queries that ran without a failure, and the queries."""
    folder = tmp_path_factory.mktemp("done")
    return folder, q.run_to_the_end(spark, files, folder)


def test_the_output_folds_to_the_batch_answers(done: Done, expected: dict[str, q.Rows]) -> None:
    assert [len(rows) for rows in expected.values()] == [240, 240, 192]
    assert q.read(done[0]) == expected


def test_late_rows_are_counted_in_the_progress_and_in_the_checkpoint(done: Done) -> None:
    folder, queries = done
    for kind, late in {"close": LATE, "update": LATE, "changelog": 0}.items():
        assert wb.late_rows(queries[kind]) == late
        assert wb.late_rows(folder / kind / "checkpoint") == late
    assert sum(counts["closed_rows"] for counts in wb.stream_counts(queries["close"])) == 241


def test_the_state_can_be_read_as_a_table(done: Done) -> None:
    states = {
        kind: wb.stream_state(done[0] / kind / "checkpoint").orderBy("user").toPandas()
        for kind in q.KINDS
    }
    for kind, state in states.items():
        assert list(state.columns) == ["user", "rows", "oldest", "newest", "bytes"]
        assert len(state) == q.KINDS[kind].partitions
        assert (state["oldest"] <= state["newest"]).all()
        assert (state["bytes"] > 0).all()
    assert (states["close"]["rows"][:9] == 5).all()  # those that the next row's frame reaches
    assert states["update"]["rows"].sum() < 60
    assert states["changelog"]["rows"].sum() == 192  # without a watermark, all


class BrokenError(RuntimeError):
    """The error of a sink that breaks."""


def breaking(folder: Path, moments: set[tuple[int, str]]) -> q.Batches:
    """Return a sink that breaks once at each moment: before a micro-batch is stored, or after."""
    keep = q.keep_in(folder)

    def each(batch: DataFrame, number: int) -> None:
        for moment in ("before", "after"):
            if moment == "after":
                keep(batch, number)
            if (number, moment) in moments:
                moments.remove((number, moment))
                raise BrokenError(f"{moment} {number}")

    return each


@every_kind
def test_a_query_that_breaks_within_and_between_micro_batches_has_the_same_answers(
    spark: SparkSession, files: Path, tmp_path: Path, expected: dict[str, q.Rows], kind: str
) -> None:
    moments = {(0, "after"), (2, "before"), (3, "before"), (3, "after")}
    each, query_kind = breaking(tmp_path, moments), q.KINDS[kind]
    for left in (3, 2, 1, 0):
        query = q.start(query_kind.windows(spark, files), tmp_path, each)
        with pytest.raises(StreamingQueryException, match="BrokenError"):
            query.awaitTermination()
        assert len(moments) == left
    q.start(query_kind.windows(spark, files), tmp_path, each).awaitTermination()
    assert q.answers_in(tmp_path, query_kind.row_id) == expected[kind]
    assert wb.late_rows(tmp_path / "checkpoint") == (0 if query_kind.row_id else LATE)


@every_kind
def test_a_checkpoint_of_another_query_is_refused(
    spark: SparkSession, files: Path, done: Done, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    query_kind, folder = q.KINDS[kind], done[0] / kind
    extra = write_one(query_kind.files(files), 900, q.user_of_new_bucket(spark, q.BUCKETS + 3))

    def refused(message: str, **functions: Function) -> None:
        answers = query_kind.windows(spark, files, **functions)
        with pytest.raises(StreamingQueryException, match=message):
            q.start(answers, folder, q.nowhere).awaitTermination()

    try:
        refused("begun by another window call", **(q.FUNCTIONS | {"before": wb.fn.lag("id", 2)}))
        with session_options(spark, {PARTITIONS: q.BUCKETS + 3}):
            refused(f"begun with {q.BUCKETS} buckets, but the query now has {q.BUCKETS + 3}; set")
        with monkeypatch.context() as patch:
            patch.setattr(stream_plan, "Seal", partial(Seal, version=VERSION + 1))
            refused(f"has the format {VERSION}, but .* writes {VERSION + 1}; continue with the")
    finally:
        extra.unlink()


def computed(
    other: str = "'user'", less: int = 1, before: int = 2, otherwise: int = 0
) -> dict[str, Function]:
    """Functions of values that no column holds."""
    sizes = F.transform(F.array("id"), lambda id: id - less)
    return {
        "others": wb.fn.count("value").where(f"user <> {other}"),
        "ids": wb.fn.max(sizes[0].alias("size")),
        "around": wb.fn.count().over(Frame.rows(-(F.col("id") % before), 0)),
        "last": wb.fn.lag("id", default=otherwise),
    }


def test_a_checkpoint_is_bound_to_the_expressions_of_computed_values(
    spark: SparkSession, files: Path, tmp_path: Path
) -> None:
    kind, folder = q.KINDS["update"], tmp_path / "in"
    rows = folder / "rows"
    rows.mkdir(parents=True)
    shutil.copy2(next(iter(kind.files(files).glob("*.parquet"))), rows)

    def run(**changed: Any) -> None:
        answers = kind.windows(spark, folder, **computed(**changed))
        q.start(answers, tmp_path, q.nowhere).awaitTermination()

    run()
    write_one(rows, 800, "user 1")
    # The same expressions, as new objects.
    run()
    write_one(rows, 900, "user 1")
    # Spark's names of both conditions are the same.
    column_for_text = {"other": "user"}
    for changed in (column_for_text, {"less": 2}, {"before": 3}, {"otherwise": 9}):
        with pytest.raises(StreamingQueryException, match="begun by another window call"):
            run(**changed)


def test_a_checkpoint_that_has_lost_files_is_one_sentence(done: Done, tmp_path: Path) -> None:
    checkpoint = shutil.copytree(done[0] / "close" / "checkpoint", tmp_path / "checkpoint")
    lost = [one for end in ("zip", "changelog") for one in checkpoint.glob(f"state/0/*/*.{end}")]
    assert lost
    for one in lost:
        one.unlink()
    for read in (wb.stream_state, wb.late_rows):
        with pytest.raises(
            wb.WorkbenchError, match=r"checkpoint: .* cannot be read, .* restore the"
        ):
            read(checkpoint)


def test_another_driver_continues_after_one_is_killed_within_a_micro_batch(
    spark: SparkSession, files: Path, tmp_path: Path, expected: dict[str, q.Rows]
) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.workbench.windows.stream.queries",
        str(files),
        str(tmp_path),
    ]
    driver = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        q.wait_for_batch(tmp_path, 2)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    q.run_to_the_end(spark, files, tmp_path)
    assert q.read(tmp_path) == expected


@pytest.mark.cluster
def test_a_worker_that_is_killed_within_a_micro_batch_loses_nothing(
    cluster: Cluster, files: Path, tmp_path: Path, expected: dict[str, q.Rows]
) -> None:
    answers = cluster.submit(q.run_and_read, str(files), str(tmp_path))
    try:
        q.wait_for_batch(tmp_path, 2)
        cluster.kill("worker-1")
        assert answers.result() == expected
    finally:
        if "worker-1" not in cluster.running:
            cluster.start_worker("worker-1")


def test_spark_connect_gives_the_same_answers(
    run_on: RunOn, files: Path, tmp_path: Path, expected: dict[str, q.Rows]
) -> None:
    assert run_on("connect", q.run_and_read, str(files), str(tmp_path)) == expected


def test_rows_before_1970_are_emitted_when_the_watermark_is_after_1970(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Even if no more rows of their partition arrive: Spark's watermark begins at 1970."""
    users = {"1969-12-30": range(9), "1970-01-05": [9], "1970-01-09": [10]}
    for day, several in users.items():
        rows = [(user, f"{day} 00:00:00Z") for user in several]
        table = spark.createDataFrame(rows, "user long, at string")
        table = table.selectExpr("user", "CAST(at AS timestamp) AS at")
        table.coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))
    files = spark.readStream.schema("user long, at timestamp").option("maxFilesPerTrigger", 1)
    stream = files.parquet(str(tmp_path / "in")).withWatermark("at", "1 hour")
    closed = wb.over(stream, "user", "at", emit="on window close", n=wb.fn.row_number())
    sink = closed.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    sink.trigger(availableNow=True).start(str(tmp_path / "out")).awaitTermination()
    emitted = spark.read.parquet(str(tmp_path / "out")).select("user").collect()
    assert sorted(row.user for row in emitted) == [*range(10)]
