"""Rows that a watermark has settled: no later row can change their results, or needs them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kernels.core.arrays import Ints
from kernels.core.helper import helper
from kernels.core.kernel import Int64Column, Int64Row, Int64Table, kernel
from kernels.frames.extent import BACK, START, UNIT, FrameExtent, extent_table, plus, row_back
from kernels.frames.frames import search_from


@helper
def first_needed(code: Ints, extents: Ints, row: int, at: int) -> int:
    """Return the first row that the results from a row on depend on, or the first of its peers.

    ``at`` is the row's code, or a lower bound of it for a row that has not arrived yet.

    Examples
    --------
    >>> extents = extent_table([FrameExtent("rows", -2, 0), FrameExtent("range", -1, 0)])
    >>> int(first_needed(np.array([1, 5, 5, 9, 9]), extents, 4, 9))
    1
    """
    needed = row
    for k in range(len(extents)):
        needed = min(needed, row_back(code, extents[k, UNIT], row, at, extents[k, START]))
    if needed < len(code):
        needed = search_from(code, code[needed], 0, needed, 0, len(code))
    return needed


@helper
def groups_before(code: Ints, row: int) -> int:
    """Return how many groups of peers there are in the rows before a row.

    Examples
    --------
    >>> groups_before(np.array([1, 5, 5, 9]), 3)
    2
    """
    groups = 0
    for i in range(row):
        if i == 0 or code[i] != code[i - 1]:
            groups += 1
    return groups


@kernel
def settle_rows(code: Int64Column, extents: Int64Table, watermark: int, bounds: Int64Row) -> None:
    """Write the rows of a partition whose results are final, and those that can be dropped.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order's codes, sorted.
    extents : int64 array of shape (extents, 5)
        From :func:`kernels.frames.extent.extent_table`, for all calls of the query.
    watermark : int
        Rows with this code or a smaller one no longer arrive, go or change.
    bounds : int64 array of shape (3,)
        Written: the first row whose result can still change, the first row that later results
        depend on, and how many groups of peers are before that row. A group of peers is retained
        as a whole.

    Notes
    -----
    O(extents · log rows + rows that are no longer needed).

    Examples
    --------
    >>> extents, bounds = extent_table([FrameExtent("rows", -1, 1)]), np.zeros(3, np.int64)
    >>> settle_rows(np.array([10, 20, 30, 40, 50]), extents, 40, bounds)
    >>> bounds.tolist()
    [3, 2, 2]
    """
    next_code = plus(watermark, 1)
    edge = search_from(code, watermark, 1, len(code), 0, len(code))
    first = edge  #: No row before row {edge} changes any more.
    for k in range(len(extents)):
        before = row_back(code, extents[k, UNIT], edge, next_code, extents[k, BACK])
        first = min(first, before)  #: Rows to come can be in the frame of row {before}.
    at = code[first] if first < edge else next_code
    needed = first_needed(code, extents, first, at)
    bounds[0], bounds[2] = first, groups_before(code, needed)
    bounds[1] = needed  #: No later answer needs the rows before row {needed}.


class Settled(NamedTuple):
    """The rows that a watermark has settled, as row numbers within each partition.

    Attributes
    ----------
    final : int64 array of shape (partitions,)
        The first row whose result can still change.
    needed : int64 array of shape (partitions,)
        The first row that later results depend on: those before it can be dropped.
    peers : int64 array of shape (partitions,)
        How many groups of peers are before ``needed``.
    """

    final: Ints
    needed: Ints
    peers: Ints


def settled_rows(
    offsets: Ints, code: Ints, extents: Iterable[FrameExtent], watermark: int
) -> Settled:
    """Return the rows of a block that changes after the watermark cannot affect.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    code : int64 array of shape (rows,)
        The order's codes, sorted in every partition.
    extents : iterable of FrameExtent
        The extents of all calls of the query.
    watermark : int
        Rows with this code or a smaller one no longer arrive, go or change.

    Returns
    -------
    Settled

    Examples
    --------
    >>> offsets, time = np.array([0, 3, 4]), np.array([10, 20, 30, 90])
    >>> settled = settled_rows(offsets, time, [FrameExtent("range", -15, 0)], 25)
    >>> settled.final.tolist(), settled.needed.tolist()
    ([2, 0], [1, 0])
    """
    bounds = np.zeros((len(offsets) - 1, 3), np.int64)
    settle_rows.over(offsets, code, extent_table(extents), watermark, bounds)
    final, needed, peers = bounds.T
    return Settled(final, needed, peers)
