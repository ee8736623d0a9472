"""The rows of each frame, listed one frame after another, for functions that need them all."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernels.core.arrays import Ints
from kernels.structures.order import sort_entries
from kernels.windows.first_last_k import MOST_VALUES, moving_ends
from workbench.columnar.ragged import begins_run, offsets_of, places_in_runs
from workbench.engine.block import Frames, OwnOrder, Window

#: The approximate number of frame rows in memory at once.
ROWS_AT_ONCE = 1 << 24


@dataclass(frozen=True)
class FrameRows:
    """The rows of some frames.

    Attributes
    ----------
    ends : int64 array of shape (frames + 1,)
        The rows of frame i go from ``ends[i]`` to ``ends[i + 1]``.
    rows : int64 array
        Rows of the block.
    """

    ends: Ints
    rows: Ints

    @property
    def sizes(self) -> Ints:
        """The number of rows of each frame."""
        return np.diff(self.ends)

    def sorted_by(self, code: Ints) -> "FrameRows":
        """Return the rows of each frame sorted by a code of the block's rows; the sort is stable.

        Examples
        --------
        >>> frames = FrameRows(np.array([0, 2, 3]), np.array([0, 1, 1]))
        >>> frames.sorted_by(np.array([5, 3])).rows.tolist()
        [1, 0, 1]
        """
        place = np.arange(len(self.rows), dtype=np.uint32)
        sort_entries.over(self.ends, code[self.rows], place)
        return FrameRows(self.ends, self.rows[place])

    def ends_of(self, n: int, last: bool) -> "FrameRows":
        """Return the first or the last n rows of each frame.

        Examples
        --------
        >>> FrameRows(np.array([0, 2, 3]), np.array([4, 5, 6])).ends_of(1, last=True).rows.tolist()
        [5, 6]
        """
        within = places_in_runs(self.sizes)
        from_end = np.repeat(self.sizes, self.sizes) - within
        is_end = from_end <= n if last else within < n
        return FrameRows(offsets_of(is_end)[self.ends], self.rows[is_end])

    def first_of_each(self, code: Ints) -> "FrameRows":
        """Return the first row of each frame with each code, in frame order.

        Examples
        --------
        >>> frames = FrameRows(np.array([0, 3, 4]), np.array([0, 1, 2, 2]))
        >>> distinct = frames.first_of_each(np.array([7, 7, 5]))
        >>> distinct.ends.tolist(), distinct.rows.tolist()
        ([0, 2, 3], [0, 2, 2])
        """
        place = np.arange(len(self.rows), dtype=np.uint32)
        codes = code[self.rows]
        sort_entries.over(self.ends, codes, place)
        new = begins_run(codes)
        new[self.ends[:-1][self.sizes > 0]] = True
        is_first = np.zeros(len(place), np.bool_)
        is_first[place[new]] = True
        return FrameRows(offsets_of(is_first)[self.ends], self.rows[is_first])


def frame_rows(
    window: Window, frames: Frames, own: OwnOrder | None = None, at_once: int = ROWS_AT_ONCE
) -> Iterator[tuple[slice, FrameRows]]:
    """Yield the rows of all frames, a batch of frames at a time.

    Parameters
    ----------
    window : Window
    frames : Frames
    own : OwnOrder, optional
        The order of the rows within each frame; without it, the window's order.
    at_once : int
        The approximate number of frame rows in memory at once.

    Yields
    ------
    at : slice
        The rows of the block whose frames these are.
    rows : FrameRows
    """
    upto = np.cumsum(frames.sizes)
    first = window.first_row
    low = 0
    while low < len(upto):
        before = upto[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(upto, before + at_once, "right")))
        at = slice(low, high)
        whole = np.array([0, high - low])
        ranges = frames.begin[at], frames.end[at]
        ends, rows = moving_ends(whole, *ranges, MOST_VALUES, last=False)
        rows = rows + np.repeat(first[at], np.diff(ends))
        batch = FrameRows(ends, rows if frames.row is None else frames.row[rows])
        yield at, batch if own is None else batch.sorted_by(own.place)
        low = high
