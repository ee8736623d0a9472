"""``python -m kernels``: compile every kernel once, so that no Spark worker has to."""

import gc
import os
import time
from concurrent.futures import ProcessPoolExecutor

from kernels import registry
from kernels.core.cache import cache_folder
from kernels.core.kernel_cache import KernelCache
from kernels.core.shipment import compiled_functions

#: What a process holds that compiles many kernels, in bytes.
MEMORY = 2**30
#: So many objects are made before garbage is looked for: Python's 700 take a twentieth of the time.
OBJECTS = 50_000


def main() -> None:
    """Compile what the cache does not hold, on all cores, and say where the cache is."""
    start = time.perf_counter()
    # Kernels that others call come first in the registry: later ones find them compiled.
    parts = [(name, i) for name, one in registry.items() for i in range(len(one.states()))]
    with ProcessPoolExecutor(processes(), initializer=prepare) as workers:
        list(workers.map(compile_part, *zip(*parts, strict=True)))
    # So that no driver has to, before its first call on a cluster.
    list(compiled_functions())
    seconds = time.perf_counter() - start
    print(f"{len(registry)} kernels are compiled in {cache_folder()} ({seconds:.1f} s)")


def processes() -> int:
    """Return how many processes may compile: one a core, as long as the machine's memory lasts."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if not hasattr(os, "sysconf"):
        return cores or 1
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores or 1, memory // MEMORY))


def prepare() -> None:
    """Make a process one that compiles many kernels."""
    # Who runs this knows that all are compiled.
    KernelCache.silent = True
    gc.freeze()
    gc.set_threshold(OBJECTS)


def compile_part(name: str, number: int) -> None:
    """Compile a kernel for one of its states, in this process."""
    kernel = registry[name]
    kernel.compile_for(kernel.states()[number])


if __name__ == "__main__":
    main()
