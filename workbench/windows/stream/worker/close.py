"""Emit on window close: each row of a stream is emitted once, when its frames are complete."""

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
    concat_rows,
    description_of,
    integers_of,
    place_arrivals,
)
from workbench.windows.stream.worker.order_codes import Codes, order_codes
from workbench.windows.stream.worker.packing import rows_at

#: Integers kept for each partition: its first row that is not emitted yet, and the numbers of rows
#: and of groups of peers that were dropped before the retained rows.
WAITING, BEFORE, PEERS = "__waiting__", "__before__", "__peers__"
LATE, UNTIMED, CLOSED = "late_rows", "rows_without_time", "closed_rows"
#: For functions that count rows: the number of rows or peers before a slice to add to the result.
COUNT_BEFORE = {"row_number": BEFORE, "rank": BEFORE, "dense_rank": PEERS}


class Sorted(NamedTuple):
    """The rows of some partitions in order: retained rows and arrivals merged.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
    codes : Codes
        The codes of the rows, in order.
    source : int64 array of shape (rows,)
        The number of each row in ``rows``.
    rows : pyarrow.Table
        The retained rows followed by the arrivals, in their original order.
    """

    offsets: Ints
    codes: Codes
    source: Ints
    rows: pa.Table

    def at(self, rows: Ints) -> pa.Table:
        """Return rows by their positions in the order."""
        return rows_at(self.rows, self.source[rows])


@dataclass(frozen=True)
class CloseOperator:
    """Keep rows until the watermark has passed them and the ends of their frames.

    Attributes
    ----------
    task : WindowTask
        The calls; the order begins with an ascending column of times. Further columns break ties
        between rows of the same time.
    extents : tuple of FrameExtent
        How far the calls look.
    """

    task: WindowTask
    extents: tuple[FrameExtent, ...]

    counts = (LATE, UNTIMED, CLOSED)

    @property
    def description(self) -> dict[str, object]:
        """The properties that determine the state."""
        return {"emit": "on window close", **description_of(self.task)}

    def process(self, retained: Block | None, arrivals: pa.Table | None, clock: Clock) -> Emitted:
        """Process arrivals, and emit the rows whose frames the watermark has closed.

        Parameters
        ----------
        retained : Block or None
        arrivals : pyarrow.Table or None
        clock : Clock
            Late rows are dropped and counted, as are rows without a time.

        Returns
        -------
        Emitted
        """
        admitted, dropped = self._admitted(arrivals, clock.before)
        place = place_arrivals(retained, admitted, self.task.keys)
        rows = self._sorted(retained, admitted, place)
        waiting = integers_of(retained, WAITING, place.partitions)
        preceding = {
            name: integers_of(retained, name, place.partitions) for name in (BEFORE, PEERS)
        }
        until = rows.codes.up_to(-NEVER if clock.watermark is None else clock.watermark)
        assert until is not None
        closed = closed_windows(rows.offsets, rows.codes.code, waiting, self.extents, until)
        output = self._results(rows, cut_ranges(rows.offsets, closed.emitted), preceding)
        remaining, due = self._remaining(place.keys, rows, closed, preceding)
        return Emitted(remaining, output, {**dropped, CLOSED: len(output)}, due)

    def _admitted(
        self, arrivals: pa.Table | None, before: int | None
    ) -> tuple[pa.Table | None, dict[str, int]]:
        """Return the rows that are in time, and counts of the late and untimed ones."""
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
        rows = concat_rows(
            None if retained is None else retained.rows,
            None if arrivals is None else arrivals.drop_columns([HASH]),
        ).combine_chunks()
        codes = self._codes(rows)
        known = place.offsets[-1]
        code, new_code = codes.code[:known], codes.code[known:][place.order]
        # Peers stay in the order of arrival: retained rows first, then arrivals.
        within = sorted_rows(place.new_offsets, new_code, np.arange(len(new_code)))
        tie = np.arange(len(rows))
        gone = np.zeros(known, np.uint8)
        new = place.new_offsets, new_code[within], tie[known:]
        merged = merge_rows(place.offsets, code, tie[:known], gone, *new)
        number = np.concatenate([tie[:known], known + place.order[within]])[merged.source]
        return Sorted(merged.offsets, codes.at(number), number, rows)

    def _codes(self, rows: pa.Table) -> Codes:
        if len(self.task.order) > 1:
            return order_codes(rows, self.task.order)
        time = np.asarray(measured(as_array(rows.column(self.task.order[0].name))), np.int64)
        return Codes(time, time, np.zeros(len(time), np.bool_))

    def _results(self, rows: Sorted, cut: PartitionSlices, preceding: dict[str, Ints]) -> pa.Table:
        """Return the emitted rows with their results."""
        if not len(cut.rows):
            return pa.table({})
        block = Block(pa.table({}), cut.offsets, rows.at(cut.rows))
        results = self.task.answer(block)
        peers = preceding[PEERS][cut.partition]
        if any(call.function == "dense_rank" for call in self.task.calls):
            peers = peers + peers_before(rows.offsets, rows.codes.code, cut)
        adding = {BEFORE: cut.before + preceding[BEFORE][cut.partition], PEERS: peers}
        for call in self.task.calls:
            if call.function in COUNT_BEFORE:
                more = np.repeat(adding[COUNT_BEFORE[call.function]], np.diff(cut.offsets))
                results = _add_to_column(results, call.column, more)
        return results if cut.affected.all() else results.filter(pa.array(cut.affected))

    def _remaining(
        self, keys: pa.Table, rows: Sorted, closed: Closed, preceding: dict[str, Ints]
    ) -> tuple[Block, Ints]:
        """Return the partitions without rows that are no longer needed, and when each is due."""
        sizes = np.diff(rows.offsets)
        needed = np.flatnonzero(places_in_runs(sizes) >= np.repeat(closed.needed, sizes))
        left = sizes - closed.needed
        numbers = {
            WAITING: closed.waiting - closed.needed,
            BEFORE: preceding[BEFORE] + closed.needed,
            PEERS: preceding[PEERS] + closed.peers,
        }
        due = rows.codes.passed_at(closed.due)
        due = np.where(closed.waiting < sizes, due, self._due_after_last(rows, left))
        for name, values in numbers.items():
            keys = keys.append_column(name, pa.array(values))
        if not any(extent.counted for extent in self.extents):
            # An empty partition equals a new one and is dropped, unless its rows are counted.
            keys, due, left = keys.filter(pa.array(left > 0)), due[left > 0], left[left > 0]
        return Block(keys, offsets_of(left), rows.at(needed)), due

    def _due_after_last(self, rows: Sorted, left: Ints) -> Ints:
        """Return when partitions without waiting rows need their rows no longer."""
        table = extent_table(self.extents)
        back = np.where(along_order(table), table[:, START], MOST * (table[:, START] > 0))
        reach = int(back.max(initial=0))
        due = np.full(len(left), NEVER)
        if reach < MOST:
            nonempty = left > 0
            assert rows.codes.time is not None
            last = rows.codes.time[rows.offsets[1:][nonempty] - 1]
            due[nonempty] = [plus(code, reach) for code in last.tolist()]
        return due


def _add_to_column(table: pa.Table, name: str, more: Ints) -> pa.Table:
    """Return a table with numbers added to one of its columns."""
    at = table.column_names.index(name)
    values = as_array(table.column(name))
    return table.set_column(at, name, pc.add(values, pa.array(more).cast(values.type)))
