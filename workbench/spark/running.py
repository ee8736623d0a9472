"""The Spark jobs of one call while they run: their progress, and how to cancel them.

The jobs are identified by a tag, which leaves the user's own job group unchanged.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast
from uuid import uuid4

from workbench.spark.shipping import is_connect

if TYPE_CHECKING:
    from pyspark.core.status import SparkStageInfo
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.shell.progress import StageInfo

#: Spark's property that interrupts the Java threads of a cancelled job; else they poll a flag.
INTERRUPT = "spark.job.interruptOnCancel"
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class JobProgress:
    """The progress of the jobs of a call.

    Attributes
    ----------
    stages : int
        The number of stages that have begun. Spark plans while it runs, so the total is unknown.
    tasks, done : int
        The tasks of the newest stage, and how many of them are done.
    rows : int
        The rows that the newest stage has read; Spark counts them when a task ends.
    size : int
        The bytes that it has read, if rows are unknown, as over Spark Connect.

    Examples
    --------
    >>> JobProgress(stages=3, tasks=200, done=12, rows=1_204_000).words
    'stage 3 · 12 of 200 tasks · 1,204,000 rows'
    >>> JobProgress(1, 8, 2, size=12_400_000).words
    'stage 1 · 2 of 8 tasks · 12.4 MB'
    """

    stages: int
    tasks: int
    done: int
    rows: int = 0
    size: int = 0

    @property
    def words(self) -> str:
        """The progress as text."""
        parts = [f"stage {self.stages}", f"{self.done:,} of {self.tasks:,} tasks"]
        if self.rows:
            parts.append(f"{self.rows:,} rows")
        elif self.size:
            parts.append(_size_text(self.size))
        return " · ".join(parts)

    @property
    def share(self) -> float:
        """The share of the newest stage's tasks that are done, from 0 to 1."""
        return self.done / self.tasks if self.tasks else 0.0


class Jobs(Protocol):
    """The jobs that this thread starts inside this context."""

    def __enter__(self) -> "Jobs": ...

    def __exit__(self, *error: object) -> None: ...

    def report(self) -> JobProgress | None:
        """Return their progress, or None while it is unknown."""

    def cancel(self) -> None:
        """Cancel those that run."""


def jobs_of(spark: "SparkSession") -> Jobs:
    """Return the jobs that this thread will start, on classic Spark or over Spark Connect.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession

    Examples
    --------
    >>> import workbench as wb
    >>> with jobs_of(wb.session()) as jobs:
    ...     wb.session().range(9, numPartitions=3).collect()[-1]
    Row(id=8)
    """
    return ConnectJobs(spark) if is_connect(spark) else ClassicJobs(spark)


class ClassicJobs:
    """Jobs that a thread starts on classic Spark."""

    def __init__(self, spark: "SparkSession") -> None:
        self._context, self._tag = spark.sparkContext, _new_tag()
        self._interrupts: str | None = None
        #: For each stage that has begun, whether all its tasks are done.
        self._finished: dict[int, bool] = {}
        self._newest: JobProgress | None = None

    def __enter__(self) -> "ClassicJobs":
        self._interrupts = self._context.getLocalProperty(INTERRUPT)
        self._context.addJobTag(self._tag)
        self._context.setInterruptOnCancel(True)
        return self

    def __exit__(self, *error: object) -> None:
        self._context.removeJobTag(self._tag)
        self._context.setLocalProperty(INTERRUPT, self._interrupts)  # type: ignore[arg-type]

    def report(self) -> JobProgress | None:
        """Return their progress, or None while it is unknown."""
        tracker = self._context.statusTracker()
        for job in self._ids():
            info = tracker.getJobInfo(job)
            for stage in sorted(info.stageIds) if info else ():
                if not self._finished.get(stage):
                    self._update(stage, tracker.getStageInfo(stage))
        return self._newest

    def cancel(self) -> None:
        """Cancel those that run."""
        self._context.cancelJobsWithTag(self._tag)

    def _update(self, stage: int, info: "SparkStageInfo | None") -> None:
        # A waiting stage has no task yet, and a stage whose output already exists has none at all.
        if info is None or not (info.numActiveTasks or info.numCompletedTasks):
            return
        self._finished[stage] = info.numCompletedTasks == info.numTasks
        rows = self._rows(stage)
        self._newest = JobProgress(len(self._finished), info.numTasks, info.numCompletedTasks, rows)

    # The following is public in Scala, but not in Python.

    def _ids(self) -> list[int]:
        return sorted(self._jvm_context.statusTracker().getJobIdsForTag(self._tag))

    def _rows(self, stage: int) -> int:
        data = self._jvm_context.statusStore().lastStageAttempt(stage)
        return int(data.inputRecords() + data.shuffleReadRecords())

    @property
    def _jvm_context(self) -> Any:
        return self._context._jsc.sc()


class ConnectJobs:
    """Jobs that a thread starts over Spark Connect."""

    def __init__(self, spark: "SparkSession") -> None:
        self._session, self._tag = spark, _new_tag()
        self._thread: int | None = None
        self._newest: JobProgress | None = None

    def __enter__(self) -> "ConnectJobs":
        self._thread = threading.get_ident()
        self._session.addTag(self._tag)
        self._session.registerProgressHandler(cast(Any, self._on_progress))
        return self

    def __exit__(self, *error: object) -> None:
        self._session.removeProgressHandler(cast(Any, self._on_progress))
        self._session.removeTag(self._tag)

    def report(self) -> JobProgress | None:
        """Return their progress, or None while it is unknown."""
        return self._newest

    def cancel(self) -> None:
        """Cancel those that run."""
        self._session.interruptTag(self._tag)

    def _on_progress(
        self,
        stages: "Iterable[StageInfo] | None",
        inflight_tasks: int,
        operation_id: str | None,
        done: bool,
    ) -> None:
        # A handler is called for all operations of the session, each in the operation's thread.
        begun = [stage for stage in stages or () if stage.done or stage.num_completed_tasks]
        if threading.get_ident() == self._thread and begun:
            newest = begun[-1]
            tasks, completed = newest.num_tasks, newest.num_completed_tasks
            self._newest = JobProgress(len(begun), tasks, completed, size=newest.num_bytes_read)


@contextmanager
def reporting(
    jobs: Jobs, show: Callable[[JobProgress | None, float], None], after: float, every: float
) -> Iterator[None]:
    """Report the progress of jobs from another thread while this context lasts.

    Parameters
    ----------
    jobs : Jobs
    show : function
        Takes the progress and the elapsed seconds; it is not called after the end of the context.
    after, every : float
        Seconds until the first call, and between calls.
    """
    with repeating(lambda seconds: show(jobs.report(), seconds), after, every):
        yield


@contextmanager
def repeating(act: Callable[[float], object], after: float, every: float) -> Iterator[None]:
    """Call a function repeatedly from another thread while this context lasts.

    Parameters
    ----------
    act : function
        Takes the elapsed seconds; it is not called after the end of the context.
    after, every : float
        Seconds until the first call, and between calls.
    """
    start, ended = time.perf_counter(), threading.Event()

    def watch() -> None:
        wait: float = after
        while not ended.wait(wait):
            wait = every
            # A failed report must not fail the call that is reported on.
            with suppress(Exception):
                act(time.perf_counter() - start)

    # The context tells a notebook to which cell the thread's output belongs.
    thread = threading.Thread(target=copy_context().run, args=(watch,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _new_tag() -> str:
    return f"workbench-{uuid4().hex}"


def _size_text(size: float) -> str:
    """Return a number of bytes as text."""
    for unit in _UNITS[:-1]:
        if size < 1_000:
            return f"{size:.3g} {unit}"
        size /= 1_000
    return f"{size:,.3g} {_UNITS[-1]}"
