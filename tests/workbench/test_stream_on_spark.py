"""Windows over streams on Spark: what leaves is what batch says, once, whatever breaks between."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.clusters import Cluster
from tests.conftest import RunOn
from tests.workbench import stream_queries as q

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    q.write_files(folder)
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession, files: Path) -> list[tuple[Any, ...]]:
    return q.by_batch(spark, files)


@pytest.fixture(scope="module")
def done(spark: SparkSession, files: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A query that nothing has disturbed: its folder, and itself."""
    folder = tmp_path_factory.mktemp("done")
    query = q.start(q.windows(q.stream_of(spark, files)), folder, q.keep_in(folder))
    query.awaitTermination()
    return folder, query


def test_every_row_leaves_once_as_in_batch(
    spark: SparkSession, done: Any, expected: list[tuple[Any, ...]]
) -> None:
    assert len(expected) == 240
    assert q.answers_in(spark, done[0]) == expected


def test_late_rows_are_counted_in_the_progress_and_in_the_checkpoint(done: Any) -> None:
    folder, query = done
    assert wb.late_rows(query) == wb.late_rows(folder / "checkpoint") == q.LATE
    assert sum(counts["closed_rows"] for counts in wb.stream_counts(query)) == 241


def test_a_persons_view_of_the_state(done: Any) -> None:
    state = wb.stream_state(done[0] / "checkpoint").orderBy("user").toPandas()
    assert list(state.columns) == ["user", "rows", "oldest", "newest", "bytes"]
    assert len(state) == 10
    assert (state["rows"][:9] == 5).all()  # those that the next row's frame reaches
    assert (state["oldest"] <= state["newest"]).all()
    assert (state["bytes"] > 0).all()


class BrokenError(RuntimeError):
    """What a sink that breaks says."""


def breaking(folder: Path, moments: set[tuple[int, str]]) -> q.Batches:
    """A sink that breaks once at each moment: before a micro-batch is kept, or behind it."""
    keep = q.keep_in(folder)

    def each(batch: DataFrame, number: int) -> None:
        for moment in ("before", "behind"):
            if moment == "behind":
                keep(batch, number)
            if (number, moment) in moments:
                moments.remove((number, moment))
                raise BrokenError(f"{moment} {number}")

    return each


def test_a_query_that_breaks_within_and_between_micro_batches_goes_on_as_if_not(
    spark: SparkSession, files: Path, tmp_path: Path, expected: list[tuple[Any, ...]]
) -> None:
    moments = {(0, "behind"), (2, "before"), (3, "before"), (3, "behind")}
    each = breaking(tmp_path, moments)
    for left in (3, 2, 1, 0):
        query = q.start(q.windows(q.stream_of(spark, files)), tmp_path, each)
        with pytest.raises(StreamingQueryException, match="BrokenError"):
            query.awaitTermination()
        assert len(moments) == left
    q.start(q.windows(q.stream_of(spark, files)), tmp_path, each).awaitTermination()
    assert q.answers_in(spark, tmp_path) == expected
    assert wb.late_rows(tmp_path / "checkpoint") == q.LATE


def test_a_checkpoint_that_was_begun_otherwise_is_refused(
    spark: SparkSession, files: Path, done: Any
) -> None:
    extra = q.write_one(files, 900, q.user_of_new_bucket(spark, 4, 7))
    try:
        other = wb.over(
            q.stream_of(spark, files), "user", "at", emit="on window close",
            **(q.FUNCTIONS | {"before": wb.fn.lag("id", 2)}),
        )  # fmt: skip
        with pytest.raises(StreamingQueryException, match="begun by another window call"):
            q.start(other, done[0], q.nowhere).awaitTermination()
        partitions = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
        spark.conf.set("spark.sql.shuffle.partitions", partitions + 3)
        try:
            found = q.windows(q.stream_of(spark, files))
            with pytest.raises(StreamingQueryException, match=f"begun with {partitions} buckets"):
                q.start(found, done[0], q.nowhere).awaitTermination()
        finally:
            spark.conf.set("spark.sql.shuffle.partitions", partitions)
    finally:
        extra.unlink()


def test_a_driver_that_is_killed_within_a_micro_batch_is_followed_by_another(
    spark: SparkSession, files: Path, tmp_path: Path, expected: list[tuple[Any, ...]]
) -> None:
    command = [sys.executable, "-m", "tests.workbench.stream_queries", str(files), str(tmp_path)]
    driver = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        q.wait_for(tmp_path / "answers" / "_spark_metadata" / "2")
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    q.run_to_the_end(spark, files, tmp_path)
    assert q.answers_in(spark, tmp_path) == expected


@pytest.mark.cluster
def test_a_worker_that_is_killed_within_a_micro_batch_is_no_loss(
    cluster: Cluster, files: Path, tmp_path: Path, expected: list[tuple[Any, ...]]
) -> None:
    found = cluster.submit(q.run_and_read, str(files), str(tmp_path))
    try:
        q.wait_for(tmp_path / "answers" / "_spark_metadata" / "2")
        cluster.kill("worker-1")
        assert found.result() == expected
    finally:
        if "worker-1" not in cluster.running:
            cluster.start_worker("worker-1")


def test_spark_connect_gives_the_same(
    run_on: RunOn, files: Path, tmp_path: Path, expected: list[tuple[Any, ...]]
) -> None:
    assert run_on("connect", q.run_and_read, str(files), str(tmp_path)) == expected
