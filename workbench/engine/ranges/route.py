"""Partitions in pieces: routing of rows to the pieces that need them, and removal of copies.

Each row belongs to one piece. Copies go to the other pieces whose frames reach it; they are marked,
and removed from the result.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.frames.frames import LEAST
from kernels.frames.ordering import MOST
from workbench.columnar.blocks import Block
from workbench.columnar.bundles import BundleTask, Routed
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.packed_rows import unpacked_rows
from workbench.columnar.ragged import offsets_of, rows_of_runs
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.cuts import HIGH, LOW, PIECES, START
from workbench.engine.ranges.sort_codes import places
from workbench.errors import WorkbenchError
from workbench.functions.order import OrderColumn

#: The columns with the piece of a row, -1 for an uncut partition, and with the flags below.
PIECE, MARK = "__piece__", "__mark__"
#: The row belongs to the piece; the piece lacks rows of the partition before it, or after it.
OWN, CUT_BEFORE, CUT_BEHIND = 1, 2, 4
#: The row is before all rows of the piece, or after them, and kept because it may be a result.
KEPT_BEFORE, KEPT_BEHIND = 8, 16
KEPT = KEPT_BEFORE | KEPT_BEHIND

Numbers = NDArray[Any]


@dataclass(frozen=True)
class PieceTask(BundleTask):
    """Bundle rows by the partition they go to, those of large keys by their piece.

    Attributes
    ----------
    order : OrderColumn
        The first column of the order.
    cuts : pyarrow.Table, optional
        From :class:`workbench.engine.ranges.cuts.CutTask`; they arrive packed, as the first value
        of an additional last column.
    """

    order: OrderColumn | None = None
    cuts: pa.Table | None = None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundle the rows of a Spark partition, a limited number at a time."""
        rest = (batch for batch in batches if batch.num_rows)
        for first in rest:
            packed = first.column(len(self.columns))[0]
            cuts = unpacked_rows(packed.as_buffer()) if packed.is_valid else None
            plain = (one.select(self._sent) for one in chain([first], rest))
            yield from BundleTask.run(replace(self, cuts=cuts), plain)

    @property
    def _sent(self) -> list[int]:
        return list(range(len(self.columns)))

    def routed(self, rows: pa.Table) -> Routed:
        """Return each row once for every piece that needs it, with its flags there."""
        sent, to, marks = super().routed(rows)
        if self.cuts is None:
            return sent, to, marks
        if len(sent) < len(rows):
            rows = rows.select(list(self._routing_columns)).take(pa.array(sent))
        key = self._cut_keys(rows)
        first, last, home = self._spans(rows, key)
        copies = last - first + 1
        row = np.repeat(np.arange(len(rows)), copies)
        piece, whole = rows_of_runs(first, copies), key[row] < 0
        to = np.where(whole, to[row], self._to(key[row], piece)).astype(np.uint32)
        mark = np.where(piece == home[row], OWN, 0) | self._ends(key[row], piece)
        piece = np.where(whole, -1, piece).astype(np.int32)
        return sent[row], to, {PIECE: piece, MARK: mark.astype(np.uint8)}

    @property
    def _routing_columns(self) -> dict[str, None]:
        """The columns that determine where a row goes."""
        assert self.order is not None
        return dict.fromkeys((*self.keys, self.order.name))

    def _spans(self, rows: pa.Table, key: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the first and the last piece that need each row, and the piece that owns it."""
        assert self.cuts is not None
        assert self.order is not None
        first, last, home = np.zeros((3, len(rows)), np.int64)
        order = as_array(rows.column(self.order.name))
        for number in np.intersect1d(key, np.arange(len(self.cuts))):
            at = np.flatnonzero(key == number)
            place = places(order.take(at), self.order)
            start, low, high = (self._of_pieces(name, number) for name in PIECES)
            home[at] = owner = np.searchsorted(start, place, side="right") - 1
            first[at] = last[at] = owner
            # Few rows are near a cut, and only these are searched among all pieces again.
            near = place <= np.append(LEAST, high[:-1])[owner]
            first[at[near]] = np.searchsorted(high, place[near])
            near = place >= np.append(low[1:], MOST)[owner]
            last[at[near]] = np.searchsorted(low, place[near], side="right") - 1
        return first, last, home

    def _cut_keys(self, rows: pa.Table) -> NDArray[np.int64]:
        """Return the number of each row's key among the cut keys, -1 for other keys."""
        assert self.cuts is not None
        if not self.keys:
            return np.zeros(len(rows), np.int64)
        of_rows, count = rows.select(list(self.keys)), len(self.cuts)
        cut = self.cuts.select(list(self.keys)).cast(of_rows.schema)
        # Codes count up in the order of first rows, so the cut keys have the lowest codes.
        codes = key_codes(pa.concat_tables([cut, of_rows]))[0][count:].astype(np.int64)
        return np.where(codes < count, codes, -1)

    def _of_pieces(self, name: str, key: Any) -> Numbers:
        assert self.cuts is not None
        return np.asarray(self.cuts.column(name)[int(key)].values, np.int64)

    def _before(self) -> Numbers:
        """Return the offsets of each key's pieces."""
        assert self.cuts is not None
        return offsets_of([len(one) for one in self.cuts.column(START)])

    def _to(self, key: Numbers, piece: Numbers) -> Numbers:
        """Return the Spark partition of each piece, round-robin to balance the work."""
        return np.asarray((self._before()[key] + piece) % self.partitions)

    def _ends(self, key: Numbers, piece: Numbers) -> Numbers:
        """Return flags for pieces that lack rows of the partition before or after them."""
        assert self.cuts is not None
        low = np.concatenate([self._of_pieces(LOW, k) for k in range(len(self.cuts))])
        high = np.concatenate([self._of_pieces(HIGH, k) for k in range(len(self.cuts))])
        cut = np.where(low != LEAST, CUT_BEFORE, 0) | np.where(high != MOST, CUT_BEHIND, 0)
        return np.where(key < 0, 0, cut[np.where(key < 0, 0, self._before()[key] + piece)])


def own_rows(block: Block, answer: pa.Table) -> pa.Table:
    """Return the results of the rows that are not copies."""
    own = block.column(MARK).to_numpy() & OWN != 0
    return answer if own.all() else answer.filter(pa.array(own))


def check_overlap(block: Block, groups: NDArray[np.int64], extent: CallExtent) -> None:
    """Refuse pieces that lack rows in their frames.

    Parameters
    ----------
    block : Block
        From :func:`workbench.engine.order.ordered_block`; its partitions are pieces.
    groups : int64 array of shape (rows,)
        The number of each row's group of peers within its piece.
    extent : CallExtent
        How far frames look.

    Raises
    ------
    WorkbenchError
        When there are fewer rows than sampled, because the table changed in between.
    """
    mark = block.column(MARK).to_numpy()
    for piece in np.flatnonzero(mark[block.offsets[:-1]] & (CUT_BEFORE | CUT_BEHIND)):
        begin, end = block.offsets[piece], block.offsets[piece + 1]
        own = begin + np.flatnonzero(mark[begin:end] & OWN)
        if len(own) == 0:
            continue
        first, last = begin + np.flatnonzero(mark[begin:end] & KEPT == 0)[[0, -1]]
        before = own[0] - first, groups[own[0]] - groups[first]
        after = last - own[-1], groups[last] - groups[own[-1]]
        lacks = mark[first] & CUT_BEFORE and _is_short(before, extent, 0)
        if lacks or (mark[first] & CUT_BEHIND and _is_short(after, extent, 1)):
            raise WorkbenchError(
                "df: the table has different rows each time it is read, so its large partitions "
                "cannot be cut; persist it first, or give cut=None."
            )


def _is_short(available: tuple[Any, Any], extent: CallExtent, side: int) -> bool:
    return bool(available[0] < extent.rows[side] or available[1] < extent.groups[side])
