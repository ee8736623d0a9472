"""The texts of moving frames, concatenated in the order of the rows."""

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from kernels.core.kernel import Int64Column, Int64Matrix, Uint8Scratch, kernel
from kernels.structures.sort_keys import link_equals
from kernels.windows.aggregate import moving_aggregate
from kernels.windows.distinct.aggregate import moving_distinct
from kernels.windows.distinct.count import hull, in_frame

NONE = -1
#: Arrow's columns of text count their bytes in 32 bits.
MOST_BYTES = 2**31 - 1


@register_jitable
def is_first(
    previous: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64], i: int, row: int
) -> bool:
    """Return whether no earlier row in the frame has the row's text.

    Examples
    --------
    >>> is_first(np.array([-1, 0]), np.array([[0]]), np.array([[2]]), 0, 1)
    False
    """
    low, _ = hull(begin, end, i)
    back = previous[row]
    while back >= low and not in_frame(begin, end, i, back):
        back = previous[back]
    return bool(back < low)


@kernel
def join(
    text: Uint8Scratch,
    start: Int64Column,
    stop: Int64Column,
    previous: Int64Column,
    begin: Int64Matrix,
    end: Int64Matrix,
    separator: Uint8Scratch,
    to: Int64Column,
    joined: Uint8Scratch,
) -> None:
    """Write the texts of each frame, concatenated in the order of the rows.

    Parameters
    ----------
    text : uint8 array
        The bytes of all texts.
    start, stop : int64 arrays of shape (values,)
        Where the text of each value begins and ends among the bytes.
    previous : int64 array of shape (values,)
        The nearest row before each that has its text, or -1; -1 everywhere if repeated texts are
        written as often as they occur.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of the values, in order.
    separator : uint8 array
        The bytes between two texts.
    to : int64 array of shape (rows,)
        Where the text of each frame begins among the written bytes.
    joined : uint8 array
        Written: the bytes of the joined texts.

    Notes
    -----
    O(written bytes), which no reuse from frame to frame could save.

    Examples
    --------
    >>> text, joined = np.frombuffer(b"abc", np.uint8).copy(), np.zeros(4, np.uint8)
    >>> start, stop, none = np.array([0, 1]), np.array([1, 3]), np.array([-1, -1])
    >>> dash, to = np.frombuffer(b"-", np.uint8).copy(), np.array([0])
    >>> join(text, start, stop, none, np.array([[0]]), np.array([[2]]), dash, to, joined)
    >>> joined.tobytes()
    b'a-bc'
    """
    for i in range(len(begin)):
        at, texts = to[i], 0
        for piece in range(begin.shape[1]):
            for row in range(begin[i, piece], end[i, piece]):
                if is_first(previous, begin, end, i, row):
                    for k in range(len(separator) if texts > 0 else 0):
                        joined[at] = separator[k]
                        at += 1
                    for k in range(start[row], stop[row]):
                        joined[at] = text[k]
                        at += 1
                    texts += 1  #: Row {row} is written for row {i}.


def moving_join(
    offsets: NDArray[np.int64],
    text: NDArray[np.uint8],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    separator: bytes,
    *,
    key: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the texts of each frame, concatenated in the order of the rows.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
        Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
    text : uint8 array
        The bytes of all texts.
    start, stop : int64 arrays of shape (rows,)
        Where the text of each row begins and ends among the bytes. If a partition has fewer values
        than rows, they come first, and the other cells are ignored.
    begin, end : int64 arrays of shape (rows, pieces)
        The frame of each row as up to three half-open ranges of its partition's values, in order.
    separator : bytes
        The text between two texts.
    key : int64 array of shape (rows,), optional
        Equal for equal texts: then each text is written once, where it is first in the frame.

    Returns
    -------
    ends : int64 array of shape (rows + 1,)
        The text of frame i goes from ``ends[i]`` to ``ends[i + 1]``.
    joined : uint8 array

    Raises
    ------
    OverflowError
        When the joined texts have more than 2 GiB, which is what a column of texts can hold.

    Examples
    --------
    >>> text, ends = np.frombuffer(b"abc", np.uint8), np.array([0, 1, 3])
    >>> frames = np.array([[0], [0]]), np.array([[1], [2]])
    >>> ends, joined = moving_join(np.array([0, 2]), text, ends[:-1], ends[1:], *frames, b", ")
    >>> ends.tolist(), joined.tobytes()
    ([0, 1, 6], b'aa, bc')
    """
    size = _sizes(offsets, stop - start, begin, end, len(separator), key)
    ends = np.concatenate([[0], np.cumsum(size)])
    if ends[-1] > MOST_BYTES:
        raise OverflowError(
            f"the joined texts of a partition have {ends[-1]:,} bytes, but a column holds "
            f"{MOST_BYTES:,}; take shorter frames, or more partitions."
        )
    previous = np.full(len(start), NONE, np.int64)
    if key is not None:
        number, following = np.empty_like(previous), np.empty_like(previous)
        link_equals.over(offsets, key, number, previous, following)
    joined = np.empty(ends[-1], np.uint8)
    # Read-only arrays would have another type in compiled code.
    text = np.require(text, np.uint8, "W")
    between = np.frombuffer(separator, np.uint8).copy()
    join.over(offsets, text, start, stop, previous, begin, end, between, ends[:-1], joined)
    return ends, joined


def _sizes(
    offsets: NDArray[np.int64],
    length: NDArray[np.int64],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    separator: int,
    key: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Return the bytes of each frame's joined text, in O(n log n) whatever their number."""
    frames = "integer_sum", length + separator
    if key is None:
        total = moving_aggregate(offsets, *frames, begin, end)
    else:
        total = moving_distinct(offsets, *frames, key, begin, end)
    return np.asarray(np.maximum(total - separator, 0))
