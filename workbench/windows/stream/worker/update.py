"""Emit on update: what a batch of changes does to answers, and the changelog that says so.

Of a partition all rows are kept that a change to come can affect or use, with the answers that
were said of them. Changes are merged into them, the ranges that they affect are answered again, and
those rows go on of which something else is to be said: what was said is taken back first.
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
from workbench.windows.stream.worker.net_changes import Came, Net
from workbench.windows.stream.worker.operator import (
    HASH,
    Clock,
    Emitted,
    PlacedArrivals,
    description_of,
    integers_of,
    one_behind_the_other,
    placed,
)
from workbench.windows.stream.worker.order_codes import Codes, order_codes
from workbench.windows.stream.worker.packing import rows_at
from workbench.windows.stream.worker.retention import due_of
from workbench.windows.stream.worker.update_answers import Answered, Before, Engine, same_rows

#: What is kept of each row beside its columns: its place among peers, and what was said of it.
TIE, ANSWER = "__tie__", "__answer{}__"
#: What is kept of each partition: how many rows and groups of peers were dropped.
ROWS_BEFORE, PEERS_BEFORE = "__rows_before__", "__peers_before__"
#: The result's column that says what becomes of a row.
OP = "op"


class Batch(NamedTuple):
    """The rows of some partitions as they are kept, and behind them those that arrive.

    Attributes
    ----------
    rows : pyarrow.Table
        The columns that are kept of each.
    tie : int64 array of shape (rows,)
        The place of each row among its peers: in the order of arrival.
    partition : int64 array of shape (rows,)
    retained : int
        How many are kept.
    emitted : list of pyarrow.Array
        The answers of those that are kept.
    """

    rows: pa.Table
    tie: Ints
    partition: Ints
    retained: int
    emitted: list[pa.Array]


class Now(NamedTuple):
    """The rows of some partitions after the changes, sorted in each of them.

    Attributes
    ----------
    merged : Merged
    source : int64 array of shape (rows,)
        Which row of the batch each is.
    tie : int64 array of shape (rows,)
    answer : int64 array of shape (rows,)
        Where its answers stand in ``emitted``.
    emitted : list of pyarrow.Array
        Answers as they were, and behind them the new ones.
    """

    merged: Merged
    source: Ints
    tie: Ints
    answer: Ints
    emitted: list[pa.Array]


@dataclass(frozen=True)
class UpdateOperator:
    """Say at once what changes of rows change in answers.

    Attributes
    ----------
    task : WindowTask
        The calls, and the columns to give back.
    extents : tuple of FrameExtent
        How far the calls look.
    op : str, optional
        The column of arrivals that says what becomes of each; without it all are new.
    row_id : tuple of str
        The columns that tell rows apart.
    timed : bool
        Whether the stream has a watermark that goes along the first column of the order. Rows that
        it has passed are left out then, as are rows without a time.
    """

    task: WindowTask
    extents: tuple[FrameExtent, ...]
    op: str | None = None
    row_id: tuple[str, ...] = ()
    timed: bool = False

    #: Rows held are how many more there are than before: added up, how many there are.
    counts = (
        *("late_rows", "rows_without_time", "changes"),
        *("rows_recomputed", "rows_read", "rows_held"),
    )

    @property
    def description(self) -> dict[str, object]:
        """What the state depends on."""
        changes = {"op": self.op, "row_id": list(self.row_id), "settles": self.timed}
        return {"emit": "on update", **changes, **description_of(self.task)}

    @property
    def engine(self) -> Engine:
        """The calls, for slices of partitions."""
        return Engine(self.task.order, self.task.calls, self.extents)

    @property
    def measured(self) -> bool:
        """Whether a call looks a distance along the order."""
        return any(
            extent.unit in ("range", "session") and bool(extent.low or extent.high)
            for extent in self.extents
        )

    def take(self, retained: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Take in changes, and return what they change.

        Parameters
        ----------
        retained : Block or None
        arrivals : pyarrow.Table or None
        clock : Clock

        Returns
        -------
        Emitted
            Its output has the column "op", those of the rows and the answers. Rows that go come
            first, and +U stands right behind its -U; a row that moves within its partition is one
            such pair.
        """
        clock = clock if self.timed else Clock(None, None)
        place = placed(retained, arrivals, self.task.keys)
        batch = self._batch(retained, arrivals, place)
        codes = order_codes(batch.rows, self.task.order, self.measured)
        net = self._net(batch, arrivals, codes, clock.before)
        merged, source, tie = _merged(batch, place, codes.code, net)
        before = Before(
            integers_of(retained, ROWS_BEFORE, place.partitions),
            integers_of(retained, PEERS_BEFORE, place.partitions),
        )
        ends, code = merged.offsets, codes.code[source]
        answered = self.engine.affected(batch.rows, source, ends, code, merged.changes, before)
        now = _now(batch, merged, source, tie, answered)
        output = self._output(batch, now, answered)
        dropped = self._dropped(ends, code, codes.up_to(clock.watermark))
        remaining, at = self._remaining(batch, now, place.keys, before, dropped)
        counted = net.late, net.untimed, len(output), len(answered.affected), answered.read
        counts = dict(zip(self.counts, (*counted, len(at) - batch.retained), strict=True))
        times = codes.time[source[at]] if self.timed and codes.time is not None else None
        due = due_of(remaining.offsets, times, self.extents, clock.watermark)
        return Emitted(remaining, output, counts, due)

    def _batch(
        self, retained: Block | None, arrivals: pa.Table | None, place: PlacedArrivals
    ) -> Batch:
        there = None if retained is None else retained.rows.select(self._names(retained.rows))
        come = None if arrivals is None else arrivals.select(self._names(arrivals))
        tie = (
            np.zeros(0, np.int64)
            if retained is None
            else as_array(retained.rows.column(TIE)).to_numpy()
        )
        known, added = len(tie), 0 if come is None else len(come)
        ties = np.concatenate([tie, tie.max(initial=-1) + 1 + np.arange(added)])
        answers = range(len(self.task.calls))
        if retained is not None:
            emitted = [retained.column(ANSWER.format(k)) for k in answers]
        else:
            emitted = self.engine.nothing(come)
        numbers = np.arange(place.partitions)
        partition = np.empty(known + added, np.int64)
        partition[:known] = np.repeat(numbers, np.diff(place.offsets))
        partition[known + place.order] = np.repeat(numbers, np.diff(place.new_offsets))
        rows = one_behind_the_other(there, come).combine_chunks()
        return Batch(rows, ties, partition, known, emitted)

    def _names(self, rows: pa.Table) -> list[str]:
        own = {HASH, TIE, self.op, *(ANSWER.format(k) for k in range(len(self.task.calls)))}
        return [name for name in rows.column_names if name not in own]

    def _net(
        self, batch: Batch, arrivals: pa.Table | None, codes: Codes, before: int | None
    ) -> Net:
        if arrivals is None:
            nothing = np.zeros(0, np.int64)
            return Net(np.zeros(batch.retained, np.uint8), nothing, nothing, 0, 0)
        late, untimed = codes.late(before), codes.untimed & self.timed
        came = Came(batch.rows, self.row_id, batch.partition, late, untimed, batch.retained)
        if self.op is None:
            return came.appended()
        return came.changed(arrivals.column(self.op), before is not None)

    def _output(self, batch: Batch, now: Now, answered: Answered) -> pa.Table:
        """The changes of rows of which something else is to be said."""
        before, after = pair_rows(now.merged, answered.affected)
        rows, answers = (_picked(which, after) for which in (now.source, now.answer))
        same = same_rows(before, answers, now.emitted)
        columns = {name: batch.rows.column(alias) for name, alias in self.task.columns}
        same &= same_rows(
            before, rows, map(as_array, columns.values()), only=rows >= batch.retained
        )
        changed = changes_of(Pairs(before, after), same)
        comes = (changed.op == INSERT) | (changed.op == UPDATE_AFTER)
        row, answer = changed.row.copy(), changed.row.copy()
        row[comes], answer[comes] = now.source[row[comes]], now.answer[row[comes]]
        output = {OP: pa.array(OPS).take(pa.array(changed.op))}
        output |= {name: as_array(column).take(pa.array(row)) for name, column in columns.items()}
        for call, column in zip(self.task.calls, now.emitted, strict=True):
            output[call.column] = column.take(pa.array(answer))
        return pa.table(output)

    def _dropped(self, offsets: Ints, code: Ints, up_to: int | None) -> tuple[Ints, Ints]:
        """How many rows and groups of peers of each partition no change to come can reach."""
        if up_to is None:
            none = np.zeros(len(offsets) - 1, np.int64)
            return none, none
        dropped = settled_rows(offsets, code, self.extents, up_to)
        return dropped.needed, dropped.peers

    def _remaining(
        self, batch: Batch, now: Now, keys: pa.Table, before: Before, dropped: tuple[Ints, Ints]
    ) -> tuple[Block, Ints]:
        """The state, and which rows of the block it has."""
        offsets, (rows, peers) = now.merged.offsets, dropped
        sizes = np.diff(offsets)
        at = np.flatnonzero(np.arange(offsets[-1]) >= np.repeat(offsets[:-1] + rows, sizes))
        counts = np.int64(self.engine.counts_rows)
        gone = {ROWS_BEFORE: counts * (before.rows + rows)}
        gone[PEERS_BEFORE] = counts * (before.peers + peers)
        stays = (sizes > rows) | (gone[ROWS_BEFORE] > 0)
        for name, number in gone.items():
            keys = keys.append_column(name, pa.array(number))
        state_rows = rows_at(batch.rows, now.source[at]).append_column(TIE, pa.array(now.tie[at]))
        for k, column in enumerate(now.emitted):
            answers = column.take(pa.array(now.answer[at]))
            state_rows = state_rows.append_column(ANSWER.format(k), answers)
        state_keys = keys.filter(pa.array(stays))
        return Block(state_keys, offsets_of((sizes - rows)[stays]), state_rows), at


def _merged(batch: Batch, place: PlacedArrivals, code: Ints, net: Net) -> tuple[Merged, Ints, Ints]:
    """The rows after the changes: how they are merged, which of the batch each is, and its tie."""
    known, come = batch.retained, batch.retained + net.come
    tie = np.where(net.heir >= 0, np.append(batch.tie, 0)[net.heir], batch.tie[come])
    partition = batch.partition[come]
    order = np.lexsort((tie, code[come], partition))
    come, tie, heir = come[order], tie[order], net.heir[order]
    new_offsets = offsets_of(np.bincount(partition, minlength=place.partitions))
    there = place.offsets, code[:known], batch.tie[:known], net.gone
    merged = merge_rows(*there, new_offsets, code[come], tie)
    source = np.concatenate([np.arange(known), come])[merged.source]
    if (heir >= 0).any():
        # A row with another order key goes and comes, which is one change of it.
        merged = with_moved(merged, np.concatenate([np.full(known, -1), heir])[merged.source])
    return merged, source, np.concatenate([batch.tie[:known], tie])[merged.source]


def _now(batch: Batch, merged: Merged, source: Ints, tie: Ints, answered: Answered) -> Now:
    answer, emitted = merged.before.copy(), batch.emitted
    answer[answered.affected] = batch.retained + np.arange(len(answered.affected))
    if answered.columns:
        emitted = [pa.concat_arrays(pair) for pair in zip(emitted, answered.columns, strict=True)]
    return Now(merged, source, tie, answer, emitted)


def _picked(which: Ints, rows: Ints) -> Ints:
    """Some cells of a column, and -1 for those of row -1."""
    return np.asarray(np.append(which, -1)[rows])
