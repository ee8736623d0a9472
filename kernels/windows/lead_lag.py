"""Values of other rows: lag and lead, and the first, last and nth value of a frame.

The result is the *row* of the value, or ``NONE``, so one kernel serves columns of every type, and
the caller handles defaults. IGNORE NULLS is a mask of the rows whose value is not NULL.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Int64Matrix, Uint8Column, kernel
from kernels.frames.frames import frames_of_kept, keep_rows, number_in_block
from kernels.frames.ordering import MOST

NONE = -1


@kernel
def lead(distance: Int64Column, to: Int64Column) -> None:
    """Write the row at a distance after or before each row.

    Parameters
    ----------
    distance : int64 array of shape (rows,)
        Positive after the row, negative before it.
    to : int64 array of shape (rows,)
        Written: a row of the partition, or -1.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> to = np.zeros(3, np.int64)
    >>> lead(np.array([1, 1, -2]), to)
    >>> to.tolist()
    [1, 2, 0]
    >>> lead(np.array([-1, 0, 1]), to)
    >>> to.tolist()
    [-1, 1, -1]
    """
    rows = len(to)
    for i in range(rows):
        if -i <= distance[i] < rows - i:
            to[i] = i + distance[i]  #: Row {i}: the row {distance[i]} away is {to[i]}.
        else:
            to[i] = NONE  #: Row {i}: there is no row {distance[i]} away.


@kernel
def lead_qualifying(
    distance: Int64Column,
    qualifies: Uint8Column,
    before: Int64Column,
    row: Int64Column,
    to: Int64Column,
) -> None:
    """Write the row at a distance after or before each row, counting only qualifying rows.

    Parameters
    ----------
    distance : int64 array of shape (rows,)
        Positive after the row, negative before it; 0 is always the row itself.
    qualifies : uint8 array of shape (rows,)
        1 where a row qualifies, else 0.
    before : int64 array of shape (rows,)
        How many qualifying rows come before each row.
    row : int64 array of shape (rows,)
        The qualifying rows, in its first cells.
    to : int64 array of shape (rows,)
        Written: the row at that distance, or -1.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> qualifies, to = np.array([1, 0, 1, 1], np.uint8), np.zeros(4, np.int64)
    >>> before, row = np.array([0, 1, 1, 2]), np.array([0, 2, 3, 0])
    >>> lead_qualifying(np.full(4, 1), qualifies, before, row, to)
    >>> to.tolist()
    [2, 2, 3, -1]
    """
    rows = len(to)
    count = before[rows - 1] + np.int64(qualifies[rows - 1]) if rows > 0 else 0
    for i in range(rows):
        away = min(max(distance[i], -rows - 1), rows + 1)
        position = before[i] + away
        if away > 0:
            position += np.int64(qualifies[i]) - 1
        if away == 0:
            to[i] = i  #: Row {i} means itself.
        elif 0 <= position < count:
            to[i] = row[position]  #: Row {i} means row {to[i]}.
        else:
            to[i] = NONE  #: Row {i}: there is no such row.


@kernel
def nth_value(begin: Int64Matrix, end: Int64Matrix, nth: Int64Column, to: Int64Column) -> None:
    """Write the position of the nth row of each frame, from its begin or from its end.

    Parameters
    ----------
    begin, end : int64 arrays of shape (rows, pieces)
        The frames, as ranges in order.
    nth : int64 array of shape (rows,)
        1 is the first row, 2 the second; -1 is the last row, -2 the one before it; 0 is no row.
    to : int64 array of shape (rows,)
        Written: a position in the partition, or -1.

    Notes
    -----
    O(n · pieces).

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0, 3], [0, 3]]), np.array([[1, 5], [1, 5]])
    >>> to = np.zeros(2, np.int64)
    >>> nth_value(begin, end, np.array([2, -3]), to)
    >>> to.tolist()
    [3, 0]
    """
    pieces = begin.shape[1]
    for i in range(len(to)):
        to[i] = NONE
        left = nth[i]  #: Row {i} looks for number {left} of its frame.
        for j in range(pieces):
            if left > 0:
                size = end[i, j] - begin[i, j]
                if left <= size:
                    to[i] = begin[i, j] + left - 1  #: It is {to[i]}.
                    break
                left -= size
            elif left < 0:
                low, high = begin[i, pieces - 1 - j], end[i, pieces - 1 - j]
                if left >= low - high:
                    to[i] = high + left  #: It is {to[i]}.
                    break
                left += high - low


def lead_rows(
    offsets: NDArray[np.int64],
    distance: int | NDArray[np.int64],
    kept: NDArray[np.uint8] | None = None,
) -> NDArray[np.int64]:
    """Return the row of the block to which ``lead`` refers from every row.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    distance : int or int64 array of shape (rows,)
        How many rows later; negative is earlier.
    kept : uint8 array of shape (rows,), optional
        IGNORE NULLS: 1 where a row's value is not NULL. 0 rows later is always the row itself.

    Returns
    -------
    int64 array of shape (rows,)
        -1 where the partition has no such row.

    Examples
    --------
    >>> import numpy as np
    >>> lead_rows(np.array([0, 2, 5]), 1).tolist()
    [1, -1, 3, 4, -1]
    """
    rows = int(offsets[-1])
    per_row, to = np.full(rows, distance, np.int64), np.zeros(rows, np.int64)
    if kept is None:
        lead.over(offsets, per_row, to)
    else:
        before, row, none = *np.empty((2, rows), np.int64), np.empty((rows, 0), np.int64)
        keep_rows.over(offsets, kept, before, row, none, none)
        lead_qualifying.over(offsets, per_row, kept, before, row, to)
    number_in_block.over(offsets, offsets[:-1, None], to)
    return to


def lag_rows(
    offsets: NDArray[np.int64],
    distance: int | NDArray[np.int64],
    kept: NDArray[np.uint8] | None = None,
) -> NDArray[np.int64]:
    """Return the row of the block to which ``lag`` refers from every row.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    distance : int or int64 array of shape (rows,)
        How many rows earlier; negative is later.
    kept : uint8 array of shape (rows,), optional
        IGNORE NULLS: 1 where a row's value is not NULL. 0 rows earlier is always the row itself.

    Returns
    -------
    int64 array of shape (rows,)
        -1 where the partition has no such row.

    Examples
    --------
    >>> import numpy as np
    >>> lag_rows(np.array([0, 3]), 1, np.array([1, 0, 1], np.uint8)).tolist()
    [-1, 0, 0]
    """
    return lead_rows(offsets, -np.maximum(distance, -MOST), kept)


def value_rows(
    offsets: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    nth: int | NDArray[np.int64],
    kept: NDArray[np.uint8] | None = None,
) -> NDArray[np.int64]:
    """Return the row of the block that is the nth of every row's frame.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    begin, end : int64 arrays of shape (rows, pieces)
        From :func:`kernels.frames.frames.frame_ranges`.
    nth : int or int64 array of shape (rows,)
        1 for ``first_value``, -1 for ``last_value``, n for ``nth_value``; negative numbers count
        from the end of the frame, and 0 is no row.
    kept : uint8 array of shape (rows,), optional
        IGNORE NULLS: 1 where a row's value is not NULL.

    Returns
    -------
    int64 array of shape (rows,)
        -1 where the frame has no such row.

    Examples
    --------
    >>> import numpy as np
    >>> begin, end = np.array([[0], [0], [0]]), np.array([[1], [2], [3]])
    >>> value_rows(np.array([0, 3]), begin, end, -1, np.array([0, 1, 0], np.uint8)).tolist()
    [-1, 1, 1]
    """
    rows = int(offsets[-1])
    per_row, to = np.full(rows, nth, np.int64), np.zeros(rows, np.int64)
    if kept is not None:
        counted = frames_of_kept(offsets, kept, begin, end)
        begin, end = counted.begin, counted.end
    nth_value.over(offsets, begin, end, per_row, to)
    number_in_block.over(offsets, offsets[:-1, None], to)
    return to if kept is None else np.where(to == NONE, NONE, counted.row[to])
