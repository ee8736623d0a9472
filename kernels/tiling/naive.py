"""The lowest rungs of the ladder: every query reads every event, or every day's rollup."""

import numpy as np

from kernels.core.kernel import Int64Column, Int64Right, Matrix, Right, State, kernel
from kernels.states.states import load, store
from kernels.tiling.hops import hop_end, hop_states, window_start


@kernel
def naive_windows(
    empty: State,
    query: Int64Column,
    window: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Read every event for every query: the nested loops of a join in SQL.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    query : int64 array of shape (queries,)
        The times of the queries, microseconds, sorted.
    window : int
        Microseconds, 0 or more: a query at q sees the events in [q - window, q).
    time : int64 array of shape (events,)
        The times of the events, microseconds, sorted.
    value, other : arrays of shape (events,)
        The columns to aggregate, of the type of the state's fields; only aggregates of pairs read
        the other one.
    states : array of shape (queries, fields)
        Written: the state of each query's window; the empty state for a window without events.

    Returns
    -------
    int
        The operations: one for each pair of a query and an event.

    Notes
    -----
    O(queries · events).

    Source: Zipline, "Window Tiling Algorithm": the naive approach.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> naive_windows(Count(), query, 5, time, time, time, states), states.tolist()
    (6, [[1], [2]])
    """
    operations = 0
    for i in range(len(query)):
        state = empty
        low = window_start(query[i], window)  #: Query {i} sees [{low:time}, {query[i]:time}).
        for row in range(len(time)):
            operations += 1
            if low <= time[row] < query[i]:
                state = state.update(value[row], other[row], row)  #: Event {row} is in: {state}.
            else:
                continue  #: Event {row} at {time[row]:time} is not in the window of query {i}.
        store(states, i, state)  #: Query {i} has looked at {len(time)} events: {state}.
    return operations


@kernel
def rollup_windows(
    empty: State,
    query: Int64Column,
    window: int,
    hop: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Roll events up by days first, and read single events only on days that a window cuts.

    Parameters
    ----------
    empty, query, window, time, value, other, states
        As :func:`naive_windows` takes them.
    hop : int
        The length of a day, microseconds.

    Returns
    -------
    int
        The operations: one for each event rolled up, each pair of a query and a day, and each
        event of a day that a window cuts.

    Notes
    -----
    O(events + queries · (days + events of a day)): still quadratic, within days.

    Source: Zipline, "Window Tiling Algorithm": daily rollups.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> rollup_windows(Count(), query, 5, 4, time, time, time, states), states.tolist()
    (10, [[1], [2]])
    """
    start, stop = np.zeros(len(time), np.int64), np.zeros(len(time), np.int64)
    rolled = np.zeros((len(time), len(empty)), value.dtype)
    days = hop_states(empty, hop, time, value, other, start, stop, rolled)
    operations = len(time)
    for i in range(len(query)):
        state, low = empty, window_start(query[i], window)
        for day in range(days):
            operations += 1
            last = hop_end(start[day], hop)
            if low <= start[day] and last < query[i]:
                state = state.combine(load(empty, rolled, day))  #: Day {day} is whole: {state}.
            elif start[day] < query[i] and low <= last:
                first = 0 if day == 0 else stop[day - 1]
                for row in range(first, stop[day]):
                    operations += 1  #: The window cuts day {day}: event {row} is looked at.
                    if low <= time[row] < query[i]:
                        state = state.update(value[row], other[row], row)
        store(states, i, state)  #: Query {i}, from {low:time} to {query[i]:time}: {state}.
    return operations
