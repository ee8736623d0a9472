"""How far window functions look from a row: the rows it sees, and the rows that see it.

A frame from ``low`` to ``high`` has two readings. A row sees the rows from ``-low`` before it to
``high`` after it. A place is seen by the rows from ``high`` before it to ``-low`` after it. Both
are the same search with the distances swapped: :func:`row_back` and :func:`row_ahead` serve both.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.frames.frames import LEAST, UNITS, search_from
from kernels.frames.ordering import MOST

ROWS, RANGE, GROUPS, SESSION = range(4)
#: The columns of a table of extents: the unit, how far before and after a place rows see it (BACK,
#: AHEAD), and how far before and after a row the rows lie that its result needs (START, END).
UNIT, BACK, AHEAD, START, END = range(5)


class FrameExtent(NamedTuple):
    """How far one call looks from each row.

    Attributes
    ----------
    unit : str
        "rows", "range", "groups" or "session", as in :func:`kernels.frames.frames.frame_ranges`.
    low, high : int or None
        Both inclusive, negative before the row, None without a bound. With "range" and "session"
        they are in units of the order's codes; with "session" both are its gap. For calendar
        intervals give distances that are never too short. For float keys, whose codes allow no
        addition, give None.
    counted : bool
        Whether the rows before the row's peers are only counted, as in ``row_number``, ``rank`` and
        ``dense_rank``, so that their values are not needed.
    """

    unit: str
    low: int | None
    high: int | None
    counted: bool = False


_RANKED = FrameExtent("range", None, 0, counted=True)
_FRAMELESS = {"row_number": FrameExtent("rows", None, 0, counted=True), "rank": _RANKED}
_FRAMELESS["dense_rank"] = _RANKED


def frame_extent(function: str, distance: int = 1) -> FrameExtent:
    """Return how far a function without a frame looks.

    Parameters
    ----------
    function : str
        "lag", "lead", or one of the ranking functions. Of these, "row_number", "rank" and
        "dense_rank" look back; all other functions see the whole partition.
    distance : int
        The distance of lag and lead, in rows. With IGNORE NULLS they may skip any number of rows:
        give a :class:`FrameExtent` without a bound on that side instead.

    Returns
    -------
    FrameExtent

    Examples
    --------
    >>> frame_extent("lag", 2)
    FrameExtent(unit='rows', low=-2, high=-2, counted=False)
    >>> frame_extent("rank")
    FrameExtent(unit='range', low=None, high=0, counted=True)
    """
    if function in ("lag", "lead"):
        away = distance if function == "lead" else -distance
        return FrameExtent("rows", away, away)
    return _FRAMELESS.get(function, FrameExtent("rows", None, None))


def extent_table(extents: Iterable[FrameExtent]) -> Ints:
    """Return extents as a table for the kernels.

    Parameters
    ----------
    extents : iterable of FrameExtent
        The extents of all calls of a query; duplicates may be omitted.

    Returns
    -------
    int64 array of shape (extents, 5)
        The unit and four distances; the greatest integer stands for no bound.

    Raises
    ------
    ValueError
        When a unit is unknown, or a distance is no integer.

    Examples
    --------
    >>> extents = [FrameExtent("rows", -1, 0), FrameExtent("range", None, 0, counted=True)]
    >>> extent_table(extents)[:, 1:4].tolist()
    [[0, 1, 1], [0, 9223372036854775807, 0]]
    """
    table = [_row(extent) for extent in dict.fromkeys(extents)]
    return np.array(table, np.int64).reshape(-1, 5)


def along_order(table: Ints) -> NDArray[np.bool_]:
    """Return which extents are distances along the order, not numbers of rows or of groups.

    Parameters
    ----------
    table : int64 array of shape (extents, 5)
        A table from :func:`extent_table`.

    Returns
    -------
    bool array of shape (extents,)

    Examples
    --------
    >>> extents = [FrameExtent("rows", -1, 0), FrameExtent("range", -7, 0)]
    >>> along_order(extent_table(extents)).tolist()
    [False, True]
    """
    return np.isin(table[:, UNIT], (RANGE, SESSION))


def _row(extent: FrameExtent) -> tuple[int, ...]:
    if extent.unit not in UNITS:
        raise ValueError(f"unit: {extent.unit!r} is none of {', '.join(map(repr, UNITS))}.")
    high = _distance(extent.high)
    before = _distance(None if extent.low is None else -extent.low)
    return UNITS.index(extent.unit), high, before, 0 if extent.counted else before, high


def _distance(bound: int | None) -> int:
    if bound is None:
        return MOST
    if not isinstance(bound, int | np.integer):
        raise ValueError(f"low, high: {bound!r} is no integer; give integers or None.")
    return max(-MOST, min(int(bound), MOST))


@helper
def plus(code: int, distance: int) -> int:
    """Return the sum of a code and a distance, clipped to the range of int64.

    Examples
    --------
    >>> plus(3, -5), plus(MOST - 1, 5) == MOST, plus(LEAST, -1) == LEAST
    (-2, True, True)
    """
    if distance > 0:
        return MOST if code > MOST - distance else code + distance
    return LEAST if code < LEAST - distance else code + distance


@helper
def joins(before: int, code: int, gap: int) -> bool:
    """Return whether a row is in the session of the row before it: less than a gap after it.

    Examples
    --------
    >>> joins(10, 12, 3), joins(10, 13, 3), joins(MOST - 1, MOST, 3)
    (True, False, True)
    """
    return before > MOST - gap or code < before + gap


@helper
def row_back(code: Ints, unit: int, edge: int, at: int, distance: int) -> int:
    """Return the first row that is at most a distance before a place.

    The place is between the rows ``edge - 1`` and ``edge``, and its code is ``at``. A negative
    distance is ahead; rows and groups treat it as zero. In a session, the result is its first row
    and the distance is its gap. O(log d) when the result is d rows away, for "groups" once per
    group; O(d) in a session.

    Examples
    --------
    >>> code = np.array([1, 4, 4, 9])
    >>> [int(row_back(code, unit, 3, 9, 5)) for unit in (ROWS, RANGE, GROUPS, SESSION)]
    [0, 1, 0, 3]
    """
    if distance == MOST:
        return 0
    if unit == SESSION:
        begin, now = edge, at
        while begin > 0 and joins(code[begin - 1], now, distance):
            begin -= 1
            now = code[begin]
        return begin
    if unit == ROWS:
        return edge - min(max(distance, 0), edge)
    bound = plus(at, -distance) if unit == RANGE else at
    first: int = search_from(code, bound, 0, edge, 0, len(code))
    while unit == GROUPS and distance > 0 and first > 0:
        first = search_from(code, code[first - 1], 0, first - 1, 0, first)
        distance -= 1
    return first


@helper
def row_ahead(code: Ints, unit: int, edge: int, at: int, distance: int) -> int:
    """Return the row after the last one that is at most a distance after a place.

    The mirror image of :func:`row_back`.

    Examples
    --------
    >>> code = np.array([1, 4, 4, 9])
    >>> [int(row_ahead(code, unit, 1, 1, 1)) for unit in (ROWS, RANGE, GROUPS, SESSION)]
    [2, 1, 3, 1]
    """
    rows = len(code)
    if distance == MOST:
        return rows
    if unit == SESSION:
        end, now = edge, at
        while end < rows and joins(now, code[end], distance):
            now = code[end]
            end += 1
        return end
    if unit == ROWS:
        return edge + min(max(distance, 0), rows - edge)
    bound = plus(at, distance) if unit == RANGE else at
    last: int = search_from(code, bound, 1, edge, 0, rows)
    while unit == GROUPS and distance > 0 and last < rows:
        last = search_from(code, code[last], 1, last, 0, rows)
        distance -= 1
    return last
