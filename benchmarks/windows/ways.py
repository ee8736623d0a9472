"""One window function over one frame, asked of the kernels, DuckDB, Polars, pandas and NumPy.

All get columns in memory that are sorted by sensor and time, and give a column in memory. DuckDB
sorts them again, as it does not know; what that costs it is a line of its own in the report. DuckDB
and Polars use two threads; the kernels get half of the sensors each, or half of the one sensor's
rows with those that frames reach back to, as ``wb.over`` gives them to Spark's tasks.
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
    Half,
    TrailingFrame,
    answered,
    column_of,
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
    known: dict[TrailingFrame, list["Half"]] = field(default_factory=dict)

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
        os.environ.setdefault("POLARS_MAX_THREADS", str(THREADS))
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
        return column_of(self.readings, function)

    def kernels(self, function: str, frame: TrailingFrame) -> Column:
        """Answer by the kernels on one thread."""
        return answered(function, self.order, self.column(function), frame)

    def kernels_in_halves(self, function: str, frame: TrailingFrame) -> list[Column]:
        """Answer by the kernels on two threads, each with half of the rows.

        The answer is in two pieces, as DuckDB's is in many: who reads it needs no copy in one.
        """
        return list(self.threads.map(lambda half: half.answer(function, frame), self.halves(frame)))

    @cached_property
    def order(self) -> Order:
        """The order that the rows are in."""
        return order_by_key(self.readings.offsets, self.readings.time)

    def halves(self, frame: TrailingFrame) -> list["Half"]:
        """Return the halves of the rows, each with the values that its frames have."""
        if frame not in self.known:
            data, middle = self.readings, self.readings.rows // 2
            if not self.one:
                middle = int(data.offsets[np.searchsorted(data.offsets, middle)])
            low = frame.first(data.time, middle) if self.one else middle
            self.known[frame] = [
                Half.of(data, 0, 0, middle),
                Half.of(data, low, middle, data.rows),
            ]
        return self.known[frame]

    def duckdb(self, function: str, frame: TrailingFrame) -> Any:
        """Answer by DuckDB on two threads, as an Arrow table."""
        return self.ask(f"SELECT {self.sql(function, frame)} AS answer FROM readings")

    def duckdb_ordered(self, function: str, frame: TrailingFrame) -> Any:
        """Answer by DuckDB in the order of the rows, to compare the answers."""
        asked = f"SELECT row, {self.sql(function, frame)} AS answer FROM readings"
        return self.ask(f"SELECT answer FROM ({asked}) ORDER BY row")["answer"]

    def duckdb_sorts(self) -> Any:
        """Number the rows: what DuckDB's order costs without a function."""
        return self.ask(f"SELECT row_number() OVER ({self._partition}) AS answer FROM readings")

    def ask(self, query: str) -> Any:
        """Return the answer of a query of DuckDB as an Arrow table."""
        return self.connection.sql(query).to_arrow_table()

    def sql(self, function: str, frame: TrailingFrame) -> str:
        """Return the window function in SQL."""
        return f"{FUNCTIONS[function]} OVER ({self._partition} {frame.sql})"

    @property
    def _partition(self) -> str:
        return "ORDER BY time" if self.one else "PARTITION BY sensor ORDER BY time"

    def by_polars(self, function: str, frame: TrailingFrame) -> "pl.Series":
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

    def by_pandas(self, function: str, frame: TrailingFrame) -> "pd.Series[float]":
        """Answer by pandas: sum, min or max."""
        data: Any = self.pandas if frame.unit == "rows" else self.pandas.set_index("time")
        values = data["value"] if self.one else data.groupby("sensor", sort=False)["value"]
        if frame.unit == "rows":
            rolling = values.rolling(frame.size, min_periods=1)
        else:
            rolling = values.rolling(f"{frame.size}min", closed="both")
        found: pd.Series[float] = getattr(rolling, function)()
        return found

    def by_cumsum(self, function: str, frame: TrailingFrame) -> Column:
        """Answer by NumPy: the difference of running totals, which loses digits."""
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
