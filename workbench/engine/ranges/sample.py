"""A summary of where the rows of large partitions are: a sample whose error is known.

Of every key that has many of the rows that a worker holds, it sorts the places and keeps each
n-th. So below any place there are as many rows as the kept ones stand for, or up to n - 1 more.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import grouped
from workbench.columnar.bundles import gathered
from workbench.columnar.delivery import to_one_task
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.engine.ranges.sort_codes import places
from workbench.functions.order import OrderColumn

#: The columns of a summary: a key's rows, its kept places, and how many rows each stands for.
ROWS, PLACES, STEP = "__rows__", "__places__", "__step__"
SUMMARY = "summary"
#: Of so many rows one is looked at, where it need not be known to the row what is where.
SHARE = 32
#: Kept places for each piece that a table may be cut into.
SAMPLES = 64
#: The natural logarithm of how seldom a sample may mislead.
DOUBT = 50


@dataclass(frozen=True)
class SampleTask:
    """Summarize the rows of a Spark partition, not too many at once.

    Attributes
    ----------
    columns : tuple of str
        The names of the columns as they arrive.
    keys : tuple of str
        The columns that make the partition; without any, there is one.
    order : OrderColumn
        The first column of the order.
    pieces : int
        How many pieces a partition is cut into that holds the whole table.
    share : int
        How many rows of the table each row stands for that arrives.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    order: OrderColumn
    pieces: int
    share: int = 1

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return summaries, each as one binary value."""
        freeze_gc()
        some = gathered(batch.rename_columns(list(self.columns)) for batch in batches)
        yield from to_one_task(map(self.summary, some), SUMMARY, self.columns)

    def summary(self, rows: pa.Table) -> pa.Table:
        """Return a row for each key that has many of the rows, and how many rows the table has."""
        codes, count = key_codes(rows.select(list(self.keys)))
        sizes = np.bincount(codes, minlength=count)
        large = np.flatnonzero(sizes * (2 * self.pieces) >= len(rows))
        offsets, at = grouped(codes, count)
        step = max(1, len(rows) // (SAMPLES * self.pieces))
        order = as_array(rows.column(self.order.name))
        sampled = []
        for key in large:
            of_key = at[offsets[key] : offsets[key + 1]]
            found = places(order.take(of_key), self.order)
            sampled.append(np.sort(found)[step - 1 :: step])
        first = rows.select(list(self.keys)).take(at[offsets[large]])
        columns = {ROWS: pa.array(sizes[large] * self.share), PLACES: lists_of(sampled)}
        columns[STEP] = pa.array(np.full(len(large), step))
        stands_for = str(len(rows) * self.share)
        return with_columns(first, columns).replace_schema_metadata({ROWS: stands_for})


def surely(rows: int, share: int) -> int:
    """Return how many rows of a random sample never stand for fewer than so many of the table.

    Parameters
    ----------
    rows : int
    share : int
        Of so many rows of the table one is in the sample, each by chance and for itself.

    Returns
    -------
    int

    Notes
    -----
    By Bernstein's inequality (Boucheron, Lugosi, Massart, Concentration Inequalities, 2013,
    section 2.8) fewer rows hold as many sampled ones with a probability of less than 10^-21: at
    any place in a table of a billion rows, with one of less than 10^-12.

    Examples
    --------
    >>> surely(1_000, 1), surely(1_000, 32), surely(0, 32)
    (1000, 107, 0)
    """
    if share == 1 or rows == 0:
        return rows
    expected = rows / share
    beyond = DOUBT / 3 + math.sqrt(DOUBT**2 / 9 + 2 * DOUBT * expected)
    return min(rows, math.ceil(expected + beyond))


def with_columns(table: pa.Table, columns: dict[str, pa.Array]) -> pa.Table:
    """Return a table, which may have no column, with more columns."""
    known = {name: table.column(name) for name in table.column_names}
    return pa.table(known | columns)


def lists_of(values: Sequence[NDArray[np.int64]]) -> pa.Array:
    """Return arrays of integers as a column of lists."""
    return pa.array(list(values), pa.list_(pa.int64()))
