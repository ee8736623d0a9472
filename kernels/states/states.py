"""The states of aggregates, which are updated with rows and combined with later states.

A state is a named tuple of numbers of one type. ``update`` adds a row, ``combine`` appends a state
of later rows, and ``inverse``, which some states have, removes a row. All are plain methods: a
trace runs them uncompiled, and compiled kernels find them by the type of the state, so that the
compiled code can be cached on disk. A kernel takes the empty state as an argument.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload, overload_method, register_jitable
from numpy.typing import NDArray

from kernels.core.helper import helper

NO_ROW = -1
#: Numbers from 1 / NEAR to NEAR have fourth powers within the range of a double. Others are
#: measured in units: powers of two from LEAST_UNIT on, each UNITS_APART times the one before.
NEAR, LEAST_UNIT, UNITS_APART = 2.0**170, 2.0**-1020, 2.0**340


@helper
def is_far(value: float) -> bool:
    """Return whether a number is so large or so small that its unit is not one.

    Examples
    --------
    >>> [is_far(value) for value in (-7.0, 0.0, 1e80, 1e-80, float("inf"))]
    [False, False, True, True, False]
    """
    size = abs(value)
    # Without branches, the processor can test several numbers at once.
    return bool(((size >= NEAR) & (size < np.inf)) | ((size > 0.0) & (size < 1.0 / NEAR)))


@helper
def unit_of(value: float) -> float:
    """Return the power of two in which a number is measured.

    Examples
    --------
    >>> unit_of(-7.0), unit_of(0.0), unit_of(1e80) == 2.0**340, unit_of(1e-80) == 2.0**-340
    (1.0, 1.0, True, True)
    """
    if not is_far(value):
        return 1.0
    unit = LEAST_UNIT
    while abs(value) >= unit * NEAR:
        unit *= UNITS_APART
    return unit


def units_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit of each number, as :func:`unit_of` does.

    Examples
    --------
    >>> units_of(np.array([-7.0, 0.0, 1e80])).tolist() == [1.0, 1.0, 2.0**340]
    True
    """
    units, size = np.ones(len(values)), np.abs(values)
    for row in np.flatnonzero((size >= NEAR) | (size < 1.0 / NEAR)):
        units[row] = unit_of(values[row])
    return units


@helper
def common_unit(unit: float, is_zero: bool, other_unit: float, other_is_zero: bool) -> float:
    """Return the common unit of two states: the larger one, ignoring states of zeros.

    Examples
    --------
    >>> common_unit(1.0, True, 0.25, False), common_unit(1.0, False, 0.25, False)
    (0.25, 1.0)
    """
    if is_zero:
        return other_unit
    return unit if other_is_zero else max(unit, other_unit)


class Count(NamedTuple):
    """The number of rows.

    Examples
    --------
    >>> Count().update(7, 7, 0)
    Count(rows=1)
    """

    rows: int = 0

    def update(self, value: int, other: int, row: int) -> "Count":
        """Count a row."""
        return Count(self.rows + 1)

    def combine(self, later: "Count") -> "Count":
        """Count later rows."""
        return Count(self.rows + later.rows)

    def inverse(self, value: int, other: int, row: int) -> "Count":
        """Remove a row."""
        return Count(self.rows - 1)


class Sum(NamedTuple):
    """The total and the number of rows; exact for integers within 64 bits.

    Examples
    --------
    >>> Sum(0, 0).update(7, 0, 0).combine(Sum(5, 2))
    Sum(total=12, rows=3)
    """

    total: float
    rows: float

    def update(self, value: float, other: float, row: int) -> "Sum":
        """Add a value."""
        return Sum(self.total + value, self.rows + 1)

    def combine(self, later: "Sum") -> "Sum":
        """Add a later total."""
        return Sum(self.total + later.total, self.rows + later.rows)

    def inverse(self, value: float, other: float, row: int) -> "Sum":
        """Remove a value."""
        return Sum(self.total - value, self.rows - 1)


class Product(NamedTuple):
    """The product.

    Examples
    --------
    >>> Product().update(7.0, 0, 0).update(2.0, 0, 1)
    Product(product=14.0)
    """

    product: float = 1.0

    def update(self, value: float, other: float, row: int) -> "Product":
        """Multiply by a value."""
        return Product(self.product * value)

    def combine(self, later: "Product") -> "Product":
        """Multiply by a later product."""
        return Product(self.product * later.product)


class Flags(NamedTuple):
    """The number of flags that are set, and of those that are not.

    Examples
    --------
    >>> Flags().update(1, 1, 0).update(0, 0, 1)
    Flags(on=1, off=1)
    """

    on: int = 0
    off: int = 0

    def update(self, value: int, other: int, row: int) -> "Flags":
        """Count a flag."""
        return Flags(self.on + value, self.off + 1 - value)

    def combine(self, later: "Flags") -> "Flags":
        """Count later flags."""
        return Flags(self.on + later.on, self.off + later.off)

    def inverse(self, value: int, other: int, row: int) -> "Flags":
        """Remove a flag."""
        return Flags(self.on - value, self.off - 1 + value)


class Bits(NamedTuple):
    """The bits set in all integers, those set in any, and those set in an odd number of them.

    Examples
    --------
    >>> Bits().update(6, 6, 0).update(3, 3, 1)
    Bits(every=2, some=7, odd=5)
    """

    every: int = -1
    some: int = 0
    odd: int = 0

    def update(self, value: int, other: int, row: int) -> "Bits":
        """Add an integer."""
        return Bits(self.every & value, self.some | value, self.odd ^ value)

    def combine(self, later: "Bits") -> "Bits":
        """Add later integers."""
        return Bits(self.every & later.every, self.some | later.some, self.odd ^ later.odd)


class First(NamedTuple):
    """The first row.

    Examples
    --------
    >>> First().update(7, 0, 3).update(8, 0, 4)
    First(row=3)
    """

    row: int = NO_ROW

    def update(self, value: int, other: int, row: int) -> "First":
        """Add a row."""
        return First(row) if self.row == NO_ROW else self

    def combine(self, later: "First") -> "First":
        """Add later rows."""
        return later if self.row == NO_ROW else self


class Last(NamedTuple):
    """The last row.

    Examples
    --------
    >>> Last().update(7, 0, 3).update(8, 0, 4)
    Last(row=4)
    """

    row: int = NO_ROW

    def update(self, value: int, other: int, row: int) -> "Last":
        """Add a row."""
        return Last(row)

    def combine(self, later: "Last") -> "Last":
        """Add later rows."""
        return self if later.row == NO_ROW else later


class Least(NamedTuple):
    """The smallest key and the first row that has it.

    Examples
    --------
    >>> Least().update(7, 0, 0).update(5, 0, 1).update(5, 0, 2)
    Least(key=5, row=1)
    """

    key: int = 0
    row: int = NO_ROW

    def update(self, value: int, other: int, row: int) -> "Least":
        """Add a key."""
        return Least(value, row) if self.row == NO_ROW or value < self.key else self

    def combine(self, later: "Least") -> "Least":
        """Add later keys."""
        if self.row == NO_ROW or (later.row != NO_ROW and later.key < self.key):
            return later
        return self


class Greatest(NamedTuple):
    """The largest key and the first row that has it.

    Examples
    --------
    >>> Greatest().update(7, 0, 0).update(9, 0, 1).update(9, 0, 2)
    Greatest(key=9, row=1)
    """

    key: int = 0
    row: int = NO_ROW

    def update(self, value: int, other: int, row: int) -> "Greatest":
        """Add a key."""
        return Greatest(value, row) if self.row == NO_ROW or value > self.key else self

    def combine(self, later: "Greatest") -> "Greatest":
        """Add later keys."""
        if self.row == NO_ROW or (later.row != NO_ROW and later.key > self.key):
            return later
        return self


class Moments(NamedTuple):
    """Count, mean and the sums of powers of the distances from the mean.

    The formulas are those of Welford (1962), Chan, Golub and LeVeque (1979) and Pébay (2008): the
    mean is subtracted before anything is squared, so large values lose no digits.

    Examples
    --------
    >>> Moments().update(1.0, 0, 0).update(3.0, 0, 1)
    Moments(rows=2.0, mean=2.0, second=2.0, third=0.0, fourth=2.0)
    """

    rows: float = 0.0
    mean: float = 0.0
    second: float = 0.0
    third: float = 0.0
    fourth: float = 0.0

    def update(self, value: float, other: float, row: int) -> "Moments":
        """Add a value."""
        return self.combine(Moments(1.0, value, 0.0, 0.0, 0.0))

    def combine(self, later: "Moments") -> "Moments":
        """Add later values."""
        if self.rows == 0.0:
            return later
        if later.rows == 0.0:
            return self
        a, b = self.rows, later.rows
        rows = a + b
        step = (later.mean - self.mean) / rows
        second = self.second + later.second + step * step * rows * a * b
        third = (
            self.third
            + later.third
            + step * step * step * rows * a * b * (a - b)
            + 3 * step * (a * later.second - b * self.second)
        )
        fourth = (
            self.fourth
            + later.fourth
            + step * step * step * step * rows * a * b * (a * a - a * b + b * b)
            + 6 * step * step * (a * a * later.second + b * b * self.second)
            + 4 * step * (a * later.third - b * self.third)
        )
        return Moments(rows, self.mean + step * b, second, third, fourth)


class Spread(NamedTuple):
    """Count, mean and the sum of the squares of the distances from the mean.

    The formulas are those of Welford (1962) and Chan, Golub and LeVeque (1979).

    Examples
    --------
    >>> Spread().update(1.0, 0, 0).update(3.0, 0, 1)
    Spread(rows=2.0, mean=2.0, squares=2.0)
    """

    rows: float = 0.0
    mean: float = 0.0
    squares: float = 0.0

    def update(self, value: float, other: float, row: int) -> "Spread":
        """Add a value."""
        rows = self.rows + 1.0
        mean = self.mean + (value - self.mean) / rows
        return Spread(rows, mean, self.squares + (value - self.mean) * (value - mean))

    def combine(self, later: "Spread") -> "Spread":
        """Add later values."""
        if self.rows == 0.0:
            return later
        if later.rows == 0.0:
            return self
        rows, distance = self.rows + later.rows, later.mean - self.mean
        part = later.rows / rows
        squares = self.squares + later.squares + distance * distance * self.rows * part
        return Spread(rows, self.mean + distance * part, squares)


@helper
def moved_by(mean: float, step: float, later: float) -> float:
    """Return a mean after later values; it is infinite if one of them or the mean was.

    Examples
    --------
    >>> moved_by(1.0, 0.5, 2.0), moved_by(float("inf"), float("-inf"), 2.0)
    (1.5, inf)
    """
    return mean + step if abs(step) < np.inf else mean + later


class Joint(NamedTuple):
    """Count, means, and sums of squares and products of two columns' distances from their means.

    Examples
    --------
    >>> Joint().update(1.0, 5.0, 0).update(3.0, 7.0, 1)
    Joint(rows=2.0, mean=2.0, other_mean=6.0, squares=2.0, other_squares=2.0, products=2.0)
    """

    rows: float = 0.0
    mean: float = 0.0
    other_mean: float = 0.0
    squares: float = 0.0
    other_squares: float = 0.0
    products: float = 0.0

    def update(self, value: float, other: float, row: int) -> "Joint":
        """Add a pair."""
        # A value that is not finite has no finite spread.
        zero, other_zero = value - value, other - other
        return self.combine(Joint(1.0, value, other, zero, other_zero, zero + other_zero))

    def combine(self, later: "Joint") -> "Joint":
        """Add later pairs."""
        if self.rows == 0.0:
            return later
        if later.rows == 0.0:
            return self
        rows = self.rows + later.rows
        part, weight = later.rows / rows, self.rows * later.rows / rows
        x, y = later.mean - self.mean, later.other_mean - self.other_mean
        return Joint(
            rows,
            moved_by(self.mean, x * part, later.mean),
            moved_by(self.other_mean, y * part, later.other_mean),
            self.squares + later.squares + x * x * weight,
            self.other_squares + later.other_squares + y * y * weight,
            self.products + later.products + x * y * weight,
        )


class ScaledMoments(NamedTuple):
    """:class:`Moments` of numbers of any size, measured in a power of two.

    Examples
    --------
    >>> far = ScaledMoments().update(2.0**300, 0, 0).update(3 * 2.0**300, 0, 1)
    >>> far.rows, far.mean * far.unit == 2.0**301, far.second / far.mean**2
    (2.0, True, 0.5)
    """

    rows: float = 0.0
    mean: float = 0.0
    second: float = 0.0
    third: float = 0.0
    fourth: float = 0.0
    unit: float = 1.0

    def update(self, value: float, other: float, row: int) -> "ScaledMoments":
        """Add a value."""
        unit = unit_of(value)
        return self.combine(ScaledMoments(1.0, value / unit, 0.0, 0.0, 0.0, unit))

    def combine(self, later: "ScaledMoments") -> "ScaledMoments":
        """Add later values."""
        if self.rows == 0.0:
            return later
        if later.rows == 0.0:
            return self
        zero = self.mean == 0.0 and self.second == 0.0
        zero_too = later.mean == 0.0 and later.second == 0.0
        unit = common_unit(self.unit, zero, later.unit, zero_too)
        combined = moments_in(unit, self).combine(moments_in(unit, later))
        return ScaledMoments(
            combined.rows, combined.mean, combined.second, combined.third, combined.fourth, unit
        )


@helper
def moments_in(unit: float, m: ScaledMoments) -> Moments:
    """Return moments measured in another unit.

    Examples
    --------
    >>> moments_in(2.0, ScaledMoments(2.0, 4.0, 8.0, 0.0, 32.0, 1.0))
    Moments(rows=2.0, mean=2.0, second=2.0, third=0.0, fourth=2.0)
    """
    # One factor at a time: its powers may underflow when the product does not.
    by = m.unit / unit
    second, third = m.second * by * by, m.third * by * by * by
    return Moments(m.rows, m.mean * by, second, third, m.fourth * by * by * by * by)


class ScaledSpread(NamedTuple):
    """:class:`Spread` of numbers of any size, measured in a power of two.

    Examples
    --------
    >>> far = ScaledSpread().update(2.0**600, 0, 0).update(3 * 2.0**600, 0, 1)
    >>> far.rows, far.mean * far.unit == 2.0**601, far.squares / far.mean**2
    (2.0, True, 0.5)
    """

    rows: float = 0.0
    mean: float = 0.0
    squares: float = 0.0
    unit: float = 1.0

    def update(self, value: float, other: float, row: int) -> "ScaledSpread":
        """Add a value."""
        unit = unit_of(value)
        # A value that is not finite has no finite spread.
        return self.combine(ScaledSpread(1.0, value / unit, value - value, unit))

    def combine(self, later: "ScaledSpread") -> "ScaledSpread":
        """Add later values."""
        if self.rows == 0.0:
            return later
        if later.rows == 0.0:
            return self
        zero = self.mean == 0.0 and self.squares == 0.0
        zero_too = later.mean == 0.0 and later.squares == 0.0
        unit = common_unit(self.unit, zero, later.unit, zero_too)
        combined = spread_in(unit, self).combine(spread_in(unit, later))
        return ScaledSpread(combined.rows, combined.mean, combined.squares, unit)


@helper
def spread_in(unit: float, s: ScaledSpread) -> Spread:
    """Return a spread measured in another unit.

    Examples
    --------
    >>> spread_in(2.0, ScaledSpread(2.0, 4.0, 8.0, 1.0))
    Spread(rows=2.0, mean=2.0, squares=2.0)
    """
    by = s.unit / unit
    return Spread(s.rows, s.mean * by, s.squares * by * by)


class ScaledJoint(NamedTuple):
    """:class:`Joint` of numbers of any size, each column measured in a power of two.

    Examples
    --------
    >>> far = ScaledJoint().update(2.0**300, 2.0**-300, 0).update(3 * 2.0**300, 2.0**-300, 1)
    >>> far.rows, far.mean * far.unit == 2.0**301, far.other_mean * far.other_unit == 2.0**-300
    (2.0, True, True)
    """

    rows: float = 0.0
    mean: float = 0.0
    other_mean: float = 0.0
    squares: float = 0.0
    other_squares: float = 0.0
    products: float = 0.0
    unit: float = 1.0
    other_unit: float = 1.0

    def update(self, value: float, other: float, row: int) -> "ScaledJoint":
        """Add a pair."""
        unit, other_unit = unit_of(value), unit_of(other)
        pair = value / unit, other / other_unit
        # A value that is not finite has no finite spread.
        zero, other_zero = value - value, other - other
        products = zero + other_zero
        return self.combine(
            ScaledJoint(1.0, pair[0], pair[1], zero, other_zero, products, unit, other_unit)
        )

    def combine(self, later: "ScaledJoint") -> "ScaledJoint":
        """Add later pairs."""
        if self.rows == 0.0:
            return later
        if later.rows == 0.0:
            return self
        zero = self.mean == 0.0 and self.squares == 0.0
        zero_too = later.mean == 0.0 and later.squares == 0.0
        unit = common_unit(self.unit, zero, later.unit, zero_too)
        zero = self.other_mean == 0.0 and self.other_squares == 0.0
        zero_too = later.other_mean == 0.0 and later.other_squares == 0.0
        other_unit = common_unit(self.other_unit, zero, later.other_unit, zero_too)
        combined = joint_in(unit, other_unit, self).combine(joint_in(unit, other_unit, later))
        return ScaledJoint(
            combined.rows,
            combined.mean,
            combined.other_mean,
            combined.squares,
            combined.other_squares,
            combined.products,
            unit,
            other_unit,
        )


@helper
def joint_in(unit: float, other_unit: float, j: ScaledJoint) -> Joint:
    """Return the statistics of two columns, measured in other units.

    Examples
    --------
    >>> joint_in(2.0, 1.0, ScaledJoint(2.0, 4.0, 5.0, 8.0, 2.0, 4.0, 1.0, 1.0))[1:]
    (2.0, 5.0, 2.0, 2.0, 2.0)
    """
    by, other_by = j.unit / unit, j.other_unit / other_unit
    return Joint(
        j.rows,
        j.mean * by,
        j.other_mean * other_by,
        j.squares * by * by,
        j.other_squares * other_by * other_by,
        j.products * by * other_by,
    )


@helper
def store(states: NDArray[Any], at: int, state: Any) -> None:
    """Write a state into a row of a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> states = np.zeros((1, 2), np.int64)
    >>> store(states, 0, Least(5, 1))
    >>> states.tolist()
    [[5, 1]]
    """
    for k in range(len(state)):
        states[at, k] = state[k]


def load(empty: Any, states: NDArray[Any], at: int) -> Any:
    """Return the state in a row of a matrix, of the class of the empty state.

    Examples
    --------
    >>> import numpy as np
    >>> load(Count(), np.array([[3]]), 0)
    Count(rows=3)
    """
    return type(empty)(*states[at].tolist())


LOAD = "lambda empty, states, at: kind({})"


@overload(load)
def _load(empty, states, at):  # type: ignore[no-untyped-def]
    fields = ", ".join(f"states[at, {k}]" for k in range(len(empty)))
    return eval(LOAD.format(fields), {"kind": empty.instance_class})


def _compiled(state: Any, name: str) -> Callable[..., Any]:
    """Return a method of a state's class as a function that compiled code can call."""
    function: Callable[..., Any] = register_jitable(getattr(state.instance_class, name))
    return function


@overload_method(types.NamedUniTuple, "update")
def _update(self, value, other, row):  # type: ignore[no-untyped-def]
    method = _compiled(self, "update")
    return lambda self, value, other, row: method(self, value, other, row)


@overload_method(types.NamedUniTuple, "combine")
def _combine(self, later):  # type: ignore[no-untyped-def]
    method = _compiled(self, "combine")
    return lambda self, later: method(self, later)


@overload_method(types.NamedUniTuple, "inverse")
def _inverse(self, value, other, row):  # type: ignore[no-untyped-def]
    method = _compiled(self, "inverse")
    return lambda self, value, other, row: method(self, value, other, row)
