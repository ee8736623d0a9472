"""The cache of one kernel: each version is compiled once, by one process, which prints a line."""

import sys
from pathlib import Path
from typing import Any, ClassVar

from numba.core import event
from numba.core.caching import FunctionCache

from kernels.core.cache import ARCHIVE
from kernels.core.locks import Locks, locks_of


class KernelCache(FunctionCache):
    """Numba's cache of a function, for processes that want the same kernels at the same time.

    A worker first looks for a missing version among the kernels that its driver sent. Otherwise one
    process compiles it and prints a line to stderr, while the others that need it wait.

    Attributes
    ----------
    silent : bool
        Whether no line is printed. This is the default where the packages were sent: nobody reads
        the stderr of such a process while it runs.
    """

    silent: ClassVar[bool] = ARCHIVE is not None
    _outermost: ClassVar["KernelCache | None"] = None

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._function = function.__name__
        self._locked: list[str] = []

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the version for some types, or None if this process has to compile it."""
        compiled = super().load_overload(sig, target_context)
        if compiled is not None:
            return compiled
        key = self._index_key(sig, target_context.codegen())
        self._begin(repr((self._impl.filename_base, key)))
        # Another process may have compiled it meanwhile, or the driver may have sent it.
        compiled = super().load_overload(sig, target_context)
        if compiled is None and self._take_over(key):
            compiled = super().load_overload(sig, target_context)
        if compiled is not None:
            self.end()
        return compiled

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a version that was compiled."""
        try:
            with self._locks.locked(self._impl.filename_base):
                super().save_overload(sig, data)
        finally:
            self.end()

    def end(self) -> None:
        """Release the lock of the version that this process has compiled, or failed to compile."""
        if self._locked:
            name = self._locked.pop()
            self._locks.give(_announcement(name))
            self._locks.give(name)
        if KernelCache._outermost is self and not self._locked:
            KernelCache._outermost = None

    def _begin(self, name: str) -> None:
        # The functions that a kernel calls are compiled with it, and get no line.
        inner = KernelCache._outermost is not None
        KernelCache._outermost = KernelCache._outermost or self
        self._locked.append(name)
        if not (self.silent or inner) and self._locks.take(_announcement(name), wait=False):
            kernel = self._function.removesuffix("_over")
            message = f"Compiling the kernel {kernel}: some seconds, once on this machine."
            print(message, file=sys.stderr, flush=True)
        self._locks.take(name)

    def _take_over(self, key: Any) -> bool:
        if ARCHIVE is None:
            return False
        # Imported here, as most workers find all kernels in their own cache.
        from kernels.core.shipment import shipment

        sent_kernels = shipment()
        with self._locks.locked(self._impl.filename_base):
            return sent_kernels.take_over(self._impl.filename_base, key, self._cache_file)

    @property
    def _locks(self) -> Locks:
        self._impl.locator.ensure_cache_path()
        return locks_of(Path(self._cache_path, "locks"))


class _Failures(event.Listener):
    """Releases the lock of a version that failed to compile, as for unsupported types."""

    def on_start(self, event: Any) -> None:
        pass

    def on_end(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        failed = tuple(event.data["args"]) not in dispatcher.overloads
        if failed and isinstance(dispatcher._cache, KernelCache):
            dispatcher._cache.end()


event.register("numba:compile", _Failures())


def _announcement(name: str) -> str:
    """Return the name of the lock of the process that prints that a version is being compiled."""
    return f"told {name}"
