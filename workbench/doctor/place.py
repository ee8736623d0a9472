"""What a Python process has: asked here and on executors, also of one that lacks our packages."""

from collections.abc import Callable
from typing import Any

#: What tasks need, and what only the functions ``wb.fn.approx_...`` do.
NEEDED, APPROXIMATE = ("numpy", "pyarrow", "numba"), ("datasketches",)


def place_asker() -> Callable[[], str]:
    """Return a function that describes the process it runs in, as JSON.

    It travels by value and uses Python's own library alone, so that it also answers where neither
    our packages nor what they need are found.

    Returns
    -------
    function
        Of no arguments: to a text with "host", "python", "executable" (the path of that Python),
        "versions" (None where a package is missing), "kernels" (the folder of compiled kernels
        that could run there, or why they cannot be loaded) and "memory" (bytes that the machine or
        its container has).

    Examples
    --------
    >>> import json
    >>> sorted(json.loads(place_asker()()))
    ['executable', 'host', 'kernels', 'memory', 'python', 'versions']
    """
    packages = (*NEEDED, "llvmlite", *APPROXIMATE)

    def described() -> str:
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
            found: list[int] = []
            cgroups = "memory.max", "memory/memory.limit_in_bytes"
            limits = [(f"/sys/fs/cgroup/{name}", 1) for name in cgroups]
            for path, factor in (*limits, ("/proc/meminfo", 1024)):
                try:
                    with open(path) as file:
                        words = file.readline().replace("MemTotal:", "").split()
                    found.append(int(words[0]) * factor)
                except (OSError, ValueError, IndexError):
                    continue
            return min(found, default=None)

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

    return described


def described_here() -> dict[str, Any]:
    """Return the same of this process.

    Examples
    --------
    >>> described_here()["versions"]["numpy"] is not None
    True
    """
    import json

    found: dict[str, Any] = json.loads(place_asker()())
    return found
