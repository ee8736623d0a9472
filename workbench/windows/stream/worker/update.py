"""Emit on update: what a batch of changes does to answers, and the changelog that says so.

Of a partition all rows are kept that a change to come can affect or use, with the answers that
were said of them. Changes are merged into them, the ranges that they affect are answered again, and
those rows go on of which something else is to be said: what was said is taken back first.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kernels.frames.extent import FrameExtent
from kernels.stream.changelog import INSERT, OPS, UPDATE_AFTER, Pairs, changes_of, pair_rows
from kernels.stream.retention import settled_rows
from kernels.stream.sort_buffer import Merged, merge_rows
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
from workbench.windows.stream.worker.update_answers import Answered, Before, Engine, Ints, same_rows

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
    kept : int
        How many are kept.
    said : list of pyarrow.Array
        The answers of those that are kept.
    """

    rows: pa.Table
    tie: Ints
    partition: Ints
    kept: int
    said: list[pa.Array]


class Now(NamedTuple):
    """The rows of some partitions after the changes, sorted in each of them.

    Attributes
    ----------
    merged : Merged
    source : int64 array of shape (rows,)
        Which row of the batch each is.
    tie : int64 array of shape (rows,)
    answer : int64 array of shape (rows,)
        Where its answers stand in ``said``.
    said : list of pyarrow.Array
        Answers as they were, and behind them the new ones.
    """

    merged: Merged
    source: Ints
    tie: Ints
    answer: Ints
    said: list[pa.Array]


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
    settles : bool
        Whether the stream has a watermark that goes along the first column of the order. Rows that
        it has passed are left out then, as are rows without a time.
    """

    task: WindowTask
    extents: tuple[FrameExtent, ...]
    op: str | None = None
    row_id: tuple[str, ...] = ()
    settles: bool = False

    #: Rows held are how many more there are than before: added up, how many there are.
    counts = (
        *("late_rows", "rows_without_time", "changes"),
        *("rows_recomputed", "rows_read", "rows_held"),
    )

    @property
    def description(self) -> dict[str, object]:
        """What the state depends on."""
        changes = {"op": self.op, "row_id": list(self.row_id), "settles": self.settles}
        return {"emit": "on update", **changes, **description_of(self.task)}

    @property
    def engine(self) -> Engine:
        """The calls, for slices of partitions."""
        return Engine(self.task.order, self.task.calls, self.extents)

    @property
    def measured(self) -> bool:
        """Whether a call looks a distance along the order."""
        return any(
            extent.unit == "range" and bool(extent.low or extent.high) for extent in self.extents
        )

    def take(self, held: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Take in changes, and return what they change.

        Parameters
        ----------
        held : Block or None
        arrivals : pyarrow.Table or None
        clock : Clock

        Returns
        -------
        Emitted
            Its output has the column "op", those of the rows and the answers. Within a partition
            rows that go come first, and +U stands right behind its -U.
        """
        clock = clock if self.settles else Clock(None, None)
        place = placed(held, arrivals, self.task.keys)
        batch = self._batch(held, arrivals, place)
        codes = order_codes(batch.rows, self.task.order, self.measured)
        net = self._net(batch, arrivals, codes, clock.before)
        merged, source, tie = _merged(batch, place, codes.code, net)
        before = Before(
            integers_of(held, ROWS_BEFORE, place.partitions),
            integers_of(held, PEERS_BEFORE, place.partitions),
        )
        ends, code = merged.offsets, codes.code[source]
        answered = self.engine.affected(batch.rows, source, ends, code, merged.changes, before)
        now = _now(batch, merged, source, tie, answered)
        output = self._output(batch, now, answered)
        dropped = self._dropped(ends, code, codes.up_to(clock.watermark))
        kept, at = self._kept(batch, now, place.keys, before, dropped)
        counted = net.late, net.untimed, len(output), len(answered.asked), answered.read
        counts = dict(zip(self.counts, (*counted, len(at) - batch.kept), strict=True))
        times = codes.time[source[at]] if self.settles and codes.time is not None else None
        due = due_of(kept.offsets, times, self.extents, clock.watermark)
        return Emitted(kept, output, counts, due)

    def _batch(self, held: Block | None, arrivals: pa.Table | None, place: PlacedArrivals) -> Batch:
        there = None if held is None else held.rows.select(self._names(held.rows))
        come = None if arrivals is None else arrivals.select(self._names(arrivals))
        tie = np.zeros(0, np.int64) if held is None else as_array(held.rows.column(TIE)).to_numpy()
        kept, added = len(tie), 0 if come is None else len(come)
        ties = np.concatenate([tie, tie.max(initial=-1) + 1 + np.arange(added)])
        answers = range(len(self.task.calls))
        if held is not None:
            said = [held.column(ANSWER.format(k)) for k in answers]
        else:
            said = self.engine.nothing(come)
        numbers = np.arange(place.partitions)
        partition = np.empty(kept + added, np.int64)
        partition[:kept] = np.repeat(numbers, np.diff(place.offsets))
        partition[kept + place.order] = np.repeat(numbers, np.diff(place.new_offsets))
        rows = one_behind_the_other(there, come).combine_chunks()
        return Batch(rows, ties, partition, kept, said)

    def _names(self, rows: pa.Table) -> list[str]:
        own = {HASH, TIE, self.op, *(ANSWER.format(k) for k in range(len(self.task.calls)))}
        return [name for name in rows.column_names if name not in own]

    def _net(
        self, batch: Batch, arrivals: pa.Table | None, codes: Codes, before: int | None
    ) -> Net:
        if arrivals is None:
            nothing = np.zeros(0, np.int64)
            return Net(np.zeros(batch.kept, np.uint8), nothing, nothing, 0, 0)
        late, untimed = codes.late(before), codes.untimed & self.settles
        came = Came(batch.rows, self.row_id, batch.partition, late, untimed, batch.kept)
        if self.op is None:
            return came.appended()
        return came.changed(arrivals.column(self.op), before is not None)

    def _output(self, batch: Batch, now: Now, answered: Answered) -> pa.Table:
        """The changes of rows of which something else is to be said."""
        before, after = pair_rows(now.merged, answered.asked)
        rows, answers = (_picked(which, after) for which in (now.source, now.answer))
        same = same_rows(before, answers, now.said)
        columns = {name: batch.rows.column(held) for name, held in self.task.columns}
        same &= same_rows(before, rows, map(as_array, columns.values()), only=rows >= batch.kept)
        changed = changes_of(Pairs(before, after), same)
        comes = (changed.op == INSERT) | (changed.op == UPDATE_AFTER)
        row, answer = changed.row.copy(), changed.row.copy()
        row[comes], answer[comes] = now.source[row[comes]], now.answer[row[comes]]
        said = {OP: pa.array(OPS).take(pa.array(changed.op))}
        said |= {name: as_array(column).take(pa.array(row)) for name, column in columns.items()}
        for call, column in zip(self.task.calls, now.said, strict=True):
            said[call.column] = column.take(pa.array(answer))
        return pa.table(said)

    def _dropped(self, offsets: Ints, code: Ints, up_to: int | None) -> tuple[Ints, Ints]:
        """How many rows and groups of peers of each partition no change to come can reach."""
        if up_to is None:
            none = np.zeros(len(offsets) - 1, np.int64)
            return none, none
        settled = settled_rows(offsets, code, self.extents, up_to)
        return settled.needed, settled.peers

    def _kept(
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
        held = rows_at(batch.rows, now.source[at]).append_column(TIE, pa.array(now.tie[at]))
        for k, column in enumerate(now.said):
            answers = column.take(pa.array(now.answer[at]))
            held = held.append_column(ANSWER.format(k), answers)
        kept = keys.filter(pa.array(stays))
        return Block(kept, offsets_of((sizes - rows)[stays]), held), at


def _merged(batch: Batch, place: PlacedArrivals, code: Ints, net: Net) -> tuple[Merged, Ints, Ints]:
    """The rows after the changes: how they are merged, which of the batch each is, and its tie."""
    kept, come = batch.kept, batch.kept + net.come
    tie = np.where(net.heir >= 0, np.append(batch.tie, 0)[net.heir], batch.tie[come])
    partition = batch.partition[come]
    order = np.lexsort((tie, code[come], partition))
    come, tie = come[order], tie[order]
    new_offsets = offsets_of(np.bincount(partition, minlength=place.partitions))
    there = place.offsets, code[:kept], batch.tie[:kept], net.gone
    merged = merge_rows(*there, new_offsets, code[come], tie)
    source = np.concatenate([np.arange(kept), come])[merged.source]
    return merged, source, np.concatenate([batch.tie[:kept], tie])[merged.source]


def _now(batch: Batch, merged: Merged, source: Ints, tie: Ints, answered: Answered) -> Now:
    answer, said = merged.before.copy(), batch.said
    answer[answered.asked] = batch.kept + np.arange(len(answered.asked))
    if answered.columns:
        said = [pa.concat_arrays(pair) for pair in zip(said, answered.columns, strict=True)]
    return Now(merged, source, tie, answer, said)


def _picked(which: Ints, rows: Ints) -> Ints:
    """Some cells of a column, and -1 for those of row -1."""
    return np.asarray(np.append(which, -1)[rows])
