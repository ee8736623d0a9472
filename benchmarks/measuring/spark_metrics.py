"""Spark's metrics: the memory of Python workers, the longest task, and bytes written to disks."""

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import psutil

from workbench.spark.sessions import worker_daemon

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BETWEEN_SAMPLES, MOST_TASKS = 0.02, 10_000
#: The module of the daemon that forks the workers of a workbench session.
DAEMON = worker_daemon.__name__


class WorkerPeak:
    """The most memory that any of Spark's Python workers holds while the context is open."""

    def __enter__(self) -> "WorkerPeak":
        self.most, self.done = 0, threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self.watcher.join()

    def _watch(self) -> None:
        while not self.done.wait(BETWEEN_SAMPLES):
            self.most = max(self.most, max(worker_bytes(), default=0))


def worker_bytes() -> list[int]:
    """Return the memory of each Python worker of this process's local Spark."""
    sizes = []
    for process in psutil.Process(os.getpid()).children(recursive=True):
        try:
            if DAEMON in process.cmdline():
                sizes.append(process.memory_info().rss)
        except psutil.Error:
            continue
    return sizes


def longest_task(spark: "SparkSession", run: Callable[[], object]) -> float:
    """Return the seconds of the longest task in the last stage of a run."""
    context, name = spark.sparkContext, f"longest task {time.monotonic_ns()}"
    context.setJobGroup(name, name)
    try:
        run()
    finally:
        context.setJobGroup("", "")
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(name)]
    stage = max(stage for job in jobs if job is not None for stage in job.stageIds)
    store = context._jsc.sc().statusStore()
    tasks = store.taskList(stage, 0, MOST_TASKS)
    each = [float(tasks.apply(i).duration().get()) for i in range(tasks.size())]
    return max(each) / 1_000


def disk_bytes(spark: "SparkSession") -> int:
    """Return the bytes that Spark has shuffled or spilled to its disks so far.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic one. It counts the stages that it keeps, 1,000 by default.

    Returns
    -------
    int
    """
    context, gateway = spark.sparkContext, spark.sparkContext._gateway
    assert gateway is not None
    no_quantiles = gateway.new_array(gateway.jvm.double, 0)
    listing = context._jsc.sc().statusStore().stageList(None, False, False, no_quantiles, None)
    stages = [listing.apply(i) for i in range(listing.size())]
    return sum(int(one.diskBytesSpilled()) + int(one.shuffleWriteBytes()) for one in stages)
