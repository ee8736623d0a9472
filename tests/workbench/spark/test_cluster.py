"""The same code gives the same answer on classic Spark, Spark Connect and a cluster."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.clusters import KINDS, Cluster
from workbench.spark.shipping import ship

RunOn = Callable[..., Any]
Batches = Iterator[pa.RecordBatch]


def packages_seen_by_a_worker(spark: SparkSession) -> list[str]:
    def look(batches: Batches) -> Batches:
        import kernels
        import workbench

        names = [kernels.__name__, workbench.__name__]
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"name": names})

    ship(spark)
    ship(spark)
    rows = spark.range(1, numPartitions=1).mapInArrow(look, "name string").collect()
    return [row.name for row in rows]


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
def test_workers_import_both_packages_without_anyone_copying_files(
    kind: str, run_on: RunOn
) -> None:
    assert run_on(kind, packages_seen_by_a_worker) == ["kernels", "workbench"]


def sum_with_a_pause(spark: SparkSession, folder: Path) -> int:
    """Sum 0..9 in two tasks that each leave a note and wait for the word to go on."""

    def add(batches: Batches) -> Batches:
        from pyspark import TaskContext

        task = TaskContext.get()
        assert task is not None
        (folder / f"task-{task.taskAttemptId()}").touch()
        while not (folder / "go on").exists():
            time.sleep(0.05)
        for batch in batches:
            yield pa.RecordBatch.from_pydict({"n": [sum(batch.column(0).to_pylist())]})

    rows = spark.range(10, numPartitions=2).mapInArrow(add, "n long").collect()
    return sum(row.n for row in rows)


@pytest.mark.cluster
def test_a_worker_killed_during_a_job_costs_a_retry_and_not_an_answer(
    cluster: Cluster, tmp_path: Path
) -> None:
    answer = cluster.submit(sum_with_a_pause, tmp_path)
    while len(list(tmp_path.glob("task-*"))) < 2:
        assert not answer.done(), answer.result()
        time.sleep(0.1)
    cluster.kill("worker-1")
    try:
        (tmp_path / "go on").touch()
        assert answer.result() == sum(range(10))
        assert len(list(tmp_path.glob("task-*"))) > 2
    finally:
        cluster.start_worker("worker-1")
