"""Analysts' funnels over a block: rows to kinds, kinds into order, kernel over partitions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.funnel.any_order import any_order_funnel
from kernels.funnel.chains import chain_funnel
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


def kinds(
    fulfils: NDArray[np.int64], bars: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """Number the different kinds of rows in the order in which a scan takes them at one instant.

    Parameters
    ----------
    fulfils, bars : int64 arrays of shape (rows,)
        Bit k is set when the row fulfils step k, and when exclusion k excludes it.

    Returns
    -------
    kind : uint32 array of shape (rows,)
        Rows that fulfil steps come first, by their first step, then by their last.
    fulfils, bars : int64 arrays of shape (kinds,)

    Notes
    -----
    O(rows · log rows); O(rows) when the rows are those of a dictionary of names.

    Examples
    --------
    >>> kind, fulfils, bars = kinds(np.array([0, 2, 3, 2]), np.array([1, 0, 0, 0]))
    >>> kind.tolist(), fulfils.tolist(), bars.tolist()
    ([2, 1, 0, 1], [3, 2, 0], [0, 0, 1])
    """
    different, kind = np.unique(np.column_stack([fulfils, bars]), axis=0, return_inverse=True)
    bits = different[:, 0]
    lowest = np.where(bits == 0, MOST, bits & -bits)
    order = np.lexsort((different[:, 1], bits, lowest))
    place = np.empty(len(order), np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    ordered = different[order]
    return place[kind.reshape(-1)], ordered[:, 0].copy(), ordered[:, 1].copy()


def chain_levels(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    fulfils: NDArray[np.int64],
    bars: NDArray[np.int64],
    rules: Rules,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return each partition's level, the times of its winning chain, and how it ended.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    time : int64 array of shape (rows,)
        Microseconds, in any order within a partition.
    fulfils, bars : int64 arrays of shape (rows,)
        Bit k is set when the row fulfils step k, and when exclusion k excludes it.
    rules : Rules

    Returns
    -------
    level : int64 array of shape (partitions,)
        The number of the furthest required step; in any order, how many different steps.
    reached : int64 array of shape (partitions, steps)
        The time of each step of the winning chain, zeros elsewhere.
    outcome : int64 array of shape (partitions, 3)
        The steps of the winning chain as bits; 1 when an excluded row ended a chain of that level;
        1 when it did and no chain got as far again.

    Notes
    -----
    O(rows) when the rows of each partition are in order, else O(rows · log rows).

    Examples
    --------
    >>> rules = Rules(steps=2, window=10, exclusions=((0, 1),))
    >>> fulfils, bars = np.array([1, 0, 2]), np.array([0, 1, 0])
    >>> level, reached, outcome = chain_levels(
    ...     np.array([0, 3]), np.array([0, 4, 9]), fulfils, bars, rules
    ... )
    >>> level.tolist(), reached.tolist(), outcome.tolist()
    ([1], [[0, 0]], [[1, 1, 1]])
    """
    kind, fulfils, bars = kinds(fulfils, bars)
    time = time.copy()
    sort_entries.over(offsets, time, kind)
    partitions = len(offsets) - 1
    outcome = np.zeros((partitions, 3), np.int64)
    reached = np.zeros((partitions, rules.steps), np.int64)
    if rules.order == "any":
        matching = np.zeros((3, rules.steps), np.int64)
        level = any_order_funnel.over(
            offsets, time, kind, fulfils, rules.window, *matching, outcome, reached
        )
        return level, reached, outcome
    within = np.full(rules.steps, MOST)
    for step, length in rules.within:
        within[step] = length
    optional = sum(1 << step for step in rules.optional)
    between = np.array(rules.exclusions, np.int64).reshape(-1, 2).T.copy()
    slots = rules.steps * (1 + len(rules.optional))
    chains = np.zeros((slots, 4), np.int64), np.zeros((slots, rules.steps), np.int64)
    strict = rules.order == "strict"
    level = chain_funnel.over(
        offsets, time, kind, fulfils, bars, rules.window, strict, optional, within,
        *between, *chains, outcome, reached,
    )  # fmt: skip
    return level, reached, outcome
