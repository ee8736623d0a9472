"""Fewer points for the same picture: those that each column of pixels shows, with all peaks.

tsdownsample 0.1.5 has the same algorithm, but drops points that share the last position of the
axis, and plotly-resampler 0.11 does not work with plotly 7.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: The points of a column: the first, the last, the least and the greatest.
A_COLUMN = 4


def within(x: NDArray[Any], low: Any, high: Any) -> slice:
    """Return the slice of points from one position to another, both inclusive.

    Examples
    --------
    >>> within(np.array([1, 2, 3, 4, 5]), 2, 3.5)
    slice(1, 3, None)
    """
    return slice(int(np.searchsorted(x, low, "left")), int(np.searchsorted(x, high, "right")))


def in_view(x: NDArray[Any], low: Any, high: Any) -> slice:
    """Return the slice of points from one position to another, and the next one on either side.

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
        The width of the picture in pixels.

    Returns
    -------
    int64 array
        Ascending positions, at most four for each column of pixels: its first, last, least and
        greatest point, which cover the same pixels as all points.

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
    points = {0, len(x) - 1}
    for first, last in pairwise(_column_ends(x, columns)):
        least, most = _extremes(y[first:last])
        points |= {first, first + least, first + most, last - 1}
    return np.array(sorted(points))


class Columns(NamedTuple):
    """The summary of a line for each column of pixels.

    Attributes
    ----------
    point : int64 array of shape (columns,)
        The middle point of each column.
    least, middle, most : float64 arrays of shape (columns,)
        The least value, the median and the greatest one; NaN if a column has no value.
    """

    point: NDArray[np.int64]
    least: NDArray[np.float64]
    middle: NDArray[np.float64]
    most: NDArray[np.float64]


def column_summary(x: NDArray[Any], y: NDArray[np.float64], columns: int) -> Columns | None:
    """Return the least, the median and the greatest value of each column of pixels.

    Parameters
    ----------
    x, y, columns
        As in :func:`line_points`.

    Returns
    -------
    Columns or None
        None if there are so few points that each is drawn.

    Notes
    -----
    O(points).

    Examples
    --------
    >>> x = np.arange(1000)
    >>> summary = column_summary(x, np.where(x == 517, 99.0, x % 3), columns=10)
    >>> summary.most.tolist().index(99), summary.middle.tolist()[:2], len(summary.point)
    (5, [1.0, 1.0], 10)
    """
    if len(x) <= A_COLUMN * columns:
        return None
    ends = np.array(_column_ends(x, columns))
    first, last = ends[:-1], ends[1:]
    with np.errstate(all="ignore"):
        least, most = np.fmin.reduceat(y, first), np.fmax.reduceat(y, first)
        gaps = np.isnan(y).any()
        parts = (y[a:b] for a, b in pairwise(ends.tolist()))
        middle = [_median(part[~np.isnan(part)] if gaps else part) for part in parts]
    return Columns((first + last) // 2, least, np.array(middle), most)


def _median(y: NDArray[np.float64]) -> float:
    """Return the median, NaN for no values; NumPy's takes thrice as long, as it checks for NaN."""
    half = len(y) // 2
    if not len(y):
        return np.nan
    parts = np.partition(y, half)
    return float(parts[half] if len(y) % 2 else (parts[:half].max() + parts[half]) / 2)


def _extremes(y: NDArray[np.float64]) -> tuple[int, int]:
    least, most = int(y.argmin()), int(y.argmax())
    empty = np.isnan(y) if np.isnan(y[least]) else None
    if empty is None:
        return least, most
    return int(np.where(empty, np.inf, y).argmin()), int(np.where(empty, -np.inf, y).argmax())


def _column_ends(x: NDArray[Any], columns: int) -> list[int]:
    """Return the begins of the columns that have points, and the end of the last one."""
    positions = x.view(np.int64) if x.dtype.kind == "M" else x
    low, high = positions[0].item(), positions[-1].item()
    share = [(high - low) * k for k in range(1, columns)]
    whole = positions.dtype.kind == "i"
    edges = [low + (part // columns if whole else part / columns) for part in share]
    cuts = np.searchsorted(positions, np.array(edges, positions.dtype), "right")
    return [int(cut) for cut in np.unique([0, *cuts, len(x)])]


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
        The width and height of the picture in cells, one of which a mark about covers.

    Returns
    -------
    int64 array
        Ascending positions: the first mark of each cell, which hides the others, and the least
        and the greatest of each column.

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
    cell = np.minimum((values - low) / ((high - low) / count), count - 1)
    return np.asarray(cell, np.int64)
