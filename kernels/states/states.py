"""What an aggregate has to remember: a state, which takes up rows and joins with later states.

A state is a named tuple of numbers of one type. ``update`` adds a row to it, ``combine`` appends a
state of later rows, and where there is an ``inverse``, it takes back a row. All are plain methods:
a trace runs them as they are, and compiled kernels find them by the type of the state, which is
how compiled code stays on disk. The state before any row is the argument that a kernel is given.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import types
from numba.extending import overload, overload_method, register_jitable
from numpy.typing import NDArray

from kernels.core.helper import helper

NO_ROW = -1


class Count(NamedTuple):
    """How many rows there are.

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
        """Take a row back."""
        return Count(self.rows - 1)


class Sum(NamedTuple):
    """The total and how many rows it is of; exact for integers, as far as 64 bits reach.

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
        """Take a value back."""
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
    """How many flags are set, and how many are not.

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
        """Take a flag back."""
        return Flags(self.on - value, self.off - 1 + value)


class First(NamedTuple):
    """The first row.

    Examples
    --------
    >>> First().update(7, 0, 3).update(8, 0, 4)
    First(row=3)
    """

    row: int = NO_ROW

    def update(self, value: int, other: int, row: int) -> "First":
        """See a row."""
        return First(row) if self.row == NO_ROW else self

    def combine(self, later: "First") -> "First":
        """See later rows."""
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
        """See a row."""
        return Last(row)

    def combine(self, later: "Last") -> "Last":
        """See later rows."""
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
        """See a key."""
        return Least(value, row) if self.row == NO_ROW or value < self.key else self

    def combine(self, later: "Least") -> "Least":
        """See later keys."""
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
        """See a key."""
        return Greatest(value, row) if self.row == NO_ROW or value > self.key else self

    def combine(self, later: "Greatest") -> "Greatest":
        """See later keys."""
        if self.row == NO_ROW or (later.row != NO_ROW and later.key > self.key):
            return later
        return self


class Moments(NamedTuple):
    """Count, mean and the sums of the powers of the distances from the mean.

    The steps are those of Welford (1962), Chan, Golub and LeVeque (1979) and Pébay (2008): the
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

    The steps are those of Welford (1962) and Chan, Golub and LeVeque (1979).

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
        return self.combine(Joint(1.0, value, other, 0.0, 0.0, 0.0))

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
            self.mean + x * part,
            self.other_mean + y * part,
            self.squares + later.squares + x * x * weight,
            self.other_squares + later.other_squares + y * y * weight,
            self.products + later.products + x * y * weight,
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
    """Return the state in a row of a matrix; the empty state says of which kind it is.

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
    """Return a method of a state's kind as a function that compiled code can call."""
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
