"""The rows of one partition of a window call, fetched to be looked at by a person."""

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
from workbench.windows.spark_engine import ordered
from workbench.windows.spec import WindowCall

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike

#: As many rows as a person can look at, and as can be stepped through.
MOST_ROWS, MOST_STEPPED = 40, 100
MOST_KEYS = 200

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Partition:
    """The rows of one partition in their order, as Spark's workers have them.

    Attributes
    ----------
    over : WindowCall
    df : pyspark.sql.DataFrame
        The table that the rows are of.
    key : tuple
        The values of the columns that make the partition.
    task : WindowTask
    block : Block
        The one partition.
    cut : bool
        Whether the partition has more rows than these, the first ones.
    """

    over: WindowCall
    df: "DataFrame"
    key: Key
    task: WindowTask
    block: Block
    cut: bool

    @property
    def rows(self) -> int:
        """How many rows are here."""
        return len(self.block.rows)

    @property
    def who(self) -> str:
        """The key as a person reads it."""
        return ", ".join(map(value_text, self.key)) or "all rows"

    def window(self) -> Window:
        """Return the block as the window functions see it."""
        return Window(self.block, self.task.order)

    def answers(self) -> pa.Table:
        """Return every row with the answer of every function, by the worker's own code."""
        return self.task.answer(self.block)

    def call(self, column: str | None = None) -> Call:
        """Return the call of a result's column, of the first one without a name."""
        check_result(self.over, column)
        calls = {call.column: call for call in self.task.calls}
        return self.task.calls[0] if column is None else calls[column]

    def asked(self, over: WindowCall) -> "Partition":
        """Return the same rows for another call over the same partitions and order."""
        task, _ = bound(over, self.df)
        return replace(self, over=over, task=task)

    def labels(self) -> list[str]:
        """Return each row's place in the order as a person reads it."""
        columns = [self.block.column(term.name).to_pylist() for term in self.task.order]
        if not columns:
            return [str(row) for row in range(self.rows)]
        return [", ".join(map(value_text, values)) for values in zip(*columns, strict=True)]

    def names(self, call: Call) -> tuple[str, str]:
        """Return the columns of the order, and those that a function looks at."""
        given = self.over.columns[call.column].arguments
        looked_at = [one if isinstance(one, str) else "value" for one in given]
        return ", ".join(term.name for term in self.over.order_by) or "row", ", ".join(looked_at)

    def values(self, call: Call) -> list[str]:
        """Return what the function looks at in each row, as a person reads it."""
        columns = [self.block.column(name).to_pylist() for name in call.arguments]
        return [", ".join(map(value_text, values)) for values in zip(*columns, strict=True)]


def check_result(over: WindowCall, column: str | None) -> None:
    """Refuse what is no result of a call; None stands for its first.

    Raises
    ------
    WorkbenchError
    """
    if column is not None and (not isinstance(column, str) or column not in over.columns):
        known = ", ".join(map(repr, over.columns))
        raise WorkbenchError(f"column: {column!r} is no result here; give one of {known}.")


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
        Without it, the first one in order.
    most : int
        The most rows that are fetched, the first ones in the order.

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
    chosen = table.df.where(has_key(table, values, null_is_value=True))
    terms = [ordered(term, column(table, term.name, "order_by")) for term in over.order_by]
    rows = first_rows(chosen, terms, carried.wanted, most)
    if not len(rows):
        raise unknown_key_error(key)
    block = ordered_block(rows.slice(0, most), task.keys, task.order)
    return Partition(over, table.df, values, task, block, len(rows) > most)


def keys_of(over: WindowCall, df: "TableLike", most: int = MOST_KEYS) -> list[tuple[Key, int]]:
    """Return the first partitions of a table and how many rows each has.

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
    """Return a value as a person reads it, in a few characters.

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
        finer = ":%S" if value.second or value.microsecond else ""
        return f"{value:%Y-%m-%d %H:%M}" + value.strftime(finer)
    return str(value)


def _first_key(table: BoundTable) -> Key:
    keys = [column(table, name, "partition_by") for name in table.key]
    first = collected((table.df.select(*keys).orderBy(*keys) if keys else table.df).limit(1))
    if not first:
        raise WorkbenchError("df: the table has no row; give one that has some.")
    return tuple(first[0]) if keys else ()
