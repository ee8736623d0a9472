"""The rows of each frame, as ranges: ROWS, RANGE, GROUPS and SESSION with EXCLUDE.

Every frame becomes half-open ranges ``begin[i, j]`` to ``end[i, j]`` of row numbers within the
partition: one range per row, or three with EXCLUDE (left of the hole, the current row where TIES
keeps it, right of the hole). Functions over frames use only these ranges.

A bound is the signed distance from the current row: negative before it, zero at it, positive after
it, and None if there is no bound. The reference is DuckDB, and RisingWave for SESSION.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Int64Matrix, Int64Row, Uint8Column, kernel
from kernels.frames.ordering import MOST, Order, order_code

UNITS = ("rows", "range", "groups", "session")
EXCLUSIONS = ("no others", "current row", "group", "ties")
LEAST = -MOST - 1

Keys = NDArray[np.int64] | NDArray[np.float64]
Ranges = tuple[NDArray[np.int64], NDArray[np.int64]]


class BoundKeys(NamedTuple):
    """A RANGE bound given as the key at which each row's frame begins or ends, inclusive.

    Attributes
    ----------
    key : array of shape (rows,)
        Of the order key's dtype, such as a month before each row's date.
    """

    key: Keys


Bound = int | float | Keys | BoundKeys | None


def frame_ranges(
    order: Order, unit: str, low: Bound, high: Bound, exclude: str = "no others"
) -> Ranges:
    """Return the frame of every row of a block.

    Parameters
    ----------
    order : Order
        From :func:`kernels.frames.ordering.order_by_key` or
        :func:`kernels.frames.ordering.order_by_starts`.
    unit : str
        "rows" counts rows, "groups" counts groups of peers, "range" measures along the order key.
        "session" is the run of rows around it in which each follows the previous one by less than a
        gap.
    low, high : int, float, array of shape (rows,), BoundKeys or None
        Where the frame begins and ends, both inclusive: one distance for all rows or one per row,
        negative before the current row; None for no bound. With "range" a distance has the order
        key's type, is subtracted from the keys when they descend, and may be replaced by keys. With
        "session", ``high`` is the gap and ``low`` the negated gap.
    exclude : str
        "no others", "current row", "group" (the row and its peers) or "ties" (only its peers).

    Returns
    -------
    begin, end : int64 arrays of shape (rows, pieces)
        Half-open ranges of row numbers within the partition, in order: one piece per row, or three
        if anything is excluded. Empty ranges have ``begin == end``.

    Raises
    ------
    ValueError
        When a unit or an exclusion is unknown, when "range" has a distance but the order has no
        single key, or when a distance that must be an integer is not.

    Notes
    -----
    O(rows), and O(rows · log rows) at worst if the bounds of "range" jump from row to row. In
    "range", the frame of a row without a key ends at the last of its peers on each side that has a
    distance. Distances beyond the ends of int64 lead to the first or to the last key.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.frames.ordering import order_by_key
    >>> order = order_by_key(np.array([0, 4]), np.array([1, 2, 2, 9]))
    >>> begin, end = frame_ranges(order, "range", -1, 0)
    >>> np.hstack([begin, end]).tolist()
    [[0, 1], [0, 3], [0, 3], [3, 4]]
    >>> begin, end = frame_ranges(order, "rows", -1, 1, exclude="current row")
    >>> begin[1].tolist(), end[1].tolist()
    ([0, 1, 2], [1, 1, 3])
    """
    _check(unit, UNITS, "unit")
    _check(exclude, EXCLUSIONS, "exclude")
    if unit == "session":
        begin, end = _sessions(order, high)
    else:
        begin, end = _bound(order, unit, low, after=0), _bound(order, unit, high, after=1)
    if not _in_order(low, high):
        np.maximum(begin, end, out=end)
    if exclude == "no others":
        return begin[:, None], end[:, None]
    return _excluded(order, begin, end, exclude)


def _sessions(order: Order, gap: Bound) -> Ranges:
    """Return the begin and the end of each row's session."""
    next_code, beyond = bound_codes(order, gap, after=False)
    begin, end = np.zeros(order.rows, np.int64), np.zeros(order.rows, np.int64)
    session_bounds.over(order.offsets, order.code, next_code, beyond, order.valid, begin, end)
    return begin, end


def _in_order(low: Bound, high: Bound) -> bool:
    """Return whether no frame of these bounds can end before it begins."""
    if low is None or high is None:
        return True
    if isinstance(low, BoundKeys) or isinstance(high, BoundKeys) or np.ndim(low) or np.ndim(high):
        return False
    return bool(low <= high)


def _check(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(map(repr, allowed))}.")


def _bound(order: Order, unit: str, bound: Bound, after: int) -> NDArray[np.int64]:
    """Return the begin of each frame, or its end when ``after`` is 1."""
    to = np.zeros(order.rows, np.int64)
    if bound is None:
        row_bound.over(order.offsets, MOST if after else LEAST, to)
    elif unit == "rows":
        _count(order.offsets, (), bound, after, to)
    elif unit == "groups":
        _count(order.offsets, (order.group, order.start), bound, after, to)
    elif not isinstance(bound, BoundKeys) and np.ndim(bound) == 0 and bound == 0:
        group_bound.over(order.offsets, order.group, order.start, after, to)
    else:
        code, beyond = bound_codes(order, bound, bool(after))
        range_bound_each.over(order.offsets, order.code, code, beyond, order.valid, after == 1, to)
    return to


def _count(
    offsets: NDArray[np.int64],
    peers: tuple[NDArray[np.int64], ...],
    bound: Any,
    after: int,
    to: NDArray[np.int64],
) -> None:
    """Write the bounds at a distance that counts rows, or groups of peers if these are given."""
    same, per_row = (group_bound, group_bound_each) if peers else (row_bound, row_bound_each)
    if np.asarray(bound).dtype.kind != "i":
        raise ValueError("low, high: rows and groups are counted; give integers or None.")
    if np.ndim(bound) == 0:
        same.over(offsets, *peers, max(LEAST, min(int(bound) + after, MOST)), to)
    else:
        per_row.over(offsets, *peers, np.minimum(bound, MOST - after) + after, to)


def bound_codes(
    order: Order, bound: Bound, after: bool
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the codes that :func:`range_bound_each` searches for.

    Parameters
    ----------
    order : Order
        With a single key.
    bound : int, float, array of shape (rows,) or BoundKeys
        As in :func:`frame_ranges`.
    after : bool
        Whether the bound is a frame's end.

    Returns
    -------
    code : int64 array of shape (rows,)
        The bounds, in the same code as the order's keys.
    beyond : uint8 array of shape (rows,)
        1 where a key must be greater than the bound, 0 where equal is enough.

    Raises
    ------
    ValueError
        When the order has no single key, or integer keys get a distance that is no integer.

    Notes
    -----
    A bound above the greatest integer becomes "greater than the greatest", which no key satisfies.
    A bound below the least integer becomes "the least or greater", which every key satisfies.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.frames.ordering import order_by_key
    >>> order = order_by_key(np.array([0, 2]), np.array([5, 2**63 - 2]))
    >>> code, beyond = bound_codes(order, 3, after=False)
    >>> code.tolist(), beyond.tolist()
    ([8, 9223372036854775807], [0, 1])
    """
    if order.key is None or order.code is None:
        raise ValueError("unit: 'range' with a distance needs an order by exactly one column.")
    beyond = np.full(order.rows, after, np.uint8)
    if isinstance(bound, BoundKeys):
        return order_code(bound.key, order.descending), beyond
    distance = np.asarray(bound)
    if order.key.dtype == np.float64:
        signed = -distance if order.descending else distance
        with np.errstate(invalid="ignore"):
            key = np.where(np.isinf(order.key), order.key, order.key + signed)
        return order_code(key, order.descending), beyond
    if distance.dtype.kind != "i":
        raise ValueError(
            f"low, high: the order key is an integer, but a distance is {distance.dtype}; "
            "give integers, or an order key of floats."
        )
    # Descending codes are the keys' complements, so a distance is added in both directions.
    code = order.code + distance
    if not _may_overflow(order.code, distance):
        return code, beyond
    up, down = (distance > 0) & (code < order.code), (distance < 0) & (code > order.code)
    beyond[up], beyond[down] = 1, 0
    return np.where(up, MOST, np.where(down, LEAST, code)), beyond


def _may_overflow(code: NDArray[np.int64], distance: NDArray[np.int64]) -> bool:
    least, most = (int(f(code, initial=0)) + int(f(distance, initial=0)) for f in (np.min, np.max))
    return least < LEAST or most > MOST


def _excluded(
    order: Order, begin: NDArray[np.int64], end: NDArray[np.int64], exclude: str
) -> Ranges:
    unit = "rows" if exclude == "current row" else "groups"
    hole = _bound(order, unit, 0, after=0), _bound(order, unit, 0, after=1)
    pieces = np.zeros((order.rows, 3), np.int64), np.zeros((order.rows, 3), np.int64)
    cut_hole.over(order.offsets, begin, end, *hole, exclude == "ties", *pieces)
    return pieces


@kernel
def row_bound(distance: int, to: Int64Column) -> None:
    """Write the row at the same distance from each row, within the partition.

    Parameters
    ----------
    distance : int
        In rows: negative before the row, positive after it.
    to : int64 array of shape (rows,)
        Written: a row number from 0 to ``rows``, which stands for the end.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> to = np.zeros(4, np.int64)
    >>> row_bound(-2, to)
    >>> to.tolist()
    [0, 0, 0, 1]
    """
    rows = len(to)
    for i in range(rows):
        to[i] = i + min(max(distance, -i), rows - i)  #: Row {i}: the bound is {to[i]}.


@kernel
def row_bound_each(distance: Int64Column, to: Int64Column) -> None:
    """Write the row at each row's own distance from it, within the partition.

    Parameters
    ----------
    distance : int64 array of shape (rows,)
        In rows: negative before the row, positive after it.
    to : int64 array of shape (rows,)
        Written: a row number from 0 to ``rows``, which stands for the end.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> to = np.zeros(3, np.int64)
    >>> row_bound_each(np.array([2, 0, -9]), to)
    >>> to.tolist()
    [2, 1, 0]
    """
    rows = len(to)
    for i in range(rows):
        to[i] = i + min(max(distance[i], -i), rows - i)  #: Row {i}: the bound is {to[i]}.


@kernel
def group_bound(group: Int64Column, start: Int64Column, distance: int, to: Int64Column) -> None:
    """Write the begin of the group of peers at the same distance from each row's group.

    Parameters
    ----------
    group : int64 array of shape (rows,)
        The number of each row's group, from 0.
    start : int64 array of shape (rows,)
        Where each group begins.
    distance : int
        In groups: negative before the row's group, positive after it.
    to : int64 array of shape (rows,)
        Written: a row number from 0 to ``rows``, which stands for the end.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> to = np.zeros(4, np.int64)
    >>> group_bound(np.array([0, 0, 1, 2]), np.array([0, 2, 3, 0]), 1, to)
    >>> to.tolist()
    [2, 2, 3, 4]
    """
    rows = len(group)
    groups = group[rows - 1] + 1 if rows > 0 else 0
    for i in range(rows):
        target = group[i] + min(max(distance, -group[i]), groups - group[i])
        to[i] = start[target] if target < groups else rows  #: Row {i}: group {target}, at {to[i]}.


@kernel
def group_bound_each(
    group: Int64Column, start: Int64Column, distance: Int64Column, to: Int64Column
) -> None:
    """Write the begin of the group of peers at each row's own distance from its group.

    Parameters
    ----------
    group : int64 array of shape (rows,)
        The number of each row's group, from 0.
    start : int64 array of shape (rows,)
        Where each group begins.
    distance : int64 array of shape (rows,)
        In groups: negative before the row's group, positive after it.
    to : int64 array of shape (rows,)
        Written: a row number from 0 to ``rows``, which stands for the end.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> to, distance = np.zeros(4, np.int64), np.array([1, 2, -1, 9])
    >>> group_bound_each(np.array([0, 0, 1, 2]), np.array([0, 2, 3, 0]), distance, to)
    >>> to.tolist()
    [2, 3, 0, 4]
    """
    rows = len(group)
    groups = group[rows - 1] + 1 if rows > 0 else 0
    for i in range(rows):
        target = group[i] + min(max(distance[i], -group[i]), groups - group[i])
        to[i] = start[target] if target < groups else rows  #: Row {i}: group {target}, at {to[i]}.


@kernel
def search_from(code: Int64Column, bound: int, beyond: int, hint: int, begin: int, end: int) -> int:
    """Return the first row in ``begin`` to ``end`` whose key is at least the bound.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        Ascending from ``begin`` to ``end``.
    bound : int
    beyond : int
        1 when the key must be greater than the bound, 0 when an equal key is enough.
    hint : int
        Where to begin the search, from ``begin`` to ``end``.
    begin, end : int
        The rows to search, half open.

    Returns
    -------
    int
        ``end`` when there is no such row.

    Notes
    -----
    O(log d), where d is the distance from the hint to the result: doubling steps enclose it, then a
    binary search finds it. A sequence of searches whose results move slowly is therefore linear.

    Source: Bentley and Yao, "An almost optimal algorithm for unbounded searching" (1976).

    Examples
    --------
    >>> import numpy as np
    >>> search_from(np.array([1, 3, 3, 8]), 3, 0, 0, 0, 4)
    1
    >>> search_from(np.array([1, 3, 3, 8]), 3, 1, 0, 0, 4)
    3
    """
    low, high, step = hint, hint, 1
    while high < end and (code[high] < bound or (beyond == 1 and code[high] == bound)):
        low, high, step = high + 1, min(high + step, end), 2 * step
    step = 1
    while low > begin and not (code[low - 1] < bound or (beyond == 1 and code[low - 1] == bound)):
        low, high, step = max(low - step, begin), low - 1, 2 * step
    while low < high:
        middle = (low + high) // 2
        if code[middle] < bound or (beyond == 1 and code[middle] == bound):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def range_bound_each(
    code: Int64Column,
    bound: Int64Column,
    beyond: Uint8Column,
    valid: Int64Row,
    end: bool,
    to: Int64Column,
) -> None:
    """Write for each row the first row whose key reaches, or passes, its bound.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order keys, ascending where they are valid.
    bound : int64 array of shape (rows,)
        The code that each row searches for.
    beyond : uint8 array of shape (rows,)
        1 where a key must be greater than the bound, 0 where equal is enough.
    valid : int64 array of shape (2,)
        The half-open range of rows that have a key. A row without one gets the bounds of its
        peers, which are the other rows without a key.
    end : bool
        Whether the bounds are ends of frames.
    to : int64 array of shape (rows,)
        Written: a row number from 0 to ``rows``, which stands for the end.

    Notes
    -----
    O(n) when the bounds move on with the rows, O(n log n) when they jump.

    Examples
    --------
    >>> import numpy as np
    >>> time, to = np.array([1, 4, 5, 9]), np.zeros(4, np.int64)
    >>> range_bound_each(time, time - 4, np.zeros(4, np.uint8), np.array([0, 4]), False, to)
    >>> to.tolist()
    [0, 0, 0, 2]
    """
    rows, first, last = len(code), valid[0], valid[1]
    at = first
    for i in range(rows):
        if i < first:
            to[i] = first if end else 0  #: Row {i} has no key: the bound of its peers is {to[i]}.
        elif i >= last:
            to[i] = rows if end else last  #: Row {i} has no key: the bound of its peers is {to[i]}.
        else:
            at = search_from(code, bound[i], beyond[i], at, first, last)
            to[i] = at  #: Row {i} looks for {bound[i]:time}: the bound is {at}.


@kernel
def session_bounds(
    code: Int64Column,
    next_code: Int64Column,
    beyond: Uint8Column,
    valid: Int64Row,
    begin: Int64Column,
    end: Int64Column,
) -> int:
    """Write the session of each row: a run of rows that follow each other by less than a gap.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order keys, ascending where they are valid.
    next_code : int64 array of shape (rows,)
        For each row, the least key that is not in the same session if it comes next.
    beyond : uint8 array of shape (rows,)
        1 where that key is in the session as well, and only greater ones are not.
    valid : int64 array of shape (2,)
        The half-open range of rows that have a key. Each row without one is its own session.
    begin, end : int64 arrays of shape (rows,)
        Written: the rows of each row's session, half open.

    Returns
    -------
    int
        The number of sessions.

    Notes
    -----
    O(n).

    Source: https://github.com/risingwavelabs/risingwave,
    ``src/expr/impl/src/window_function/buffer.rs``.

    Examples
    --------
    >>> import numpy as np
    >>> time, begin, end = np.array([1, 3, 8, 9]), *np.zeros((2, 4), np.int64)
    >>> session_bounds(time, time + 5, np.zeros(4, np.uint8), np.array([0, 4]), begin, end)
    2
    >>> begin.tolist(), end.tolist()
    ([0, 0, 2, 2], [2, 2, 4, 4])
    """
    rows, first, last = len(code), valid[0], valid[1]
    start, sessions = 0, 0
    for i in range(1, rows + 1):
        if first < i < last and (
            code[i] < next_code[i - 1] or (beyond[i - 1] == 1 and code[i] == next_code[i - 1])
        ):
            continue  #: Row {i} is less than a gap after row {i - 1}: one session.
        begin[start:i], end[start:i] = start, i  #: The rows {start} to {i - 1} are a session.
        start, sessions = i, sessions + 1
    return sessions


@kernel
def cut_hole(
    begin: Int64Column,
    end: Int64Column,
    hole_begin: Int64Column,
    hole_end: Int64Column,
    keep_row: bool,
    piece_begin: Int64Matrix,
    piece_end: Int64Matrix,
) -> None:
    """Write the three pieces of each frame: left of a hole, the row in it, and right of it.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows,)
        The frames.
    hole_begin, hole_end : int64 arrays of shape (rows,)
        The rows that each frame excludes; each row is in its own hole.
    keep_row : bool
        Whether the row itself stays if it is in its frame.
    piece_begin, piece_end : int64 arrays of shape (rows, 3)
        Written: ranges in order, within the frame.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> pieces = np.zeros((2, 3), np.int64), np.zeros((2, 3), np.int64)
    >>> columns = np.array([[0, 0], [5, 5], [1, 1], [4, 4]])
    >>> cut_hole(*columns, True, *pieces)
    >>> pieces[0][1].tolist(), pieces[1][1].tolist()
    ([0, 1, 4], [1, 2, 5])
    """
    for i in range(len(begin)):
        low, high = begin[i], end[i]
        left, right = min(max(hole_begin[i], low), high), min(max(hole_end[i], low), high)
        own, after = min(max(i, low), high), min(max(i + 1, low), high)
        piece_begin[i, 0], piece_end[i, 0] = low, left
        piece_begin[i, 1], piece_end[i, 1] = own, after if keep_row else own
        piece_begin[i, 2], piece_end[i, 2] = right, high  #: Row {i}: {left} to {right} is left out.


@kernel
def keep_rows(
    kept: Uint8Column,
    before: Int64Column,
    row: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
) -> int:
    """Renumber the rows of frames so that only qualifying rows are counted.

    Parameters
    ----------
    kept : uint8 array of shape (rows,)
        1 where a row qualifies, else 0.
    before : int64 array of shape (rows,)
        Written: how many qualifying rows come before each row.
    row : int64 array of shape (rows,)
        Written: the qualifying rows, in its first cells; 0 in the others.
    begin, end : int64 arrays of shape (rows, pieces)
        The frames of all rows; changed to ranges of positions in ``row``.

    Returns
    -------
    int
        How many rows qualify.

    Notes
    -----
    O(n · pieces).

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [1]]), np.array([[2], [3], [3]])
    >>> before, row = np.zeros(3, np.int64), np.zeros(3, np.int64)
    >>> keep_rows(np.array([1, 0, 1], np.uint8), before, row, begin, end)
    2
    >>> begin.ravel().tolist(), end.ravel().tolist(), row[:2].tolist()
    ([0, 0, 1], [1, 2, 2], [0, 2])
    """
    rows, count = len(kept), 0
    row[:] = 0
    for i in range(rows):
        before[i] = count
        if kept[i] == 1:
            row[count] = i
            count += 1  #: Row {i} counts as number {count - 1}.
    for i in range(rows):
        for j in range(begin.shape[1]):
            begin[i, j] = before[begin[i, j]] if begin[i, j] < rows else count
            end[i, j] = before[end[i, j]] if end[i, j] < rows else count
    return count


@kernel
def number_in_block(base: Int64Row, row: Int64Column) -> None:
    """Convert row numbers within the partition to row numbers of the block, in place.

    Parameters
    ----------
    base : int64 array of shape (1,)
        The partition's first row in the block.
    row : int64 array of shape (rows,)
        Row numbers; negative ones, which stand for no row, are unchanged.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> row = np.array([0, -1, 2])
    >>> number_in_block(np.array([10]), row)
    >>> row.tolist()
    [10, -1, 12]
    """
    for i in range(len(row)):
        if row[i] >= 0:
            row[i] += base[0]


@dataclass(frozen=True)
class KeptRows:
    """The qualifying rows of a block, and the frames over them.

    Attributes
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        Each row's frame as ranges of positions among its partition's qualifying rows.
    row : int64 array of shape (rows,)
        The row of the block at each position. Only the first ``count`` cells of each partition are
        valid; the others repeat its first row. ``column[row]`` is the column that the frames refer
        to, with the same offsets of partitions.
    before : int64 array of shape (rows,)
        How many qualifying rows come before each row in its partition.
    count : int64 array of shape (partitions,)
        How many rows of each partition qualify.
    """

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    row: NDArray[np.int64]
    before: NDArray[np.int64]
    count: NDArray[np.int64]


def frames_of_kept(
    offsets: NDArray[np.int64],
    kept: NDArray[np.uint8],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
) -> KeptRows:
    """Return the qualifying rows and the frames over them; the input is not changed.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    kept : uint8 array of shape (rows,)
        1 where a row qualifies: it passes a filter, or its argument is not NULL.
    begin, end : int64 arrays of shape (rows, pieces)
        From :func:`frame_ranges`.

    Returns
    -------
    KeptRows

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.zeros((3, 1), np.int64), np.array([[1], [2], [3]])
    >>> frames = frames_of_kept(np.array([0, 3]), np.array([0, 1, 1], np.uint8), begin, end)
    >>> frames.end.ravel().tolist(), frames.row[: frames.count[0]].tolist()
    ([0, 1, 2], [1, 2])
    """
    begin, end = begin.copy(), end.copy()
    before, row = np.zeros(len(kept), np.int64), np.zeros(len(kept), np.int64)
    count = keep_rows.over(offsets, kept, before, row, begin, end)
    number_in_block.over(offsets, offsets[:-1, None], row)
    return KeptRows(begin, end, row, before, count)
