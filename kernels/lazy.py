"""Names of a package that load on first use.

A worker loads the kernels that it runs and not all of them, and readers of stores load no Spark.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return what a package looks up its names by, and lists them by.

    Parameters
    ----------
    package : str
    homes : mapping of str to str
        The module or package of each name, which is loaded when the name is first used.

    Returns
    -------
    __getattr__, __dir__ : function

    Examples
    --------
    >>> find, names = lazily("workbench.frames", {"Frame": "workbench.frames.frame"})
    >>> find("Frame"), names()
    (<class 'workbench.frames.frame.Frame'>, ['Frame'])
    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        # Kept in the package's namespace: a submodule of the same name must not take its place.
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted(homes)
