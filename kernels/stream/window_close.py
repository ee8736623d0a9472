"""Emit on window close: a row is emitted once, when its frames of all calls are complete.

The rows of a partition are sorted: first those that were emitted and that a later row still needs,
then those that wait for their frame, then those that wait for the watermark.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Row, Int64Table, kernel
from kernels.frames.extent import (
    END,
    GROUPS,
    RANGE,
    SESSION,
    UNIT,
    FrameExtent,
    extent_table,
    joins,
    plus,
    row_ahead,
)
from kernels.frames.frames import search_from
from kernels.frames.ordering import MOST
from kernels.stream.affected import Affected, frame_spans
from kernels.stream.retention import first_needed, groups_before

RELEASED, WAITING, NEEDED, PEERS = range(4)


@helper
def closing_code(code: Ints, unit: int, row: int, distance: int) -> int:
    """Return the watermark at which a row and its frame are complete.

    It is the greatest integer if the frame needs rows that have not arrived. The frame ends a
    distance after the row; one that ends before the row closes with the row. A session closes when
    later rows must be at least a gap after its last row.

    Examples
    --------
    >>> code = np.array([1, 4, 4, 9])
    >>> [int(closing_code(code, unit, 0, 4)) for unit in (0, RANGE, GROUPS, SESSION)]
    [9223372036854775807, 5, 9223372036854775807, 7]
    """
    away = max(distance, 0)
    if unit == SESSION and away < MOST:
        return plus(code[row_ahead(code, unit, row + 1, code[row], away) - 1], away - 1)
    if unit == RANGE and away < MOST:
        return plus(code[row], away)
    last = row + min(away, len(code) - row)
    if unit == GROUPS and 0 < away < MOST:
        last = row_ahead(code, unit, row, code[row], away - 1)
    return int(code[last]) if last < len(code) else MOST


@kernel
def close_windows(
    code: Int64Column, waiting: Int64Row, extents: Int64Table, watermark: int, bounds: Int64Row
) -> int:
    """Write which rows are emitted at a new watermark, and which rows no later row needs.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order's codes, such as microseconds, of all retained rows of the partition, sorted.
    waiting : int64 array of shape (1,)
        The first row that has not been emitted.
    extents : int64 array of shape (extents, 5)
        From :func:`kernels.frames.extent.extent_table`, for all calls of the query.
    watermark : int
        Rows with this code or a smaller one no longer arrive; the greatest integer ends the stream.
    bounds : int64 array of shape (4,)
        Written: how many rows the watermark has released, the first row that still waits, the
        first row that waiting and later rows need, and how many groups of peers are before that
        row. A group of peers is retained as a whole.

    Returns
    -------
    int
        The watermark at which the next row is emitted; the greatest integer if another row must
        arrive first.

    Notes
    -----
    O(emitted rows · extents + rows that are no longer needed), and O(log rows) to find them, or
    O(rows) of the open session. Rows are emitted in order, as frames end in order. A frame along
    the order closes with the watermark, so a quiet partition does not wait for a later row.

    Source: the article "RisingWave window functions: the art of sliding and the aesthetics of
    symmetry", and https://github.com/risingwavelabs/risingwave,
    ``src/stream/src/executor/over_window/eowc.rs``, where a later row closes a frame.

    Examples
    --------
    >>> from kernels.frames.extent import FrameExtent, extent_table
    >>> time, bounds = np.array([1000, 1002, 1010, 1017]), np.zeros(4, np.int64)
    >>> extents = extent_table([FrameExtent("rows", -1, 0), FrameExtent("rows", 0, 1)])
    >>> close_windows(time, np.array([0]), extents, 1012, bounds)
    1017
    >>> bounds.tolist()
    [3, 2, 1, 1]
    """
    row, due, closes = waiting[0], MOST, np.zeros(len(extents), np.int64)
    released = search_from(code, watermark, 1, row, 0, len(code))
    bounds[RELEASED] = released  #: {watermark:time} releases the rows before row {released}.
    while row < len(code):
        due = code[row]
        for k in range(len(extents)):
            unit, end = extents[k, UNIT], extents[k, END]
            # Rows of a session close together, so its end is searched only once.
            if unit != SESSION or row == waiting[0] or not joins(code[row - 1], code[row], end):
                closes[k] = closing_code(code, unit, row, end)
            due = max(due, closes[k])
        if due > watermark:
            break  #: Row {row} waits for the watermark to reach {due:time}.
        row += 1  #: Row {row - 1} and its frames are complete: it leaves.
        due = MOST
    at = code[row] if row < released else plus(watermark, 1)
    needed = first_needed(code, extents, row, at)
    bounds[WAITING], bounds[PEERS] = row, groups_before(code, needed)
    bounds[NEEDED] = needed  #: No later row needs the rows before row {needed}.
    return due


class Closed(NamedTuple):
    """The rows that a watermark has closed, as row numbers within each partition.

    Attributes
    ----------
    released : int64 array of shape (partitions,)
        The number of rows that the watermark has released from the sort buffer.
    waiting : int64 array of shape (partitions,)
        The first row that still waits: those before it have been emitted.
    needed : int64 array of shape (partitions,)
        The first row that waiting and later rows need: those before it can be dropped.
    peers : int64 array of shape (partitions,)
        How many groups of peers are before ``needed``.
    due : int64 array of shape (partitions,)
        The watermark at which the next row is emitted; the greatest integer if another row must
        arrive first.
    emitted : Affected
        The rows that are emitted now, and the rows that their results depend on, for
        :func:`kernels.stream.affected.cut_ranges`.
    """

    released: Ints
    waiting: Ints
    needed: Ints
    peers: Ints
    due: Ints
    emitted: Affected


def closed_windows(
    offsets: Ints, code: Ints, waiting: Ints, extents: Iterable[FrameExtent], watermark: int
) -> Closed:
    """Return which rows of a block are emitted at a new watermark.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    code : int64 array of shape (rows,)
        The order's codes, sorted in every partition.
    waiting : int64 array of shape (partitions,)
        The first row of each partition that has not been emitted.
    extents : iterable of FrameExtent
        The extents of all calls of the query; none to only sort rows.
    watermark : int
        Rows with this code or a smaller one no longer arrive.

    Returns
    -------
    Closed

    Examples
    --------
    >>> offsets, time = np.array([0, 2, 4]), np.array([10, 40, 10, 12])
    >>> extents = [FrameExtent("range", -5, 5)]
    >>> closed = closed_windows(offsets, time, np.zeros(2, np.int64), extents, 17)
    >>> closed.waiting.tolist(), closed.due.tolist(), closed.needed.tolist()
    ([1, 2], [45, 9223372036854775807], [1, 2])
    """
    table = extent_table(extents)
    bounds = np.zeros((len(offsets) - 1, 4), np.int64)
    due = close_windows.over(offsets, code, waiting[:, None], table, watermark, bounds)
    partition = np.flatnonzero(bounds[:, WAITING] > waiting)
    first, last = waiting[partition], bounds[partition, WAITING] - 1
    start, end = np.zeros((2, len(partition)), np.int64)
    # Every partition has one run of emitted rows or none.
    right = np.concatenate([[0], np.cumsum(bounds[:, WAITING] > waiting, dtype=np.int64)])
    frame_spans.over(offsets, code, table, first, last, start, end, right=right)
    emitted = Affected(partition, start, first, last, end)
    released, waiting, needed, peers = bounds.T
    return Closed(released, waiting, needed, peers, due, emitted)
