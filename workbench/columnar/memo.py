"""What is computed once and asked for again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Memo:
    """Remembers what was computed of it."""

    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Return what was computed under a key, at the first time by computing it."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]
