"""The frames of rows in local memory, such as the rows that a stream has emitted so far."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from workbench.engine.block import Window
from workbench.engine.order import ordered_block
from workbench.errors import WorkbenchError
from workbench.spark.held import HeldTable
from workbench.spark.in_driver import worker_rows
from workbench.spark.table import BoundTable
from workbench.windows.plan import resolved, task_of
from workbench.windows.spec import WindowCall

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

#: A column with the position of a row before sorting.
PLACE = "__place__"


@dataclass(frozen=True)
class HeldFrames:
    """The rows of one partition in order, and the range of each row's frame.

    Attributes
    ----------
    rows : pyarrow.Table
        As given, with the results that they already have.
    begin, end : int64 arrays of shape (rows, pieces)
        Ranges of rows, half open.
    """

    rows: pa.Table
    begin: "NDArray[np.int64]"
    end: "NDArray[np.int64]"

    def of(self, row: int) -> pa.Table:
        """Return the rows in the frame of a row, given its number in the order."""
        ranges = zip(self.begin[row], self.end[row], strict=True)
        inside = [np.arange(first, last) for first, last in ranges]
        return self.rows.take(pa.array(np.concatenate(inside)))


def held_frames(call: WindowCall, rows: pa.Table, column: str, spark: "SparkSession") -> HeldFrames:
    """Return the frames of one partition's rows, computed by the kernels that run on Spark.

    Parameters
    ----------
    call : WindowCall
    rows : pyarrow.Table
        One partition, at least one row. Result columns of the call, if any, stay as they are.
    column : str
        The result column whose frames to return.
    spark : pyspark.sql.SparkSession

    Returns
    -------
    HeldFrames

    Raises
    ------
    WorkbenchError
        When the call does not fit the rows.

    Examples
    --------
    >>> import workbench as wb
    >>> rows = pa.table({"day": [3, 1, 2], "n": [2, 1, 2]})
    >>> call = wb.Over(order_by="day", frame=wb.Frame.rows(-1, 0), n=wb.fn.count())
    >>> held_frames(call, rows, "n", wb.session()).of(1).to_pydict()
    {'day': [1, 2], 'n': [1, 2]}
    """
    names = [name for name in rows.column_names if name not in call.columns]
    numbered = rows.select(names).append_column(PLACE, pa.array(np.arange(len(rows))))
    df = BoundTable.of(HeldTable(numbered, spark), call.partition_by)
    task, carried = task_of(call, df, resolved(call, df))
    assert df.held is not None
    aliases = {carried.of(name): name for name in df.names}
    arrow_rows = worker_rows(df.held, carried.wanted, aliases)
    if arrow_rows is None:
        raise WorkbenchError(
            "rows: there are times without a zone, which only Spark's tasks can place."
        )
    block = ordered_block(arrow_rows, (), task.order)
    (wanted,) = (one for one in task.calls if one.column == column)
    ranges = Window(block, task.order).ranges(wanted.frame)
    return HeldFrames(rows.take(block.column(carried.of(PLACE))), *ranges)
