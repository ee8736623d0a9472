"""Count and find the bits of a word: plain Python uncompiled, one instruction when compiled."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, overload

from kernels.core.helper import helper


def lowest_bit(word: int) -> int:
    """Return the position of the lowest set bit; the word must not be zero.

    Examples
    --------
    >>> lowest_bit(0b1100)
    2
    """
    return int(word & -word).bit_length() - 1


def highest_bit(word: int) -> int:
    """Return the position of the highest set bit; the word must be positive.

    Examples
    --------
    >>> highest_bit(0b1100)
    3
    """
    return int(word).bit_length() - 1


def count_bits(word: int) -> int:
    """Return how many bits of a word are set; the word must not be negative.

    Examples
    --------
    >>> count_bits(0b1101)
    3
    """
    return int(word).bit_count()


@helper
def nth_bit(word: int, n: int) -> int:
    """Return the position of the set bit with n set bits below it, in a word of 32 bits.

    It is a binary search without branches that the processor would have to predict.

    Examples
    --------
    >>> nth_bit(0b1011, 2)
    3
    """
    position = 0
    for width in (16, 8, 4, 2, 1):
        below = count_bits((word >> position) & ((1 << width) - 1))
        above = int(n >= below)
        n -= below * above
        position += width * above
    return position


def _compile_to(function: Callable[[int], int], emit: Callable[[Any, Any], Any]) -> None:
    """Make compiled code run one instruction instead of a call of a function of a word."""

    def type_and_generator(_context, word):  # type: ignore[no-untyped-def]
        def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
            return emit(builder, arguments[0])

        return numba.int64(numba.int64), generate

    instruction: Any = intrinsic(type_and_generator)
    overload(function)(lambda word: lambda word: instruction(np.int64(word)))


_NO = ir.Constant(ir.IntType(1), 0)
_MOST = ir.Constant(ir.IntType(64), 63)
_compile_to(lowest_bit, lambda builder, word: builder.cttz(word, _NO))
_compile_to(highest_bit, lambda builder, word: builder.sub(_MOST, builder.ctlz(word, _NO)))
_compile_to(count_bits, lambda builder, word: builder.ctpop(word))
