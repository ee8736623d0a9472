"""Funnels with rules over a block: rows get kinds, are sorted by them, and are scanned."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.funnel.any_order import any_order_funnel
from kernels.funnel.chains import chain_funnel
from kernels.funnel.matching_rows import (
    FEW_BITS,
    ScannedRows,
    drop_idle_rows,
    known_bits,
    mark_codes,
)
from kernels.structures.instants import MOST
from kernels.structures.order import sort_entries

#: How steps may follow each other: with other rows between, with none between, or in any order.
ORDERS = "this", "strict", "any"


@dataclass(frozen=True)
class Rules:
    """The rules of a funnel beyond its steps; the defaults add none.

    Attributes
    ----------
    steps : int
        1 to 32.
    window : int
        Microseconds from the first step to the last, inclusive.
    order : str
        ``"this"``, ``"strict"`` or ``"any"``.
    optional : tuple of int
        Steps that may be skipped, counted from 0; never the first.
    within : tuple of (int, int)
        Steps with a separate window, and its length in microseconds from the nearest required step
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
    """The kinds of rows, numbered in the order in which a scan reads them at one instant.

    Attributes
    ----------
    code : uint32 array of shape (rows,)
        0 for idle rows, which fulfil no step and match no exclusion, if there are any.
    kind_of : uint32 array of shape (codes,)
        The number of the kind of each code.
    idle : int
        0 if there are idle rows, else -1.
    fulfils, bars : int64 arrays of shape (kinds,)
        The steps and the exclusions of each kind, as bits.
    """

    code: NDArray[np.uint32]
    kind_of: NDArray[np.uint32]
    idle: int
    fulfils: NDArray[np.int64]
    bars: NDArray[np.int64]


def kinds_of(conditions: NDArray[np.uint32], rules: Rules) -> Kinds:
    """Return the different kinds of rows.

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
    >>> row_kinds = kinds_of(np.array([0b10, 0, 0b01], np.uint32), Rules(steps=2, window=9))
    >>> row_kinds.kind_of.tolist(), row_kinds.idle, row_kinds.fulfils.tolist()
    ([2, 0, 1, 0], 0, [1, 2, 0])
    """
    bits = rules.steps + len(rules.exclusions)
    conditions = known_bits(conditions, bits)
    if bits <= FEW_BITS:
        present = np.zeros(1 << bits, np.uint8)
        mark_codes(conditions, present)
        code, codes = conditions, np.flatnonzero(present)
        different = codes
    else:
        different, inverse = np.unique(conditions, return_inverse=True)
        code, codes = inverse.astype(np.uint32), np.arange(len(different))
        different = different.astype(np.int64)
    fulfils, bars = different & ((1 << rules.steps) - 1), different >> rules.steps
    lowest = np.where(fulfils == 0, MOST, fulfils & -fulfils)
    order = np.lexsort((bars, fulfils, lowest))
    kind_of = np.zeros(max(codes, default=0) + 1 if bits > FEW_BITS else 1 << bits, np.uint32)
    kind_of[codes[order]] = np.arange(len(order), dtype=np.uint32)
    idle = 0 if len(different) and different[0] == 0 else -1
    return Kinds(code, kind_of, idle, fulfils[order], bars[order])


def kinds(
    conditions: NDArray[np.uint32], rules: Rules
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the kind of each row, and the steps and exclusions of each kind.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
        As :func:`chain_levels` takes them.
    rules : Rules

    Returns
    -------
    kind : uint32 array of shape (rows,)
    fulfils, bars : int64 arrays of shape (kinds,)
        As in :class:`Kinds`.

    Examples
    --------
    >>> rules = Rules(steps=2, window=9, exclusions=((0, 1),))
    >>> kind, fulfils, bars = kinds(np.array([0b100, 2, 3, 2], np.uint32), rules)
    >>> kind.tolist(), fulfils.tolist(), bars.tolist()
    ([2, 1, 0, 1], [3, 2, 0], [0, 0, 1])
    """
    row_kinds = kinds_of(conditions, rules)
    return row_kinds.kind_of[row_kinds.code], row_kinds.fulfils, row_kinds.bars


def rows_to_scan(
    offsets: NDArray[np.int64], time: NDArray[np.int64], row_kinds: Kinds, every: bool
) -> ScannedRows:
    """Return a copy of the rows that a scan reads, with their kinds, not yet sorted.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    row_kinds : Kinds
    every : bool
        Whether to keep idle rows as well, which interrupt a chain in strict order.

    Returns
    -------
    ScannedRows

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> row_kinds = kinds_of(np.array([0b10, 0, 0b01], np.uint32), Rules(steps=2, window=9))
    >>> rows = rows_to_scan(np.array([0, 2, 3]), np.array([4, 6, 9]), row_kinds, every=False)
    >>> [column.tolist() for column in rows]
    [[0, 1, 2], [4, 9], [1, 0]]
    """
    return drop_idle_rows(
        offsets, time, row_kinds.code, row_kinds.kind_of, -1 if every else row_kinds.idle
    )


def chain_levels(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    conditions: NDArray[np.uint32],
    rules: Rules,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each partition's level, the times of its winning chain, and its outcome.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    time : int64 array of shape (rows,)
        Microseconds, in any order within a partition.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k, counted from 0; after the steps, one bit for each
        exclusion that the row matches.
    rules : Rules

    Returns
    -------
    level : int64 array of shape (partitions,)
        The number of the furthest required step; in any order, the number of different steps.
    reached : int64 array of shape (partitions, steps)
        The time of each step of the winning chain, zeros elsewhere.
    outcome : int64 array of shape (partitions, 4)
        The steps of the winning chain as bits; 1 if an excluded row ended a chain of that level; 1
        if it did and no later chain reached that level; the number of rows read, without idle rows
        except in strict order.

    Notes
    -----
    O(rows) when the rows of each partition are sorted, else O(rows · log rows).

    Examples
    --------
    >>> rules = Rules(steps=2, window=10, exclusions=((0, 1),))
    >>> level, reached, outcome = chain_levels(
    ...     np.array([0, 3]), np.array([0, 4, 9]), np.array([0b001, 0b100, 0b010], np.uint32), rules
    ... )
    >>> level.tolist(), reached.tolist(), outcome.tolist()
    ([1], [[0, 0]], [[1, 1, 1, 3]])
    """
    row_kinds = kinds_of(conditions, rules)
    rows = rows_to_scan(offsets, time, row_kinds, every=rules.order == "strict")
    sort_entries.over(*rows)
    return scan_rows(rows, row_kinds, rules)


def scan_rows(
    rows: ScannedRows, row_kinds: Kinds, rules: Rules
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the results of :func:`chain_levels` for sorted rows.

    Examples
    --------
    >>> row_kinds = kinds_of(np.array([0b01, 0b10], np.uint32), Rules(steps=2, window=9))
    >>> rows = rows_to_scan(np.array([0, 2]), np.array([4, 6]), row_kinds, every=False)
    >>> scan_rows(rows, row_kinds, Rules(steps=2, window=9))[0].tolist()
    [2]
    """
    partitions = len(rows.offsets) - 1
    outcome = np.zeros((partitions, 4), np.int64)
    reached = np.zeros((partitions, rules.steps), np.int64)
    if rules.order == "any":
        matching = np.zeros((3, rules.steps), np.int64)
        level = any_order_funnel.over(
            *rows, row_kinds.fulfils, rules.window, *matching, outcome, reached
        )
        return level, reached, outcome
    settings, memory = chain_arguments(rules)
    level = chain_funnel.over(
        *rows, row_kinds.fulfils, row_kinds.bars, *settings, *memory, outcome, reached
    )
    return level, reached, outcome


def chain_arguments(
    rules: Rules,
) -> tuple[tuple[Any, ...], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the settings that :func:`kernels.funnel.chains.chain_funnel` takes, and its memory.

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
