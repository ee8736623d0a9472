"""Features of rows that have a life: they count while they are in the table, and in the window.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.entities.validity_tiles import life_runs
from workbench.backfill.worker.cogroup import Ints, Meeting, Span, Times
from workbench.columnar.blocks import grouped
from workbench.columnar.columns import present
from workbench.columnar.ties import in_order_of, ties
from workbench.engine.block import Call
from workbench.engine.functions import answer
from workbench.functions.catalogue import SKETCHED

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
    _known: dict[Any, Any] = field(default_factory=dict)

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Return what was computed under a key, at the first time by computing it."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

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
        found: Ints = self.once("sizes", self._sizes)
        return found

    def _sizes(self) -> Ints:
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

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Which rows have the time of the row before them in their key."""
        found: NDArray[np.bool_] = self.once("tied", lambda: ties(self.time, self.offsets))
        return found

    def in_order(self, columns: Mapping[str, pa.Array], names: Sequence[str]) -> "Lives":
        """Return the same rows, those that tie in time in the order of some columns."""
        tied, order = in_order_of(columns, names, self.row, self.tied)
        at = np.arange(len(self.row))
        at[tied] = tied[order]
        row, first, last = self.row[at], self.first[at], self.last[at]
        return replace(self, row=row, first=first, last=last, _known={})

    def between(self, low: int, high: int) -> "Lives":
        """Return the rows that some queries see, by the places of these among those of all keys."""
        offsets = np.clip(self.queries.offsets, low, high) - low
        queries = Times(offsets, self.queries.row[low:high], self.queries.time[low:high])
        base = offsets[:-1][self.key]
        first, last = (np.clip(run, low, high) - low - base for run in self.runs)
        return replace(self, queries=queries, first=first, last=last, _known={}).of(first < last)


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
        Calls that the same rows count for get the same ones.
    """
    span, names = cast(Span, call.frame), call.arguments
    nullable = tuple(name for name in call.without_null if meeting.columns[name].null_count)
    key = "lives", span, nullable, call.where
    base: Lives = meeting.once(key, lambda: _lives_of(span, meeting, nullable, call.where))
    if not names or not base.tied.any():
        return base
    found: Lives = base.once(("in order", names), lambda: base.in_order(meeting.columns, names))
    return found


def _lives_of(span: Span, meeting: Meeting, nullable: tuple[str, ...], where: str | None) -> Lives:
    every: Lives = meeting.once(("runs", span), lambda: _runs_of(span, meeting))
    counts = every.first < every.last
    if nullable or where is not None:
        counts &= _counted(nullable, where, meeting)[every.row]
    return every.of(counts)


def _runs_of(span: Span, meeting: Meeting) -> Lives:
    queries, events = meeting.queries, meeting.events
    row = events.row.astype(np.int64)
    low, seen = span.bounds(queries.time)
    born, died = (meeting.columns[name].to_numpy()[row] for name in (BEGIN, END))
    first, last = np.empty((2, len(row)), np.int64)
    runs = events.time, born, died, first, last
    bounded = span.window is not None
    life_runs.over(queries.offsets, seen, low, bounded, *runs, right=events.offsets)
    return Lives(queries, row, events.time, events.offsets, first, last)


def _counted(nullable: tuple[str, ...], where: str | None, meeting: Meeting) -> NDArray[np.bool_]:
    """Which rows of the columns count, by what they hold."""
    counted = np.ones(len(meeting.columns[BEGIN]), np.bool_)
    for name in nullable:
        counted &= present(meeting.columns[name])
    if where is not None:
        true = meeting.columns[where].fill_null(False)
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
    Tiled, a function that combines takes O(rows · log queries + queries) steps. For others each row
    is laid out O(log queries) times, and the steps are those of the function over frames of
    O(log queries) ranges. Listed, a call takes as many steps as there are rows in windows.
    """
    from workbench.backfill.worker.validity_functions import answer_in_tiles, combines

    lives = lives_of(call, meeting)
    sizes = lives.sizes
    if tiled is None:
        listed = int(sizes.sum()) <= FEW * (len(lives.row) + len(sizes))
        tiled = combines(call) or not listed
    if not tiled or call.function in LISTED or not len(sizes):
        return _listed(call, lives, meeting), sizes
    return answer_in_tiles(call, lives, meeting.columns), sizes


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
    if high - low < len(lives.queries.time):
        apart = _apart(lives, meeting, low, high)
    else:
        apart = lives.once("apart", lambda: _apart(lives, meeting, low, high))
    # Every row of the list is in the window: nothing is left to decide.
    everything = replace(call, frame=cast(Any, Span(None, ahead=1 + _ahead(call))), where=None)
    return answer(apart.window(call.arguments), everything).take(pa.array(apart.query_places))


def _apart(lives: Lives, meeting: Meeting, low: int, high: int) -> Meeting:
    """Some queries, each in a key of its own with the rows that it sees."""
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
    return Meeting(alone, rows, meeting.columns)


def _ahead(call: Call) -> int:
    return cast(Span, call.frame).ahead
