"""Where large partitions are cut: from samples of their rows to pieces and their overlaps."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.frames.frames import LEAST
from kernels.frames.ordering import MOST
from workbench.columnar.delivery import delivered
from workbench.columnar.key_codes import key_codes
from workbench.columnar.packed_rows import binaries, one_binary, packed_rows
from workbench.columnar.process import freeze_gc
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.sample import PLACES, ROWS, STEP, SUMMARY, lists_of, with_columns
from workbench.engine.ranges.sort_codes import shifted_place

#: The columns of a key's :class:`Pieces`, each a list.
PIECES = START, LOW, HIGH = "__start__", "__low__", "__high__"
CUTS = "__cuts__"
#: The fewest rows of a piece: fewer are computed faster than spread over tasks.
LEAST_ROWS = 100_000


class Pieces(NamedTuple):
    """The pieces of a partition, in order.

    Attributes
    ----------
    start : int64 array of shape (pieces,)
        A piece owns the rows from its start up to the start of the next piece.
    low, high : int64 arrays of shape (pieces,)
        It needs the rows from low to high, both inclusive; the ends of int64 mean no bound.
    """

    start: Ints
    low: Ints
    high: Ints


@dataclass(frozen=True)
class Sample:
    """A sample of the places of a partition's rows.

    Attributes
    ----------
    place : int64 array
        Distinct places of rows, ascending.
    before : int64 array, one longer
        The least number of rows before each place, and in all.
    error : int
        How many more rows there may be before a place.
    """

    place: Ints
    before: Ints
    error: int

    @classmethod
    def of(cls, places: Sequence[Ints], steps: Sequence[int]) -> "Sample":
        """Return a sample from the sampled places of several workers, and the rows per place."""
        weights = np.repeat(np.asarray(steps, np.int64), [len(one) for one in places])
        place, at = np.unique(np.concatenate(places), return_inverse=True)
        rows = np.zeros(len(place) + 1, np.int64)
        np.add.at(rows[1:], at, weights)
        return cls(place, np.cumsum(rows), int(sum(step - 1 for step in steps)))

    def rows_between(self, low: Ints, end: Ints) -> int:
        """Return how many rows are from low up to end, summed over the pairs."""
        at = [self.before[np.searchsorted(self.place, value)] for value in (low, end)]
        return int(np.maximum(at[1] - at[0], 0).sum())

    def pieces(self, count: int, extent: CallExtent, descending: bool) -> Pieces:
        """Return about ``count`` pieces of about equal size, fewer where rows share a place."""
        targets = self.before[-1] * np.arange(1, count) // count
        cuts = np.unique(np.searchsorted(self.before[1:], targets, side="right"))
        cuts = cuts[(cuts > 0) & (cuts < len(self.place))]
        low = [self._low(cut, extent, descending) for cut in cuts]
        high = [self._high(cut, extent, descending) for cut in cuts]
        start = np.concatenate([[LEAST], self.place[cuts]])
        return Pieces(start, np.array([LEAST, *low], np.int64), np.array([*high, MOST], np.int64))

    def _low(self, cut: int, extent: CallExtent, descending: bool) -> int:
        """Return where the rows begin that the rows from a cut on need."""
        rows, groups, distance = extent.rows[0], extent.groups[0], extent.distance[0]
        place = int(self.place[cut])
        bounds = [place, shifted_place(place, -distance, extent.floating, descending)]
        if rows:
            most = self.before[cut] - rows - self.error
            at = np.searchsorted(self.before[:-1], most, side="right") - 1
            bounds.append(int(self.place[at]) if at >= 0 else LEAST)
        if groups:
            bounds.append(int(self.place[cut - groups]) if cut >= groups else LEAST)
        return min(bounds)

    def _high(self, cut: int, extent: CallExtent, descending: bool) -> int:
        """Return where the rows end that the rows before a cut need."""
        rows, groups, distance = extent.rows[1], extent.groups[1], extent.distance[1]
        place = int(self.place[cut])
        # Nulls and NaN have no distance, and a place that is shifted from one may lie before it.
        bounds = [place - 1]
        if distance:
            bounds.append(shifted_place(place, distance, extent.floating, descending))
        if rows:
            at = np.searchsorted(self.before, self.before[cut] + rows + self.error)
            bounds.append(int(self.place[at]) - 1 if at < len(self.place) else MOST)
        if groups:
            at = cut + groups - 1
            bounds.append(int(self.place[at]) if at < len(self.place) else MOST)
        return max(bounds)


@dataclass(frozen=True)
class CutTask:
    """Choose the pieces of large partitions from all summaries.

    Attributes
    ----------
    keys : tuple of str
    extent : CallExtent
    descending : bool
        Whether the first order column descends.
    pieces : int
        The number of pieces of a partition that holds the whole table.
    rows : int, optional
        The approximate number of rows per piece, which replaces ``pieces``.
    least : int
        The fewest rows of a piece, where ``rows`` is None.
    """

    keys: tuple[str, ...]
    extent: CallExtent
    descending: bool
    pieces: int
    rows: int | None
    least: int = LEAST_ROWS

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield all cuts as one binary value, nothing where no key is cut."""
        freeze_gc()
        cuts = self.cuts(batches)
        if cuts is not None:
            yield pa.record_batch({CUTS: one_binary(packed_rows(cuts))})

    def shown(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the keys that are cut, their rows, and their numbers of pieces."""
        freeze_gc()
        cuts = self.cuts(batches)
        if cuts is not None:
            pieces = pa.array([len(one) for one in cuts.column(START)], pa.int32())
            keys = with_columns(cuts.select([*self.keys, ROWS]), {"pieces": pieces})
            yield from keys.to_batches()

    def sizes(self, whole: int) -> tuple[int, int]:
        """Return the rows of a piece, and the most rows of a partition that is not cut.

        Parameters
        ----------
        whole : int
            The rows of the table.

        Examples
        --------
        >>> CutTask((), CallExtent(), False, pieces=8, rows=None).sizes(8_000_000)
        (1000000, 1500000)
        """
        if self.rows:
            return self.rows, self.rows
        target = max(self.least, -(-whole // self.pieces))
        return target, target * 3 // 2

    def cuts(self, batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
        """Return the keys that are cut with their rows and pieces, None if there are none."""
        whole, table = _read_summaries(batches)
        if table is None:
            return None
        codes, count = key_codes(table.select(list(self.keys)))
        known = np.bincount(codes, table.column(ROWS).to_numpy(), count).astype(np.int64)
        target, most = self.sizes(whole)
        cut_keys = []
        for key in np.flatnonzero(known > most):
            at = np.flatnonzero(codes == key)
            pieces = self._pieces(table.take(at), -(-int(known[key]) // target))
            if len(pieces.start) > 1:
                cut_keys.append((at[0], known[key], *pieces))
        if not cut_keys:
            return None
        first, rows, *lists = zip(*cut_keys, strict=True)
        columns = {ROWS: pa.array(rows, pa.int64())}
        columns |= {name: lists_of(one) for name, one in zip(PIECES, lists, strict=True)}
        return with_columns(table.select(list(self.keys)).take(list(first)), columns)

    def _pieces(self, samples: pa.Table, count: int) -> Pieces:
        """Return the pieces of one key: fewer when many rows would be copied."""
        places = [one.values.to_numpy() for one in samples.column(PLACES)]
        sample = Sample.of(places, samples.column(STEP).to_pylist())
        pieces = sample.pieces(count, self.extent, self.descending)
        while self.rows is None and 2 * copies(sample, pieces) > sample.before[-1]:
            count //= 2
            pieces = sample.pieces(count, self.extent, self.descending)
        return pieces


def _read_summaries(batches: Iterable[pa.RecordBatch]) -> tuple[int, pa.Table | None]:
    """Return the number of rows of the table, and the workers' summaries of large keys."""
    packed = (one for batch in batches for one in binaries(batch.column(SUMMARY)))
    summaries = list(delivered(packed))
    rows = sum(int(one.schema.metadata[ROWS.encode()]) for one in summaries)
    large = [one.replace_schema_metadata() for one in summaries if len(one)]
    return rows, pa.concat_tables(large) if large else None


def copies(sample: Sample, pieces: Pieces) -> int:
    """Return about how many copies of rows go to pieces other than their own."""
    after = np.minimum(pieces.high[:-1], MOST - 1) + 1
    copies_back = sample.rows_between(pieces.start[1:], after)
    return copies_back + sample.rows_between(pieces.low[1:], pieces.start[1:])
