"""Adjacent runs of rows of different lengths: their offsets, and the run of each row."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernels.core.arrays import Ints


def offsets_of(sizes: ArrayLike) -> Ints:
    """Return the offsets of runs, given their sizes.

    Parameters
    ----------
    sizes : integers or booleans of shape (runs,)

    Returns
    -------
    int64 array of shape (runs + 1,)

    Examples
    --------
    >>> offsets_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    sizes = np.asarray(sizes)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def starts_of(sizes: NDArray[Any]) -> Ints:
    """Return where each run begins.

    Parameters
    ----------
    sizes : integers of shape (runs,)

    Returns
    -------
    int64 array of shape (runs,)

    Examples
    --------
    >>> starts_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2]
    """
    return np.asarray(np.cumsum(sizes, dtype=np.int64) - sizes, np.int64)


def places_in_runs(sizes: NDArray[Any]) -> Ints:
    """Return the position of each row in its run, from 0.

    Examples
    --------
    >>> places_in_runs(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    starts = np.repeat(starts_of(sizes), sizes)
    return np.arange(len(starts)) - starts


def begins_run(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each row begins a run of equal rows.

    Parameters
    ----------
    *columns : arrays of shape (rows,)
        At least one.

    Returns
    -------
    bool array of shape (rows,)

    Examples
    --------
    >>> begins_run(np.array([7, 7, 5, 5]), np.array([1, 1, 1, 2])).tolist()
    [True, False, True, True]
    """
    begins = np.ones(len(columns[0]), np.bool_)
    begins[1:] = columns[0][1:] != columns[0][:-1]
    for column in columns[1:]:
        begins[1:] |= column[1:] != column[:-1]
    return begins


def run_of_rows(offsets: NDArray[Any]) -> Ints:
    """Return the number of each row's run.

    Examples
    --------
    >>> run_of_rows(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def rows_of_runs(first: NDArray[Any], sizes: NDArray[Any]) -> Ints:
    """Return the row numbers of arbitrary runs, run by run.

    Parameters
    ----------
    first, sizes : int64 arrays of shape (runs,)

    Returns
    -------
    int64 array of shape (rows,)

    Examples
    --------
    >>> rows_of_runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    offsets = offsets_of(sizes)
    return np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], sizes)
