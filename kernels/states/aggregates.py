"""The aggregates: each is its empty state and what it makes of a state in the end."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import empty_states
from kernels.states.states import (
    Count,
    First,
    Flags,
    Greatest,
    Joint,
    Last,
    Least,
    Moments,
    Product,
    Spread,
    Sum,
)

VALUES, KEYS, PAIRS = "values", "keys", "pairs"


class Aggregate(NamedTuple):
    """What there is to know of an aggregate.

    Attributes
    ----------
    empty : state
        The state before any row, of :mod:`kernels.states.states`.
    finalize : function
        Makes the answer of a state, or the answers of states whose fields are columns.
    takes : str
        "values" for numbers; "pairs" for two columns of them; "keys" for integers in the order of
        the values: then the answer is a row.
    needs : int
        Fewer rows than this have no answer.
    """

    empty: Any
    finalize: Callable[[Any], Any]
    takes: str = VALUES
    needs: int = 1


def _skewness(m: Moments) -> Any:
    spread = np.sqrt(m.second / m.rows) ** 3
    return np.sqrt(m.rows * (m.rows - 1)) / (m.rows - 2) * (m.third / m.rows) / spread


def _excess(m: Moments) -> Any:
    return m.rows * m.fourth / (m.second * m.second) - 3


def _kurtosis(m: Moments) -> Any:
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
    "first": Aggregate(First(), lambda s: s.row, KEYS),
    "last": Aggregate(Last(), lambda s: s.row, KEYS),
    "min": Aggregate(Least(), lambda s: s.row, KEYS),
    "max": Aggregate(Greatest(), lambda s: s.row, KEYS),
    "var_pop": Aggregate(Spread(), lambda s: s.squares / s.rows),
    "var_samp": Aggregate(Spread(), lambda s: s.squares / (s.rows - 1), needs=2),
    "stddev_pop": Aggregate(Spread(), lambda s: np.sqrt(s.squares / s.rows)),
    "stddev_samp": Aggregate(Spread(), lambda s: np.sqrt(s.squares / (s.rows - 1)), needs=2),
    "skewness": Aggregate(Moments(), _skewness, needs=3),
    "kurtosis_pop": Aggregate(Moments(), _excess, needs=2),
    "kurtosis": Aggregate(Moments(), _kurtosis, needs=4),
    "covar_pop": Aggregate(Joint(), lambda s: s.products / s.rows, PAIRS),
    "covar_samp": Aggregate(Joint(), lambda s: s.products / (s.rows - 1), PAIRS, needs=2),
    "corr": Aggregate(Joint(), lambda s: s.products / np.sqrt(s.squares * s.other_squares), PAIRS),
}

# Tuples of equal numbers are equal: what tells states apart are their types.
_distinct = {(type(one.empty), type(one.empty[0])): one.empty for one in AGGREGATES.values()}
empty_states[:] = _distinct.values()


def finalized(name: str, matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the answers of states.

    Parameters
    ----------
    name : str
        One of :data:`AGGREGATES`.
    matrix : array of shape (rows, fields)
        A state a row.

    Returns
    -------
    array of shape (rows,)
        Where there are fewer rows than the aggregate needs: NaN, 0 or -1.

    Examples
    --------
    >>> finalized("avg", np.array([[6.0, 4.0], [0.0, 0.0]])).tolist()
    [1.5, nan]
    """
    aggregate = AGGREGATES[name]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(aggregate.finalize(type(aggregate.empty)(*matrix.T)))
