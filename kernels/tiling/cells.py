"""Cells: the states of all aggregates over the events of one hop, as a store keeps them for a key.

A cell is a row of integers and a row of floating numbers: its series of hops, its begin, its latest
event, and then the fields of each aggregate, whose positions the slots define. In a state without
events all fields are 0. Cells of the same hop can be joined in any order, so late events need no
special treatment; a single event is a cell, too.
"""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import (
    RIGHT,
    ROW,
    Float64Column,
    Float64Matrix,
    Int64Column,
    Int64Matrix,
    Int64Row,
    Int64Scratch,
    Int64Table,
    kernel,
)
from kernels.states.states import (
    Count,
    First,
    Flags,
    Greatest,
    Last,
    Least,
    Product,
    ScaledJoint,
    ScaledMoments,
    ScaledSpread,
    Sum,
    load,
)
from kernels.structures.instants import LEAST
from kernels.tiling.hops import floor_to, window_start

Int64Cells = Annotated[NDArray[np.int64], RIGHT, np.int64, 2]
Float64Cells = Annotated[NDArray[np.float64], RIGHT, np.float64, 2]
Float64Row = Annotated[NDArray[np.float64], ROW, np.float64]

#: The integers of a cell: its series, its begin, and its latest event; the fields follow.
SERIES, BEGIN, LATEST, HEAD = 0, 1, 2, 3
#: A slot: the kind of its state, and where its integers and its numbers begin in a cell.
KIND, WHOLE_AT, REAL_AT = 0, 1, 2
#: A window: its series of hops, its length or -1 without a bound, its hop, and the core's begin.
LENGTH, HOP, CORE = 1, 2, 3


def _size(state: Any) -> tuple[int, int]:
    """Return how many integers and how many floating numbers a state has."""
    return (len(state), 0) if isinstance(state[0], int) else (0, len(state))


#: The kinds of slots.
COUNT, WHOLE, TOTAL, PRODUCT, FLAGS, LEAST_KEY, GREATEST_KEY, FIRST, LAST = range(9)
SPREAD, MOMENTS, JOINT = range(9, 12)
NO_SPREAD, NO_MOMENTS, NO_JOINT = ScaledSpread(), ScaledMoments(), ScaledJoint()
#: The states of kinds whose slots have the same fields, and are combined as the states are.
STATES: dict[int, Any] = {
    COUNT: Count(),
    WHOLE: Sum(0, 0),
    TOTAL: Sum(0.0, 0.0),
    FLAGS: Flags(),
    SPREAD: NO_SPREAD,
    MOMENTS: NO_MOMENTS,
    JOINT: NO_JOINT,
}
#: States that slots store in other fields. Rows have no fixed numbers among later ones, so a slot
#: stores a row's key, and its time if the order matters; a product without rows is stored as zeros.
OTHER_FIELDS = {
    PRODUCT: Product(),
    LEAST_KEY: Least(),
    GREATEST_KEY: Greatest(),
    FIRST: First(),
    LAST: Last(),
}
#: The numbers of integers and of floating numbers of each kind of slot.
SIZES = {
    **{kind: _size(state) for kind, state in STATES.items()},
    PRODUCT: (0, 2),
    **dict.fromkeys((LEAST_KEY, GREATEST_KEY), (2, 0)),
    **dict.fromkeys((FIRST, LAST), (4, 0)),
}


def kind_for(state: Any) -> int | None:
    """Return the kind of slot for a state, or None if no slot can store it.

    Examples
    --------
    >>> kind_for(Sum(0, 0)) == WHOLE, kind_for(Sum(0.0, 0.0)) == TOTAL
    (True, True)
    """
    # Tuples of equal numbers are equal, so states are distinguished by their types.
    by_kind = {**STATES, **OTHER_FIELDS}
    kinds = {(type(empty), type(empty[0])): kind for kind, empty in by_kind.items()}
    return kinds.get((type(state), type(state[0])))


@helper
def put(numbers: NDArray[Any], at: int, state: Any) -> None:
    """Write the fields of a state.

    Examples
    --------
    >>> numbers = np.zeros(4)
    >>> put(numbers, 0, ScaledSpread(2.0, 5.0, 0.5))
    >>> numbers.tolist()
    [2.0, 5.0, 0.5, 1.0]
    """
    for k in range(len(state)):
        numbers[at + k] = state[k]


@helper
def state_at(empty: Any, numbers: NDArray[Any], at: int) -> Any:
    """Return the state whose fields :func:`put` wrote, of the class of the empty state.

    Examples
    --------
    >>> state_at(NO_SPREAD, np.array([0.0, 2.0, 5.0, 0.5, 1.0]), 1)
    ScaledSpread(rows=2.0, mean=5.0, squares=0.5, unit=1.0)
    """
    fields = len(empty)
    return load(empty, numbers[at : at + fields].reshape((1, fields)), 0)


@helper
def is_before(a: NDArray[np.int64], b: NDArray[np.int64], at: int, to: int) -> bool:
    """Return whether an event's pick, (any, time, given, key), is before another.

    Examples
    --------
    >>> is_before(np.array([1, 5, 0, 9]), np.array([1, 5, 1, 2]), 0, 0)
    True
    """
    for k in range(1, 4):
        if a[at + k] != b[to + k]:
            return bool(a[at + k] < b[to + k])
    return False


@helper
def join_picks(kind: int, w: int, whole: NDArray[np.int64], to: NDArray[np.int64]) -> None:
    """Combine least or greatest keys, or first or last events.

    Examples
    --------
    >>> to = np.array([1, 7])
    >>> join_picks(LEAST_KEY, 0, np.array([1, 5]), to)
    >>> to.tolist()
    [1, 5]
    """
    if kind == LEAST_KEY:
        better = whole[w + 1] < to[w + 1]
    elif kind == GREATEST_KEY:
        better = whole[w + 1] > to[w + 1]
    elif kind == FIRST:
        better = is_before(whole, to, w, w)
    else:
        better = is_before(to, whole, w, w)
    if whole[w] != 0 and (to[w] == 0 or better):
        for k in range(4 if kind >= FIRST else 2):
            to[w + k] = whole[w + k]


@helper
def join_numbers(kind: int, r: int, real: NDArray[np.float64], to: NDArray[np.float64]) -> None:
    """Combine states of floating numbers.

    Examples
    --------
    >>> to = np.array([1.0, 3.0, 0.0, 1.0])
    >>> join_numbers(SPREAD, 0, np.array([1.0, 5.0, 0.0, 1.0]), to)
    >>> to.tolist()
    [2.0, 4.0, 2.0, 1.0]
    """
    if kind == TOTAL:
        to[r] += real[r]
        to[r + 1] += real[r + 1]
    elif kind == PRODUCT:
        if real[r + 1] > 0:
            to[r] = real[r] * to[r] if to[r + 1] > 0 else real[r]
        to[r + 1] += real[r + 1]
    elif kind == SPREAD:
        put(to, r, state_at(NO_SPREAD, to, r).combine(state_at(NO_SPREAD, real, r)))
    elif kind == MOMENTS:
        put(to, r, state_at(NO_MOMENTS, to, r).combine(state_at(NO_MOMENTS, real, r)))
    else:
        put(to, r, state_at(NO_JOINT, to, r).combine(state_at(NO_JOINT, real, r)))


@helper
def join_cell(
    slots: NDArray[np.int64],
    whole: NDArray[np.int64],
    real: NDArray[np.float64],
    to_whole: NDArray[np.int64],
    to_real: NDArray[np.float64],
) -> None:
    """Combine a cell's states into those of another cell, slot by slot.

    Examples
    --------
    >>> slots, real = np.array([[COUNT, HEAD, 0], [TOTAL, 0, 0]]), np.array([2.5, 1.0])
    >>> whole, to, to_real = np.array([0, 5, 6, 1]), np.array([0, 5, 5, 3]), np.array([4.0, 3.0])
    >>> join_cell(slots, whole, real, to, to_real)
    >>> to.tolist(), to_real.tolist()
    ([0, 5, 6, 4], [6.5, 4.0])
    """
    to_whole[LATEST] = max(to_whole[LATEST], whole[LATEST])
    for s in range(len(slots)):
        kind, w, r = slots[s, KIND], slots[s, WHOLE_AT], slots[s, REAL_AT]
        if kind == COUNT:
            to_whole[w] += whole[w]
        elif kind in (WHOLE, FLAGS):
            to_whole[w] += whole[w]
            to_whole[w + 1] += whole[w + 1]
        elif kind >= LEAST_KEY and kind <= LAST:
            join_picks(kind, w, whole, to_whole)
        else:
            join_numbers(kind, r, real, to_real)


@helper
def open_cell(whole: NDArray[np.int64], series: int, begin: int) -> None:
    """Turn a cell of zeros into the cell of a hop.

    Examples
    --------
    >>> cell = np.zeros(3, np.int64)
    >>> open_cell(cell, 1, 10)
    >>> cell[:2].tolist()
    [1, 10]
    """
    whole[SERIES], whole[BEGIN], whole[LATEST] = series, begin, LEAST


@helper
def in_tail(windows: NDArray[np.int64], series: int, begin: int, since: int) -> bool:
    """Return whether a hop is in the tail of any window of a query at a time or later.

    Examples
    --------
    >>> windows = np.array([[0, 10, 5, 20]])
    >>> in_tail(windows, 0, 15, 27), in_tail(windows, 0, 5, 27)
    (True, False)
    """
    for w in range(len(windows)):
        if windows[w, SERIES] == series and begin < windows[w, CORE]:
            length = windows[w, LENGTH]
            if length < 0 or begin >= window_start(since, length, windows[w, HOP]):
                return True
    return False


@kernel
def roll_up(
    time: Int64Column,
    whole: Int64Matrix,
    real: Float64Matrix,
    since: int,
    hops: Int64Scratch,
    windows: Int64Table,
    slots: Int64Table,
    cells: Int64Cells,
    numbers: Float64Cells,
) -> int:
    """Roll up the events of a key: a collapsed cell for each window's core, and cells of hops.

    Parameters
    ----------
    time : int64 array of shape (events,)
        Sorted.
    whole, real : arrays of shape (events, integers) and (events, numbers)
        Each event as a cell.
    since : int
        No query is earlier, so hops that end before the window of such a query are omitted.
    hops : int64 array of shape (series,)
        The hop of each series.
    windows : int64 array of shape (windows, 4)
        For each its series, its length or -1, its hop, and the begin of its core: later events are
        in the window of every query, and make one cell of the series ``len(hops) + window``.
    slots : int64 array of shape (slots, 3)
        The kind of each state, and where it begins in the integers and in the numbers of a cell.
    cells, numbers : arrays of shape (cells, integers) and (cells, numbers)
        Zeros. Written: the collapsed cells, then those of hops by series and begin.

    Returns
    -------
    int
        The number of cells.

    Notes
    -----
    O(events · (series + windows)), the states of all aggregates in one pass.

    Source: Zipline, "Window Tiling Algorithm": row and column orientation; and its online view.

    Examples
    --------
    >>> time, windows = np.array([1, 8, 12, 21]), np.array([[0, 20, 5, 10]])
    >>> whole = np.stack([time * 0, time, time, time * 0 + 1], axis=1)
    >>> real, slots, cells = np.zeros((4, 0)), np.array([[COUNT, HEAD, 0]]), np.zeros((4, 4), int)
    >>> roll_up(time, whole, real, 25, np.array([5]), windows, slots, cells, np.zeros((4, 0)))
    2
    >>> cells[:2].tolist()
    [[1, 10, 21, 2], [0, 5, 8, 1]]
    """
    count = 0
    for w in range(len(windows)):
        begun = False
        for row in range(len(time)):
            if time[row] >= windows[w, CORE]:
                if not begun:
                    open_cell(cells[count], len(hops) + w, windows[w, CORE])
                    begun = True
                    count += 1  #: Cell {count - 1} collapses the core of window {w}.
                join_cell(slots, whole[row], real[row], cells[count - 1], numbers[count - 1])
    for h in range(len(hops)):
        begun = False
        for row in range(len(time)):
            begin = floor_to(time[row], hops[h])
            if in_tail(windows, h, begin, since):
                if not begun or cells[count - 1, BEGIN] != begin:
                    open_cell(cells[count], h, begin)
                    begun = True
                    count += 1  #: Cell {count - 1} is the hop of {hops[h]} from {begin:time}.
                join_cell(slots, whole[row], real[row], cells[count - 1], numbers[count - 1])
    return count


@helper
def is_later(cell: NDArray[np.int64], words: NDArray[np.int64], at: int) -> bool:
    """Return whether a cell among the words is of another hop than a given cell.

    Examples
    --------
    >>> is_later(np.array([0, 5, 6]), np.array([0, 5, 9]), 0)
    False
    """
    return bool(cell[SERIES] != words[at + SERIES] or cell[BEGIN] != words[at + BEGIN])


@kernel
def merge_cells(
    words: Int64Column,
    reals: Float64Column,
    since: int,
    slots: Int64Table,
    cells: Int64Cells,
    numbers: Float64Cells,
) -> int:
    """Merge a key's cells with new ones, and drop those that begin before a time.

    Parameters
    ----------
    words : int64 array of shape (cells · words of a cell,)
        The key's cells one after the other, each its integers and then its numbers: the stored ones
        by series and begin, then the new ones in the same order.
    reals : float64 array of the same shape
        The same words, read as floating numbers.
    since : int
    slots : int64 array of shape (slots, 3)
        As :func:`roll_up` takes them.
    cells, numbers : arrays of shape (cells, integers) and (cells, numbers)
        Zeros. Written: the merged cells by series and begin.

    Returns
    -------
    int
        The number of merged cells.

    Notes
    -----
    O(cells).

    Examples
    --------
    >>> words = np.array([0, 5, 6, 2, 0, 10, 11, 1, 0, 10, 14, 3])
    >>> slots, cells = np.array([[COUNT, HEAD, 0]]), np.zeros((3, 4), int)
    >>> merge_cells(words, words.view(float), 5, slots, cells, np.zeros((3, 0)))
    2
    >>> cells[:2].tolist()
    [[0, 5, 6, 2], [0, 10, 14, 4]]
    """
    whole, size, count = cells.shape[1], cells.shape[1] + numbers.shape[1], 0
    stop = len(words) // size
    new = min(1, stop)
    while new < stop and comes_before(words, (new - 1) * size, new * size):
        new += 1
    a, b = 0, new
    while a < new or b < stop:
        old = b >= stop or (a < new and not comes_before(words, b * size, a * size))
        at = (a if old else b) * size
        if words[at + BEGIN] >= since:
            if count == 0 or is_later(cells[count - 1], words, at):
                open_cell(cells[count], words[at], words[at + BEGIN])
                count += 1  #: Cell {count - 1} is another hop.
            part, rest = words[at : at + whole], reals[at + whole : at + size]
            join_cell(slots, part, rest, cells[count - 1], numbers[count - 1])
        a, b = (a + 1, b) if old else (a, b + 1)
    return count


@helper
def comes_before(words: NDArray[np.int64], a: int, b: int) -> bool:
    """Return whether a cell is before another by series and begin.

    Examples
    --------
    >>> comes_before(np.array([0, 5, 9, 0, 10, 11]), 0, 3)
    True
    """
    if words[a] != words[b]:
        return bool(words[a] < words[b])
    return bool(words[a + BEGIN] < words[b + BEGIN])


@helper
def joins_window(
    cell: NDArray[np.int64], at: int, since: int, upload: int, window: NDArray[np.int64]
) -> bool:
    """Return whether a hop is in the tail or head of a window at some time, but not in its core.

    Examples
    --------
    >>> cell, window = np.array([0, 5, 8]), np.array([0, 20, 5, 10])
    >>> joins_window(cell, 27, LEAST, 25, window), joins_window(cell, 30, LEAST, 25, window)
    (True, False)
    """
    begin = cell[BEGIN]
    if cell[SERIES] != window[SERIES] or begin < since or begin >= at:
        return False
    if window[LENGTH] >= 0 and begin < window_start(at, window[LENGTH], window[HOP]):
        return False
    return bool(begin < window[CORE] or begin >= upload)


@kernel
def join_windows(
    words: Int64Column,
    reals: Float64Column,
    at: int,
    since: int,
    upload: int,
    series: int,
    windows: Int64Table,
    slots: Int64Table,
    states: Int64Row,
    numbers: Float64Row,
) -> int:
    """Combine the cells of each window of a query: collapsed cells, and hops of tail and head.

    Parameters
    ----------
    words, reals
        A key's cells, as :func:`merge_cells` takes them.
    at : int
        The time of the query. A window is ``[floor(at - length), at)``, with the floor to its hop.
    since : int
        Hops that begin before it are ignored.
    upload : int
        The end of the cores: hops that begin then or later are in no core.
    series : int
        The number of series of hops; collapsed cells have the series numbers after them.
    windows, slots
        As :func:`roll_up` takes them.
    states, numbers : arrays of shape (windows · integers,) and (windows · numbers,)
        A cell for each window. Written: the cell with the key's cells combined into it.

    Returns
    -------
    int
        How many of the needed cells have an event at ``at`` or later. As cells cannot be cut, the
        result is valid only if this is 0.

    Notes
    -----
    O(cells · windows), whatever the number of events.

    Source: Zipline, "Window Tiling Algorithm": sawtooth windows; and Chronon's online fetch.

    Examples
    --------
    >>> words, windows = np.array([1, 10, 21, 2, 0, 5, 8, 1]), np.array([[0, 20, 5, 10]])
    >>> slots, states = np.array([[COUNT, HEAD, 0]]), np.zeros(4, int)
    >>> read = words, words.view(float), 27, LEAST, 25, 1
    >>> join_windows(*read, windows, slots, states, np.zeros(0)), states.tolist()
    (0, [0, 0, 21, 3])
    """
    count = max(len(windows), 1)
    whole, real = len(states) // count, len(numbers) // count
    size, beyond = whole + real, 0
    for first in range(0, len(words), size):
        cell, rest = words[first : first + whole], reals[first + whole : first + size]
        for w in range(len(windows)):
            collapsed = cell[SERIES] == series + w
            if collapsed or joins_window(cell, at, since, upload, windows[w]):
                beyond += cell[LATEST] >= at
                state, number = (
                    states[w * whole : (w + 1) * whole],
                    numbers[w * real : (w + 1) * real],
                )
                join_cell(slots, cell, rest, state, number)  #: Window {w} takes the cell {cell}.
    return beyond
