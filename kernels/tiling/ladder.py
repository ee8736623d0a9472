"""The ladder of window tiling: aggregates of windows that end at queries, with any of its rungs.

Queries and events belong to one key, both sorted by time. An event at the time of a query is not in
its window, and an event at ts affects the queries in (ts, ts + window].
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.core.kernel import Kernel
from kernels.states.aggregates import AGGREGATES, KEYS, finalized
from kernels.structures.instants import LEAST
from kernels.structures.sort_keys import sort_keys
from kernels.tiling.hops import default_hop, hop_begins, hop_states
from kernels.tiling.naive import naive_windows, rollup_windows
from kernels.tiling.sawtooth import head_states, join_heads, sawtooth_windows
from kernels.tiling.scan import cursor_windows, search_windows
from kernels.tiling.tails import cursor_tails, stack_tails, tree_tails
from kernels.tiling.tile_tree import tile_windows

SLIDING, HOPPING, SAWTOOTH = "sliding", "hopping", "sawtooth"


class Rung(NamedTuple):
    """An algorithm for windows.

    Attributes
    ----------
    kernel : Kernel
        The kernel that computes the windows, or their tails.
    meaning : str
        A query at q sees "sliding" [q - window, q), "hopping" [floor(q - window), floor(q)),
        "sawtooth" [floor(q - window), q).
    """

    kernel: Kernel
    meaning: str


#: Every rung by name, from the slowest to the fastest of each meaning.
RUNGS = {
    "naive": Rung(naive_windows, SLIDING),
    "rollups": Rung(rollup_windows, SLIDING),
    "search": Rung(search_windows, SLIDING),
    "tiles": Rung(tile_windows, SLIDING),
    "cursors": Rung(cursor_windows, SLIDING),
    "tree hops": Rung(tree_tails, HOPPING),
    "stack hops": Rung(stack_tails, HOPPING),
    "cursor hops": Rung(cursor_tails, HOPPING),
    "tree sawtooth": Rung(tree_tails, SAWTOOTH),
    "cursor sawtooth": Rung(cursor_tails, SAWTOOTH),
    "sawtooth": Rung(sawtooth_windows, SAWTOOTH),
}


TAIL_KERNELS = cursor_tails, stack_tails, tree_tails


class Answers(NamedTuple):
    """The results of a rung.

    Attributes
    ----------
    value : array of shape (queries,)
        The aggregate of each window; for first, last, min and max the event, -1 for none. If a
        window has fewer rows than the aggregate ``needs``, the value is not valid: it is NULL.
    rows : int64 array of shape (queries,)
        The number of events in each window.
    operations : int
        The operations that the kernels counted.
    """

    value: NDArray[Any]
    rows: Ints
    operations: int


def tiled_aggregate(
    rung: str,
    name: str,
    query: Ints,
    time: Ints,
    values: NDArray[Any],
    window: int,
    hop: int | None = None,
    *,
    other: NDArray[Any] | None = None,
) -> Answers:
    """Return an aggregate of each query's window, and how many operations it took.

    Parameters
    ----------
    rung : str
        One of :data:`RUNGS`.
    name : str
        One of :data:`kernels.states.aggregates.AGGREGATES`.
    query, time : int64 arrays of shape (queries,) and (events,)
        Microseconds, sorted.
    values : array of shape (events,)
    window : int
        Microseconds, 0 or more.
    hop : int, optional
        Microseconds; by default from :func:`kernels.tiling.hops.default_hop`.
    other : array of shape (events,), optional
        The second column of an aggregate of pairs.

    Returns
    -------
    Answers

    Raises
    ------
    ValueError
        When the rung or the name is not known, when the window is negative or the hop not
        positive, when times are not sorted, or when a rung subtracts and the aggregate cannot.

    Examples
    --------
    >>> query, time, values = np.array([4, 9]), np.array([1, 4, 8]), np.array([3.0, 5, 7])
    >>> tiled_aggregate("tiles", "sum", query, time, values, 5)
    Answers(value=array([ 3., 12.]), rows=array([1, 2]), operations=15)
    """
    hop = default_hop(window) if hop is None else hop
    _check(rung, name, query, time, window, hop)
    aggregate, algorithm = AGGREGATES[name], RUNGS[rung]
    dtype = np.asarray(aggregate.empty).dtype
    value = sort_keys(values) if aggregate.takes == KEYS else values.astype(dtype, copy=False)
    second = value if other is None else other.astype(dtype, copy=False)
    states = np.zeros((len(query), len(aggregate.empty)), dtype)
    run = _tails_and_heads if algorithm.kernel in TAIL_KERNELS else _whole_windows
    operations = run(algorithm, aggregate.empty, query, window, hop, (time, value, second), states)
    rows = _count(algorithm.meaning, query, time, window, hop)
    return Answers(finalized(name, states), rows, operations)


def _check(rung: str, name: str, query: Ints, time: Ints, window: int, hop: int) -> None:
    if rung not in RUNGS:
        raise ValueError(f"rung: {rung!r} is not known; use one of {', '.join(RUNGS)}.")
    if name not in AGGREGATES:
        raise ValueError(f"name: {name!r} is no aggregate; use one of {', '.join(AGGREGATES)}.")
    subtracts = RUNGS[rung].kernel in (cursor_windows, cursor_tails)
    if subtracts and not hasattr(AGGREGATES[name].empty, "inverse"):
        raise ValueError(f"rung: {rung!r} subtracts, which {name} cannot; use another rung.")
    if window < 0:
        raise ValueError(f"window: {window} is negative; give microseconds of 0 or more.")
    if hop < 1:
        raise ValueError(f"hop: {hop} is too short; give microseconds of 1 or more.")
    for label, times in (("query", query), ("time", time)):
        if (times[1:] < times[:-1]).any():
            raise ValueError(f"{label}: the times are not sorted; sort them, and the values alike.")


def _run(kernel: Kernel, queries: int, events: int, *args: Any) -> int:
    """Run a kernel over one partition with its compiled loop over partitions."""
    queries_of, events_of = np.array([0, queries]), np.array([0, events])
    return int(kernel.over(queries_of, *args, right=events_of)[0])


def _whole_windows(
    rung: Rung, empty: Any, query: Ints, window: int, hop: int, event: Any, states: Any
) -> int:
    """Run a kernel that computes windows directly from events."""
    lengths = (window, hop) if rung.kernel in (rollup_windows, sawtooth_windows) else (window,)
    sizes = len(query), len(event[0])
    return _run(rung.kernel, *sizes, empty, query, *lengths, *event, states)


def _tails_and_heads(
    rung: Rung, empty: Any, query: Ints, window: int, hop: int, event: Any, states: Any
) -> int:
    """Roll up events, compute the tails, and join the heads if the windows have heads."""
    sizes = rows, size = len(query), len(event[0])
    start, stop = np.zeros(size, np.int64), np.zeros(size, np.int64)
    hops = np.zeros((size, states.shape[1]), states.dtype)
    count = _run(hop_states, *sizes, empty, hop, *event, start, stop, hops)
    tails = states if rung.meaning == HOPPING else np.zeros_like(states)
    rolled = start[:count], hops[:count]
    operations = size + _run(rung.kernel, rows, count, empty, query, window, hop, *rolled, tails)
    if rung.meaning == SAWTOOTH:
        heads = np.zeros_like(states)
        operations += _run(head_states, *sizes, empty, query, hop, *event, heads)
        operations += _run(join_heads, *sizes, empty, tails, heads, states)
    return operations


def _count(meaning: str, query: Ints, time: Ints, window: int, hop: int) -> Ints:
    """Return the number of events in each window."""
    low = np.maximum(query, LEAST + window) - window
    low = low if meaning == SLIDING else hop_begins(low, hop)
    high = hop_begins(query, hop) if meaning == HOPPING else query
    return np.searchsorted(time, high) - np.searchsorted(time, low)
