"""The rows of one partition of a window call, fetched for display."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.columnar.blocks import Block
from workbench.engine.block import Call, Window
from workbench.engine.order import ordered_block
from workbench.engine.task import WindowTask
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected, in_one_sentence
from workbench.spark.one_key import first_rows, has_key, key_values, unknown_key_error
from workbench.spark.table import BoundTable, column
from workbench.windows.plan import bound
from workbench.windows.spark_engine import sort_column
from workbench.windows.spec import WindowCall

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike

#: The most rows to display, and to step through.
MOST_ROWS, MOST_STEPPED = 40, 100
MOST_KEYS = 200

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Partition:
    """The rows of one partition in order, in the form that Spark's workers process.

    Attributes
    ----------
    over : WindowCall
    df : pyspark.sql.DataFrame
        The table of the rows.
    key : tuple
        The values of the columns that make the partition.
    task : WindowTask
    block : Block
        The block with this partition alone.
    cut : bool
        Whether the partition has more rows; these are the first ones.
    """

    over: WindowCall
    df: "DataFrame"
    key: Key
    task: WindowTask
    block: Block
    cut: bool

    @property
    def rows(self) -> int:
        """The number of fetched rows."""
        return len(self.block.rows)

    @property
    def who(self) -> str:
        """The key as text."""
        return ", ".join(map(value_text, self.key)) or "all rows"

    def window(self) -> Window:
        """Return the block as a window for the functions."""
        return Window(self.block, self.task.order)

    def answers(self) -> pa.Table:
        """Return the rows with the result of every function, computed by the worker's code."""
        return self.task.answer(self.block)

    def call(self, column: str | None = None) -> Call:
        """Return the call of a result column; without a name, the first call."""
        check_result(self.over, column)
        calls = {call.column: call for call in self.task.calls}
        return self.task.calls[0] if column is None else calls[column]

    def with_call(self, over: WindowCall) -> "Partition":
        """Return the same rows for another call with the same partitions and order."""
        task, _ = bound(over, self.df)
        return replace(self, over=over, task=task)

    def labels(self) -> list[str]:
        """Return the order values of each row as text."""
        columns = [self.block.column(term.name).to_pylist() for term in self.task.order]
        if not columns:
            return [str(row) for row in range(self.rows)]
        return [", ".join(map(value_text, values)) for values in zip(*columns, strict=True)]

    def names(self, call: Call) -> tuple[str, str]:
        """Return the names of the order columns, and of the function's arguments."""
        order = ", ".join(term.name for term in self.over.order_by) or "row"
        arguments = self.over.columns[call.column].arguments
        return order, ", ".join(one if isinstance(one, str) else "value" for one in arguments)

    def values(self, call: Call) -> list[str]:
        """Return the function's arguments in each row as text."""
        columns = [self.block.column(name).to_pylist() for name in call.arguments]
        return [", ".join(map(value_text, values)) for values in zip(*columns, strict=True)]


def check_result(over: WindowCall, column: str | None) -> None:
    """Refuse a name that is no result column of a call; None stands for the first column.

    Raises
    ------
    WorkbenchError
    """
    if column is not None and (not isinstance(column, str) or column not in over.columns):
        known = ", ".join(map(repr, over.columns))
        raise WorkbenchError(f"column: {column!r} is not a result here; give one of {known}.")


@in_one_sentence()
def partition_of(
    over: WindowCall, df: "TableLike", key: Any = None, most: int = MOST_ROWS
) -> Partition:
    """Fetch the rows of one partition, and bind the call to them.

    Parameters
    ----------
    over : WindowCall
    df : TableLike
    key : value, or tuple of values when several columns make the partition
        Without it, the first key in order.
    most : int
        The maximum number of rows to fetch, from the first in order.

    Returns
    -------
    Partition

    Raises
    ------
    WorkbenchError
        When the call does not fit the table, or no row has this key.

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> call = wb.Over("plant", "date", mean=wb.fn.avg("mwh"))
    >>> part = partition_of(call, plants, "Boston", most=2)
    >>> part.labels(), part.values(part.call()), part.cut
    (['2019-01-02', '2019-01-03'], ['564337', '507405'], True)
    """
    task, carried = bound(over, df)
    table = carried.table
    values = _first_key(table) if key is None else key_values(key, over.partition_by)
    partition = table.df.where(has_key(table, values, null_is_value=True))
    terms = [sort_column(term, column(table, term.name, "order_by")) for term in over.order_by]
    rows = first_rows(partition, terms, carried.wanted, most)
    if not len(rows):
        raise unknown_key_error(key)
    block = ordered_block(rows.slice(0, most), task.keys, task.order)
    return Partition(over, table.df, values, task, block, len(rows) > most)


def keys_of(over: WindowCall, df: "TableLike", most: int = MOST_KEYS) -> list[tuple[Key, int]]:
    """Return the keys of the first partitions of a table, and their numbers of rows.

    Parameters
    ----------
    over : WindowCall
    df : TableLike
    most : int

    Returns
    -------
    list of (tuple, int)

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> keys_of(wb.Over("plant", "date", mean=wb.fn.avg("mwh")), plants)
    [(('Boston',), 12), (('Worcester',), 12)]
    """
    _, carried = bound(over, df)
    keys = [column(carried.table, name, "partition_by") for name in over.partition_by]
    if not keys:
        with in_one_sentence():
            return [((), carried.table.df.count())]
    counted = carried.table.df.groupBy(*keys).count().orderBy(*keys).limit(most)
    return [(tuple(row[:-1]), row[-1]) for row in collected(counted)]


def value_text(value: Any) -> str:
    """Return a value as short text.

    Examples
    --------
    >>> value_text(None), value_text(517450.75), value_text([1 / 3, 2.0])
    ('null', '517450.75', '[0.333333, 2]')
    """
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, float):
        return f"{round(value, 2):.15g}" if abs(value) >= 1_000 else f"{value:.6g}"
    if isinstance(value, datetime):
        seconds = ":%S" if value.second or value.microsecond else ""
        return f"{value:%Y-%m-%d %H:%M}" + value.strftime(seconds)
    return str(value)


def _first_key(table: BoundTable) -> Key:
    keys = [column(table, name, "partition_by") for name in table.key]
    first = collected((table.df.select(*keys).orderBy(*keys) if keys else table.df).limit(1))
    if not first:
        raise WorkbenchError("df: the table has no rows; give one that has some.")
    return tuple(first[0]) if keys else ()
