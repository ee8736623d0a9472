"""A wavelet matrix: the k-th smallest value of a range of rows, and the count below a value.

The values are split by their highest bit, zeros before ones and otherwise in their order, then
each level by its next bit. A range of rows stays a range on every level, so a query walks down the
levels with two ends per range. The functions are helpers of kernels.

Source: Claude, Navarro, Ordóñez, "The wavelet matrix" (2015); its use for window frames is after
Vogelsgesang et al., "Efficient evaluation of arbitrarily-framed holistic SQL aggregates" (2022).
"""

import numpy as np

from kernels.core.arrays import Ints, Words
from kernels.core.helper import helper
from kernels.structures.bits import count_bits

#: A word holds 2 ** SHIFT bits.
SHIFT = 5
LAST = (1 << SHIFT) - 1


@helper
def wavelet(values: Ints, limit: int) -> tuple[Words, Words]:
    """Return the bits of each level, and how many ones come before each of their words.

    The values are 0 to limit - 1. O(values · log limit) bits and time.

    Examples
    --------
    >>> import numpy as np
    >>> bits, ones = wavelet(np.array([2, 0, 3, 1]), 4)
    >>> [f"{word:04b}" for word in bits[:, 0]]  # the first row's bit is the last one written
    ['0101', '1010']
    """
    levels = 1
    while limit > 1 << levels:
        levels += 1
    width = (len(values) >> SHIFT) + 1
    bits, ones = np.zeros((levels, width), np.uint32), np.zeros((levels, width + 1), np.uint32)
    now, split = values.copy(), np.zeros(len(values), np.int64)
    for level in range(levels):
        shift, zeros, ones_count = levels - 1 - level, 0, 0
        for i in range(len(now)):
            if (now[i] >> shift) & 1:
                bits[level, i >> SHIFT] |= np.uint32(1 << (i & LAST))
                split[ones_count] = now[i]
                ones_count += 1
            else:
                now[zeros] = now[i]
                zeros += 1
        now[zeros:] = split[:ones_count]
        for word in range(width):
            ones[level, word + 1] = ones[level, word] + count_bits(int(bits[level, word]))
    return bits, ones


@helper
def ones_before(bits: Words, ones: Words, level: int, i: int) -> int:
    """Return how many of the first i bits of a level are set. O(1).

    Examples
    --------
    >>> import numpy as np
    >>> bits, ones = wavelet(np.array([2, 0, 3, 1]), 4)
    >>> ones_before(bits, ones, 0, 3)
    2
    """
    word = i >> SHIFT
    before = int(bits[level, word]) & ((1 << (i & LAST)) - 1)
    return int(ones[level, word]) + count_bits(before)


@helper
def kth_smallest(bits: Words, ones: Words, rows: int, first: Ints, last: Ints, k: int) -> int:
    """Return the value that has k smaller values in several ranges of rows.

    It overwrites the ranges ``first[p]`` to ``last[p]``. O(ranges · levels).

    Examples
    --------
    >>> import numpy as np
    >>> bits, ones = wavelet(np.array([2, 0, 3, 1]), 4)
    >>> kth_smallest(bits, ones, 4, np.array([0, 3]), np.array([1, 4]), 1)  # of 2 and 1
    2
    """
    value, levels = 0, len(bits)
    for level in range(levels):
        zeros = 0
        for p in range(len(first)):
            zeros += last[p] - ones_before(bits, ones, level, last[p])
            zeros -= first[p] - ones_before(bits, ones, level, first[p])
        of_ones = k >= zeros
        split = rows - int(ones[level, -1])
        for p in range(len(first)):
            before, within = (
                ones_before(bits, ones, level, first[p]),
                ones_before(bits, ones, level, last[p]),
            )
            if of_ones:
                first[p], last[p] = split + before, split + within
            else:
                first[p], last[p] = first[p] - before, last[p] - within
        if of_ones:
            value |= 1 << (levels - 1 - level)
            k -= zeros
    return value


@helper
def count_below(bits: Words, ones: Words, rows: int, first: int, last: int, limit: int) -> int:
    """Return how many values of a range of rows are below a limit. O(levels).

    Examples
    --------
    >>> import numpy as np
    >>> bits, ones = wavelet(np.array([2, 0, 3, 1]), 4)
    >>> count_below(bits, ones, 4, 0, 3, 3)
    2
    """
    levels = len(bits)
    if limit >> levels:
        return last - first
    below = 0
    for level in range(levels):
        before = ones_before(bits, ones, level, first)
        within = ones_before(bits, ones, level, last)
        if (limit >> (levels - 1 - level)) & 1:
            below += (last - within) - (first - before)
            split = rows - int(ones[level, -1])
            first, last = split + before, split + within
        else:
            first, last = first - before, last - within
    return below
