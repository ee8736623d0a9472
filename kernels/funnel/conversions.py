"""Every completed chain of a user, none of whose events is used twice: one behind the other.

A scan ends at the first row at which a chain can be complete, and the next scan begins behind it.
No other choice completes more chains that follow each other: whichever of them ends first, it ends
here at the earliest.
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
    scanned,
    scanned_rows,
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
    """Find the chains that one user completes, each behind the one before, and the one behind them.

    Parameters
    ----------
    time, kind, fulfils, bars, window, strict, optional, within, opens, closes
        As for :func:`kernels.funnel.chains.chain_funnel`, of two steps or more. The last step is
        not optional.
    states, chain, outcome, reached
        Working memory of that kernel.
    written : int64 array of shape (1,)
        How many chains are written; added to, for users share the arrays of chains.
    levels : int64 array of shape (chains,)
        Written: how far each chain got.
    outcomes : int64 array of shape (chains, 4)
        Written: how each ended, as that kernel says it.
    times : int64 array of shape (chains, steps)
        Written: the times of each.
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
    >>> found = conversions(
    ...     np.array([0, 5]), np.arange(5), np.array([1, 1, 2, 1, 2], np.uint32), rules
    ... )
    >>> found.ends.tolist(), found.reached.tolist()
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
            break  #: Behind the completed chains, level {level} is reached: no more chains.
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
    outcome: Int64Scratch,
    reached: Int64Scratch,
    written: Int64Scratch,
    levels: Int64Scratch,
    outcomes: Int64Table,
    times: Int64Table,
    ends: Uint8Column,
) -> int:
    """Find where one user completes all steps, in any order, each time anew, and what is behind.

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
    >>> found = conversions(
    ...     np.array([0, 4]), np.arange(4), np.array([2, 1, 1, 2], np.uint32), rules
    ... )
    >>> found.ends.tolist(), found.level.tolist()
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
            break  #: Behind the completed chains, level {level} is reached: no more chains.
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


class Chains(NamedTuple):
    """Chains of partitions, those of one behind the other.

    Attributes
    ----------
    ends : uint8 array of shape (rows,)
        1 at the last row of each completed chain.
    level, reached, outcome : int64 arrays
        As :class:`Conversions` has them, with one behind the completed ones of each partition.
    """

    ends: NDArray[np.uint8]
    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    outcome: NDArray[np.int64]


class Conversions(NamedTuple):
    """The chains of a block that follow each other, and for each partition what is behind them.

    Attributes
    ----------
    order : int64 array of shape (rows,), or None
        The rows of each partition in the order in which they are scanned; None where they may stay
        as they stand.
    ends : uint8 array of shape (rows,)
        In that order, 1 at the last row of each completed chain.
    level : int64 array of shape (chains,)
        How far each got: those of a partition one behind the other, and the last one, which is not
        completed, where there are rows behind the others.
    reached : int64 array of shape (chains, steps)
        As :func:`kernels.funnel.chain_levels.chain_levels` has it.
    outcome : int64 array of shape (chains, 4)
        As that function has it.
    many : int64 array of shape (partitions,)
        How many chains each partition has.
    """

    order: NDArray[np.int64] | None
    ends: NDArray[np.uint8]
    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    outcome: NDArray[np.int64]
    many: NDArray[np.int64]


def conversions(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    rules: Rules,
    cut: bool = True,
) -> Conversions:
    """Return the completed chains of each partition, and the furthest behind them.

    Parameters
    ----------
    offsets, time, conditions, rules
        As for :func:`kernels.funnel.chain_levels.chain_levels`; the last step is not optional.
    cut : bool
        Whether it is wanted which rows belong to which chain. Else ``order`` and ``ends`` mean
        nothing, and each partition has one chain more than are completed.

    Returns
    -------
    Conversions

    Notes
    -----
    O(rows) when the rows of each partition are in order, else O(rows · log rows).

    Examples
    --------
    >>> rules = Rules(steps=2, window=10)
    >>> found = conversions(
    ...     np.array([0, 3]), np.array([7, 0, 0]), np.array([2, 2, 1], np.uint32), rules
    ... )
    >>> found.order.tolist(), found.ends.tolist(), found.level.tolist()
    ([2, 1, 0], [0, 1, 0], [2, 0])
    """
    if rules.steps == 1:
        rules = replace(rules, order="any")  # The first of them is as good as the newest.
    found = kinds_of(conditions, rules)
    every = rules.order == "strict" or found.idle < 0
    rows = scanned_rows(offsets, time, found, every)
    order = scan_order(*rows)
    if order is not None:
        rows = rows._replace(time=rows.time[order], kind=rows.kind[order])
    chains, many = _completed(rows, found, rules)
    if not cut:
        return Conversions(None, *chains, many)
    if not every:
        # Rows that say nothing are not looked at, but each belongs to a chain as well.
        last, said = np.flatnonzero(chains.ends), np.flatnonzero(conditions)
        last = said[last if order is None else order[last]]
        order = order_at(last, offsets, time, found)
        ends = np.zeros(len(time), np.uint8)
        ends[last] = 1
        chains = chains._replace(ends=ends if order is None else ends[order])
    return _cut(offsets, order, chains, many)


def order_at(
    last: NDArray[np.int64], offsets: NDArray[np.int64], time: NDArray[np.int64], found: Kinds
) -> NDArray[np.int64] | None:
    """Return an order in which the rows of a chain stand before the next one's; None as they stand.

    Parameters
    ----------
    last : int64 array of shape (chains,)
        The last row of each completed chain.
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    found : Kinds

    Returns
    -------
    int64 array of shape (rows,), or None

    Notes
    -----
    O(rows) when the times of each partition are in order, as only the rows at the time of a last
    one may stand on the wrong side of it; else O(rows · log rows).

    Examples
    --------
    >>> found = kinds_of(np.array([1, 0, 2, 0], np.uint32), Rules(steps=2, window=9))
    >>> order_at(np.array([2]), np.array([0, 4]), np.array([3, 5, 5, 5]), found).tolist()
    [0, 2, 1, 3]
    """
    begins = np.zeros(len(time), bool)
    begins[offsets[offsets < len(time)]] = True
    kind_of = found.kind_of.copy()
    kind_of[found.idle] = len(found.fulfils)  # What says nothing comes behind all that does.
    if ((time[1:] < time[:-1]) & ~begins[1:]).any():
        return np.lexsort((kind_of[found.code], time, np.cumsum(begins)))
    begins[1:] |= time[1:] != time[:-1]
    instants = np.append(np.flatnonzero(begins), len(time))
    at = np.unique(np.searchsorted(instants, last, side="right") - 1)
    first, lengths = instants[at], np.diff(instants)[at]
    first, lengths = first[lengths > 1], lengths[lengths > 1]
    instant = np.repeat(np.arange(len(first)), lengths)
    rows = np.arange(len(instant)) + np.repeat(first - np.cumsum(lengths) + lengths, lengths)
    ordered = rows[np.lexsort((kind_of[found.code[rows]], instant))]
    if (ordered == rows).all():
        return None
    order = np.arange(len(time))
    order[rows] = ordered
    return order


def _completed(rows: ScannedRows, found: Kinds, rules: Rules) -> tuple[Chains, NDArray[np.int64]]:
    """Where chains are completed, of all chains how far they got, and how many there are.

    Most users complete none, so their first chain is their last: only behind those that are
    completed the rows are looked at for more.
    """
    begins, steps = rows.offsets[:-1], rules.steps
    level, reached, outcome = scanned(rows, found, rules)
    done, ends = np.flatnonzero(level == steps), np.zeros(len(rows.time), np.uint8)
    chains = np.ones(len(level), np.int64)
    if not len(done):
        return Chains(ends, level, reached, outcome), chains
    behind = begins[done] + outcome[done, 3]
    ends[behind - 1] = 1
    lengths = rows.offsets[1:][done] - behind
    offsets = np.append(0, np.cumsum(lengths))
    left = np.arange(offsets[-1]) + np.repeat(behind - offsets[:-1], lengths)
    more, many = _more(ScannedRows(offsets, rows.time[left], rows.kind[left]), found, rules)
    ends[left] = more.ends
    chains[done] += many
    first = np.cumsum(chains) - chains
    later = np.ones(int(chains.sum()), bool)
    later[first] = False
    together = []
    for one, others in zip((level, reached, outcome), more[1:], strict=True):
        both = np.empty((len(later), *one.shape[1:]), np.int64)
        both[first], both[later] = one, others
        together.append(both)
    return Chains(ends, *together), chains


def _more(rows: ScannedRows, found: Kinds, rules: Rules) -> tuple[Chains, NDArray[np.int64]]:
    """The chains that begin in some rows, and how many each partition has."""
    steps = rules.steps
    last = (found.fulfils >> (steps - 1) & 1 == 1)[rows.kind] if rules.order != "any" else []
    most = len(rows.offsets) - 1 + (int(np.sum(last)) if len(last) else len(rows.time) // steps)
    level, outcome = np.empty(most, np.int64), np.empty((most, 4), np.int64)
    reached, ends = np.empty((most, steps), np.int64), np.empty(len(rows.time), np.uint8)
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
        arguments = found.fulfils, rules.window, *matching, *chains
        completed = any_order_conversions.over(*rows, *arguments)
    else:
        settings, memory = chain_arguments(rules)
        arguments = found.fulfils, found.bars, *settings, *memory, *chains
        completed = chain_conversions.over(*rows, *arguments)
    all_ = int(written[0])
    return Chains(ends, level[:all_], reached[:all_], outcome[:all_]), completed + 1


def _cut(
    offsets: NDArray[np.int64],
    order: NDArray[np.int64] | None,
    chains: Chains,
    many: NDArray[np.int64],
) -> Conversions:
    """The chains, without those behind the last completed one where no row is behind it."""
    some = offsets[1:] > offsets[:-1]
    ended = np.ones(len(some), bool)
    ended[some] = chains.ends[offsets[1:][some] - 1] == 1
    if ended.any():
        there = np.ones(len(chains.level), bool)
        there[(np.cumsum(many) - 1)[ended]] = False
        level, reached, outcome = (one[there] for one in chains[1:])
        chains = Chains(chains.ends, level, reached, outcome)
    return Conversions(order, *chains, many - ended)
