"""How far the functions of a window call look from a row, which decides if partitions can be cut.

Batches need one extent for the whole call, in rows, groups and one distance
(:class:`workbench.engine.extent.CallExtent`); streams need one per function
(:class:`kernels.frames.extent.FrameExtent`).
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kernels.frames.extent import FrameExtent, frame_extent
from workbench.durations import DAY
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.unbounded import unbounded_sides, why_all_rows
from workbench.frames.bounds import MICROSECONDS, MONTHS, NUMBER, Offset, PerRow
from workbench.frames.frame import Frame
from workbench.functions.catalogue import AHEAD, BACK, CHUNKS, kind_of
from workbench.functions.fn import Function

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

    from workbench.windows.bind import Resolved

#: Bounds of a month's length; a change of the clock or of the date line takes at most two days.
LONGEST_MONTH, SHORTEST_MONTH, LONGEST_CHANGE = 31 * DAY, 28 * DAY, 2 * DAY
UNBOUNDED = FrameExtent("rows", None, None)


def why_not_cut(functions: Mapping[str, Function], frames: Mapping[str, Frame]) -> str | None:
    """Return why the partitions of a call cannot be cut, None when they can.

    Parameters
    ----------
    functions : dict of str to Function
    frames : dict of str to Frame
        By the same names.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from workbench import fn
    >>> why_not_cut({"r": fn.dense_rank()}, {"r": Frame.range(None, None)})
    'dense_rank looks at the whole partition (r)'
    >>> why_not_cut({"total": fn.sum("x")}, {"total": Frame.rows(None, 3)})
    """
    for name, one in functions.items():
        if reason := _why_unbounded(one, frames[name]):
            return f"{reason} ({name})"
    return None


def carried_functions(functions: Mapping[str, Function], frames: Mapping[str, Frame]) -> list[str]:
    """Return the functions that look at all rows on a side, whose states travel with a piece.

    Parameters
    ----------
    functions : dict of str to Function
        Those for which :func:`why_not_cut` returns None.
    frames : dict of str to Frame
        By the same names.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from workbench import fn
    >>> functions = {"near": fn.sum("x"), "so_far": fn.sum("x")}
    >>> carried_functions(functions, {"near": Frame.rows(-1, 1), "so_far": Frame.rows(None, 0)})
    ['so_far']
    """
    return [name for name, one in functions.items() if any(_unbounded(one, frames[name]))]


def _unbounded(function: Function, frame: Frame) -> tuple[bool, bool]:
    return unbounded_sides(function.info, function.options, frame)


def _why_unbounded(function: Function, frame: Frame) -> str | None:
    info, options = function.info, function.options
    why = why_all_rows(function.name, info, options, bool(function.order))
    if info.extent in (BACK, AHEAD) and not isinstance(options.n, int):
        return f"{function.name} has an n that differs from row to row"
    if info.extent in (BACK, AHEAD):
        passes = f"{function.name} skips any number of nulls"
        return passes if why and any(_unbounded(function, frame)) else None
    if not info.has_frame:
        return f"{function.name} looks at the whole partition" if why else None
    if info.extent == CHUNKS:
        return f"{function.name} counts its chunks from the partition's first row"
    if frame.unit == "session":
        return f"{frame!r} ends only at a gap"
    if not all(bound is None or _is_constant(bound) for bound in (frame.low, frame.high)):
        return f"{frame!r} differs from row to row"
    if why and any(_unbounded(function, frame)):
        return f"{frame!r} has no bound on one side, and {why}"
    return None


def _is_constant(bound: Any) -> bool:
    return isinstance(bound, Offset) and isinstance(bound.amount, int | float | Decimal)


def call_extent(functions: "Iterable[Resolved]", along: "DataType") -> CallExtent:
    """Return how far the functions of a call look; sides without a bound are ignored.

    Parameters
    ----------
    functions : iterable of Resolved
        Functions for which :func:`why_not_cut` returns None.
    along : pyspark.sql.types.DataType
        The type of the first order column.

    Returns
    -------
    CallExtent
    """
    sides: dict[str, list[tuple[Any, Any]]] = {"rows": [], "groups": [], "range": []}
    for one in functions:
        unit, low, high = _sides(one, along)
        sides[unit].append((max(-low, 0), max(high, 0)))
    most = {
        unit: tuple(map(max, zip((0, 0), *given, strict=True))) for unit, given in sides.items()
    }
    return CallExtent(most["rows"], most["groups"], most["range"], kind_of(along) == "float")


def _sides(one: "Resolved", along: "DataType") -> tuple[str, Any, Any]:
    """Return a function's unit and how far it looks; an unbounded side takes the other's bound."""
    extent, options = one.function.info.extent, one.function.options
    if extent in (BACK, AHEAD) and not options.ignore_nulls:
        at = options.n if extent == AHEAD else -options.n
        return "rows", at, at
    if one.frame.is_empty or not one.function.info.has_frame:
        return "rows", 0, 0
    measured = one.frame.unit == "range"
    bounds = [one.frame.low or one.frame.high, one.frame.high or one.frame.low]
    low, high = (
        0 if bound is None else _distance(bound, along) if measured else bound.amount
        for bound in bounds
    )
    return one.frame.unit, low, high


def _distance(bound: Offset, along: "DataType") -> int | float:
    """Return a distance in units of the order's codes; for months, an upper limit."""
    if bound.amount == 0:
        return 0
    if bound.unit == MONTHS:
        most = abs(bound.amount) * LONGEST_MONTH + LONGEST_CHANGE
        return int(most if bound.amount > 0 else -most)
    if bound.unit == MICROSECONDS:
        return int(bound.amount)
    if kind_of(along) == "float":
        return float(bound.amount)
    if kind_of(along) == "decimal":
        return bound.scaled(getattr(along, "scale", 0))
    return int(bound.amount)


def frame_extents(functions: "Iterable[Resolved]", along: "DataType") -> tuple[FrameExtent, ...]:
    """Return how far each function of a call looks, without duplicates.

    Parameters
    ----------
    functions : iterable of Resolved
    along : pyspark.sql.types.DataType
        The type of the order column.

    Returns
    -------
    tuple of kernels.frames.extent.FrameExtent
        Microseconds along times, multiples of the last digit along decimals. Calendar distances
        are upper limits. Distances along floats, and those that differ from row to row, have no
        bound.
    """
    return tuple(dict.fromkeys(_frame_extent(one, along) for one in functions))


def _frame_extent(one: "Resolved", along: "DataType") -> FrameExtent:
    extent, options = one.function.info.extent, one.function.options
    if extent in (BACK, AHEAD) and not isinstance(options.n, int):
        return UNBOUNDED
    if extent in (BACK, AHEAD) and options.ignore_nulls:
        return FrameExtent("rows", None, 0) if extent == BACK else FrameExtent("rows", 0, None)
    if not one.function.info.has_frame:
        return frame_extent(one.function.name, options.n)
    if extent == CHUNKS:
        return UNBOUNDED
    if one.frame.is_empty:
        return FrameExtent("rows", 0, 0)
    unit = one.frame.unit
    return FrameExtent(unit, _bound(one.frame.low, along, -1), _bound(one.frame.high, along, 1))


def _bound(bound: Offset | None, along: "DataType", outward: int) -> int | None:
    """Return a bound in units of the order's codes, rounded outward."""
    if bound is None or isinstance(bound.amount, PerRow):
        return None
    if bound.unit == MONTHS:
        return _months(int(bound.amount), outward) if bound.amount else 0
    if bound.unit == NUMBER and bound.amount and kind_of(along) == "float":
        return None
    return bound.scaled(getattr(along, "scale", 0) if bound.unit == NUMBER else 0)


def _months(months: int, outward: int) -> int:
    """Return months as microseconds, rounded outward: long months outward, short ones inward."""
    out = months * outward > 0
    length = LONGEST_MONTH if out else SHORTEST_MONTH
    return months * length + outward * LONGEST_CHANGE
