"""The validity intervals of an entity's rows: from when until when each was in the table.

Snapshots say what the table held at some instants, mutations what was taken out of it and put into
it in between. Of an entity at most one row is there at a time. Mutations are followed from one
snapshot to the next, and the snapshot decides.
"""

import numpy as np

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Scratch, kernel
from kernels.structures.instants import MOST

NONE = -1
#: What a row says: it was taken out, it was put in, it was there when the snapshot was taken.
OUT, IN, SNAPSHOT = 0, 1, 2
#: A validity interval that has not ended.
OPEN = MOST
#: What is wrong with a row, bit by bit.
ABSENT, OTHER, THERE, AGAIN, MISSING, UNSEEN, CHANGED = 1, 2, 4, 8, 16, 32, 64


@helper
def snapshot_between(days: Ints, seen: int, now: int) -> int:
    """Return the first snapshot behind an instant and before another, the last time without one.

    Examples
    --------
    >>> int(snapshot_between(np.array([10, 20]), 10, 25)), snapshot_between(np.array([10]), 10, 25)
    (20, 9223372036854775807)
    """
    at = np.searchsorted(days, seen, side="right")
    return days[at] if at < len(days) and days[at] < now else OPEN


@helper
def run_of(content: Ints, first: int, stop: int) -> int:
    """Return the row behind those that hold the same as the first.

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
    """Return how many more rows are put in than taken out.

    Examples
    --------
    >>> int(balance(np.array([OUT, IN, IN]), 0, 3))
    1
    """
    more = 0
    for row in range(first, last):
        more += 1 if kind[row] == IN else -1
    return more


@helper
def take_out(
    kind: Ints,
    content: Ints,
    first: int,
    stop: int,
    now: int,
    alive: int,
    end: Ints,
    fault: Ints,
) -> int:
    """Take out what the mutations of an instant take out, and return the row that is left, or -1.

    Examples
    --------
    >>> end, fault = np.zeros(2, np.int64), np.zeros(2, np.int64)
    >>> take_out(np.array([IN, OUT]), np.array([7, 7]), 1, 2, 5, 0, end, fault), end.tolist()
    (-1, [5, 0])
    """
    stranger, row = NONE, first
    while row < stop:
        last = run_of(content, row, stop)
        more = balance(kind, row, last)
        if more < -1:
            fault[row] |= AGAIN
        if more < 0 and alive != NONE and content[alive] == content[row]:
            end[alive] = now
            alive = NONE
        elif more < 0 and stranger == NONE:
            stranger = row
        elif more < 0:
            fault[row] |= ABSENT
        row = last
    if stranger != NONE:
        fault[stranger] |= ABSENT if alive == NONE else OTHER
        if alive != NONE:
            end[alive] = now
            alive = NONE
    return alive


@helper
def put_in(
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
    """Put in what the mutations of an instant put in, and return the row that is there, or -1.

    Examples
    --------
    >>> begin, end, fault = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    >>> put_in(np.array([IN]), np.array([7]), 0, 1, 5, NONE, begin, end, fault), begin.tolist()
    (0, [5])
    """
    row = first
    while row < stop:
        last = run_of(content, row, stop)
        more = balance(kind, row, last)
        if more > 1:
            fault[last - 1] |= AGAIN
        if more > 0 and alive != NONE and content[alive] == content[row]:
            fault[last - 1] |= AGAIN
        elif more > 0:
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
    """Let a snapshot that has the entity decide, and return the row that is there.

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
    """Follow one entity through mutations and snapshots; write its rows' validity intervals.

    Parameters
    ----------
    at : int64 array of shape (rows,)
        From when on each is known, sorted.
    kind : int64 array of shape (rows,)
        What each says: 0 it is taken out, 1 it is put in, 2 a snapshot has it. Of one instant the
        mutations stand first, those that hold the same side by side and what is taken out before
        what is put in; then what the snapshot has.
    content : int64 array of shape (rows,)
        Equal where rows hold the same.
    days : int64 array of shape (snapshots,)
        When the snapshots were taken, sorted; those too that do not have the entity.
    begin, end : int64 arrays of shape (rows,)
        Written: the validity interval [begin, end) of each row, the same twice for a row that says
        nothing new, and the last time there is for one that has not ended.
    fault : int64 array of shape (rows,)
        Written, bit by bit: 1 what is taken out was not there; 2 what is taken out was there but
        held something else; 4 it is put in where there was one; 8 it says again what is known;
        16 it is not in the next snapshot; 32 no mutation put in what the snapshot has; 64 the
        snapshot has it otherwise.

    Notes
    -----
    O(rows · log snapshots), no memory. What is taken out and put in at one instant cancels out
    where it holds the same: so a chain of updates within an instant leaves its last row, in
    whatever order they come.

    Source: Zipline, "Window Tiling Algorithm": entity sources.

    Examples
    --------
    >>> at, kind = np.array([10, 12, 12]), np.array([SNAPSHOT, OUT, IN])
    >>> begin, end, fault = np.zeros((3, 3), np.int64)
    >>> follow_validity(at, kind, np.array([7, 7, 8]), np.array([10, 20]), begin, end, fault)
    >>> begin.tolist(), end.tolist(), fault.tolist()
    ([10, 0, 12], [12, 0, 20], [0, 0, 16])
    """
    alive, seen, first, rows = NONE, 0, 0, len(at)
    begin[:], end[:], fault[:] = 0, 0, 0
    while first < rows:
        now = at[first]
        stop = first  #: At {now:time} row {alive} is there.
        while stop < rows and at[stop] == now and kind[stop] != SNAPSHOT:
            stop += 1
        last = stop
        while last < rows and at[last] == now:
            last += 1
        day = snapshot_between(days, seen, now) if alive != NONE else OPEN
        if day != OPEN:
            end[alive] = day
            fault[alive] |= MISSING
            alive = NONE  #: The snapshot of {day:time} did not have it any more.
        alive = take_out(kind, content, first, stop, now, alive, end, fault)
        alive = put_in(kind, content, first, stop, now, alive, begin, end, fault)
        seen = now  #: After {stop - first} rows of mutations, row {alive} is there.
        if stop < last:
            oldest = now == days[0]
            alive = compare(content, stop, last, now, oldest, alive, begin, end, fault)
        elif alive != NONE:
            seen = now - 1  # A snapshot of this very instant has to have it.
        first = last  #: After the snapshot, if there is one, row {alive} is there.
    if alive != NONE:
        day = snapshot_between(days, seen, OPEN)
        end[alive] = day  #: Row {alive} is there until {day:time}.
        if day != OPEN:
            fault[alive] |= MISSING
