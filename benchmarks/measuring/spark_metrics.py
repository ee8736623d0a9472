"""The memory of Spark's workers while something runs, its longest task, what went to disks."""

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
#: What a session of the workbench has its workers forked by.
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
    """Return how many seconds the longest task took of the last stage of what is run."""
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


def on_disks(spark: "SparkSession") -> int:
    """Return the bytes that Spark has shuffled or moved from its memory to its disks so far.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic one. Of the stages that it keeps, 1,000 by default.

    Returns
    -------
    int
    """
    context, gateway = spark.sparkContext, spark.sparkContext._gateway
    assert gateway is not None
    no_quantiles = gateway.new_array(gateway.jvm.double, 0)
    found = context._jsc.sc().statusStore().stageList(None, False, False, no_quantiles, None)
    stages = [found.apply(i) for i in range(found.size())]
    return sum(int(one.diskBytesSpilled()) + int(one.shuffleWriteBytes()) for one in stages)
