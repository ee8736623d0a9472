"""The three kinds of window that end at a query, and the events in each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernels.tiling.hops import floor_to, window_start
from kernels.tiling.ladder import HOPPING, SAWTOOTH, SLIDING
from kernels.tiling.query_ranges import query_ranges
from workbench.errors import WorkbenchError

KINDS = (SLIDING, HOPPING, SAWTOOTH)


@dataclass(frozen=True)
class WindowType:
    """A window of one kind.

    Attributes
    ----------
    name : str
        "sliding", "hopping" or "sawtooth".
    low, high : int
        The window is [low, high).
    tail : int
        The end of its whole hops: with ``high``, all of it is hops, with ``low`` none.
    first, last : int
        The events in it have the numbers [first, last).
    """

    name: str
    low: int
    high: int
    tail: int
    first: int
    last: int

    @property
    def count(self) -> int:
        """The number of events in it."""
        return self.last - self.first


def window_types(query: int, window: int, hop: int, time: Sequence[int]) -> list[WindowType]:
    """Return the windows of each kind that end at a query.

    Parameters
    ----------
    query : int
        The time of the query; events at that time or later are not in the windows.
    window, hop : int
        The length of the windows, 0 or more, and their hop, 1 or more, in the unit of the times.
    time : sequence of int
        The times of the events, sorted.

    Returns
    -------
    list of WindowType

    Raises
    ------
    WorkbenchError
        When a length is too small, or the times are not sorted.

    Examples
    --------
    >>> for kind in window_types(17, 10, 5, [6, 9, 14, 16]):
    ...     print(kind.name, (kind.low, kind.high), kind.count)
    sliding (7, 17) 3
    hopping (5, 15) 3
    sawtooth (5, 17) 4
    """
    times = np.asarray(time, np.int64)
    _check(window, hop, times)
    head = floor_to(query, hop)
    start, whole = window_start(query, window), window_start(query, window, hop)
    spans = {SLIDING: (start, query, start), HOPPING: (whole, head, head)}
    spans[SAWTOOTH] = whole, query, head
    return [
        WindowType(name, *spans[name], *_event_range(name, query, window, hop, times))
        for name in KINDS
    ]


def _event_range(
    name: str, query: int, window: int, hop: int, time: NDArray[np.int64]
) -> tuple[int, int]:
    first, last = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    hops = {SLIDING: (1, 1), HOPPING: (hop, hop), SAWTOOTH: (hop, 1)}[name]
    query_ranges(np.array([query]), True, window, *hops, time, first, last)
    return int(first[0, 0]), int(last[0, 0])


def _check(window: int, hop: int, time: NDArray[np.int64]) -> None:
    if window < 0:
        raise WorkbenchError(f"window: {window} is negative; give 0 or more.")
    if hop < 1:
        raise WorkbenchError(f"hop: {hop} is too short; give 1 or more.")
    if (time[1:] < time[:-1]).any():
        raise WorkbenchError("time: the times are not sorted; sort them.")
