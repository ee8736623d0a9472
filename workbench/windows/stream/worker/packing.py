"""The state of a query over a stream as bytes, sealed with the query that it belongs to."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.columnar.blocks import Block
from workbench.columnar.key_codes import as_array
from workbench.columnar.packed_rows import unpacked_rows
from workbench.columnar.ragged import offsets_of, rows_of_runs
from workbench.errors import WorkbenchError

#: The version of the layout of packed state; increases with each change.
VERSION = 3
#: The column with the number of rows of each partition, in a packed part.
SIZE = "__size__"

_MAGIC = b"window workbench"
_HEAD = struct.Struct("<16sHI16s")


@dataclass(frozen=True)
class Seal:
    """A header that identifies the query of a packed value.

    Attributes
    ----------
    buckets : int
        The number of buckets of the query.
    call : bytes
        A fingerprint of 16 bytes, which differs for other tables or other functions.
    version : int
        The version of the format.
    """

    buckets: int
    call: bytes
    version: int = VERSION

    @classmethod
    def of(cls, packed: bytes) -> "Seal":
        """Return the seal of a packed value of this version, for whatever query it was written."""
        head = packed[: _HEAD.size]
        buckets, call = _HEAD.unpack(head)[2:] if len(head) == _HEAD.size else (0, b"")
        seal = cls(buckets, call)
        seal.opened(packed)
        return seal

    @property
    def head(self) -> bytes:
        """The seal as bytes."""
        return _HEAD.pack(_MAGIC, self.version, self.buckets, self.call)

    def opened(self, packed: bytes) -> memoryview:
        """Return the content of a packed value after its seal.

        Parameters
        ----------
        packed : bytes

        Returns
        -------
        memoryview

        Raises
        ------
        WorkbenchError
            When the value was written by another version, for another number of buckets or for
            another call.

        Examples
        --------
        >>> seal = Seal(4, b"0123456789abcdef")
        >>> bytes(seal.opened(seal.head + b"rows"))
        b'rows'
        >>> Seal(8, b"0123456789abcdef").opened(seal.head + b"rows")
        Traceback (most recent call last):
        workbench.errors.WorkbenchError: checkpoint: it was begun with 4 buckets, but the query \
now has 8; set spark.sql.shuffle.partitions to 4 as it was, or begin a new checkpoint.
        """
        if packed[: len(self.head)] != self.head:
            raise WorkbenchError(f"checkpoint: {self._mismatch(packed)}")
        return memoryview(packed)[len(self.head) :]

    def check_buckets(self, begun: int) -> None:
        """Refuse a number of buckets other than the one with which a checkpoint was begun.

        The seals of stored values hold that number too, but with another number of buckets a row
        may go to a bucket without a stored value.
        """
        if begun != self.buckets:
            raise WorkbenchError(f"checkpoint: {self._wrong_buckets(begun)}")

    def _wrong_buckets(self, begun: int) -> str:
        return (
            f"it was begun with {begun} buckets, but the query now has {self.buckets}; "
            f"set spark.sql.shuffle.partitions to {begun} as it was, or begin a new checkpoint."
        )

    def _mismatch(self, packed: bytes) -> str:
        begin = "begin a new checkpoint"
        if len(packed) < _HEAD.size:
            return f"its state was not written by a window call; {begin}."
        magic, version, buckets, _ = _HEAD.unpack_from(packed)
        if magic != _MAGIC:
            return f"its state was not written by a window call; {begin}."
        if version != self.version:
            return (
                f"its state has the format {version}, but this version of the workbench reads and "
                f"writes {self.version}; continue with the version that wrote it, or {begin}."
            )
        if buckets != self.buckets:
            return self._wrong_buckets(buckets)
        return (
            "it was begun by another window call or over other columns; repeat that call, "
            f"or {begin}."
        )


def packed_part(part: Block, seal: Seal) -> bytes:
    """Return partitions as bytes.

    Parameters
    ----------
    part : Block
    seal : Seal

    Returns
    -------
    bytes

    Examples
    --------
    >>> seal = Seal(1, bytes(16))
    >>> part = Block(pa.table({"user": [7, 8]}), np.array([0, 2, 2]), pa.table({"time": [1, 2]}))
    >>> same = unpacked_part(packed_part(part, seal), seal)
    >>> same.keys.to_pydict(), same.offsets.tolist(), same.rows.to_pydict()
    ({'user': [7, 8]}, [0, 2, 2], {'time': [1, 2]})
    """
    sink = pa.BufferOutputStream()
    sink.write(seal.head)
    for table in (part.keys.append_column(SIZE, pa.array(np.diff(part.offsets))), part.rows):
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpacked_part(packed: bytes, seal: Seal) -> Block:
    """Return packed partitions, without copying their columns.

    Parameters
    ----------
    packed : bytes
    seal : Seal

    Returns
    -------
    Block

    Raises
    ------
    WorkbenchError
        When the value has another seal.
    """
    source = pa.BufferReader(pa.py_buffer(seal.opened(packed)))
    keys, rows = (unpacked_rows(source) for _ in range(2))
    sizes = as_array(keys.column(SIZE)).to_numpy()
    return Block(keys.drop_columns([SIZE]), offsets_of(sizes), rows)


def joined(parts: list[Block]) -> Block | None:
    """Return the partitions of several parts as one block, None when there is no part."""
    if not parts:
        return None
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    keys = pa.concat_tables([typed_as(part.keys, parts[0].keys) for part in parts])
    rows = pa.concat_tables([typed_as(part.rows, parts[0].rows) for part in parts])
    return Block(keys, offsets_of(sizes), rows)


def typed_as(rows: pa.Table, other: pa.Table) -> pa.Table:
    """Return the columns of another table, cast to its types.

    A part keeps the types of the session that wrote it, and settings such as the time zone may
    have changed since.

    Examples
    --------
    >>> typed_as(pa.table({"n": pa.array([1], pa.int32())}), pa.table({"n": [2]})).schema.types
    [DataType(int64)]
    """
    if rows.schema == other.schema:
        return rows
    return rows.select(other.column_names).cast(other.schema)


def take_partitions(block: Block, partitions: Ints) -> Block:
    """Return a block of the given partitions, in the given order.

    Parameters
    ----------
    block : Block
    partitions : int64 array

    Returns
    -------
    Block

    Examples
    --------
    >>> rows = pa.table({"time": [1, 2, 3]})
    >>> block = Block(pa.table({"user": [7, 8]}), np.array([0, 1, 3]), rows)
    >>> take_partitions(block, np.array([1, 0])).rows.to_pydict()
    {'time': [2, 3, 1]}
    """
    sizes = np.diff(block.offsets)[partitions]
    ends = offsets_of(sizes)
    rows = rows_of_runs(block.offsets[partitions], sizes)
    return Block(block.keys.take(pa.array(partitions)), ends, rows_at(block.rows, rows))


def rows_at(rows: pa.Table, at: Ints) -> pa.Table:
    """Return rows of a table by their numbers, each column in one chunk."""
    columns: dict[str, Any] = {
        name: as_array(rows.column(name)).take(pa.array(at)) for name in rows.column_names
    }
    return pa.table(columns, schema=rows.schema)
