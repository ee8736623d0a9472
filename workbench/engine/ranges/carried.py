"""Answers of pieces: their own rows, and what is known of the rows beyond them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES
from kernels.tiling.sawtooth import join_heads
from kernels.tiling.sliding_join import join_ranges
from kernels.windows.aggregate import moving_states
from kernels.windows.ranking import ranking
from workbench.columnar.blocks import Block
from workbench.columnar.columns import numbers
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.memo import Memo
from workbench.columnar.ragged import run_of_rows
from workbench.engine.block import Call, Window
from workbench.engine.functions import answer
from workbench.engine.own_order import dealt
from workbench.engine.partials import FIELD, from_states, row_counts, values_of
from workbench.engine.ranges.carry import SIDE
from workbench.engine.ranges.route import KEPT, KEPT_BEFORE, KEPT_BEHIND, MARK
from workbench.engine.ranges.unbounded import all_states, sides_of, states_of
from workbench.functions.catalogue import RANKING

#: Of a condition's column, where it is true and the row is not one that is kept for other calls.
COUNTED = "__counted__"

Matrix = NDArray[Any]


def with_conditions(block: Block, calls: Sequence[Call]) -> Block:
    """Return a block with the conditions of calls whose states say all of the rows beyond.

    Kept rows are among those that the states are of, and must not count twice.
    """
    none, schema, rows = pa.array(block.column(MARK).to_numpy() & KEPT == 0), block.rows.schema, {}
    for call in calls:
        if any(sides_of(call)) and states_of(call, schema):
            where = none if call.where is None else pc.and_(none, block.column(call.where))
            rows[COUNTED + (call.where or "")] = where
    known = {name: block.rows.column(name) for name in block.rows.column_names}
    return Block(block.keys, block.offsets, pa.table(known | rows))


@dataclass(frozen=True)
class PieceAnswers(Memo):
    """A block of pieces, and the states of the rows beyond them.

    Attributes
    ----------
    window : Window
        Of the block :func:`with_conditions`.
    states : pyarrow.Table or None
        From :class:`workbench.engine.ranges.carry.CarryTask`: rows of states, each of the rows
        that one worker has seen before a piece, or behind it.
    slots : tuple of Call
        What the states are of.
    """

    window: Window
    states: pa.Table | None
    slots: tuple[Call, ...]

    @classmethod
    def of(cls, window: Window, states: pa.Table | None, calls: Sequence[Call]) -> "PieceAnswers":
        """Return what is known for the calls of a block."""
        return cls(window, states, all_states(calls, window.block.rows.schema))

    def answer(self, call: Call) -> pa.Array:
        """Return a call's answer for every row of the block."""
        if not any(sides_of(call)):
            return answer(self.window, call)
        states = states_of(call, self.window.block.rows.schema)
        if not states:
            return answer(self.window, call)
        if call.info.family == RANKING:
            return self._rank(call, states[0])
        found = [(slot.function, self._joined(call, slot)) for slot in states]
        kind = self.window.column(call.arguments[0]).type if call.arguments else None
        return from_states(call, found, row_counts(found), kind)

    def _joined(self, call: Call, slot: Call) -> Matrix:
        """The state of each row's frame, with those of the rows beyond the piece."""
        window, empty = self.window, AGGREGATES[slot.function].empty
        counted = replace(call, where=COUNTED + (call.where or ""))
        frames = window.frames(counted, slot.arguments)
        value, *others = map(frames.ordered, values_of(window, slot))
        moving = frames.begin, frames.end
        states = moving_states(
            window.offsets, slot.function, value, *moving, other=(others or [value])[-1]
        )
        for side in np.flatnonzero(sides_of(call)):
            beyond = self._beyond(slot, int(side))
            if beyond is None:
                continue
            beyond = np.repeat(beyond, np.diff(window.offsets), axis=0)
            both = (states.copy(), beyond) if side else (beyond, states.copy())
            join_heads.over(window.offsets, empty, *both, states)
        return states

    def _beyond(self, slot: Call, side: int) -> Matrix | None:
        """The state of the rows beyond each partition of the block, None where there are none."""
        found: Matrix | None = self.once((slot, side), lambda: self._beyond_once(slot, side))
        return found

    def _beyond_once(self, slot: Call, side: int) -> Matrix | None:
        if self.states is None:
            return None
        empty, number = AGGREGATES[slot.function].empty, self.slots.index(slot)
        offsets, row = self._rows_of_side(side)
        names = [FIELD.format(number, field) for field in range(len(empty))]
        parts = [numbers(as_array(self.states.column(name)))[row] for name in names]
        found = np.zeros((len(offsets) - 1, len(empty)), np.asarray(empty).dtype)
        begin, end = offsets[:-1, None], offsets[1:, None]
        to, of = np.array([0, len(found)]), np.array([0, len(row)])
        join_ranges.over(to, empty, np.stack(parts, axis=1), begin, end, found, right=of)
        return found

    def _rows_of_side(self, side: int) -> tuple[Ints, Ints]:
        """The rows of states of one side, those of each partition of the block together."""
        assert self.states is not None
        keys = self.window.block.keys
        of_states = self.states.select(keys.column_names).cast(keys.schema)
        code = key_codes(pa.concat_tables([keys, of_states]))[0].astype(np.int64)
        # Codes count up in the order of first rows, so the partitions have the first ones.
        partition = code[len(keys) :]
        here = numbers(as_array(self.states.column(SIDE))) == side
        row = np.flatnonzero(here & (partition < len(keys)))
        row = row[np.argsort(partition[row], kind="stable")]
        return np.searchsorted(partition[row], np.arange(len(keys) + 1)), row

    def _rank(self, call: Call, slot: Call) -> pa.Array:
        """A rank among all rows, from that among the rows of the piece."""
        window, order = self.window, self.window.order
        sizes, mark = np.diff(window.offsets), window.column(MARK).to_numpy()
        of = run_of_rows(window.offsets)
        more = [self._more(slot, side, mark & kept != 0) for side, kept in KEPT_OF]
        size = (sizes + more[0] + more[1])[of]
        if call.info.options:
            buckets, known = window.buckets(call)
            number = ranking(order, "row_number") + more[0][of]
            return pa.array(dealt(number, size, buckets).astype(np.int32), mask=~known)
        if call.function == "cume_dist":
            upto = np.rint(ranking(order, "cume_dist") * sizes[of]) + more[0][of]
            return pa.array(upto / size)
        share = call.function == "percent_rank"
        number = ranking(order, "rank" if share else call.function) + more[0][of]
        return pa.array(
            (number - 1) / np.maximum(size - 1, 1) if share else number.astype(np.int32)
        )

    def _more(self, slot: Call, side: int, kept: NDArray[np.bool_]) -> Ints:
        """How many rows there are on a side of each piece, beside those that are kept for calls."""
        offsets, beyond = self.window.offsets, self._beyond(slot, side)
        there = np.bincount(run_of_rows(offsets)[kept], minlength=len(offsets) - 1)
        return -there if beyond is None else beyond[:, 0] - there


KEPT_OF = ((0, KEPT_BEFORE), (1, KEPT_BEHIND))
