"""Pack the rows of each Spark partition as one block, which is one binary value."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from workbench.columnar.blocks import NAME, TIME, gather, key_columns
from workbench.columnar.bundles import unbundled
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.packed_blocks import pack
from workbench.columnar.packed_rows import one_binary
from workbench.columnar.process import freeze_gc

MOST_NAMES = 10_000


@dataclass(frozen=True)
class PackTask:
    """Pack rows in Spark's Python workers: rows in, packed blocks out.

    Attributes
    ----------
    keys : tuple of str
    what : str
        The column that says what happened.
    """

    keys: tuple[str, ...]
    what: str

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Pack a Spark partition that holds all rows of its keys."""
        freeze_gc()
        block = gather(unbundled(batches), key_columns(self.keys), by_time=True)
        if block is None:
            return
        rows = block.rows
        names = rows.column(NAME).chunk(0).dictionary if self.what == NAME else pa.array([])
        # One more than allowed, so that the driver sees that there are too many.
        names = names[: MOST_NAMES + 1].to_pylist()
        times = instants(as_array(rows.column(TIME)))
        packed = pack(block)
        yield pa.record_batch(
            {
                "block": one_binary(packed),
                "rows": pa.array([len(rows)], pa.int64()),
                "keys": pa.array([len(block.keys)], pa.int64()),
                "first": pa.array([times.min() if len(times) else None], pa.int64()),
                "last": pa.array([times.max() if len(times) else None], pa.int64()),
                "names": pa.array([names], pa.list_(pa.string())),
            }
        )
