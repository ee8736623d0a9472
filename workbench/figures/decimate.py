"""Fewer points for the same picture: of each pixel column what the pixels show, and no peak less."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tsdownsample import M4Downsampler

#: The first, the last, the least and the greatest of a column's points.
A_COLUMN = 4


def within(x: NDArray[Any], low: Any, high: Any) -> slice:
    """Return the points from one place to another, both inclusive.

    Examples
    --------
    >>> within(np.array([1, 2, 3, 4, 5]), 2, 3.5)
    slice(1, 3, None)
    """
    return slice(int(np.searchsorted(x, low, "left")), int(np.searchsorted(x, high, "right")))


def in_view(x: NDArray[Any], low: Any, high: Any) -> slice:
    """Return the points from one place to another, and the next one on either side.

    Parameters
    ----------
    x : array of shape (points,)
        Ascending.
    low, high : value of the same type

    Returns
    -------
    slice

    Examples
    --------
    >>> in_view(np.array([1, 2, 3, 4, 5]), 2.5, 3.5)
    slice(1, 4, None)
    """
    inside = within(x, low, high)
    return slice(max(inside.start - 1, 0), min(inside.stop + 1, len(x)))


def line_points(x: NDArray[Any], y: NDArray[np.float64], columns: int) -> NDArray[np.int64]:
    """Return the points of a line that draw the same picture as all of them.

    Parameters
    ----------
    x : int64, float64 or datetime64 array of shape (points,)
        Ascending.
    y : float64 array of shape (points,)
        NaN where the line has a gap.
    columns : int
        How many pixels wide the picture is.

    Returns
    -------
    int64 array
        Ascending positions, at most four a column: its first point, its last one, its least and
        its greatest, so that each column of pixels is covered as far as by all points.

    Notes
    -----
    O(points).

    Source: Jugel, Jerzak, Hackenbroich and Markl, "M4: a visualization-oriented time series data
    aggregation" (2014).

    Examples
    --------
    >>> y = np.zeros(1000)
    >>> y[517] = 9
    >>> points = line_points(np.arange(1000), y, columns=10)
    >>> 517 in points, len(points) <= 40
    (True, True)
    """
    if len(x) <= A_COLUMN * columns:
        return np.arange(len(x))
    # The columns are counted from the first point in equal steps, which a width of zero has not.
    across = [np.ascontiguousarray(x)] if x[0] < x[-1] else []
    found = M4Downsampler().downsample(*across, np.ascontiguousarray(y), n_out=A_COLUMN * columns)
    return np.unique(found).astype(np.int64)


def mark_points(
    x: NDArray[Any], y: NDArray[np.float64], cells: tuple[int, int]
) -> NDArray[np.int64]:
    """Return marks that draw nearly the same picture as all of them.

    Parameters
    ----------
    x : int64, float64 or datetime64 array of shape (marks,)
        Ascending.
    y : float64 array of shape (marks,)
        Finite.
    cells : (int, int)
        How many cells the picture is wide and high; a mark covers about one.

    Returns
    -------
    int64 array
        Ascending positions: of the marks in a cell, which hide each other, the first; and of
        each column its least and its greatest.

    Notes
    -----
    O(marks · log marks).

    Examples
    --------
    >>> y = np.ones(1000)
    >>> y[517] = 9
    >>> mark_points(np.arange(1000), y, cells=(2, 2)).tolist()
    [0, 499, 500, 517, 999]
    """
    if len(x) <= A_COLUMN * cells[0]:
        return np.arange(len(x))
    across, up = (_cell(values, count) for values, count in zip((x, y), cells, strict=True))
    _, first = np.unique(across * cells[1] + up, return_index=True)
    return np.union1d(first, line_points(x, y, cells[0]))


def _cell(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    low, high = values.min(), values.max()
    if low == high:
        return np.zeros(len(values), np.int64)
    return np.minimum((values - low) / ((high - low) / count), count - 1).astype(np.int64)
