"""Cases for the numbering of keys, for the test that walks the registry."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.structures.key_numbers import SLOTS, find_slot, number_keys

Args = list[Any]

SPREADS = [(0, 5), (-(2**63), 2**63 - 1)]
#: Keys with one stride must not all have the same slot.
STRIDES = [1, 1000, 2**20, 2**32, 2**40]


@st.composite
def keys(draw: st.DrawFn) -> Args:
    """Draw few or many keys, close or far apart, and more than the first table holds."""
    random = np.random.default_rng(draw(st.integers(0, 999)))
    size = draw(st.sampled_from([0, 1, 20, 2 * SLOTS]))
    if draw(st.booleans()):
        low, high = draw(st.sampled_from(SPREADS))
        key = random.integers(low, high, size, endpoint=True)
    else:
        key = random.integers(-SLOTS, SLOTS, size) * draw(st.sampled_from(STRIDES))
    return [key, np.zeros(size, np.uint32)]


@st.composite
def tables(draw: st.DrawFn) -> Args:
    """Draw a small table with keys in it, and a key that may be one of them."""
    table, by_number = np.zeros(16, np.uint32), np.zeros(8, np.int64)
    present = draw(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8, unique=True))
    for k, key in enumerate(present):
        by_number[k] = key
        table[find_slot(table, by_number, key)] = k + 1
    other = st.integers(-20, 20)
    return [
        table,
        by_number,
        draw(st.one_of(other, st.sampled_from(present)) if present else other),
    ]


def numbers_by_first_row(before: Args, after: Args, result: Any) -> bool:
    numbers: dict[int, int] = {}
    expected = [numbers.setdefault(key, len(numbers)) for key in before[0].tolist()]
    return result == len(numbers) and expected == list(after[1].tolist())


def finds_the_key_or_a_free_slot(before: Args, after: Args, result: Any) -> bool:
    table, by_number, key = before
    entry = int(table[result])
    present = by_number[np.unique(table[table > 0]) - 1].tolist()
    return bool(by_number[entry - 1] == key) if key in present else entry == 0


CASES = {
    number_keys.__name__: (keys(), numbers_by_first_row),
    find_slot.__name__: (tables(), finds_the_key_or_a_free_slot),
}
