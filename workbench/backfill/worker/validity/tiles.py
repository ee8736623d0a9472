"""Rows with validity intervals, laid out in tiles: a query's rows are a few ranges of places."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.entities.validity_tiles import tile_frames, tile_rows, tile_sizes
from kernels.frames.frames import Ranges
from workbench.backfill.worker.cogroup import places
from workbench.backfill.worker.validity.intervals import ValidIntervals
from workbench.columnar.blocks import Block
from workbench.columnar.ragged import offsets_of
from workbench.engine.block import Window


@dataclass(frozen=True)
class TileLayout(Window):
    """What window functions ask of rows that are laid out in tiles.

    Attributes
    ----------
    validity : ValidIntervals
    row_columns : mapping of str to pyarrow.Array
        The columns of the rows.
    laid : int64 array of shape (places,)
        The row, among the validity intervals, at each place of the block.
    frames_of : tuple of two int64 arrays of shape (places, pieces)
        The frame of each row of the block.
    query_places : int64 array of shape (queries,)
        The row of the block that answers each query.
    """

    validity: ValidIntervals = field(kw_only=True)
    row_columns: Mapping[str, pa.Array] = field(kw_only=True)
    laid: Ints = field(kw_only=True)
    frames_of: Ranges = field(kw_only=True)
    query_places: Ints = field(kw_only=True)

    def column(self, name: str) -> pa.Array:
        """Return a column of the rows by their places."""
        return self.once(("column", name), lambda: self.row_columns[name].take(self._taken))

    def ranges(self, frame: Any) -> Ranges:
        """Return the frame of every row of the block: there is only one of each."""
        return self.frames_of

    @property
    def _taken(self) -> pa.Array:
        row = self.validity.row
        # A place that no row has gets the first one; without any row there are nulls.
        taken = row[self.laid] if len(row) else self.laid
        return pa.array(taken, mask=None if len(row) else np.ones(len(taken), bool))


def laid_out(validity: ValidIntervals, row_columns: Mapping[str, pa.Array]) -> TileLayout:
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
    # A block has a row for each answer and one for each value, whichever are more.
    offsets = offsets_of(np.maximum(total, np.diff(queries)))
    start = (np.cumsum(size) - size.ravel()).reshape(size.shape)
    start += np.repeat(offsets[:-1] - ends[:-1], np.diff(queries))[:, None]
    stop, laid = start.copy(), np.zeros(offsets[-1], np.int64)
    number = np.arange(len(validity.row))
    tile_rows.over(queries, stop, validity.first, validity.last, number, laid, right=rows)
    base = np.repeat(offsets[:-1], np.diff(queries))[:, None]
    pieces = int(2 * np.diff(queries).max(initial=1) - 1).bit_length()
    ranges = np.zeros((2, len(size), pieces), np.int64)
    tile_frames.over(queries, start - base, stop - base, *ranges)
    used = (ranges[0] < ranges[1]).any(axis=0)
    used[-1] = True
    begin, end = np.zeros((2, int(offsets[-1]), int(used.sum())), np.int64)
    at = places(queries, offsets)
    begin[at], end[at] = ranges[0][:, used], ranges[1][:, used]
    known: dict[str, Any] = {"laid": laid, "frames_of": (begin, end), "query_places": at}
    return TileLayout(
        Block(pa.table({}), offsets, pa.table({})),
        (),
        validity=validity,
        row_columns=row_columns,
        **known,
    )
