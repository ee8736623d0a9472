"""``python -m kernels``: compile every kernel once, so that no Spark worker has to."""

import gc
import os
import time
from concurrent.futures import ProcessPoolExecutor

from kernels import registry
from kernels.core.cache import cache_folder
from kernels.core.kernel_cache import KernelCache
from kernels.core.shipment import compiled_functions

#: The memory that a process needs to compile many kernels, in bytes.
MEMORY = 2**30
#: New objects between two garbage collections: with Python's 700, they take 5% of the time.
OBJECTS = 50_000


def main() -> None:
    """Compile the kernels that are not cached, on all cores, and print where the cache is."""
    start = time.perf_counter()
    # Kernels that others call come first in the registry, so later ones find them compiled.
    versions = [(name, i) for name, kernel in registry.items() for i in range(len(kernel.states()))]
    with ProcessPoolExecutor(processes(), initializer=prepare) as workers:
        list(workers.map(compile_version, *zip(*versions, strict=True)))
    # Pack them now, so that no driver has to before its first call on a cluster.
    list(compiled_functions())
    seconds = time.perf_counter() - start
    print(f"{len(registry)} kernels are compiled in {cache_folder()} ({seconds:.1f} s)")


def processes() -> int:
    """Return the number of compiling processes: one per core, limited by the machine's memory."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if not hasattr(os, "sysconf"):
        return cores or 1
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores or 1, memory // MEMORY))


def prepare() -> None:
    """Prepare a worker process for compiling many kernels."""
    # The user who runs this command expects all kernels to be compiled.
    KernelCache.silent = True
    gc.freeze()
    gc.set_threshold(OBJECTS)


def compile_version(name: str, state: int) -> None:
    """Compile a kernel for one of its states, in this process."""
    kernel = registry[name]
    kernel.compile_for(kernel.states()[state])


if __name__ == "__main__":
    main()
