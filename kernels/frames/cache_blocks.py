"""Cut long partitions into parts whose values fit the processor's cache.

A frame needs only its own values. So some hundred rows with adjacent frames are computed with only
the values from the first to the last of these frames: the arrays that are sorted, counted and
scanned are then small and close in memory.
"""

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np

from kernels.core.arrays import Ints

NO_ROW = -1
#: The fewest rows of a part: for values that are sorted, which should fit the cache, and for values
#: that are only scanned once, where a cut gains no time and only limits the memory for states.
SORTED, STREAMED = 4_096, 524_288
#: Parts grow until all of them have fewer values than this for each row of the partition.
VALUES_A_ROW = 1.5


class CacheBlock(NamedTuple):
    """Rows whose frames are computed together, and the values of these frames.

    Attributes
    ----------
    rows, values : slice
        Rows of the block.
    offsets : int64 array of shape (partitions + 1,)
        Where the partitions of this part begin. A part of a cut partition is one partition, which
        owns all rows and all values of the part, whatever their numbers.
    shift : int
        The position of the part's first value in its partition; 0 for whole partitions.
    begin, end : int64 arrays of shape (rows, pieces)
        The frames, as ranges of the part's values.
    """

    rows: slice
    values: slice
    offsets: Ints
    shift: int
    begin: Ints
    end: Ints

    def to_partition(self, positions: Ints) -> None:
        """Convert positions within the part to positions within the partition, except -1.

        Parameters
        ----------
        positions : int64 array of any shape
            Written.
        """
        if self.shift > 0:
            np.add(positions, self.shift, out=positions, where=positions != NO_ROW)


def parts(offsets: Ints, begin: Ints, end: Ints, least: int = SORTED) -> Iterator[CacheBlock]:
    """Yield the rows of a block in their order, with long partitions in several parts.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as ranges of its partition's values.
    least : int
        The fewest rows of a part; a partition of up to twice as many stays whole.

    Yields
    ------
    CacheBlock

    Notes
    -----
    O(rows). A partition stays whole if its frames reach far, such as to its begin.

    Examples
    --------
    >>> row = np.arange(10_000)[:, None]
    >>> [part.rows for part in parts(np.array([0, 10_000]), row, row + 1)][:2]
    [slice(0, 4096, None), slice(4096, 8192, None)]
    """
    done = 0
    for partition in np.flatnonzero(np.diff(offsets) > 2 * least).tolist():
        first, last = offsets[partition : partition + 2].tolist()
        cuts = list(_cuts(begin[first:last], end[first:last], least))
        if len(cuts) > 1:
            yield from _whole(offsets[done : partition + 1], begin, end)
            for rows, low, high in cuts:
                at = slice(first + rows.start, first + rows.stop)
                values = slice(first + low, first + high)
                most = np.array([0, max(high - low, rows.stop - rows.start)])
                yield CacheBlock(at, values, most, low, begin[at] - low, end[at] - low)
            done = partition + 1
    yield from _whole(offsets[done:], begin, end)


def _whole(offsets: Ints, begin: Ints, end: Ints) -> Iterator[CacheBlock]:
    if len(offsets) > 1:
        rows = slice(int(offsets[0]), int(offsets[-1]))
        yield CacheBlock(rows, rows, offsets - offsets[0], 0, begin[rows], end[rows])


def _reduced(function: np.ufunc, column: Ints, least: int) -> Ints:
    """Reduce each run of ``least`` values to one; the last run may be shorter."""
    even = len(column) // least * least
    runs: Ints = function.reduce(column[:even].reshape(-1, least), axis=1)
    if even == len(column):
        return runs
    return np.append(runs, function.reduce(column[even:]))


def _cuts(begin: Ints, end: Ints, least: int) -> Iterator[tuple[slice, int, int]]:
    """Yield the rows of each part of a partition, and the range of its values."""
    starts = np.arange(0, len(begin), least)
    low = reduce(np.minimum, (_reduced(np.minimum, column, least) for column in begin.T))
    high = reduce(np.maximum, (_reduced(np.maximum, column, least) for column in end.T))
    while len(starts) > 1 and (high - low).sum() > VALUES_A_ROW * len(begin):
        pairs = np.arange(0, len(starts), 2)
        starts = starts[pairs]
        low, high = np.minimum.reduceat(low, pairs), np.maximum.reduceat(high, pairs)
    stops = [*starts[1:].tolist(), len(begin)]
    for start, stop, *values in zip(
        starts.tolist(), stops, low.tolist(), high.tolist(), strict=True
    ):
        yield slice(start, stop), values[0], values[1]
