"""Emit on window close: a row of a stream goes on once, when it and its frames are complete."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.core.arrays import Ints
from kernels.frames.extent import START, FrameExtent, along_order, extent_table, plus
from kernels.frames.ordering import MOST
from kernels.stream.affected import PartitionSlices, cut_ranges, peers_before
from kernels.stream.sort_buffer import merge_rows, sorted_rows
from kernels.stream.window_close import Closed, closed_windows
from workbench.columnar.blocks import Block
from workbench.columnar.columns import present
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import offsets_of, places_in_runs
from workbench.engine.order import measured
from workbench.engine.task import WindowTask
from workbench.windows.stream.worker.operator import (
    HASH,
    NEVER,
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

#: What is kept of each partition: its first row that has not left, and how many rows and groups of
#: peers stood before those that are kept.
WAITING, BEFORE, PEERS = "__waiting__", "__before__", "__peers__"
LATE, UNTIMED, CLOSED = "late_rows", "rows_without_time", "closed_rows"
#: Which number of what stood before a slice is to be added to a function's answers.
ADDED = {"row_number": BEFORE, "rank": BEFORE, "dense_rank": PEERS}


class Sorted(NamedTuple):
    """The rows of some partitions in their order: those that are held, and those that have come.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
    codes : Codes
        Of the rows in their order.
    source : int64 array of shape (rows,)
        The number of each row in ``rows``.
    rows : pyarrow.Table
        The rows that are held and behind them the arrivals, each as they were.
    """

    offsets: Ints
    codes: Codes
    source: Ints
    rows: pa.Table

    def at(self, rows: Ints) -> pa.Table:
        """Return rows by their place in the order."""
        return rows_at(self.rows, self.source[rows])


@dataclass(frozen=True)
class CloseOperator:
    """Hold rows until the watermark has passed them and the ends of their frames.

    Attributes
    ----------
    task : WindowTask
        The calls; the order begins with a column of times, ascending. Those behind it decide among
        rows of one time.
    extents : tuple of FrameExtent
        How far the calls look.
    """

    task: WindowTask
    extents: tuple[FrameExtent, ...]

    counts = (LATE, UNTIMED, CLOSED)

    @property
    def description(self) -> dict[str, object]:
        """What the state depends on."""
        return {"emit": "on window close", **description_of(self.task)}

    def take(self, retained: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Take in rows, and let those go whose frames the watermark has closed.

        Parameters
        ----------
        retained : Block or None
        arrivals : pyarrow.Table or None
        clock : Clock
            Rows that are late are dropped and counted, as are rows without a time.

        Returns
        -------
        Emitted
        """
        admitted, dropped = self._admitted(arrivals, clock.before)
        place = placed(retained, admitted, self.task.keys)
        rows = self._sorted(retained, admitted, place)
        waiting = integers_of(retained, WAITING, place.partitions)
        stood = {name: integers_of(retained, name, place.partitions) for name in (BEFORE, PEERS)}
        until = rows.codes.up_to(-NEVER if clock.watermark is None else clock.watermark)
        assert until is not None
        closed = closed_windows(rows.offsets, rows.codes.code, waiting, self.extents, until)
        output = self._answers(rows, cut_ranges(rows.offsets, closed.emitted), stood)
        remaining, due = self._remaining(place.keys, rows, closed, stood)
        return Emitted(remaining, output, {**dropped, CLOSED: len(output)}, due)

    def _admitted(
        self, arrivals: pa.Table | None, before: int | None
    ) -> tuple[pa.Table | None, dict[str, int]]:
        """The rows that are neither late nor without a time, and how many are."""
        if arrivals is None:
            return None, {LATE: 0, UNTIMED: 0}
        time = as_array(arrivals.column(self.task.order[0].name))
        known = present(time)
        in_time = measured(time) > before if before is not None else np.ones(len(time), bool)
        untimed, late = int((~known).sum()), int((known & ~in_time).sum())
        if untimed or late:
            arrivals = arrivals.filter(pa.array(known & in_time))
        return arrivals, {LATE: late, UNTIMED: untimed}

    def _sorted(
        self, retained: Block | None, arrivals: pa.Table | None, place: PlacedArrivals
    ) -> Sorted:
        rows = one_behind_the_other(
            None if retained is None else retained.rows,
            None if arrivals is None else arrivals.drop_columns([HASH]),
        ).combine_chunks()
        codes = self._codes(rows)
        held = place.offsets[-1]
        code, come = codes.code[:held], codes.code[held:][place.order]
        # Rows that are equal in the order stay as they have come: those that are held, then others.
        within = sorted_rows(place.new_offsets, come, np.arange(len(come)))
        tie = np.arange(len(rows))
        stay = np.zeros(held, np.uint8)
        new = place.new_offsets, come[within], tie[held:]
        merged = merge_rows(place.offsets, code, tie[:held], stay, *new)
        number = np.concatenate([tie[:held], held + place.order[within]])[merged.source]
        return Sorted(merged.offsets, codes.at(number), number, rows)

    def _codes(self, rows: pa.Table) -> Codes:
        if len(self.task.order) > 1:
            return order_codes(rows, self.task.order)
        time = np.asarray(measured(as_array(rows.column(self.task.order[0].name))), np.int64)
        return Codes(time, time, np.zeros(len(time), np.bool_))

    def _answers(self, rows: Sorted, cut: PartitionSlices, stood: dict[str, Ints]) -> pa.Table:
        """The rows that leave, with their answers."""
        if not len(cut.rows):
            return pa.table({})
        block = Block(pa.table({}), cut.offsets, rows.at(cut.rows))
        found = self.task.answer(block)
        peers = stood[PEERS][cut.partition]
        if any(call.function == "dense_rank" for call in self.task.calls):
            peers = peers + peers_before(rows.offsets, rows.codes.code, cut)
        adding = {BEFORE: cut.before + stood[BEFORE][cut.partition], PEERS: peers}
        for call in self.task.calls:
            if call.function in ADDED:
                more = np.repeat(adding[ADDED[call.function]], np.diff(cut.offsets))
                found = _added(found, call.column, more)
        return found if cut.affected.all() else found.filter(pa.array(cut.affected))

    def _remaining(
        self, keys: pa.Table, rows: Sorted, closed: Closed, stood: dict[str, Ints]
    ) -> tuple[Block, Ints]:
        """The partitions without what no later row needs, and when each is to be looked at."""
        sizes = np.diff(rows.offsets)
        needed = np.flatnonzero(places_in_runs(sizes) >= np.repeat(closed.needed, sizes))
        left = sizes - closed.needed
        numbers = {
            WAITING: closed.waiting - closed.needed,
            BEFORE: stood[BEFORE] + closed.needed,
            PEERS: stood[PEERS] + closed.peers,
        }
        due = rows.codes.passed_at(closed.due)
        due = np.where(closed.waiting < sizes, due, self._outlived(rows, left))
        for name, values in numbers.items():
            keys = keys.append_column(name, pa.array(values))
        if not any(extent.counted for extent in self.extents):
            # A partition without a row is as one that has never been; unless rows are counted.
            keys, due, left = keys.filter(pa.array(left > 0)), due[left > 0], left[left > 0]
        return Block(keys, offsets_of(left), rows.at(needed)), due

    def _outlived(self, rows: Sorted, left: Ints) -> Ints:
        """When the rows of partitions all of whose rows have left are needed no more."""
        table = extent_table(self.extents)
        back = np.where(along_order(table), table[:, START], MOST * (table[:, START] > 0))
        reach = int(back.max(initial=0))
        due = np.full(len(left), NEVER)
        if reach < MOST:
            some = left > 0
            assert rows.codes.time is not None
            last = rows.codes.time[rows.offsets[1:][some] - 1]
            due[some] = [plus(code, reach) for code in last.tolist()]
        return due


def _added(found: pa.Table, name: str, more: Ints) -> pa.Table:
    """A table with numbers added to one of its columns."""
    at = found.column_names.index(name)
    values = as_array(found.column(name))
    return found.set_column(at, name, pc.add(values, pa.array(more).cast(values.type)))
