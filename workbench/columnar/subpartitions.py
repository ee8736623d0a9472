"""Subpartitions: a task processes some of its keys at a time, to bound its memory.

Before the shuffle, each subpartition is a separate bundle, cut into short values. After it, Spark
sorts these values, on disk if necessary, and passes a limited number of them at a time. So a task
holds only a part of its input, however large that is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from workbench.columnar.bundles import BUNDLE, BYTES_AT_ONCE, PARTITION, BundleTask
from workbench.columnar.delivery import Received
from workbench.columnar.key_codes import value_offsets

#: Bundles of few rows cost more than they save, so many partitions get few subpartitions each.
MOST_SUBPARTITIONS, MOST_BUNDLES = 32, 256
#: Subpartitions are processed together up to this number of rows, as each call has a fixed cost.
ROWS_AT_ONCE = 100_000
#: The bytes of a sent value. Spark passes 100,000 values at once, which a worker after the shuffle
#: holds in addition to a subpartition.
BYTES_OF_VALUE = 512


@dataclass(frozen=True)
class SubpartitionTask(BundleTask):
    """Bundle rows by the subpartition of their key, each bundle as several values."""

    def values(self, packed: pa.Buffer) -> pa.Array:
        """Return a bundle as several short values of a column."""
        ends = np.append(np.arange(0, packed.size, BYTES_OF_VALUE), packed.size)
        buffers = [None, pa.py_buffer(ends.astype(np.int32)), packed]
        return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def subpartitions_of(partitions: int) -> int:
    """Return the number of subpartitions of each partition, given the number of partitions.

    Examples
    --------
    >>> [subpartitions_of(partitions) for partitions in (1, 4, 64, 1_000)]
    [32, 32, 4, 1]
    """
    return max(1, min(MOST_SUBPARTITIONS, MOST_BUNDLES // partitions))


def subpartitions(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Yield the rows of some whole subpartitions at a time.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        Numbers and values of :class:`SubpartitionTask`, sorted by number; the values of a number
        keep their order.

    Raises
    ------
    WorkbenchError
        After the last subpartition, when some of the sent rows are missing.

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
    for packed in _values_by_subpartition(batches):
        parts = [part for table in received.opened(packed) for part in table.to_batches()]
        pending += parts
        rows, size = rows + sum(map(len, parts)), size + packed.size
        # Without these names, the memory is freed as soon as the rows are processed.
        del packed, parts
        if rows >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            yield pending
            pending, rows, size = [], 0, 0
    if pending:
        yield pending
    received.check()


def _values_by_subpartition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Buffer]:
    """Yield the concatenated values of each subpartition, copied only across batches."""
    pending: list[pa.Buffer] = []
    last = None
    for batch in batches:
        number = batch.column(PARTITION).to_numpy()
        ends, values = value_offsets(batch.column(BUNDLE)), batch.column(BUNDLE).buffers()[2]
        first = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(number)]
        for begin, end in pairwise(first) if len(number) else ():
            if pending and number[begin] != last:
                yield _concat(pending)
                pending = []
            last = number[begin]
            pending.append(values.slice(ends[begin], ends[end] - ends[begin]))
        del batch, values
    if pending:
        yield _concat(pending)


def _concat(buffers: list[pa.Buffer]) -> pa.Buffer:
    return buffers[0] if len(buffers) == 1 else pa.py_buffer(b"".join(buffers))
