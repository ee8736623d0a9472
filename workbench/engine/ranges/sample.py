"""A summary of where the rows of large partitions are: a sample with a known error.

For every key with many of a worker's rows, the places are sorted and each n-th one is sampled. So
below any place there are as many rows as the sampled places stand for, or up to n - 1 more.
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

#: The columns of a summary: a key's rows, its sampled places, and how many rows each stands for.
ROWS, PLACES, STEP = "__rows__", "__places__", "__step__"
SUMMARY = "summary"
#: One of this many rows is sampled, where the position of rows need not be exact.
SHARE = 32
#: Sampled places for each piece that a table may be cut into.
SAMPLES = 64
#: A sample may mislead with a probability of about exp(-DOUBT).
DOUBT = 50


@dataclass(frozen=True)
class SampleTask:
    """Summarize the rows of a Spark partition, not too many at once.

    Attributes
    ----------
    columns : tuple of str
        The names of the arriving columns.
    keys : tuple of str
        The columns that define the partitions; without any, there is one partition.
    order : OrderColumn
        The first column of the order.
    pieces : int
        The number of pieces of a partition that holds the whole table.
    share : int
        How many rows of the table each arriving row stands for.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    order: OrderColumn
    pieces: int
    share: int = 1

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield summaries, each as one binary value."""
        freeze_gc()
        tables = gathered(batch.rename_columns(list(self.columns)) for batch in batches)
        yield from to_one_task(map(self.summary, tables), SUMMARY, self.columns)

    def summary(self, rows: pa.Table) -> pa.Table:
        """Return a row for each key with many of the rows, and the number of rows as metadata."""
        codes, count = key_codes(rows.select(list(self.keys)))
        sizes = np.bincount(codes, minlength=count)
        large = np.flatnonzero(sizes * (2 * self.pieces) >= len(rows))
        offsets, at = grouped(codes, count)
        step = max(1, len(rows) // (SAMPLES * self.pieces))
        order = as_array(rows.column(self.order.name))
        sampled = []
        for key in large:
            of_key = at[offsets[key] : offsets[key + 1]]
            place = places(order.take(of_key), self.order)
            sampled.append(np.sort(place)[step - 1 :: step])
        first = rows.select(list(self.keys)).take(at[offsets[large]])
        columns = {ROWS: pa.array(sizes[large] * self.share), PLACES: lists_of(sampled)}
        columns[STEP] = pa.array(np.full(len(large), step))
        stands_for = str(len(rows) * self.share)
        return with_columns(first, columns).replace_schema_metadata({ROWS: stands_for})


def safe_sample_rows(rows: int, share: int) -> int:
    """Return a number of sampled rows that practically never stands for fewer than ``rows`` rows.

    Parameters
    ----------
    rows : int
    share : int
        Each row of the table is in the sample with a probability of 1 / share, independently.

    Returns
    -------
    int

    Notes
    -----
    By Bernstein's inequality (Boucheron, Lugosi, Massart, Concentration Inequalities, 2013,
    section 2.8), fewer rows contain that many sampled rows with a probability below 10^-21; for
    any place in a table of a billion rows, the probability is below 10^-12.

    Examples
    --------
    >>> safe_sample_rows(1_000, 1), safe_sample_rows(1_000, 32), safe_sample_rows(0, 32)
    (1000, 107, 0)
    """
    if share == 1 or rows == 0:
        return rows
    expected = rows / share
    margin = DOUBT / 3 + math.sqrt(DOUBT**2 / 9 + 2 * DOUBT * expected)
    return min(rows, math.ceil(expected + margin))


def with_columns(table: pa.Table, columns: dict[str, pa.Array]) -> pa.Table:
    """Return a table with columns added; the table may have no column."""
    known = {name: table.column(name) for name in table.column_names}
    return pa.table(known | columns)


def lists_of(values: Sequence[NDArray[np.int64]]) -> pa.Array:
    """Return arrays of integers as a column of lists."""
    return pa.array(list(values), pa.list_(pa.int64()))
