"""The memory of Spark's workers while something runs."""

import os
import threading

import psutil

from workbench.spark import worker_daemon

BETWEEN_SAMPLES = 0.02
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
