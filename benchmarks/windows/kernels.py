"""Compute window functions with the kernels alone: from sorted columns to a column."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.windows.readings import Readings
from kernels import (
    frame_ranges,
    moving_aggregate,
    moving_count_distinct,
    moving_mad,
    moving_mode,
    moving_quantile,
    order_by_key,
)
from kernels.frames.ordering import Order
from workbench.durations import MINUTE

QUARTILES = (0.25, 0.5, 0.75)
#: The functions in DuckDB's SQL.
FUNCTIONS = {
    "sum": "sum(value)",
    "min": "min(value)",
    "max": "max(value)",
    "quantile": f"quantile_cont(value, {list(QUARTILES)})",
    "mode": "mode(code)",
    "count_distinct": "count(DISTINCT code)",
    "mad": "mad(value)",
}

Column = NDArray[Any]


@dataclass(frozen=True)
class TrailingFrame:
    """The rows up to the current one that a function sees.

    Attributes
    ----------
    size : int
        In rows, the current one included; in minutes before the current row for RANGE.
    unit : str
        "rows" or "range".
    """

    size: int
    unit: str = "rows"

    def __str__(self) -> str:
        return f"{self.size:,} rows" if self.unit == "rows" else f"range {self.size} min"

    @property
    def sql(self) -> str:
        """The frame in SQL."""
        if self.unit == "rows":
            return f"ROWS BETWEEN {self.size - 1} PRECEDING AND CURRENT ROW"
        return f"RANGE BETWEEN INTERVAL {self.size} MINUTE PRECEDING AND CURRENT ROW"

    def ranges(self, order: Order) -> tuple[Column, Column]:
        """Return the frames of sorted rows for the kernels."""
        low = -self.size * MINUTE if self.unit == "range" else 1 - self.size
        return frame_ranges(order, self.unit, low, 0)

    def first(self, time: Column, row: int) -> int:
        """Return where the frame of a row begins, for rows of one sensor."""
        if self.unit == "rows":
            return max(row - self.size + 1, 0)
        return int(np.searchsorted(time, time[row] - self.size * MINUTE))


def compute(function: str, order: Order, column: Column, frame: TrailingFrame) -> Column:
    """Compute a function with the kernels on this thread: from a sorted column to a column."""
    offsets, (begin, end) = order.offsets, frame.ranges(order)
    if function == "quantile":
        return moving_quantile(offsets, column, begin, end, QUARTILES)
    if function == "mode":
        return np.asarray(column[moving_mode(offsets, column, begin, end) + shift(offsets)])
    if function == "count_distinct":
        return moving_count_distinct(offsets, column, begin, end)
    if function == "mad":
        return moving_mad(offsets, column, begin, end)
    result: Column = moving_aggregate(offsets, function, column, begin, end)
    return result if function == "sum" else np.asarray(column[result + shift(offsets)])


def shift(offsets: Column) -> Any:
    """Return the offsets to add to row numbers of a partition to get those of the block."""
    return 0 if len(offsets) == 2 else np.repeat(offsets[:-1], np.diff(offsets))


def column_of(readings: Readings, function: str) -> Column:
    """Return the argument column of a function."""
    return readings.code if "code" in FUNCTIONS[function] else readings.value


@dataclass(frozen=True)
class RowRange:
    """A range of sorted rows; after a cut within a sensor, with the earlier rows in its frames.

    Attributes
    ----------
    readings : Readings
    order : Order
    spare : int
        The number of first rows that are only in frames of others.
    """

    readings: Readings
    order: Order
    spare: int

    @classmethod
    def of(cls, readings: Readings, low: int, first: int, last: int) -> "RowRange":
        """Return the rows from first to last, with the values from low on."""
        inner = readings.offsets[(readings.offsets > low) & (readings.offsets < last)]
        offsets = np.array([low, *inner, last]) - low
        at = slice(low, last)
        part = Readings(offsets, readings.time[at], readings.value[at], readings.code[at])
        return cls(part, order_by_key(offsets, part.time), first - low)

    def answer(self, function: str, frame: TrailingFrame) -> Column:
        """Compute a function for the rows with the kernels."""
        column = column_of(self.readings, function)
        return compute(function, self.order, column, frame)[self.spare :]
