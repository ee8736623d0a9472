"""Names of a package that load on first use.

So a worker loads only the kernels that it runs, and a reader of a store does not load Spark.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return a package's ``__getattr__`` and ``__dir__``, which import each name on first use.

    Parameters
    ----------
    package : str
    modules : mapping of str to str
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
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        # Stored in the package's namespace, so that no submodule of the same name replaces it.
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted(modules)
