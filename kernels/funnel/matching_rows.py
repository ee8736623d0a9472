"""The relevant rows of a block: those that fulfil a step or match an exclusion."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Uint8Column, Uint32Column, kernel

#: Up to this many bits, a table of all their combinations is smaller than a block.
FEW_BITS = 16


def known_bits(conditions: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """Return conditions with only the first bits; the bits beyond them have no meaning.

    Parameters
    ----------
    conditions : uint32 array of shape (rows,)
    bits : int
        The number of bits that have a meaning, 1 to 32.

    Returns
    -------
    uint32 array of shape (rows,)
        The same array if no other bit is set.

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> known_bits(np.array([0b101, 0b010], np.uint32), bits=2).tolist()
    [1, 2]
    """
    known = np.uint32((1 << bits) - 1)
    return conditions & known if np.bitwise_or.reduce(conditions) & ~known else conditions


@kernel
def mark_codes(code: Uint32Column, present: Uint8Column) -> None:
    """Mark the codes that occur in rows.

    Parameters
    ----------
    code : uint32 array of shape (rows,)
    present : uint8 array of shape (codes,)
        Written: 1 for each code that occurs; the others are not changed.

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> import numpy as np
    >>> present = np.zeros(4, np.uint8)
    >>> mark_codes(np.array([2, 0, 2], np.uint32), present)
    >>> present.tolist()
    [1, 0, 1, 0]
    """
    for i in range(len(code)):
        present[code[i]] = 1


@kernel
def matching_rows(
    offsets: Int64Column,
    time: Int64Column,
    code: Uint32Column,
    kind_of: Uint32Column,
    idle: int,
    kept_offsets: Int64Column,
    kept_time: Int64Column,
    kept_kind: Uint32Column,
) -> int:
    """Write the rows that are not idle, in their order and partition by partition.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    time : int64 array of shape (rows,)
    code : uint32 array of shape (rows,)
    kind_of : uint32 array of shape (codes,)
        The number of the kind of rows with each code.
    idle : int
        The code of rows that are dropped; -1 to keep all rows.
    kept_offsets : int64 array of shape (partitions + 1,)
        Written: the offsets of the partitions among the kept rows.
    kept_time : int64 array of shape (kept + 1,)
        Written: the time of each kept row; the last cell is not valid.
    kept_kind : uint32 array of shape (kept + 1,)
        Written: their kinds.

    Returns
    -------
    int
        The number of kept rows.

    Notes
    -----
    O(rows), without a branch: most rows of a table of events fulfil no step of a funnel, and a
    processor cannot predict which ones do.

    Examples
    --------
    >>> import numpy as np
    >>> offsets, time = np.array([0, 2, 3]), np.array([4, 6, 9])
    >>> code = np.array([0, 2, 2], np.uint32)
    >>> kept, kind = np.zeros((2, 3), np.int64), np.zeros(3, np.uint32)
    >>> matching_rows(offsets, time, code, np.arange(3, dtype=np.uint32), 0, *kept, kind)
    2
    >>> kept.tolist(), kind.tolist()
    ([[0, 1, 2], [6, 9, 0]], [2, 2, 0])
    """
    at = 0
    kept_offsets[0] = 0  #: Nothing is kept.
    for p in range(len(offsets) - 1):
        for i in range(offsets[p], offsets[p + 1]):
            kept_time[at] = time[i]
            kept_kind[at] = kind_of[code[i]]
            at += 1 if code[i] != idle else 0
        kept_offsets[p + 1] = at  #: Of partition {p}, rows up to {at} are kept.
    return at


class ScannedRows(NamedTuple):
    """The rows of a block, as the kernels that scan them take them.

    Attributes
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,)
    kind : uint32 array of shape (rows,)
    """

    offsets: NDArray[np.int64]
    time: NDArray[np.int64]
    kind: NDArray[np.uint32]


def drop_idle_rows(
    offsets: NDArray[np.int64],
    time: NDArray[np.int64],
    code: NDArray[np.uint32],
    kind_of: NDArray[np.uint32],
    idle: int,
) -> ScannedRows:
    """Return a copy of the rows that are not idle, with their kinds, not yet sorted.

    Parameters
    ----------
    offsets, time, code, kind_of, idle
        As :func:`matching_rows` takes them; ``idle`` is 0 or -1.

    Returns
    -------
    ScannedRows

    Notes
    -----
    O(rows).

    Examples
    --------
    >>> code, kind_of = np.array([2, 0, 1], np.uint32), np.array([0, 7, 8], np.uint32)
    >>> rows = drop_idle_rows(np.array([0, 2, 3]), np.array([4, 6, 9]), code, kind_of, idle=0)
    >>> [column.tolist() for column in rows]
    [[0, 1, 2], [4, 9], [8, 7]]
    """
    count = len(time) if idle < 0 else np.count_nonzero(code)
    kept = ScannedRows(
        np.empty(len(offsets), np.int64),
        np.empty(count + 1, np.int64),
        np.empty(count + 1, np.uint32),
    )
    columns = np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(time, np.int64)
    matching_rows(*columns, code, kind_of, idle, *kept)
    return kept._replace(time=kept.time[:count], kind=kept.kind[:count])
