"""Hops: equal pieces of time, with one state for all events of a piece.

A window that begins at a hop consists of whole hops, so it is combined from their states instead of
from events. Hops are counted from 1970; floors round towards the past, also before 1970.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import Int64Right, Right, RightMatrix, State, kernel
from kernels.states.states import store
from kernels.structures.instants import LEAST, window_end

MINUTE = 60_000_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def default_hop(window: int) -> int:
    """Return the hop of a window: a day from 12 days on, an hour from 12 hours on, else 5 minutes.

    Parameters
    ----------
    window : int
        Microseconds.

    Returns
    -------
    int
        Microseconds.

    Examples
    --------
    >>> [default_hop(window) // MINUTE for window in (5 * HOUR, 7 * DAY, 90 * DAY)]
    [5, 60, 1440]
    """
    if window >= 12 * DAY:
        return DAY
    return HOUR if window >= 12 * HOUR else 5 * MINUTE


@helper
def floor_to(time: int, hop: int) -> int:
    """Return the begin of a time's hop; the first hop begins at the first instant.

    Examples
    --------
    >>> floor_to(17, 5), floor_to(-2, 5), floor_to(LEAST, 5) == LEAST
    (15, -5, True)
    """
    since = time % hop
    return max(time, LEAST + since) - since


def hop_begins(time: NDArray[np.int64], hop: int) -> NDArray[np.int64]:
    """Return the begin of each time's hop, as :func:`floor_to` does.

    Examples
    --------
    >>> hop_begins(np.array([17, -2]), 5).tolist()
    [15, -5]
    """
    since = time % hop
    return np.maximum(time, LEAST + since) - since


@helper
def hop_end(time: int, hop: int) -> int:
    """Return the last instant of a time's hop, at most the last instant there is.

    Examples
    --------
    >>> hop_end(17, 5), hop_end(-2, 5), hop_end(17, 1)
    (19, -1, 17)
    """
    return window_end(time, hop - 1 - time % hop)


@helper
def window_start(query: int, window: int, hop: int = 1) -> int:
    """Return the begin of a query's window, in whole hops, at least the first instant.

    Examples
    --------
    >>> window_start(17, 4), window_start(17, 4, 5)
    (13, 10)
    """
    return floor_to(max(query, LEAST + window) - window, hop)


@kernel
def hop_states(
    empty: State,
    hop: int,
    time: Int64Right,
    value: Right,
    other: Right,
    start: Int64Right,
    stop: Int64Right,
    hops: RightMatrix,
) -> int:
    """Roll up events: write one state for each hop that has events.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    hop : int
        Microseconds, 1 or more.
    time : int64 array of shape (events,)
        Microseconds, sorted.
    value, other : arrays of shape (events,)
        The columns to aggregate, of the type of the state's fields.
    start : int64 array of shape (events,)
        Written: the begin of each hop, in as many first cells as the kernel returns.
    stop : int64 array of shape (events,)
        Written: the event after the last one of each hop.
    hops : array of shape (events, fields)
        Written: the state of each hop.

    Returns
    -------
    int
        The number of hops with events.

    Notes
    -----
    O(events), one operation each; hops without events are not stored.

    Source: Zipline, "Window Tiling Algorithm": the partial aggregates of 5 minutes.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Sum
    >>> time, value = np.array([-1, 3, 4, 9]), np.array([5, 1, 2, 4])
    >>> start, stop, hops = np.zeros(4, int), np.zeros(4, int), np.zeros((4, 2), int)
    >>> hop_states(Sum(0, 0), 5, time, value, value, start, stop, hops)
    3
    >>> start[:3].tolist(), hops[:3].tolist()
    ([-5, 0, 5], [[5, 1], [3, 2], [4, 1]])
    """
    count, state = 0, empty
    for row in range(len(time)):
        begin = floor_to(time[row], hop)
        if count == 0 or start[count - 1] != begin:
            state = empty
            start[count] = begin
            count += 1  #: A hop begins at {begin:time}, it is number {count - 1}.
        state = state.update(value[row], other[row], row)
        stop[count - 1] = row + 1
        store(hops, count - 1, state)  #: Event {row} goes into hop {count - 1}: {state}.
    return count
