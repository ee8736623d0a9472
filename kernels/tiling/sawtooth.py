"""The top of the ladder: windows with a tail of hops and a head of single events."""

import numpy as np

from kernels.core.kernel import Int64Column, Int64Right, Matrix, Right, State, kernel
from kernels.states.states import load, store
from kernels.tiling.hops import floor_to, hop_states
from kernels.tiling.tails import stack_tails


@kernel
def head_states(
    empty: State,
    query: Int64Column,
    hop: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Merge queries and events in one scan: the newest part of each window, [floor(q), q).

    Parameters
    ----------
    empty, query, time, value, other
        As :func:`kernels.tiling.naive.naive_windows` takes them.
    hop : int
        Microseconds, 1 or more.
    states : array of shape (queries, fields)
        Written: the state of each query's head; the empty state for a head without events.

    Returns
    -------
    int
        The operations: one for each event, in a head or skipped, and one for each query.

    Notes
    -----
    O(queries + events), no memory. A head lies within one hop, so hops can be distributed.

    Source: Zipline, "Window Tiling Algorithm": cumulative_merging_sum.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> head_states(Count(), query, 5, time, time, time, states), states.tolist()
    (5, [[1], [1]])
    """
    state, head, row, operations = empty, 0, 0, 0
    for i in range(len(query)):
        begin = floor_to(query[i], hop)
        if i == 0 or begin != head:
            state, head = empty, begin  #: A head begins at {head:time}.
            while row < len(time) and time[row] < head:
                operations += 1
                row += 1  #: Event {row - 1}, at {time[row - 1]:time}, is before it.
        while row < len(time) and time[row] < query[i]:
            state = state.update(value[row], other[row], row)
            operations += 1
            row += 1  #: Event {row - 1} joins the head: {state}.
        operations += 1
        store(states, i, state)  #: Query {i}, from {head:time} to {query[i]:time}: {state}.
    return operations


@kernel
def join_heads(empty: State, tails: Matrix, heads: Matrix, states: Matrix) -> int:
    """Append each query's head to its tail: together they are its sawtooth window.

    Parameters
    ----------
    empty : state
        The aggregate's state before any event, of :mod:`kernels.states.states`.
    tails, heads : arrays of shape (queries, fields)
        The states from a kernel of :mod:`kernels.tiling.tails` and from :func:`head_states`.
    states : array of shape (queries, fields)
        Written: the state of each query's window.

    Returns
    -------
    int
        The operations: one for each query.

    Notes
    -----
    O(queries).

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> states = np.zeros((2, 1), np.int64)
    >>> join_heads(Count(), np.array([[1], [2]]), np.array([[4], [0]]), states), states.tolist()
    (2, [[5], [2]])
    """
    for i in range(len(states)):
        state = load(empty, tails, i).combine(load(empty, heads, i))
        store(states, i, state)  #: Query {i}, tail and head: {state}.
    return len(states)


@kernel
def sawtooth_windows(
    empty: State,
    query: Int64Column,
    window: int,
    hop: int,
    time: Int64Right,
    value: Right,
    other: Right,
    states: Matrix,
) -> int:
    """Roll events up to hops, compute tails with two stacks and heads with a scan, and join them.

    Parameters
    ----------
    empty, query, window, time, value, other, states
        As :func:`kernels.tiling.naive.naive_windows` takes them, but a query at q sees the events
        in [floor(q - window), q).
    hop : int
        Microseconds, 1 or more.

    Returns
    -------
    int
        The operations: one for each event that is rolled up, and those of the kernels it calls.

    Notes
    -----
    O(queries + events); memory for the hops, at most one per event, and for tails and heads.

    Source: Zipline, "Window Tiling Algorithm": sawtooth windows.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.states.states import Count
    >>> query, time, states = np.array([4, 9]), np.array([1, 4, 8]), np.zeros((2, 1), np.int64)
    >>> sawtooth_windows(Count(), query, 5, 5, time, time, time, states), states.tolist()
    (14, [[1], [3]])
    """
    start, stop = np.zeros(len(time), np.int64), np.zeros(len(time), np.int64)
    hops = np.zeros((len(time), len(empty)), value.dtype)
    tails, heads = np.zeros_like(states), np.zeros_like(states)
    count = hop_states(empty, hop, time, value, other, start, stop, hops)
    operations = len(time)  #: {len(time)} events are rolled up to {count} hops.
    operations += stack_tails(empty, query, window, hop, start[:count], hops[:count], tails)
    operations += head_states(empty, query, hop, time, value, other, heads)
    operations += join_heads(empty, tails, heads, states)
    return int(operations)
