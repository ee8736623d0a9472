"""Emit on update: the effect of a batch of changes on results, as a changelog.

The state keeps all rows of a partition that a later change can affect or use, with their emitted
results. Changes are merged into them, the affected ranges are recomputed, and rows whose results
differ are emitted: first the old result is retracted, then the new one follows.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.frames.extent import FrameExtent
from kernels.stream.changelog import INSERT, OPS, UPDATE_AFTER, Pairs, changes_of, pair_rows
from kernels.stream.retention import settled_rows
from kernels.stream.sort_buffer import Merged, merge_rows, with_moved
from workbench.columnar.blocks import Block
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import offsets_of
from workbench.engine.task import WindowTask
from workbench.windows.stream.worker.net_changes import BatchRows, Net
from workbench.windows.stream.worker.operator import (
    HASH,
    Clock,
    Emitted,
    PlacedArrivals,
    concat_rows,
    description_of,
    integers_of,
    place_arrivals,
)
from workbench.windows.stream.worker.order_codes import Codes, order_codes
from workbench.windows.stream.worker.packing import rows_at
from workbench.windows.stream.worker.retention import due_of
from workbench.windows.stream.worker.update_answers import (
    CallEngine,
    DroppedCounts,
    Recomputed,
    same_rows,
)

#: Kept for each row in addition to its columns: its rank among peers, and its emitted results.
TIE, ANSWER = "__tie__", "__answer{}__"
#: Kept for each partition: the numbers of dropped rows and groups of peers.
ROWS_BEFORE, PEERS_BEFORE = "__rows_before__", "__peers_before__"
#: The column of the result with the kind of change.
OP = "op"


class Batch(NamedTuple):
    """The retained rows of some partitions, followed by the arrivals.

    Attributes
    ----------
    rows : pyarrow.Table
        The columns that are kept.
    tie : int64 array of shape (rows,)
        The rank of each row among its peers: the order of arrival.
    partition : int64 array of shape (rows,)
    retained : int
        The number of retained rows.
    emitted : list of pyarrow.Array
        The emitted results of the retained rows.
    """

    rows: pa.Table
    tie: Ints
    partition: Ints
    retained: int
    emitted: list[pa.Array]


class UpdatedRows(NamedTuple):
    """The rows of some partitions after the changes, sorted in each of them.

    Attributes
    ----------
    merged : Merged
    source : int64 array of shape (rows,)
        The row of the batch of each row.
    tie : int64 array of shape (rows,)
    answer : int64 array of shape (rows,)
        The position of each row's results in ``emitted``.
    emitted : list of pyarrow.Array
        The old results, followed by the new ones.
    """

    merged: Merged
    source: Ints
    tie: Ints
    answer: Ints
    emitted: list[pa.Array]


@dataclass(frozen=True)
class UpdateOperator:
    """Emit the changes of results at once.

    Attributes
    ----------
    task : WindowTask
        The calls, and the columns of the output.
    extents : tuple of FrameExtent
        How far the calls look.
    op : str, optional
        The column of the arrivals with the kind of change; without it, all are new rows.
    row_id : tuple of str
        The columns that identify rows.
    timed : bool
        Whether the stream has a watermark on the first column of the order. If so, late rows and
        rows without a time are dropped.
    """

    task: WindowTask
    extents: tuple[FrameExtent, ...]
    op: str | None = None
    row_id: tuple[str, ...] = ()
    timed: bool = False

    #: "rows_held" is the increase of the rows in the state, so its sum is their number.
    counts = (
        *("late_rows", "rows_without_time", "changes"),
        *("rows_recomputed", "rows_read", "rows_held"),
    )

    @property
    def description(self) -> dict[str, object]:
        """The properties that determine the state."""
        changes = {"op": self.op, "row_id": list(self.row_id), "settles": self.timed}
        return {"emit": "on update", **changes, **description_of(self.task)}

    @property
    def engine(self) -> CallEngine:
        """The engine that computes the calls for slices of partitions."""
        return CallEngine(self.task.order, self.task.calls, self.extents)

    @property
    def measured(self) -> bool:
        """Whether a frame has a distance along the order."""
        return any(
            extent.unit in ("range", "session") and bool(extent.low or extent.high)
            for extent in self.extents
        )

    def process(self, retained: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Process changes, and return the changes of results.

        Parameters
        ----------
        retained : Block or None
        arrivals : pyarrow.Table or None
        clock : Clock

        Returns
        -------
        Emitted
            Its output has the column "op", the columns of the rows and the results. Deletions come
            first, and each +U directly follows its -U; a row that moves within its partition is
            one such pair.
        """
        clock = clock if self.timed else Clock(None, None)
        place = place_arrivals(retained, arrivals, self.task.keys)
        batch = self._batch(retained, arrivals, place)
        codes = order_codes(batch.rows, self.task.order, self.measured)
        net = self._net(batch, arrivals, codes, clock.before)
        merged, source, tie = _merged(batch, place, codes.code, net)
        before = DroppedCounts(
            integers_of(retained, ROWS_BEFORE, place.partitions),
            integers_of(retained, PEERS_BEFORE, place.partitions),
        )
        ends, code = merged.offsets, codes.code[source]
        recomputed = self.engine.recompute(batch.rows, source, ends, code, merged.changes, before)
        updated = _updated_rows(batch, merged, source, tie, recomputed)
        output = self._output(batch, updated, recomputed)
        dropped = self._dropped(ends, code, codes.up_to(clock.watermark))
        remaining, at = self._remaining(batch, updated, place.keys, before, dropped)
        numbers = net.late, net.untimed, len(output), len(recomputed.affected), recomputed.read
        counts = dict(zip(self.counts, (*numbers, len(at) - batch.retained), strict=True))
        times = codes.time[source[at]] if self.timed and codes.time is not None else None
        due = due_of(remaining.offsets, times, self.extents, clock.watermark)
        return Emitted(remaining, output, counts, due)

    def _batch(
        self, retained: Block | None, arrivals: pa.Table | None, place: PlacedArrivals
    ) -> Batch:
        old_rows = None if retained is None else retained.rows.select(self._names(retained.rows))
        new_rows = None if arrivals is None else arrivals.select(self._names(arrivals))
        tie = (
            np.zeros(0, np.int64)
            if retained is None
            else as_array(retained.rows.column(TIE)).to_numpy()
        )
        known, added = len(tie), 0 if new_rows is None else len(new_rows)
        ties = np.concatenate([tie, tie.max(initial=-1) + 1 + np.arange(added)])
        answers = range(len(self.task.calls))
        if retained is not None:
            emitted = [retained.column(ANSWER.format(k)) for k in answers]
        else:
            emitted = self.engine.empty_results(new_rows)
        numbers = np.arange(place.partitions)
        partition = np.empty(known + added, np.int64)
        partition[:known] = np.repeat(numbers, np.diff(place.offsets))
        partition[known + place.order] = np.repeat(numbers, np.diff(place.new_offsets))
        rows = concat_rows(old_rows, new_rows).combine_chunks()
        return Batch(rows, ties, partition, known, emitted)

    def _names(self, rows: pa.Table) -> list[str]:
        internal = {HASH, TIE, self.op, *(ANSWER.format(k) for k in range(len(self.task.calls)))}
        return [name for name in rows.column_names if name not in internal]

    def _net(
        self, batch: Batch, arrivals: pa.Table | None, codes: Codes, before: int | None
    ) -> Net:
        if arrivals is None:
            nothing = np.zeros(0, np.int64)
            return Net(np.zeros(batch.retained, np.uint8), nothing, nothing, 0, 0)
        late, untimed = codes.late(before), codes.untimed & self.timed
        rows = BatchRows(batch.rows, self.row_id, batch.partition, late, untimed, batch.retained)
        if self.op is None:
            return rows.net_of_appends()
        return rows.net_of_changelog(arrivals.column(self.op), before is not None)

    def _output(self, batch: Batch, updated: UpdatedRows, recomputed: Recomputed) -> pa.Table:
        """Return the changelog of the rows whose results differ."""
        before, after = pair_rows(updated.merged, recomputed.affected)
        rows, answers = (
            _take_or_minus_one(which, after) for which in (updated.source, updated.answer)
        )
        same = same_rows(before, answers, updated.emitted)
        columns = {name: batch.rows.column(alias) for name, alias in self.task.columns}
        same &= same_rows(
            before, rows, map(as_array, columns.values()), only=rows >= batch.retained
        )
        changed = changes_of(Pairs(before, after), same)
        is_new = (changed.op == INSERT) | (changed.op == UPDATE_AFTER)
        row, answer = changed.row.copy(), changed.row.copy()
        row[is_new], answer[is_new] = updated.source[row[is_new]], updated.answer[row[is_new]]
        output = {OP: pa.array(OPS).take(pa.array(changed.op))}
        output |= {name: as_array(column).take(pa.array(row)) for name, column in columns.items()}
        for call, column in zip(self.task.calls, updated.emitted, strict=True):
            output[call.column] = column.take(pa.array(answer))
        return pa.table(output)

    def _dropped(self, offsets: Ints, code: Ints, up_to: int | None) -> tuple[Ints, Ints]:
        """Return how many rows and peer groups per partition no later change can reach."""
        if up_to is None:
            none = np.zeros(len(offsets) - 1, np.int64)
            return none, none
        dropped = settled_rows(offsets, code, self.extents, up_to)
        return dropped.needed, dropped.peers

    def _remaining(
        self,
        batch: Batch,
        updated: UpdatedRows,
        keys: pa.Table,
        before: DroppedCounts,
        dropped: tuple[Ints, Ints],
    ) -> tuple[Block, Ints]:
        """Return the new state, and the rows of the block that it keeps."""
        offsets, (rows, peers) = updated.merged.offsets, dropped
        sizes = np.diff(offsets)
        at = np.flatnonzero(np.arange(offsets[-1]) >= np.repeat(offsets[:-1] + rows, sizes))
        counts = np.int64(self.engine.counts_rows)
        dropped_counts = {ROWS_BEFORE: counts * (before.rows + rows)}
        dropped_counts[PEERS_BEFORE] = counts * (before.peers + peers)
        stays = (sizes > rows) | (dropped_counts[ROWS_BEFORE] > 0)
        for name, number in dropped_counts.items():
            keys = keys.append_column(name, pa.array(number))
        state_rows = rows_at(batch.rows, updated.source[at]).append_column(
            TIE, pa.array(updated.tie[at])
        )
        for k, column in enumerate(updated.emitted):
            answers = column.take(pa.array(updated.answer[at]))
            state_rows = state_rows.append_column(ANSWER.format(k), answers)
        state_keys = keys.filter(pa.array(stays))
        return Block(state_keys, offsets_of((sizes - rows)[stays]), state_rows), at


def _merged(batch: Batch, place: PlacedArrivals, code: Ints, net: Net) -> tuple[Merged, Ints, Ints]:
    """Return the merged rows after the changes, the batch row of each, and its rank among peers."""
    known, added = batch.retained, batch.retained + net.added
    tie = np.where(net.replaces >= 0, np.append(batch.tie, 0)[net.replaces], batch.tie[added])
    partition = batch.partition[added]
    order = np.lexsort((tie, code[added], partition))
    added, tie, replaces = added[order], tie[order], net.replaces[order]
    new_offsets = offsets_of(np.bincount(partition, minlength=place.partitions))
    retained = place.offsets, code[:known], batch.tie[:known], net.gone
    merged = merge_rows(*retained, new_offsets, code[added], tie)
    source = np.concatenate([np.arange(known), added])[merged.source]
    if (replaces >= 0).any():
        # A row with a new order value is removed and added, which is one change of it.
        merged = with_moved(merged, np.concatenate([np.full(known, -1), replaces])[merged.source])
    return merged, source, np.concatenate([batch.tie[:known], tie])[merged.source]


def _updated_rows(
    batch: Batch, merged: Merged, source: Ints, tie: Ints, recomputed: Recomputed
) -> UpdatedRows:
    answer, emitted = merged.before.copy(), batch.emitted
    answer[recomputed.affected] = batch.retained + np.arange(len(recomputed.affected))
    if recomputed.columns:
        emitted = [
            pa.concat_arrays([old if old.type == new.type else old.cast(new.type), new])
            for old, new in zip(emitted, recomputed.columns, strict=True)
        ]
    return UpdatedRows(merged, source, tie, answer, emitted)


def _take_or_minus_one(which: Ints, rows: Ints) -> Ints:
    """Return values at the given rows, and -1 for row -1."""
    return np.asarray(np.append(which, -1)[rows])
