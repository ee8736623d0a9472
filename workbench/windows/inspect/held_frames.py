"""The frames of rows that this process holds, such as a stream has said so far."""

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

#: A column that says where a row stood before it was put in order.
PLACE = "__place__"


@dataclass(frozen=True)
class HeldFrames:
    """The rows of one partition in their order, and where the frame of each goes.

    Attributes
    ----------
    rows : pyarrow.Table
        As they were given, with the answers that they have.
    begin, end : int64 arrays of shape (rows, pieces)
        Ranges of rows.
    """

    rows: pa.Table
    begin: "NDArray[np.int64]"
    end: "NDArray[np.int64]"

    def of(self, row: int) -> pa.Table:
        """Return the rows in the frame of a row, by its number in the order."""
        ranges = zip(self.begin[row], self.end[row], strict=True)
        inside = [np.arange(first, last) for first, last in ranges]
        return self.rows.take(pa.array(np.concatenate(inside)))


def held_frames(call: WindowCall, rows: pa.Table, column: str, spark: "SparkSession") -> HeldFrames:
    """Return the frames among rows of one partition, by the kernels that find them on Spark.

    Parameters
    ----------
    call : WindowCall
    rows : pyarrow.Table
        Of one partition, one at least; they may have answers of the call, which stay as they are.
    column : str
        The result whose frames are wanted.
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
    >>> said = pa.table({"day": [3, 1, 2], "n": [2, 1, 2]})
    >>> call = wb.Over(order_by="day", frame=wb.Frame.rows(-1, 0), n=wb.fn.count())
    >>> held_frames(call, said, "n", wb.session()).of(1).to_pydict()
    {'day': [1, 2], 'n': [1, 2]}
    """
    given = [name for name in rows.column_names if name not in call.columns]
    numbered = rows.select(given).append_column(PLACE, pa.array(np.arange(len(rows))))
    df = BoundTable.of(HeldTable(numbered, spark), call.partition_by)
    task, carried = task_of(call, df, resolved(call, df))
    assert df.held is not None
    found = worker_rows(df.held, carried.wanted, {carried.of(name): name for name in df.names})
    if found is None:
        raise WorkbenchError("rows: there are times of no zone, which only Spark's tasks place.")
    block = ordered_block(found, (), task.order)
    (asked,) = (one for one in task.calls if one.column == column)
    return HeldFrames(
        rows.take(block.column(carried.of(PLACE))), *Window(block, task.order).ranges(asked.frame)
    )
