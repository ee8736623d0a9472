"""Events at the same time, which are ordered by the values that the functions read."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from workbench.columnar.columns import codes_in_order, present


def ties(time: Ints, offsets: Ints) -> NDArray[np.bool_]:
    """Return which rows have the same time as the previous row of their key.

    Examples
    --------
    >>> ties(np.array([5, 5, 5]), np.array([0, 2, 3])).tolist()
    [False, True, False]
    """
    is_tie = np.concatenate([[False], time[1:] == time[:-1]])[: len(time)]
    is_tie[offsets[:-1][np.diff(offsets) > 0]] = False
    return is_tie


def in_order_of(
    columns: Mapping[str, pa.Array],
    names: Sequence[str],
    row: NDArray[Any],
    is_tie: NDArray[np.bool_],
) -> tuple[Ints, Ints]:
    """Return the positions of tied rows, and their order by some columns, nulls first.

    Parameters
    ----------
    columns : mapping of str to pyarrow.Array
    names : sequence of str
    row : integer array of shape (places,)
        The row of the columns at each position.
    is_tie : bool array of shape (places,)
        From :func:`ties`.

    Returns
    -------
    tied : int64 array
    order : int64 array
        The permutation of the tied rows that sorts them.
    """
    tied = np.flatnonzero(is_tie | np.concatenate([is_tie[1:], [False]]))
    keys = [np.cumsum(~is_tie)[tied]]
    for name in names:
        values = columns[name].take(pa.array(row[tied]))
        valid = present(values)
        keys += [valid, np.where(valid, codes_in_order(values), 0)]
    return tied, np.lexsort(keys[::-1])
