"""Blocks: whole partitions as columns, the form in which Spark's rows reach a kernel.

A block holds one row for each key. Each event column holds the rows of all keys one after another;
``offsets`` says where the rows of each key begin.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.structures.order import group_rows, sort_entries
from workbench.columnar.columns import as_numpy
from workbench.columnar.key_codes import as_array, encoded, key_codes, value_offsets
from workbench.columnar.ragged import run_of_rows
from workbench.durations import DAY

# Arrow's defaults. Without this, each stream reads the environment, half the time of a small one.
_OPTIONS = pa.ipc.IpcWriteOptions()

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


def packed_rows(rows: pa.Table) -> pa.Buffer:
    """Return rows as one binary value, an Arrow IPC stream, the form in which all rows travel.

    Examples
    --------
    >>> unpacked_rows(packed_rows(pa.table({"user": [7, 8]}))).to_pydict()
    {'user': [7, 8]}
    """
    # The size is measured first: a growing buffer takes up to three times its size.
    measured = pa.MockOutputStream()
    _write(rows, measured)
    packed = pa.allocate_buffer(measured.size())
    _write(rows, pa.FixedSizeBufferWriter(packed))
    return packed


def unpacked_rows(packed: bytes | pa.Buffer | pa.NativeFile) -> pa.Table:
    """Return packed rows, without copying their columns."""
    return pa.ipc.open_stream(packed).read_all()


def _write(rows: pa.Table, sink: pa.NativeFile) -> None:
    with pa.ipc.new_stream(sink, rows.schema, options=_OPTIONS) as writer:
        writer.write_table(rows)


def binaries(values: pa.BinaryArray) -> Iterator[pa.Buffer]:
    """Yield binary values without copying them, unlike Arrow's scalars."""
    data = values.buffers()[2]
    for first, last in pairwise(value_offsets(values).tolist()):
        yield data.slice(first, last - first)


def one_binary(value: pa.Buffer) -> pa.Array:
    """Return a column of one binary value, without copying it."""
    ends = pa.py_buffer(np.array([0, value.size], np.int32))
    return pa.Array.from_buffers(pa.binary(), 1, [None, ends, value])


def instants(time: pa.Array) -> NDArray[np.int64]:
    """Return a column of times as integers: microseconds, or the values of an integer column.

    No time zone is applied: the integers of timestamps and dates count from 1970 in UTC.

    Parameters
    ----------
    time : pyarrow.Array
        Timestamps with or without a zone, dates, or integers; no nulls.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> from datetime import date
    >>> instants(pa.array([date(1970, 1, 2), date(1969, 12, 31)])).tolist()
    [86400000000, -86400000000]
    """
    if pa.types.is_date32(time.type):
        return np.asarray(time.cast(pa.int32()), np.int64) * DAY
    return as_numpy(time.cast(pa.int64()))


def from_instants(values: NDArray[np.int64], like: pa.DataType) -> pa.Array:
    """Return integers as a column of times of a given type; the inverse of :func:`instants`.

    Parameters
    ----------
    values : int64 array
    like : pyarrow.DataType
        The type of the column that the integers came from.

    Returns
    -------
    pyarrow.Array

    Examples
    --------
    >>> from_instants(np.array([86_400_000_000]), pa.date32()).to_pylist()
    [datetime.date(1970, 1, 2)]
    """
    if pa.types.is_date32(like):
        return pa.array((values // DAY).astype(np.int32)).cast(like)
    return pa.array(values).cast(like)
