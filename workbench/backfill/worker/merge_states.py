"""Answers from states: of a span's own events, joined with those that came from earlier ones."""

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
    """Answer a call from states.

    Attributes
    ----------
    slots : dict of int to Call
        The states that it is made of, by their numbers on the way.
    argument : pyarrow.DataType or None
        The type of the call's first argument.
    """

    slots: dict[int, Call]
    argument: pa.DataType | None

    def __call__(self, call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
        """Return the answers of a meeting's queries in their order, and how many events each is of.

        Parameters
        ----------
        call : Call
        cogroup : CoGroup
            Its events are those of the span, and states in the order of their times.
        """
        found = [
            (slot.function, joined(cogroup, number, slot)) for number, slot in self.slots.items()
        ]
        sizes = row_counts(found)
        return from_states(call, found, sizes, self.argument), sizes


def joined(cogroup: CoGroup, number: int, slot: Call) -> Matrix:
    """Return the state of each query's window, in the order of the queries."""
    window, empty = cogroup.window(slot.arguments), AGGREGATES[slot.function].empty
    came = window.column(SLOT)
    own = window.counted(slot, slot.arguments)
    heads = _counted_frames(
        window, slot, came.is_null() if own is None else _both(came.is_null(), own)
    )
    values = [heads.ordered(one) for one in values_of(window, slot)]
    moving = heads.begin, heads.end
    states = moving_states(window.offsets, slot.function, values[0], *moving, other=values[-1])
    mine = came.to_numpy(zero_copy_only=False) == number
    if mine.any():
        tails = _counted_frames(window, slot, mine)
        names = [FIELD.format(number, i) for i in range(len(empty))]
        parts = np.stack([tails.ordered(numbers(window.column(name))) for name in names], axis=1)
        earlier = np.zeros_like(states)
        join_ranges.over(window.offsets, empty, parts, tails.begin, tails.end, earlier)
        join_heads.over(window.offsets, empty, earlier, states.copy(), states)
    return states[cogroup.query_places]


def _both(first: pa.Array, then: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(first.to_numpy(zero_copy_only=False) & then, np.bool_)


def _counted_frames(window: QueryWindow, slot: Call, mask: Any) -> Frames:
    """The frames over some of the rows."""
    begin, end = window.ranges(cast(Span, slot.frame))
    frames = frames_of_kept(window.offsets, np.asarray(mask).astype(np.uint8), begin, end)
    return Frames(frames.begin, frames.end, frames.row)
