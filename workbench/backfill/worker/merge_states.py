"""Answers from states: those of a span's own events, combined with those of earlier spans."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.frames.frames import frames_of_kept
from kernels.states.aggregates import AGGREGATES
from kernels.tiling.sawtooth import join_heads
from kernels.tiling.sliding_join import join_ranges
from kernels.windows.aggregate import moving_states
from workbench.backfill.worker.cogroup import CoGroup, QueryWindow, Span
from workbench.backfill.worker.partials import SLOT
from workbench.columnar.columns import numbers
from workbench.engine.block import Call, Frames
from workbench.engine.partials import FIELD, from_states, row_counts, values_of

Matrix = NDArray[Any]


@dataclass(frozen=True)
class FromStates:
    """Answers a call from states.

    Attributes
    ----------
    slots : dict of int to Call
        The states that the call needs, by the numbers under which they were sent.
    argument : pyarrow.DataType or None
        The type of the call's first argument.
    """

    slots: dict[int, Call]
    argument: pa.DataType | None

    def __call__(self, call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
        """Return the answers to a CoGroup's queries in order, and the number of events of each.

        Parameters
        ----------
        call : Call
        cogroup : CoGroup
            Its events are those of the span, and states, which have times too.
        """
        states_of_slots = [
            (slot.function, window_states(cogroup, number, slot))
            for number, slot in self.slots.items()
        ]
        sizes = row_counts(states_of_slots)
        return from_states(call, states_of_slots, sizes, self.argument), sizes


def window_states(cogroup: CoGroup, number: int, slot: Call) -> Matrix:
    """Return the state of each query's window, in the order of the queries."""
    window, empty = cogroup.window(slot.arguments), AGGREGATES[slot.function].empty
    slot_numbers = window.column(SLOT)
    counted = window.counted(slot, slot.arguments)
    heads = _counted_frames(
        window,
        slot,
        slot_numbers.is_null() if counted is None else _both(slot_numbers.is_null(), counted),
    )
    values = [heads.ordered(one) for one in values_of(window, slot)]
    head_frames = heads.begin, heads.end
    states = moving_states(window.offsets, slot.function, values[0], *head_frames, other=values[-1])
    of_slot = slot_numbers.to_numpy(zero_copy_only=False) == number
    if of_slot.any():
        tails = _counted_frames(window, slot, of_slot)
        names = [FIELD.format(number, i) for i in range(len(empty))]
        parts = np.stack([tails.ordered(numbers(window.column(name))) for name in names], axis=1)
        earlier = np.zeros_like(states)
        join_ranges.over(window.offsets, empty, parts, tails.begin, tails.end, earlier)
        join_heads.over(window.offsets, empty, earlier, states.copy(), states)
    return states[cogroup.query_positions]


def _both(first: pa.Array, second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(first.to_numpy(zero_copy_only=False) & second, np.bool_)


def _counted_frames(window: QueryWindow, slot: Call, mask: Any) -> Frames:
    """Return the frames over the rows of a mask."""
    begin, end = window.ranges(cast(Span, slot.frame))
    frames = frames_of_kept(window.offsets, np.asarray(mask).astype(np.uint8), begin, end)
    return Frames(frames.begin, frames.end, frames.row)
