"""Cases for the numbering of keys, for the test that walks the registry."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kernels.structures.key_numbers import SLOTS, find_slot, number_keys

Args = list[Any]

SPREADS = [(0, 5), (-(2**63), 2**63 - 1)]
#: Keys of one pattern must not all meet in one place.
STRIDES = [1, 1000, 2**20, 2**32, 2**40]


@st.composite
def keys(draw: st.DrawFn) -> Args:
    """Few and many keys, near and far apart, and more than the first table takes."""
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
    """A small table with keys in it, and a key that may be one of them."""
    table, known = np.zeros(16, np.uint32), np.zeros(8, np.int64)
    held = draw(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8, unique=True))
    for k, key in enumerate(held):
        known[k] = key
        table[find_slot(table, known, key)] = k + 1
    other = st.integers(-20, 20)
    return [table, known, draw(st.one_of(other, st.sampled_from(held)) if held else other)]


def numbers_by_first_row(before: Args, after: Args, result: Any) -> bool:
    numbers: dict[int, int] = {}
    expected = [numbers.setdefault(key, len(numbers)) for key in before[0].tolist()]
    return result == len(numbers) and expected == list(after[1].tolist())


def finds_the_key_or_a_free_place(before: Args, after: Args, result: Any) -> bool:
    table, known, key = before
    taken = int(table[result])
    held = known[np.unique(table[table > 0]) - 1].tolist()
    return bool(known[taken - 1] == key) if key in held else taken == 0


CASES = {
    number_keys.__name__: (keys(), numbers_by_first_row),
    find_slot.__name__: (tables(), finds_the_key_or_a_free_place),
}
