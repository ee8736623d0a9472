"""Keys that are cut by time: how far each piece got, and from that how far the key got.

A piece owns the chains that begin in it, and has all rows up to a window after its end. The scan
of a piece holds exactly those chains of the whole key's scan that began in it or later, because
of two chains at one step the newer one replaces the older. So the furthest chain of the key is the
furthest of some piece, and one rule finds that piece (docs/decisions/0043).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import KEEP, TIME, Block, gather, key_columns
from workbench.columnar.bundles import BUNDLE, BundleTask, unbundled
from workbench.columnar.delivery import Bundle, task_number, to_one_task
from workbench.columnar.instants import from_instants, instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.engine.ranges.route import MARK, PIECE
from workbench.funnel.worker.levels import ENTERED, FunnelTask
from workbench.funnel.worker.reached import FunnelAnswers, Reached, ScanResult
from workbench.funnel.worker.summary import ReachedTask, SummaryTask

#: The columns of a piece's result; END is the last time of all rows of its block.
LEVEL, REACHED, OUTCOME, END = "__level__", "__reached__", "__outcome__", "__end__"
#: The schema metadata that marks tables of pieces, whatever their columns are called.
_PIECES = {b"pieces": b""}

Batches = list[pa.RecordBatch]


@dataclass(frozen=True)
class PiecesTask:
    """Compute a funnel for whole keys and for pieces of keys, and join the pieces.

    Attributes
    ----------
    funnel : FunnelTask
    """

    funnel: FunnelTask

    def levels(
        self, batches: Iterable[pa.RecordBatch], partitions: int, hashed: int | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Return bundles of levels: those of whole keys stay here, a key's pieces go to one task.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch
            Bundles of rows.
        partitions : int
            The number of partitions after the shuffle.
        hashed : int, optional
            See :class:`workbench.columnar.bundles.BundleTask`.
        """
        whole, pieces = split_rows(batches)
        task = BundleTask((BUNDLE, *self.funnel.keys), (), partitions, hashed=hashed)
        yield from task.sent(self._bundles(whole, pieces, task_number() % partitions))

    def _bundles(self, whole: Batches, pieces: Batches, here: int) -> Iterator[Bundle]:
        for block in blocks_of(whole, self._names):
            yield Bundle.of(_table(self.funnel.answer(block)), here)
        yield from map(Bundle.of, self.piece_results(pieces))

    def join_levels(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the levels of all keys in the bundles."""
        freeze_gc()
        whole, pieces = split_results(unbundled(batches))
        yield from whole
        if pieces:
            yield pa.record_batch(self.funnel.columns(self.join(pieces)[0]))

    def times_since_first(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the step times of whole keys and pieces, for the one task that sums them up."""
        whole, pieces = split_rows(batches)
        of_keys = map(ReachedTask(self.funnel).times_since_first, blocks_of(whole, self._names))
        yield from to_one_task(chain(of_keys, self.piece_results(pieces)), BUNDLE, self.funnel.keys)

    def sum_up(
        self, batches: Iterable[pa.RecordBatch], summary: SummaryTask
    ) -> Iterator[pa.RecordBatch]:
        """Return the figures of all keys."""
        whole, pieces = split_results(unbundled(batches))
        if pieces:
            whole += ReachedTask(self.funnel).times_from_answers(*self.join(pieces)).to_batches()
        yield from summary.from_parts(whole)

    def piece_results(self, batches: Batches) -> Iterator[pa.Table]:
        """Return a table of how far each piece got; nothing without pieces."""
        for block in blocks_of(batches, (*self._names, PIECE)):
            yield self._block_results(block)

    def _block_results(self, block: Block) -> pa.Table:
        task, end = self.funnel, instants(block.column(TIME)).max()
        if task.by:
            block = task.with_segments(block)
        time, conditions = instants(block.column(TIME)), task.conditions(block)
        scanned = task.scan(block.offsets, time, conditions)
        columns = {name: as_array(block.keys.column(name)) for name in block.keys.column_names}
        columns |= _packed(scanned, block.rows.schema.field(TIME).type)
        if task.segment_columns:
            # Only the whole key tells whether an excluded event removes it from every step.
            result = replace(task, without_excluded=False).to_reached(*scanned.copy())
            values = task.segments(block, time, conditions, result)
            columns |= {name: values[name.removeprefix(KEEP)] for name in task.segment_columns}
        entered = task.last_entry(block, time, conditions)
        if entered is not None:
            columns |= {ENTERED: pa.array(entered), END: pa.array(np.full(len(entered), end))}
        return pa.table(columns).replace_schema_metadata(_PIECES)

    def join(self, batches: Batches) -> tuple[FunnelAnswers, int | None]:
        """Return how far the keys of these pieces got, and the last time of their rows."""
        pieces = pa.concat_tables(map(_table, batches)).combine_chunks()
        groups = [name for name in pieces.column_names if name in self._group_columns]
        codes, count = key_codes(pieces.select(groups))
        level, reached, outcome = scanned = _unpacked(pieces)
        best = self.best(scanned, codes, count, pieces.column(PIECE).to_numpy())
        if outcome is not None:
            # In any piece, an excluded event may have ended a chain that got as far as the best.
            excluded = (outcome[:, 1] == 1) & (level == level[best][codes])
            outcome = outcome[best]
            outcome[:, 1] = _any(excluded, codes, count)
        result = self.funnel.to_reached(level[best], reached[best], outcome)
        keys, time = pieces.select(self._names).take(best), pieces.schema.field(REACHED).type
        segments = self._segments(pieces, best, result)
        answers = FunnelAnswers(keys, result, time.value_type, segments)
        if ENTERED not in pieces.column_names:
            return answers, None
        entered = np.full(count, np.iinfo(np.int64).min)
        np.maximum.at(entered, codes, pieces.column(ENTERED).to_numpy())
        end = int(pieces.column(END).to_numpy().max())
        return answers._replace(entered=entered), end

    def _segments(
        self, pieces: pa.Table, best: NDArray[np.int64], result: Reached
    ) -> dict[str, pa.Array]:
        """Return the segments of each key: its cohorts, and the values of the best piece."""
        key, count = key_codes(pieces.select(self._names))
        segments = {}
        for name in self.funnel.by:
            column = as_array(pieces.column(KEEP + name))
            if name in self.funnel.cohorts:
                did = column.to_numpy(zero_copy_only=False)
                segments[name] = pa.array(_any(did, key, count)[key[best]])
                continue
            nobody = result.level == 0 if KEEP + name in self.funnel.segment_columns else None
            segments[name] = column.take(pa.array(best, mask=nobody))
        return segments

    def best(
        self,
        scanned: ScanResult,
        codes: NDArray[np.uint32],
        count: int,
        piece: NDArray[np.int32],
    ) -> NDArray[np.int64]:
        """Return for each key the piece that holds its winning chain.

        A scan that takes the last step ends there, so the first piece that takes it wins. Otherwise
        the chain that got furthest wins, then the one that began last, then the one with most
        optional steps; of pieces that see the same chain, the last sees all of it.
        """
        level, reached, outcome = scanned
        steps = reached.shape[1]
        has_step = np.arange(steps) < level[:, None]
        options = np.zeros(len(level), np.int64)
        rules = self.funnel.rules
        in_any_order = rules is not None and rules.order == "any"
        if outcome is not None:
            has_step = outcome[:, :1] >> np.arange(steps) & 1 == 1
        if rules is not None:
            options = has_step[:, list(rules.optional)].sum(axis=1)
        times = np.iinfo(np.int64)
        start = np.where(has_step, reached, times.max).min(axis=1)
        last = np.where(has_step, reached, times.min).max(axis=1)
        done = level == steps
        if steps == 1 and not (in_any_order or self.funnel.modes["strict_once"]):
            # If the first step is also the last, these scans go on to the newest.
            done[:] = False
        # Completed chains sort last, the first of them at the end; the last of each key is best.
        order = np.lexsort(
            (
                np.where(done, -piece, piece),
                np.where(done, 0, options),
                np.where(done, ~last, start),
                level,
                codes,
            )
        )
        best = np.empty(count, np.int64)
        best[codes[order]] = order
        return best

    @property
    def _names(self) -> list[str]:
        return list(key_columns(self.funnel.keys))

    @property
    def _group_columns(self) -> set[str]:
        """The columns whose combinations of values have separate results."""
        task = self.funnel
        of_step = {*task.segment_columns, *(KEEP + name for name in task.cohorts)}
        return {*self._names, *(KEEP + name for name in task.by)} - of_step


def split_rows(batches: Iterable[pa.RecordBatch]) -> tuple[Batches, Batches]:
    """Return from bundles the rows of whole keys, and those of pieces."""
    freeze_gc()
    whole: Batches = []
    pieces: Batches = []
    for batch in unbundled(batches):
        if PIECE not in batch.schema.names:
            whole.append(batch)
            continue
        batch = batch.drop_columns([MARK])
        of_piece = batch.column(PIECE).to_numpy() >= 0
        if not of_piece.all():
            keys = batch if not of_piece.any() else batch.filter(pa.array(~of_piece))
            whole.append(keys.drop_columns([PIECE]))
        if of_piece.any():
            pieces.append(batch if of_piece.all() else batch.filter(pa.array(of_piece)))
    return whole, pieces


def split_results(batches: Iterable[pa.RecordBatch]) -> tuple[Batches, Batches]:
    """Return the results of whole keys, and those of pieces."""
    whole_and_pieces: tuple[Batches, Batches] = [], []
    for batch in batches:
        whole_and_pieces[batch.schema.metadata == _PIECES].append(batch)
    return whole_and_pieces


def blocks_of(batches: Batches, names: Sequence[str]) -> Iterator[Block]:
    """Return the block of some batches, if they have rows; the list is emptied to free memory."""
    block = gather(batches, names)
    batches.clear()
    if block is not None:
        yield block


def _packed(scanned: ScanResult, time: pa.DataType) -> dict[str, pa.Array]:
    """Return the output of the kernels as columns."""
    level, reached, outcome = scanned
    times = from_instants(reached.ravel(), time)
    columns = {
        LEVEL: pa.array(level),
        REACHED: pa.FixedSizeListArray.from_arrays(times, reached.shape[1]),
    }
    if outcome is not None:
        flat = pa.array(outcome.ravel())
        columns[OUTCOME] = pa.FixedSizeListArray.from_arrays(flat, outcome.shape[1])
    return columns


def _unpacked(pieces: pa.Table) -> ScanResult:
    """Return the output of the kernels from columns."""
    level = pieces.column(LEVEL).to_numpy().copy()
    reached, *outcome = (
        instants(as_array(pieces.column(name)).flatten()).reshape(len(level), -1)
        for name in (REACHED, OUTCOME)
        if name in pieces.column_names
    )
    return ScanResult(level, reached, outcome[0] if outcome else None)


def _any(rows: NDArray[np.bool_], codes: NDArray[np.uint32], count: int) -> NDArray[np.bool_]:
    """Return which groups have any of some rows."""
    result = np.zeros(count, bool)
    result[codes[rows]] = True
    return result


def _table(batch: pa.RecordBatch) -> pa.Table:
    return pa.Table.from_batches([batch])
