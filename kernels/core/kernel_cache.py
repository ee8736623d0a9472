"""The cache of one kernel: each version is compiled once, by one process, which says so."""

import sys
from pathlib import Path
from typing import Any, ClassVar

from numba.core import event
from numba.core.caching import FunctionCache

from kernels.core.cache import ARCHIVE
from kernels.core.locks import Locks, locks_of


class KernelCache(FunctionCache):
    """Numba's cache of a function, for processes that want the same kernels at the same time.

    Of what is missing, a worker first looks among the kernels that its driver has sent. Else one
    process compiles it while the others that want it wait, and a line on stderr says so.

    Attributes
    ----------
    silent : bool
        Whether no line is written, as where the packages were sent: nobody reads that process's
        stderr while it runs.
    """

    silent: ClassVar[bool] = ARCHIVE is not None
    _outermost: ClassVar["KernelCache | None"] = None

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._function = function.__name__
        self._locked: list[str] = []

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the version for some types, None where this process is to compile it."""
        found = super().load_overload(sig, target_context)
        if found is not None:
            return found
        key = self._index_key(sig, target_context.codegen())
        self._begin(repr((self._impl.filename_base, key)))
        # Another process may have compiled it meanwhile, or the driver has.
        found = super().load_overload(sig, target_context)
        if found is None and self._take_over(key):
            found = super().load_overload(sig, target_context)
        if found is not None:
            self.end()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a version that was compiled."""
        try:
            with self._locks.locked(self._impl.filename_base):
                super().save_overload(sig, data)
        finally:
            self.end()

    def end(self) -> None:
        """Let other processes have what this one has compiled, or could not."""
        if self._locked:
            name = self._locked.pop()
            self._locks.give(_announcement(name))
            self._locks.give(name)
        if KernelCache._outermost is self and not self._locked:
            KernelCache._outermost = None

    def _begin(self, name: str) -> None:
        # What a kernel calls is compiled with it, and needs no line of its own.
        inner = KernelCache._outermost is not None
        KernelCache._outermost = KernelCache._outermost or self
        self._locked.append(name)
        if not (self.silent or inner) and self._locks.take(_announcement(name), wait=False):
            kernel = self._function.removesuffix("_over")
            line = f"Compiling the kernel {kernel}: some seconds, once on this machine."
            print(line, file=sys.stderr, flush=True)
        self._locks.take(name)

    def _take_over(self, key: Any) -> bool:
        if ARCHIVE is None:
            return False
        # Imported here, as most workers find all in their own cache.
        from kernels.core.shipment import shipment

        arrived = shipment()
        with self._locks.locked(self._impl.filename_base):
            return arrived.take_over(self._impl.filename_base, key, self._cache_file)

    @property
    def _locks(self) -> Locks:
        self._impl.locator.ensure_cache_path()
        return locks_of(Path(self._cache_path, "locks"))


class _Failures(event.Listener):
    """Ends the turn of what could not be compiled, as for types that a kernel does not take."""

    def on_start(self, event: Any) -> None:
        pass

    def on_end(self, event: Any) -> None:
        tried = event.data["dispatcher"]
        failed = tuple(event.data["args"]) not in tried.overloads
        if failed and isinstance(tried._cache, KernelCache):
            tried._cache.end()


event.register("numba:compile", _Failures())


def _announcement(name: str) -> str:
    """The lock of who has said that a version is being compiled."""
    return f"told {name}"
