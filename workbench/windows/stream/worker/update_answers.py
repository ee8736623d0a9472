"""Recomputation of the rows that a batch of changes can affect, and comparison of results."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.core.arrays import Flags, Ints
from kernels.frames.extent import FrameExtent
from kernels.stream.affected import PartitionSlices, cut_ranges, find_affected, peers_before
from kernels.stream.sort_buffer import Changes
from workbench.columnar.blocks import Block
from workbench.columnar.equality import same
from workbench.engine.block import Call, Window
from workbench.engine.functions import answer
from workbench.functions.order import OrderColumn


@dataclass(frozen=True)
class DroppedCounts:
    """The numbers of dropped rows of each partition, which ranks still count.

    Attributes
    ----------
    rows, peers : int64 arrays of shape (partitions,)
        Dropped rows, and dropped groups of peers.
    """

    rows: Ints
    peers: Ints


@dataclass(frozen=True)
class Recomputed:
    """New results of some rows.

    Attributes
    ----------
    affected : int64 array of shape (rows,)
        The row numbers in the block, ascending.
    columns : list of pyarrow.Array
        A column for each call; empty where no row is affected.
    read : int
        The number of rows that were read to compute them.
    """

    affected: Ints
    columns: list[pa.Array]
    read: int


@dataclass(frozen=True)
class CallEngine:
    """Computes the calls of a query for slices of its partitions.

    Attributes
    ----------
    order : tuple of OrderColumn
    calls : tuple of Call
    extents : tuple of FrameExtent
    """

    order: tuple[OrderColumn, ...]
    calls: tuple[Call, ...]
    extents: tuple[FrameExtent, ...]

    @property
    def counts_rows(self) -> bool:
        """Whether a call counts the rows before a row, dropped rows included."""
        return any(extent.counted for extent in self.extents)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the calls read."""
        names = [column.name for column in self.order]
        for call in self.calls:
            names += (*call.needs, *call.bounds)
        return tuple(dict.fromkeys(names))

    def recompute(
        self,
        rows: pa.Table,
        source: Ints,
        offsets: Ints,
        code: Ints,
        changes: Changes,
        before: DroppedCounts,
    ) -> Recomputed:
        """Return new results of the rows that changes can affect.

        Parameters
        ----------
        rows : pyarrow.Table
            At least the columns in :attr:`needs`.
        source : int64 array of shape (rows of the block,)
            The rows of the block after the changes, sorted in every partition, as row numbers.
        offsets : int64 array of shape (partitions + 1,)
        code : int64 array of shape (rows of the block,)
        changes : Changes
        before : DroppedCounts

        Returns
        -------
        Recomputed

        Notes
        -----
        Affected ranges that are far apart are computed separately, each from the rows around it.
        Frames along floats, whose codes allow no arithmetic, and frames whose bounds differ from
        row to row count as unbounded: such a call is recomputed from the change on, or for the
        whole partition.
        """
        extents = [_with_peers(extent) for extent in self.extents]
        cut = cut_ranges(offsets, find_affected(offsets, code, changes, extents))
        if not len(cut.rows):
            return Recomputed(cut.rows, [], 0)
        slices = rows.select(self.needs).take(pa.array(source[cut.rows]))
        window = Window(Block(pa.table({}), cut.offsets, slices), self.order)
        rows_affected = np.flatnonzero(cut.affected)
        preceding = self._rows_before(offsets, code, cut, before)
        columns = []
        for call in self.calls:
            column = answer(window, call).take(pa.array(rows_affected))
            if call.function in preceding:
                more = pa.array(preceding[call.function][rows_affected]).cast(column.type)
                column = pc.add(column, more)
            columns.append(column)
        return Recomputed(cut.rows[rows_affected], columns, len(cut.rows))

    def empty_results(self, rows: pa.Table) -> list[pa.Array]:
        """Return empty result columns with the right types; ``rows`` must not be empty."""
        one = Block(pa.table({}), np.array([0, 1]), rows.slice(0, 1))
        window = Window(one, self.order)
        return [answer(window, call).slice(0, 0) for call in self.calls]

    def _rows_before(
        self, offsets: Ints, code: Ints, cut: PartitionSlices, before: DroppedCounts
    ) -> dict[str, Ints]:
        """Return the numbers of rows or peers before a slice, by the functions that count them."""
        functions = {call.function for call in self.calls}
        sizes, counts = np.diff(cut.offsets), {}
        if functions & {"row_number", "rank"}:
            rows = np.repeat(cut.before + before.rows[cut.partition], sizes)
            counts = {"row_number": rows, "rank": rows}
        if "dense_rank" in functions:
            peers = peers_before(offsets, code, cut) + before.peers[cut.partition]
            counts["dense_rank"] = np.repeat(peers, sizes)
        return counts


def _with_peers(extent: FrameExtent) -> FrameExtent:
    """Return an extent along the order that includes the row's peers.

    The frames of rows with a null order value hold each other, wherever other frames begin.
    """
    if extent.unit != "range":
        return extent
    low = extent.low if extent.low is None else min(extent.low, 0)
    high = extent.high if extent.high is None else max(extent.high, 0)
    return extent._replace(low=low, high=high)


def same_rows(
    before: Ints, after: Ints, columns: Iterable[pa.Array], only: NDArray[np.bool_] | None = None
) -> Flags:
    """Return which rows have equal values before and after, in all given columns.

    Parameters
    ----------
    before, after : int64 arrays of shape (pairs,)
        Row numbers in the columns; negative where the row does not exist.
    columns : iterable of pyarrow.Array
    only : bool array of shape (pairs,), optional
        Where the rows may differ in these columns; everywhere without it.

    Returns
    -------
    uint8 array of shape (pairs,)
        1 also for an added or removed row.

    Examples
    --------
    >>> same_rows(np.array([1, 0, -1]), np.array([2, 3, 4]), [pa.array([5, 6, 6, 7, 8])]).tolist()
    [1, 0, 1]
    """
    equal = np.ones(len(before), np.uint8)
    both = (before >= 0) & (after >= 0)
    at = np.flatnonzero(both if only is None else both & only)
    was, now = pa.array(before[at]), pa.array(after[at])
    for column in columns if len(at) else ():
        equal[at] &= same(column.take(was), column.take(now))
    return equal
