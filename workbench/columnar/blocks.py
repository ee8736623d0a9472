"""How Spark's rows reach a kernel: as a block of whole partitions.

A block holds one row for each key, and for every event column the rows of all keys one behind the
other: that is what ``offsets`` and columns are.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.structures.order import group_rows, sort_entries
from workbench.columnar.columns import as_numpy
from workbench.columnar.key_codes import as_array, encoded, key_codes, starts_of
from workbench.columnar.ragged import run_of_rows
from workbench.durations import DAY

# Arrow's own: without them each stream looks into the environment, half of what a small one takes.
_OPTIONS = pa.ipc.IpcWriteOptions()

#: The event columns as the workers know them, beside those of :func:`key_columns`.
TIME, NAME, CONDITIONS, KEEP = "__time__", "__name__", "__conditions__", "__keep__"


def key_columns(keys: Sequence[str]) -> tuple[str, ...]:
    """Return what the columns of a key are called on the way, so that any name is as good.

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
        """Return an event column as one array of values, and not of codes for them."""
        values = self.column(name)
        coded = pa.types.is_dictionary(values.type)
        return values.cast(values.type.value_type) if coded else values

    def partition_of_rows(self) -> NDArray[np.int64]:
        """Return the partition that each row belongs to."""
        return run_of_rows(self.offsets)


def gather(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], by_time: bool = False
) -> Block | None:
    """Make a block of a Spark partition, wherever Spark cut its batches.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        All rows of the keys that appear in them, in any order.
    keys : sequence of str
        The columns that make the key.
    by_time : bool
        Put the rows of a key in order of their column of times, ties as they arrived.

    Returns
    -------
    Block or None
        None when there is no row. Keys stand in the order of their first rows, and the rows of a
        key in the order of arrival, or of time.

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
    # Codes for text are of the width that each bundle needs.
    tables = [pa.Table.from_batches([part]) for part in parts]
    table = pa.concat_tables(tables, promote_options="permissive")
    del parts, tables
    codes, count = key_codes(table.select(list(keys)))
    offsets, order = grouped(codes, count)
    first = _those_at(table.select(list(keys)), order[offsets[:-1]])
    # In one piece each, so that what came can go before its rows are put in order.
    pieces = {
        name: _one_piece(table.column(name))
        for name in table.column_names
        if name not in keys and not (by_time and name == TIME)
    }
    time = _placed(table.column(TIME), codes) if by_time else None
    schema, rows = table.schema, {}
    del codes, table
    if time is not None:
        sort_entries.over(offsets, time, order)
        rows[TIME] = from_instants(time, schema.field(TIME).type)
    # One column after another, so that only one of them is held twice.
    for name in list(pieces):
        rows[name] = pieces.pop(name).take(order)
    return Block(first, offsets, pa.table(rows))


def _one_piece(column: pa.ChunkedArray) -> pa.Array:
    return as_array(encoded(column) if pa.types.is_dictionary(column.type) else column)


def _those_at(rows: pa.Table, places: NDArray[np.uint32]) -> pa.Table:
    """Rows at ascending places: a filter goes through each chunk, where take joins them first."""
    chosen = np.zeros(len(rows), bool)
    chosen[places] = True
    return rows.filter(chosen)


def grouped(codes: NDArray[np.uint32], count: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the offsets of groups, and the rows in the order of their groups.

    In place of each row's code, its place in that order is written.
    """
    offsets, order = np.empty(count + 1, np.int64), np.empty(len(codes), np.uint32)
    group_rows(codes, offsets, order)
    return offsets, order


def _placed(column: pa.ChunkedArray, place: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The instants of rows at their places, without a copy of them all as they stand."""
    time, first = np.empty(len(place), np.int64), 0
    for chunk in column.chunks:
        time[place[first : first + len(chunk)]] = instants(chunk)
        first += len(chunk)
    return time


def packed_rows(rows: pa.Table) -> pa.Buffer:
    """Return rows as one binary value, a stream of Arrow's: as all rows travel.

    Examples
    --------
    >>> unpacked_rows(packed_rows(pa.table({"user": [7, 8]}))).to_pydict()
    {'user': [7, 8]}
    """
    # Measured first: a buffer that grows as it is written takes up to three times its size.
    measured = pa.MockOutputStream()
    _write(rows, measured)
    packed = pa.allocate_buffer(measured.size())
    _write(rows, pa.FixedSizeBufferWriter(packed))
    return packed


def unpacked_rows(packed: bytes | pa.Buffer | pa.NativeFile) -> pa.Table:
    """Return the rows that were packed, without a copy of their columns."""
    return pa.ipc.open_stream(packed).read_all()


def _write(rows: pa.Table, sink: pa.NativeFile) -> None:
    with pa.ipc.new_stream(sink, rows.schema, options=_OPTIONS) as writer:
        writer.write_table(rows)


def binaries(values: pa.BinaryArray) -> Iterator[pa.Buffer]:
    """Return binary values one by one, without a copy of them (which a scalar of Arrow is)."""
    data = values.buffers()[2]
    for first, last in pairwise(starts_of(values).tolist()):
        yield data.slice(first, last - first)


def one_binary(value: pa.Buffer) -> pa.Array:
    """Return a column of one binary value, without a copy of it."""
    ends = pa.py_buffer(np.array([0, value.size], np.int32))
    return pa.Array.from_buffers(pa.binary(), 1, [None, ends, value])


def instants(time: pa.Array) -> NDArray[np.int64]:
    """Return a column of times as integers: microseconds, or what an integer column holds.

    Neither timestamps nor dates pass through a time zone: their integers count from 1970 in UTC.

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
