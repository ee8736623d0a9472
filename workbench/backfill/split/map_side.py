"""The way of rows to the tasks that need them, where the time of large keys is cut into spans."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.split.partials import PartialAggregates, States, partial_aggregates
from workbench.backfill.worker.partials import SLOT, FeatureGroup
from workbench.columnar.blocks import TIME, instants
from workbench.columnar.bundles import PARTITION
from workbench.columnar.columns import present
from workbench.columnar.delivery import Bundle
from workbench.columnar.key_codes import as_array
from workbench.columnar.subpartitions import SubpartitionTask
from workbench.engine.partials import FIELD
from workbench.engine.ranges.cuts import START
from workbench.engine.ranges.route import PIECE, PieceTask

#: The column of what goes to later spans that says which group events are for.
COPY = "__copy__"


@dataclass(frozen=True)
class SplitTask(PieceTask, SubpartitionTask):
    """Bundle the rows of one of the tables; those of a key that is cut go to their span's task.

    Attributes
    ----------
    both : tuple of str
        The columns of the key.
    groups : tuple of FeatureGroup
        What the events' later spans need of them, none for queries.
    """

    both: tuple[str, ...] = ()
    groups: tuple[FeatureGroup, ...] = ()

    def bundles(self, rows: pa.Table) -> Iterator[Bundle]:
        """Return the rows for each place and kind of rows that has some."""
        plain = SubpartitionTask(self.columns, self.keys, self.partitions)
        if self.cuts is None:
            yield from plain.bundles(rows)
            return
        key = np.where(present(as_array(rows.column(TIME))), self._cut_keys(rows), -1)
        if (key < 0).any():
            yield from plain.bundles(rows.filter(pa.array(key < 0)))
        if (key >= 0).any():
            for part in self._parts(rows.filter(pa.array(key >= 0)), key[key >= 0]):
                yield from plain.bundles(part)

    def _parts(self, rows: pa.Table, key: Ints) -> Iterator[pa.Table]:
        """The rows of keys that are cut, and what later spans need of them."""
        assert self.cuts is not None
        time = instants(as_array(rows.column(TIME)))
        rows = rows.set_column(rows.column_names.index(TIME), TIME, pa.array(time))
        starts = [self._side(START, number) for number in range(len(self.cuts))]
        piece = np.zeros(len(rows), np.int64)
        for number in np.unique(key):
            at = np.flatnonzero(key == number)
            piece[at] = np.searchsorted(starts[number], time[at], side="right") - 1
        yield self._sent_to(rows, piece, key)
        known: dict[str | None, PartialAggregates] = {}
        slots = 0
        for number, group in enumerate(self.groups):
            if group.by not in known:
                known[group.by] = partial_aggregates(rows, self.both, group.by, key, piece, starts)
            events = known[group.by]
            if len(events.rows) and len(events.targets.piece):
                yield self._copies(events, group, number)
                for i, slot in enumerate(group.slots):
                    yield self._states(events, events.states(slot, group.span), slots + i)
            slots += len(group.slots)

    def _copies(self, events: PartialAggregates, group: FeatureGroup, number: int) -> pa.Table:
        row, target = events.copies(group.calls, group.span)
        rows = events.rows.take(pa.array(row))
        found = self._sent_to(rows, events.targets.piece[target], events.cut[row])
        return found.append_column(COPY, pa.array(np.full(len(row), number, np.int32)))

    def _states(self, events: PartialAggregates, found: States, slot: int) -> pa.Table:
        rows = events.rows.select([*events.keys, TIME, PARTITION]).take(pa.array(found.row))
        rows = rows.set_column(rows.column_names.index(TIME), TIME, pa.array(found.time))
        rows = self._sent_to(rows, events.targets.piece[found.target], events.cut[found.row])
        rows = rows.append_column(SLOT, pa.array(np.full(len(found.row), slot, np.int32)))
        for i, column in enumerate(found.states.T):
            rows = rows.append_column(FIELD.format(slot, i), pa.array(np.ascontiguousarray(column)))
        return rows

    def _sent_to(self, rows: pa.Table, piece: Ints, cut: Ints) -> pa.Table:
        """Rows with their piece, and its partition: they go round, so that all have work.

        Where all keys have the same cuts, they go round from the partition of their key.
        """
        alike = rows.column(PARTITION).to_numpy() + piece
        to = self._to(cut, piece) if self.keys else alike % self.partitions
        rows = rows.append_column(PIECE, pa.array(piece.astype(np.int32)))
        at = rows.column_names.index(PARTITION)
        return rows.set_column(at, PARTITION, pa.array(to.astype(np.int32)))
