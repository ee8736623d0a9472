"""The cells of a store have the same states as the aggregates."""

from typing import Any

import numpy as np
import pytest

from kernels.states.aggregates import AGGREGATES
from kernels.tiling import cells as c

VALUES = [(3, 5), (1, 0), (0, 2), (1, 1), (7, 4)]


def state_of(empty: Any, rows: slice) -> Any:
    state, whole = empty, isinstance(empty[0], int)
    for row, pair in enumerate(VALUES[rows]):
        value, other = pair if whole else map(float, pair)
        state = state.update(value % 2 if "on" in empty._fields else value, other, row)
    return state


@pytest.mark.parametrize("kind", c.STATES)
@pytest.mark.parametrize("cut", [0, 2, 5])
def test_cells_join_as_states_combine(kind: int, cut: int) -> None:
    empty, slots = c.STATES[kind], np.array([[kind, c.HEAD, 0]])
    first, then = state_of(empty, slice(0, cut)), state_of(empty, slice(cut, None))
    integers, numbers = c.SIZES[kind]
    cells = [(np.zeros(c.HEAD + integers, np.int64), np.zeros(numbers)) for _ in range(2)]
    for (whole, real), state in zip(cells, (first, then), strict=True):
        if state != empty:
            (whole[c.HEAD :] if integers else real)[:] = state
    to_whole, to_real = cells[0]
    c.join_cell(slots, *cells[1], to_whole, to_real)
    found = to_whole[c.HEAD :] if integers else to_real
    assert tuple(found.tolist()) == pytest.approx(tuple(first.combine(then)))


#: A store supports none of these, and refuses them.
NOT_KEPT = {"bit_and", "bit_or", "bit_xor"}


def test_every_state_of_a_store_has_a_kind_of_slot() -> None:
    kinds = {name: c.kind_for(aggregate.empty) for name, aggregate in AGGREGATES.items()}
    assert {name for name, kind in kinds.items() if kind is None} == NOT_KEPT
    assert set(kinds.values()) - {None} == set(c.SIZES)
