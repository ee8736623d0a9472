"""A few rows that arrive one after the other, processed in this process: a stream to inspect."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.columnar.blocks import Block
from workbench.columnar.key_codes import as_array
from workbench.durations import microseconds
from workbench.engine.order import measured
from workbench.errors import WorkbenchError
from workbench.spark.jobs import in_arrow
from workbench.spark.table import type_of
from workbench.windows.bind import resolve
from workbench.windows.extent import frame_extents
from workbench.windows.stream.worker.close import CloseOperator
from workbench.windows.stream.worker.operator import HASH, Clock, StreamOperator
from workbench.windows.stream.worker.update import UpdateOperator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.windows.over import Over

#: The most rows, as many as a person can inspect.
MOST_ROWS = 100


@dataclass(frozen=True)
class Arrival:
    """An arrival of rows, and its effect.

    Attributes
    ----------
    rows : pyarrow.Table
        The arrived rows.
    watermark : int or None
        The watermark after the arrival, in microseconds.
    output : pyarrow.Table
        The emitted answers, or changes of them.
    retained : list
        The order values of the rows that are kept in the state.
    """

    rows: pa.Table
    watermark: int | None
    output: pa.Table
    retained: list[Any]


def arrivals_of(
    over: "Over", df: "DataFrame", emit: str, lateness: str | None = None, sizes: Sequence[int] = ()
) -> list[Arrival]:
    """Return the arrivals of a stream whose input is the rows of a small table, in their order.

    The code of a stream's task processes them, without Spark's streaming.

    Parameters
    ----------
    over : Over
        A call ordered by one column of timestamps.
    df : pyspark.sql.DataFrame
        At most 100 rows, in the order of their arrival.
    emit : str
        "on window close" or "on update".
    lateness : str, optional
        The distance of the watermark from the newest row; needed on window close.
    sizes : sequence of int
        The numbers of rows that arrive together; by default one by one.

    Returns
    -------
    list of Arrival
        One for each arrival of rows.

    Raises
    ------
    WorkbenchError
        When there are too many rows, or no watermark where one is needed.
    """
    if emit == "on window close" and lateness is None:
        raise WorkbenchError("lateness: emit='on window close' needs a watermark; give one.")
    task, carried = over.bound(df)
    columns = [value.alias(name) for name, value in carried.wanted.items()]
    rows = in_arrow(df.select(*columns))
    if len(rows) > MOST_ROWS:
        raise WorkbenchError(f"df: it has {len(rows):,} rows; give at most {MOST_ROWS}.")
    rows = rows.append_column(HASH, pa.array(np.zeros(len(rows), np.int64)))
    along = type_of(carried.table, over.order_by[0].name)
    resolved = resolve(carried.table, over.columns, over.frame, over.order_by)
    extents = frame_extents(resolved, along)
    closes = emit == "on window close"
    timed = lateness is not None
    mode: StreamOperator = (
        CloseOperator(task, extents) if closes else UpdateOperator(task, extents, timed=timed)
    )
    delay = microseconds(lateness, "lateness") if lateness is not None else None
    stream = _Stream(mode, task.order[0].name, task.columns, delay)
    arrivals, first = [], 0
    for size in sizes or [1] * len(rows):
        arrivals.append(stream.take(rows.slice(first, size)))
        first += size
    return arrivals


@dataclass
class _Stream:
    """A stream with its state in this process."""

    mode: StreamOperator
    time: str
    columns: tuple[tuple[str, str], ...]
    delay: int | None
    retained: Block | None = None
    watermark: int | None = None

    def take(self, rows: pa.Table) -> Arrival:
        newest = int(measured(as_array(rows.column(self.time))).max())
        before = self.watermark
        if self.delay is not None:
            candidate = newest - self.delay
            self.watermark = candidate if before is None else max(before, candidate)
        taken = self.mode.process(self.retained, rows, Clock(self.watermark, before))
        self.retained = taken.retained if len(taken.retained.keys) else None
        times = [] if self.retained is None else self.retained.rows.column(self.time).to_pylist()
        arrived = rows.select([name for _, name in self.columns])
        arrived = arrived.rename_columns([name for name, _ in self.columns])
        return Arrival(arrived, self.watermark, taken.output, times)
