"""A function of a library that is imported when it is called, not when others import it."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def call_later(module: str, function: str) -> None:
    """Load a module only when a function of it is called, or another attribute is read.

    Until then a placeholder has its name. If the module is already loaded, or is not installed,
    nothing happens.

    Parameters
    ----------
    module : str
        A module that takes long to import.
    function : str
        The function that others import from it, and mostly do not call.

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
    placeholder = ModuleType(module)
    if spec.submodule_search_locations is not None:
        placeholder.__path__ = spec.submodule_search_locations

    def load_attribute(name: str) -> Any:
        # Reading an attribute of any module, such as its file, is no use of this one.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(loaded(), name)

    def loaded() -> ModuleType:
        if sys.modules.get(module) is placeholder:
            del sys.modules[module]
        return import_module(module)

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(loaded(), function)(*arguments, **named)

    setattr(placeholder, function, call)
    setattr(placeholder, "__getattr__", load_attribute)  # noqa: B010 (PEP 562)
    sys.modules[module] = placeholder
