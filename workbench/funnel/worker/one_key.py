"""Find the rows of one key in packed blocks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.columnar.blocks import CONDITIONS, NAME, TIME, Block, key_columns
from workbench.columnar.instants import instants
from workbench.funnel.worker.blocks import packed_blocks
from workbench.funnel.worker.levels import FunnelTask


@dataclass(frozen=True)
class OneKeyTask:
    """Find a key in Spark's Python workers: packed blocks in, the rows of one key out."""

    task: FunnelTask
    values: tuple[Any, ...]
    limit: int

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the key's rows from the block that holds it."""
        for block in packed_blocks(batches, self.task.keys):
            yield from self._rows(block)

    def _rows(self, block: Block) -> Iterator[pa.RecordBatch]:
        keys = key_columns(self.task.keys)
        matches = [
            _equals(block.keys.column(name), value)
            for name, value in zip(keys, self.values, strict=True)
        ]
        partition = np.flatnonzero(reduce(pc.and_, matches).combine_chunks().to_numpy(False))
        if not len(partition):
            return
        first, last = block.offsets[partition[0]], block.offsets[partition[0] + 1]
        rows = slice(first, min(last, first + self.limit))
        has_names = self.task.next in block.rows.column_names
        names = block.plain(str(self.task.next))[rows] if has_names else None
        count = rows.stop - rows.start
        yield pa.record_batch(
            {
                TIME: pa.array(instants(block.column(TIME))[rows]),
                CONDITIONS: pa.array(self.task.conditions(block)[rows].view(np.int32)),
                NAME: names if names is not None else pa.nulls(count, pa.string()),
            }
        )


def _equals(column: pa.ChunkedArray, value: Any) -> pa.ChunkedArray:
    """Return which keys equal a value as Spark compares them: NaN is equal to NaN."""
    if isinstance(value, float):
        column = column.cast(pa.float64())
        return pc.is_nan(column) if isnan(value) else pc.equal(column, value)
    try:
        return pc.equal(column, pa.scalar(value, column.type))
    except (pa.ArrowInvalid, OverflowError):
        # The type has no such number, so no key is equal to it.
        return pc.equal(column, pa.scalar(None, column.type))
