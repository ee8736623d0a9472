"""``windowFunnel``: how many steps of a sequence a user completes within a window of time.

:func:`window_funnel` is the scan of the article: one slot per level, which holds the newest chain
of events that reached it. :func:`kernels.funnel.strict_once.window_funnel_once` implements the mode
``strict_once``. Both return the *winning chain* as well: the time at which each step was reached.

The reference is ClickHouse's ``windowFunnel``, in every mode and every combination of modes.
"""

from kernels.core.kernel import (
    Int32Column,
    Int64Column,
    Int64Row,
    Int64Scratch,
    Uint32Column,
    kernel,
)
from kernels.structures.instants import window_end

EMPTY = -1


@kernel
def window_funnel(
    time: Int64Column,
    step: Uint32Column,
    window: int,
    strict_order: bool,
    strict_deduplication: bool,
    strict_increase: bool,
    allow_reentry: bool,
    start: Int64Scratch,
    holder: Int64Scratch,
    parent: Int32Column,
    reached: Int64Row,
) -> int:
    """Return how many steps of the funnel one user completed within the window.

    Parameters
    ----------
    time : int64 array of shape (entries,)
        Microseconds, sorted; at equal times sorted by step.
    step : uint32 array of shape (entries,)
        The step that each entry fulfils, from 1; 0 for a row that fulfils none.
    window : int
        Microseconds from the first step to the last, inclusive.
    strict_order : bool
        After a chain has begun, a row that fulfils no step, or one too far ahead, ends the scan.
    strict_deduplication : bool
        A repeated step after the first ends the scan.
    strict_increase : bool
        Each step must be later than the previous one, not at the same time.
    allow_reentry : bool
        With ``strict_order``: a step too far ahead is skipped.
    start, holder : int64 arrays of shape (steps,)
        Working memory: for each level, when its chain began and which entry reached it.
    parent : int32 array of shape (entries,)
        Written: the previous entry on each entry's chain, -1 for the chain's first.
    reached : int64 array of shape (steps,)
        Written: the times of the winning chain; only the first ``level`` of them are valid.

    Returns
    -------
    int
        The level, 0 to ``len(start)``.

    Notes
    -----
    O(entries + steps) time, and no other memory. One slot per level is enough: a chain that began
    later can be extended by every row that extends an earlier one of the same level, and for
    longer. Only ``strict_increase`` breaks this; there the kernel does as ClickHouse does.

    Source: "How windowFunnel works in ClickHouse", and ClickHouse's documentation of the modes.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.funnel.levels import funnel_levels
    >>> minutes = np.array([0, 5, 9, 70]) * 60_000_000
    >>> matches = np.array([1, 2, 4, 4], np.uint32)
    >>> level, reached = funnel_levels(np.array([0, 4]), minutes, matches, 3, 3_600_000_000)
    >>> level.tolist(), (reached[0] // 60_000_000).tolist()
    ([3], [0, 5, 9])
    """
    steps = len(start)
    level = 0
    holder[:] = EMPTY  #: {steps} steps, and no level holds a chain yet.
    for i in range(len(time)):
        now = time[i]
        k = int(step[i]) - 1
        if k < 0:
            if strict_order and level > 0:
                break  #: {now:time}: none of the steps. In strict order that ends the scan.
            continue  #: {now:time}: none of the steps, so it does not count.
        if k == 0:
            start[0] = now
            holder[0] = i
            parent[i] = EMPTY
            level = max(level, 1)  #: {now:time}: {k:step} opens a window; the newest start is kept.
        elif strict_deduplication and holder[k] != EMPTY:
            break  #: {now:time}: {k:step} repeats. Strict deduplication ends the scan here.
        elif holder[k - 1] == EMPTY:
            if strict_order and level > 0 and not allow_reentry:
                break  #: {now:time}: {k:step} is too far ahead. In strict order that ends the scan.
            continue  #: {now:time}: {k:step} does not count: {k - 1:step} is not reached yet.
        elif now > window_end(start[k - 1], window):
            continue  #: {now:time}: {k:step} is too late for the window from {start[k - 1]:time}.
        elif strict_increase and time[holder[k - 1]] == now:
            continue  #: {now:time}: {k:step} does not count: {k - 1:step} is at the same time.
        else:
            start[k] = start[k - 1]
            parent[i] = holder[k - 1]
            holder[k] = i
            level = max(level, k + 1)  #: {now:time}: {k:step} is in time: its chain is taken over.
            if level == steps:
                break  #: Every step is reached, nothing can be better.
    at = holder[level - 1]
    for k in range(level - 1, -1, -1):
        reached[k] = time[at]
        at = int(parent[at])
    return level  #: The answer is level {level} of {steps}.
