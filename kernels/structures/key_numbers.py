"""Numbers for keys: equal keys get equal numbers, so that rows can be grouped by counting."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Uint32Column, kernel

#: The slots of a table at first; their number doubles whenever half of them are occupied.
SLOTS = 1024


@kernel
def find_slot(table: Uint32Column, keys: Int64Column, key: int) -> int:
    """Return the slot of a key in a hash table, or the free slot for it.

    Parameters
    ----------
    table : uint32 array of shape (a power of two,)
        0 where a slot is free, else 1 + the number of the key in it.
    keys : int64 array of shape (keys,)
        The keys, by number.
    key : int64

    Returns
    -------
    int

    Notes
    -----
    O(1) expected while at most half of the slots are occupied: multiplicative hashing and linear
    probing (Knuth, The Art of Computer Programming 3, section 6.4). The highest of a product's
    lower 32 bits depend on all bits of the factor, and the upper bits are folded in. A product of
    32 by 31 bits never needs more than 63.

    Examples
    --------
    >>> import numpy as np
    >>> find_slot(np.zeros(8, np.uint32), np.zeros(4, np.int64), 7)
    1
    """
    low, high = key & 0xFFFFFFFF, (key >> 32) & 0xFFFFFFFF
    mixed = (low * 0x4F1BBCDD) ^ (high * 0x6C8E9CF5)
    slot = (((mixed ^ (mixed >> 32)) & 0xFFFFFFFF) * len(table)) >> 32
    while table[slot] > 0 and keys[table[slot] - 1] != key:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@helper
def fill_table(table: NDArray[np.uint32], keys: NDArray[np.int64], count: int) -> None:
    """Insert the first keys into an empty table.

    Examples
    --------
    >>> table = np.zeros(8, np.uint32)
    >>> fill_table(table, np.array([7, 6]), 2)
    >>> table.tolist()
    [0, 1, 0, 0, 0, 0, 2, 0]
    """
    for k in range(count):
        table[find_slot(table, keys, keys[k])] = k + 1


@kernel
def number_keys(key: Int64Column, number: Uint32Column) -> int:
    """Number the different keys from 0, in the order of their first rows.

    Parameters
    ----------
    key : int64 array of shape (rows,)
    number : uint32 array of shape (rows,)
        Written: the number of each row's key.

    Returns
    -------
    int
        The number of different keys.

    Notes
    -----
    O(rows) expected, in 16 to 32 bytes for each different key.

    Examples
    --------
    >>> import numpy as np
    >>> number = np.zeros(4, np.uint32)
    >>> number_keys(np.array([70, -8, 70, 9]), number), number.tolist()
    (3, [0, 1, 0, 2])
    """
    table, keys = np.zeros(SLOTS, np.uint32), np.zeros(SLOTS // 2, np.int64)
    count = row = 0
    while row < len(key):
        # A loop that replaces arrays counts their references on each iteration, which costs as much
        # as ten rows, so the loop over rows is a separate one.
        while row < len(key) and count < len(keys):
            slot = find_slot(table, keys, key[row])
            if table[slot] == 0:
                keys[count] = key[row]
                count += 1
                table[slot] = count
            number[row] = table[slot] - 1
            row += 1
        if count == len(keys):
            keys = np.append(keys, np.zeros_like(keys))
            table = np.zeros(2 * len(table), np.uint32)
            fill_table(table, keys, count)
    return count
