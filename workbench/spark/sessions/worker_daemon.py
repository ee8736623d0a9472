"""PySpark's daemon of Python workers, which start with the kernels loaded and end silently.

A worker is a fork of the daemon, and PySpark's own daemon has loaded nothing: the first task of
each worker then loads Arrow, the engine and the compiler, which takes most of a second. Spark ends
a worker that was idle for a minute, so a notebook would pay this again and again.

After each task, a worker collects its garbage, which takes longer the more there is to look
through. Here it looks through what the task has made: what the daemon loaded and what earlier tasks
left in place, such as compiled kernels, is excluded.

Spark ends an idle worker, or one whose rows are no longer needed, by closing its socket. PySpark's
own daemon prints a traceback for each worker that was about to write, possibly into a notebook.
"""

import gc
import os
import socket
import sys
import traceback
from contextlib import suppress
from types import SimpleNamespace

from pyspark import daemon

#: The errors of a worker that writes to a socket that Spark has closed.
GONE = (BrokenPipeError, ConnectionResetError)

_worker = daemon.worker


def worker(sock: socket.socket, authenticated: bool) -> int:
    """Run a worker as PySpark does, but end it silently if Spark has closed the socket."""
    try:
        return int(_worker(sock, authenticated))
    except GONE:
        os._exit(1)


def load() -> None:
    """Load the modules that the tasks of workers need, once for all of them."""
    # A module that cannot be loaded fails again in the worker that needs it, with an error.
    with suppress(ImportError):
        import pyspark.worker  # noqa: F401

        import workbench.engine.functions  # noqa: F401
        from workbench.columnar.process import load_libraries

        load_libraries()
    collect()


def collect() -> None:
    """Collect garbage, and exclude the objects that stay from later collections."""
    gc.collect()
    gc.freeze()


def print_exc() -> None:
    """Print the traceback, unless Spark has closed the socket before the worker started."""
    if not isinstance(sys.exc_info()[1], GONE):
        traceback.print_exc()


if __name__ == "__main__":
    load()
    daemon.worker = worker
    without_gone = SimpleNamespace(print_exc=print_exc, format_exc=traceback.format_exc)
    # The modules' own names are not exported.
    setattr(daemon, "traceback", without_gone)  # noqa: B010
    setattr(daemon, "gc", SimpleNamespace(collect=collect))  # noqa: B010
    daemon.manager()
