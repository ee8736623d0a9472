"""The states and rows that pieces receive of the rows outside of them, before the shuffle.

A worker that bundles rows aggregates, for each piece of a key, those of its own rows that are
before all rows of the piece, and those after them. So a piece gets one state from each worker's
bundle, however many rows it stands for.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES
from kernels.tiling.hops import hop_states
from kernels.tiling.sliding_join import join_ranges
from workbench.columnar.blocks import Block, grouped
from workbench.columnar.bundles import Routed
from workbench.columnar.delivery import Bundle
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import run_of_rows
from workbench.engine.block import Call, Window
from workbench.engine.kept_rows import kept_rows
from workbench.engine.order import rows_in_order
from workbench.engine.partials import FIELD, values_of
from workbench.engine.ranges.route import KEPT_BEFORE, KEPT_BEHIND, MARK, PIECE, PieceTask
from workbench.engine.ranges.unbounded import (
    all_states,
    call_to_keep,
    states_of,
    unbounded_sides_of,
)
from workbench.functions.order import OrderColumn

#: The column of states with their side: 0 for rows before a piece, 1 for rows after it.
SIDE = "__side__"


@dataclass(frozen=True)
class CarryTask(PieceTask):
    """Bundle rows by piece, with what each piece needs of the rows outside of it.

    Attributes
    ----------
    calls : tuple of Call
        The calls that look at all rows on a side.
    along : tuple of OrderColumn
        The complete order.
    """

    calls: tuple[Call, ...] = ()
    along: tuple[OrderColumn, ...] = ()

    def bundles(self, rows: pa.Table) -> Iterator[Bundle]:
        """Yield the rows of each partition, and what other pieces need of these rows."""
        routed = self.routed(rows)
        yield from self.packed(rows, routed)
        if self.cuts is None:
            return
        key = self._cut_keys(rows)
        if (key >= 0).any():
            parts = self._group_by_pieces(rows, key, routed)
            yield from self.packed(rows, self._kept(parts, rows.schema))
            yield from self._states(parts, rows)

    def _group_by_pieces(self, rows: pa.Table, key: Ints, routed: Routed) -> "RowGroups":
        """Return the rows of cut keys, grouped by the pieces that receive them."""
        # The copies of a row are adjacent, in the order of their pieces.
        row_of_copy, piece = routed[0], routed[2][PIECE].astype(np.int64)
        changes = np.flatnonzero(row_of_copy[1:] != row_of_copy[:-1])
        first, last = piece[np.append(0, changes + 1)], piece[np.append(changes, len(piece) - 1)]
        at = np.flatnonzero(key >= 0)
        before = self._before()
        # From group to group of a key, neither end decreases, so their sum identifies groups.
        code = (2 * before[key] + first + last)[at].astype(np.uint32)
        offsets, place = grouped(code, int(2 * before[-1]))
        row = at[place].astype(np.uint32)
        if not all(states_of(call, rows.schema) for call in self.calls):
            row = rows_in_order(rows, self.along, offsets, row)
        names = dict.fromkeys(name for call in self.calls for name in call.needs)
        needed = {name: as_array(rows.column(name)).take(pa.array(row)) for name in names}
        block = Block(pa.table({}), offsets, pa.table(needed))
        receivers = _receivers(before, offsets, first[row], last[row])
        return RowGroups(Window(block, self.along), row.astype(np.int64), receivers)

    def _kept(self, parts: "RowGroups", schema: pa.Schema) -> Routed:
        """Return rows that may be the result for a piece outside of which they are."""
        pairs = [np.zeros((3, 0), np.int64)]
        for call in self.calls:
            if not states_of(call, schema):
                sides = np.flatnonzero(unbounded_sides_of(call))
                pairs += [parts.kept(call, int(side)) for side in sides]
        row, receiver, side = np.unique(np.concatenate(pairs, axis=1), axis=1)
        key, piece = parts.receivers.key[receiver], parts.receivers.piece[receiver]
        mark = np.where(side == 0, KEPT_BEFORE, KEPT_BEHIND) | self._ends(key, piece)
        marks = {PIECE: piece.astype(np.int32), MARK: mark.astype(np.uint8)}
        return row, self._to(key, piece).astype(np.uint32), marks

    def _states(self, parts: "RowGroups", rows: pa.Table) -> Iterator[Bundle]:
        """Yield the states of the rows before each piece, and of those after it."""
        slots = all_states(self.calls, rows.schema)
        receivers = parts.receivers
        for side in (0, 1):
            wanted = any(unbounded_sides_of(call)[side] for call in self.calls)
            at = np.flatnonzero(receivers.begin[side] < receivers.end[side])
            if not (slots and wanted and len(at)):
                continue
            key, piece = receivers.key[at], receivers.piece[at]
            row = pa.array(parts.row[receivers.begin[side, at]])
            columns = {name: rows.column(name).take(row) for name in self.keys}
            columns[PIECE] = pa.array(piece.astype(np.int32))
            columns[SIDE] = pa.array(np.full(len(at), side, np.uint8))
            for number, slot in enumerate(slots):
                for field, values in enumerate(parts.states(slot, side)[at].T):
                    columns[FIELD.format(number, field)] = pa.array(np.ascontiguousarray(values))
            table, to = pa.table(columns), self._to(key, piece)
            for one in np.unique(to):
                yield Bundle.of(table.filter(pa.array(to == one)), int(one))


class Receivers(NamedTuple):
    """The pieces of the keys with rows here, and the rows on each side of them.

    Attributes
    ----------
    key, piece : int64 arrays of shape (receivers,)
        The number of the key among the cut keys, and the number of the piece.
    begin, end : int64 arrays of shape (2, receivers)
        Half-open ranges of rows: those before all rows of the piece, and those after.
    """

    key: Ints
    piece: Ints
    begin: Ints
    end: Ints


def _receivers(before: Ints, offsets: Ints, first: Ints, last: Ints) -> Receivers:
    """Return the receivers of rows that are sorted by key, first piece and last piece."""
    columns = []
    for key, (low, high) in enumerate(pairwise(before.tolist())):
        begin, end = offsets[2 * low], offsets[2 * high]
        pieces = high - low if end > begin else 0
        piece = np.arange(pieces)
        before_end = begin + np.searchsorted(last[begin:end], piece)
        after_begin = begin + np.searchsorted(first[begin:end], piece, side="right")
        constants = (np.full(pieces, one) for one in (key, begin, end))
        columns.append([piece, before_end, after_begin, *constants])
    piece, before_end, after_begin, keys, begins, ends = map(
        np.concatenate, zip(*columns, strict=True)
    )
    return Receivers(keys, piece, np.stack([begins, after_begin]), np.stack([before_end, ends]))


@dataclass(frozen=True)
class RowGroups:
    """Rows of cut keys, grouped by the pieces that receive them.

    Attributes
    ----------
    window : Window
        Its partitions are these groups, those of a key in order.
    row : int64 array of shape (rows,)
        The numbers of the rows among the bundled rows.
    receivers : Receivers
    """

    window: Window
    row: Ints
    receivers: Receivers

    def states(self, slot: Call, side: int) -> NDArray[Any]:
        """Return the state of the rows on a side of each receiver."""
        parts, empty = self._group_states(slot), AGGREGATES[slot.function].empty
        begin, end = (
            np.searchsorted(self.window.offsets, one[side])[:, None]
            for one in (self.receivers.begin, self.receivers.end)
        )
        states = np.zeros((len(begin), parts.shape[1]), parts.dtype)
        ends = np.array([0, len(begin)]), np.array([0, len(parts)])
        join_ranges.over(ends[0], empty, parts, begin, end, states, right=ends[1])
        return states

    def _group_states(self, slot: Call) -> NDArray[Any]:
        """Return the state of each group."""
        return self.window.once(("states", slot), lambda: self._aggregate(slot))

    def _aggregate(self, slot: Call) -> NDArray[Any]:
        window, empty = self.window, AGGREGATES[slot.function].empty
        at, offsets = self._counted(slot, slot.arguments)
        values = [one[at] for one in values_of(window, slot)]
        pair = values[0], values[-1]
        none, start, stop = np.zeros((3, len(at)), np.int64)
        states = np.zeros((len(at), len(empty)), np.asarray(empty).dtype)
        # All rows get the same time, so each group is one hop.
        hop_states.over(offsets, empty, 1, none, *pair, start, stop, states)
        parts = np.tile(np.asarray(empty), (len(offsets) - 1, 1))
        nonempty = np.flatnonzero(np.diff(offsets))
        parts[nonempty] = states[offsets[nonempty]]
        return parts

    def _counted(self, call: Call, without_null: tuple[str, ...]) -> tuple[Ints, Ints]:
        """Return the rows that count for a call, and their offsets by group."""
        offsets, counted = self.window.offsets, self.window.counted(call, without_null)
        if counted is None:
            return np.arange(offsets[-1]), offsets
        at = np.flatnonzero(counted)
        return at, np.searchsorted(at, offsets)

    def kept(self, call: Call, side: int) -> Ints:
        """Return rows that may be a call's result, with the receiver and the side of each."""
        keeping, (at, offsets) = call_to_keep(call), self._counted(call, call.without_null)
        at = at[kept_rows(self.window, keeping, at, run_of_rows(offsets))]
        begin, end = self.receivers.begin[side], self.receivers.end[side]
        chunks, kept = [np.zeros((3, 0), np.int64)], np.zeros(0, np.int64)
        for key in np.unique(self.receivers.key):
            receivers = np.flatnonzero(self.receivers.key == key)[:: -1 if side else 1]
            # Each receiver adds rows to those of the previous one, few of which are still kept.
            kept, seen = kept[:0], (end if side else begin)[receivers[0]]
            for receiver in receivers:
                low, high = (begin[receiver], seen) if side else (seen, end[receiver])
                more = at[slice(*np.searchsorted(at, (low, high)))]
                kept, seen = np.sort(np.concatenate([kept, more])), low if side else high
                kept = kept[kept_rows(self.window, keeping, kept, np.zeros(len(kept), np.int64))]
                labels = np.full((2, len(kept)), [[receiver], [side]])
                chunks.append(np.vstack([self.row[kept], labels]))
        return np.concatenate(chunks, axis=1)
