"""Results of pieces: from their own rows and the states of the rows outside."""

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
from workbench.engine.own_order import ntile_bucket
from workbench.engine.partials import FIELD, from_states, row_counts, values_of
from workbench.engine.ranges.carry import SIDE
from workbench.engine.ranges.route import KEPT, KEPT_BEFORE, KEPT_BEHIND, MARK
from workbench.engine.ranges.unbounded import all_states, states_of, unbounded_sides_of
from workbench.functions.catalogue import RANKING

#: The prefix of a column that is true where a condition is, except in rows kept for other calls.
COUNTED = "__counted__"

Matrix = NDArray[Any]


def with_conditions(block: Block, calls: Sequence[Call]) -> Block:
    """Return a block with the conditions of calls that use states of the rows outside.

    The states already include kept rows, which must not count twice.
    """
    schema, conditions = block.rows.schema, {}
    not_kept = pa.array(block.column(MARK).to_numpy() & KEPT == 0)
    for call in calls:
        if any(unbounded_sides_of(call)) and states_of(call, schema):
            where = not_kept if call.where is None else pc.and_(not_kept, block.column(call.where))
            conditions[COUNTED + (call.where or "")] = where
    columns = {name: block.rows.column(name) for name in block.rows.column_names}
    return Block(block.keys, block.offsets, pa.table(columns | conditions))


@dataclass(frozen=True)
class PieceAnswers(Memo):
    """A block of pieces, and the states of the rows outside of them.

    Attributes
    ----------
    window : Window
        The window of the block from :func:`with_conditions`.
    states : pyarrow.Table or None
        From :class:`workbench.engine.ranges.carry.CarryTask`: each row has the states of the rows
        that one worker saw before or after a piece.
    slots : tuple of Call
        The aggregates of the states.
    """

    window: Window
    states: pa.Table | None
    slots: tuple[Call, ...]

    @classmethod
    def of(cls, window: Window, states: pa.Table | None, calls: Sequence[Call]) -> "PieceAnswers":
        """Return the pieces of a window with the states for some calls."""
        return cls(window, states, all_states(calls, window.block.rows.schema))

    def answer(self, call: Call) -> pa.Array:
        """Return a call's result for every row of the block."""
        if not any(unbounded_sides_of(call)):
            return answer(self.window, call)
        states = states_of(call, self.window.block.rows.schema)
        if not states:
            return answer(self.window, call)
        if call.info.family == RANKING:
            return self._rank(call, states[0])
        frame_states = [(slot.function, self._frame_states(call, slot)) for slot in states]
        kind = self.window.column(call.arguments[0]).type if call.arguments else None
        return from_states(call, frame_states, row_counts(frame_states), kind)

    def _frame_states(self, call: Call, slot: Call) -> Matrix:
        """Return the state of each row's frame, rows outside of the piece included."""
        window, empty = self.window, AGGREGATES[slot.function].empty
        counted = replace(call, where=COUNTED + (call.where or ""))
        frames = window.frames(counted, slot.arguments)
        value, *others = map(frames.ordered, values_of(window, slot))
        moving = frames.begin, frames.end
        states = moving_states(
            window.offsets, slot.function, value, *moving, other=(others or [value])[-1]
        )
        for side in np.flatnonzero(unbounded_sides_of(call)):
            outside = self._outside(slot, int(side))
            if outside is None:
                continue
            outside = np.repeat(outside, np.diff(window.offsets), axis=0)
            both = (states.copy(), outside) if side else (outside, states.copy())
            join_heads.over(window.offsets, empty, *both, states)
        return states

    def _outside(self, slot: Call, side: int) -> Matrix | None:
        """Return the state of the rows on a side of each partition, None without such rows."""
        return self.once((slot, side), lambda: self._merge_outside(slot, side))

    def _merge_outside(self, slot: Call, side: int) -> Matrix | None:
        if self.states is None:
            return None
        empty, number = AGGREGATES[slot.function].empty, self.slots.index(slot)
        offsets, row = self._rows_of_side(side)
        names = [FIELD.format(number, field) for field in range(len(empty))]
        parts = [numbers(as_array(self.states.column(name)))[row] for name in names]
        merged = np.zeros((len(offsets) - 1, len(empty)), np.asarray(empty).dtype)
        begin, end = offsets[:-1, None], offsets[1:, None]
        to, of = np.array([0, len(merged)]), np.array([0, len(row)])
        join_ranges.over(to, empty, np.stack(parts, axis=1), begin, end, merged, right=of)
        return merged

    def _rows_of_side(self, side: int) -> tuple[Ints, Ints]:
        """Return the rows of states of one side, grouped by partition of the block."""
        assert self.states is not None
        keys = self.window.block.keys
        of_states = self.states.select(keys.column_names).cast(keys.schema)
        code = key_codes(pa.concat_tables([keys, of_states]))[0].astype(np.int64)
        # Codes count up in the order of first rows, so partitions have the lowest codes.
        partition = code[len(keys) :]
        on_side = numbers(as_array(self.states.column(SIDE))) == side
        row = np.flatnonzero(on_side & (partition < len(keys)))
        row = row[np.argsort(partition[row], kind="stable")]
        return np.searchsorted(partition[row], np.arange(len(keys) + 1)), row

    def _rank(self, call: Call, slot: Call) -> pa.Array:
        """Return a rank among all rows, from the rank among the rows of the piece."""
        window, order = self.window, self.window.order
        sizes, mark = np.diff(window.offsets), window.column(MARK).to_numpy()
        piece = run_of_rows(window.offsets)
        before, after = (
            self._rows_outside(slot, side, mark & kept != 0) for side, kept in KEPT_BY_SIDE
        )
        size = (sizes + before + after)[piece]
        if call.info.options:
            buckets, known = window.buckets(call)
            number = ranking(order, "row_number") + before[piece]
            return pa.array(ntile_bucket(number, size, buckets).astype(np.int32), mask=~known)
        if call.function == "cume_dist":
            up_to_peers = np.rint(ranking(order, "cume_dist") * sizes[piece]) + before[piece]
            return pa.array(up_to_peers / size)
        is_share = call.function == "percent_rank"
        number = ranking(order, "rank" if is_share else call.function) + before[piece]
        return pa.array(
            (number - 1) / np.maximum(size - 1, 1) if is_share else number.astype(np.int32)
        )

    def _rows_outside(self, slot: Call, side: int, kept: NDArray[np.bool_]) -> Ints:
        """Return how many rows are on a side of each piece, minus the kept rows in the piece."""
        offsets, outside = self.window.offsets, self._outside(slot, side)
        kept_rows = np.bincount(run_of_rows(offsets)[kept], minlength=len(offsets) - 1)
        return -kept_rows if outside is None else outside[:, 0] - kept_rows


KEPT_BY_SIDE = ((0, KEPT_BEFORE), (1, KEPT_BEHIND))
