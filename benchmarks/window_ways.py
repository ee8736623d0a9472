"""One window function over one frame, asked of the kernels, DuckDB, Polars, pandas and NumPy.

All get columns in memory that are sorted by sensor and time, and give a column in memory. DuckDB
sorts them again, as it does not know; what that costs it is a line of its own in the report.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.readings import MINUTE, Readings
from kernels import (
    frame_ranges,
    moving_aggregate,
    moving_count_distinct,
    moving_mad,
    moving_mode,
    moving_quantile,
    order_by_key,
    order_by_starts,
)

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

THREADS = 2
QUARTILES = (0.25, 0.5, 0.75)
#: The functions as DuckDB has them; the first three of these are also known to Polars and pandas.
FUNCTIONS = {
    "sum": "sum(value)",
    "min": "min(value)",
    "max": "max(value)",
    "quantile": f"quantile_cont(value, {list(QUARTILES)})",
    "mode": "mode(code)",
    "count_distinct": "count(DISTINCT code)",
    "mad": "mad(value)",
}
PLAIN = ("sum", "min", "max")

Column = NDArray[Any]


@dataclass(frozen=True)
class Frame:
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

    def ranges(self, offsets: Column, time: Column) -> tuple[Column, Column]:
        """Return the frames of sorted rows as the kernels take them."""
        if self.unit == "range":
            return frame_ranges(order_by_key(offsets, time), "range", -self.size * MINUTE, 0)
        order = order_by_starts(offsets, np.ones(len(time), np.uint8))
        return frame_ranges(order, "rows", 1 - self.size, 0)

    def first(self, time: Column, row: int) -> int:
        """Return where the frame of a row begins, for rows of one sensor."""
        if self.unit == "rows":
            return max(row - self.size + 1, 0)
        return int(np.searchsorted(time, time[row] - self.size * MINUTE))


def answered(function: str, offsets: Column, time: Column, column: Column, frame: Frame) -> Column:
    """Answer by the kernels on this thread: from sorted columns to a column."""
    begin, end = frame.ranges(offsets, time)
    if function == "quantile":
        return moving_quantile(offsets, column, begin, end, QUARTILES)
    if function == "mode":
        return column[moving_mode(offsets, column, begin, end) + shift(offsets)]
    if function == "count_distinct":
        return moving_count_distinct(offsets, column, begin, end)
    if function == "mad":
        return moving_mad(offsets, column, begin, end)
    found = moving_aggregate(offsets, function, column, begin, end)
    return found if function == "sum" else column[found + shift(offsets)]


def shift(offsets: Column) -> Any:
    """Return what turns rows of a partition into rows of the block."""
    return 0 if len(offsets) == 2 else np.repeat(offsets[:-1], np.diff(offsets))


@dataclass(frozen=True)
class Ways:
    """The ways to one answer over the same readings.

    Attributes
    ----------
    readings : Readings
    """

    readings: Readings
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS))

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB with the readings in a table of its own."""
        connection = duckdb.connect(config={"threads": THREADS})
        connection.register("given", self.readings.table())
        connection.execute("CREATE TABLE readings AS FROM given")
        return connection

    @cached_property
    def polars(self) -> "pl.DataFrame":
        """The readings in Polars."""
        import polars as pl

        found = pl.from_arrow(self.readings.table())
        assert isinstance(found, pl.DataFrame)
        return found

    @cached_property
    def pandas(self) -> "pd.DataFrame":
        """The readings in pandas."""
        frame: pd.DataFrame = self.readings.table().to_pandas()
        return frame

    @property
    def one(self) -> bool:
        """Whether all readings are of one sensor."""
        return len(self.readings.offsets) == 2

    def column(self, function: str) -> Column:
        """Return the column that a function is of."""
        of_codes = "code" in FUNCTIONS[function]
        return self.readings.code if of_codes else self.readings.value

    def kernels(self, function: str, frame: Frame) -> Column:
        """Answer by the kernels on one thread."""
        data = self.readings
        return answered(function, data.offsets, data.time, self.column(function), frame)

    def kernels_in_halves(self, function: str, frame: Frame) -> Column:
        """Answer by the kernels on two threads, each with half of the rows."""
        halves = list(self.threads.map(lambda half: self._half(function, frame, *half), self._cut))
        return np.concatenate(halves)

    @property
    def _cut(self) -> list[tuple[int, int]]:
        """The rows of each half; whole sensors where there are several."""
        offsets, middle = self.readings.offsets, self.readings.rows // 2
        if not self.one:
            middle = int(offsets[np.searchsorted(offsets, middle)])
        return [(0, middle), (middle, self.readings.rows)]

    def _half(self, function: str, frame: Frame, first: int, last: int) -> Column:
        """The answers of some rows, from no more rows than their frames have."""
        data, low = self.readings, first
        if self.one:
            low = frame.first(data.time, first)
            offsets = np.array([0, last - low])
        else:
            offsets = data.offsets[(data.offsets >= first) & (data.offsets <= last)] - first
        column = self.column(function)[low:last]
        return answered(function, offsets, data.time[low:last], column, frame)[first - low :]

    def duckdb(self, function: str, frame: Frame) -> Any:
        """Answer by DuckDB on two threads, as an Arrow table."""
        return self.ask(f"SELECT {self.sql(function, frame)} AS answer FROM readings")

    def duckdb_ordered(self, function: str, frame: Frame) -> Any:
        """Answer by DuckDB in the order of the rows, to compare the answers."""
        asked = f"SELECT row, {self.sql(function, frame)} AS answer FROM readings"
        return self.ask(f"SELECT answer FROM ({asked}) ORDER BY row")["answer"]

    def duckdb_sorts(self) -> Any:
        """Number the rows: what DuckDB's order costs without a function."""
        return self.ask(f"SELECT row_number() OVER ({self._partition}) AS answer FROM readings")

    def ask(self, query: str) -> Any:
        """Return the answer of a query of DuckDB as an Arrow table."""
        return self.connection.sql(query).to_arrow_table()

    def sql(self, function: str, frame: Frame) -> str:
        """Return the window function in SQL."""
        return f"{FUNCTIONS[function]} OVER ({self._partition} {frame.sql})"

    @property
    def _partition(self) -> str:
        return "ORDER BY time" if self.one else "PARTITION BY sensor ORDER BY time"

    def by_polars(self, function: str, frame: Frame) -> "pl.Series":
        """Answer by Polars: sum, min or max."""
        import polars as pl

        if frame.unit == "rows":
            rolling = getattr(pl.col("value"), f"rolling_{function}")
            asked = rolling(window_size=frame.size, min_samples=1)
        else:
            rolling = getattr(pl.col("value"), f"rolling_{function}_by")
            asked = rolling("time", window_size=f"{frame.size}m", closed="both")
        asked = asked if self.one else asked.over("sensor")
        return self.polars.select(asked.alias("answer"))["answer"]

    def by_pandas(self, function: str, frame: Frame) -> "pd.Series[float]":
        """Answer by pandas: sum, min or max."""
        data: Any = self.pandas if frame.unit == "rows" else self.pandas.set_index("time")
        values = data["value"] if self.one else data.groupby("sensor", sort=False)["value"]
        if frame.unit == "rows":
            rolling = values.rolling(frame.size, min_periods=1)
        else:
            rolling = values.rolling(f"{frame.size}min", closed="both")
        found: pd.Series[float] = getattr(rolling, function)()
        return found

    def by_cumsum(self, function: str, frame: Frame) -> Column:
        """Answer by NumPy: the difference of running totals, which loses digits."""
        data = self.readings
        begin, end = frame.ranges(data.offsets, data.time)
        totals, first = np.zeros(data.rows + 1), shift(data.offsets)
        np.cumsum(data.value, out=totals[1:])
        return np.asarray(totals[end[:, 0] + first] - totals[begin[:, 0] + first])

    def others(self, function: str) -> dict[str, Callable[[str, Frame], Any]]:
        """Return the other ways by name."""
        ways: dict[str, Callable[[str, Frame], Any]] = {"DuckDB": self.duckdb}
        if function in PLAIN:
            ways |= {"Polars": self.by_polars, "pandas": self.by_pandas}
        if function == "sum":
            ways["NumPy cumsum"] = self.by_cumsum
        return ways
