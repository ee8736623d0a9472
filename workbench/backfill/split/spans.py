"""Keys whose time is cut into spans, and the events before a span that it needs.

The core of a span is the earlier time that all of its queries see. Before and after the core some
queries see an event and some do not, so states of hops there are not combined.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernels.core.arrays import Ints
from kernels.frames.ordering import MOST
from workbench.backfill.worker.cogroup import Span
from workbench.columnar.ragged import offsets_of, rows_of_runs, run_of_rows


@dataclass(frozen=True)
class Targets:
    """The spans of keys that may need earlier events: all but the first of each key.

    Attributes
    ----------
    offsets : int64 array of shape (keys + 1,)
    key, piece : int64 arrays of shape (spans,)
        Each span's key, and its number in it.
    start, last : int64 arrays of shape (spans,)
        The first and the last time of each.
    """

    offsets: Ints
    key: Ints
    piece: Ints
    start: Ints
    last: Ints

    @classmethod
    def of(cls, starts: Sequence[Ints]) -> "Targets":
        """Return the spans of keys, from the starts of each key's spans.

        Examples
        --------
        >>> Targets.of([np.array([-9, 0, 5]), np.array([-9])]).piece.tolist()
        [1, 2]
        """
        counts = np.array([len(one) - 1 for one in starts], np.int64)
        piece = [np.arange(1, count + 1) for count in counts.tolist()]
        last = [np.concatenate([one[2:] - 1, [MOST]])[: len(one) - 1] for one in starts]
        return cls(
            offsets_of(counts),
            np.repeat(np.arange(len(starts)), counts),
            _concatenated(piece),
            _concatenated([one[1:] for one in starts]),
            _concatenated(last),
        )


@dataclass(frozen=True)
class Cells:
    """Events, or hops, ordered by key and by time.

    Attributes
    ----------
    offsets : int64 array of shape (keys + 1,)
    piece, time : int64 arrays of shape (cells,)
        The span of each, and its begin.
    """

    offsets: Ints
    piece: Ints
    time: Ints

    def needed(self, targets: Targets, span: Span) -> "Needed":
        """Return the cells that spans need for windows of a :class:`Span`."""
        first, core_end = span.ranges(targets.start, targets.offsets, self.time, self.offsets)
        core, _ = span.ranges(targets.last, targets.offsets, self.time, self.offsets)
        base = self.offsets[targets.key]
        end = self._before(targets)
        low = np.minimum(base + first.ravel(), end)
        core = np.clip(base + core.ravel(), low, end)
        return Needed(low, core, np.clip(base + core_end.ravel(), core, end), end)

    def _before(self, targets: Targets) -> Ints:
        """Return the end, for each span, of the cells of its key that belong to earlier spans."""
        keys = run_of_rows(self.offsets)
        stride = int(targets.piece.max(initial=0)) + 1
        wanted = targets.key * stride + targets.piece
        return np.searchsorted(keys * stride + self.piece, wanted).astype(np.int64)


@dataclass(frozen=True)
class Needed:
    """The cells that each span needs, from low up to end. All its queries see those of the core.

    Attributes
    ----------
    low, core, core_end, end : int64 arrays of shape (spans,)
    """

    low: Ints
    core: Ints
    core_end: Ints
    end: Ints

    def outside_core(self) -> tuple[Ints, Ints]:
        """Return the cells outside of the core, and the span that each is sent to."""
        before, after = range_members(self.low, self.core), range_members(self.core_end, self.end)
        cell, target = (np.concatenate(pair) for pair in zip(before, after, strict=True))
        return cell, target


def range_members(first: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return all integers of half-open ranges, and the number of each one's range.

    Examples
    --------
    >>> [one.tolist() for one in range_members(np.array([2, 7]), np.array([4, 8]))]
    [[2, 3, 7], [0, 0, 1]]
    """
    sizes = end - first
    return rows_of_runs(first, sizes), np.repeat(np.arange(len(first)), sizes)


def _concatenated(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)
