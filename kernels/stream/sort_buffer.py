"""Rows that wait in their order: arrivals are merged into what is there, and rows are taken out.

A partition's rows are kept sorted by the order's code, and at equal codes by a tie-breaker that
no two rows of a partition share, such as a row id. So what a watermark releases is a run of rows at
the front, and where a change stands is known from the merge.
"""

from typing import NamedTuple

import numpy as np

from kernels.core.arrays import Flags, Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Right, Uint8Column, kernel

NONE = -1


def sorted_rows(offsets: Ints, code: Ints, tie: Ints) -> Ints:
    """Return the rows of every partition in their order.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    code, tie : int64 arrays of shape (rows,)
        What rows are sorted by: microseconds or another code of the order, then the tie-breaker.

    Returns
    -------
    int64 array of shape (rows,)
        Rows of the block, partition by partition.

    Examples
    --------
    >>> sorted_rows(np.array([0, 3]), np.array([20, 10, 10]), np.array([1, 3, 2])).tolist()
    [2, 1, 0]
    """
    partition = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.lexsort((tie, code, partition))


@helper
def is_before(code: int, tie: int, other_code: int, other_tie: int) -> bool:
    """Return whether a row stands before another one.

    Examples
    --------
    >>> is_before(5, 1, 5, 2), is_before(5, 2, 5, 2)
    (True, False)
    """
    return code < other_code or (code == other_code and tie < other_tie)


@kernel
def place_rows(
    code: Int64Column,
    tie: Int64Column,
    gone: Uint8Column,
    new_code: Int64Right,
    new_tie: Int64Right,
    place: Int64Column,
    new_place: Int64Right,
    replaced: Int64Right,
) -> int:
    """Merge arrivals into the rows of a partition, without those that go.

    Parameters
    ----------
    code, tie : int64 arrays of shape (rows,)
        The rows that are there, sorted by both.
    gone : uint8 array of shape (rows,)
        1 where a row goes.
    new_code, new_tie : int64 arrays of shape (arrivals,)
        The rows that come, sorted by both.
    place : int64 array of shape (rows,)
        Written: where each row stands now; for a row that goes, which row stands there instead.
    new_place : int64 array of shape (arrivals,)
        Written: where each arrival stands.
    replaced : int64 array of shape (arrivals,)
        Written: the row that goes and has the arrival's code and tie-breaker, -1 where none has.

    Returns
    -------
    int
        How many rows there are now.

    Notes
    -----
    O(rows + arrivals).

    Examples
    --------
    >>> place, new_place, replaced = np.zeros(3, np.int64), *np.zeros((2, 2), np.int64)
    >>> time, tie, gone = np.array([10, 20, 30]), np.array([1, 2, 3]), np.array([0, 1, 0], np.uint8)
    >>> arrivals = np.array([15, 20]), np.array([4, 2])
    >>> place_rows(time, tie, gone, *arrivals, place, new_place, replaced)
    4
    >>> place.tolist(), new_place.tolist(), replaced.tolist()
    ([0, 2, 3], [1, 2], [-1, 1])
    """
    replaced[:] = NONE
    count, j = 0, 0
    for i in range(len(code)):
        while j < len(new_code) and is_before(new_code[j], new_tie[j], code[i], tie[i]):
            new_place[j] = count  #: The arrival of {new_code[j]:time} becomes row {count}.
            count, j = count + 1, j + 1
        place[i] = count
        if gone[i] == 0:
            count += 1
        elif j < len(new_code) and new_code[j] == code[i] and new_tie[j] == tie[i]:
            replaced[j] = i  #: The row of {code[i]:time} is replaced.
    for k in range(j, len(new_code)):
        new_place[k] = count  #: The arrival of {new_code[k]:time} becomes row {count}.
        count += 1
    return count


class Changes(NamedTuple):
    """Where the rows of partitions have changed.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the changes ``offsets[p]`` to ``offsets[p + 1]``, in the order of rows.
    at : int64 array of shape (changes,)
        A row of the partition as it is now; for a row that has gone, the one that follows it.
    code : int64 array of shape (changes,)
        The order's code of the row that has come, or gone.
    inserted : uint8 array of shape (changes,)
        1 for a row that is there, as an arrival or with other values; 0 for one that has gone.
    """

    offsets: Ints
    at: Ints
    code: Ints
    inserted: Flags


class Merged(NamedTuple):
    """Partitions after arrivals have come and rows have gone.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    source : int64 array of shape (rows,)
        The row of the old block, or for an arrival the number of old rows and its own number: a
        row of the old block and the arrivals, one behind the other.
    before : int64 array of shape (rows,)
        The row of the old block that this one is or replaces, -1 for a row that is new.
    deleted : int64 array of shape (deleted rows,)
        Rows of the old block that have gone and are not replaced.
    changes : Changes
    """

    offsets: Ints
    source: Ints
    before: Ints
    deleted: Ints
    changes: Changes


def merge_rows(
    offsets: Ints,
    code: Ints,
    tie: Ints,
    gone: Flags,
    new_offsets: Ints,
    new_code: Ints,
    new_tie: Ints,
) -> Merged:
    """Merge arrivals into the rows of a block, without those that go.

    Parameters
    ----------
    offsets, new_offsets : int64 arrays of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``, and such arrivals.
    code, tie : int64 arrays of shape (rows,)
        The rows that are there, sorted by both in every partition.
    gone : uint8 array of shape (rows,)
        1 where a row goes. A row whose values change goes, and comes as an arrival.
    new_code, new_tie : int64 arrays of shape (arrivals,)
        The rows that come, sorted by both in every partition.

    Returns
    -------
    Merged

    Examples
    --------
    >>> one, keep = np.array([0, 2]), np.zeros(2, np.uint8)
    >>> time, tie = np.array([1000, 1010]), np.array([100, 103])
    >>> merged = merge_rows(one, time, tie, keep, one // 2, np.array([1006]), np.array([102]))
    >>> merged.source.tolist(), merged.changes.at.tolist()
    ([0, 2, 1], [1])
    """
    place, new_place = np.zeros(len(code), np.int64), np.zeros(len(new_code), np.int64)
    replaced = np.zeros(len(new_code), np.int64)
    columns = code, tie, gone, new_code, new_tie, place, new_place, replaced
    count = place_rows.over(offsets, *columns, right=new_offsets)
    now = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
    old_partition, new_partition = (_partitions(one) for one in (offsets, new_offsets))
    replaces = np.where(replaced == NONE, NONE, replaced + offsets[new_partition])
    rows_left = np.flatnonzero(gone == 0)
    at, new_at = place[rows_left] + now[old_partition[rows_left]], new_place + now[new_partition]
    source, before = np.empty(now[-1], np.int64), np.empty(now[-1], np.int64)
    source[at], before[at] = rows_left, rows_left
    source[new_at], before[new_at] = len(code) + np.arange(len(new_code)), replaces
    deleted = gone == 1
    deleted[replaces[replaces != NONE]] = False
    left = np.flatnonzero(deleted)
    partition = np.concatenate([old_partition[left], new_partition])
    inserted = np.repeat(np.array([0, 1], np.uint8), [len(left), len(new_code)])
    where = np.concatenate([place[left], new_place])
    what = np.concatenate([code[left], new_code])
    order = np.lexsort((inserted, where, partition))
    bounds = np.searchsorted(partition[order], np.arange(len(offsets)))
    changes = Changes(bounds, where[order], what[order], inserted[order])
    return Merged(now, source, before, left, changes)


def with_moved(merged: Merged, heir: Ints) -> Merged:
    """Return a merge in which rows that have moved are what they were, at another place.

    Parameters
    ----------
    merged : Merged
    heir : int64 array of shape (rows,)
        The row of the old block that each row is by its identity, -1 where it is none.

    Returns
    -------
    Merged
        With such rows in ``before`` and not in ``deleted``; ``changes`` has both of their places.

    Examples
    --------
    >>> one, gone = np.array([0, 2]), np.array([1, 0], np.uint8)
    >>> merged = merge_rows(one, np.array([1, 2]), one, gone, one // 2, np.array([3]), one[:1])
    >>> merged.before.tolist(), merged.deleted.tolist()
    ([1, -1], [0])
    >>> moved = with_moved(merged, np.array([-1, 0]))
    >>> moved.before.tolist(), moved.deleted.tolist()
    ([1, 0], [])
    """
    moved = (merged.before == NONE) & (heir != NONE)
    if not moved.any():
        return merged
    before = np.where(moved, heir, merged.before)
    return merged._replace(before=before, deleted=np.setdiff1d(merged.deleted, heir[moved]))


def _partitions(offsets: Ints) -> Ints:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
