"""Caching of values that are computed once per object."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True)
class Memo:
    """A base class that caches computed values."""

    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Any, compute: Callable[[], Value]) -> Value:
        """Return the cached value of a key; compute it on first use."""
        if key not in self._known:
            self._known[key] = compute()
        value: Value = self._known[key]
        return value
