"""Match several steps to different rows, by augmenting paths (Berge 1957, Kuhn 1955)."""

from kernels.core.kernel import Int64Column, Int64Scratch, Uint32Column, kernel

NONE = -1


@kernel
def fillable(
    conditions: Uint32Column,
    spare: int,
    low: int,
    high: int,
    filled: Int64Column,
    found_by: Int64Column,
    row_of: Int64Scratch,
    queue: Int64Scratch,
) -> int:
    """Return 1 if the steps low, ..., high - 1 can be matched to different rows, else 0.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0.
    spare : int
        A row that may not be used.
    low, high : int
        The steps, half open.
    filled, found_by : int64 arrays of shape (rows,)
        Working memory: the step that each row fills, and the step whose search reached it.
    row_of, queue : int64 arrays of shape (steps,)
        Working memory: the row that fills each step, and the queue of steps to search from.

    Returns
    -------
    int

    Notes
    -----
    O(steps² · rows) at worst, O(1) for an empty range, which is by far the most frequent case.

    Examples
    --------
    >>> import numpy as np
    >>> rows, steps = np.zeros((2, 3), np.int64), np.zeros((2, 2), np.int64)
    >>> conditions = np.array([0b11, 0b01, 0b00], np.uint32)
    >>> fillable(conditions, 2, 0, 2, *rows, *steps)
    1
    >>> fillable(conditions, 0, 0, 2, *rows, *steps)
    0
    """
    if high <= low:
        return 1
    filled[:] = NONE
    for k in range(low, high):
        found_by[:] = NONE
        queue[0] = k
        head, tail, free = 0, 1, NONE
        while head < tail and free == NONE:
            step = queue[head]
            head += 1
            for row in range(len(conditions)):
                if row == spare or found_by[row] != NONE or (conditions[row] >> step) & 1 == 0:
                    continue
                found_by[row] = step
                if filled[row] == NONE:
                    free = row
                    break
                queue[tail] = filled[row]
                tail += 1
        if free == NONE:
            return 0
        step = NONE
        while step != k:
            # Each step on the path passes its row on to the step whose search reached it.
            step = found_by[free]
            before = row_of[step]
            filled[free], row_of[step] = step, free
            free = before
    return 1
