"""PySpark's daemon of Python workers: they begin with the kernels loaded, and end in silence.

A worker is a fork of the daemon, and PySpark's own daemon has loaded nothing: the first task of
each worker then loads Arrow, the engine and the compiler, for most of a second. Spark ends a worker
that was idle for a minute, so that this befalls a notebook again and again. Behind each task, a
worker collects its garbage, which takes as long as there is much that it has loaded itself.

Spark ends an idle worker, or one whose rows nobody wants any more, by closing its socket. PySpark's
own daemon prints a traceback for each that was about to write, into a notebook's cell as it may be.
"""

import gc
import os
import socket
import sys
import traceback
from contextlib import suppress
from types import SimpleNamespace

from pyspark import daemon

#: What a worker sees that writes where Spark has closed.
GONE = (BrokenPipeError, ConnectionResetError)

_worker = daemon.worker


def worker(sock: socket.socket, authenticated: bool) -> int:
    """Run a worker as PySpark does, but let it end without a word where Spark has closed."""
    try:
        return int(_worker(sock, authenticated))
    except GONE:
        os._exit(1)


def load() -> None:
    """Load what the tasks of workers need, once for all of them."""
    # What cannot be loaded here fails in the worker that needs it, which can say so.
    with suppress(ImportError):
        import pyspark.worker  # noqa: F401

        import workbench.engine.functions  # noqa: F401
        from workbench.columnar.process import load_libraries

        load_libraries()
    # What is there stays: no collection of a worker's garbage looks at it any more.
    gc.collect()
    gc.freeze()


def print_exc() -> None:
    """Print what went wrong, unless it is that Spark closed before the worker was its own."""
    if not isinstance(sys.exc_info()[1], GONE):
        traceback.print_exc()


if __name__ == "__main__":
    load()
    daemon.worker = worker
    without_gone = SimpleNamespace(print_exc=print_exc, format_exc=traceback.format_exc)
    setattr(daemon, "traceback", without_gone)  # noqa: B010 (the module's own name is not exported)
    daemon.manager()
