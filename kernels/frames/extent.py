"""How far window functions look from a row, and back: who sees a place, and what a place sees.

A frame from ``low`` to ``high`` is two questions. Which rows does a row see: those from ``-low``
before it to ``high`` behind it. Which rows see a place: those from ``high`` before it to ``-low``
behind it. It is one walk, taken in two directions with the distances swapped; so
:func:`row_back` and :func:`row_ahead` answer both.
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
#: The columns of a table of extents: how far before and behind a place rows see it, and how far
#: before and behind a row lies what its answer is made of.
UNIT, BACK, AHEAD, START, END = range(5)


class FrameExtent(NamedTuple):
    """How far one call looks from each row.

    Attributes
    ----------
    unit : str
        "rows", "range", "groups" or "session", as in :func:`kernels.frames.frames.frame_ranges`.
    low, high : int or None
        Both inclusive, negative before the row, None without a bound. With "range" in units of the
        order's codes, as with "session", where both are its gap. For calendar intervals give
        distances that are never too short; for keys of floats, whose codes cannot be added to, give
        None.
    counted : bool
        Whether the rows before the row's own peers are only counted, as ``row_number``, ``rank``
        and ``dense_rank`` do: then they are not needed themselves.
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
        "lag", "lead", or one of the ranking functions. Of these "row_number", "rank" and
        "dense_rank" look back; the others, and what has no name here, see the whole partition.
    distance : int
        Of lag and lead, in rows. With IGNORE NULLS they pass over any number of rows: give a
        :class:`FrameExtent` without a bound on that side instead.

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
    """Return extents as the kernels take them.

    Parameters
    ----------
    extents : iterable of FrameExtent
        Those of all calls of a query; equal ones may be left out.

    Returns
    -------
    int64 array of shape (extents, 5)
        The unit and four distances; the greatest integer where there is no bound.

    Raises
    ------
    ValueError
        When a unit is not known, or a distance is no integer.

    Examples
    --------
    >>> extents = [FrameExtent("rows", -1, 0), FrameExtent("range", None, 0, counted=True)]
    >>> extent_table(extents)[:, 1:4].tolist()
    [[0, 1, 1], [0, 9223372036854775807, 0]]
    """
    table = [_row(extent) for extent in dict.fromkeys(extents)]
    return np.array(table, np.int64).reshape(-1, 5)


def along_order(table: Ints) -> NDArray[np.bool_]:
    """Say which extents are distances along the order, rather than numbers of rows or of peers.

    Parameters
    ----------
    table : int64 array of shape (extents, 5)
        As :func:`extent_table` makes it.

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
    """Return a code that is a distance away, or the last one where there is none.

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
    """Return whether a row is in the session of the row before it: less than a gap behind it.

    Examples
    --------
    >>> joins(10, 12, 3), joins(10, 13, 3), joins(MOST - 1, MOST, 3)
    (True, False, True)
    """
    return before > MOST - gap or code < before + gap


@helper
def row_back(code: Ints, unit: int, edge: int, at: int, distance: int) -> int:
    """Return the first row that is no more than a distance before a place.

    The place is between the rows ``edge - 1`` and ``edge``, and its code is ``at``. A distance
    below zero is ahead, which rows and groups take for none. In a session, the row is its first one
    and the distance its gap. O(log d) where the answer is d rows away, for groups of each; O(d) in
    a session.

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
    """Return the row behind the last one that is no more than a distance behind a place.

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
