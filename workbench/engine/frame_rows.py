"""The rows of each frame one behind the other, where a function has to have them side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernels.core.arrays import Ints
from kernels.structures.order import sort_entries
from kernels.windows.first_last_k import MOST_VALUES, moving_ends
from workbench.columnar.ragged import begins_run, offsets_of, places_in_runs
from workbench.engine.block import Frames, OwnOrder, Window

#: About how many rows of frames are held at once.
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
        """How many rows each frame has."""
        return np.diff(self.ends)

    def sorted_by(self, code: Ints) -> "FrameRows":
        """Return the rows of each frame by a code of the block's rows; equal ones stay as they are.

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
        kept = from_end <= n if last else within < n
        return FrameRows(offsets_of(kept)[self.ends], self.rows[kept])

    def once(self, code: Ints) -> "FrameRows":
        """Return the first row of each frame with each code, in the order in which they stand.

        Examples
        --------
        >>> frames = FrameRows(np.array([0, 3, 4]), np.array([0, 1, 2, 2]))
        >>> found = frames.once(np.array([7, 7, 5]))
        >>> found.ends.tolist(), found.rows.tolist()
        ([0, 2, 3], [0, 2, 2])
        """
        place = np.arange(len(self.rows), dtype=np.uint32)
        codes = code[self.rows]
        sort_entries.over(self.ends, codes, place)
        new = begins_run(codes)
        new[self.ends[:-1][self.sizes > 0]] = True
        kept = np.zeros(len(place), np.bool_)
        kept[place[new]] = True
        return FrameRows(offsets_of(kept)[self.ends], self.rows[kept])


def frame_rows(
    window: Window, frames: Frames, own: OwnOrder | None = None, at_once: int = ROWS_AT_ONCE
) -> Iterator[tuple[slice, FrameRows]]:
    """Yield the rows of all frames, some frames after the others.

    Parameters
    ----------
    window : Window
    frames : Frames
    own : OwnOrder, optional
        The order in which the rows of each frame stand; without it, that of the window.
    at_once : int
        About how many rows of frames are held at once.

    Yields
    ------
    at : slice
        Of which rows of the block they are the frames.
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
        found = FrameRows(ends, rows if frames.row is None else frames.row[rows])
        yield at, found if own is None else found.sorted_by(own.place)
        low = high
