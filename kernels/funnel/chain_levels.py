"""Analysts' funnels over a block: rows to kinds, kinds into order, kernel over partitions."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.funnel.any_order import any_order_funnel
from kernels.funnel.chains import chain_funnel
from kernels.funnel.matching_rows import FEW_BITS, ScannedRows, codes_there, kept_rows, known_bits
from kernels.structures.instants import MOST
from kernels.structures.order import sort_entries

#: How steps may follow each other: other rows between, none between, or in any sequence.
ORDERS = "this", "strict", "any"


@dataclass(frozen=True)
class Rules:
    """What a funnel asks beyond its steps; the defaults ask nothing.

    Attributes
    ----------
    steps : int
        1 to 32.
    window : int
        Microseconds from the first step to the last, inclusive.
    order : str
        ``"this"``, ``"strict"`` or ``"any"``.
    optional : tuple of int
        Steps that may be left out, counted from 0; never the first.
    within : tuple of (int, int)
        Steps that have a window of their own, and microseconds since the nearest required step
        before.
    exclusions : tuple of (int, int)
        The required steps between which each exclusion holds.
    """

    steps: int
    window: int
    order: str = "this"
    optional: tuple[int, ...] = ()
    within: tuple[tuple[int, int], ...] = ()
    exclusions: tuple[tuple[int, int], ...] = ()


class Kinds(NamedTuple):
    """The different kinds of rows, numbered in the order in which a scan takes them at one instant.

    Attributes
    ----------
    code : uint32 array of shape (rows,)
        0 for rows that say nothing, where there are any.
    kind_of : uint32 array of shape (codes,)
        The number of the kind of each code.
    idle : int
        0 where there are rows that say nothing, else -1.
    fulfils, bars : int64 arrays of shape (kinds,)
        The steps and the exclusions of each kind, as bits.
    """

    code: NDArray[np.uint32]
    kind_of: NDArray[np.uint32]
    idle: int
    fulfils: NDArray[np.int64]
    bars: NDArray[np.int64]


def kinds_of(conditions: NDArray[np.uint32], rules: Rules) -> Kinds:
    """Find the different kinds of rows.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        As :func:`chain_levels` takes them.
    rules : Rules

    Returns
    -------
    Kinds
        Rows that fulfil steps come first, by their first step, then by their last.

    Notes
    -----
    O(rows + 2 ** bits) up to 16 steps and exclusions together, beyond O(rows · log rows).

    Examples
    --------
    >>> found = kinds_of(np.array([0b10, 0, 0b01], np.uint32), Rules(steps=2, window=9))
    >>> found.kind_of.tolist(), found.idle, found.fulfils.tolist()
    ([2, 0, 1, 0], 0, [1, 2, 0])
    """
    bits = rules.steps + len(rules.exclusions)
    conditions = known_bits(conditions, bits)
    if bits <= FEW_BITS:
        there = np.zeros(1 << bits, np.uint8)
        codes_there(conditions, there)
        code, places = conditions, np.flatnonzero(there)
        different = places
    else:
        different, inverse = np.unique(conditions, return_inverse=True)
        code, places = inverse.astype(np.uint32), np.arange(len(different))
        different = different.astype(np.int64)
    fulfils, bars = different & ((1 << rules.steps) - 1), different >> rules.steps
    lowest = np.where(fulfils == 0, MOST, fulfils & -fulfils)
    order = np.lexsort((bars, fulfils, lowest))
    kind_of = np.zeros(max(places, default=0) + 1 if bits > FEW_BITS else 1 << bits, np.uint32)
    kind_of[places[order]] = np.arange(len(order), dtype=np.uint32)
    idle = 0 if len(different) and different[0] == 0 else -1
    return Kinds(code, kind_of, idle, fulfils[order], bars[order])


def kinds(
    conditions: NDArray[np.uint32], rules: Rules
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """Number the kind of each row, and say what kinds there are.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        As :func:`chain_levels` takes them.
    rules : Rules

    Returns
    -------
    kind : uint32 array of shape (rows,)
    fulfils, bars : int64 arrays of shape (kinds,)
        As :class:`Kinds` has them.

    Examples
    --------
    >>> rules = Rules(steps=2, window=9, exclusions=((0, 1),))
    >>> kind, fulfils, bars = kinds(np.array([0b100, 2, 3, 2], np.uint32), rules)
    >>> kind.tolist(), fulfils.tolist(), bars.tolist()
    ([2, 1, 0, 1], [3, 2, 0], [0, 0, 1])
    """
    found = kinds_of(conditions, rules)
    return found.kind_of[found.code], found.fulfils, found.bars


def scanned_rows(
    offsets: NDArray[np.int64], time: NDArray[np.int64], found: Kinds, every: bool
) -> ScannedRows:
    """Return a copy of the rows that say something, with their kinds, not yet in order.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    found : Kinds
    every : bool
        Whether to keep the other rows as well, which stand in the way of a chain in strict order.

    Returns
    -------
    ScannedRows

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> found = kinds_of(np.array([0b10, 0, 0b01], np.uint32), Rules(steps=2, window=9))
    >>> rows = scanned_rows(np.array([0, 2, 3]), np.array([4, 6, 9]), found, every=False)
    >>> [column.tolist() for column in rows]
    [[0, 1, 2], [4, 9], [1, 0]]
    """
    return kept_rows(offsets, time, found.code, found.kind_of, -1 if every else found.idle)


def chain_levels(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    rules: Rules,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each partition's level, the times of its winning chain, and how it ended.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    time : int64 array of shape (rows,)
        Microseconds, in any order within a partition.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0; behind the steps, a bit for each
        exclusion that excludes the row.
    rules : Rules

    Returns
    -------
    level : int64 array of shape (partitions,)
        The number of the furthest required step; in any order, how many different steps.
    reached : int64 array of shape (partitions, steps)
        The time of each step of the winning chain, zeros elsewhere.
    outcome : int64 array of shape (partitions, 4)
        The steps of the winning chain as bits; 1 when an excluded row ended a chain of that level;
        1 when it did and no chain got as far again; how many rows were read of those that say
        something, in strict order of all.

    Notes
    -----
    O(rows) when the rows of each partition are in order, else O(rows · log rows).

    Examples
    --------
    >>> rules = Rules(steps=2, window=10, exclusions=((0, 1),))
    >>> level, reached, outcome = chain_levels(
    ...     np.array([0, 3]), np.array([0, 4, 9]), np.array([0b001, 0b100, 0b010], np.uint32), rules
    ... )
    >>> level.tolist(), reached.tolist(), outcome.tolist()
    ([1], [[0, 0]], [[1, 1, 1, 3]])
    """
    found = kinds_of(conditions, rules)
    rows = scanned_rows(offsets, time, found, every=rules.order == "strict")
    sort_entries.over(*rows)
    return scanned(rows, found, rules)


def scanned(
    rows: ScannedRows, found: Kinds, rules: Rules
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return what :func:`chain_levels` does, of rows that are in order.

    Examples
    --------
    >>> found = kinds_of(np.array([0b01, 0b10], np.uint32), Rules(steps=2, window=9))
    >>> rows = scanned_rows(np.array([0, 2]), np.array([4, 6]), found, every=False)
    >>> scanned(rows, found, Rules(steps=2, window=9))[0].tolist()
    [2]
    """
    partitions = len(rows.offsets) - 1
    outcome = np.zeros((partitions, 4), np.int64)
    reached = np.zeros((partitions, rules.steps), np.int64)
    if rules.order == "any":
        matching = np.zeros((3, rules.steps), np.int64)
        level = any_order_funnel.over(
            *rows, found.fulfils, rules.window, *matching, outcome, reached
        )
        return level, reached, outcome
    settings, memory = chain_arguments(rules)
    level = chain_funnel.over(
        *rows, found.fulfils, found.bars, *settings, *memory, outcome, reached
    )
    return level, reached, outcome


def chain_arguments(
    rules: Rules,
) -> tuple[tuple[Any, ...], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return what :func:`kernels.funnel.chains.chain_funnel` takes of rules, and its memory.

    Examples
    --------
    >>> settings, (states, chain) = chain_arguments(Rules(steps=3, window=9, optional=(1,)))
    >>> settings[:3], states.shape, chain.shape
    ((9, False, 2), (6, 4), (6, 3))
    """
    within = np.full(rules.steps, MOST)
    for step, length in rules.within:
        within[step] = length
    optional = sum(1 << step for step in rules.optional)
    opens, closes = np.array(rules.exclusions, np.int64).reshape(-1, 2).T.copy()
    chains = rules.steps * (1 + len(rules.optional))
    settings = rules.window, rules.order == "strict", optional, within, opens, closes
    return settings, (np.zeros((chains, 4), np.int64), np.zeros((chains, rules.steps), np.int64))
