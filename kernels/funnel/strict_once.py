"""``windowFunnel`` in the mode ``strict_once``: one row fills at most one step of a chain.

A chain only moves forward in time, so rows compete for a step only when they fulfil several steps
*and* have the same time. The kernel therefore processes one instant at a time, and of all chains of
a level it needs only the newest one before the instant. What remains is a small matching problem:
can each step that a chain still lacks be filled by a different row of this instant?
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
from kernels.structures.bipartite_matching import fillable
from kernels.structures.instants import window_end

EMPTY = -1


@helper
def enough_rows(
    conditions: NDArray[np.uint32], counts: NDArray[np.int64], kept: NDArray[np.uint32]
) -> int:
    """Write the first rows of an instant for each step, up to the number of steps plus two.

    A chain takes one row per step, so one of these rows is always free, and another one can repeat
    the step. Later rows cannot change the result. Returns how many rows were written.

    Examples
    --------
    >>> kept = np.zeros(9, np.uint32)
    >>> enough_rows(np.array([0, 1, 1, 1, 1, 1, 2], np.uint32), np.zeros(2, np.int64), kept)
    5
    >>> kept[:5].tolist()
    [1, 1, 1, 1, 2]
    """
    count, most = 0, len(counts) + 2
    counts[:] = 0
    for row in range(len(conditions)):
        needed = False
        for k in range(len(counts)):
            if (conditions[row] >> k) & 1 == 1:
                needed = needed or counts[k] < most
                counts[k] += 1
        if needed:
            kept[count] = conditions[row]
            count += 1
    return count


@kernel
def oldest_origin(
    conditions: Uint32Column,
    row: int,
    k: int,
    settled: int,
    now: int,
    window: int,
    strict_increase: bool,
    start: Int64Scratch,
    filled: Int64Column,
    found_by: Int64Column,
    row_of: Int64Scratch,
    queue: Int64Scratch,
) -> int:
    """Return the lowest level before this instant whose chain its rows can extend to step k.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        The rows of the instant; bit k is set when the row fulfils step k, counted from 0.
    row, k : int
        The row that is to fill step k.
    settled : int
        The highest level that was reached before this instant.
    now, window : int
        Microseconds.
    strict_increase : bool
        Whether only one step may be taken at an instant.
    start : int64 array of shape (steps,)
        When the chain of each level began.
    filled, found_by, row_of, queue : int64 arrays
        Working memory of :func:`kernels.structures.bipartite_matching.fillable`.

    Returns
    -------
    int
        A level, 0 for a chain that begins at this instant; -1 when there is none.

    Notes
    -----
    The lowest level holds the newest start, because a chain passes through the levels in order.
    O(steps³ · rows) at worst: a matching for each level that the chain may come from.

    Examples
    --------
    >>> import numpy as np
    >>> rows, steps = np.zeros((2, 2), np.int64), np.zeros((3, 2), np.int64)
    >>> conditions = np.array([0b01, 0b10], np.uint32)
    >>> oldest_origin(conditions, 1, 1, 0, 5, 10, False, steps[0], *rows, *steps[1:])
    0
    """
    lowest = k if strict_increase else max(0, k - len(conditions) + 1)
    for origin in range(lowest, min(k, settled) + 1):
        if origin > 0 and now > window_end(start[origin - 1], window):
            continue
        if fillable(conditions, row, origin, k, filled, found_by, row_of, queue) == 1:
            return origin
    return EMPTY


@kernel
def hold_chains(now: int, origin: Int64Scratch, start: Int64Scratch, chain: Int64Table) -> None:
    """Store the new chain of every level that was reached at this instant.

    Parameters
    ----------
    now : int
        Microseconds.
    origin : int64 array of shape (steps,)
        For each step, the level whose chain was extended to it, -1 when none was.
    start : int64 array of shape (steps,)
        Written: when the chain of each level began.
    chain : int64 array of shape (steps, steps)
        Written: the times of the chain of each level.

    Notes
    -----
    From the highest level down, so that each extends a chain from before this instant.
    O(steps²) time.

    Examples
    --------
    >>> import numpy as np
    >>> start, chain = np.array([3, 0]), np.array([[3, 0], [0, 0]])
    >>> hold_chains(7, np.array([-1, 1]), start, chain)
    >>> start.tolist(), chain.tolist()
    ([3, 3], [[3, 0], [3, 7]])
    """
    for k in range(len(origin) - 1, -1, -1):
        level = origin[k]
        if level == EMPTY:
            continue
        for j in range(level):
            chain[k, j] = chain[level - 1, j]
        chain[k, level : k + 1] = now
        start[k] = chain[k, 0]


@kernel
def window_funnel_once(
    time: Int64Column,
    conditions: Uint32Column,
    window: int,
    strict_order: bool,
    strict_deduplication: bool,
    strict_increase: bool,
    allow_reentry: bool,
    start: Int64Scratch,
    origin: Int64Scratch,
    row_of: Int64Scratch,
    queue: Int64Scratch,
    chain: Int64Table,
    filled: Int64Column,
    found_by: Int64Column,
    kept: Uint32Column,
    reached: Int64Row,
) -> int:
    """Return how many steps of the funnel one user completed, with at most one step per row.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, sorted; at equal times sorted by ``conditions``.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0.
    window, strict_order, strict_deduplication, strict_increase, allow_reentry
        As for :func:`kernels.funnel.scan.window_funnel`.
    start, origin, row_of, queue : int64 arrays of shape (steps,)
        Working memory.
    chain : int64 array of shape (steps, steps)
        Working memory: the times of the chain of each level.
    filled, found_by : int64 arrays of shape (rows,)
        Working memory.
    kept : uint32 array of shape (rows,)
        Working memory: the rows of an instant that are enough for the result.
    reached : int64 array of shape (steps,)
        Written: the times of the winning chain; only the first ``level`` of them are valid.

    Returns
    -------
    int
        The level, 0 to ``len(start)``.

    Notes
    -----
    O(rows · steps) time; at each instant whose rows fulfil several steps, O(r² · steps³) more at
    worst, where r is the number of these rows, at most steps · (steps + 2). ClickHouse keeps every
    partial chain, whose number can grow exponentially with the steps; the levels are the same.

    Source: ClickHouse's documentation of ``strict_once``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.funnel.levels import funnel_levels
    >>> offsets, time, both = np.array([0, 1]), np.array([0]), np.array([0b11], np.uint32)
    >>> funnel_levels(offsets, time, both, 2, 10)[0].tolist()
    [2]
    >>> funnel_levels(offsets, time, both, 2, 10, strict_once=True)[0].tolist()
    [1]
    """
    steps = len(start)
    level, first, ended = 0, 0, False  #: {steps} steps, and no level holds a chain yet.
    while first < len(time) and not ended:
        now = time[first]
        last = first + 1
        while last < len(time) and time[last] == now:
            last += 1
        rows = conditions[first:last]  #: {now:time}: {last - first} rows stand at this instant.
        settled = level
        origin[:] = EMPTY
        # At equal times a row that fulfils no step comes first, and the rows are sorted.
        if strict_order and level > 0 and rows[0] == 0:
            break  #: {now:time}: none of the steps. In strict order that ends the scan.
        if len(rows) > steps + 2:
            rows = kept[: enough_rows(rows, queue, kept)]  #: {len(rows)} of them are enough.
        for k in range(steps):
            for row in range(len(rows)):
                if ended or (rows[row] >> k) & 1 == 0:
                    continue
                if k > 0 and strict_deduplication and level > k:
                    ended = True  #: {now:time}: {k:step} repeats. Strict deduplication ends here.
                elif k > level:
                    # A later step is skipped unless strict order forbids it.
                    ended = strict_order and level > 0 and not allow_reentry
                else:
                    source = oldest_origin(
                        rows, row, k, settled, now, window, strict_increase, start,
                        filled[: len(rows)], found_by[: len(rows)], row_of, queue,
                    )  # fmt: skip
                    if source == EMPTY:
                        continue  #: {now:time}: {k:step} has no chain to extend in time.
                    origin[k] = source if origin[k] == EMPTY else min(origin[k], source)
                    level = max(level, k + 1)  #: {now:time}: {k:step} extends level {source}.
                    ended = level == steps
        hold_chains(now, origin, start, chain)  #: The levels hold their newest chains.
        first = last
    reached[:level] = chain[level - 1, :level]
    return level  #: The answer is level {level} of {steps}.
