"""Settings that a Python process of Spark makes once for all of its tasks."""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache

import pyarrow as pa
from numba.core.registry import cpu_target

#: Parameters of glibc's mallopt (malloc.h): the free bytes at the end of the heap above which it is
#: trimmed, and the size above which an array gets its own mapping, which is returned when freed.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
FREE, OWN = 2**31 - 1, 2**30


def load_libraries() -> None:
    """Load in advance what the first task of a process would load: 0.6 s of a core.

    Arrow imports pandas with its first array, and Numba reads its tables of types and functions
    with its first kernel.
    """
    pa.array([0])
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


#: Whether tasks run in the user's own process, whose settings they must not change.
_in_user_process: ContextVar[bool] = ContextVar("in user process", default=False)


@contextmanager
def in_user_process() -> Iterator[None]:
    """Run tasks in the user's own process, without changing its memory settings.

    Examples
    --------
    >>> with in_user_process():
    ...     freeze_gc()
    """
    before = _in_user_process.set(True)
    try:
        yield
    finally:
        _in_user_process.reset(before)


def freeze_gc() -> None:
    """Exempt all objects that exist by now from garbage collection.

    Spark's workers collect garbage after each task. With numpy, pyarrow and numba loaded, that
    takes 20 ms and never frees anything: longer than many tasks.
    """
    if not _in_user_process.get():
        _freeze_gc()


@cache
def _freeze_gc() -> None:
    gc.collect()
    gc.freeze()


def keep_heap() -> None:
    """Reuse the memory of freed arrays, where the C library is glibc.

    By default, glibc returns large arrays to the system and requests new memory, which the system
    has to clear: a third of the time of a worker that makes many (docs/decisions/0007). In return,
    a worker keeps up to 2 GiB until Spark ends it, a minute after its last task.
    """
    if not _in_user_process.get():
        _keep_heap()


@cache
def _keep_heap() -> None:
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(M_MMAP_THRESHOLD, OWN)
        libc.mallopt(M_TRIM_THRESHOLD, FREE)
