"""How far the functions of a window call look, as the kernels of streams take it.

Executors load this module, so it needs numpy, the kernels and the standard library at its top.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from kernels.frames.extent import Look, look_of
from workbench.engine.extent import DAY, LONGEST_CHANGE, LONGEST_MONTH, SHIFTED
from workbench.frames.bounds import MONTHS, NUMBER, Offset, PerRow
from workbench.functions.catalogue import CHUNKED, FRAMELESS, kind_of

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

    from workbench.windows.bind import Resolved

#: Functions of which a slice of a partition is answered by adding what stands before it.
COUNTED = ("row_number", "rank", "dense_rank")
SHORTEST_MONTH = 28 * DAY
WHOLE = Look("rows", None, None)


def looks_of(found: "Iterable[Resolved]", along: "DataType") -> tuple[Look, ...]:
    """Return how far each function of a call looks, each distance once.

    Parameters
    ----------
    found : iterable of Resolved
    along : pyspark.sql.types.DataType
        The type of the order column.

    Returns
    -------
    tuple of kernels.frames.extent.Look
        Along times in microseconds, along decimals in multiples of the last digit. Distances by the
        calendar are never too short; those along floats, and those that differ from row to row,
        have no bound.
    """
    return tuple(dict.fromkeys(_look(one, along) for one in found))


def _look(one: "Resolved", along: "DataType") -> Look:
    name, options = one.function.name, one.function.options
    if name in SHIFTED:
        if options.ignore_nulls:
            return Look("rows", None, 0) if name == "lag" else Look("rows", 0, None)
        return look_of(name, options.n)
    if name in FRAMELESS:
        return look_of(name)
    if name in CHUNKED:
        return WHOLE
    unit = one.frame.unit
    return Look(unit, _bound(one.frame.low, along, -1), _bound(one.frame.high, along, 1))


def _bound(bound: Offset | None, along: "DataType", outward: int) -> int | None:
    """A bound in units of the order's codes: further out rather than too near."""
    if bound is None or isinstance(bound.amount, PerRow):
        return None
    if bound.unit == MONTHS:
        return _months(int(bound.amount), outward) if bound.amount else 0
    if bound.unit == NUMBER and bound.amount and kind_of(along) == "float":
        return None
    scale: int = getattr(along, "scale", 0) if bound.unit == NUMBER else 0
    return int(Decimal(str(bound.amount)) * 10**scale)


def _months(months: int, outward: int) -> int:
    """Some months as a time that is no nearer: long ones outward, short ones back to the row."""
    out = months * outward > 0
    length = LONGEST_MONTH if out else SHORTEST_MONTH
    return months * length + outward * LONGEST_CHANGE
