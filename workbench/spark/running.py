"""Jobs of one call while they run: what Spark says of them, and how they are stopped.

Spark's jobs are told apart by a tag, which stands beside a job group of the user's own.
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

#: Whether Java's threads are interrupted where a job is stopped, and not asked to look.
INTERRUPT = "spark.job.interruptOnCancel"
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class JobProgress:
    """What Spark says of the jobs of a call.

    Attributes
    ----------
    stages : int
        How many have begun. How many are to come Spark does not know, as it plans while it runs.
    tasks, done : int
        Of the newest stage.
    rows : int
        How many the newest stage has read; Spark counts them when a task ends.
    size : int
        How many bytes it has read, where rows are not known, as over Spark Connect.

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
        """The same as a person reads it."""
        parts = [f"stage {self.stages}", f"{self.done:,} of {self.tasks:,} tasks"]
        if self.rows:
            parts.append(f"{self.rows:,} rows")
        elif self.size:
            parts.append(_sized(self.size))
        return " · ".join(parts)

    @property
    def share(self) -> float:
        """How much of the newest stage is done, from 0 to 1."""
        return self.done / self.tasks if self.tasks else 0.0


class Jobs(Protocol):
    """The jobs that a thread starts inside this context."""

    def __enter__(self) -> "Jobs": ...

    def __exit__(self, *error: object) -> None: ...

    def report(self) -> JobProgress | None:
        """Return what Spark says of them, None while it says nothing."""

    def cancel(self) -> None:
        """Stop those that run."""


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
        #: The stages that have begun, and whether all their tasks are done.
        self._begun: dict[int, bool] = {}
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
        """Return what Spark says of them, None while it says nothing."""
        tracker = self._context.statusTracker()
        for job in self._ids():
            info = tracker.getJobInfo(job)
            for stage in sorted(info.stageIds) if info else ():
                if not self._begun.get(stage):
                    self._look_at(stage, tracker.getStageInfo(stage))
        return self._newest

    def cancel(self) -> None:
        """Stop those that run."""
        self._context.cancelJobsWithTag(self._tag)

    def _look_at(self, stage: int, info: "SparkStageInfo | None") -> None:
        # One that waits has no task yet, and one whose rows are there already will have none.
        if info is None or not (info.numActiveTasks or info.numCompletedTasks):
            return
        self._begun[stage] = info.numCompletedTasks == info.numTasks
        rows = self._rows(stage)
        self._newest = JobProgress(len(self._begun), info.numTasks, info.numCompletedTasks, rows)

    # What follows is public in Scala, and not in Python.

    def _ids(self) -> list[int]:
        return sorted(self._spark.statusTracker().getJobIdsForTag(self._tag))

    def _rows(self, stage: int) -> int:
        data = self._spark.statusStore().lastStageAttempt(stage)
        return int(data.inputRecords() + data.shuffleReadRecords())

    @property
    def _spark(self) -> Any:
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
        self._session.registerProgressHandler(cast(Any, self._hear))
        return self

    def __exit__(self, *error: object) -> None:
        self._session.removeProgressHandler(cast(Any, self._hear))
        self._session.removeTag(self._tag)

    def report(self) -> JobProgress | None:
        """Return what Spark says of them, None while it says nothing."""
        return self._newest

    def cancel(self) -> None:
        """Stop those that run."""
        self._session.interruptTag(self._tag)

    def _hear(
        self,
        stages: "Iterable[StageInfo] | None",
        inflight_tasks: int,
        operation_id: str | None,
        done: bool,
    ) -> None:
        # A handler is called for all operations of the session, each in its own thread.
        begun = [one for one in stages or () if one.done or one.num_completed_tasks]
        if threading.get_ident() == self._thread and begun:
            newest = begun[-1]
            tasks, ended = newest.num_tasks, newest.num_completed_tasks
            self._newest = JobProgress(len(begun), tasks, ended, size=newest.num_bytes_read)


@contextmanager
def reporting(
    jobs: Jobs, tell: Callable[[JobProgress | None, float], None], after: float, every: float
) -> Iterator[None]:
    """Tell what Spark says of jobs while they last, from another thread.

    Parameters
    ----------
    jobs : Jobs
    tell : function
        Of a report and of how many seconds it has taken; it is not called once this has ended.
    after, every : float
        Seconds until the first time, and from one time to the next.
    """
    with repeating(lambda seconds: tell(jobs.report(), seconds), after, every):
        yield


@contextmanager
def repeating(act: Callable[[float], object], after: float, every: float) -> Iterator[None]:
    """Do something again and again while something lasts, from another thread.

    Parameters
    ----------
    act : function
        Of how many seconds it has taken; it is not called once this has ended.
    after, every : float
        Seconds until the first time, and from one time to the next.
    """
    start, ended = time.perf_counter(), threading.Event()

    def watch() -> None:
        wait: float = after
        while not ended.wait(wait):
            wait = every
            # Whoever waits for an answer gets it, whether or not Spark says how far it is.
            with suppress(Exception):
                act(time.perf_counter() - start)

    # Where it tells of it, a notebook asks whose cell it is.
    thread = threading.Thread(target=copy_context().run, args=(watch,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _new_tag() -> str:
    return f"workbench-{uuid4().hex}"


def _sized(size: float) -> str:
    """A number of bytes as a person reads it."""
    for unit in _UNITS[:-1]:
        if size < 1_000:
            return f"{size:.3g} {unit}"
        size /= 1_000
    return f"{size:,.3g} {_UNITS[-1]}"
