"""Describe a Python process, here or on executors, even if it lacks our packages."""

from collections.abc import Callable
from typing import Any

#: The packages that tasks need, and those that only the functions ``wb.fn.approx_...`` need.
NEEDED, APPROXIMATE = ("numpy", "pyarrow", "numba"), ("datasketches",)


def process_describer() -> Callable[[], str]:
    """Return a function that describes the process it runs in, as JSON.

    It is pickled by value and uses only Python's standard library, so it also runs where our
    packages and their dependencies are missing.

    Returns
    -------
    function
        It takes no arguments and returns JSON with "host", "python", "executable" (its path),
        "versions" (None where a package is missing), "kernels" (the folder of compiled kernels
        that could run there, or why they cannot be loaded) and "memory" (bytes that the machine or
        its container has).

    Examples
    --------
    >>> import json
    >>> sorted(json.loads(process_describer()()))
    ['executable', 'host', 'kernels', 'memory', 'python', 'versions']
    """
    packages = (*NEEDED, "llvmlite", *APPROXIMATE)

    def describe() -> str:
        import json
        import platform
        import socket
        import sys
        from importlib.metadata import PackageNotFoundError, version

        def version_of(package: str) -> str | None:
            try:
                return version(package)
            except PackageNotFoundError:
                return None

        def kernels() -> dict[str, str]:
            try:
                from kernels.core.shipment import compiled_folder
            except Exception as error:
                return {"fault": f"{type(error).__name__}: {error}"}
            return {"place": compiled_folder()}

        def memory() -> int | None:
            sizes: list[int] = []
            cgroups = "memory.max", "memory/memory.limit_in_bytes"
            limits = [(f"/sys/fs/cgroup/{name}", 1) for name in cgroups]
            for path, factor in (*limits, ("/proc/meminfo", 1024)):
                try:
                    with open(path) as file:
                        words = file.readline().replace("MemTotal:", "").split()
                    sizes.append(int(words[0]) * factor)
                except (OSError, ValueError, IndexError):
                    continue
            return min(sizes, default=None)

        return json.dumps(
            {
                "host": socket.gethostname(),
                "python": platform.python_version(),
                "executable": sys.executable,
                "versions": {package: version_of(package) for package in packages},
                "kernels": kernels(),
                "memory": memory(),
            }
        )

    return describe


def describe_this_process() -> dict[str, Any]:
    """Return the description of this process.

    Examples
    --------
    >>> describe_this_process()["versions"]["numpy"] is not None
    True
    """
    import json

    description: dict[str, Any] = json.loads(process_describer()())
    return description
