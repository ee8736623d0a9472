"""How far the functions of a window call look from a row."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CallExtent:
    """How far a call looks before and after a row: in rows, in groups and as a distance.

    Attributes
    ----------
    rows, groups : (int, int)
        Rows, and groups of peers.
    distance : (int, int) or (float, float)
        Along the order column: microseconds for times, multiples of the last digit for decimals.
    floating : bool
        Whether the order column holds floats.
    """

    rows: tuple[Any, Any] = (0, 0)
    groups: tuple[Any, Any] = (0, 0)
    distance: tuple[Any, Any] = (0, 0)
    floating: bool = False

    @property
    def counts(self) -> bool:
        """Whether rows or groups are counted, not distances alone."""
        return any((*self.rows, *self.groups))
