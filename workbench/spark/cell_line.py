"""One quiet line in a notebook's cell while calls of ours wait for Spark."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from workbench.errors import shell
from workbench.spark.running import JobProgress, jobs_of, repeating, reporting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: How many seconds calls of a cell take before the line is there; then each call that takes as long
#: as a glance has it; and how often it changes.
PATIENCE, GLANCE, EVERY = 2.0, 0.3, 0.5

_here = threading.local()


class CellLine:
    """The line of one run of a cell: there while a call takes long, and gone at its end.

    Parameters
    ----------
    run : str
        Which run of a cell it is of.
    publish : function
        Of what is shown by type, of where, and of whether it is there already.

    Examples
    --------
    >>> line = CellLine("", lambda data, **how: print(data["text/plain"], how["update"]))
    >>> line.tell(None, 2.0)
    waiting for Spark · 2 s False
    >>> line.tell(JobProgress(stages=1, tasks=8, done=3, rows=9_000), 2.5)
    Spark: stage 1 · 3 of 8 tasks · 9,000 rows · 2 s True
    >>> line.end(3.0)
     True
    """

    def __init__(self, run: str, publish: Callable[..., object]) -> None:
        self.run, self._publish = run, publish
        self._spent, self._there = 0.0, False
        self._place = {"display_id": uuid4().hex}

    @property
    def patience(self) -> float:
        """How long the next call may take without a line."""
        return max(GLANCE, PATIENCE - self._spent)

    def tell(self, report: JobProgress | None, seconds: float) -> None:
        """Say how far a call is that has taken so many seconds."""
        self.say("waiting for Spark" if report is None else f"Spark: {report.words}", seconds)

    def say(self, words: str, seconds: float) -> None:
        """Say what is being done by a call that has taken so many seconds."""
        self._show(f"{words} · {self._spent + seconds:.0f} s")

    def end(self, seconds: float) -> None:
        """Take the line away after a call that took so many seconds."""
        self._spent += seconds
        if self._there:
            self._show("")

    def _show(self, words: str) -> None:
        self._publish({"text/plain": words}, transient=self._place, update=self._there)
        self._there = True


_line = CellLine("", print)


@contextmanager
def cell_line() -> Iterator[None]:
    """Say in the cell that runs how far Spark is, if this takes long and a person looks at it.

    A cell is a person's where its front end says that it could be asked for input: a notebook that
    is run by a program, a test, a script and a terminal are told nothing.
    """
    line = _line_to_tell()
    spark = None if line is None else _session()
    if line is None or spark is None:
        yield
        return
    with _ending(line):
        jobs = jobs_of(spark)
        with told_elsewhere(), jobs, reporting(jobs, line.tell, line.patience, EVERY):
            yield


@contextmanager
def said_in_cell(words: str) -> Iterator[None]:
    """Say in the cell that runs what is done where Spark has no jobs yet, if this takes long.

    Parameters
    ----------
    words : str
    """
    line = _line_to_tell()
    if line is None:
        yield
        return
    with _ending(line), repeating(lambda spent: line.say(words, spent), line.patience, EVERY):
        yield


def _line_to_tell() -> CellLine | None:
    """The line of the cell that runs; None where others tell, or nobody looks at it."""
    return None if getattr(_here, "told", False) else _line_of_this_cell()


@contextmanager
def _ending(line: CellLine) -> Iterator[None]:
    """Take a line away behind a call, and add the time of the call to that of its cell."""
    start = time.perf_counter()
    try:
        yield
    finally:
        line.end(time.perf_counter() - start)


@contextmanager
def told_elsewhere() -> Iterator[None]:
    """Leave it to others to say how far the calls of this thread are."""
    before = getattr(_here, "told", False)
    _here.told = True
    try:
        yield
    finally:
        _here.told = before


def request() -> dict[str, Any]:
    """Return what a notebook's front end asked for last, as Jupyter's messages have it.

    Its ``msg_type`` is "execute_request" for a cell, and "comm_msg" where somebody has moved a
    control in the browser; where there is no front end, it is nothing at all.

    Examples
    --------
    >>> request()
    {}
    """
    kernel = getattr(shell(), "kernel", None)
    message: dict[str, Any] = kernel.get_parent() if kernel is not None else {}
    return message


def _line_of_this_cell() -> CellLine | None:
    global _line
    message = request()
    if not message.get("content", {}).get("allow_stdin"):
        return None
    run = str(message["header"]["msg_id"])
    if _line.run != run:
        _line = CellLine(run, shell().display_pub.publish)
    return _line


def _session() -> "SparkSession | None":
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()
