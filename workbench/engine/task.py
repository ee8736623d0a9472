"""The part of a window call that runs in Spark's Python workers."""

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
from workbench.engine.ranges.route import PIECE, check_overlap, own_rows
from workbench.functions.order import OrderColumn

#: Rows that go back to Spark at once.
ROWS_AT_ONCE = 100_000


@dataclass(frozen=True)
class WindowTask:
    """Answer window calls that share their partitions and their order.

    Attributes
    ----------
    columns : tuple of (str, str)
        The columns to give back: the name in the result, and in the block.
    keys : tuple of str
        The columns that make the partition; without any, there is one.
    order : tuple of OrderColumn
    calls : tuple of Call
    reach : CallExtent, optional
        How far the calls look, where large partitions may come in pieces.
    """

    columns: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    order: tuple[OrderColumn, ...]
    calls: tuple[Call, ...]
    reach: CallExtent | None = None

    def from_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for a Spark partition that holds all rows of its keys."""
        freeze_gc()
        keep_heap()
        parts = [batch for batch in unbundled(batches) if batch.num_rows]
        if parts:
            rows = pa.Table.from_batches(parts)
            pieces = (PIECE,) if PIECE in rows.column_names else ()
            block = ordered_block(rows, (*self.keys, *pieces), self.order)
            yield from self.answer(block).to_batches(max_chunksize=ROWS_AT_ONCE)

    def answer(self, block: Block) -> pa.Table:
        """Return every row with the answer of every call.

        Parameters
        ----------
        block : Block
            From :func:`workbench.engine.order.ordered_block`.

        Returns
        -------
        pyarrow.Table
        """
        window = Window(block, self.order)
        in_pieces = PIECE in block.rows.column_names
        if in_pieces and self.reach is not None and self.reach.counts:
            check_overlap(block, window.order.group, self.reach)
        columns = {name: block.column(alias) for name, alias in self.columns}
        columns |= {call.column: answer(window, call) for call in self.calls}
        return own_rows(block, pa.table(columns)) if in_pieces else pa.table(columns)
