"""Funnels with windows of single steps, optional steps and exclusions, in one scan.

A *chain* takes steps in their order, one row per step. :mod:`kernels.funnel.scan` stores the newest
chain of each level. Here one is stored for each step and each number of optional steps taken so
far: of the chains that began at one instant and took as many optional steps, the one whose last
required step is newest can be extended by every row that extends the others, and for longer.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import (
    Int64Column,
    Int64Row,
    Int64Scratch,
    Int64Table,
    Uint32Column,
    kernel,
)
from kernels.structures.instants import LEAST, window_end

EMPTY = -1
#: The columns of a chain's state: its last row, the times of its first and of its last required
#: step, and the steps it took, one bit each.
LAST, START, ANCHOR, TAKEN = range(4)


@helper
def required_before(optional: int, k: int) -> int:
    """Return the nearest required step before step k.

    Examples
    --------
    >>> required_before(0b0110, 3), required_before(0b0110, 1)
    (0, 0)
    """
    k -= 1
    while (optional >> k) & 1 == 1:
        k -= 1
    return k


@helper
def required_from(optional: int, k: int, steps: int) -> int:
    """Return the first required step from step k on, or ``steps`` if there is none.

    Examples
    --------
    >>> required_from(0b1010, 1, 4), required_from(0b1010, 3, 4)
    (2, 4)
    """
    while k < steps and (optional >> k) & 1 == 1:
        k += 1
    return k


@helper
def in_time(
    state: NDArray[np.int64], k: int, now: int, window: int, within: NDArray[np.int64]
) -> bool:
    """Return whether a chain may take step k now.

    Examples
    --------
    >>> state, within = np.array([0, 10, 20, 0b11]), np.array([0, 9, 5])
    >>> in_time(state, 2, 25, 15, within), in_time(state, 2, 25, 14, within)
    (np.True_, np.False_)
    """
    return (
        state[LAST] != EMPTY
        and now <= window_end(state[START], window)
        and now <= window_end(state[ANCHOR], within[k])
    )


@helper
def take(
    k: int,
    row: int,
    now: int,
    window: int,
    optional: int,
    within: NDArray[np.int64],
    states: NDArray[np.int64],
    chain: NDArray[np.int64],
) -> bool:
    """Extend every chain that may take step k by a row, and return whether there was one.

    Parameters
    ----------
    k : int
        The step, 1 or more.
    row, now : int
        The row and its time.
    window : int
    optional : int
        Bit k is set when step k is optional.
    within : int64 array of shape (steps,)
    states : int64 array of shape (steps * counts, 4)
        Written: the states of the chains of each step, one per number of optional steps taken.
    chain : int64 array of shape (steps * counts, steps)
        Written: the times of the chains.

    Returns
    -------
    bool

    Examples
    --------
    >>> states, chain = np.array([[0, 5, 5, 1], [-1, 0, 0, 0]]), np.array([[5, 0], [0, 0]])
    >>> take(1, 1, 8, 10, 0, np.array([10, 10]), states, chain)
    True
    >>> states[1].tolist(), chain[1].tolist()
    ([1, 5, 8, 3], [5, 8])
    """
    counts = len(states) // len(within)
    required, before = (optional >> k) & 1 == 0, required_before(optional, k)
    newest, some = LEAST, False
    for source in range(before * counts, k * counts):
        if in_time(states[source], k, now, window, within):
            newest, some = max(newest, states[source, START]), True
    if required and some:
        for c in range(counts):
            if states[k * counts + c, START] < newest:
                states[k * counts + c, LAST] = EMPTY
    for source in range(before * counts, k * counts):
        start, anchor = states[source, START], states[source, ANCHOR]
        if start < newest or not in_time(states[source], k, now, window, within):
            continue
        to = k * counts + source % counts + (0 if required else 1)
        same = states[to, LAST] != EMPTY and states[to, START] == start
        if not required and same and states[to, ANCHOR] > anchor:
            continue
        states[to, LAST], states[to, START] = row, start
        states[to, ANCHOR] = now if required else anchor
        states[to, TAKEN] = states[source, TAKEN] | (1 << k)
        for j in range(k):
            chain[to, j] = chain[source, j]
        chain[to, k] = now
    return some


@helper
def highest_barred(
    barred: int,
    now: int,
    window: int,
    optional: int,
    within: NDArray[np.int64],
    opens: NDArray[np.int64],
    closes: NDArray[np.int64],
    states: NDArray[np.int64],
) -> int:
    """Return the highest level among the chains in time that an excluded row ends, 0 for none.

    Examples
    --------
    >>> states, within = np.array([[0, 5, 5, 1], [-1, 0, 0, 0]]), np.array([9, 9])
    >>> highest_barred(1, 14, 9, 0, within, np.array([0]), np.array([1]), states)
    1
    >>> highest_barred(1, 15, 9, 0, within, np.array([0]), np.array([1]), states)
    0
    """
    steps, level = len(within), 0
    counts = len(states) // steps
    for x in range(len(opens)):
        if (barred >> x) & 1 == 0:
            continue
        for at in range(opens[x] * counts, closes[x] * counts):
            k = at // counts
            following = required_from(optional, k + 1, steps)
            if in_time(states[at], following, now, window, within):
                level = max(level, required_before(optional, k + 1) + 1)
    return level


@helper
def end_chains(
    barred: int,
    row: int,
    opens: NDArray[np.int64],
    closes: NDArray[np.int64],
    states: NDArray[np.int64],
    counts: int,
) -> None:
    """Clear the chains between the steps of each exclusion, except those that took this row.

    Examples
    --------
    >>> states = np.array([[0, 5, 5, 1], [1, 5, 9, 3]])
    >>> end_chains(1, 1, np.array([0]), np.array([1]), states, 1)
    >>> states[:, 0].tolist()
    [-1, 1]
    """
    for x in range(len(opens)):
        if (barred >> x) & 1 == 1:
            for at in range(opens[x] * counts, closes[x] * counts):
                if states[at, LAST] != row:
                    states[at, LAST] = EMPTY


@kernel
def chain_funnel(
    time: Int64Column,
    kind: Uint32Column,
    fulfils: Int64Scratch,
    bars: Int64Scratch,
    window: int,
    strict: bool,
    optional: int,
    within: Int64Scratch,
    opens: Int64Scratch,
    closes: Int64Scratch,
    states: Int64Table,
    chain: Int64Table,
    outcome: Int64Row,
    reached: Int64Row,
) -> int:
    """Return how far one user got, with optional steps, exclusions and windows of single steps.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, sorted; at equal times sorted by ``kind``.
    kind : uint32 array of shape (rows,)
        The number of each row's kind.
    fulfils, bars : int64 arrays of shape (kinds,)
        Bit k is set when rows of a kind fulfil step k, and when exclusion k excludes them.
    window : int
        Microseconds from the first step to the last, inclusive.
    strict : bool
        Whether the rows of a chain must follow each other with no other row between them.
    optional : int
        Bit k is set when step k may be skipped; never for step 0.
    within : int64 array of shape (steps,)
        Microseconds for each step since the nearest required step before, inclusive.
    opens, closes : int64 arrays of shape (exclusions,)
        The required steps between which an exclusion holds, counted from 0.
    states : int64 array of shape (steps * counts, 4)
        Working memory: the states; ``counts`` is the number of optional steps plus one.
    chain : int64 array of shape (steps * counts, steps)
        Working memory: the times of each chain.
    outcome : int64 array of shape (4,)
        Written: the steps of the winning chain, bit k for step k; 1 if an excluded row ended a
        chain of the same level; 1 if it did and no later chain reached that level; the number of
        rows read.
    reached : int64 array of shape (steps,)
        Written: the time of each step of the winning chain, zeros elsewhere.

    Returns
    -------
    int
        The number of the furthest required step, from 1; 0 for none.

    Notes
    -----
    O(rows · steps · counts) time at worst, O(rows) without optional steps; no other memory. The
    winning chain is the one that reached the highest level; of several, the one that began last,
    then the one with most optional steps, then the newest. The scan ends when the last step is
    taken.

    Source: "How windowFunnel works in ClickHouse" for the scan and the newest chain; the documents
    of GrowthBook for optional steps that neither anchor a window nor filter later steps; those of
    Mixpanel for exclusions after which the steps before them are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.funnel.chain_levels import Rules, chain_levels
    >>> rules = Rules(steps=3, window=10, optional=(1,))
    >>> level, reached, outcome = chain_levels(
    ...     np.array([0, 3]), np.array([0, 4, 9]), np.array([1, 2, 4], np.uint32), rules
    ... )
    >>> level.tolist(), reached.tolist(), outcome[:, 0].tolist()
    ([3], [[0, 4, 9]], [7])
    """
    steps = len(within)
    counts = len(states) // steps
    level = start = taken = options = barred_level = ended_last = 0
    finished = idle = False
    outcome[3] = len(time)
    states[:, LAST] = EMPTY  #: {steps} steps, and no chain.
    for i in range(len(time)):
        now, bits, barred = time[i], fulfils[kind[i]], bars[kind[i]]
        if bits == 0 and barred == 0:
            if strict and not idle:
                states[:, LAST] = EMPTY  # Once is enough, until a step is taken again.
                idle = True
            continue
        idle = False
        if barred != 0:
            ended = highest_barred(barred, now, window, optional, within, opens, closes, states)
            barred_level = max(barred_level, ended)
            if ended > 0 and ended == level:
                ended_last = 1  #: {now:time}: an excluded event ends the chains that wait here.
        for k in range(steps - 1, -1, -1):
            if (bits >> k) & 1 == 0:
                continue
            if k == 0:
                states[:counts, LAST] = EMPTY
                states[0, LAST], states[0, START], states[0, ANCHOR], states[0, TAKEN] = (
                    i,
                    now,
                    now,
                    1,
                )
                chain[0, 0] = now  #: {now:time}: {k:step} opens a window; the newest start is kept.
            elif not take(k, i, now, window, optional, within, states, chain):
                continue  #: {now:time}: {k:step} has no chain to extend in time.
            far = required_before(optional, k + 1) + 1
            for c in range(counts):
                at = k * counts + c
                if states[at, LAST] != i or (far, states[at, START], c) < (level, start, options):
                    continue
                level, start, options = far, states[at, START], c
                taken = states[at, TAKEN]
                for j in range(steps):  #: {now:time}: {k:step} is in time, its chain the best.
                    reached[j] = chain[at, j] if (taken >> j) & 1 == 1 else 0
            if far == k + 1 and far >= level:
                ended_last = 0
            finished = finished or 0 < k == steps - 1
        if barred != 0:
            end_chains(barred, i, opens, closes, states, counts)
        if strict:
            for at in range(len(states)):
                if states[at, LAST] != i:
                    states[at, LAST] = EMPTY
        if finished:
            outcome[3] = i + 1
            break  #: The last step is taken, so the scan ends.
    outcome[0] = taken
    outcome[1] = 1 if level > 0 and barred_level == level else 0
    outcome[2] = ended_last if outcome[1] == 1 else 0
    return level  #: The answer is level {level} of {steps}.
