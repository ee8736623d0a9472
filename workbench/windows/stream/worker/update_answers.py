"""The answers of the rows that a batch of changes can affect, and which of them are others."""

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
from workbench.frames.bounds import PerRow
from workbench.functions.order import OrderColumn


@dataclass(frozen=True)
class Before:
    """How much of each partition has been dropped, which ranks count all the same.

    Attributes
    ----------
    rows, peers : int64 arrays of shape (partitions,)
        Rows, and groups of peers.
    """

    rows: Ints
    peers: Ints


@dataclass(frozen=True)
class Answered:
    """New answers of some rows.

    Attributes
    ----------
    affected : int64 array of shape (rows,)
        These rows of the block, ascending.
    columns : list of pyarrow.Array
        A column for each call; none where no row is asked.
    read : int
        How many rows the answers were computed from.
    """

    affected: Ints
    columns: list[pa.Array]
    read: int


@dataclass(frozen=True)
class Engine:
    """The calls of a query, for slices of its partitions.

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
        """Whether a call counts the rows before its own, those that are dropped included."""
        return any(extent.counted for extent in self.extents)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the calls look at."""
        names = [column.name for column in self.order]
        for call in self.calls:
            names += call.needs
            for bound in (call.frame.low, call.frame.high):
                if bound is not None and isinstance(bound.amount, PerRow):
                    names.append(str(bound.amount.column))
        return tuple(dict.fromkeys(names))

    def affected(
        self,
        rows: pa.Table,
        source: Ints,
        offsets: Ints,
        code: Ints,
        changes: Changes,
        before: Before,
    ) -> Answered:
        """Return the answers that changes can affect.

        Parameters
        ----------
        rows : pyarrow.Table
            At least what :attr:`needs` names.
        source : int64 array of shape (rows of the block,)
            Which of these rows the block has after the changes, sorted in every partition.
        offsets : int64 array of shape (partitions + 1,)
        code : int64 array of shape (rows of the block,)
        changes : Changes
        before : Before

        Returns
        -------
        Answered

        Notes
        -----
        Some affected ranges far apart are answered each from the rows around it. A range along
        floats, whose codes cannot be added to, and one with bounds that differ from row to row
        have no end: such a call is computed again from the change on, or for the whole partition.
        """
        extents = [_with_peers(extent) for extent in self.extents]
        cut = cut_ranges(offsets, find_affected(offsets, code, changes, extents))
        if not len(cut.rows):
            return Answered(cut.rows, [], 0)
        slices = rows.select(self.needs).take(pa.array(source[cut.rows]))
        window = Window(Block(pa.table({}), cut.offsets, slices), self.order)
        rows_affected, stood = np.flatnonzero(cut.affected), self._stood(offsets, code, cut, before)
        columns = []
        for call in self.calls:
            column = answer(window, call).take(pa.array(rows_affected))
            if call.function in stood:
                more = pa.array(stood[call.function][rows_affected]).cast(column.type)
                column = pc.add(column, more)
            columns.append(column)
        return Answered(cut.rows[rows_affected], columns, len(cut.rows))

    def nothing(self, rows: pa.Table) -> list[pa.Array]:
        """Return the answers of no row, of their types; some row must be given."""
        one = Block(pa.table({}), np.array([0, 1]), rows.slice(0, 1))
        window = Window(one, self.order)
        return [answer(window, call).slice(0, 0) for call in self.calls]

    def _stood(
        self, offsets: Ints, code: Ints, cut: PartitionSlices, before: Before
    ) -> dict[str, Ints]:
        """What a slice of a partition does not see: by the names of functions that count it."""
        functions = {call.function for call in self.calls}
        sizes, found = np.diff(cut.offsets), {}
        if functions & {"row_number", "rank"}:
            rows = np.repeat(cut.before + before.rows[cut.partition], sizes)
            found = {"row_number": rows, "rank": rows}
        if "dense_rank" in functions:
            peers = peers_before(offsets, code, cut) + before.peers[cut.partition]
            found["dense_rank"] = np.repeat(peers, sizes)
        return found


def _with_peers(extent: FrameExtent) -> FrameExtent:
    """Return a look along the order that has the row's peers too.

    Rows that the order has no value for see one another, wherever the frames of others begin.
    """
    if extent.unit != "range":
        return extent
    low = extent.low if extent.low is None else min(extent.low, 0)
    high = extent.high if extent.high is None else max(extent.high, 0)
    return extent._replace(low=low, high=high)


def same_rows(
    before: Ints, after: Ints, columns: Iterable[pa.Array], only: NDArray[np.bool_] | None = None
) -> Flags:
    """Return where rows have what they had, in all of some columns.

    Parameters
    ----------
    before, after : int64 arrays of shape (pairs,)
        Rows of the columns; negative for one that was or is not there.
    columns : iterable of pyarrow.Array
    only : bool array of shape (pairs,), optional
        Where the rows may differ in these columns; everywhere without it.

    Returns
    -------
    uint8 array of shape (pairs,)
        1 also for a row that has come or gone.

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
