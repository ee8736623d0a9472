"""A set of ranks with fast search of the next and the previous member.

One bit per rank tells whether it is in the set; one bit per word of 32 tells whether that word is
not empty, and so on up to a single word. This is a van Emde Boas tree with words of 32 bits (van
Emde Boas 1975). The functions are helpers of kernels: plain Python in a trace, inlined when
compiled.
"""

import numpy as np

from kernels.core.arrays import Ints, Words
from kernels.core.helper import helper
from kernels.structures.bits import count_bits, highest_bit, lowest_bit, nth_bit

NONE = -1
#: A word has 2 ** SHIFT bits.
SHIFT = 5
LAST = (1 << SHIFT) - 1


@helper
def rank_set(size: int) -> tuple[Words, Ints]:
    """Return an empty set for the ranks 0 to size - 1: its words, and where each level starts.

    Examples
    --------
    >>> words, starts = rank_set(100)
    >>> len(words), starts.tolist()
    (5, [0, 4])
    """
    starts = np.zeros(8, np.int64)
    levels, words, width = 0, 0, size
    while width > 1 or levels == 0:
        starts[levels] = words
        width = (width + LAST) >> SHIFT
        words += max(width, 1)
        levels += 1
    return np.zeros(words, np.uint32), starts[:levels].copy()


@helper
def add_rank(words: Words, starts: Ints, rank: int) -> None:
    """Add a rank to the set. O(log size), and mostly one step.

    Examples
    --------
    >>> words, starts = rank_set(100)
    >>> add_rank(words, starts, 40)
    >>> next_rank(words, starts, 3)
    40
    """
    for level in range(len(starts)):
        at = starts[level] + (rank >> SHIFT)
        before = words[at]
        words[at] = np.uint32(int(before) | (1 << (rank & LAST)))
        if before != 0:
            break
        rank >>= SHIFT


@helper
def remove_rank(words: Words, starts: Ints, rank: int) -> None:
    """Remove a rank that is in the set. O(log size), and mostly one step.

    Examples
    --------
    >>> words, starts = rank_set(100)
    >>> add_rank(words, starts, 40)
    >>> remove_rank(words, starts, 40)
    >>> next_rank(words, starts, 3)
    -1
    """
    for level in range(len(starts)):
        at = starts[level] + (rank >> SHIFT)
        remaining = int(words[at]) ^ (1 << (rank & LAST))
        words[at] = np.uint32(remaining)
        if remaining != 0:
            break
        rank >>= SHIFT


@helper
def next_rank(words: Words, starts: Ints, rank: int) -> int:
    """Return the smallest member above a rank, or -1. O(log size).

    Examples
    --------
    >>> words, starts = rank_set(100)
    >>> add_rank(words, starts, 40)
    >>> next_rank(words, starts, 3), next_rank(words, starts, 40)
    (40, -1)
    """
    for level in range(len(starts)):
        above = int(words[starts[level] + (rank >> SHIFT)]) >> (rank & LAST) >> 1
        if above != 0:
            rank += 1 + lowest_bit(above)
            for lower in range(level - 1, -1, -1):
                rank = (rank << SHIFT) + lowest_bit(int(words[starts[lower] + rank]))
            return rank
        rank >>= SHIFT
    return NONE


@helper
def previous_rank(words: Words, starts: Ints, rank: int) -> int:
    """Return the largest member below a rank, or -1. O(log size).

    Examples
    --------
    >>> words, starts = rank_set(100)
    >>> add_rank(words, starts, 40)
    >>> previous_rank(words, starts, 99), previous_rank(words, starts, 40)
    (40, -1)
    """
    for level in range(len(starts)):
        below = int(words[starts[level] + (rank >> SHIFT)]) & ((1 << (rank & LAST)) - 1)
        if below != 0:
            rank = (rank & ~LAST) + highest_bit(below)
            for lower in range(level - 1, -1, -1):
                rank = (rank << SHIFT) + highest_bit(int(words[starts[lower] + rank]))
            return rank
        rank >>= SHIFT
    return NONE


@helper
def walk(words: Words, starts: Ints, rank: int, below: int, index: int) -> int:
    """Return the member that has ``index`` members below it.

    The walk starts at a rank, in the set or not, with ``below`` members below it, and makes one
    step per word that has members.

    Examples
    --------
    >>> words, starts = rank_set(100)
    >>> for member in (10, 40, 70):
    ...     add_rank(words, starts, member)
    >>> walk(words, starts, 41, 2, 0), walk(words, starts, 0, 0, 2)
    (10, 70)
    """
    at = rank >> SHIFT
    below -= count_bits(int(words[at]) & ((1 << (rank & LAST)) - 1))
    while below > index:
        at = previous_rank(words, starts, at << SHIFT) >> SHIFT
        below -= count_bits(int(words[at]))
    members = count_bits(int(words[at]))
    while below + members <= index:
        below += members
        at = next_rank(words, starts, (at << SHIFT) + LAST) >> SHIFT
        members = count_bits(int(words[at]))
    return (at << SHIFT) + nth_bit(int(words[at]), index - below)
