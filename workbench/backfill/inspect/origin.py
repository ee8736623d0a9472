"""How the value of a feature is made: the window of one query, piece by piece."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.tiling.hops import floor_to
from workbench.backfill.inspect.origin_pieces import (
    EVENT,
    HOP,
    OLDER,
    MergeableState,
    Piece,
    mergeable_state,
    pieces_of,
)
from workbench.backfill.worker.cogroup import QueryWindow
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.task import BackfillTask, cogroup_of
from workbench.columnar.blocks import TIME
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.engine.block import Call
from workbench.errors import WorkbenchError
from workbench.windows.inspect.one_partition import value_text

MOST_PIECES, MOST_LETTERS = 200, 80
#: The column with the number of the answer in the worker's result.
NUMBER = "__number__"

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Origin:
    """How the answer to one query is made.

    Attributes
    ----------
    feature : str
    query : int
        The time of the query: microseconds, or the integer of the time column.
    low, tail, high : int
        The window is [low, high), and its hops end at ``tail``. An unbounded window begins with the
        first hop that has an event.
    hop : int
        The length of hops, 1 if all events are single.
    pieces : list of Piece
        Hops and single events, in the order of time.
    states : list of str
        The partial state of each piece as text, or its own answer if the function has none.
    merged : list
        The answers of the pieces from the first up to each one.
    values : list of str
        The aggregated value of each event that counts, as text.
    time : int64 array
        The times of all events of the key that have been fetched.
    counts : bool array
        Whether each of these counts in the window.
    answer : value
        The value that :meth:`workbench.backfill.backfill.Backfill.run` returns for this query.
    merges : bool
        Whether partial states merge (for a map, one for each bucket). Otherwise every answer is
        computed from all events.
    """

    feature: str
    query: int
    low: int
    tail: int
    high: int
    hop: int
    pieces: list[Piece]
    states: list[str]
    merged: list[Any]
    values: list[str]
    time: NDArray[np.int64]
    counts: NDArray[np.bool_]
    answer: Any
    merges: bool

    @property
    def events(self) -> list[tuple[int, str]]:
        """The times of the events that count, and the aggregated value of each."""
        return list(zip(self.time[self.counts].tolist(), self.values, strict=True))

    def __repr__(self) -> str:
        sizes = [(piece.kind, piece.last - piece.first) for piece in self.pieces]
        hops, single = (sum(kind == one for kind, _ in sizes) for one in (HOP, EVENT))
        made = f"{counted(hops, 'hop')} and {counted(single, 'single event')}"
        older = sum(size for kind, size in sizes if kind == OLDER)
        before = f", after {counted(older, 'event')} of older pieces" if older else ""
        answer = in_words(self.answer)
        answer = answer if len(answer) <= MOST_LETTERS else f"{answer[:MOST_LETTERS]} …"
        return f"{self.feature} = {answer}, of {made}{before}"


@dataclass(frozen=True)
class OneQuery:
    """One query with the events of its key, fetched for inspection.

    Attributes
    ----------
    task : BackfillTask
        The task of the workers.
    queries, events : pyarrow.Table
        The one query, and the events before it, in the workers' columns.
    since : int or None
        Events before this time have not been fetched; None if all are.
    """

    task: BackfillTask
    queries: pa.Table
    events: pa.Table
    since: int | None = None

    @property
    def query(self) -> int:
        """The time of the query."""
        return int(instants(as_array(self.queries.column(TIME)))[0])

    @property
    def exact(self) -> list[str]:
        """The features of which all events in the window have been fetched."""
        return [one.call.column for one in self.task.features if self._is_whole(one)]

    def origin(self, feature: str | None = None) -> Origin:
        """Return how a feature of the query is made; by default the first feature.

        Raises
        ------
        WorkbenchError
            When there is no such feature, or events are missing for it.
        """
        features = {one.call.column: one for one in self.task.features}
        name = next(iter([*self.exact, *features])) if feature is None else feature
        if not isinstance(name, str) or name not in features:
            known = ", ".join(map(repr, features))
            raise WorkbenchError(f"feature: {name!r} is not a feature; give one of {known}.")
        if name not in self.exact:
            raise WorkbenchError(
                f"feature: the window of {name!r} has more events than the {len(self.events):,} "
                "that are fetched; choose a feature with a shorter window, or a smaller key."
            )
        return _origin(self, features[name])

    def columns(self, feature: str) -> tuple[NDArray[np.int64], MergeableState | None]:
        """Return the times of the events that count for a feature, and its mergeable state."""
        call, window, rows = self._counting(feature)
        assert window.placed is not None
        return window.placed.events.time[rows], mergeable_state(window, call, rows)

    def counting(self, feature: str) -> NDArray[np.int64]:
        """Return the rows of the events that count for a feature, in the order of time."""
        _, window, rows = self._counting(feature)
        assert window.event_rows is not None
        return np.asarray(window.event_rows.take(pa.array(rows)), np.int64)

    def _counting(self, feature: str) -> tuple[Call, QueryWindow, NDArray[np.int64]]:
        call = next(one.call for one in self.task.features if one.call.column == feature)
        cogroup = cogroup_of(self.task.sides(self.queries, self.events))
        window, count = cogroup.window(call.arguments), len(cogroup.events.time)
        counted = window.counted(call, call.without_null)
        rows = np.arange(count) if counted is None else np.flatnonzero(counted[:count])
        return call, window, rows

    def _is_whole(self, feature: Feature) -> bool:
        span: Any = feature.call.frame
        if self.since is None or span.window is None:
            return self.since is None
        return bool(floor_to(self.query - span.window, span.hop) >= self.since)


def in_words(value: Any) -> str:
    """Return an answer as text.

    Examples
    --------
    >>> in_words({"BOS": 3, "LAX": 1}), in_words(2.5)
    ('BOS 3, LAX 1', '2.5')
    """
    if isinstance(value, dict):
        return (
            ", ".join(f"{value_text(name)} {value_text(one)}" for name, one in value.items())
            or "nothing"
        )
    return value_text(value)


def counted(number: int, what: str, several: str | None = None) -> str:
    """Return a number with its noun, such as '3 hops'.

    Examples
    --------
    >>> counted(1, "hop"), counted(1200, "hop"), counted(0, "query", "queries")
    ('1 hop', '1,200 hops', '0 queries')
    """
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def _origin(one: OneQuery, feature: Feature) -> Origin:
    call, task = feature.call, one.task
    span: Any = call.frame
    sides = task.sides(one.queries, one.events)
    cogroup = cogroup_of(sides)
    window, time = cogroup.window(call.arguments), cogroup.events.time
    rows = _rows_that_count(window, feature, int(cogroup.query_positions[0]))
    high = floor_to(one.query, span.last_hop)
    low = _low(span, one.query, time[rows], high)
    tail = max(low, floor_to(high, span.hop)) if span.hop > 1 else low
    pieces = pieces_of(time[rows], span.hop, tail, MOST_PIECES)
    mergeable = mergeable_state(window, call, rows)
    # A map has a state in each of its buckets, so the worker computes it.
    if mergeable is None or feature.by is not None:
        assert window.event_rows is not None
        shown = sides.events.take(window.event_rows.take(pa.array(rows)))
        own, merged = _answers_by_worker(task, feature, sides.queries, shown, pieces)
        states = list(map(in_words, own))
    else:
        matrix = mergeable.states(pieces)
        merged = mergeable.answers(mergeable.merged(matrix), [piece.last for piece in pieces])
        states = mergeable.words(matrix)
    counts = np.zeros(len(time), bool)
    counts[rows] = True
    values = _aggregated_values(window, feature, rows)
    (answer,) = _answers(replace(task, features=(feature,)), sides.queries, sides.events)
    return Origin(
        call.column, one.query, low, tail, high, span.hop, pieces, states, merged, values,
        time, counts, answer, mergeable is not None,
    )  # fmt: skip


def _rows_that_count(window: QueryWindow, feature: Feature, place: int) -> NDArray[np.int64]:
    """Return the positions of the events that count for the query, in the order of time."""
    frames = window.frames(feature.call, feature.call.without_null)
    begin, end = int(frames.begin[place, 0]), int(frames.end[place, 0])
    rows = np.arange(begin, end) if frames.row is None else frames.row[begin:end]
    return rows if feature.by is None else rows[window.present(feature.by)[rows]]


def _low(span: Any, query: int, time: NDArray[np.int64], high: int) -> int:
    if span.window is not None:
        return floor_to(query - span.window, span.hop)
    return floor_to(int(time[0]), span.hop) if len(time) else high


def _aggregated_values(window: QueryWindow, feature: Feature, rows: NDArray[np.int64]) -> list[str]:
    names = dict.fromkeys([*feature.call.arguments, *([feature.by] if feature.by else [])])
    columns = [window.column(name).take(pa.array(rows)).to_pylist() for name in names]
    return [", ".join(map(value_text, one)) for one in zip(*columns, strict=True)] or [""] * len(
        rows
    )


def _answers_by_worker(
    task: BackfillTask,
    feature: Feature,
    query: pa.Table,
    events: pa.Table,
    pieces: Sequence[Piece],
) -> tuple[list[Any], list[Any]]:
    """Return the answers of each piece alone, and of the pieces up to each, as of separate keys."""
    ranges = [(one.first, one.last) for one in pieces] + [(0, one.last) for one in pieces]
    if not ranges:
        return [], []
    row = np.concatenate([np.arange(first, last) for first, last in ranges])
    number = np.repeat(np.arange(len(ranges)), [last - first for first, last in ranges])
    queries = _with_key_number(
        task, query.take(pa.array([0] * len(ranges))), np.arange(len(ranges))
    )
    seen = _with_key_number(task, events.take(pa.array(row)), number)
    numbered = replace(task, columns=((NUMBER, task.keys[0]),), features=(feature,))
    found = _answers(numbered, queries, seen)
    return found[: len(pieces)], found[len(pieces) :]


def _with_key_number(task: BackfillTask, rows: pa.Table, number: NDArray[np.int64]) -> pa.Table:
    at = rows.column_names.index(task.keys[0])
    return rows.set_column(at, task.keys[0], pa.array(number))


def _answers(task: BackfillTask, queries: pa.Table, events: pa.Table) -> list[Any]:
    """Return the answers of a task's one feature, ordered by the numbers of queries, if any."""
    found = task.answer(queries, events)
    if NUMBER in found.column_names:
        found = found.sort_by(NUMBER)
    values = found.column(task.features[0].call.column).to_pylist()
    by = task.features[0].by
    return values if by is None else [None if one is None else dict(one) for one in values]
