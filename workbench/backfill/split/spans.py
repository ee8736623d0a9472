"""Keys whose time is cut into spans, and what each span needs of the events before it.

The queries of a span see all events of its core, if any of that time. Of those before and behind
the core, some queries see them and some do not: there hops stay apart.
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
    """The spans of some keys that may need earlier events: all but the first of each key.

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
        """Return the spans of keys whose spans start then.

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
            _joined(piece),
            _joined([one[1:] for one in starts]),
            _joined(last),
        )


@dataclass(frozen=True)
class Cells:
    """Events, or hops of them, by key and by time.

    Attributes
    ----------
    offsets : int64 array of shape (keys + 1,)
    piece, time : int64 arrays of shape (cells,)
        The span that each belongs to, and when it begins.
    """

    offsets: Ints
    piece: Ints
    time: Ints

    def needed(self, targets: Targets, span: Span) -> "Needed":
        """Return the cells that spans need for windows of a kind."""
        first, core_end = span.ranges(targets.start, targets.offsets, self.time, self.offsets)
        core, _ = span.ranges(targets.last, targets.offsets, self.time, self.offsets)
        base = self.offsets[targets.key]
        end = self._before(targets)
        low = np.minimum(base + first.ravel(), end)
        core = np.clip(base + core.ravel(), low, end)
        return Needed(low, core, np.clip(base + core_end.ravel(), core, end), end)

    def _before(self, targets: Targets) -> Ints:
        """Where the cells of each span's key end that belong to earlier spans."""
        keys = run_of_rows(self.offsets)
        stride = int(targets.piece.max(initial=0)) + 1
        wanted = targets.key * stride + targets.piece
        return np.searchsorted(keys * stride + self.piece, wanted).astype(np.int64)


@dataclass(frozen=True)
class Needed:
    """The cells that each span needs, from low up to end; those of its core are seen by all.

    Attributes
    ----------
    low, core, core_end, end : int64 arrays of shape (spans,)
    """

    low: Ints
    core: Ints
    core_end: Ints
    end: Ints

    def apart(self) -> tuple[Ints, Ints]:
        """Return the cells that stay apart, and the span that each goes to."""
        before, behind = spread(self.low, self.core), spread(self.core_end, self.end)
        cell, target = (np.concatenate(pair) for pair in zip(before, behind, strict=True))
        return cell, target


def spread(first: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return all members of half-open ranges, and the number of the range of each.

    Examples
    --------
    >>> [one.tolist() for one in spread(np.array([2, 7]), np.array([4, 8]))]
    [[2, 3, 7], [0, 0, 1]]
    """
    sizes = end - first
    return rows_of_runs(first, sizes), np.repeat(np.arange(len(first)), sizes)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)
