"""``fill``: interpolate missing values linearly between their neighbours, along the order key.

The reference is DuckDB, including the rounding of integers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Float64Column, Int64Column, Int64Row, Uint8Column, kernel
from kernels.frames.frames import number_in_block
from kernels.frames.ordering import Order
from kernels.windows.lead_lag import NONE


@kernel
def fill_between(
    key: Float64Column,
    missing: Uint8Column,
    usable: Uint8Column,
    valid: Int64Row,
    point: Int64Column,
    low: Int64Column,
    high: Int64Column,
    part: Float64Column,
) -> None:
    """Write the two rows between whose values each missing value is interpolated.

    Parameters
    ----------
    key : float64 array of shape (rows,)
        The order key.
    missing : uint8 array of shape (rows,)
        1 where a value is missing, else 0.
    usable : uint8 array of shape (rows,)
        1 where a value can be a point of a line, else 0.
    valid : int64 array of shape (2,)
        The half-open range of rows that have a key.
    point : int64 array of shape (rows,)
        Working memory.
    low, high : int64 arrays of shape (rows,)
        Written: the rows of the two points, which are the same if there is only one or if the row
        has its own value; -1 if there is none.
    part : float64 array of shape (rows,)
        Written: the row's fraction of the way from ``low`` to ``high``: below 0 or above 1 outside.

    Notes
    -----
    O(n). The points are the neighbours on both sides, or the nearest two if one side has none.
    Rows with an infinite or NaN key are not on a line.

    Examples
    --------
    >>> import numpy as np
    >>> one, zero = np.ones(4, np.uint8), np.zeros(4, np.uint8)
    >>> given = np.array([1, 0, 1, 0], np.uint8)
    >>> columns = np.zeros((3, 4), np.int64)
    >>> part = np.zeros(4)
    >>> fill_between(np.array([0.0, 1, 4, 8]), 1 - given, given, np.array([0, 4]), *columns, part)
    >>> columns[1].tolist(), columns[2].tolist(), part.tolist()
    ([0, 0, 2, 0], [0, 2, 2, 2], [0.0, 0.25, 0.0, 2.0])
    """
    points = 0
    for i in range(valid[0], valid[1]):
        if usable[i] == 1 and np.isfinite(key[i]):
            point[points] = i
            points += 1  #: Row {i} is point {points - 1}.
    passed = 0
    for i in range(len(key)):
        low[i], high[i], part[i] = i, i, 0.0
        if passed < points and point[passed] == i:
            passed += 1
        if missing[i] == 0:
            continue
        if points == 0 or i < valid[0] or i >= valid[1] or not np.isfinite(key[i]):
            low[i], high[i] = NONE, NONE  #: Row {i} stays without a value.
            continue
        one = max(0, min(passed - 1, points - 2))
        low[i], high[i] = point[one], point[min(one + 1, points - 1)]
        # The distance of very large keys may overflow a double.
        scale = 1.0 if np.isfinite(key[high[i]] - key[low[i]]) else 0.5
        span = scale * key[high[i]] - scale * key[low[i]]
        if span != 0:
            away = scale * key[i] - scale * key[low[i]]
            part[i] = away / span  #: Row {i}: {part[i]} of the way.


def fill(
    order: Order,
    value: NDArray[Any],
    given: NDArray[np.uint8],
    bits: int = 64,
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values with missing ones interpolated linearly: ``fill``.

    Parameters
    ----------
    order : Order
        With a single key.
    value : int64, float64 or object array of shape (rows,)
        Integers also for timestamps, dates and decimals; objects are integers of any size.
    given : uint8 array of shape (rows,)
        1 where the value is not NULL.
    bits : int
        The number of bits of the integer type in the table.

    Returns
    -------
    value : array of shape (rows,)
        Of the same dtype. Before the first value and after the last one, the nearest two are
        extrapolated; a single value is repeated. Integers are truncated between two values and
        rounded outside of them; those that are objects are truncated there as well.
    given : bool array of shape (rows,)
        False where a value is still missing: the row has no finite key, or its partition no value.

    Raises
    ------
    ValueError
        When the order has no single key.

    Notes
    -----
    O(rows). Infinite and NaN values stay unchanged and are not points of a line. An integer stays
    missing if it, or its distance from the point where the line begins, needs more bits than its
    type has.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels.frames.ordering import order_by_key
    >>> order = order_by_key(np.array([0, 4]), np.array([0, 1, 4, 8]))
    >>> value, given = fill(order, np.array([2.0, 0, 4, 0]), np.array([1, 0, 1, 0], np.uint8))
    >>> value.tolist()
    [2.0, 2.5, 4.0, 6.0]
    """
    if order.key is None:
        raise ValueError("order: fill needs an order by exactly one column.")
    usable = given * np.isfinite(value.astype(np.float64, copy=False))
    columns = [np.zeros(order.rows, np.int64) for _ in range(3)]
    part, missing = np.zeros(order.rows), 1 - given
    fill_between.over(order.offsets, order.key, missing, usable, order.valid, *columns, part)
    low, high = columns[1:]
    for row in (low, high):
        number_in_block.over(order.offsets, order.offsets[:-1, None], row)
    filled = (missing == 1) & (low != NONE)
    at = np.flatnonzero(filled)
    line, within = _interpolate(value[low[at]], value[high[at]], part[at], bits)
    # A single point is copied: a large integer would change in a computation with doubles.
    single = low[at] == high[at]
    line, within = np.where(single, value[low[at]], line), within | single
    filled[at] = within
    result = value.copy()
    result[at[within]] = line[within]
    return result, filled | (given == 1)


def _interpolate(
    low: NDArray[Any], high: NDArray[Any], part: NDArray[np.float64], bits: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the interpolated values, and where they fit into their type."""
    if low.dtype == np.float64:
        return _interpolate_floats(low, high, part)
    interpolate_integers = (
        _interpolate_wide_integers if low.dtype == object else _interpolate_integers
    )
    return interpolate_integers(low, high, part, bits)


def _interpolate_floats(
    low: NDArray[np.float64], high: NDArray[np.float64], part: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    with np.errstate(invalid="ignore", over="ignore"):
        return low * (1 - part) + high * part, np.ones(len(part), np.bool_)


def _interpolate_integers(
    low: NDArray[np.int64], high: NDArray[np.int64], part: NDArray[np.float64], bits: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the interpolated integers, and where they fit into so many bits."""
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    between = (part >= 0) & (part <= 1)
    first = low.astype(np.float64)
    inside = np.trunc(_multiplied_and_added(high.astype(np.float64) - first, part, first))
    # Outside, the distance from the smaller of the two points is rounded.
    part = np.where(low > high, 1 - part, part)
    low, high = np.minimum(low, high), np.maximum(low, high)
    outside = np.copysign(np.rint((high.astype(np.float64) - low) * np.abs(part)), part)
    moved = np.where(between, inside, outside)
    within = (moved >= least) & (moved < float(most + 1))
    moved = np.where(within, moved, 0).astype(np.int64)
    reached = low + moved
    no_overflow = ((moved < 0) == (reached < low)) & (reached >= least) & (reached <= most)
    within &= between | no_overflow
    return np.where(between, moved, reached), within


def _multiplied_and_added(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``a * b + c`` rounded once, like the fused instruction that DuckDB is compiled to.

    Rounded twice, the result may be 24 where DuckDB has 23.999999999999996, which it truncates to
    23. The errors of the product, by Dekker's method, and of the sum, by Knuth's, are added at the
    end.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        product = a * b
        (a, a_low), (b, b_low) = _halves(a), _halves(b)
        error = ((a * b - product) + a * b_low + a_low * b) + a_low * b_low
        total = product + c
        added = total - product
        return np.asarray(total + ((product - (total - added)) + (c - added) + error))


def _halves(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the upper 26 bits of doubles, and their remainders."""
    moved = (2.0**27 + 1) * x
    upper = moved - (moved - x)
    return upper, x - upper


def _interpolate_wide_integers(
    low: NDArray[Any], high: NDArray[Any], part: NDArray[np.float64], bits: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Interpolate Python's integers. DuckDB truncates those of more than 64 bits on both sides."""
    most, within = 2 ** (bits - 1), np.isfinite(part)
    line = np.zeros(len(part), object)
    for i in np.flatnonzero(within):
        first, last, share = low[i], high[i], float(part[i])
        if 0 <= share <= 1:
            line[i] = first + int(float(last - first) * share)
        else:
            line[i] = int(float(first) * (1 - share) + float(last) * share)
        within[i] = -most <= line[i] < most
    return line, within
