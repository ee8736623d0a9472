"""Exact sums and means of integers and decimals, even where sums exceed 64 bits.

Each number is split into parts of 32 bits, whose sums cannot overflow: fewer than 2**31 rows add up
to less than 2**63. In addition, the numbers themselves are summed with wrap-around, which gives the
lowest 64 bits of the true sum; the other parts give the bits above.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from workbench.columnar.columns import numbers, of_words, upper_words
from workbench.functions.catalogue import MOST_DIGITS, MOST_PRECISION

BITS = 32
MASK = 2**BITS - 1
#: Integers below this are exact as floats.
EXACT = 2.0**53


def count_parts(kind: pa.DataType) -> int:
    """Return the number of parts in which numbers of a type are summed.

    Examples
    --------
    >>> count_parts(pa.int64()), count_parts(pa.decimal128(18, 2)), count_parts(pa.decimal128(19))
    (2, 2, 4)
    """
    return 4 if pa.types.is_decimal(kind) and kind.precision > MOST_DIGITS else 2


def scale_of(kind: pa.DataType) -> int:
    """Return the number of digits after the decimal point of a type."""
    return int(kind.scale) if pa.types.is_decimal(kind) else 0


def part(values: pa.Array, number: int) -> Ints:
    """Return a part of each value, 0 for null.

    Parameters
    ----------
    values : pyarrow.Array
        Integers or decimals.
    number : int
        1 for the lowest 64 bits of the value; 2 for its bits from 32 on, 3 for those from 64 on, 4
        for those from 96 on. Parts have 32 bits, the last one all bits above.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> values = pa.array([5, -1, 2**40])
    >>> part(values, 1).tolist(), part(values, 2).tolist()
    ([5, -1, 1099511627776], [0, -1, 256])
    """
    word: Ints = numbers(values) if number <= 2 else upper_words(values)
    if number == 1:
        return word
    bits: Ints = word if number == 3 else word >> BITS
    if number < count_parts(values.type):
        bits &= MASK
    return bits


def few_parts(values: pa.Array) -> list[Ints]:
    """Return the fewest parts of a column that exact sums of its values need.

    Examples
    --------
    >>> len(few_parts(pa.array([5, 7]))), len(few_parts(pa.array([2**62, 2**62])))
    (1, 2)
    """
    column = numbers(values)
    count = count_parts(values.type)
    if count > 2 and (upper_words(values) != column >> 63).any():
        return [part(values, number) for number in range(1, count + 1)]
    return [column, column >> BITS] if may_overflow(column) else [column]


def may_overflow(column: Ints) -> bool:
    """Return whether a sum of some of the numbers may need more than 64 bits."""
    return bool(np.abs(column.astype(np.float64)).sum() >= 2.0**62)


class Words(NamedTuple):
    """Sums as 128-bit integers.

    Attributes
    ----------
    upper : int64 array
    lower : uint64 array
    fits : bool array
        Where 128 bits hold the sum.
    """

    upper: Ints
    lower: NDArray[np.uint64]
    fits: NDArray[np.bool_]


def words(sums: Sequence[Ints]) -> Words:
    """Return exact sums from the sums of parts.

    Parameters
    ----------
    sums : sequence of int64 arrays of one shape
        The sums of the first part, of the first two, or of all four.

    Examples
    --------
    >>> values = pa.array([2**63 - 1] * 3)
    >>> total = words([part(values, number).sum(keepdims=True) for number in (1, 2)])
    >>> int(total.upper[0]) * 2**64 + int(total.lower[0]) == 3 * (2**63 - 1)
    True
    """
    lower = sums[0].view(np.uint64)
    fits = np.ones(len(lower), np.bool_)
    if len(sums) == 1:
        return Words(sums[0] >> 63, lower, fits)
    carry = _carry(sums)
    if len(sums) == 2:
        return Words(carry >> BITS, lower, fits)
    low = sums[2] + (carry >> BITS)
    top = sums[3] + (low >> BITS)
    fits = (top >= -(2**31)) & (top < 2**31)
    return Words((top << BITS) + (low & MASK), lower, fits)


def _carry(sums: Sequence[Any]) -> Any:
    """Return the sum of the second part plus the carry of the lowest 32 bits."""
    # The second part holds the first without its lowest 32 bits, whose sum is the difference.
    lowest = sums[0].view(np.uint64) - (sums[1].view(np.uint64) << np.uint64(BITS))
    return sums[1] + (lowest >> np.uint64(BITS)).view(np.int64)


def exact_sum(sums: Sequence[int]) -> int:
    """Return one exact sum from the sums of its parts.

    Examples
    --------
    >>> values = pa.array([2**63 - 1] * 3)
    >>> exact_sum([int(part(values, number).sum()) for number in (1, 2)]) == 3 * (2**63 - 1)
    True
    """
    if len(sums) == 1:
        return sums[0]
    lowest = (sums[0] - (sums[1] << BITS)) % 2**64
    return lowest + sum(one << BITS * number for number, one in enumerate(sums[1:], 1))


def sums_column(column: str, sums: Sequence[Ints], empty: Any, kind: pa.DataType) -> pa.Array:
    """Return sums as a column: longs of integers, decimals of decimals.

    Parameters
    ----------
    column : str
        The name of the result column.
    sums : sequence of int64 arrays of shape (rows,)
        In the form of :func:`words`.
    empty : bool array of shape (rows,)
        Where there are no values to sum.
    kind : pyarrow.DataType
        The type of the summed values.

    Returns
    -------
    pyarrow.Array

    Raises
    ------
    OverflowError
        When a sum does not fit the type.
    """
    if len(sums) == 1 and not pa.types.is_decimal(kind):
        return pa.array(sums[0], mask=empty)
    upper, lower, fits = words(sums)
    if not pa.types.is_decimal(kind):
        if (upper != lower.view(np.int64) >> 63).any():
            raise OverflowError(f"{column}: {TOO_LARGE}")
        return pa.array(lower.view(np.int64), mask=empty)
    wide = pa.decimal128(min(kind.precision + 10, MOST_PRECISION), kind.scale)
    if wide.precision == MOST_PRECISION and not (empty | (fits & _has_digits(upper, lower))).all():
        raise OverflowError(f"{column}: {TOO_MANY_DIGITS}")
    return of_words(upper, lower, empty, wide)


TOO_LARGE = "a sum does not fit a 64-bit integer; cast the column to double."
TOO_MANY_DIGITS = "a sum has more than 38 digits; cast the column to double."


def _has_digits(upper: Ints, lower: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return where a 128-bit integer has no more digits than a decimal can hold."""
    (high, low), (least, last) = (divmod(one * 10**MOST_PRECISION, 2**64) for one in (1, -1))
    below = (upper < high) | ((upper == high) & (lower < np.uint64(low)))
    return np.asarray(below & ((upper > least) | ((upper == least) & (lower > np.uint64(last)))))


def means(sums: Sequence[Ints], rows: Ints, scale: int = 0) -> NDArray[np.float64]:
    """Return exact sums divided by their numbers of rows, as the nearest floats.

    Parameters
    ----------
    sums : sequence of int64 arrays of shape (rows,)
        In the form of :func:`words`.
    rows : int64 array of shape (rows,)
        Where it is 0, the result is undefined.
    scale : int
        The number of digits after the decimal point.

    Returns
    -------
    float64 array of shape (rows,)

    Examples
    --------
    >>> means([np.array([10, 2**62 + 2])], np.array([4, 3])).tolist()
    [2.5, 1.5372286728091292e+18]
    """
    total, divisor = sums[0], rows * 10.0**scale
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = total / divisor
    if len(sums) == 1 and _is_exact(total) and _is_exact(divisor):
        return np.asarray(quotient)
    is_short = (total >= -EXACT) & (total <= EXACT) & (words(sums).upper == total >> 63)
    is_exact = (is_short & (divisor <= EXACT)) | (rows == 0)
    inexact = np.flatnonzero(~is_exact)
    if scale == 0 and len(sums) < 3:
        quotient[inexact] = _long_division([one[inexact] for one in sums], rows[inexact])
        return np.asarray(quotient)
    parts = zip(*(one[inexact].tolist() for one in sums), strict=True)
    parts_and_counts = zip(parts, rows[inexact].tolist(), strict=True)
    quotient[inexact] = [exact_sum(one) / (count * 10**scale) for one, count in parts_and_counts]
    return np.asarray(quotient)


def _is_exact(numbers: NDArray[Any]) -> bool:
    """Return whether all integers are exact as floats."""
    return bool(numbers.min(initial=0) >= -EXACT and numbers.max(initial=0) <= EXACT)


def _long_division(sums: Sequence[Ints], rows: Ints) -> NDArray[np.float64]:
    """Return the nearest floats to sums of 2**53 and more, divided by less than 2**31 rows."""
    upper, lower, _ = words(sums)
    negative = upper < 0
    low = np.where(negative, ~lower + np.uint64(1), lower)
    high = np.where(negative, ~upper + (low == 0), upper)
    # The quotient is no greater than the summed numbers, so 64 bits hold its absolute value; as a
    # signed integer, 2**63 is the least one.
    middle = (high << BITS) + (low >> np.uint64(BITS)).view(np.int64)
    first, rest = np.divmod(middle, rows)
    second, rest = np.divmod((rest << BITS) + (low & np.uint64(MASK)).view(np.int64), rows)
    whole = (first << BITS) + second
    # With more than 54 bits, and a bit for any remainder, it is rounded only once.
    more = np.clip(62 - np.frexp(whole.astype(np.float64))[1], 0, BITS)
    digits, rest = np.divmod(rest << more, rows)
    exact = (((whole << more) + digits) << 1) + (rest > 0)
    quotient = np.ldexp(exact.view(np.uint64).astype(np.float64), -1 - more)
    quotient = np.where(whole < 0, 2.0**63, quotient)
    return np.where(negative, -quotient, quotient)
