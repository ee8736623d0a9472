"""``python -m kernels``: compile every kernel once, so that no Spark worker has to."""

import time

from kernels import registry
from kernels.cache import cache_folder


def main() -> None:
    """Compile what the cache does not hold, and say where the cache is."""
    start = time.perf_counter()
    for kernel in registry.values():
        kernel.compile()
    seconds = time.perf_counter() - start
    print(f"{len(registry)} kernels are compiled in {cache_folder()} ({seconds:.1f} s)")


if __name__ == "__main__":
    main()
