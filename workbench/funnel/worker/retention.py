"""Compute a retention in Spark's Python workers: blocks in, cohorts or people out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.funnel.retained import AGAIN, FIRST, retained_periods
from workbench.columnar.blocks import TIME, Block, key_columns
from workbench.columnar.bundles import BUNDLE, unbundled
from workbench.columnar.delivery import to_one_task
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.periods import Periods

#: How many cohorts are returned at the most, the newest.
MOST_COHORTS = 1_000
#: How many cells of people and periods are in memory at once.
CELLS = 4_000_000


class CohortCell(NamedTuple):
    """A cell of the retention table whose people are requested.

    Attributes
    ----------
    cohort : int
        The number of its period.
    period : int, or None
        Counted from the cohort's own period; None for the whole cohort.
    back : bool
        Whether to return those who came back in that period, or those who did not.
    """

    cohort: int
    period: int | None
    back: bool


@dataclass(frozen=True)
class RetentionTask:
    """The definition of a retention for the workers.

    Attributes
    ----------
    events : FunnelTask
        Its first step begins a retention, and its second one is the return; a single step is both.
    periods : Periods
    most : int
        How many periods follow a cohort's own.
    cell : CohortCell, optional
        The cell whose people are returned; without it, the cohorts are counted.
    """

    events: FunnelTask
    periods: Periods
    most: int
    cell: CohortCell | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The key's columns."""
        return self.events.keys

    def answers(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        """Return the counts of each block in bundles, or the people of the cell."""
        if self.cell is not None:
            yield from (self.people(block, self.cell) for block in blocks)
            return
        counts = (self.counts(block) for block in blocks)
        yield from to_one_task(counts, BUNDLE, (*self.keys, "retention"))

    def returns(self, block: Block) -> "Iterator[Returns]":
        """Return the first events of a block's partitions and their returns, not too many at once.

        Parameters
        ----------
        block : Block
            With the rows of each key in order of time.
        """
        times = block.column(TIME)
        fulfilled, period = self.events.conditions(block), self.periods.numbers(times)
        if len(self.events.steps) == 1:
            fulfilled = fulfilled * np.uint32(FIRST | AGAIN)
        time, partitions_at_once = instants(times), max(1, CELLS // (self.most + 1))
        for begin in range(0, len(block.keys), partitions_at_once):
            offsets = block.offsets[begin : begin + partitions_at_once + 1]
            returned = np.empty((len(offsets) - 1, self.most + 1), np.int64)
            first = retained_periods.over(offsets, time, period, fulfilled, returned)
            begun = np.flatnonzero(first >= 0)
            # The kernel returns rows relative to their partition.
            rows = first[begun] + offsets[begun]
            yield Returns(begun + begin, rows, period[rows], returned[begun], offsets[begun])

    def counts(self, block: Block) -> pa.Table:
        """Return each cohort's number, its users, and how many came back in each period."""
        return pa.concat_tables(_counts(part) for part in self.returns(block))

    def people(self, block: Block, cell: CohortCell) -> pa.RecordBatch:
        """Return the keys of a cell, with the times of their first event and of their return."""
        parts = [self._chosen(part, cell) for part in self.returns(block)]
        chosen, first, again = (np.concatenate(one) for one in zip(*parts, strict=True))
        time = block.column(TIME)
        keys = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {
            name: as_array(block.keys.column(key)).take(pa.array(chosen)) for name, key in keys
        }
        columns["first_time"] = time.take(pa.array(first))
        columns["again_time"] = time.take(pa.array(again, mask=again < 0))
        return pa.record_batch(columns)

    def _chosen(self, part: "Returns", cell: CohortCell) -> tuple[NDArray[np.int64], ...]:
        """Return the partitions of a cell, and the rows of their first events and returns."""
        wanted, again = part.period == cell.cohort, np.full(len(part.first), -1)
        if cell.period is not None:
            again = part.returned[:, cell.period]
            wanted &= (again >= 0) == cell.back
            again = np.where(again < 0, -1, again + part.offset)
        return part.partition[wanted], part.first[wanted], again[wanted]


class Returns(NamedTuple):
    """Some of a block's partitions that have a first event.

    Attributes
    ----------
    partition : int64 array of shape (partitions,)
    first : int64 array of shape (partitions,)
        The row of the first event.
    period : int64 array of shape (partitions,)
        The number of its period.
    returned : int64 array of shape (partitions, periods)
        The first return in each period, as a row of the partition; -1 without one.
    offset : int64 array of shape (partitions,)
        Where the rows of each partition begin.
    """

    partition: NDArray[np.int64]
    first: NDArray[np.int64]
    period: NDArray[np.int64]
    returned: NDArray[np.int64]
    offset: NDArray[np.int64]


def _counts(part: Returns) -> pa.Table:
    cohorts, code = np.unique(part.period, return_inverse=True)
    different = len(cohorts)
    columns = {"cohort": cohorts, "users": np.bincount(code, minlength=different)}
    returned = (np.bincount(code[one >= 0], minlength=different) for one in part.returned.T)
    return pa.table(columns | {str(k): one for k, one in enumerate(returned)})


def sum_cohorts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sum the counts of all blocks: the newest cohorts, ascending, and how many there are."""
    parts = list(unbundled(batches))
    if not parts:
        return
    counted = pa.Table.from_batches(parts)
    sums = [(name, "sum") for name in counted.column_names[1:]]
    cohorts = counted.group_by("cohort").aggregate(sums).sort_by("cohort")
    newest = cohorts.slice(max(0, len(cohorts) - MOST_COHORTS)).combine_chunks()
    returned = [as_array(newest.column(f"{name}_sum")).to_numpy() for name, _ in sums[1:]]
    yield pa.record_batch(
        {
            "cohort": as_array(newest.column("cohort")),
            "users": as_array(newest.column("users_sum")),
            "back": pa.array(np.stack(returned, axis=1).tolist(), pa.list_(pa.int64())),
            "cohorts": pa.array([len(cohorts)] * len(newest), pa.int64()),
        }
    )
