"""A library's module that is loaded when something of it is used, not when another imports it."""

import sys
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType

_loading = RLock()


class _LoadedOnUse(ModuleType):
    """A module that has its name and spec alone, until it is asked for anything else."""

    def __getattr__(self, name: str) -> object:
        with _loading:
            if self.__class__ is _LoadedOnUse:
                self.__class__ = ModuleType  # type: ignore[assignment]
                _load(self)
        return getattr(self, name)


def _load(module: ModuleType) -> None:
    spec = module.__spec__
    assert spec is not None
    assert spec.loader is not None
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    spec.loader.exec_module(module)


def load_on_use(name: str) -> None:
    """Have a module load when it is first used, if it is installed and not loaded yet.

    :class:`importlib.util.LazyLoader` does the same, but is woken by each ``import`` of the module
    elsewhere, which looks at its ``__spec__``.

    Parameters
    ----------
    name : str
        Of a module or a package that stands in no other.

    Examples
    --------
    >>> load_on_use("this")
    >>> import this
    >>> this.d["G"]
    The Zen of Python, by Tim Peters
    ...
    'T'
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is not None and spec.loader is not None:
        found = module_from_spec(spec)
        # A package that is looked into is in use: what stands in it needs what it loads first.
        vars(found).pop("__path__", None)
        found.__class__ = _LoadedOnUse
        sys.modules[name] = found
