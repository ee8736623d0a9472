"""A series with the quantiles of the frame of each row, and its outliers."""

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
#: Tukey's fences: a value this many interquartile ranges beyond the quartiles is an outlier.
FENCE = 1.5


@dataclass(frozen=True)
class Band:
    """A sorted series with its moving quantiles.

    Attributes
    ----------
    x : datetime64, int64 or float64 array of shape (rows,)
        Ascending: the order column where it is the only one and holds numbers or times, else the
        row.
    y : float64 array of shape (rows,)
        NaN where there is no value.
    quantiles : dict of float to float64 array of shape (rows,)
        The quantiles of each row's frame, by share, ascending; NaN where the frame has no value.
    outlier : int8 array of shape (rows,)
        1 where the value is more than 1.5 interquartile ranges above the upper quartile of its
        frame, -1 where it is that far below the lower one, else 0.
    unplaced : int
        The number of rows that cannot be drawn: their order is null or NaN, or their value is
        infinite.
    quartiles : (float64 array, float64 array) or None
        The quartiles of each row's frame, from which outliers are determined.
    placed : range or None
        The row of the series of each drawn row, None where these are equal.
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
        """The row of the series of each drawn row."""
        return range(len(self.x)) if self.placed is None else self.placed

    def beyond(self, at: Any) -> Floats:
        """Return how many interquartile ranges values are beyond the nearer quartile."""
        if self.quartiles is None:
            return np.zeros_like(self.y[at])
        low, high = (line[at] for line in self.quartiles)
        with np.errstate(invalid="ignore", divide="ignore"):
            beyond = np.maximum(np.maximum(self.y[at] - high, low - self.y[at]), 0)
            return np.asarray(beyond / (high - low), np.float64)


def no_band(over: Over) -> Band:
    """Return the band of a series without rows."""
    empty = np.empty(0)
    lines = dict.fromkeys(sorted(set(over.columns[band_of(over)].options.q)), empty)
    return Band(np.arange(0), empty, lines, np.empty(0, np.int8))


def outlier_rows(band: Band, inside: slice, most: int) -> NDArray[np.int64]:
    """Return the outliers of a slice of a series, the farthest from their quartiles first.

    Parameters
    ----------
    band : Band
    inside : slice
        The slice of rows.
    most : int
        The most rows to return.

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
    """Return a series with its band, computed by the functions that a Spark worker runs.

    Parameters
    ----------
    series : PreparedSeries
    over : Over
        The prepared call, with any frame and quantiles.
    key : tuple
        One of ``series.sizes``.

    Returns
    -------
    Band

    Notes
    -----
    The complexity of the quantile kernel: O(rows) where the frame moves along with the rows.
    """
    name = band_of(over)
    function = over.columns[name]
    value = str(function.arguments[0])
    points = series.once(
        key, ("points", value), lambda: _points(over, series.rows(over, key), value)
    )
    shares = sorted({*function.options.q, *QUARTILES})
    both = replace(function, options=replace(function.options, q=tuple(shares)))
    # Separate arrays: a single one for all lines is so large that the C library would return it to
    # the system with each band, and request as much for the next one.
    lines = {share: np.empty(len(points.value)) for share in shares}
    outlier = np.empty(len(points.value), np.int8)

    def write(rows: slice, answers: pa.Table) -> None:
        slices = [line[rows] for line in lines.values()]
        _write_lists(as_array(answers.column(name)), slices)
        low, high = (lines[share][rows] for share in QUARTILES)
        outlier[rows] = _outliers(points.value[rows], low, high)

    series.answers(rebuilt(over, over.frame, "kernel", {name: both}), key, write)
    return _band(points, lines, outlier, tuple(sorted(set(function.options.q))))


class _Points(NamedTuple):
    """The properties of a series that do not depend on the frame.

    Attributes
    ----------
    x : array
        The axis positions of the rows that have one.
    value : float64 array of shape (rows,)
        NaN where the value is null or infinite.
    placed : slice
        The rows with an axis position.
    infinite, unplaced : int
        The numbers of positioned rows with an infinite value, and of rows that are not drawn.
    """

    x: NDArray[Any]
    value: Floats
    placed: slice
    infinite: int
    unplaced: int


def _points(over: Over, rows: pa.Table, name: str) -> _Points:
    position = _axis_positions(over, rows)
    placed = _positioned_rows(position)
    value = floats_or_nan(as_array(rows.column(name)))
    x, infinite = position[placed], np.isinf(value)
    infinite_count = int(np.count_nonzero(infinite[placed]))
    value = np.where(infinite, np.nan, value) if infinite_count else value
    return _Points(x, value, placed, infinite_count, infinite_count + len(rows) - len(x))


def _band(
    points: _Points,
    all_lines: dict[float, Floats],
    outlier: NDArray[np.int8],
    shown: tuple[float, ...],
) -> Band:
    """Return the band of the rows with an axis position, from the lines of all rows."""
    at = points.placed
    x, y, rows = points.x, points.value[at], range(len(points.value))[at]
    low, high = (all_lines[share][at] for share in QUARTILES)
    lines = {share: all_lines[share][at] for share in shown}
    if points.infinite:
        # A gap instead of an infinitely high line.
        lines = {share: np.where(np.isinf(line), np.nan, line) for share, line in lines.items()}
    return Band(x, y, lines, outlier[at], points.unplaced, (low, high), rows)


def floats_or_nan(values: pa.Array) -> Floats:
    """Return a column of numbers as float64, with NaN for null."""
    column = floats(values)
    return column if not values.null_count else np.where(present(values), column, np.nan)


def _outliers(y: Floats, low: Floats, high: Floats) -> NDArray[np.int8]:
    with np.errstate(invalid="ignore"):  # infinite quartiles have no outliers
        reach = FENCE * (high - low)
        above, below = y > high + reach, y < low - reach
    return above.view(np.int8) - below.view(np.int8)


def _write_lists(values: pa.ListArray, lines: list[Floats]) -> None:
    """Write the i-th values of lists of one size to the i-th line; NaN for a null list."""
    lists = floats_or_nan(values.flatten()).reshape(-1, len(lines)).T
    nonnull = present(values) if values.null_count else slice(None)
    for line, column in zip(lines, lists, strict=True):
        if values.null_count:
            line[:] = np.nan
        line[nonnull] = column


def _axis_positions(over: Over, rows: pa.Table) -> NDArray[Any]:
    """Return the position of each row on the axis; NaN or NaT where it has none."""
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


def _positioned_rows(position: NDArray[Any]) -> slice:
    """Return the rows with a position, in ascending order; the others are at the ends."""
    rows = np.flatnonzero(position == position)  # NaN and NaT are not equal to themselves
    if not len(rows):
        return slice(0, 0)
    first, last = int(rows[0]), int(rows[-1])
    if position[first] <= position[last]:
        return slice(first, last + 1)
    return slice(last, first - 1 if first else None, -1)
