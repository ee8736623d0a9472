"""What goes to pieces of the rows beyond them, on the way to the shuffle.

A worker that bundles rows sums up, for each piece of a key, those of its own rows that are before
all that come to the piece, and those behind. So a piece gets one state from each worker's bundle,
however many rows that stands for.
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
from workbench.engine.ranges.unbounded import all_states, keeping, sides_of, states_of
from workbench.functions.order import OrderColumn

#: The column of states that says of which rows they are: 0 for those before a piece, 1 for those
#: behind it.
SIDE = "__side__"


@dataclass(frozen=True)
class CarryTask(PieceTask):
    """Bundle rows by piece, and with them what each piece needs of the rows beyond it.

    Attributes
    ----------
    calls : tuple of Call
        Those that look at all rows on a side.
    along : tuple of OrderColumn
        The whole order.
    """

    calls: tuple[Call, ...] = ()
    along: tuple[OrderColumn, ...] = ()

    def bundles(self, rows: pa.Table) -> Iterator[Bundle]:
        """Return the rows for each partition that has some, and what they say to other pieces."""
        routed = self.routed(rows)
        yield from self.packed(rows, routed)
        if self.cuts is None:
            return
        key = self._cut_keys(rows)
        if (key >= 0).any():
            parts = self._stretches(rows, key, routed)
            yield from self.packed(rows, self._kept(parts, rows.schema))
            yield from self._states(parts, rows)

    def _stretches(self, rows: pa.Table, key: Ints, routed: Routed) -> "Stretches":
        """The rows of keys that are cut, those that come to the same pieces together."""
        # The copies of a row stand together, in the order of the pieces that they go to.
        chosen, piece = routed[0], routed[2][PIECE].astype(np.int64)
        changes = np.flatnonzero(chosen[1:] != chosen[:-1])
        first, last = piece[np.append(0, changes + 1)], piece[np.append(changes, len(piece) - 1)]
        at = np.flatnonzero(key >= 0)
        before = self._before()
        # From one stretch of a key to the next neither end moves back, so their sum tells them.
        code = (2 * before[key] + first + last)[at].astype(np.uint32)
        offsets, place = grouped(code, int(2 * before[-1]))
        row = at[place].astype(np.uint32)
        if not all(states_of(call, rows.schema) for call in self.calls):
            row = rows_in_order(rows, self.along, offsets, row)
        names = dict.fromkeys(name for call in self.calls for name in call.needs)
        needed = {name: as_array(rows.column(name)).take(pa.array(row)) for name in names}
        block = Block(pa.table({}), offsets, pa.table(needed))
        receivers = _receivers(before, offsets, first[row], last[row])
        return Stretches(Window(block, self.along), row.astype(np.int64), receivers)

    def _kept(self, parts: "Stretches", schema: pa.Schema) -> Routed:
        """Rows that may be the answer for a piece that they are beyond."""
        pairs = [np.zeros((3, 0), np.int64)]
        for call in self.calls:
            if not states_of(call, schema):
                sides = np.flatnonzero(sides_of(call))
                pairs += [parts.kept(call, int(side)) for side in sides]
        row, receiver, side = np.unique(np.concatenate(pairs, axis=1), axis=1)
        key, piece = parts.receivers.key[receiver], parts.receivers.piece[receiver]
        mark = np.where(side == 0, KEPT_BEFORE, KEPT_BEHIND) | self._ends(key, piece)
        marks = {PIECE: piece.astype(np.int32), MARK: mark.astype(np.uint8)}
        return row, self._to(key, piece).astype(np.uint32), marks

    def _states(self, parts: "Stretches", rows: pa.Table) -> Iterator[Bundle]:
        """The states of the rows before each piece, and of those behind it."""
        slots = all_states(self.calls, rows.schema)
        receivers = parts.receivers
        for side in (0, 1):
            wanted = any(sides_of(call)[side] for call in self.calls)
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
    """The pieces of keys that have rows here, and which of these rows each is beyond.

    Attributes
    ----------
    key, piece : int64 arrays of shape (receivers,)
        The number of the key among those that are cut, and of the piece.
    begin, end : int64 arrays of shape (2, receivers)
        Half-open ranges of rows: of those before all that come to the piece, and those behind.
    """

    key: Ints
    piece: Ints
    begin: Ints
    end: Ints


def _receivers(before: Ints, offsets: Ints, first: Ints, last: Ints) -> Receivers:
    """The ranges of rows, which stand by key and by the first and the last piece they come to."""
    found = []
    for key, (low, high) in enumerate(pairwise(before.tolist())):
        begin, end = offsets[2 * low], offsets[2 * high]
        pieces = high - low if end > begin else 0
        piece = np.arange(pieces)
        upto = begin + np.searchsorted(last[begin:end], piece)
        beyond = begin + np.searchsorted(first[begin:end], piece, side="right")
        all_of = (np.full(pieces, one) for one in (key, begin, end))
        found.append([piece, upto, beyond, *all_of])
    piece, upto, beyond, key_of, begins, ends = map(np.concatenate, zip(*found, strict=True))
    return Receivers(key_of, piece, np.stack([begins, beyond]), np.stack([upto, ends]))


@dataclass(frozen=True)
class Stretches:
    """Rows of keys that are cut, those that come to the same pieces together.

    Attributes
    ----------
    window : Window
        Its partitions are these stretches, those of a key in order.
    row : int64 array of shape (rows,)
        Which of the rows that are bundled each is.
    receivers : Receivers
    """

    window: Window
    row: Ints
    receivers: Receivers

    def states(self, slot: Call, side: int) -> NDArray[Any]:
        """Return the state of the rows that each receiver is behind, or before."""
        parts, empty = self._parts(slot), AGGREGATES[slot.function].empty
        begin, end = (
            np.searchsorted(self.window.offsets, one[side])[:, None]
            for one in (self.receivers.begin, self.receivers.end)
        )
        found = np.zeros((len(begin), parts.shape[1]), parts.dtype)
        ends = np.array([0, len(begin)]), np.array([0, len(parts)])
        join_ranges.over(ends[0], empty, parts, begin, end, found, right=ends[1])
        return found

    def _parts(self, slot: Call) -> NDArray[Any]:
        """The state of each stretch."""
        found: NDArray[Any] = self.window.once(("states", slot), lambda: self._rolled_up(slot))
        return found

    def _rolled_up(self, slot: Call) -> NDArray[Any]:
        window, empty = self.window, AGGREGATES[slot.function].empty
        at, offsets = self._counted(slot, slot.arguments)
        values = [one[at] for one in values_of(window, slot)]
        pair = values[0], values[-1]
        none, start, stop = np.zeros((3, len(at)), np.int64)
        states = np.zeros((len(at), len(empty)), np.asarray(empty).dtype)
        # All rows are of one time, so each stretch is one hop.
        hop_states.over(offsets, empty, 1, none, *pair, start, stop, states)
        parts = np.tile(np.asarray(empty), (len(offsets) - 1, 1))
        some = np.flatnonzero(np.diff(offsets))
        parts[some] = states[offsets[some]]
        return parts

    def _counted(self, call: Call, without_null: tuple[str, ...]) -> tuple[Ints, Ints]:
        """The rows that count for a call, and where those of each stretch begin."""
        offsets, counted = self.window.offsets, self.window.counted(call, without_null)
        if counted is None:
            return np.arange(offsets[-1]), offsets
        at = np.flatnonzero(counted)
        return at, np.searchsorted(at, offsets)

    def kept(self, call: Call, side: int) -> Ints:
        """Return rows that may be a call's answer, the receiver of each, and its side."""
        one, (at, offsets) = keeping(call), self._counted(call, call.without_null)
        at = at[kept_rows(self.window, one, at, run_of_rows(offsets))]
        begin, end = self.receivers.begin[side], self.receivers.end[side]
        found, known = [np.zeros((3, 0), np.int64)], np.zeros(0, np.int64)
        for of in np.unique(self.receivers.key):
            receivers = np.flatnonzero(self.receivers.key == of)[:: -1 if side else 1]
            # From receiver to receiver there are more rows, and of the others few still count.
            known, seen = known[:0], (end if side else begin)[receivers[0]]
            for receiver in receivers:
                low, high = (begin[receiver], seen) if side else (seen, end[receiver])
                more = at[slice(*np.searchsorted(at, (low, high)))]
                known, seen = np.sort(np.concatenate([known, more])), low if side else high
                known = known[kept_rows(self.window, one, known, np.zeros(len(known), np.int64))]
                same = np.full((2, len(known)), [[receiver], [side]])
                found.append(np.vstack([self.row[known], same]))
        return np.concatenate(found, axis=1)
