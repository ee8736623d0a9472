"""Events at the same time: their order comes from the values that are asked for."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from workbench.columnar.columns import codes_in_order, present


def ties(time: Ints, offsets: Ints) -> NDArray[np.bool_]:
    """Return which rows have the time of the row before them in their key.

    Examples
    --------
    >>> ties(np.array([5, 5, 5]), np.array([0, 2, 3])).tolist()
    [False, True, False]
    """
    again = np.concatenate([[False], time[1:] == time[:-1]])[: len(time)]
    again[offsets[:-1][np.diff(offsets) > 0]] = False
    return again


def in_order_of(
    columns: Mapping[str, pa.Array],
    names: Sequence[str],
    row: NDArray[Any],
    again: NDArray[np.bool_],
) -> tuple[Ints, Ints]:
    """Return the places of rows that tie, and their order by some columns, null before all.

    Parameters
    ----------
    columns : mapping of str to pyarrow.Array
    names : sequence of str
    row : integer array of shape (places,)
        The row of the columns at each place.
    again : bool array of shape (places,)
        From :func:`ties`.

    Returns
    -------
    tied : int64 array
    order : int64 array
        Which of these comes to each of them.
    """
    tied = np.flatnonzero(again | np.concatenate([again[1:], [False]]))
    keys = [np.cumsum(~again)[tied]]
    for name in names:
        values = columns[name].take(pa.array(row[tied]))
        valid = present(values)
        keys += [valid, np.where(valid, codes_in_order(values), 0)]
    return tied, np.lexsort(keys[::-1])
