"""The queries that see an event, as a range of its key's queries."""

from kernels.core.kernel import Int64Column, Int64Right, kernel
from kernels.structures.instants import window_end
from kernels.tiling.hops import hop_end
from kernels.tiling.scan import search_after


@kernel
def event_ranges(
    query: Int64Column,
    bounded: bool,
    window: int,
    hop: int,
    last_hop: int,
    time: Int64Right,
    begin: Int64Right,
    end: Int64Right,
) -> int:
    """Write the queries of each event: the first that sees it, and the first that no longer does.

    Parameters
    ----------
    query : int64 array of shape (queries,)
        The times of the queries, sorted.
    bounded : bool
        Whether the window has a begin; otherwise all later queries see an event.
    window, hop, last_hop
        As :func:`kernels.tiling.query_ranges.query_ranges` takes them.
    time : int64 array of shape (events,)
        The times of the events, in any order.
    begin, end : int64 arrays of shape (events,)
        Written: the queries [begin, end) that see each event.

    Returns
    -------
    int
        The operations: one for each probe of a search.

    Notes
    -----
    O(events · log queries), which is fast for few events of a key with many queries. With hops, a
    query sees an event once the last instant of the event's ``last_hop`` is over, and until the
    begin of its window, rounded down, is after the event.

    Source: Zipline, "Window Tiling Algorithm": the search of an event's queries, there from 7 days
    before the event on instead of after it.

    Examples
    --------
    >>> import numpy as np
    >>> query, time = np.array([4, 9]), np.array([1, 4, 8])
    >>> begin, end = np.zeros(3, np.int64), np.zeros(3, np.int64)
    >>> event_ranges(query, True, 5, 1, 1, time, begin, end)
    10
    >>> begin.tolist(), end.tolist()
    ([0, 1, 1], [1, 2, 2])
    """
    operations = 0
    for row in range(len(time)):
        left, probes = search_after(query, hop_end(time[row], last_hop))
        right = len(query)
        operations += probes
        if bounded:
            right, probes = search_after(query, window_end(hop_end(time[row], hop), window))
            operations += probes
        right = max(left, right)
        begin[row], end[row] = left, right  #: Queries {left} to {right} see event {row}.
    return operations
