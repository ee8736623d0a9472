"""All completed chains of a user that follow each other, so that no event is used twice.

A scan ends at the first row at which a chain can be complete, and the next scan begins after that
row. No other choice completes more chains that follow each other, as none can end earlier.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import (
    Int64Column,
    Int64Scratch,
    Int64Table,
    Uint8Column,
    Uint32Column,
    kernel,
)
from kernels.funnel.any_order import any_order_funnel
from kernels.funnel.chain_levels import (
    Kinds,
    Rules,
    chain_arguments,
    kinds_of,
    rows_to_scan,
    scan_rows,
)
from kernels.funnel.chains import chain_funnel
from kernels.funnel.matching_rows import ScannedRows
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
    outcome: Int64Scratch,
    reached: Int64Scratch,
    written: Int64Scratch,
    levels: Int64Scratch,
    outcomes: Int64Table,
    times: Int64Table,
    ends: Uint8Column,
) -> int:
    """Write the chains that one user completes, one after the other, and the chain after them.

    Parameters
    ----------
    time, kind, fulfils, bars, window, strict, optional, within, opens, closes
        As for :func:`kernels.funnel.chains.chain_funnel`, of two steps or more. The last step is
        not optional.
    states, chain, outcome, reached
        Working memory of that kernel.
    written : int64 array of shape (1,)
        How many chains are written; added to, as users share the arrays of chains.
    levels : int64 array of shape (chains,)
        Written: the level of each chain.
    outcomes : int64 array of shape (chains, 4)
        Written: the outcome of each chain, as in that kernel.
    times : int64 array of shape (chains, steps)
        Written: the times of each chain.
    ends : uint8 array of shape (rows,)
        Written: 1 at the last row of each completed chain, else 0.

    Returns
    -------
    int
        How many chains are completed; one more is written.

    Notes
    -----
    O(rows · steps · counts) time at worst, as one scan: each row is read once.

    Examples
    --------
    >>> import numpy as np
    >>> rules = Rules(steps=2, window=10)
    >>> result = conversions(
    ...     np.array([0, 5]), np.arange(5), np.array([1, 1, 2, 1, 2], np.uint32), rules
    ... )
    >>> result.ends.tolist(), result.reached.tolist()
    ([0, 0, 1, 0, 1], [[1, 2], [3, 4]])
    """
    count = first = 0
    ends[:] = 0  #: {len(within)} steps, and no chain is completed.
    while True:
        reached[:] = 0
        level = chain_funnel(
            time[first:], kind[first:], fulfils, bars, window, strict, optional, within,
            opens, closes, states, chain, outcome, reached,
        )  # fmt: skip
        at = written[0]
        levels[at], written[0] = level, at + 1
        for k in range(len(outcome)):
            outcomes[at, k] = outcome[k]
        for k in range(len(reached)):
            times[at, k] = reached[k]
        if level < len(within):
            break  #: After the completed chains, level {level} is reached: no more chains.
        first += outcome[3]
        ends[first - 1] = 1
        count += 1  #: {time[first - 1]:time}: chain {count} is completed; the next begins after it.
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
    outcome: Int64Scratch,
    reached: Int64Scratch,
    written: Int64Scratch,
    levels: Int64Scratch,
    outcomes: Int64Table,
    times: Int64Table,
    ends: Uint8Column,
) -> int:
    """Write the sets of all steps that one user completes, in any order, and the chain after them.

    Parameters
    ----------
    time, kind, fulfils, window
        As for :func:`kernels.funnel.any_order.any_order_funnel`.
    row_of, found_by, queue, outcome, reached
        Working memory of that kernel.
    written, levels, outcomes, times, ends
        As for :func:`chain_conversions`.

    Returns
    -------
    int
        How many chains are completed; one more is written.

    Notes
    -----
    O(rows · steps²) time at worst, as one scan: each row is read once.

    Examples
    --------
    >>> import numpy as np
    >>> rules = Rules(steps=2, window=10, order="any")
    >>> result = conversions(
    ...     np.array([0, 4]), np.arange(4), np.array([2, 1, 1, 2], np.uint32), rules
    ... )
    >>> result.ends.tolist(), result.level.tolist()
    ([0, 1, 0, 1], [2, 2])
    """
    count = first = 0
    ends[:] = 0  #: {len(row_of)} steps, and no chain is completed.
    while True:
        reached[:] = 0
        outcome[:] = 0
        level = any_order_funnel(
            time[first:], kind[first:], fulfils, window, row_of, found_by, queue, outcome, reached
        )
        at = written[0]
        levels[at], written[0] = level, at + 1
        for k in range(len(outcome)):
            outcomes[at, k] = outcome[k]
        for k in range(len(reached)):
            times[at, k] = reached[k]
        if level < len(row_of):
            break  #: After the completed chains, level {level} is reached: no more chains.
        first += outcome[3]
        ends[first - 1] = 1
        count += 1  #: {time[first - 1]:time}: chain {count} is completed; the next begins after it.
    return count  #: {count} chains are completed.


def scan_order(
    offsets: NDArray[np.int64], time: NDArray[np.int64], kind: NDArray[np.uint32]
) -> NDArray[np.int64] | None:
    """Return the rows of each partition by time, then by kind; None if they are in that order.

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
    # Prepared rows are sorted by time, so only ties have to be sorted by kind.
    begins[1:] |= time[1:] != time[:-1]
    instant = np.cumsum(begins)
    wrong = np.flatnonzero((kind[1:] < kind[:-1]) & ~begins[1:]) + 1
    unordered = np.zeros(instant[-1] + 1, bool)
    unordered[instant[wrong]] = True
    rows = np.flatnonzero(unordered[instant])
    order = np.arange(len(time))
    order[rows] = rows[np.lexsort((kind[rows], instant[rows]))]
    return order


class Chains(NamedTuple):
    """The chains of all partitions, in order.

    Attributes
    ----------
    ends : uint8 array of shape (rows,)
        1 at the last row of each completed chain.
    level, reached, outcome : int64 arrays
        As in :class:`Conversions`, with one more after the completed chains of each partition.
    """

    ends: NDArray[np.uint8]
    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    outcome: NDArray[np.int64]


class Conversions(NamedTuple):
    """The completed chains of a block, and the last chain of each partition after them.

    Attributes
    ----------
    order : int64 array of shape (rows,), or None
        The rows of each partition in the order in which they are scanned; None if they are in that
        order.
    ends : uint8 array of shape (rows,)
        In that order, 1 at the last row of each completed chain.
    level : int64 array of shape (chains,)
        The level of each chain: the completed ones of a partition in order, then an incomplete one
        if there are rows after them.
    reached : int64 array of shape (chains, steps)
        As returned by :func:`kernels.funnel.chain_levels.chain_levels`.
    outcome : int64 array of shape (chains, 4)
        As returned by that function.
    chain_counts : int64 array of shape (partitions,)
        The number of chains of each partition.
    """

    order: NDArray[np.int64] | None
    ends: NDArray[np.uint8]
    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    outcome: NDArray[np.int64]
    chain_counts: NDArray[np.int64]


def conversions(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    rules: Rules,
    cut: bool = True,
) -> Conversions:
    """Return the completed chains of each partition, and the last chain after them.

    Parameters
    ----------
    offsets, time, conditions, rules
        As for :func:`kernels.funnel.chain_levels.chain_levels`; the last step is not optional.
    cut : bool
        Whether to return which rows belong to which chain. Otherwise ``order`` and ``ends`` are not
        valid, and each partition has one chain more than are completed.

    Returns
    -------
    Conversions

    Notes
    -----
    O(rows) when the rows of each partition are in order, else O(rows · log rows).

    Examples
    --------
    >>> rules = Rules(steps=2, window=10)
    >>> result = conversions(
    ...     np.array([0, 3]), np.array([7, 0, 0]), np.array([2, 2, 1], np.uint32), rules
    ... )
    >>> result.order.tolist(), result.ends.tolist(), result.level.tolist()
    ([2, 1, 0], [0, 1, 0], [2, 0])
    """
    if rules.steps == 1:
        rules = replace(rules, order="any")  # Any row of the single step is a chain.
    row_kinds = kinds_of(conditions, rules)
    every = rules.order == "strict" or row_kinds.idle < 0
    rows = rows_to_scan(offsets, time, row_kinds, every)
    order = scan_order(*rows)
    if order is not None:
        rows = rows._replace(time=rows.time[order], kind=rows.kind[order])
    chains, chain_counts = _complete_chains(rows, row_kinds, rules)
    if not cut:
        return Conversions(None, *chains, chain_counts)
    if not every:
        # Idle rows are not scanned, but each belongs to a chain as well.
        last, scanned = np.flatnonzero(chains.ends), np.flatnonzero(conditions)
        last = scanned[last if order is None else order[last]]
        order = order_at(last, offsets, time, row_kinds)
        ends = np.zeros(len(time), np.uint8)
        ends[last] = 1
        chains = chains._replace(ends=ends if order is None else ends[order])
    return _cut(offsets, order, chains, chain_counts)


def order_at(
    last: NDArray[np.int64], offsets: NDArray[np.int64], time: NDArray[np.int64], row_kinds: Kinds
) -> NDArray[np.int64] | None:
    """Return an order in which the rows of a chain come before those of the next chain.

    Parameters
    ----------
    last : int64 array of shape (chains,)
        The last row of each completed chain.
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    row_kinds : Kinds

    Returns
    -------
    int64 array of shape (rows,), or None
        None if the rows are in such an order.

    Notes
    -----
    O(rows) when the times of each partition are sorted, as only rows at the time of a chain's last
    row may be on the wrong side of it; else O(rows · log rows).

    Examples
    --------
    >>> row_kinds = kinds_of(np.array([1, 0, 2, 0], np.uint32), Rules(steps=2, window=9))
    >>> order_at(np.array([2]), np.array([0, 4]), np.array([3, 5, 5, 5]), row_kinds).tolist()
    [0, 2, 1, 3]
    """
    begins = np.zeros(len(time), bool)
    begins[offsets[offsets < len(time)]] = True
    kind_of = row_kinds.kind_of.copy()
    kind_of[row_kinds.idle] = len(row_kinds.fulfils)  # Idle rows come last.
    if ((time[1:] < time[:-1]) & ~begins[1:]).any():
        return np.lexsort((kind_of[row_kinds.code], time, np.cumsum(begins)))
    begins[1:] |= time[1:] != time[:-1]
    instants = np.append(np.flatnonzero(begins), len(time))
    at = np.unique(np.searchsorted(instants, last, side="right") - 1)
    first, lengths = instants[at], np.diff(instants)[at]
    first, lengths = first[lengths > 1], lengths[lengths > 1]
    instant = np.repeat(np.arange(len(first)), lengths)
    rows = np.arange(len(instant)) + np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    ordered = rows[np.lexsort((kind_of[row_kinds.code[rows]], instant))]
    if (ordered == rows).all():
        return None
    order = np.arange(len(time))
    order[rows] = ordered
    return order


def _complete_chains(
    rows: ScannedRows, row_kinds: Kinds, rules: Rules
) -> tuple[Chains, NDArray[np.int64]]:
    """Return the chains, and the number of chains of each partition.

    Most users complete no chain, so their first chain is their last: only the rows after a first
    completed chain are scanned for more.
    """
    begins, steps = rows.offsets[:-1], rules.steps
    level, reached, outcome = scan_rows(rows, row_kinds, rules)
    completed, ends = np.flatnonzero(level == steps), np.zeros(len(rows.time), np.uint8)
    counts = np.ones(len(level), np.int64)
    if not len(completed):
        return Chains(ends, level, reached, outcome), counts
    next_begins = begins[completed] + outcome[completed, 3]
    ends[next_begins - 1] = 1
    lengths = rows.offsets[1:][completed] - next_begins
    offsets = np.append(0, np.cumsum(lengths))
    later_rows = np.arange(offsets[-1]) + np.repeat(next_begins - offsets[:-1], lengths)
    later_chains, later_counts = _later_chains(
        ScannedRows(offsets, rows.time[later_rows], rows.kind[later_rows]), row_kinds, rules
    )
    ends[later_rows] = later_chains.ends
    counts[completed] += later_counts
    first = np.cumsum(counts) - counts
    later = np.ones(int(counts.sum()), bool)
    later[first] = False
    columns = []
    for first_part, later_part in zip((level, reached, outcome), later_chains[1:], strict=True):
        column = np.empty((len(later), *first_part.shape[1:]), np.int64)
        column[first], column[later] = first_part, later_part
        columns.append(column)
    return Chains(ends, *columns), counts


def _later_chains(
    rows: ScannedRows, row_kinds: Kinds, rules: Rules
) -> tuple[Chains, NDArray[np.int64]]:
    """Return the chains within the rows after the first ones, and their number per partition."""
    steps = rules.steps
    last = (row_kinds.fulfils >> (steps - 1) & 1 == 1)[rows.kind] if rules.order != "any" else []
    capacity = len(rows.offsets) - 1 + (int(np.sum(last)) if len(last) else len(rows.time) // steps)
    level, outcome = np.empty(capacity, np.int64), np.empty((capacity, 4), np.int64)
    reached, ends = np.empty((capacity, steps), np.int64), np.empty(len(rows.time), np.uint8)
    written = np.zeros(1, np.int64)
    chains = (
        np.zeros(4, np.int64),
        np.zeros(steps, np.int64),
        written,
        level,
        outcome,
        reached,
        ends,
    )
    if rules.order == "any":
        matching = np.zeros((3, steps), np.int64)
        arguments = row_kinds.fulfils, rules.window, *matching, *chains
        completed = any_order_conversions.over(*rows, *arguments)
    else:
        settings, memory = chain_arguments(rules)
        arguments = row_kinds.fulfils, row_kinds.bars, *settings, *memory, *chains
        completed = chain_conversions.over(*rows, *arguments)
    total = int(written[0])
    return Chains(ends, level[:total], reached[:total], outcome[:total]), completed + 1


def _cut(
    offsets: NDArray[np.int64],
    order: NDArray[np.int64] | None,
    chains: Chains,
    chain_counts: NDArray[np.int64],
) -> Conversions:
    """Return the chains without each last one that has no rows."""
    nonempty = offsets[1:] > offsets[:-1]
    ended = np.ones(len(nonempty), bool)
    ended[nonempty] = chains.ends[offsets[1:][nonempty] - 1] == 1
    if ended.any():
        retained = np.ones(len(chains.level), bool)
        retained[(np.cumsum(chain_counts) - 1)[ended]] = False
        level, reached, outcome = (column[retained] for column in chains[1:])
        chains = Chains(chains.ends, level, reached, outcome)
    return Conversions(order, *chains, chain_counts - ended)
