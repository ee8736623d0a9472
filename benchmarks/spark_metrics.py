"""What Spark itself says of a run: bytes that were shuffled, and the memory of its workers."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.request import ProxyHandler, build_opener
from uuid import uuid4

import psutil

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE, BETWEEN_SAMPLES = 10.0, 0.02


def shuffled(spark: "SparkSession", run: Callable[[], Any]) -> int:
    """Run something, and return how many bytes its jobs wrote to shuffles.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    run : function

    Returns
    -------
    int
    """
    context, group = spark.sparkContext, uuid4().hex
    context.setJobGroup(group, "measured")
    try:
        run()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    tracker = context.statusTracker()
    jobs = (tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group))
    stages = {stage for job in jobs if job is not None for stage in job.stageIds}
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    return sum(one["shuffleWriteBytes"] for one in _complete(address) if one["stageId"] in stages)


def _complete(address: str) -> Iterator[dict[str, Any]]:
    # The web pages hear of a stage's end a little later.
    time.sleep(1.0)
    with build_opener(ProxyHandler({})).open(f"{address}?status=complete", timeout=PATIENCE) as at:
        yield from json.load(at)


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
            if "pyspark.daemon" in process.cmdline():
                sizes.append(process.memory_info().rss)
        except psutil.Error:
            continue
    return sizes
