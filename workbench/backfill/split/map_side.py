"""Sends rows to the tasks that need them, where the time of large keys is cut into spans."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.split.partials import PartialAggregates, States, partial_aggregates
from workbench.backfill.worker.partials import SLOT, FeatureGroup
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION
from workbench.columnar.columns import present
from workbench.columnar.delivery import Bundle
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.subpartitions import SubpartitionTask
from workbench.engine.partials import FIELD
from workbench.engine.ranges.cuts import START
from workbench.engine.ranges.route import PIECE, PieceTask

#: The column of events for later spans with the number of the group that they are for.
COPY = "__copy__"


@dataclass(frozen=True)
class SplitTask(PieceTask, SubpartitionTask):
    """Bundles the rows of a table; those of a key that is cut go to the task of their span.

    Attributes
    ----------
    key_columns : tuple of str
        The columns of the key.
    groups : tuple of FeatureGroup
        The features for which later spans need events; none for queries.
    """

    key_columns: tuple[str, ...] = ()
    groups: tuple[FeatureGroup, ...] = ()

    def bundles(self, rows: pa.Table) -> Iterator[Bundle]:
        """Yield the rows of each subpartition and kind."""
        whole_keys = SubpartitionTask(self.columns, self.keys, self.partitions)
        if self.cuts is None:
            yield from whole_keys.bundles(rows)
            return
        key = np.where(present(as_array(rows.column(TIME))), self._cut_keys(rows), -1)
        if (key < 0).any():
            yield from whole_keys.bundles(rows.filter(pa.array(key < 0)))
        if (key >= 0).any():
            for part in self._rows_by_span(rows.filter(pa.array(key >= 0)), key[key >= 0]):
                yield from whole_keys.bundles(part)

    def _rows_by_span(self, rows: pa.Table, key: Ints) -> Iterator[pa.Table]:
        """Yield the rows of keys that are cut, and the copies and states for later spans."""
        assert self.cuts is not None
        time = instants(as_array(rows.column(TIME)))
        rows = rows.set_column(rows.column_names.index(TIME), TIME, pa.array(time))
        starts = [self._of_pieces(START, number) for number in range(len(self.cuts))]
        piece = np.zeros(len(rows), np.int64)
        for number in np.unique(key):
            at = np.flatnonzero(key == number)
            piece[at] = np.searchsorted(starts[number], time[at], side="right") - 1
        yield self._with_piece(rows, piece, key)
        partials_by_bucket: dict[str | None, PartialAggregates] = {}
        slots = 0
        for number, group in enumerate(self.groups):
            if group.by not in partials_by_bucket:
                partials_by_bucket[group.by] = partial_aggregates(
                    rows, self.key_columns, group.by, key, piece, starts
                )
            partials = partials_by_bucket[group.by]
            if len(partials.rows) and len(partials.targets.piece):
                yield self._copies(partials, group, number)
                for i, slot in enumerate(group.slots):
                    yield self._states(partials, partials.states(slot, group.span), slots + i)
            slots += len(group.slots)

    def _copies(self, partials: PartialAggregates, group: FeatureGroup, number: int) -> pa.Table:
        row, target = partials.copies(group.calls, group.span)
        needed = {*partials.keys, TIME, PARTITION, *group.needs}
        names = [name for name in partials.rows.column_names if name in needed]
        rows = partials.rows.select(names).take(pa.array(row))
        copies = self._with_piece(rows, partials.targets.piece[target], partials.cut[row])
        return copies.append_column(COPY, pa.array(np.full(len(row), number, np.int32)))

    def _states(self, partials: PartialAggregates, states: States, slot: int) -> pa.Table:
        rows = partials.rows.select([*partials.keys, TIME, PARTITION]).take(pa.array(states.row))
        rows = rows.set_column(rows.column_names.index(TIME), TIME, pa.array(states.time))
        rows = self._with_piece(
            rows, partials.targets.piece[states.target], partials.cut[states.row]
        )
        rows = rows.append_column(SLOT, pa.array(np.full(len(states.row), slot, np.int32)))
        for i, column in enumerate(states.states.T):
            rows = rows.append_column(FIELD.format(slot, i), pa.array(np.ascontiguousarray(column)))
        return rows

    def _with_piece(self, rows: pa.Table, piece: Ints, cut: Ints) -> pa.Table:
        """Return rows with their piece and its partition. Pieces go to all partitions in turn.

        Where all keys have the same cuts, the first piece goes to the partition of its key.
        """
        round_robin = rows.column(PARTITION).to_numpy() + piece
        to = self._to(cut, piece) if self.keys else round_robin % self.partitions
        rows = rows.append_column(PIECE, pa.array(piece.astype(np.int32)))
        at = rows.column_names.index(PARTITION)
        return rows.set_column(at, PARTITION, pa.array(to.astype(np.int32)))
