"""A series with the quantiles of the window around each of its rows, and its outliers."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Floats
from workbench.columnar.columns import floats, numbers, present
from workbench.columnar.key_codes import as_array
from workbench.engine.order import measured
from workbench.windows.bands.call import band_of, rebuilt
from workbench.windows.bands.prepared_series import Key, PreparedSeries
from workbench.windows.over import Over

QUARTILES = (0.25, 0.75)
#: Tukey's fences: how many interquartile ranges beyond the quartiles a value is an outlier.
FENCE = 1.5


@dataclass(frozen=True)
class Band:
    """A series in its order, with the moving quantiles around it.

    Attributes
    ----------
    x : datetime64, int64 or float64 array of shape (rows,)
        Ascending: the one column of the order where it holds numbers or times, else the row.
    y : float64 array of shape (rows,)
        NaN where there is no value.
    quantiles : dict of float to float64 array of shape (rows,)
        Of the row's own window, by their share, ascending; NaN where the window has no value.
    outlier : int8 array of shape (rows,)
        1 where the value is more than 1.5 interquartile ranges above the upper quartile of its
        own window, -1 where it is as far below the lower one, else 0.
    unplaced : int
        Rows that cannot be drawn: their order is null or NaN, or their value infinite.
    quartiles : (float64 array, float64 array) or None
        Of the row's own window, what outliers are told by.
    placed : range or None
        Which row of the series each one is, None where it is the same.
    """

    x: NDArray[Any]
    y: Floats
    quantiles: dict[float, Floats]
    outlier: NDArray[np.int8]
    unplaced: int = 0
    quartiles: tuple[Floats, Floats] | None = None
    placed: range | None = None

    @property
    def rows(self) -> range:
        """Which row of the series each one is."""
        return range(len(self.x)) if self.placed is None else self.placed

    def beyond(self, at: Any) -> Floats:
        """How many interquartile ranges the values of some rows are beyond the nearer quartile."""
        if self.quartiles is None:
            return np.zeros_like(self.y[at])
        low, high = (line[at] for line in self.quartiles)
        with np.errstate(invalid="ignore", divide="ignore"):
            beyond = np.maximum(np.maximum(self.y[at] - high, low - self.y[at]), 0)
            return np.asarray(beyond / (high - low), np.float64)


def no_band(over: Over) -> Band:
    """Return the band of a series without rows."""
    nothing = np.empty(0)
    lines = dict.fromkeys(sorted(set(over.columns[band_of(over)].options.q)), nothing)
    return Band(np.arange(0), nothing, lines, np.empty(0, np.int8))


def outlier_rows(band: Band, inside: slice, most: int) -> NDArray[np.int64]:
    """Return the outliers of a part of a series, the farthest beyond their own window first.

    Parameters
    ----------
    band : Band
    inside : slice
        The rows that are looked at.
    most : int
        The most rows that are returned.

    Examples
    --------
    >>> ends = np.zeros(4), np.ones(4)
    >>> band = Band(np.arange(4), np.array([9.0, 0, 30, -7]), {}, np.array([1, 0, 1, -1], np.int8),
    ...             quartiles=ends)
    >>> outlier_rows(band, slice(0, 4), 2).tolist(), band.beyond(slice(None)).tolist()
    ([2, 0], [8.0, 0.0, 29.0, 7.0])
    """
    at = np.flatnonzero(band.outlier[inside]) + inside.start
    farthest = np.argsort(-band.beyond(at), kind="stable")[:most]
    return np.asarray(at[farthest], np.int64)


def compute(series: PreparedSeries, over: Over, key: Key) -> Band:
    """Return a series with its band, by the functions that a Spark worker runs.

    Parameters
    ----------
    series : PreparedSeries
    over : Over
        Whose band was prepared, with any frame and quantiles.
    key : tuple
        One of ``series.sizes``.

    Returns
    -------
    Band

    Notes
    -----
    As the kernel of quantiles: O(rows) where the frame moves along with the rows.
    """
    name = band_of(over)
    function = over.columns[name]
    value = str(function.arguments[0])
    points = series.once(
        key, ("points", value), lambda: _points(over, series.rows(over, key), value)
    )
    shares = sorted({*function.options.q, *QUARTILES})
    both = replace(function, options=replace(function.options, q=tuple(shares)))
    # Each an array of its own: one of all lines is so large that the C library would give it back
    # to the system with each band, and fetch as much for the next one.
    found = {share: np.empty(len(points.value)) for share in shares}
    outlier = np.empty(len(points.value), np.int8)

    def write(rows: slice, answers: pa.Table) -> None:
        here = [line[rows] for line in found.values()]
        _write_lists(as_array(answers.column(name)), here)
        low, high = (found[share][rows] for share in QUARTILES)
        outlier[rows] = _outliers(points.value[rows], low, high)

    series.answers(rebuilt(over, over.frame, "kernel", {name: both}), key, write)
    return _band(points, found, outlier, tuple(sorted(set(function.options.q))))


class _Points(NamedTuple):
    """What no window changes of a series.

    Attributes
    ----------
    x : array
        Of the rows that have a place.
    value : float64 array of shape (rows,)
        NaN where there is none, or an infinite one.
    placed : slice
        The rows that have a place.
    infinite, unplaced : int
        How many rows with a place have an infinite value, and how many rows are not drawn.
    """

    x: NDArray[Any]
    value: Floats
    placed: slice
    infinite: int
    unplaced: int


def _points(over: Over, rows: pa.Table, name: str) -> _Points:
    place = _places(over, rows)
    placed = _placed(place)
    value = floats_or_nan(as_array(rows.column(name)))
    x, infinite = place[placed], np.isinf(value)
    drawn = int(np.count_nonzero(infinite[placed]))
    value = np.where(infinite, np.nan, value) if drawn else value
    return _Points(x, value, placed, drawn, drawn + len(rows) - len(x))


def _band(
    points: _Points, found: dict[float, Floats], outlier: NDArray[np.int8], shown: tuple[float, ...]
) -> Band:
    """The rows that have a place, of the lines of all rows."""
    at = points.placed
    x, y, rows = points.x, points.value[at], range(len(points.value))[at]
    low, high = (found[share][at] for share in QUARTILES)
    lines = {share: found[share][at] for share in shown}
    if points.infinite:
        # A gap where a picture would have to be infinitely high.
        lines = {share: np.where(np.isinf(line), np.nan, line) for share, line in lines.items()}
    return Band(x, y, lines, outlier[at], points.unplaced, (low, high), rows)


def floats_or_nan(values: pa.Array) -> Floats:
    """Return a column of numbers as float64, and NaN for null."""
    found = floats(values)
    return found if not values.null_count else np.where(present(values), found, np.nan)


def _outliers(y: Floats, low: Floats, high: Floats) -> NDArray[np.int8]:
    with np.errstate(invalid="ignore"):  # of infinite quartiles nothing is known
        reach = FENCE * (high - low)
        above, below = y > high + reach, y < low - reach
    return above.view(np.int8) - below.view(np.int8)


def _write_lists(values: pa.ListArray, lines: list[Floats]) -> None:
    """Write the first, the second … value of lists of one size; NaN for a null list."""
    lists = floats_or_nan(values.flatten()).reshape(-1, len(lines)).T
    there = present(values) if values.null_count else slice(None)
    for line, found in zip(lines, lists, strict=True):
        if values.null_count:
            line[:] = np.nan
        line[there] = found


def _places(over: Over, rows: pa.Table) -> NDArray[Any]:
    """Where each row stands on the axis; NaN or NaT where it has no place."""
    terms = over.order_by
    values = as_array(rows.column(terms[0].name)) if len(terms) == 1 else None
    if values is None or not _has_axis(values.type):
        return np.arange(1, len(rows) + 1)
    if pa.types.is_timestamp(values.type) or pa.types.is_date32(values.type):
        times = measured(values).view("M8[us]")
        return np.where(present(values), times, np.datetime64("NaT"))
    if pa.types.is_integer(values.type) and not values.null_count:
        return numbers(values)
    return floats_or_nan(values)


def _has_axis(kind: pa.DataType) -> bool:
    types = pa.types
    known = types.is_integer, types.is_floating, types.is_decimal
    times = types.is_timestamp, types.is_date32
    return any(is_kind(kind) for is_kind in (*known, *times))


def _placed(place: NDArray[Any]) -> slice:
    """The rows that have a place, in ascending order: the others stand at the ends."""
    there = np.flatnonzero(place == place)  # which NaN and NaT are not
    if not len(there):
        return slice(0, 0)
    first, last = int(there[0]), int(there[-1])
    if place[first] <= place[last]:
        return slice(first, last + 1)
    return slice(last, first - 1 if first else None, -1)
