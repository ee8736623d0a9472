"""A funnel over a block: conditions become entries, which are sorted and scanned."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Uint32Column, kernel
from kernels.funnel.matching_rows import FEW_BITS, drop_idle_rows, known_bits, mark_codes
from kernels.funnel.scan import window_funnel
from kernels.funnel.strict_once import window_funnel_once
from kernels.structures.order import sort_entries

MAX_STEPS = 32


@kernel
def expand_conditions(
    conditions: Uint32Column, offset: Int64Column, row: Int64Column, step: Uint32Column
) -> None:
    """Write one entry for every step that a row fulfils, and one with step 0 if it fulfils none.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0.
    offset : int64 array of shape (rows,)
        Where the entries of each row begin.
    row : int64 array of shape (entries,)
        Written: the row of each entry.
    step : uint32 array of shape (entries,)
        Written: the step of each entry, from 1.

    Notes
    -----
    O(rows + entries).

    Examples
    --------
    >>> import numpy as np
    >>> row, step = np.zeros(3, np.int64), np.zeros(3, np.uint32)
    >>> expand_conditions(np.array([0b101, 0], np.uint32), np.array([0, 2]), row, step)
    >>> row.tolist(), step.tolist()
    ([0, 0, 1], [1, 3, 0])
    """
    for i in range(len(conditions)):
        remaining, k, at = conditions[i], 0, offset[i]
        row[at], step[at] = i, 0
        while remaining != 0:
            if remaining & 1:
                row[at], step[at] = i, k + 1
                at += 1
            remaining, k = remaining >> 1, k + 1


def entries(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    steps: int,
    every: bool = True,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """Return the entries (time, step) of a block's rows, sorted as the scan needs them.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
        Microseconds, in any order within a partition.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0; bits beyond the steps are ignored.
    steps : int
        How many steps the funnel has, 1 to 32.
    every : bool
        Whether rows that fulfil no step have an entry too, as strict order requires. Otherwise they
        have none, unless some row fulfils several steps.

    Returns
    -------
    offsets, time, step
        Columns as :func:`kernels.funnel.scan.window_funnel` takes them; the input is not changed.

    Notes
    -----
    O(rows + 2 ** steps) up to 16 steps, beyond O(rows · steps), and the time to sort.

    Examples
    --------
    >>> import numpy as np
    >>> columns = entries(np.array([0, 2]), np.array([9, 4]), np.array([1, 0b11], np.uint32), 2)
    >>> [column.tolist() for column in columns]
    [[0, 3], [4, 4, 9], [1, 2, 1]]
    """
    conditions = known_bits(conditions, steps)
    step_of = single_steps(conditions, steps)
    if step_of is not None:
        offsets, time, step = drop_idle_rows(offsets, time, conditions, step_of, -1 if every else 0)
    else:
        bits = np.bitwise_count(conditions)
        ends = np.concatenate([[0], np.cumsum(np.maximum(bits, 1), dtype=np.int64)])
        row, step = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.uint32)
        expand_conditions(conditions, ends[:-1].copy(), row, step)
        offsets, time = ends[offsets], time[row]
    sort_entries.over(offsets, time, step)
    return offsets, time, step


def single_steps(conditions: NDArray[np.uint32], steps: int) -> NDArray[np.uint32] | None:
    """Return the step for each value of the conditions, or None if a row fulfils several steps.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0.
    steps : int

    Returns
    -------
    uint32 array of shape (2 ** steps,), or None
        The step of rows with these bits, from 1; 0 for none. None also with more than 16 steps.

    Examples
    --------
    >>> import numpy as np
    >>> single_steps(np.array([0b10, 0, 0b01], np.uint32), 2).tolist()
    [0, 1, 2, 0]
    >>> single_steps(np.array([0b11], np.uint32), 2) is None
    True
    """
    if steps > FEW_BITS:
        return None
    present = np.zeros(1 << steps, np.uint8)
    mark_codes(conditions, present)
    single = 1 << np.arange(steps)
    present[[0, *single]] = 0
    if present.any():
        return None
    step_of = np.zeros(1 << steps, np.uint32)
    step_of[single] = np.arange(1, steps + 1)
    return step_of


def funnel_levels(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    steps: int,
    window: int,
    *,
    strict_order: bool = False,
    strict_deduplication: bool = False,
    strict_increase: bool = False,
    strict_once: bool = False,
    allow_reentry: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each partition's level and the times of its winning chain.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    time : int64 array of shape (rows,)
        Microseconds, in any order within a partition.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0; bits beyond the steps are ignored.
    steps : int
        How many steps the funnel has, 1 to 32.
    window : int
        Microseconds from the first step to the last, inclusive.
    strict_order, strict_deduplication, strict_increase, strict_once, allow_reentry : bool
        ClickHouse's modes.

    Returns
    -------
    level : int64 array of shape (partitions,)
    reached : int64 array of shape (partitions, steps)
        Row p holds ``level[p]`` times, followed by zeros.

    Notes
    -----
    O(rows) when the rows of each partition are in order, else O(rows · log rows).

    Examples
    --------
    >>> import numpy as np
    >>> matches = np.array([1, 2, 1], np.uint32)
    >>> level, reached = funnel_levels(np.array([0, 2, 3]), np.array([5, 8, 1]), matches, 2, 3)
    >>> level.tolist(), reached.tolist()
    ([2, 1], [[5, 8], [1, 0]])
    """
    modes = (strict_order, strict_deduplication, strict_increase, allow_reentry)
    reached = np.zeros((len(offsets) - 1, steps), np.int64)
    slots = np.zeros((4, steps), np.int64)
    if strict_once:
        time, conditions = time.copy(), known_bits(conditions, steps).copy()
        sort_entries.over(offsets, time, conditions)
        chain, per_row = np.zeros((steps, steps), np.int64), np.zeros((2, len(time)), np.int64)
        memory = *slots, chain, *per_row, np.zeros(len(time), np.uint32)
        level = window_funnel_once.over(offsets, time, conditions, window, *modes, *memory, reached)
    else:
        offsets, time, step = entries(offsets, time, conditions, steps, every=strict_order)
        parent = np.empty(len(time), np.int32)
        level = window_funnel.over(offsets, time, step, window, *modes, *slots[:2], parent, reached)
    return level, reached
