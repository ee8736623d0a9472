"""``python -m kernels``: compile every kernel once, so that no Spark worker has to."""

import time
from concurrent.futures import ProcessPoolExecutor

from kernels import registry
from kernels.core.cache import cache_folder


def main() -> None:
    """Compile what the cache does not hold, on all cores, and say where the cache is."""
    start = time.perf_counter()
    with ProcessPoolExecutor() as workers:
        list(workers.map(compile_one, registry))
    seconds = time.perf_counter() - start
    print(f"{len(registry)} kernels are compiled in {cache_folder()} ({seconds:.1f} s)")


def compile_one(name: str) -> None:
    """Compile a kernel in this process."""
    registry[name].compile()


if __name__ == "__main__":
    main()
