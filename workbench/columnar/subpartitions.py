"""A task's keys in lots: it answers for some keys at a time, and holds what comes of those alone.

In front of the shuffle each lot of a partition is a bundle of its own, cut into short values.
Behind it Spark sorts them, on its disks where they are too many, and hands over so many of them at
once. So a task holds a part of what it gets, however much that is.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.columnar.bundles import BUNDLE, BYTES_AT_ONCE, PARTITION, BundleTask

#: A bundle of few rows costs more than it saves, so many partitions have few lots each.
MOST_SUBPARTITIONS, MOST_BUNDLES = 32, 256
#: Lots are answered together up to so many rows, as each answer costs something of its own.
ROWS_AT_ONCE = 100_000
#: The bytes of a value that is sent: Spark hands over 100,000 values at once, so they are what a
#: worker behind the shuffle holds beside a lot.
BYTES_OF_VALUE = 512


@dataclass(frozen=True)
class SubpartitionTask(BundleTask):
    """Bundle rows by the lot that their key is in, a bundle in several values."""

    def bundles(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Return some rows for each lot that has rows: its number and parts of its rows."""
        for bundle in super().bundles(rows):
            packed = bundle.column(BUNDLE).buffers()[2]
            ends = np.append(np.arange(0, packed.size, BYTES_OF_VALUE), packed.size)
            buffers = [None, pa.py_buffer(ends.astype(np.int32)), packed]
            values = pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)
            number = pa.repeat(bundle.column(PARTITION)[0], len(values))
            yield pa.record_batch({PARTITION: number, BUNDLE: values})


def subpartitions_of(partitions: int) -> int:
    """Return how many lots each of so many partitions has.

    Examples
    --------
    >>> [subpartitions_of(partitions) for partitions in (1, 4, 64, 1_000)]
    [32, 32, 4, 1]
    """
    return max(1, min(MOST_SUBPARTITIONS, MOST_BUNDLES // partitions))


def subpartitions(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Return the rows of some whole lots at a time.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        Numbers and values of :class:`SubpartitionTask`, in the order of the numbers and as they
        were made.

    Examples
    --------
    >>> rows = pa.table({PARTITION: pa.array([2, 1, 2], pa.int32()), "k0": [7, 8, 7]})
    >>> sent = list(SubpartitionTask(("k0", PARTITION), ("k0",), 3).bundles(rows))
    >>> [[part.to_pydict() for part in parts] for parts in subpartitions(sent)]
    [[{'k0': [8]}, {'k0': [7, 7]}]]
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for packed in _together(batches):
        parts = list(_streams(packed))
        held += parts
        rows, size = rows + sum(map(len, parts)), size + packed.size
        # What is not held by a name is free as soon as the rows are answered.
        del packed, parts
        if rows >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            yield held
            held, rows, size = [], 0, 0
    if held:
        yield held


def _together(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Buffer]:
    """The values of each lot as one, copied only where a lot is in several batches."""
    held: list[pa.Buffer] = []
    last = None
    for batch in batches:
        number = batch.column(PARTITION).to_numpy()
        _, ends, values = batch.column(BUNDLE).buffers()
        ends = np.frombuffer(ends, np.int32)[batch.column(BUNDLE).offset :]
        first = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
        for begin, end in pairwise(first) if len(number) else ():
            if held and number[begin] != last:
                yield _joined(held)
                held = []
            last = number[begin]
            held.append(values.slice(ends[begin], ends[end] - ends[begin]))
        del batch, values
    if held:
        yield _joined(held)


def _joined(held: list[pa.Buffer]) -> pa.Buffer:
    return held[0] if len(held) == 1 else pa.py_buffer(b"".join(held))


def _streams(packed: pa.Buffer) -> Iterator[pa.RecordBatch]:
    """The rows of packed tables that stand one behind the other, without a copy of them."""
    reader = pa.BufferReader(packed)
    while reader.tell() < packed.size:
        yield from pa.ipc.open_stream(reader)
