"""Computes the validity intervals of rows of snapshots and mutations, in Spark's workers."""

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
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import unbundled
from workbench.columnar.columns import present
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.engine.task import ROWS_AT_ONCE

#: The columns that are added to rows: the time from which a row is known, its kind, a hash of its
#: content, and whether it is in a partition of another date.
KNOWN_FROM, KIND, CONTENT, MISPLACED = "__at__", "__says__", "__holds__", "__misplaced__"
PROBLEM, KNOWN = "problem", "known"

#: The problems of a row, by the bits of the kernel.
PROBLEMS = {
    ABSENT: "removed, but it was not there",
    OTHER: "removed, but it had other values",
    THERE: "added where there was already a row",
    AGAIN: "repeated",
    MISSING: "not in the next snapshot, and not removed",
    UNSEEN: "in the snapshot, but not added",
    CHANGED: "different in the snapshot",
}
FUTURE = "dated later than when it was added"
LATE = "in the partition of a date other than its mutation's"


@dataclass(frozen=True)
class EntityHistory:
    """The rows of entities in their order, with their validity intervals and faults.

    Attributes
    ----------
    rows : pyarrow.Table
        The rows in their original order.
    row : uint32 array of shape (rows,)
        The row at each place.
    at, begin, end, fault : int64 arrays of shape (rows,)
        By place: when the row is known from, its validity interval [begin, end), and its faults.
    """

    rows: pa.Table
    row: NDArray[np.uint32]
    at: Ints
    begin: Ints
    end: Ints
    fault: Ints

    def intervals(self) -> pa.Table:
        """Return the rows that were valid at any time, and have a time of their own."""
        valid = (self.begin < self.end) & present(as_array(self.rows.column(TIME)))[self.row]
        found = self.rows.drop_columns([KNOWN_FROM, KIND, CONTENT]).take(pa.array(self.row[valid]))
        for name, column in ((VALID_FROM, self.begin), (VALID_TO, self.end)):
            found = found.append_column(name, pa.array(column[valid]))
        return found


def entity_history(rows: pa.Table, entity: Iterable[str], days: Ints) -> EntityHistory:
    """Return the validity intervals and faults of every entity's rows.

    Parameters
    ----------
    rows : pyarrow.Table
        All rows of the entities, with :data:`KNOWN_FROM`, :data:`KIND` and :data:`CONTENT`.
    entity : iterable of str
        The columns that identify an entity.
    days : int64 array
        When the snapshots were taken, sorted.

    Returns
    -------
    EntityHistory
    """
    code, count = _entities(rows, tuple(entity))
    at, kind, content = (
        as_array(rows.column(name)).to_numpy() for name in (KNOWN_FROM, KIND, CONTENT)
    )
    placed = sort_by_time(code, at.astype(np.int64, copy=False), count)
    row = _order_ties(placed.row, placed.offsets, placed.time, kind, content)
    begin, end, fault = np.empty((3, len(row)), np.int64)
    columns = placed.time, kind[row].astype(np.int64), content[row]
    follow_validity.over(placed.offsets, *columns, days, begin, end, fault)
    return EntityHistory(rows, row, placed.time, begin, end, fault)


def _entities(rows: pa.Table, entity: tuple[str, ...]) -> tuple[NDArray[np.uint32], int]:
    """Return the number of each row's entity, and the number of entities."""
    code, count = key_codes(rows.select([entity[-1]]))
    others, _ = key_codes(rows.select(list(entity[:-1])))
    others_of_code = np.empty(count, np.uint32)
    others_of_code[code] = others
    # Usually an id has one key, and so identifies an entity alone.
    if (others_of_code[code] == others).all():
        return code, count
    return key_codes(pa.table({"entity": others.astype(np.int64) * count + code}))


def _order_ties(
    row: NDArray[np.uint32], offsets: Ints, at: Ints, kind: NDArray[np.int8], content: Ints
) -> NDArray[np.uint32]:
    """Order rows of one instant: mutations by content, deletes before inserts, then snapshots."""
    again = np.concatenate([[False], at[1:] == at[:-1]])[: len(at)]
    again[offsets[:-1][np.diff(offsets) > 0]] = False
    if not again.any():
        return row
    tied = np.flatnonzero(again | np.concatenate([again[1:], [False]]))
    run, which = np.cumsum(~again)[tied], row[tied]
    order = np.lexsort((kind[which], content[which], kind[which] == SNAPSHOT, run))
    row = row.copy()
    row[tied] = which[order]
    return row


@dataclass(frozen=True)
class ValidityTask(BackfillTask):
    """Answers every query of whole keys, from snapshots and mutations of the keys' rows.

    Attributes
    ----------
    entity : tuple of str
        The columns that identify an entity, in the batches.
    days : tuple of int
        When the snapshots were taken, sorted.
    """

    entity: tuple[str, ...] = ()
    days: tuple[int, ...] = ()

    def sides(self, queries: pa.Table, events: pa.Table | None) -> Sides:
        """Number the keys of both sides, with the rows' validity intervals."""
        rows = self.schema.empty_table() if events is None else events
        days = np.array(self.days, np.int64)
        return super().sides(queries, entity_history(rows, self.entity, days).intervals())


@dataclass(frozen=True)
class FollowTask:
    """Returns every row with its validity interval, or the problems of rows.

    Attributes
    ----------
    columns : tuple of str
        The columns to return.
    entity : tuple of str
        The columns that identify an entity.
    days : tuple of int
        When the snapshots were taken, sorted.
    faults : bool
        Whether to return problems instead of validity intervals.
    trusted : bool
        Whether there are snapshots alone, so that nothing can contradict them.
    """

    columns: tuple[str, ...]
    entity: tuple[str, ...]
    days: tuple[int, ...]
    faults: bool = False
    trusted: bool = False

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the result for a Spark partition, which has all rows of its entities."""
        freeze_gc()
        rows = table_of(list(unbundled(batches)))
        if rows is None:
            return
        one = entity_history(rows, self.entity, np.array(self.days, np.int64))
        result = self.problems(one) if self.faults else one.intervals()
        yield from result.select(list(self.columns)).to_batches(max_chunksize=ROWS_AT_ONCE)

    def problems(self, one: EntityHistory) -> pa.Table:
        """Return a row for each problem of a row."""
        time = as_array(one.rows.column(TIME))
        own = instants(time.fill_null(0) if time.null_count else time)[one.row]
        dated = present(time)[one.row]
        kind = as_array(one.rows.column(KIND)).to_numpy()[one.row]
        late = as_array(one.rows.column(MISPLACED)).to_numpy(zero_copy_only=False)[one.row]
        future = dated & (own >= one.at) & (one.begin < one.end)
        found = [(LATE, late.astype(bool)), (FUTURE, future)]
        if not self.trusted:
            found += [(text, one.fault & bit > 0) for bit, text in PROBLEMS.items()]
        parts = [
            self._problem_rows(one, text, np.flatnonzero(wrong), kind) for text, wrong in found
        ]
        return pa.concat_tables(parts)

    def _problem_rows(
        self, one: EntityHistory, text: str, at: Ints, kind: NDArray[np.int8]
    ) -> pa.Table:
        # A mutation is known from the instant after it; a row that a snapshot lacks is known to be
        # missing when the snapshot is taken.
        known = one.at[at] - (kind[at] != SNAPSHOT)
        if text == PROBLEMS[MISSING]:
            known = one.end[at]
        rows = one.rows.take(pa.array(one.row[at]))
        rows = rows.append_column(KNOWN, pa.array(known))
        return rows.append_column(PROBLEM, pa.array([text] * len(at), pa.string()))
