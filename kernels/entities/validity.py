"""The validity intervals of an entity's rows: the time during which each was in the table.

Snapshots give the content of the table at some instants, mutations the rows that were deleted and
inserted in between. An entity has at most one row at a time. The kernel applies the mutations from
one snapshot to the next; where they disagree, the snapshot is right.
"""

import numpy as np

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Scratch, kernel
from kernels.structures.instants import MOST

NONE = -1
#: The kinds of rows: a deletion, an insertion, a row of a snapshot.
OUT, IN, SNAPSHOT = 0, 1, 2
#: The end of a validity interval that has not ended.
OPEN = MOST
#: The faults of a row, as bits.
ABSENT, OTHER, THERE, AGAIN, MISSING, UNSEEN, CHANGED = 1, 2, 4, 8, 16, 32, 64


@helper
def snapshot_between(days: Ints, checked: int, now: int) -> int:
    """Return the first snapshot after an instant and before another, or ``OPEN`` without one.

    Examples
    --------
    >>> int(snapshot_between(np.array([10, 20]), 10, 25)), snapshot_between(np.array([10]), 10, 25)
    (20, 9223372036854775807)
    """
    at = np.searchsorted(days, checked, side="right")
    return days[at] if at < len(days) and days[at] < now else OPEN


@helper
def run_of(content: Ints, first: int, stop: int) -> int:
    """Return the row after the run of rows with the content of the first.

    Examples
    --------
    >>> run_of(np.array([7, 7, 8]), 0, 3)
    2
    """
    last = first
    while last < stop and content[last] == content[first]:
        last += 1
    return last


@helper
def balance(kind: Ints, first: int, last: int) -> int:
    """Return how many more rows are inserted than deleted.

    Examples
    --------
    >>> int(balance(np.array([OUT, IN, IN]), 0, 3))
    1
    """
    net = 0
    for row in range(first, last):
        net += 1 if kind[row] == IN else -1
    return net


@helper
def apply_deletions(
    kind: Ints,
    content: Ints,
    first: int,
    stop: int,
    now: int,
    alive: int,
    end: Ints,
    fault: Ints,
) -> int:
    """Apply the deletions of an instant, and return the row that is still alive, or -1.

    Examples
    --------
    >>> end, fault = np.zeros(2, np.int64), np.zeros(2, np.int64)
    >>> apply_deletions(np.array([IN, OUT]), np.array([7, 7]), 1, 2, 5, 0, end, fault), end.tolist()
    (-1, [5, 0])
    """
    stranger, row = NONE, first
    while row < stop:
        last = run_of(content, row, stop)
        net = balance(kind, row, last)
        if net < -1:
            fault[row] |= AGAIN
        if net < 0 and alive != NONE and content[alive] == content[row]:
            end[alive] = now
            alive = NONE
        elif net < 0 and stranger == NONE:
            stranger = row
        elif net < 0:
            fault[row] |= ABSENT
        row = last
    if stranger != NONE:
        fault[stranger] |= ABSENT if alive == NONE else OTHER
        if alive != NONE:
            end[alive] = now
            alive = NONE
    return alive


@helper
def apply_insertions(
    kind: Ints,
    content: Ints,
    first: int,
    stop: int,
    now: int,
    alive: int,
    begin: Ints,
    end: Ints,
    fault: Ints,
) -> int:
    """Apply the insertions of an instant, and return the row that is alive then, or -1.

    Examples
    --------
    >>> kind, content, (begin, end, fault) = np.array([IN]), np.array([7]), np.zeros((3, 1), int)
    >>> apply_insertions(kind, content, 0, 1, 5, NONE, begin, end, fault), begin.tolist()
    (0, [5])
    """
    row = first
    while row < stop:
        last = run_of(content, row, stop)
        net = balance(kind, row, last)
        if net > 1:
            fault[last - 1] |= AGAIN
        if net > 0 and alive != NONE and content[alive] == content[row]:
            fault[last - 1] |= AGAIN
        elif net > 0:
            if alive != NONE:
                end[alive] = now
                fault[last - 1] |= THERE
            alive = last - 1
            begin[alive], end[alive] = now, OPEN
        row = last
    return alive


@helper
def compare(
    content: Ints,
    first: int,
    stop: int,
    now: int,
    oldest: bool,
    alive: int,
    begin: Ints,
    end: Ints,
    fault: Ints,
) -> int:
    """Compare with a snapshot that contains the entity, and return the row that is alive then.

    Examples
    --------
    >>> begin, end, fault = np.array([3, 0]), np.array([OPEN, 0]), np.zeros(2, np.int64)
    >>> compare(np.array([7, 8]), 1, 2, 5, False, 0, begin, end, fault), end[0], fault.tolist()
    (1, np.int64(5), [0, 64])
    """
    same = False
    for row in range(first, stop):
        same |= alive != NONE and content[row] == content[alive]
        if row > first:
            fault[row] |= AGAIN
    if same:
        return alive
    row = stop - 1
    if alive != NONE:
        end[alive] = now
        fault[row] |= CHANGED
    elif not oldest:
        fault[row] |= UNSEEN
    begin[row], end[row] = now, OPEN
    return row


@kernel
def follow_validity(
    at: Int64Column,
    kind: Int64Column,
    content: Int64Column,
    days: Int64Scratch,
    begin: Int64Column,
    end: Int64Column,
    fault: Int64Column,
) -> None:
    """Write the validity intervals of one entity's rows from its mutations and snapshots.

    Parameters
    ----------
    at : int64 array of shape (rows,)
        The time of each mutation or snapshot, sorted.
    kind : int64 array of shape (rows,)
        0 for a deletion, 1 for an insertion, 2 for a row of a snapshot. At one instant the
        mutations come first: those with equal content together, and deletions before insertions.
        The rows of the snapshot follow.
    content : int64 array of shape (rows,)
        A number for the content of each row; equal contents have equal numbers.
    days : int64 array of shape (snapshots,)
        The times of all snapshots, sorted, including those that do not contain the entity.
    begin, end : int64 arrays of shape (rows,)
        Written: the validity interval [begin, end) of each row. It is empty for a row that adds
        nothing new, and ends at the last instant if it is open.
    fault : int64 array of shape (rows,)
        Written, as bits: 1 a deleted row did not exist; 2 a deleted row existed with another
        content; 4 a row is inserted while there is one; 8 a row repeats what is known; 16 the row
        is missing from the next snapshot; 32 no mutation inserted a row of the snapshot; 64 the
        snapshot has another content.

    Notes
    -----
    O(rows · log snapshots), no memory. A deletion and an insertion of equal content at one instant
    cancel out, so a chain of updates within an instant leaves its last row, in whatever order they
    come.

    Source: Zipline, "Window Tiling Algorithm": entity sources.

    Examples
    --------
    >>> at, kind = np.array([10, 12, 12]), np.array([SNAPSHOT, OUT, IN])
    >>> begin, end, fault = np.zeros((3, 3), np.int64)
    >>> follow_validity(at, kind, np.array([7, 7, 8]), np.array([10, 20]), begin, end, fault)
    >>> begin.tolist(), end.tolist(), fault.tolist()
    ([10, 0, 12], [12, 0, 20], [0, 0, 16])
    """
    alive, checked, first, rows = NONE, 0, 0, len(at)
    begin[:], end[:], fault[:] = 0, 0, 0
    while first < rows:
        now = at[first]
        stop = first  #: At {now:time} row {alive} is there.
        while stop < rows and at[stop] == now and kind[stop] != SNAPSHOT:
            stop += 1
        last = stop
        while last < rows and at[last] == now:
            last += 1
        day = snapshot_between(days, checked, now) if alive != NONE else OPEN
        if day != OPEN:
            end[alive] = day
            fault[alive] |= MISSING
            alive = NONE  #: The snapshot of {day:time} did not have it any more.
        alive = apply_deletions(kind, content, first, stop, now, alive, end, fault)
        alive = apply_insertions(kind, content, first, stop, now, alive, begin, end, fault)
        checked = now  #: After {stop - first} rows of mutations, row {alive} is there.
        if stop < last:
            oldest = now == days[0]
            alive = compare(content, stop, last, now, oldest, alive, begin, end, fault)
        elif alive != NONE:
            checked = now - 1  # A snapshot at this very instant must contain it.
        first = last  #: After the snapshot, if there is one, row {alive} is there.
    if alive != NONE:
        day = snapshot_between(days, checked, OPEN)
        end[alive] = day  #: Row {alive} is there until {day:time}.
        if day != OPEN:
            fault[alive] |= MISSING
