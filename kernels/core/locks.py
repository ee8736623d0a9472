"""Locks between processes that share a folder: each name is a byte of one file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Locks:
    """Locks that a process holds until it releases them or ends.

    Where the file system has no locks, every lock is granted, and guarded work may be done twice.

    Parameters
    ----------
    file : Path
        Created if missing, in a folder that exists. It stays open: to close it would release all
        locks of this process.

    Examples
    --------
    >>> import tempfile
    >>> locks = locks_of(Path(tempfile.mkdtemp()) / "locks")
    >>> locks.take("in_order"), locks.give("in_order")
    (True, None)
    """

    def __init__(self, file: Path) -> None:
        # A file descriptor: for a file object, Python would warn at exit that it was never closed.
        self._file = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)

    def take(self, name: str, wait: bool = True) -> bool:
        """Lock a name and return whether this process has it, which is certain when it waits."""
        if fcntl is None:
            return True
        try:
            flags = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
            fcntl.lockf(self._file, flags, 1, _byte_of(name))
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return True
        return True

    def give(self, name: str) -> None:
        """Release a lock."""
        if fcntl is not None:
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte_of(name))

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold a lock within this context."""
        self.take(name)
        try:
            yield
        finally:
            self.give(name)


@cache
def locks_of(file: Path) -> Locks:
    """Return the locks of a file; a process must have only one instance per file."""
    return Locks(file)


def _byte_of(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=7).digest())
