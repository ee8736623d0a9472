"""Queries without a key or a time: they see no event, so any task can give them back.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION
from workbench.columnar.columns import present
from workbench.columnar.key_codes import as_array
from workbench.columnar.subpartitions import SubpartitionTask


@dataclass(frozen=True)
class NullKeyTask(SubpartitionTask):
    """Bundle queries by their keys, and let those without a key or a time go round."""

    def bundles(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Return one row for each partition that has rows: its number and its rows."""
        yield from super().bundles(spread_null_keys(rows, (*self.keys, TIME), self.partitions))


def spread_null_keys(rows: pa.Table, needed: Sequence[str], partitions: int) -> pa.Table:
    """Let rows that lack something go round the partitions: they may be many.

    Examples
    --------
    >>> rows = pa.table({"k0": [None, "a", None], PARTITION: pa.array([1, 1, 1], pa.int32())})
    >>> spread_null_keys(rows, ["k0"], 3).column(PARTITION).to_pylist()
    [0, 1, 2]
    """
    has = np.logical_and.reduce([present(as_array(rows.column(name))) for name in needed])
    if has.all():
        return rows
    to = np.where(has, rows.column(PARTITION).to_numpy(), np.arange(len(rows)) % partitions)
    place = rows.column_names.index(PARTITION)
    return rows.set_column(place, PARTITION, pa.array(to.astype(np.int32)))
