"""A task's keys in subpartitions: it answers for some keys at a time, and holds those alone.

In front of the shuffle each subpartition is a bundle of its own, cut into short values.
Behind it Spark sorts them, on its disks where they are too many, and hands over so many of them at
once. So a task holds a part of what it gets, however much that is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.columnar.bundles import BUNDLE, BYTES_AT_ONCE, PARTITION, BundleTask
from workbench.columnar.delivery import Received
from workbench.columnar.key_codes import starts_of

#: A bundle of few rows costs more than it saves, so many partitions have few of them each.
MOST_SUBPARTITIONS, MOST_BUNDLES = 32, 256
#: Subpartitions are answered together up to so many rows, as each answer costs something more.
ROWS_AT_ONCE = 100_000
#: The bytes of a value that is sent: Spark hands over 100,000 values at once, so they are what a
#: worker behind the shuffle holds beside a subpartition.
BYTES_OF_VALUE = 512


@dataclass(frozen=True)
class SubpartitionTask(BundleTask):
    """Bundle rows by the subpartition that their key is in, a bundle in several values."""

    def values(self, packed: pa.Buffer) -> pa.Array:
        """Return a bundle as the values of a column, each of a few bytes."""
        ends = np.append(np.arange(0, packed.size, BYTES_OF_VALUE), packed.size)
        buffers = [None, pa.py_buffer(ends.astype(np.int32)), packed]
        return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def subpartitions_of(partitions: int) -> int:
    """Return how many subpartitions each of so many partitions has.

    Examples
    --------
    >>> [subpartitions_of(partitions) for partitions in (1, 4, 64, 1_000)]
    [32, 32, 4, 1]
    """
    return max(1, min(MOST_SUBPARTITIONS, MOST_BUNDLES // partitions))


def subpartitions(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Return the rows of some whole subpartitions at a time.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        Numbers and values of :class:`SubpartitionTask`, in the order of the numbers and as they
        were made.

    Raises
    ------
    WorkbenchError
        Behind the last subpartition, when not all has come that was sent.

    Examples
    --------
    >>> rows = pa.record_batch({"k0": [7, 8, 7], PARTITION: pa.array([2, 1, 2], pa.int32())})
    >>> sent = pa.Table.from_batches(SubpartitionTask(("k0", PARTITION), ("k0",), 3).run([rows]))
    >>> in_order = sent.take(pa.compute.sort_indices(sent, [(PARTITION, "ascending")]))
    >>> [[part.to_pydict() for part in parts] for parts in subpartitions(in_order.to_batches())]
    [[{'k0': [8]}, {'k0': [7, 7]}]]
    """
    received = Received()
    pending: list[pa.RecordBatch] = []
    rows = size = 0
    for packed in _together(batches):
        parts = [part for table in received.opened(packed) for part in table.to_batches()]
        pending += parts
        rows, size = rows + sum(map(len, parts)), size + packed.size
        # What is not held by a name is free as soon as the rows are answered.
        del packed, parts
        if rows >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            yield pending
            pending, rows, size = [], 0, 0
    if pending:
        yield pending
    received.check()


def _together(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Buffer]:
    """The values of each subpartition as one, copied only where they are in several batches."""
    pending: list[pa.Buffer] = []
    last = None
    for batch in batches:
        number = batch.column(PARTITION).to_numpy()
        ends, values = starts_of(batch.column(BUNDLE)), batch.column(BUNDLE).buffers()[2]
        first = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
        for begin, end in pairwise(first) if len(number) else ():
            if pending and number[begin] != last:
                yield _joined(pending)
                pending = []
            last = number[begin]
            pending.append(values.slice(ends[begin], ends[end] - ends[begin]))
        del batch, values
    if pending:
        yield _joined(pending)


def _joined(buffers: list[pa.Buffer]) -> pa.Buffer:
    return buffers[0] if len(buffers) == 1 else pa.py_buffer(b"".join(buffers))
