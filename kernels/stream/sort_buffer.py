"""A sorted buffer of rows: arrivals are merged into it, and rows are deleted from it.

The rows of a partition are sorted by the order's code, and at equal codes by a tie-breaker that is
unique within the partition, such as a row id. So a watermark releases a run of rows at the front,
and the merge gives the position of each change.
"""

from typing import NamedTuple

import numpy as np

from kernels.core.arrays import Flags, Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Right, Uint8Column, kernel

NONE = -1


def sorted_rows(offsets: Ints, code: Ints, tie: Ints) -> Ints:
    """Return the sorted rows of every partition.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    code, tie : int64 arrays of shape (rows,)
        The sort keys: microseconds or another code of the order, then the tie-breaker.

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
    """Return whether a row comes before another one.

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
    removed: Uint8Column,
    new_code: Int64Right,
    new_tie: Int64Right,
    position: Int64Column,
    new_position: Int64Right,
    replaced: Int64Right,
) -> int:
    """Merge arrivals into the rows of a partition, without deleted rows.

    Parameters
    ----------
    code, tie : int64 arrays of shape (rows,)
        The present rows, sorted by both.
    removed : uint8 array of shape (rows,)
        1 where a row is deleted.
    new_code, new_tie : int64 arrays of shape (arrivals,)
        The arriving rows, sorted by both.
    position : int64 array of shape (rows,)
        Written: the new position of each row; for a deleted row, that of the row that follows it.
    new_position : int64 array of shape (arrivals,)
        Written: the position of each arrival.
    replaced : int64 array of shape (arrivals,)
        Written: the deleted row with the arrival's code and tie-breaker, or -1.

    Returns
    -------
    int
        The new number of rows.

    Notes
    -----
    O(rows + arrivals).

    Examples
    --------
    >>> position, new_position, replaced = np.zeros(3, np.int64), *np.zeros((2, 2), np.int64)
    >>> time, tie = np.array([10, 20, 30]), np.array([1, 2, 3])
    >>> removed = np.array([0, 1, 0], np.uint8)
    >>> arrivals = np.array([15, 20]), np.array([4, 2])
    >>> place_rows(time, tie, removed, *arrivals, position, new_position, replaced)
    4
    >>> position.tolist(), new_position.tolist(), replaced.tolist()
    ([0, 2, 3], [1, 2], [-1, 1])
    """
    replaced[:] = NONE
    count, j = 0, 0
    for i in range(len(code)):
        while j < len(new_code) and is_before(new_code[j], new_tie[j], code[i], tie[i]):
            new_position[j] = count  #: The arrival of {new_code[j]:time} becomes row {count}.
            count, j = count + 1, j + 1
        position[i] = count
        if removed[i] == 0:
            count += 1
        elif j < len(new_code) and new_code[j] == code[i] and new_tie[j] == tie[i]:
            replaced[j] = i  #: The row of {code[i]:time} is replaced.
    for k in range(j, len(new_code)):
        new_position[k] = count  #: The arrival of {new_code[k]:time} becomes row {count}.
        count += 1
    return count


class Changes(NamedTuple):
    """The positions of the changes in partitions.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the changes ``offsets[p]`` to ``offsets[p + 1]``, in the order of rows.
    at : int64 array of shape (changes,)
        The row number in the new partition; for a deleted row, that of the row that follows it.
    code : int64 array of shape (changes,)
        The order's code of the inserted or deleted row.
    inserted : uint8 array of shape (changes,)
        1 for an inserted row, which is new or has new values; 0 for a deleted one.
    """

    offsets: Ints
    at: Ints
    code: Ints
    inserted: Flags


class Merged(NamedTuple):
    """Partitions after arrivals were merged and rows were deleted.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    source : int64 array of shape (rows,)
        The row's number in the concatenation of the old block and the arrivals.
    before : int64 array of shape (rows,)
        The row of the old block that this row is or replaces, -1 for a new row.
    deleted : int64 array of shape (deleted rows,)
        Rows of the old block that were deleted and not replaced.
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
    removed: Flags,
    new_offsets: Ints,
    new_code: Ints,
    new_tie: Ints,
) -> Merged:
    """Merge arrivals into the rows of a block, without deleted rows.

    Parameters
    ----------
    offsets, new_offsets : int64 arrays of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``, and so for arrivals.
    code, tie : int64 arrays of shape (rows,)
        The present rows, sorted by both in every partition.
    removed : uint8 array of shape (rows,)
        1 where a row is deleted. A row whose values change is deleted and arrives again.
    new_code, new_tie : int64 arrays of shape (arrivals,)
        The arriving rows, sorted by both in every partition.

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
    position, new_position = np.zeros(len(code), np.int64), np.zeros(len(new_code), np.int64)
    replaced = np.zeros(len(new_code), np.int64)
    columns = code, tie, removed, new_code, new_tie, position, new_position, replaced
    count = place_rows.over(offsets, *columns, right=new_offsets)
    to = np.concatenate([[0], np.cumsum(count, dtype=np.int64)])
    old_partition, new_partition = map(_partitions, (offsets, new_offsets))
    replaces = np.where(replaced == NONE, NONE, replaced + offsets[new_partition])
    surviving = np.flatnonzero(removed == 0)
    at, new_at = (
        position[surviving] + to[old_partition[surviving]],
        new_position + to[new_partition],
    )
    source, before = np.empty(to[-1], np.int64), np.empty(to[-1], np.int64)
    source[at], before[at] = surviving, surviving
    source[new_at], before[new_at] = len(code) + np.arange(len(new_code)), replaces
    deleted = removed == 1
    deleted[replaces[replaces != NONE]] = False
    deleted_rows = np.flatnonzero(deleted)
    partition = np.concatenate([old_partition[deleted_rows], new_partition])
    inserted = np.repeat(np.array([0, 1], np.uint8), [len(deleted_rows), len(new_code)])
    changed_at = np.concatenate([position[deleted_rows], new_position])
    changed_code = np.concatenate([code[deleted_rows], new_code])
    order = np.lexsort((inserted, changed_at, partition))
    bounds = np.searchsorted(partition[order], np.arange(len(offsets)))
    changes = Changes(bounds, changed_at[order], changed_code[order], inserted[order])
    return Merged(to, source, before, deleted_rows, changes)


def with_moved(merged: Merged, origin: Ints) -> Merged:
    """Return a merge in which a row that changed its position still counts as the same row.

    Parameters
    ----------
    merged : Merged
    origin : int64 array of shape (rows,)
        The row of the old block with each row's identity, -1 if there is none.

    Returns
    -------
    Merged
        With such rows in ``before`` and not in ``deleted``; ``changes`` has both positions.

    Examples
    --------
    >>> one, removed = np.array([0, 2]), np.array([1, 0], np.uint8)
    >>> merged = merge_rows(one, np.array([1, 2]), one, removed, one // 2, np.array([3]), one[:1])
    >>> merged.before.tolist(), merged.deleted.tolist()
    ([1, -1], [0])
    >>> moved = with_moved(merged, np.array([-1, 0]))
    >>> moved.before.tolist(), moved.deleted.tolist()
    ([1, 0], [])
    """
    moved = (merged.before == NONE) & (origin != NONE)
    if not moved.any():
        return merged
    before = np.where(moved, origin, merged.before)
    return merged._replace(before=before, deleted=np.setdiff1d(merged.deleted, origin[moved]))


def _partitions(offsets: Ints) -> Ints:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
