"""Rows of snapshots and mutations become rows with a validity interval, in Spark's workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.entities.validity import (
    ABSENT,
    AGAIN,
    CHANGED,
    MISSING,
    OTHER,
    SNAPSHOT,
    THERE,
    UNSEEN,
    follow_validity,
)
from workbench.backfill.worker.cogroup import sort_by_time
from workbench.backfill.worker.task import BackfillTask, Sides, table_of
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME, instants
from workbench.columnar.bundles import unbundled
from workbench.columnar.columns import present
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.engine.task import ROWS_AT_ONCE

#: From when on a row is known; what it says; a number for all that it holds; whether it came in a
#: partition of another date.
AT, SAYS, HOLDS, MISPLACED = "__at__", "__says__", "__holds__", "__misplaced__"
PROBLEM, KNOWN = "problem", "known"

#: What can be wrong with a row, by the kernel's bits.
PROBLEMS = {
    ABSENT: "taken out, but it was not there",
    OTHER: "taken out, but it held something else",
    THERE: "put in where there was a row already",
    AGAIN: "said again",
    MISSING: "not in the next snapshot, and not taken out",
    UNSEEN: "in the snapshot, but not put in",
    CHANGED: "otherwise in the snapshot",
}
FUTURE = "dated in the future of when it was put in"
LATE = "in a partition of another date than its mutation's"


@dataclass(frozen=True)
class Followed:
    """Rows entity by entity, with their validity intervals and their faults.

    Attributes
    ----------
    rows : pyarrow.Table
        As they came.
    row : uint32 array of shape (rows,)
        Which of these stands at each place.
    at, begin, end, fault : int64 arrays of shape (rows,)
        By place: from when on it is known, its validity interval [begin, end), and its faults.
    """

    rows: pa.Table
    row: NDArray[np.uint32]
    at: Ints
    begin: Ints
    end: Ints
    fault: Ints

    def intervals(self) -> pa.Table:
        """Return the rows that were there at any time, and have a time of their own."""
        alive = (self.begin < self.end) & present(as_array(self.rows.column(TIME)))[self.row]
        found = self.rows.drop_columns([AT, SAYS, HOLDS]).take(pa.array(self.row[alive]))
        for name, column in ((VALID_FROM, self.begin), (VALID_TO, self.end)):
            found = found.append_column(name, pa.array(column[alive]))
        return found


def followed(rows: pa.Table, entity: Iterable[str], days: Ints) -> Followed:
    """Follow every entity through its rows.

    Parameters
    ----------
    rows : pyarrow.Table
        All rows of the entities, with the columns :data:`AT`, :data:`SAYS` and :data:`HOLDS`.
    entity : iterable of str
        The columns that tell entities apart.
    days : int64 array
        When the snapshots were taken, sorted.

    Returns
    -------
    Followed
    """
    code, count = _entities(rows, tuple(entity))
    at, says, holds = (as_array(rows.column(name)).to_numpy() for name in (AT, SAYS, HOLDS))
    placed = sort_by_time(code, at.astype(np.int64, copy=False), count)
    row = _ties_in_order(placed.row, placed.offsets, placed.time, says, holds)
    begin, end, fault = np.empty((3, len(row)), np.int64)
    kind = says[row].astype(np.int64)
    known = placed.time, kind, holds[row]
    follow_validity.over(placed.offsets, *known, days, begin, end, fault)
    return Followed(rows, row, placed.time, begin, end, fault)


def _entities(rows: pa.Table, entity: tuple[str, ...]) -> tuple[NDArray[np.uint32], int]:
    """The number of each row's entity, and how many there are."""
    code, count = key_codes(rows.select([entity[-1]]))
    others, _ = key_codes(rows.select(list(entity[:-1])))
    with_it = np.empty(count, np.uint32)
    with_it[code] = others
    # Mostly an id is of one key, and tells entities apart alone.
    if (with_it[code] == others).all():
        return code, count
    return key_codes(pa.table({"entity": others.astype(np.int64) * count + code}))


def _ties_in_order(
    row: NDArray[np.uint32], offsets: Ints, at: Ints, says: NDArray[np.int8], holds: Ints
) -> NDArray[np.uint32]:
    """Rows of one instant: mutations by what they hold, out before in, then the snapshot's."""
    again = np.concatenate([[False], at[1:] == at[:-1]])[: len(at)]
    again[offsets[:-1][np.diff(offsets) > 0]] = False
    if not again.any():
        return row
    tied = np.flatnonzero(again | np.concatenate([again[1:], [False]]))
    run, which = np.cumsum(~again)[tied], row[tied]
    order = np.lexsort((says[which], holds[which], says[which] == SNAPSHOT, run))
    row = row.copy()
    row[tied] = which[order]
    return row


@dataclass(frozen=True)
class ValidityTask(BackfillTask):
    """Answer every query of whole keys, from snapshots and mutations of the keys' rows.

    Attributes
    ----------
    entity : tuple of str
        The columns that tell entities apart, on the way.
    days : tuple of int
        When the snapshots were taken, sorted.
    """

    entity: tuple[str, ...] = ()
    days: tuple[int, ...] = ()

    def sides(self, queries: pa.Table, events: pa.Table | None) -> Sides:
        """Number the keys of both sides, after the entities are followed."""
        rows = self.schema.empty_table() if events is None else events
        days = np.array(self.days, np.int64)
        return super().sides(queries, followed(rows, self.entity, days).intervals())


@dataclass(frozen=True)
class FollowTask:
    """Give every row with its validity interval, or what is wrong with rows.

    Attributes
    ----------
    columns : tuple of str
        The columns to give.
    entity : tuple of str
        The columns that tell entities apart.
    days : tuple of int
        When the snapshots were taken, sorted.
    faults : bool
        Whether faults are wanted, and not validity intervals.
    trusted : bool
        Whether there are snapshots alone, which cannot disagree with anything.
    """

    columns: tuple[str, ...]
    entity: tuple[str, ...]
    days: tuple[int, ...]
    faults: bool = False
    trusted: bool = False

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Follow the entities of a Spark partition that holds all of their rows."""
        freeze_gc()
        rows = table_of(list(unbundled(batches)))
        if rows is None:
            return
        one = followed(rows, self.entity, np.array(self.days, np.int64))
        found = self.problems(one) if self.faults else one.intervals()
        yield from found.select(list(self.columns)).to_batches(max_chunksize=ROWS_AT_ONCE)

    def problems(self, one: Followed) -> pa.Table:
        """Return a row for each thing that is wrong with a row."""
        time = as_array(one.rows.column(TIME))
        own = instants(time.fill_null(0) if time.null_count else time)[one.row]
        dated = present(time)[one.row]
        kind = as_array(one.rows.column(SAYS)).to_numpy()[one.row]
        late = as_array(one.rows.column(MISPLACED)).to_numpy(zero_copy_only=False)[one.row]
        future = dated & (own >= one.at) & (one.begin < one.end)
        found = [(LATE, late.astype(bool)), (FUTURE, future)]
        if not self.trusted:
            found += [(text, one.fault & bit > 0) for bit, text in PROBLEMS.items()]
        parts = [self._named(one, text, np.flatnonzero(wrong), kind) for text, wrong in found]
        return pa.concat_tables(parts)

    def _named(self, one: Followed, text: str, at: Ints, kind: NDArray[np.int8]) -> pa.Table:
        # A mutation is known from the instant behind it on; a row that a snapshot lacks is found
        # out when that is taken.
        known = one.at[at] - (kind[at] != SNAPSHOT)
        if text == PROBLEMS[MISSING]:
            known = one.end[at]
        rows = one.rows.take(pa.array(one.row[at]))
        rows = rows.append_column(KNOWN, pa.array(known))
        return rows.append_column(PROBLEM, pa.array([text] * len(at), pa.string()))
