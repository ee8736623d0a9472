"""The middle rungs: two cursors scan sorted columns, or each event searches its queries."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import (
    Int64Column,
    Int64Right,
    InvertibleState,
    Matrix,
    Right,
    State,
    kernel,
)
from kernels.states.states import load, store
from kernels.structures.instants import window_end
from kernels.tiling.hops import window_start


@helper
def search_after(times: NDArray[np.int64], moment: int) -> tuple[int, int]:
    """Return the first position after a moment, and the number of probes of the binary search.

    Examples
    --------
    >>> import numpy as np
    >>> search_after(np.array([1, 4, 4, 8]), 4)
    (3, 2)
    """
    low, high, probes = 0, len(times), 0
    while low < high:
        middle = (low + high) // 2
        probes += 1
        if times[middle] <= moment:
            low = middle + 1
        else:
            high = middle
    return low, probes


@kernel
def cursor_windows(
    empty: InvertibleState,
    query: Int64Column,
    window: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Scan queries and events once, with a cursor at each end of the window.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`, with an inverse.
    query, window, time, value, other, states
        As :func:`kernels.tiling.naive.naive_windows` takes them.

    Returns
    -------
    int
        The operations: one for each event that enters or leaves, and one for each query.

    Notes
    -----
    O(queries + events), no memory. Exact for integers; with floating numbers, rounding errors
    accumulate, and NaN or an infinite value would never go away.

    Source: Zipline, "Window Tiling Algorithm": reframing as arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> cursor_windows(Count(), query, 5, time, time, time, states), states.tolist()
    (6, [[1], [2]])
    """
    state, first, last, operations = empty, 0, 0, 0
    for i in range(len(query)):
        low = window_start(query[i], window)
        while last < len(time) and time[last] < query[i]:
            state = state.update(value[last], other[last], last)
            operations += 1
            last += 1  #: Event {last - 1} enters, before {query[i]:time}: {state}.
        while first < last and time[first] < low:
            state = state.inverse(value[first], other[first], first)
            operations += 1
            first += 1  #: Event {first - 1} leaves, before {low:time}: {state}.
        operations += 1
        store(states, i, state)  #: Query {i}, events {first} to {last}: {state}.
    return operations


@kernel
def search_windows(
    empty: State,
    query: Int64Column,
    window: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Search the first query that each event affects, and update all queries that it affects.

    Parameters
    ----------
    empty, query, window, time, value, other, states
        As :func:`kernels.tiling.naive.naive_windows` takes them.

    Returns
    -------
    int
        The operations: one for each probe of a search, and one for each update of a query.

    Notes
    -----
    O(events · (log queries + queries in a window)). An event at ts affects the queries in
    (ts, ts + window]. Memory only for the queries: events may be streamed.

    Source: Zipline, "Window Tiling Algorithm": binary search of the queries array.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> search_windows(Count(), query, 5, time, time, time, states), states.tolist()
    (9, [[1], [2]])
    """
    for i in range(len(query)):
        store(states, i, empty)
    operations = 0
    for row in range(len(time)):
        i, probes = search_after(query, time[row])
        end = window_end(time[row], window)
        operations += probes  #: Event {row} affects queries from number {i} on, to {end:time}.
        while i < len(query) and query[i] <= end:
            state = load(empty, states, i).update(value[row], other[row], row)
            store(states, i, state)  #: Query {i}, at {query[i]:time}: {state}.
            operations += 1
            i += 1
    return operations
