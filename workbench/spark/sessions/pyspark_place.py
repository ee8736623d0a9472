"""Where PySpark is, for the Pythons that Spark starts."""

import os
import site
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("pyspark", "py4j")


def pyspark_is_found() -> bool:
    """Say whether a Python that is started anew finds the PySpark of this one.

    It does not where a program has put Spark's folder on its own path, as findspark does.

    Returns
    -------
    bool

    Examples
    --------
    >>> pyspark_is_found()
    True
    """
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    places = {*site.getsitepackages(), site.getusersitepackages(), *filter(None, given)}
    resolved = {Path(place).resolve() for place in places}
    return all(_place(package) in resolved for package in PACKAGES)


def _place(package: str) -> Path | None:
    """The entry of the path that a package is found by."""
    found = find_spec(package)
    return Path(found.origin).resolve().parents[1] if found and found.origin else None
