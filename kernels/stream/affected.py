"""The affected range of a change: the rows whose results can change, and the rows they depend on.

A changed row is the last row of some frame and the first row of another. Results can change only
between the rows of these two frames. Changes that are far apart have separate ranges.
"""

from collections.abc import Iterable
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.core.kernel import Int64Column, Int64Right, Int64Table, kernel
from kernels.frames.extent import (
    AHEAD,
    BACK,
    END,
    SESSION,
    START,
    UNIT,
    FrameExtent,
    extent_table,
    row_ahead,
    row_back,
)
from kernels.stream.sort_buffer import Changes

Uint8Right = Annotated[NDArray[np.uint8], "right", np.uint8]


@kernel
def frame_spans(
    code: Int64Column,
    extents: Int64Table,
    first_curr_row: Int64Right,
    last_curr_row: Int64Right,
    first_frame_start: Int64Right,
    last_frame_end: Int64Right,
) -> None:
    """Write the first and the last row that the results of each run of rows depend on.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order's codes, sorted.
    extents : int64 array of shape (extents, 5)
        From :func:`kernels.frames.extent.extent_table`.
    first_curr_row, last_curr_row : int64 arrays of shape (runs,)
        The first and the last row of each run.
    first_frame_start, last_frame_end : int64 arrays of shape (runs,)
        Written: the first and the last row of all frames of the run and of the run itself.

    Notes
    -----
    O(runs · extents · log d), where d is the length of a frame.

    Source: https://github.com/risingwavelabs/risingwave, ``src/stream/src/executor/over_window``.

    Examples
    --------
    >>> from kernels.frames.extent import FrameExtent, extent_table
    >>> start, end = np.zeros((2, 1), np.int64)
    >>> run = np.array([1]), np.array([3])
    >>> frame_spans(np.arange(5), extent_table([FrameExtent("rows", -1, 1)]), *run, start, end)
    >>> start.tolist(), end.tolist()
    ([0], [4])
    """
    for r in range(len(first_curr_row)):
        first, last = first_curr_row[r], last_curr_row[r]
        start, end = first, last + 1
        for k in range(len(extents)):
            unit, low, high = extents[k, UNIT], extents[k, START], extents[k, END]
            start = min(start, row_back(code, unit, first, code[first], low))
            end = max(end, row_ahead(code, unit, last + 1, code[last], high))
        first_frame_start[r] = start  #: The first frame begins at row {start}: first_frame_start.
        last_frame_end[r] = end - 1  #: The last frame ends at row {end - 1}: last_frame_end.


@kernel
def affected_ranges(
    code: Int64Column,
    extents: Int64Table,
    at: Int64Right,
    changed: Int64Right,
    inserted: Uint8Right,
    first_frame_start: Int64Right,
    first_curr_row: Int64Right,
    last_curr_row: Int64Right,
    last_frame_end: Int64Right,
) -> int:
    """Write the rows of a partition whose results its changes can affect.

    Parameters
    ----------
    code : int64 array of shape (rows,)
        The order's codes after the changes, sorted.
    extents : int64 array of shape (extents, 5)
        From :func:`kernels.frames.extent.extent_table`, for all calls of the query.
    at : int64 array of shape (changes,)
        The changed rows, in order; for a deleted row, the row that now follows it.
    changed : int64 array of shape (changes,)
        The code of each inserted or deleted row.
    inserted : uint8 array of shape (changes,)
        1 for an inserted row, 0 for a deleted one.
    first_frame_start, first_curr_row, last_curr_row, last_frame_end : int64 arrays (changes,)
        Written, in the first cells, for each range: the first and the last affected row, and the
        first and the last row that their results depend on.

    Returns
    -------
    int
        The number of ranges. No two of them touch, and they are in order.

    Notes
    -----
    O(changes · extents · log d), where d is how far a call looks, and O(rows) of changed sessions:
    the rest of the partition is not read. Every row whose result can change is in a range.
    Conversely, every row of a range sees a change, except that the rows between a change and a
    "range" frame that excludes its own row are in the range as well.

    Source: the article "RisingWave window functions: the art of sliding and the aesthetics of
    symmetry", and https://github.com/risingwavelabs/risingwave,
    ``src/stream/src/executor/over_window``, which keep one range per partition.

    Examples
    --------
    >>> from kernels.frames.extent import FrameExtent, extent_table
    >>> time, extents = np.arange(10, 70, 10), extent_table([FrameExtent("rows", -1, 0)])
    >>> changes = np.array([0, 4]), np.array([10, 50]), np.array([1, 1], np.uint8)
    >>> ranges = np.zeros((4, 2), np.int64)
    >>> affected_ranges(time, extents, *changes, *ranges)
    2
    >>> ranges.T.tolist()
    [[0, 0, 1, 1], [3, 4, 5, 5]]
    """
    count, session = 0, np.zeros((len(extents), 2), np.int64)
    for c in range(len(at)):
        low, now = at[c], changed[c]  #: Row {low}, of {now:time}, has changed.
        high = low + np.int64(inserted[c])
        first, last = low, high
        for k in range(len(extents)):
            unit, back, ahead = extents[k, UNIT], extents[k, BACK], extents[k, AHEAD]
            before, after = session[k]
            if unit != SESSION or low >= after:
                before = row_back(code, unit, low, now, back)
                after = row_ahead(code, unit, high, now, ahead)
                session[k] = before, after
            first = min(first, before)  #: It is the last one in the frame of row {before}.
            last = max(last, after)  #: It is the first one in the frame of row {after - 1}.
        if first == last:
            continue
        if count > 0 and first <= last_curr_row[count - 1] + 1:
            last_curr_row[count - 1] = max(last - 1, last_curr_row[count - 1])
        else:
            first_curr_row[count] = first  #: Affected from row {first} on: first_curr_row.
            last_curr_row[count] = last - 1  #: And up to row {last - 1}: last_curr_row.
            count += 1
    runs = first_curr_row[:count], last_curr_row[:count]
    frame_spans(code, extents, *runs, first_frame_start[:count], last_frame_end[:count])
    return count


class Affected(NamedTuple):
    """Ranges of rows in the partitions of a block, in order; all rows inclusive.

    Attributes
    ----------
    partition : int64 array of shape (ranges,)
    first_frame_start : int64 array of shape (ranges,)
        The first row of the partition that the results of the range depend on.
    first_curr_row, last_curr_row : int64 arrays of shape (ranges,)
        The first and the last affected row.
    last_frame_end : int64 array of shape (ranges,)
        The last row that their results depend on.
    """

    partition: Ints
    first_frame_start: Ints
    first_curr_row: Ints
    last_curr_row: Ints
    last_frame_end: Ints


def find_affected(
    offsets: Ints, code: Ints, changes: Changes, extents: Iterable[FrameExtent]
) -> Affected:
    """Return the rows of a block whose results its changes can affect.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``, after the changes.
    code : int64 array of shape (rows,)
        The order's codes, sorted in every partition.
    changes : Changes
        From :func:`kernels.stream.sort_buffer.merge_rows`.
    extents : iterable of FrameExtent
        The extents of all calls of the query.

    Returns
    -------
    Affected
        Ranges that neither overlap nor touch within a partition.

    Examples
    --------
    >>> one = np.array([0, 1]), np.array([2]), np.array([1006]), np.ones(1, np.uint8)
    >>> time = np.array([1000, 1002, 1006, 1010, 1017])
    >>> found = find_affected(np.array([0, 5]), time, Changes(*one), [FrameExtent("rows", -1, 1)])
    >>> [int(edge[0]) for edge in found[1:]]
    [0, 1, 3, 4]
    """
    edges = np.zeros((4, len(changes.at)), np.int64)
    columns = changes.at, changes.code, changes.inserted
    right = changes.offsets
    found = affected_ranges.over(
        offsets, code, extent_table(extents), *columns, *edges, right=right
    )
    sizes = np.diff(right)
    used = np.arange(len(changes.at)) - np.repeat(right[:-1], sizes) < np.repeat(found, sizes)
    return Affected(np.repeat(np.arange(len(sizes)), sizes)[used], *edges[:, used])


class PartitionSlices(NamedTuple):
    """Slices of partitions that can be computed as if they were separate partitions.

    Attributes
    ----------
    offsets : int64 array of shape (slices + 1,)
        Slice s owns the positions ``offsets[s]`` to ``offsets[s + 1]`` of ``rows``.
    rows : int64 array of shape (positions,)
        Rows of the block.
    affected : bool array of shape (positions,)
        Whether the row is affected; the results of the other rows are not valid.
    partition : int64 array of shape (slices,)
    before : int64 array of shape (slices,)
        How many rows of the partition come before the slice, to be added to the results of
        ``row_number`` and ``rank``.
    """

    offsets: Ints
    rows: Ints
    affected: NDArray[np.bool_]
    partition: Ints
    before: Ints


def cut_ranges(offsets: Ints, affected: Affected) -> PartitionSlices:
    """Return the rows that affected ranges need, as slices.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    affected : Affected

    Returns
    -------
    PartitionSlices
        Ranges whose frames share rows are in one slice, so no row is in two.

    Notes
    -----
    O(ranges + rows of the slices).

    Examples
    --------
    >>> far = [np.array(edge) for edge in ([0, 0], [0, 6], [1, 7], [1, 7], [2, 9])]
    >>> cut = cut_ranges(np.array([0, 10]), Affected(*far))
    >>> cut.rows.tolist(), cut.offsets.tolist(), cut.affected.nonzero()[0].tolist()
    ([0, 1, 2, 6, 7, 8, 9], [0, 3, 7], [1, 4])
    """
    partition = affected.partition
    base = offsets[partition]
    begin, end = affected.first_frame_start + base, affected.last_frame_end + base + 1
    opens = np.ones(len(partition), np.bool_)
    opens[1:] = begin[1:] >= end[:-1]
    first = np.flatnonzero(opens)
    low, high = begin[first], end[np.append(first[1:], len(end))[: len(first)] - 1]
    to = np.concatenate([[0], np.cumsum(high - low, dtype=np.int64)])
    rows = np.arange(to[-1]) + np.repeat(low - to[:-1], high - low)
    shift = (base - low[np.cumsum(opens) - 1] + to[np.cumsum(opens) - 1]).astype(np.int64)
    edges = np.zeros(len(rows) + 1, np.int64)
    edges[affected.first_curr_row + shift] += 1
    edges[affected.last_curr_row + shift + 1] -= 1
    is_affected = np.cumsum(edges[:-1]) > 0
    return PartitionSlices(to, rows, is_affected, partition[first], low - offsets[partition[first]])


def peers_before(offsets: Ints, code: Ints, cut: PartitionSlices) -> Ints:
    """Return how many groups of peers come before each slice, for a call that counts them.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    code : int64 array of shape (rows,)
        The order's codes, sorted in every partition.
    cut : PartitionSlices
        For calls that include a ranking function, so that slices begin with a group of peers.

    Returns
    -------
    int64 array of shape (slices,)
        To be added to the results of ``dense_rank``.

    Notes
    -----
    O(rows of the block).

    Examples
    --------
    >>> row = np.array([3])
    >>> cut = PartitionSlices(np.array([0, 1]), row, np.ones(1, np.bool_), np.array([0]), row)
    >>> peers_before(np.array([0, 4]), np.array([7, 7, 8, 9]), cut).tolist()
    [2]
    """
    begun = np.concatenate([[0], np.cumsum(code[1:] != code[:-1], dtype=np.int64)])
    first = offsets[cut.partition]
    return np.asarray(begun[first + cut.before] - begun[first])
