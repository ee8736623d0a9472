"""What a Spark Python worker does once for all of its tasks."""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache

import pyarrow as pa
from numba.core.registry import cpu_target

#: Parameters of glibc's mallopt (malloc.h): from how many free bytes at its end on the heap is cut,
#: and from which size on an array gets memory of its own, that goes back to the system with it.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
FREE, OWN = 2**31 - 1, 2**30


def load_libraries() -> None:
    """Load what the first task of a process loads, before there is one: 0.6 s of a core.

    Arrow looks for pandas with its first array, and Numba reads its tables of types and functions
    with its first kernel.
    """
    pa.array([0])
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


#: Whether tasks run in a process that a person works in, which is not theirs to arrange.
_of_a_person: ContextVar[bool] = ContextVar("of a person", default=False)


@contextmanager
def of_a_person() -> Iterator[None]:
    """Run tasks in a process that a person works in: its memory stays as it is arranged.

    Examples
    --------
    >>> with of_a_person():
    ...     freeze_gc()
    """
    before = _of_a_person.set(True)
    try:
        yield
    finally:
        _of_a_person.reset(before)


def freeze_gc() -> None:
    """Exempt what is loaded by now from garbage collection.

    Spark's workers collect garbage behind each task. Over numpy, pyarrow and numba that takes 20 ms
    in which nothing is ever found: longer than many a task.
    """
    if not _of_a_person.get():
        _freeze_gc()


@cache
def _freeze_gc() -> None:
    gc.collect()
    gc.freeze()


def keep_heap() -> None:
    """Use the memory of an array that is gone for the next one, where the C library is glibc.

    Unasked, it gives large arrays back to the system and fetches new memory, which the system has
    to clear: a third of the time of a worker that makes many (docs/decisions/0007). In return a
    worker keeps up to 2 GiB until Spark ends it, a minute behind its last task.
    """
    if not _of_a_person.get():
        _keep_heap()


@cache
def _keep_heap() -> None:
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(M_MMAP_THRESHOLD, OWN)
        libc.mallopt(M_TRIM_THRESHOLD, FREE)
