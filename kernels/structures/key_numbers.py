"""Numbers for keys: equal keys get equal numbers, so that rows can be counted into their groups."""

import numpy as np
from numpy.typing import NDArray

from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Uint32Column, kernel

#: The places of a table before any key is known; they double whenever half of them are taken.
PLACES = 1024


@kernel
def place_of(table: Uint32Column, known: Int64Column, key: int) -> int:
    """Return the place of a key in a table, or the free place that it would take.

    Parameters
    ----------
    table : uint32 array of shape (a power of two,)
        0 where a place is free, else 1 + the number of the key that took it.
    known : int64 array of shape (keys,)
        The keys by their numbers.
    key : int64

    Returns
    -------
    int

    Notes
    -----
    O(1) expected while no more than half of the places are taken: multiplicative hashing and
    linear probing (Knuth, The Art of Computer Programming 3, section 6.4). The highest of a
    product's lower 32 bits depend on all bits of the factor, the rest is folded in; 32 bits by 31
    never need more than 63.

    Examples
    --------
    >>> import numpy as np
    >>> place_of(np.zeros(8, np.uint32), np.zeros(4, np.int64), 7)
    1
    """
    low, high = key & 0xFFFFFFFF, (key >> 32) & 0xFFFFFFFF
    mixed = (low * 0x4F1BBCDD) ^ (high * 0x6C8E9CF5)
    place = (((mixed ^ (mixed >> 32)) & 0xFFFFFFFF) * len(table)) >> 32
    while table[place] > 0 and known[table[place] - 1] != key:
        place = (place + 1) & (len(table) - 1)
    return place


@helper
def take_places(table: NDArray[np.uint32], known: NDArray[np.int64], count: int) -> None:
    """Let the first keys take their places in an empty table.

    Examples
    --------
    >>> table = np.zeros(8, np.uint32)
    >>> take_places(table, np.array([7, 6]), 2)
    >>> table.tolist()
    [0, 1, 0, 0, 0, 0, 2, 0]
    """
    for k in range(count):
        table[place_of(table, known, known[k])] = k + 1


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
        How many different keys there are.

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
    table, known = np.zeros(PLACES, np.uint32), np.zeros(PLACES // 2, np.int64)
    count = row = 0
    while row < len(key):
        # A loop that replaces arrays counts their references on each turn, at the price of ten
        # rows, so the one over rows is another one.
        while row < len(key) and count < len(known):
            place = place_of(table, known, key[row])
            if table[place] == 0:
                known[count] = key[row]
                count += 1
                table[place] = count
            number[row] = table[place] - 1
            row += 1
        if count == len(known):
            known = np.append(known, np.zeros_like(known))
            table = np.zeros(2 * len(table), np.uint32)
            take_places(table, known, count)
    return count
