"""Entries of a trend: how far each key got, for each period in which it took the first step.

Entries of several periods may share events: one event may be a step of each. So the rows from an
entry's first step to the end of its window are a separate partition, and the scan of the funnel
runs over these partitions as it does over keys.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import KEEP, TIME, Block
from workbench.columnar.bundles import BUNDLE
from workbench.columnar.delivery import to_one_task
from workbench.columnar.instants import instants
from workbench.columnar.ragged import begins_run, offsets_of, rows_of_runs
from workbench.funnel.worker.blocks import block_of_rows, packed_blocks
from workbench.funnel.worker.levels import BlockParts, FunnelTask, last_entry
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.reached import Reached
from workbench.funnel.worker.summary import segment_column

#: The columns of an entry: the number of its period, the time of the last first step in it, and
#: which steps it took, as bits. A row without steps is no entry: it holds its block's last time.
PERIOD, LAST, TAKEN = "period", "last", "taken"
#: How many rows of entries are scanned at once.
_ROWS_AT_ONCE = 4_000_000


class Entries(NamedTuple):
    """The entries of a block.

    Attributes
    ----------
    partition : int64 array of shape (entries,)
        The partition of its key.
    period : int64 array of shape (entries,)
        The number of its period.
    low, high : int64 arrays of shape (entries,)
        The range of rows at which it may take steps.
    last : int64 array of shape (entries,)
        The time of its last first step.
    row_period : int64 array of shape (rows,)
        The period of each row that may be a first step.
    """

    partition: NDArray[np.int64]
    period: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    last: NDArray[np.int64]
    row_period: NDArray[np.int64]


def entries_of(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    first: NDArray[np.bool_],
    periods: Periods,
    window: int,
) -> Entries:
    """Return an entry for each partition and period in which there is a first step.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
        Ascending within a partition.
    first : bool array of shape (rows,)
        Which rows may be the first step.
    periods : Periods
    window : int

    Returns
    -------
    Entries

    Notes
    -----
    O(rows + first steps · log rows).

    Examples
    --------
    >>> first, tens = np.array([True, True, True, False]), Periods(10, integers=True)
    >>> found = entries_of(np.array([0, 4]), np.array([1, 5, 12, 30]), first, tens, window=8)
    >>> found.period.tolist(), found.low.tolist(), found.high.tolist(), found.last.tolist()
    ([0, 1], [0, 2], [3, 3], [5, 12])
    """
    rows = np.flatnonzero(first)
    partition = np.searchsorted(offsets, rows, side="right") - 1
    period = period_numbers(periods, time[rows])
    heads = np.flatnonzero(begins_run(partition, period))
    whose, last = partition[heads], time[rows[np.append(heads[1:], len(rows))[: len(heads)] - 1]]
    most = np.iinfo(np.int64).max
    until = np.where(last > most - window, most, last + min(window, most))
    opens, closes = offsets[whose], offsets[whose + 1]
    # Rows of one time are scanned in the order of their steps, so all of them belong to an entry.
    low = _first_row(time, opens, closes, time[rows[heads]], inclusive=True)
    high = _first_row(time, low, closes, until, inclusive=False)
    row_period = np.zeros(len(time), np.int64)
    row_period[rows] = period
    return Entries(whose, period[heads], low, high, last, row_period)


def period_numbers(periods: Periods, time: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the period that each time lies in.

    Parameters
    ----------
    periods : Periods
    time : int64 array of shape (rows,)
        In the workers' representation of times.

    Returns
    -------
    int64 array of shape (rows,)
    """
    values = pa.array(time)
    if not periods.integers:
        values = values.cast(pa.timestamp("us", None if periods.zone is None else "UTC"))
    return periods.numbers(values)


def _first_row(
    time: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    bound: NDArray[np.int64],
    inclusive: bool,
) -> NDArray[np.int64]:
    """Return each range's first row at or after a time, or after it, by binary search."""
    low, high = low.copy(), high.copy()
    while len(active := np.flatnonzero(low < high)):
        middle = (low[active] + high[active]) // 2
        before = time[middle] < bound[active] if inclusive else time[middle] <= bound[active]
        low[active] = np.where(before, middle + 1, low[active])
        high[active] = np.where(before, high[active], middle)
    return low


@dataclass(frozen=True)
class EntriesTask:
    """Compute the entries of a trend for the keys and periods of blocks, and bundle them.

    Attributes
    ----------
    funnel : FunnelTask
    periods : Periods
    each : bool
        Whether a key has an entry in each period with a first step. Otherwise each result of the
        funnel is one entry, in the period in which its chain begins.
    """

    funnel: FunnelTask
    periods: Periods
    each: bool

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the entries of a Spark partition that holds all rows of its keys."""
        blocks = block_of_rows(batches, self.funnel.keys)
        tables = (table for one in blocks for table in (*self.entries(one), self._end_of(one)))
        yield from to_one_task(tables, BUNDLE, self.funnel.keys)

    def from_blocks(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the entries of packed blocks."""
        blocks = packed_blocks(batches, self.funnel.keys)
        tables = (table for block in blocks for table in self.entries(block))
        yield from to_one_task(tables, BUNDLE, self.funnel.keys)

    def entries(self, block: Block) -> Iterator[pa.Table]:
        """Return the entries of a block, one row each.

        Parameters
        ----------
        block : Block
            With the rows of each key in order of time.
        """
        task = self.funnel
        if task.by:
            block = task.with_segments(block)
        parts = task.parts(block, only_begun=True)
        block, _, time, conditions, _ = parts
        first = task.may_begin(conditions)
        if not self.each:
            yield self._chain_entries(parts, first)
            return
        block, time, conditions, first = self._without_irrelevant(block, time, conditions, first)
        entries = entries_of(block.offsets, time, first, self.periods, task.window)
        for part in self._slices(entries.high - entries.low):
            yield self._scan_entries(block, time, conditions, entries, part)

    def _chain_entries(self, parts: BlockParts, first: NDArray[np.bool_]) -> pa.Table:
        """Return an entry for each chain, in the period in which it begins."""
        (block, _, time, conditions, _), result = parts, self.funnel.result(parts)
        last = last_entry(block.offsets, time, first)
        began = result.level > 0
        period = np.zeros(len(began), np.int64)
        period[began] = period_numbers(self.periods, result.reached[began, 0])
        return self._table(block, time, conditions, result, period, last)

    def _without_irrelevant(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        first: NDArray[np.bool_],
    ) -> tuple[Block, NDArray[np.int64], NDArray[np.uint32], NDArray[np.bool_]]:
        """Return the rows that can affect a chain: all in strict order, else those of a step."""
        if self.funnel.strict:
            return block, time, conditions, first
        rows = np.flatnonzero(conditions)
        if len(rows) == len(time):
            return block, time, conditions, first
        offsets = np.searchsorted(rows, block.offsets).astype(np.int64)
        relevant = Block(block.keys, offsets, self._segment_rows(block, rows))
        return relevant, time[rows], conditions[rows], first[rows]

    def _slices(self, lengths: NDArray[np.int64]) -> Iterator[slice]:
        """Return slices of entries to scan together, so that their rows fit into memory."""
        ends, begin = np.cumsum(lengths), 0
        while begin < len(lengths):
            done = ends[begin] - lengths[begin]
            end = max(int(np.searchsorted(ends, done + _ROWS_AT_ONCE, "right")), begin + 1)
            yield slice(begin, end)
            begin = end

    def _scan_entries(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        entries: Entries,
        part: slice,
    ) -> pa.Table:
        """Return how far some entries got, each scanned over its own rows."""
        low, high, period = entries.low[part], entries.high[part], entries.period[part]
        offsets = offsets_of(high - low)
        rows = rows_of_runs(low, high - low)
        row_time, bits = time[rows], conditions[rows]
        first = np.uint32(self.funnel.first_bits)
        other_period = entries.row_period[rows] != np.repeat(period, high - low)
        bits = np.where(other_period, bits & ~first, bits)
        result = self.funnel.reached(offsets, row_time, bits)
        keys = block.keys.take(pa.array(entries.partition[part])) if self.funnel.by else block.keys
        rows_of_entries = Block(keys, offsets, self._segment_rows(block, rows))
        return self._table(rows_of_entries, row_time, bits, result, period, entries.last[part])

    def _segment_rows(self, block: Block, rows: NDArray[np.int64]) -> pa.Table:
        """Return some rows of the columns that segments are read from at a step."""
        read = self.funnel.segment_columns
        return block.rows.select(read).take(pa.array(rows)) if read else block.rows

    def _table(
        self,
        block: Block,
        time: NDArray[np.int64],
        conditions: NDArray[np.uint32],
        result: Reached,
        period: NDArray[np.int64],
        last: NDArray[np.int64],
    ) -> pa.Table:
        bits = np.zeros(len(period), np.uint32)
        for k in range(result.taken.shape[1]):
            bits |= result.taken[:, k].astype(np.uint32) << np.uint32(k)
        columns = {PERIOD: pa.array(period), LAST: pa.array(last), TAKEN: pa.array(bits)}
        if self.funnel.by:
            values = self.funnel.segments(block, time, conditions, result)
            columns |= {segment_column(k): values[name] for k, name in enumerate(self.funnel.by)}
        return pa.table(columns).filter(pa.array(result.level > 0))

    def _end_of(self, block: Block) -> pa.Table:
        """Return a row that is no entry: it holds the last time of a block, and null segments."""
        columns = {
            PERIOD: pa.array([0], pa.int64()),
            LAST: pa.array([instants(block.column(TIME)).max()], pa.int64()),
            TAKEN: pa.array([0], pa.uint32()),
        }
        for k, name in enumerate(self.funnel.by):
            column = KEEP + name
            kind = pa.bool_() if name in self.funnel.cohorts else block.plain(column).type
            columns[segment_column(k)] = pa.nulls(1, kind)
        return pa.table(columns)
