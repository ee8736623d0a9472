"""Blocks: whole partitions as columns, the form in which Spark's rows reach a kernel.

A block holds one row for each key. Each event column holds the rows of all keys one after another;
``offsets`` says where the rows of each key begin.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.structures.order import group_rows, sort_entries
from workbench.columnar.instants import from_instants, instants
from workbench.columnar.key_codes import as_array, encoded, key_codes
from workbench.columnar.ragged import run_of_rows

#: The names of event columns in the workers; :func:`key_columns` names the others.
TIME, NAME, CONDITIONS, KEEP = "__time__", "__name__", "__conditions__", "__keep__"


def key_columns(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a key's columns in the workers, which cannot clash with other names.

    Examples
    --------
    >>> key_columns(["user_id", "__time__"])
    ('k0', 'k1')
    """
    return tuple(f"k{i}" for i in range(len(keys)))


@dataclass(frozen=True)
class Block:
    """Whole partitions as columns.

    Attributes
    ----------
    keys : pyarrow.Table
        One row for each partition: its key.
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    rows : pyarrow.Table
        The event columns, partition by partition.
    """

    keys: pa.Table
    offsets: NDArray[np.int64]
    rows: pa.Table

    def column(self, name: str) -> pa.Array:
        """Return an event column as one array."""
        return as_array(self.rows.column(name))

    def plain(self, name: str) -> pa.Array:
        """Return an event column as one array, with dictionary codes replaced by values."""
        values = self.column(name)
        is_dictionary = pa.types.is_dictionary(values.type)
        return values.cast(values.type.value_type) if is_dictionary else values

    def partition_of_rows(self) -> NDArray[np.int64]:
        """Return the partition that each row belongs to."""
        return run_of_rows(self.offsets)


def gather(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], by_time: bool = False
) -> Block | None:
    """Return a block of the rows of a Spark partition, independent of its batches.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        All rows of the keys that appear in them, in any order.
    keys : sequence of str
        The columns of the key.
    by_time : bool
        Whether to sort the rows of a key by their time column; the sort is stable.

    Returns
    -------
    Block or None
        None when there is no row. Keys are in the order of their first rows, and the rows of a key
        in the order of arrival, or of time.

    Examples
    --------
    >>> one = pa.record_batch({"user": [7, 8], TIME: [5, 1]})
    >>> two = pa.record_batch({"user": [7], TIME: [2]})
    >>> block = gather([one, two], ["user"])
    >>> block.keys.to_pydict(), block.offsets.tolist(), block.rows.to_pydict()
    ({'user': [7, 8]}, [0, 2, 3], {'__time__': [5, 2, 1]})
    >>> gather([one, two], ["user"], by_time=True).rows.to_pydict()
    {'__time__': [2, 5, 1]}
    """
    parts = [batch for batch in batches if batch.num_rows]
    if not parts:
        return None
    # Bundles may differ in the width of their dictionary codes for text.
    tables = [pa.Table.from_batches([part]) for part in parts]
    table = pa.concat_tables(tables, promote_options="permissive")
    del parts, tables
    codes, count = key_codes(table.select(list(keys)))
    offsets, order = grouped(codes, count)
    first = _filter_rows(table.select(list(keys)), order[offsets[:-1]])
    # Combined into one chunk each, so that the batches are freed before the rows are sorted.
    pieces = {
        name: _one_chunk(table.column(name))
        for name in table.column_names
        if name not in keys and not (by_time and name == TIME)
    }
    time = _scatter_instants(table.column(TIME), codes) if by_time else None
    schema, rows = table.schema, {}
    del codes, table
    if time is not None:
        sort_entries.over(offsets, time, order)
        rows[TIME] = from_instants(time, schema.field(TIME).type)
    # One column after another, so that memory holds only one of them twice.
    for name in list(pieces):
        rows[name] = pieces.pop(name).take(order)
    return Block(first, offsets, pa.table(rows))


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return as_array(encoded(column) if pa.types.is_dictionary(column.type) else column)


def _filter_rows(rows: pa.Table, ascending: NDArray[np.uint32]) -> pa.Table:
    """Return rows by ascending row numbers; unlike take, a filter does not join chunks first."""
    mask = np.zeros(len(rows), bool)
    mask[ascending] = True
    return rows.filter(mask)


def grouped(codes: NDArray[np.uint32], count: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the offsets of groups, and the row numbers sorted by group.

    ``codes`` is overwritten with each row's position in that order.
    """
    offsets, order = np.empty(count + 1, np.int64), np.empty(len(codes), np.uint32)
    group_rows(codes, offsets, order)
    return offsets, order


def _scatter_instants(column: pa.ChunkedArray, place: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the instants of rows at the given positions, without combining the chunks first."""
    time, first = np.empty(len(place), np.int64), 0
    for chunk in column.chunks:
        time[place[first : first + len(chunk)]] = instants(chunk)
        first += len(chunk)
    return time
