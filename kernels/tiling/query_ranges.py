"""The window of every query as a range of its key's events."""

from kernels.core.kernel import Int64Column, Int64Matrix, Int64Right, kernel
from kernels.tiling.hops import floor_to, window_start


@kernel
def query_ranges(
    query: Int64Column,
    bounded: bool,
    window: int,
    hop: int,
    last_hop: int,
    time: Int64Right,
    begin: Int64Matrix,
    end: Int64Matrix,
) -> None:
    """Write each query's range of events, with a cursor at each end of the window.

    Parameters
    ----------
    query : int64 array of shape (queries,)
        The times of the queries, sorted.
    bounded : bool
        Whether the window has a begin; otherwise it contains all events before its end.
    window : int
        The window's length, 0 or more.
    hop, last_hop : int
        The multiples to which the window's begin and its end are rounded down, 1 or more: 1 does
        not change them. A sliding window has (1, 1), a sawtooth (hop, 1), a hopping one (hop, hop).
    time : int64 array of shape (events,)
        The times of the events, sorted.
    begin, end : int64 arrays of shape (queries, 1)
        Written: the events [begin, end) of each query. None is at the window's end or later.

    Notes
    -----
    O(queries + events). All times and lengths are in the same unit.

    Source: Zipline, "Window Tiling Algorithm": reframing as arrays.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.zeros((2, 1), np.int64), np.zeros((2, 1), np.int64)
    >>> query, time = np.array([4, 9]), np.array([1, 4, 8])
    >>> query_ranges(query, True, 5, 1, 1, time, begin, end)
    >>> begin.ravel().tolist(), end.ravel().tolist()
    ([0, 1], [1, 3])
    """
    first, last = 0, 0
    for i in range(len(query)):
        low, high = window_start(query[i], window, hop), floor_to(query[i], last_hop)
        while last < len(time) and time[last] < high:
            last += 1  #: Event {last - 1} is before {high:time}.
        while bounded and first < last and time[first] < low:
            first += 1  #: Event {first - 1} is before {low:time}, where the window begins.
        begin[i, 0], end[i, 0] = first, last  #: Query {i} sees the events {first} to {last}.
