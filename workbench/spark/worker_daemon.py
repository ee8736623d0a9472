"""PySpark's daemon of Python workers, silent about workers whose task is gone.

Spark ends an idle worker, or one whose rows nobody wants any more, by closing its socket. PySpark's
own daemon prints a traceback for each that was about to write, into a notebook's cell as it may be.
"""

import os
import socket

from pyspark import daemon

_worker = daemon.worker


def worker(sock: socket.socket, authenticated: bool) -> int:
    """Run a worker as PySpark does, but let it end without a word where Spark has closed."""
    try:
        return int(_worker(sock, authenticated))
    except (BrokenPipeError, ConnectionResetError):
        os._exit(1)


if __name__ == "__main__":
    daemon.worker = worker
    daemon.manager()
