"""Filter the stderr of Spark's Java: drop the messages of workers about steps that succeed.

The worker of a stream's first batch, and that of ``foreachBatch`` over Spark Connect, print what
they are about to do, including the session's token. Java copies this to its own stderr, past any
log, so it would appear in the cell of a notebook. Nothing else is dropped.
"""

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_STEP = re.compile(
    rb"Starting Streaming TransformWithStateInPandas Python worker\."
    rb"|Streaming TransformWithStateInPandas Python worker "
    rb"(finish init stage|received parameters|Starting execution|Completed execution) "
    rb"|Streaming ForeachBatch worker (is starting|Created new session|Started|Completed batch) "
)


@contextmanager
def without_steps() -> Iterator[None]:
    """Filter step messages out of the stderr of a Java that is started in this context."""
    if os.name != "posix":
        yield
        return
    read, write = os.pipe()
    own = os.dup(2)
    reader = threading.Thread(target=_copy, args=(read, own), daemon=True)
    reader.start()
    # A child process inherits descriptor 2, and there is no other way to redirect it.
    os.dup2(write, 2)
    os.close(write)
    try:
        yield
    finally:
        os.dup2(own, 2)


class StepFilter:
    """Passes bytes on, line by line, without the step messages of workers.

    Parameters
    ----------
    write : function
        Takes the bytes that are passed on.

    Examples
    --------
    >>> passed = StepFilter(lambda text: print(text.decode(), end=""))
    >>> passed.feed(b"one\\nStarting Streaming TransformWithStateInPandas Py")
    one
    >>> passed.feed(b"thon worker.\\n\\n\\ntwo")
    <BLANKLINE>
    >>> passed.end()
    two
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write, self._partial_line, self._after_step = write, b"", False

    def feed(self, text: bytes) -> None:
        """Take some bytes, which may end inside a line."""
        *lines, self._partial_line = (self._partial_line + text).split(b"\n")
        others = [line + b"\n" for line in lines if not self._is_step_line(line)]
        if others:
            self._write(b"".join(others))

    def end(self) -> None:
        """Pass on the last line if it has no end."""
        if self._partial_line:
            self._write(self._partial_line)

    def _is_step_line(self, line: bytes) -> bool:
        # Each message ends with an extra line end, so an empty line follows it.
        blank, self._after_step = self._after_step and not line.strip(), False
        if _STEP.match(line):
            self._after_step = True
        return blank or self._after_step


def _copy(read: int, own: int) -> None:
    """Copy one descriptor to another through the filter, until the end of the input."""

    def write(text: bytes) -> None:
        while text:
            text = text[os.write(own, text) :]

    passed = StepFilter(write)
    try:
        while text := os.read(read, 65_536):
            passed.feed(text)
        passed.end()
    except OSError:
        # This process's own stderr is closed, so nothing can be reported.
        pass
    finally:
        os.close(read)
        os.close(own)
