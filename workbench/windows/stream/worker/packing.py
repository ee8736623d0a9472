"""The state of a query over a stream as bytes, sealed with what it was written for."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.columnar.blocks import Block, unpacked_rows
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import offsets_of, rows_of_runs
from workbench.errors import WorkbenchError

#: Goes up whenever packed state is laid out in another way.
VERSION = 3
#: How many rows each partition has, in a packed part.
SIZE = "__size__"

_MAGIC = b"window workbench"
_HEAD = struct.Struct("<16sHI16s")


@dataclass(frozen=True)
class Seal:
    """What state was written for, which stands in front of each packed value.

    Attributes
    ----------
    buckets : int
        How many buckets the query has.
    call : bytes
        16 bytes that differ for calls over another table, or with other functions.
    version : int
        Of the format.
    """

    buckets: int
    call: bytes
    version: int = VERSION

    @classmethod
    def of(cls, packed: bytes) -> "Seal":
        """Return the seal of a packed value of this version, whatever it was written for."""
        head = packed[: _HEAD.size]
        buckets, call = _HEAD.unpack(head)[2:] if len(head) == _HEAD.size else (0, b"")
        found = cls(buckets, call)
        found.opened(packed)
        return found

    @property
    def head(self) -> bytes:
        """The seal as bytes."""
        return _HEAD.pack(_MAGIC, self.version, self.buckets, self.call)

    def opened(self, packed: bytes) -> memoryview:
        """Return what stands behind the seal of a packed value.

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
            raise WorkbenchError(f"checkpoint: {self._why_not(packed)}")
        return memoryview(packed)[len(self.head) :]

    def check_buckets(self, begun: int) -> None:
        """Refuse a number of buckets that is not the one with which a checkpoint was begun.

        The seal of what is kept says it, too; but in another number of buckets, a row may go to
        one of which nothing is kept.
        """
        if begun != self.buckets:
            raise WorkbenchError(f"checkpoint: {self._why_not_so_many(begun)}")

    def _why_not_so_many(self, begun: int) -> str:
        return (
            f"it was begun with {begun} buckets, but the query now has {self.buckets}; "
            f"set spark.sql.shuffle.partitions to {begun} as it was, or begin a new checkpoint."
        )

    def _why_not(self, packed: bytes) -> str:
        begin = "begin a new checkpoint"
        if len(packed) < _HEAD.size:
            return f"its state was not written by a window call; {begin}."
        magic, version, buckets, _ = _HEAD.unpack_from(packed)
        if magic != _MAGIC:
            return f"its state was not written by a window call; {begin}."
        if version != self.version:
            return (
                f"its state has the format {version}, but this version of the workbench reads and "
                f"writes {self.version}; go on with the version that wrote it, or {begin}."
            )
        if buckets != self.buckets:
            return self._why_not_so_many(buckets)
        return f"it was begun by another window call or over other columns; call it so, or {begin}."


def packed_part(part: Block, seal: Seal) -> bytes:
    """Return some partitions as bytes.

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
    found: bytes = sink.getvalue().to_pybytes()
    return found


def unpacked_part(packed: bytes, seal: Seal) -> Block:
    """Return the partitions that were packed, without a copy of their columns.

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
        When the seal is another one.
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
    keys = pa.concat_tables([part.keys for part in parts])
    rows = pa.concat_tables([part.rows for part in parts])
    return Block(keys, offsets_of(sizes), rows)


def taken(block: Block, partitions: Ints) -> Block:
    """Return partitions of a block in another order, or some of them.

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
    >>> taken(block, np.array([1, 0])).rows.to_pydict()
    {'time': [2, 3, 1]}
    """
    sizes = np.diff(block.offsets)[partitions]
    ends = offsets_of(sizes)
    rows = rows_of_runs(block.offsets[partitions], sizes)
    return Block(block.keys.take(pa.array(partitions)), ends, rows_at(block.rows, rows))


def rows_at(rows: pa.Table, at: Ints) -> pa.Table:
    """Return rows of a table by their numbers, each column in one piece."""
    columns: dict[str, Any] = {
        name: as_array(rows.column(name)).take(pa.array(at)) for name in rows.column_names
    }
    return pa.table(columns, schema=rows.schema)
