"""The aggregates: an empty state and a function that computes results from states, for each."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Float64Column, empty_states, kernel
from kernels.states.states import (
    Bits,
    Count,
    First,
    Flags,
    Greatest,
    Joint,
    Last,
    Least,
    Moments,
    Product,
    ScaledJoint,
    ScaledMoments,
    ScaledSpread,
    Spread,
    Sum,
    is_far,
)

VALUES, KEYS, PAIRS = "values", "keys", "pairs"


class Aggregate(NamedTuple):
    """The definition of an aggregate.

    Attributes
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`.
    finalize : function
        Computes the result of a state, or the results of states whose fields are columns.
    takes : str
        "values" for numbers; "pairs" for two columns of numbers; "keys" for integers in the order
        of the values, for which the result is a row number.
    needs : int
        The least number of rows that have a result.
    nan_is_null : bool
        Whether NaN means that there is no result, as when equal values have no spread to divide by.
    """

    empty: Any
    finalize: Callable[[Any], Any]
    takes: str = VALUES
    needs: int = 1
    nan_is_null: bool = False


def _in_ones(number: Any, *units: Any) -> Any:
    """Return a number that is measured in a product of powers of two, in ones."""
    if all(np.all(unit == 1.0) for unit in units):
        return number
    # The product of the units may overflow or underflow when the number does not.
    return np.ldexp(number, sum(np.frexp(unit)[1] - 1 for unit in units))


def _variance(s: ScaledSpread, missing: int = 0) -> Any:
    return _in_ones(s.squares / (s.rows - missing), s.unit, s.unit)


def _deviation(s: ScaledSpread, missing: int = 0) -> Any:
    return np.sqrt(s.squares / (s.rows - missing)) * s.unit


def _covariance(s: ScaledJoint, missing: int = 0) -> Any:
    return _in_ones(s.products / (s.rows - missing), s.unit, s.other_unit)


def _slope(s: ScaledJoint) -> Any:
    up, down = np.frexp(s.unit)[1], np.frexp(s.other_unit)[1]
    return np.ldexp(s.products / s.other_squares, up - down)


def _intercept(s: ScaledJoint) -> Any:
    # In the state's units, as the slope alone may underflow when its product does not.
    return (s.mean - s.products / s.other_squares * s.other_mean) * s.unit


def _determination(s: ScaledJoint) -> Any:
    """Return the square of the correlation; a constant fits equal values perfectly."""
    share = s.products / s.squares * (s.products / s.other_squares)
    return np.where((s.squares == 0) & (s.other_squares > 0), 1.0, share)


def _skewness(m: ScaledMoments) -> Any:
    spread = np.sqrt(m.second / m.rows) ** 3
    return np.sqrt(m.rows * (m.rows - 1)) / (m.rows - 2) * (m.third / m.rows) / spread


def _excess(m: ScaledMoments) -> Any:
    return m.rows * m.fourth / (m.second * m.second) - 3


def _kurtosis(m: ScaledMoments) -> Any:
    scale = (m.rows - 1) / ((m.rows - 2) * (m.rows - 3))
    return scale * ((m.rows + 1) * _excess(m) + 6)


SUM, INTEGER_SUM = Sum(0.0, 0.0), Sum(0, 0)

#: Every aggregate by its name in SQL.
AGGREGATES = {
    "count": Aggregate(Count(), lambda s: s.rows, needs=0),
    "sum": Aggregate(SUM, lambda s: s.total),
    "integer_sum": Aggregate(INTEGER_SUM, lambda s: s.total),
    "avg": Aggregate(SUM, lambda s: s.total / s.rows),
    "integer_avg": Aggregate(INTEGER_SUM, lambda s: s.total / s.rows),
    "product": Aggregate(Product(), lambda s: s.product),
    "bool_and": Aggregate(Flags(), lambda s: s.off == 0),
    "bool_or": Aggregate(Flags(), lambda s: s.on > 0),
    "bit_and": Aggregate(Bits(), lambda s: s.every),
    "bit_or": Aggregate(Bits(), lambda s: s.some),
    "bit_xor": Aggregate(Bits(), lambda s: s.odd),
    "first": Aggregate(First(), lambda s: s.row, KEYS),
    "last": Aggregate(Last(), lambda s: s.row, KEYS),
    "min": Aggregate(Least(), lambda s: s.row, KEYS),
    "max": Aggregate(Greatest(), lambda s: s.row, KEYS),
    "var_pop": Aggregate(ScaledSpread(), _variance),
    "var_samp": Aggregate(ScaledSpread(), lambda s: _variance(s, 1), needs=2),
    "stddev_pop": Aggregate(ScaledSpread(), _deviation),
    "stddev_samp": Aggregate(ScaledSpread(), lambda s: _deviation(s, 1), needs=2),
    "sem": Aggregate(ScaledSpread(), lambda s: _deviation(s) / np.sqrt(s.rows)),
    "skewness": Aggregate(ScaledMoments(), _skewness, needs=3, nan_is_null=True),
    "kurtosis_pop": Aggregate(ScaledMoments(), _excess, needs=2, nan_is_null=True),
    "kurtosis": Aggregate(ScaledMoments(), _kurtosis, needs=4, nan_is_null=True),
    "covar_pop": Aggregate(ScaledJoint(), _covariance, PAIRS),
    "covar_samp": Aggregate(ScaledJoint(), lambda s: _covariance(s, 1), PAIRS, needs=2),
    "corr": Aggregate(
        ScaledJoint(), lambda s: s.products / np.sqrt(s.squares * s.other_squares), PAIRS
    ),
    "regr_count": Aggregate(ScaledJoint(), lambda s: s.rows, PAIRS, needs=0),
    "regr_avgy": Aggregate(ScaledJoint(), lambda s: s.mean * s.unit, PAIRS),
    "regr_avgx": Aggregate(ScaledJoint(), lambda s: s.other_mean * s.other_unit, PAIRS),
    "regr_syy": Aggregate(ScaledJoint(), lambda s: _in_ones(s.squares, s.unit, s.unit), PAIRS),
    "regr_sxx": Aggregate(
        ScaledJoint(), lambda s: _in_ones(s.other_squares, s.other_unit, s.other_unit), PAIRS
    ),
    "regr_sxy": Aggregate(
        ScaledJoint(), lambda s: _in_ones(s.products, s.unit, s.other_unit), PAIRS
    ),
    "regr_slope": Aggregate(ScaledJoint(), _slope, PAIRS),
    "regr_intercept": Aggregate(ScaledJoint(), _intercept, PAIRS, nan_is_null=True),
    "regr_r2": Aggregate(ScaledJoint(), _determination, PAIRS, nan_is_null=True),
}

#: Those that executors know. An aggregate that is added at run time is sent with its calls.
KNOWN_TO_EXECUTORS = frozenset(AGGREGATES)

#: Cheaper states for numbers that are measured in ones, by the states for numbers of any size.
IN_ONES = {ScaledSpread: Spread(), ScaledMoments: Moments(), ScaledJoint: Joint()}

# Tuples of equal numbers are equal, so states are distinguished by their types.
_empty = [*(aggregate.empty for aggregate in AGGREGATES.values()), *IN_ONES.values()]
empty_states[:] = {(type(state), type(state[0])): state for state in _empty}.values()


@kernel
def count_far(value: Float64Column) -> int:
    """Return how many numbers are so large or so small that their unit is not one.

    Parameters
    ----------
    value : float64 array of shape (rows,)

    Returns
    -------
    int

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> count_far(np.array([0.0, 7.0, 1e80, np.nan]))
    1
    """
    count = 0
    for row in range(len(value)):
        count += is_far(value[row])  #: Up to row {row}, {count} are far from one.
    return count


def empty_for(name: str, value: NDArray[Any], other: NDArray[Any]) -> Any:
    """Return the empty state of an aggregate for some columns.

    Parameters
    ----------
    name : str
        One of :data:`AGGREGATES`.
    value, other : arrays of shape (rows,)
        The columns to aggregate, of the type of the state's fields; twice the same column if the
        aggregate takes one.

    Returns
    -------
    state
        The aggregate's empty state, or a simpler one if all numbers are measured in ones. The
        fields of the simpler state are the first fields of the other.

    Examples
    --------
    >>> value = np.array([1.0, 2.0])
    >>> empty_for("stddev_samp", value, value)
    Spread(rows=0.0, mean=0.0, squares=0.0)
    """
    empty = AGGREGATES[name].empty
    simple = IN_ONES.get(type(empty))
    if simple is None or _has_far(value) or (other is not value and _has_far(other)):
        return empty
    return simple


def _has_far(column: NDArray[Any]) -> bool:
    return bool(count_far.over(np.array([0, len(column)]), column)[0])


def finalized(name: str, matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the results of states.

    Parameters
    ----------
    name : str
        One of :data:`AGGREGATES`.
    matrix : array of shape (rows, fields)
        One state per row; the fields of units may be missing if all numbers are measured in ones.

    Returns
    -------
    array of shape (rows,)
        NaN, 0 or -1 for states with fewer rows than the aggregate needs.

    Examples
    --------
    >>> finalized("avg", np.array([[6.0, 4.0], [0.0, 0.0]])).tolist()
    [1.5, nan]
    """
    aggregate = AGGREGATES[name]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        return np.asarray(aggregate.finalize(type(aggregate.empty)(*matrix.T)))


def without_answer(name: str, answers: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which results are undefined, and so NULL in SQL.

    Parameters
    ----------
    name : str
        One of :data:`AGGREGATES`.
    answers : array of shape (rows,)
        As :func:`finalized` returns them.
    rows : int64 array of shape (rows,)
        The number of rows of each result.

    Returns
    -------
    bool array of shape (rows,)

    Examples
    --------
    >>> without_answer("stddev_samp", np.array([0.0, np.nan]), np.array([1, 2])).tolist()
    [True, False]
    """
    aggregate = AGGREGATES[name]
    missing = rows < aggregate.needs
    return np.asarray(missing | np.isnan(answers) if aggregate.nan_is_null else missing)
