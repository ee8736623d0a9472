"""Whether the Pythons that Spark starts find PySpark."""

import os
import site
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("pyspark", "py4j")


def pyspark_is_found() -> bool:
    """Return whether a new Python process finds the PySpark of this one.

    It does not if a program has added Spark's folder to its own path, as findspark does.

    Returns
    -------
    bool

    Examples
    --------
    >>> pyspark_is_found()
    True
    """
    python_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders = {*site.getsitepackages(), site.getusersitepackages(), *filter(None, python_path)}
    resolved = {Path(folder).resolve() for folder in folders}
    return all(_path_entry(package) in resolved for package in PACKAGES)


def _path_entry(package: str) -> Path | None:
    """Return the entry of ``sys.path`` under which a package is found."""
    spec = find_spec(package)
    return Path(spec.origin).resolve().parents[1] if spec and spec.origin else None
