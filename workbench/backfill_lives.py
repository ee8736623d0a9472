"""Features of rows that have a life: they count while they are in the table, and in the window.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.life_tiles import life_runs
from workbench.backfill_block import Ints, Meeting, Span, Times
from workbench.blocks import grouped
from workbench.window_block import Call
from workbench.window_catalogue import SKETCHED
from workbench.window_columns import present
from workbench.window_functions import answer

#: The columns of a row's life [begin, end), in what the kernels count in.
BEGIN, END = "__begin__", "__end__"
#: Functions of all rows that a query sees, in their order: no tree holds less than those rows.
LISTED = ("mode", "histogram", "string_agg", *SKETCHED)
#: The rows of windows that are listed at once.
AT_ONCE = 8_000_000
#: Windows that hold at most so many rows, for each row and query there is, are listed.
FEW = 4


@dataclass(frozen=True)
class Lives:
    """The rows that count for a call, and for which queries each does.

    Attributes
    ----------
    queries : Times
    row : int64 array of shape (rows,)
        The row of the columns, key by key and in the order of times; ties by what is asked for.
    time : int64 array of shape (rows,)
    offsets : int64 array of shape (keys + 1,)
        Where each key's rows begin.
    first, last : int64 arrays of shape (rows,)
        The run [first, last) of the key's queries, never empty.
    """

    queries: Times
    row: Ints
    time: Ints
    offsets: Ints
    first: Ints
    last: Ints

    @property
    def key(self) -> Ints:
        """The key of each row."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def runs(self) -> tuple[Ints, Ints]:
        """The run of each row, as places among the queries of all keys."""
        base = self.queries.offsets[:-1][self.key]
        return self.first + base, self.last + base

    @property
    def sizes(self) -> Ints:
        """How many rows each query sees."""
        first, last = self.runs
        places = len(self.queries.time) + 1
        more = np.bincount(first, minlength=places) - np.bincount(last, minlength=places)
        return np.asarray(np.cumsum(more)[:-1], np.int64)

    def of(self, kept: Any) -> "Lives":
        """Return some of the rows, by a mask."""
        offsets = np.concatenate([[0], np.cumsum(kept)])[self.offsets]
        columns = (self.row, self.time, self.first, self.last)
        row, time, first, last = (column[kept] for column in columns)
        return Lives(self.queries, row, time, offsets, first, last)


def lives_of(call: Call, meeting: Meeting) -> Lives:
    """Return the rows that count for a call, of a meeting whose events have a life.

    Parameters
    ----------
    call : Call
    meeting : Meeting
        Its columns :data:`BEGIN` and :data:`END` are the events' lives.

    Returns
    -------
    Lives
    """
    span, names = cast(Span, call.frame), call.arguments
    row = meeting.in_order(names).astype(np.int64)
    queries, events = meeting.queries, meeting.events
    low, seen = span.bounds(queries.time)
    born, died = (meeting.columns[name].to_numpy()[row] for name in (BEGIN, END))
    first, last = np.empty((2, len(row)), np.int64)
    runs = events.time, born, died, first, last
    bounded = span.window is not None
    life_runs.over(queries.offsets, seen, low, bounded, *runs, right=events.offsets)
    every = Lives(queries, row, events.time, events.offsets, first, last)
    return every.of((first < last) & _counted(call, meeting)[row])


def _counted(call: Call, meeting: Meeting) -> NDArray[np.bool_]:
    """Which rows of the columns count for a call, by what they hold."""
    counted = np.ones(len(meeting.columns[BEGIN]), np.bool_)
    for name in call.without_null:
        counted &= present(meeting.columns[name])
    if call.where is not None:
        true = meeting.columns[call.where].fill_null(False)
        counted &= np.asarray(true.to_numpy(zero_copy_only=False), np.bool_)
    return counted


def lively(call: Call, meeting: Meeting, tiled: bool | None = None) -> tuple[pa.Array, Ints]:
    """Return the answers of a meeting's queries in their order, and how many rows each is of.

    Parameters
    ----------
    call : Call
    meeting : Meeting
        Its columns :data:`BEGIN` and :data:`END` are the events' lives.
    tiled : bool, optional
        Lay rows out in tiles, or list those of each query, instead of what takes fewer steps.

    Returns
    -------
    answers : pyarrow.Array
    sizes : int64 array

    Notes
    -----
    Listed, a call takes as many steps as there are rows in windows. Tiled, each row is laid out
    O(log queries) times, and the steps are those of the function over frames of O(log queries)
    ranges.
    """
    lives = lives_of(call, meeting)
    sizes = lives.sizes
    if tiled is None:
        tiled = int(sizes.sum()) > FEW * (len(lives.row) + len(sizes))
    if not tiled or not fits_tiles(call):
        return _listed(call, lives, meeting), sizes
    from workbench.backfill_tiled import answer_in_tiles

    return answer_in_tiles(call, lives, meeting.columns), sizes


def fits_tiles(call: Call) -> bool:
    """Say whether a function can be answered from tiles."""
    return call.function not in LISTED


def _listed(call: Call, lives: Lives, meeting: Meeting) -> pa.Array:
    """Answer each query from a list of its own rows: as if it were alone with them in its key."""
    found = [_of_some(call, lives, meeting, *chunk) for chunk in _chunks(lives.sizes)]
    return pa.concat_arrays(found) if len(found) > 1 else found[0]


def _chunks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of queries that see not too many rows together."""
    number = np.cumsum(sizes) // AT_ONCE
    edges = np.flatnonzero(np.diff(number)) + 1
    bounds = [0, *edges.tolist(), len(sizes)]
    yield from pairwise(bounds)


def _of_some(call: Call, lives: Lives, meeting: Meeting, low: int, high: int) -> pa.Array:
    first, last = (np.clip(run, low, high) - low for run in lives.runs)
    counts = last - first
    at = np.repeat(np.arange(len(counts)), counts)
    ends = np.cumsum(counts)
    query = np.arange(len(at)) + np.repeat(first - (ends - counts), counts)
    offsets, order = grouped(query.astype(np.uint32), high - low)
    at = at[order]
    rows = Times(offsets, lives.row[at].astype(np.uint32), lives.time[at])
    count = np.arange(high - low + 1)
    alone = Times(count, count[:-1].astype(np.uint32), meeting.queries.time[low:high])
    apart = Meeting(alone, rows, meeting.columns)
    # Every row of the list is in the window: nothing is left to decide.
    everything = replace(call, frame=cast(Any, Span(None, ahead=1 + _ahead(call))), where=None)
    return answer(apart.window(call.arguments), everything).take(pa.array(apart.query_places))


def _ahead(call: Call) -> int:
    return cast(Span, call.frame).ahead
