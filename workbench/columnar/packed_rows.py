"""Rows as one binary value, the form in which all of them travel."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.columnar.key_codes import value_offsets

# Arrow's defaults. Without this, each stream reads the environment, half the time of a small one.
_OPTIONS = pa.ipc.IpcWriteOptions()


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
