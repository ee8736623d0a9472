"""What Spark's Java writes to stderr, without what its workers say at each step that succeeds.

The worker of a stream's first batch, and that of ``foreachBatch`` over Spark Connect, print what
they are about to do, the session's token too. Java copies it to its own stderr, past any log, and
so it stands in the cell of a notebook. Nothing else is taken out.
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
    """Let a Java that is started in this context write to this process's stderr, but for steps."""
    if os.name != "posix":
        yield
        return
    read, write = os.pipe()
    own = os.dup(2)
    reader = threading.Thread(target=_copy, args=(read, own), daemon=True)
    reader.start()
    # A process that is started gets what stands under 2, and there is no other way to say so.
    os.dup2(write, 2)
    os.close(write)
    try:
        yield
    finally:
        os.dup2(own, 2)


class StepFilter:
    """Passes bytes on, line by line, but for the steps of workers.

    Parameters
    ----------
    write : function
        Takes what is passed on.

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
        self._write, self._begun, self._after_step = write, b"", False

    def feed(self, text: bytes) -> None:
        """Take some bytes, which may end within a line."""
        *lines, self._begun = (self._begun + text).split(b"\n")
        others = [line + b"\n" for line in lines if not self._is_of_a_step(line)]
        if others:
            self._write(b"".join(others))

    def end(self) -> None:
        """Pass on a line that never ended."""
        if self._begun:
            self._write(self._begun)

    def _is_of_a_step(self, line: bytes) -> bool:
        # Each is printed with an end of its own, and so one empty line is after it.
        blank, self._after_step = self._after_step and not line.strip(), False
        if _STEP.match(line):
            self._after_step = True
        return blank or self._after_step


def _copy(read: int, own: int) -> None:
    """Copy what is read until nobody writes any more."""

    def write(text: bytes) -> None:
        while text:
            text = text[os.write(own, text) :]

    passed = StepFilter(write)
    try:
        while text := os.read(read, 65_536):
            passed.feed(text)
        passed.end()
    except OSError:
        # This process's own stderr is gone: there is nobody to tell.
        pass
    finally:
        os.close(read)
        os.close(own)
