"""One quiet line in a notebook's cell while our calls wait for Spark."""

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

#: Seconds that the calls of a cell take in all before the line appears; seconds that each later
#: call takes before it has the line; and seconds between updates.
PATIENCE, GLANCE, EVERY = 2.0, 0.3, 0.5

_thread = threading.local()


class CellLine:
    """The line of one run of a cell: visible while a call takes long, removed at the call's end.

    Parameters
    ----------
    run : str
        The id of the run of the cell.
    publish : function
        Takes the text by MIME type, the id of the output, and whether to update that output.

    Examples
    --------
    >>> line = CellLine("", lambda data, **how: print(data["text/plain"], how["update"]))
    >>> line.show_progress(None, 2.0)
    waiting for Spark · 2 s False
    >>> line.show_progress(JobProgress(stages=1, tasks=8, done=3, rows=9_000), 2.5)
    Spark: stage 1 · 3 of 8 tasks · 9,000 rows · 2 s True
    >>> line.end(3.0)
     True
    """

    def __init__(self, run: str, publish: Callable[..., object]) -> None:
        self.run, self._publish = run, publish
        self._spent, self._visible = 0.0, False
        self._transient = {"display_id": uuid4().hex}

    @property
    def patience(self) -> float:
        """Seconds that the next call may take without the line."""
        return max(GLANCE, PATIENCE - self._spent)

    def show_progress(self, report: JobProgress | None, seconds: float) -> None:
        """Show the progress of a call that has taken this many seconds."""
        words = "waiting for Spark" if report is None else f"Spark: {report.words}"
        self.show_message(words, seconds)

    def show_message(self, words: str, seconds: float) -> None:
        """Show a message about a call that has taken this many seconds."""
        self._publish_text(f"{words} · {self._spent + seconds:.0f} s")

    def end(self, seconds: float) -> None:
        """Remove the line after a call that took this many seconds."""
        self._spent += seconds
        if self._visible:
            self._publish_text("")

    def _publish_text(self, words: str) -> None:
        self._publish({"text/plain": words}, transient=self._transient, update=self._visible)
        self._visible = True


_current_line = CellLine("", print)


@contextmanager
def cell_line() -> Iterator[None]:
    """Show Spark's progress in the cell that runs, if this takes long and a person looks at it.

    A person runs a cell if its front end accepts requests for input. Nothing is shown in a notebook
    that a program runs, in a test, in a script and in a terminal.
    """
    line = _visible_line()
    spark = None if line is None else _active_session()
    if line is None or spark is None:
        yield
        return
    with _adding_time(line):
        jobs = jobs_of(spark)
        with without_cell_line(), jobs, reporting(jobs, line.show_progress, line.patience, EVERY):
            yield


@contextmanager
def cell_message(words: str) -> Iterator[None]:
    """Show a message in the cell that runs while Spark has no jobs yet, if this takes long.

    Parameters
    ----------
    words : str
    """
    line = _visible_line()
    if line is None:
        yield
        return
    shown = repeating(lambda spent: line.show_message(words, spent), line.patience, EVERY)
    with _adding_time(line), shown:
        yield


def _visible_line() -> CellLine | None:
    """Return the line of the cell that runs; None if it is suppressed or nobody looks at it."""
    return None if getattr(_thread, "suppressed", False) else _line_of_this_cell()


@contextmanager
def _adding_time(line: CellLine) -> Iterator[None]:
    """Remove a line after a call, and add the time of the call to that of its cell."""
    start = time.perf_counter()
    try:
        yield
    finally:
        line.end(time.perf_counter() - start)


@contextmanager
def without_cell_line() -> Iterator[None]:
    """Show no line for the calls of this thread, as their progress is shown elsewhere."""
    before = getattr(_thread, "suppressed", False)
    _thread.suppressed = True
    try:
        yield
    finally:
        _thread.suppressed = before


def request() -> dict[str, Any]:
    """Return the last request of the notebook's front end, as a message of Jupyter.

    Its ``msg_type`` is "execute_request" for a cell, and "comm_msg" after somebody has moved a
    control in the browser. Without a front end, the message is empty.

    Examples
    --------
    >>> request()
    {}
    """
    kernel = getattr(shell(), "kernel", None)
    message: dict[str, Any] = kernel.get_parent() if kernel is not None else {}
    return message


def _line_of_this_cell() -> CellLine | None:
    global _current_line
    message = request()
    if not message.get("content", {}).get("allow_stdin"):
        return None
    run = str(message["header"]["msg_id"])
    if _current_line.run != run:
        _current_line = CellLine(run, shell().display_pub.publish)
    return _current_line


def _active_session() -> "SparkSession | None":
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()
