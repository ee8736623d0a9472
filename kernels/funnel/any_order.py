"""Funnels whose steps may come in any order: how many different steps one window contains.

One row counts for one step. Rows that fulfil several steps leave a choice, so the kernel maintains
a matching of rows to steps that prefers newer rows. For every time, it contains as many of the rows
since then as can be matched at once: sets of rows that can be matched at once are the independent
sets of a matroid (Edmonds and Fulkerson 1965), for which the greedy choice is best at every
threshold. A new row that finds no free step replaces the oldest row that it can reach.
"""

from kernels.core.kernel import (
    Int64Column,
    Int64Row,
    Int64Scratch,
    Uint32Column,
    kernel,
)
from kernels.structures.instants import window_end

NONE = -1


@kernel
def match_newest(
    row: int,
    kind: Uint32Column,
    fulfils: Int64Scratch,
    row_of: Int64Scratch,
    found_by: Int64Scratch,
    queue: Int64Scratch,
) -> int:
    """Match a new row to a step, replacing the oldest row if necessary, and return the step.

    Parameters
    ----------
    row : int
        The new row, which comes after all matched rows.
    kind : uint32 array of shape (rows,)
    fulfils : int64 array of shape (kinds,)
        Bit k is set when rows of a kind fulfil step k.
    row_of : int64 array of shape (steps,)
        Written: the row that is matched to each step, -1 for none.
    found_by, queue : int64 arrays of shape (steps,)
        Working memory: the step from whose row the search reached each step, and the steps reached.

    Returns
    -------
    int
        The step that is matched anew or whose old row was replaced; -1 if the row fulfils no step.

    Notes
    -----
    O(steps²) at worst; O(1) for rows of one step.

    Examples
    --------
    >>> import numpy as np
    >>> kind, fulfils = np.array([0, 1], np.uint32), np.array([0b01, 0b11])
    >>> row_of, found_by, queue = np.array([0, -1]), np.zeros(2, np.int64), np.zeros(2, np.int64)
    >>> match_newest(1, kind, fulfils, row_of, found_by, queue), row_of.tolist()
    (1, [0, 1])
    """
    steps = len(row_of)
    bits, before = fulfils[kind[row]], steps
    if bits != 0 and bits & (bits - 1) == 0:
        one = 0
        while (bits >> one) & 1 == 0:
            one += 1
        if row_of[one] == NONE or fulfils[kind[row_of[one]]] == bits:
            row_of[one] = row  # Both rows fulfil only this step, so no search is necessary.
            return one
    found_by[:] = NONE
    tail, oldest = 0, NONE
    head = 0
    while True:
        for k in range(steps):
            if (bits >> k) & 1 == 1 and found_by[k] == NONE:
                found_by[k], queue[tail] = before, k
                tail += 1
                if oldest == NONE or row_of[k] < row_of[oldest]:
                    oldest = k
        if head == tail or row_of[oldest] == NONE:
            break
        before = queue[head]
        bits = fulfils[kind[row_of[before]]]
        head += 1
    k = oldest
    while k != NONE and found_by[k] != steps:
        row_of[k] = row_of[found_by[k]]
        k = found_by[k]
    if k != NONE:
        row_of[k] = row
    return oldest


@kernel
def any_order_funnel(
    time: Int64Column,
    kind: Uint32Column,
    fulfils: Int64Scratch,
    window: int,
    row_of: Int64Scratch,
    found_by: Int64Scratch,
    queue: Int64Scratch,
    outcome: Int64Row,
    reached: Int64Row,
) -> int:
    """Return how many different steps one user took within a window, in any order.

    Parameters
    ----------
    time : int64 array of shape (rows,)
        Microseconds, sorted; at equal times sorted by ``kind``.
    kind : uint32 array of shape (rows,)
        The number of each row's kind.
    fulfils : int64 array of shape (kinds,)
        Bit k is set when rows of a kind fulfil step k.
    window : int
        Microseconds from the first of the steps to the last, inclusive.
    row_of, found_by, queue : int64 arrays of shape (steps,)
        Working memory of :func:`match_newest`.
    outcome : int64 array of shape (4,)
        Written: the steps taken, bit k for step k; two zeros; the number of rows read.
    reached : int64 array of shape (steps,)
        Written: the time of each step taken, zeros elsewhere.

    Returns
    -------
    int
        0 to the number of steps.

    Notes
    -----
    O(rows · steps) for rows of one step, O(rows · steps²) at worst; no other memory. Of several
    windows with the same number of steps, the newest wins. The scan ends when all steps are taken.

    Source: Edmonds and Fulkerson 1965, "Transversals and matroid partition".

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.funnel.chain_levels import Rules, chain_levels
    >>> rules = Rules(steps=3, window=5, order="any")
    >>> level, reached, _ = chain_levels(
    ...     np.array([0, 3]), np.array([0, 4, 9]), np.array([4, 1, 2], np.uint32), rules
    ... )
    >>> level.tolist(), reached.tolist()
    ([2], [[4, 9, 0]])
    """
    steps = len(row_of)
    level = 0
    outcome[3] = len(time)
    row_of[:] = NONE  #: {steps} steps, and none is taken.
    for i in range(len(time)):
        now = time[i]
        if fulfils[kind[i]] == 0:
            continue  #: {now:time}: none of the steps.
        match_newest(i, kind, fulfils, row_of, found_by, queue)
        count = 0
        for k in range(steps):
            if row_of[k] != NONE and now <= window_end(time[row_of[k]], window):
                count += 1
        if count < level:
            continue  #: {now:time}: this window holds {count} steps, {level} were reached before.
        level, outcome[0] = count, 0
        for k in range(steps):
            reached[k] = 0
            if row_of[k] != NONE and now <= window_end(time[row_of[k]], window):
                outcome[0] |= 1 << k
                reached[k] = time[row_of[k]]
        if level == steps:  #: {now:time}: this window holds {count} steps, none held more.
            outcome[3] = i + 1
            break  #: Every step is taken, nothing can be better.
    return level  #: The answer is level {level} of {steps}.
