"""The task of a window call that runs in Spark's Python workers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from workbench.columnar.blocks import Block
from workbench.columnar.bundles import unbundled
from workbench.columnar.process import freeze_gc, keep_heap
from workbench.engine.block import Call, Window
from workbench.engine.extent import CallExtent
from workbench.engine.functions import answer
from workbench.engine.order import ordered_block
from workbench.engine.ranges.carry import SIDE
from workbench.engine.ranges.piece_answers import PieceAnswers, with_conditions
from workbench.engine.ranges.route import PIECE, check_overlap, own_rows
from workbench.functions.order import OrderColumn

#: The most rows of a batch that goes back to Spark.
ROWS_AT_ONCE = 100_000


@dataclass(frozen=True)
class WindowTask:
    """Compute window calls that share a partitioning and an order.

    Attributes
    ----------
    columns : tuple of (str, str)
        The columns to return: their names in the result, and in the block.
    keys : tuple of str
        The columns that define the partitions; without any, there is one partition.
    order : tuple of OrderColumn
    calls : tuple of Call
    extent : CallExtent, optional
        How far the calls look, where large partitions may arrive in pieces.
    """

    columns: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    order: tuple[OrderColumn, ...]
    calls: tuple[Call, ...]
    extent: CallExtent | None = None

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the result for a Spark partition that holds all rows of its keys."""
        freeze_gc()
        keep_heap()
        rows: list[pa.RecordBatch] = []
        states: list[pa.RecordBatch] = []
        for batch in unbundled(batches):
            (states if SIDE in batch.schema.names else rows).append(batch)
        rows = [batch for batch in rows if batch.num_rows]
        if rows:
            outer_states = pa.Table.from_batches(states) if states else None
            yield from self.of_keys(pa.Table.from_batches(rows), outer_states)

    def of_keys(self, rows: pa.Table, states: pa.Table | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the result for all rows of some keys, or for pieces of them.

        Parameters
        ----------
        rows : pyarrow.Table
        states : pyarrow.Table, optional
            States of the rows outside of the pieces.
        """
        if not len(rows):
            return
        in_pieces = PIECE in rows.column_names
        keys = (*self.keys, PIECE) if in_pieces else self.keys
        block = ordered_block(rows, keys, self.order)
        result = self.of_pieces(block, states) if in_pieces else self.answer(block)
        yield from result.to_batches(max_chunksize=ROWS_AT_ONCE)

    def answer(self, block: Block) -> pa.Table:
        """Return every row with the result of every call.

        Parameters
        ----------
        block : Block
            From :func:`workbench.engine.order.ordered_block`.

        Returns
        -------
        pyarrow.Table
        """
        return self.of_window(Window(block, self.order))

    def of_window(self, window: Window) -> pa.Table:
        """Return every row with the result of every call, as :meth:`answer` does."""
        columns = {name: window.column(alias) for name, alias in self.columns}
        return pa.table(columns | {call.column: answer(window, call) for call in self.calls})

    def of_pieces(self, block: Block, states: pa.Table | None) -> pa.Table:
        """Return the rows that belong to the pieces, with the result of every call.

        Parameters
        ----------
        block : Block
            Its partitions are pieces or whole partitions.
        states : pyarrow.Table or None
            States of the rows outside of the pieces.

        Returns
        -------
        pyarrow.Table
        """
        window = Window(with_conditions(block, self.calls), self.order)
        if self.extent is not None and self.extent.counts:
            check_overlap(block, window.order.group, self.extent)
        answers = PieceAnswers.of(window, states, self.calls)
        columns = {name: block.column(alias) for name, alias in self.columns}
        columns |= {call.column: answers.answer(call) for call in self.calls}
        return own_rows(block, pa.table(columns))
