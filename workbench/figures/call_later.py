"""A function of a library that is imported when it is called, not when another library names it."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def call_later(module: str, function: str) -> None:
    """Have a module load when a function of it is called, or anything else of it is looked at.

    Until then another one has its name. Where it is loaded already, or is not installed, nothing
    happens.

    Parameters
    ----------
    module : str
        One that takes long to import.
    function : str
        What others import of it, and mostly do not call.

    Examples
    --------
    >>> call_later("colorsys", "rgb_to_hsv")
    >>> from colorsys import rgb_to_hsv
    >>> hasattr(sys.modules["colorsys"], "__file__")
    False
    >>> rgb_to_hsv(1.0, 0.0, 0.0), sys.modules["colorsys"].rgb_to_hls(1.0, 0.0, 0.0)
    ((0.0, 1.0, 1.0), (0.0, 0.5, 1.0))
    """
    spec = None if module in sys.modules else find_spec(module)
    if spec is None:
        return
    instead = ModuleType(module)
    if spec.submodule_search_locations is not None:
        instead.__path__ = spec.submodule_search_locations

    def look(name: str) -> Any:
        # What any module is asked, such as where its file is, is no use of it.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(loaded(), name)

    def loaded() -> ModuleType:
        if sys.modules.get(module) is instead:
            del sys.modules[module]
        return import_module(module)

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(loaded(), function)(*arguments, **named)

    setattr(instead, function, call)
    setattr(instead, "__getattr__", look)  # noqa: B010 (PEP 562)
    sys.modules[module] = instead
