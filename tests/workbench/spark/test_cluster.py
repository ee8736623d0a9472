"""The same code gives the same answer on classic Spark, Spark Connect and a cluster."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import KINDS, Cluster
from workbench import fn
from workbench.spark.shipping import ship, ship_ahead

RunOn = Callable[..., Any]
Batches = Iterator[pa.RecordBatch]
#: Modules that workers do not need. Pandas is not listed, as Arrow loads it.
ONLY_FOR_DRIVERS = {"plotly", "IPython", "psutil", "workbench.widgets"}


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


def loaded_before_a_call(spark: SparkSession) -> bool:
    """Return whether workers of a new session load the kernels before the first query."""

    def look(batches: Batches) -> Batches:
        loaded = "kernels.core.kernel" in sys.modules
        for _ in batches:
            yield pa.RecordBatch.from_pydict({"loaded": [loaded]})

    def loaded_in_worker() -> list[bool]:
        rows = session.range(1, numPartitions=1).mapInArrow(look, "loaded boolean").collect()
        return [row.loaded for row in rows]

    session = spark.newSession()
    assert loaded_in_worker() == [False]
    ship_ahead(session)
    end = time.monotonic() + 60
    while not (is_loaded := loaded_in_worker()[0]) and time.monotonic() < end:
        time.sleep(0.1)
    session.stop()
    return is_loaded


@pytest.mark.cluster
def test_workers_have_loaded_the_kernels_before_the_first_call(run_on: RunOn) -> None:
    assert run_on("connect", loaded_before_a_call)


def kernels_of_workers(spark: SparkSession) -> list[tuple[int, int, list[str]]]:
    """Return of each worker after its first calls: how many kernels it has loaded and compiled,
    and which modules it has imported needlessly."""
    rows = "id % 4 AS key", "id AS time", "id % 3 AS step", "double(id % 7) AS v"
    events = spark.range(4000, numPartitions=2).selectExpr(*rows)
    steps = {"first": "step = 0", "second": "step = 1"}
    levels = wb.Funnel(steps, window=5, key="key", time="time").levels(events)
    assert [row.level for row in levels.collect()] == [2] * 4
    around = wb.Frame.rows(-9, 9)
    quantile: dict[str, Any] = {"tenth": fn.quantile("v", 0.1)}
    five: dict[str, Any] = {"sum": fn.sum("v"), "mode": fn.mode("v"), "n": fn.count_distinct("v")}
    five |= {"before": fn.lag("v"), "median": fn.median("v")}
    for functions in (quantile, five):
        assert wb.over(events, "key", "time", around, **functions).count() == 4000

    def look(batches: Batches) -> Batches:
        from kernels.core.kernel import registry

        stats = [one.lifted.stats for one in registry.values()]
        loaded = sum(sum(one.cache_hits.values()) for one in stats)
        compiled = sum(sum(one.cache_misses.values()) for one in stats)
        needless = sorted(ONLY_FOR_DRIVERS & sys.modules.keys())
        columns = {"loaded": [loaded], "compiled": [compiled], "needless": [needless]}
        for _ in batches:
            yield pa.RecordBatch.from_pydict(columns)

    schema = "loaded long, compiled long, needless array<string>"
    return [
        tuple(row) for row in spark.range(2, numPartitions=2).mapInArrow(look, schema).collect()
    ]


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS[1:])
def test_workers_that_have_compiled_nothing_load_the_kernels_of_their_driver(
    kind: str, run_on: RunOn
) -> None:
    loaded, compiled, needless = zip(*run_on(kind, kernels_of_workers), strict=True)
    assert min(loaded) >= 5
    assert sum(compiled) == 0
    assert needless == ([], [])


def sum_with_a_pause(spark: SparkSession, folder: Path) -> int:
    """Sum 0..9 in two tasks, each of which touches a file and waits for the file "go on"."""

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
