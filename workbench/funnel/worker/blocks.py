"""Sources of the blocks of a task in Spark's Python workers: bundled rows, or packed blocks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import pyarrow as pa

from workbench.columnar.blocks import Block, gather, key_columns
from workbench.columnar.bundles import unbundled
from workbench.columnar.packed_blocks import unpack
from workbench.columnar.packed_rows import binaries
from workbench.columnar.process import freeze_gc


class BlockTask(Protocol):
    """A task that computes results from the blocks of a Spark partition."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The key's columns."""

    def answers(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        """Return the batches that go back to Spark."""


def block_of_rows(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], by_time: bool = True
) -> Iterator[Block]:
    """Yield the block of a Spark partition that holds all rows of its keys; nothing without rows.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        Bundles.
    keys : sequence of str
        The key's columns.
    by_time : bool
        Whether to sort each key's rows by time.
    """
    freeze_gc()
    block = gather(unbundled(batches), key_columns(keys), by_time=by_time)
    if block is not None:
        yield block


def packed_blocks(batches: Iterable[pa.RecordBatch], keys: Sequence[str]) -> Iterator[Block]:
    """Yield packed blocks: one in each row of the first column.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
    keys : sequence of str
        The key's columns.
    """
    freeze_gc()
    names = key_columns(keys)
    for batch in batches:
        for packed in binaries(batch.column(0)):
            yield unpack(packed, names)


def answer_rows(task: BlockTask, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run a task on a Spark partition that holds all rows of its keys, sorted by time."""
    return task.answers(block_of_rows(batches, task.keys))


def answer_packed(task: BlockTask, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Run a task on packed blocks."""
    return task.answers(packed_blocks(batches, task.keys))
