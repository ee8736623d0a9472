"""Rows with validity intervals in tiles: the rows of a query are a few ranges of places."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.entities.validity_tiles import tile_frames, tile_rows, tile_sizes
from kernels.frames.frames import Ranges
from workbench.backfill.worker.cogroup import block_positions
from workbench.backfill.worker.validity.intervals import ValidIntervals
from workbench.columnar.blocks import Block
from workbench.columnar.ragged import offsets_of
from workbench.engine.block import Window


@dataclass(frozen=True)
class TileLayout(Window):
    """The window of rows in tiles that window functions are computed on.

    Attributes
    ----------
    validity : ValidIntervals
    row_columns : mapping of str to pyarrow.Array
        The columns of the rows.
    place_rows : int64 array of shape (places,)
        The row, among the validity intervals, at each place of the block.
    place_frames : tuple of two int64 arrays of shape (places, pieces)
        The frame of each row of the block.
    query_positions : int64 array of shape (queries,)
        The row of the block that answers each query.
    """

    validity: ValidIntervals = field(kw_only=True)
    row_columns: Mapping[str, pa.Array] = field(kw_only=True)
    place_rows: Ints = field(kw_only=True)
    place_frames: Ranges = field(kw_only=True)
    query_positions: Ints = field(kw_only=True)

    def column(self, name: str) -> pa.Array:
        """Return a column of the rows, by place of the block."""
        return self.once(
            ("column", name), lambda: self.row_columns[name].take(self._rows_of_places)
        )

    def ranges(self, frame: Any) -> Ranges:
        """Return the frame of every row of the block; a layout has only one frame."""
        return self.place_frames

    @property
    def _rows_of_places(self) -> pa.Array:
        row = self.validity.row
        # A place without a row refers to the first row; without any row it is null.
        taken = row[self.place_rows] if len(row) else self.place_rows
        return pa.array(taken, mask=None if len(row) else np.ones(len(taken), bool))


def lay_out(validity: ValidIntervals, row_columns: Mapping[str, pa.Array]) -> TileLayout:
    """Lay rows out in tiles over the queries of their keys.

    Parameters
    ----------
    validity : ValidIntervals
    row_columns : mapping of str to pyarrow.Array

    Returns
    -------
    TileLayout
    """
    queries, rows = validity.queries.offsets, validity.offsets
    size = np.zeros((len(validity.queries.time), 2), np.int64)
    total = tile_sizes.over(queries, size, validity.first, validity.last, right=rows)
    ends = offsets_of(total)
    # A row of a block has an answer and a value: there are as many rows as the more of these.
    offsets = offsets_of(np.maximum(total, np.diff(queries)))
    start = (np.cumsum(size) - size.ravel()).reshape(size.shape)
    start += np.repeat(offsets[:-1] - ends[:-1], np.diff(queries))[:, None]
    stop, place_rows = start.copy(), np.zeros(offsets[-1], np.int64)
    number = np.arange(len(validity.row))
    tile_rows.over(queries, stop, validity.first, validity.last, number, place_rows, right=rows)
    base = np.repeat(offsets[:-1], np.diff(queries))[:, None]
    pieces = int(2 * np.diff(queries).max(initial=1) - 1).bit_length()
    ranges = np.zeros((2, len(size), pieces), np.int64)
    tile_frames.over(queries, start - base, stop - base, *ranges)
    used = (ranges[0] < ranges[1]).any(axis=0)
    used[-1] = True
    begin, end = np.zeros((2, int(offsets[-1]), int(used.sum())), np.int64)
    at = block_positions(queries, offsets)
    begin[at], end[at] = ranges[0][:, used], ranges[1][:, used]
    fields: dict[str, Any] = {"place_rows": place_rows, "place_frames": (begin, end)}
    return TileLayout(
        Block(pa.table({}), offsets, pa.table({})),
        (),
        validity=validity,
        row_columns=row_columns,
        query_positions=at,
        **fields,
    )
