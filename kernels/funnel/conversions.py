"""Every completed chain of a user, none of whose events is used twice: one behind the other.

A scan ends at the first row at which a chain can be complete, and the next scan begins behind it.
No other choice completes more chains that follow each other: whichever of them ends first, it ends
here at the earliest.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import (
    Int64Column,
    Int64Row,
    Int64Scratch,
    Int64Table,
    Uint8Column,
    Uint32Column,
    kernel,
)
from kernels.funnel.any_order import any_order_funnel
from kernels.funnel.chain_levels import Rules, chain_arguments, kinds
from kernels.funnel.chains import chain_funnel
from kernels.structures.order import in_order


@kernel
def chain_conversions(
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
    ends: Uint8Column,
) -> int:
    """Mark the rows at which one user completes a chain, each chain behind the one before.

    Parameters
    ----------
    time, kind, fulfils, bars, window, strict, optional, within, opens, closes
        As for :func:`kernels.funnel.chains.chain_funnel`, of two steps or more. The last step is
        not optional.
    states, chain, outcome, reached
        Working memory of that kernel.
    ends : uint8 array of shape (rows,)
        Written: 1 at the last row of each completed chain, else 0.

    Returns
    -------
    int
        How many chains are completed.

    Notes
    -----
    O(rows · steps · counts) time at worst, as one scan: each row is read once.

    Examples
    --------
    >>> import numpy as np
    >>> rules = Rules(steps=2, window=10)
    >>> _, ends = conversion_ends(
    ...     np.array([0, 5]), np.arange(5), np.array([1, 1, 2, 1, 2], np.uint32), rules
    ... )
    >>> ends.tolist()
    [0, 0, 1, 0, 1]
    """
    count = first = 0
    ends[:] = 0  #: {len(within)} steps, and no chain is completed.
    end = len(time)
    while end > 0 and (fulfils[kind[end - 1]] >> (len(within) - 1)) & 1 == 0:
        end -= 1
    # Behind the newest last step nothing is completed, and without one no row has to be scanned.
    while first < end:
        level = chain_funnel(
            time[first:end], kind[first:end], fulfils, bars, window, strict, optional, within,
            opens, closes, states, chain, outcome, reached,
        )  # fmt: skip
        if level < len(within):
            break  #: The rows from {time[first]:time} on reach level {level}: no more chains.
        first += outcome[3]
        ends[first - 1] = 1
        count += 1  #: {time[first - 1]:time}: chain {count} is completed; the next begins behind.
    return count  #: {count} chains are completed.


@kernel
def any_order_conversions(
    time: Int64Column,
    kind: Uint32Column,
    fulfils: Int64Scratch,
    window: int,
    row_of: Int64Scratch,
    found_by: Int64Scratch,
    queue: Int64Scratch,
    outcome: Int64Row,
    reached: Int64Row,
    ends: Uint8Column,
) -> int:
    """Mark the rows at which one user completes all steps, in any order, each time anew.

    Parameters
    ----------
    time, kind, fulfils, window
        As for :func:`kernels.funnel.any_order.any_order_funnel`.
    row_of, found_by, queue, outcome, reached
        Working memory of that kernel.
    ends : uint8 array of shape (rows,)
        Written: 1 at the last row of each completed chain, else 0.

    Returns
    -------
    int
        How many chains are completed.

    Notes
    -----
    O(rows · steps²) time at worst, as one scan: each row is read once.

    Examples
    --------
    >>> import numpy as np
    >>> rules = Rules(steps=2, window=10, order="any")
    >>> _, ends = conversion_ends(
    ...     np.array([0, 4]), np.arange(4), np.array([2, 1, 1, 2], np.uint32), rules
    ... )
    >>> ends.tolist()
    [0, 1, 0, 1]
    """
    count = first = 0
    ends[:] = 0  #: {len(row_of)} steps, and no chain is completed.
    there = 0
    for i in range(len(time)):
        there |= fulfils[kind[i]]
    # Where a step is not there at all, no row has to be scanned.
    while first < len(time) and there == (1 << len(row_of)) - 1:
        level = any_order_funnel(
            time[first:], kind[first:], fulfils, window, row_of, found_by, queue, outcome, reached
        )
        if level < len(row_of):
            break  #: The rows from {time[first]:time} on reach level {level}: no more chains.
        first += outcome[3]
        ends[first - 1] = 1
        count += 1  #: {time[first - 1]:time}: chain {count} is completed; the next begins behind.
    return count  #: {count} chains are completed.


def scan_order(
    offsets: NDArray[np.int64], time: NDArray[np.int64], kind: NDArray[np.uint32]
) -> NDArray[np.int64] | None:
    """Return the rows of each partition by time, then by kind; None where they stand so.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    kind : uint32 array of shape (rows,)

    Returns
    -------
    int64 array of shape (rows,), or None

    Notes
    -----
    O(rows) when the times of each partition are in order and few of equal times are not, else
    O(rows · log rows).

    Examples
    --------
    >>> offsets, kind = np.array([0, 3, 5]), np.array([1, 2, 0, 1, 0], np.uint32)
    >>> scan_order(offsets, np.array([5, 9, 9, 3, 3]), kind).tolist()
    [0, 2, 1, 4, 3]
    """
    if in_order.over(offsets, time, kind).all():
        return None
    begins = np.zeros(len(time), bool)
    begins[offsets[offsets < len(time)]] = True
    if ((time[1:] < time[:-1]) & ~begins[1:]).any():
        return np.lexsort((kind, time, np.cumsum(begins)))
    # Prepared rows are in order of time, and only ties have to be put in order of kinds.
    begins[1:] |= time[1:] != time[:-1]
    instant = np.cumsum(begins)
    wrong = np.flatnonzero((kind[1:] < kind[:-1]) & ~begins[1:]) + 1
    unordered = np.zeros(instant[-1] + 1, bool)
    unordered[instant[wrong]] = True
    rows = np.flatnonzero(unordered[instant])
    order = np.arange(len(time))
    order[rows] = rows[np.lexsort((kind[rows], instant[rows]))]
    return order


def conversion_ends(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    rules: Rules,
) -> tuple[NDArray[np.int64] | None, NDArray[np.uint8]]:
    """Return where the completed chains of each partition end.

    Parameters
    ----------
    offsets, time, conditions, rules
        As for :func:`kernels.funnel.chain_levels.chain_levels`; the last step is not optional.

    Returns
    -------
    order : int64 array of shape (rows,), or None
        The rows of each partition in the order in which they are scanned; None where they stand in
        it.
    ends : uint8 array of shape (rows,)
        In that order, 1 at the last row of each completed chain.

    Notes
    -----
    O(rows) when the rows of each partition are in order, else O(rows · log rows).

    Examples
    --------
    >>> rules = Rules(steps=2, window=10)
    >>> order, ends = conversion_ends(
    ...     np.array([0, 3]), np.array([7, 0, 0]), np.array([2, 2, 1], np.uint32), rules
    ... )
    >>> order.tolist(), ends.tolist()
    ([2, 1, 0], [0, 1, 0])
    """
    kind, fulfils, bars = kinds(conditions, rules)
    order = scan_order(offsets, time, kind)
    if order is not None:
        time, kind = time[order], kind[order]
    partitions, ends = len(offsets) - 1, np.empty(len(time), np.uint8)
    outcome = np.zeros((partitions, 4), np.int64)
    reached = np.zeros((partitions, rules.steps), np.int64)
    if rules.order == "any" or rules.steps == 1:
        matching = np.zeros((3, rules.steps), np.int64)
        any_order_conversions.over(
            offsets, time, kind, fulfils, rules.window, *matching, outcome, reached, ends
        )
        return order, ends
    settings, memory = chain_arguments(rules)
    chain_conversions.over(
        offsets, time, kind, fulfils, bars, *settings, *memory, outcome, reached, ends
    )
    return order, ends
