"""Compute one window function over one frame with the kernels, DuckDB, Polars, pandas and NumPy.

All get columns in memory that are sorted by sensor and time, and return a column in memory. DuckDB
sorts them again, as it does not know the order; the report has a separate line for this cost.
DuckDB and Polars use two threads. Each thread of the kernels gets half of the sensors, or half of
the only sensor's rows with the earlier rows in their frames, as ``wb.over`` does for Spark's tasks.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from benchmarks.windows.kernels import (
    FUNCTIONS,
    Column,
    RowRange,
    TrailingFrame,
    column_of,
    compute,
    shift,
)
from benchmarks.windows.readings import Readings
from kernels import order_by_key
from kernels.frames.ordering import Order

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

THREADS = 2
#: The functions that Polars and pandas have, too.
PLAIN = ("sum", "min", "max")


@dataclass(frozen=True)
class Ways:
    """The ways to one answer over the same readings.

    Attributes
    ----------
    readings : Readings
    """

    readings: Readings
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS))
    known: dict[TrailingFrame, list["RowRange"]] = field(default_factory=dict)

    @cached_property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """A connection to DuckDB with the readings in a table."""
        connection = duckdb.connect(config={"threads": THREADS})
        connection.register("given", self.readings.table())
        connection.execute("CREATE TABLE readings AS FROM given")
        return connection

    @cached_property
    def polars(self) -> "pl.DataFrame":
        """The readings in Polars."""
        os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))
        import polars as pl

        frame = pl.from_arrow(self.readings.table())
        assert isinstance(frame, pl.DataFrame)
        return frame

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
        """Return the argument column of a function."""
        return column_of(self.readings, function)

    def kernels(self, function: str, frame: TrailingFrame) -> Column:
        """Compute with the kernels on one thread."""
        return compute(function, self.order, self.column(function), frame)

    def kernels_in_halves(self, function: str, frame: TrailingFrame) -> list[Column]:
        """Compute with the kernels on two threads, each with half of the rows.

        The result is in two pieces, as DuckDB's is in many: a reader needs no copy in one piece.
        """
        return list(self.threads.map(lambda half: half.answer(function, frame), self.halves(frame)))

    @cached_property
    def order(self) -> Order:
        """The order of the rows."""
        return order_by_key(self.readings.offsets, self.readings.time)

    def halves(self, frame: TrailingFrame) -> list["RowRange"]:
        """Return the halves of the rows, each with all rows of its frames."""
        if frame not in self.known:
            data, middle = self.readings, self.readings.rows // 2
            if not self.one:
                middle = int(data.offsets[np.searchsorted(data.offsets, middle)])
            low = frame.first(data.time, middle) if self.one else middle
            self.known[frame] = [
                RowRange.of(data, 0, 0, middle),
                RowRange.of(data, low, middle, data.rows),
            ]
        return self.known[frame]

    def duckdb(self, function: str, frame: TrailingFrame) -> Any:
        """Compute with DuckDB on two threads; return an Arrow table."""
        return self.ask(f"SELECT {self.sql(function, frame)} AS answer FROM readings")

    def duckdb_ordered(self, function: str, frame: TrailingFrame) -> Any:
        """Compute with DuckDB in the order of the rows, to compare the results."""
        query = f"SELECT row, {self.sql(function, frame)} AS answer FROM readings"
        return self.ask(f"SELECT answer FROM ({query}) ORDER BY row")["answer"]

    def duckdb_sorts(self) -> Any:
        """Number the rows with DuckDB: the cost of its sort without a function."""
        return self.ask(f"SELECT row_number() OVER ({self._partition}) AS answer FROM readings")

    def ask(self, query: str) -> Any:
        """Return the result of a query of DuckDB as an Arrow table."""
        return self.connection.sql(query).to_arrow_table()

    def sql(self, function: str, frame: TrailingFrame) -> str:
        """Return the window function in SQL."""
        return f"{FUNCTIONS[function]} OVER ({self._partition} {frame.sql})"

    @property
    def _partition(self) -> str:
        return "ORDER BY time" if self.one else "PARTITION BY sensor ORDER BY time"

    def by_polars(self, function: str, frame: TrailingFrame) -> "pl.Series":
        """Compute with Polars: sum, min or max."""
        import polars as pl

        if frame.unit == "rows":
            rolling = getattr(pl.col("value"), f"rolling_{function}")
            result = rolling(window_size=frame.size, min_samples=1)
        else:
            rolling = getattr(pl.col("value"), f"rolling_{function}_by")
            result = rolling("time", window_size=f"{frame.size}m", closed="both")
        result = result if self.one else result.over("sensor")
        return self.polars.select(result.alias("answer"))["answer"]

    def by_pandas(self, function: str, frame: TrailingFrame) -> "pd.Series[float]":
        """Compute with pandas: sum, min or max."""
        data: Any = self.pandas if frame.unit == "rows" else self.pandas.set_index("time")
        values = data["value"] if self.one else data.groupby("sensor", sort=False)["value"]
        if frame.unit == "rows":
            rolling = values.rolling(frame.size, min_periods=1)
        else:
            rolling = values.rolling(f"{frame.size}min", closed="both")
        result: pd.Series[float] = getattr(rolling, function)()
        return result

    def by_cumsum(self, function: str, frame: TrailingFrame) -> Column:
        """Compute with NumPy: the difference of running totals, which loses digits."""
        data = self.readings
        begin, end = frame.ranges(self.order)
        totals, first = np.zeros(data.rows + 1), shift(data.offsets)
        np.cumsum(data.value, out=totals[1:])
        return np.asarray(totals[end[:, 0] + first] - totals[begin[:, 0] + first])

    def others(self, function: str) -> dict[str, Callable[[str, TrailingFrame], Any]]:
        """Return the other ways by name."""
        ways: dict[str, Callable[[str, TrailingFrame], Any]] = {"DuckDB": self.duckdb}
        if function in PLAIN:
            ways |= {"Polars": self.by_polars, "pandas": self.by_pandas}
        if function == "sum":
            ways["NumPy cumsum"] = self.by_cumsum
        return ways
