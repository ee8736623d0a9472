"""The queries and events of the same keys (a CoGroup), and the queries' windows over the events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.frames.frames import Ranges
from kernels.structures.instants import LEAST, MOST
from kernels.structures.order import sort_entries
from kernels.tiling.hops import hop_begins
from kernels.tiling.query_ranges import query_ranges
from workbench.columnar.blocks import Block, grouped
from workbench.columnar.key_codes import as_array
from workbench.columnar.memo import Memo
from workbench.columnar.ragged import offsets_of, rows_of_runs
from workbench.columnar.ties import in_order_of, ties
from workbench.engine.block import Window


@dataclass(frozen=True)
class Span:
    """The range of event times that a query sees.

    Attributes
    ----------
    window : int or None
        The length of the window, None without a bound.
    hop, last_hop : int
        The hops to which the begin and the end are rounded down.
    ahead: int
        How far after the query its window ends; 0 for windows that must not see the future.
    """

    window: int | None
    hop: int = 1
    last_hop: int = 1
    ahead: int = 0

    def ranges(self, query: Ints, q_offsets: Ints, time: Ints, e_offsets: Ints) -> Ranges:
        """Return the range of events of each query, from 0 in each key.

        Parameters
        ----------
        query, time : int64 arrays of shape (queries,) and (events,)
            Sorted in each key.
        q_offsets, e_offsets : int64 arrays of shape (keys + 1,)

        Returns
        -------
        begin, end : int64 arrays of shape (queries, 1)
        """
        begin, end = np.empty((len(query), 1), np.int64), np.empty((len(query), 1), np.int64)
        length = self.window is not None, (self.window or 0) + self.ahead
        rounded, query = (self.hop, self.last_hop), self.ends(query)
        query_ranges.over(q_offsets, query, *length, *rounded, time, begin, end, right=e_offsets)
        return begin, end

    def ends(self, query: Ints) -> Ints:
        """Return the end of each query's window before rounding, at most the last instant.

        Examples
        --------
        >>> Span(5, ahead=1).ends(np.array([4, MOST])).tolist()
        [5, 9223372036854775807]
        """
        return np.minimum(query, MOST - self.ahead) + self.ahead

    def bounds(self, query: Ints) -> tuple[Ints, Ints]:
        """Return the begin and the end of each query's window; without a bound the begin is unused.

        Examples
        --------
        >>> [bound.tolist() for bound in Span(5, 5).bounds(np.array([4, 9]))]
        [[-5, 0], [4, 9]]
        """
        query, back = self.ends(query), (self.window or 0) + self.ahead
        low = np.maximum(query, LEAST + back) - back
        return hop_begins(low, self.hop), hop_begins(query, self.last_hop)


@dataclass(frozen=True)
class Times:
    """Rows ordered by key and by time.

    Attributes
    ----------
    offsets : int64 array of shape (keys + 1,)
    row : uint32 array of shape (rows,)
        The row at each place of this order.
    time : int64 array of shape (rows,)
        The times in this order.
    """

    offsets: Ints
    row: NDArray[np.uint32]
    time: Ints


def sort_by_time(code: NDArray[np.uint32], time: Ints, count: int) -> Times:
    """Return rows ordered by key and by time; ties keep their order.

    Parameters
    ----------
    code : uint32 array of shape (rows,)
        The number of each row's key.
    time : int64 array of shape (rows,)
    count : int
        The number of keys.

    Returns
    -------
    Times

    Examples
    --------
    >>> times = sort_by_time(np.array([0, 1, 0], np.uint32), np.array([5, 2, 3]), 2)
    >>> times.offsets.tolist(), times.row.tolist(), times.time.tolist()
    ([0, 2, 3], [2, 0, 1], [3, 5, 2])
    """
    offsets, row = grouped(code.copy(), count)
    sorted_time = time[row]
    sort_entries.over(offsets, sorted_time, row)
    return Times(offsets, row, time[row])


@dataclass(frozen=True)
class PlacedRows:
    """The positions of queries and events in a block of the window engine, and the windows over it.

    A row of the engine's block has both an answer and a value. So a key has as many rows as it has
    queries or events, whichever are more. Queries and events fill them from the first row on.

    Attributes
    ----------
    queries, events : Times
    """

    queries: Times
    events: Times
    _ranges: dict[Span, Ranges] = field(default_factory=dict)

    @cached_property
    def offsets(self) -> Ints:
        """The begin of each key, and the end of the last one."""
        sizes = np.maximum(np.diff(self.queries.offsets), np.diff(self.events.offsets))
        return offsets_of(sizes)

    @cached_property
    def query_positions(self) -> Ints:
        """The position of each query in the block, in the order of ``queries``."""
        return block_positions(self.queries.offsets, self.offsets)

    @cached_property
    def event_positions(self) -> Ints:
        """The position of each event in the block, in the order of ``events``."""
        return block_positions(self.events.offsets, self.offsets)

    def ranges(self, span: Span) -> Ranges:
        """Return the frame of every row of the block: a query's window, and for the rows after
        the last query of a key the window of that query."""
        if span not in self._ranges:
            queries, events = self.queries, self.events
            ranges = span.ranges(queries.time, queries.offsets, events.time, events.offsets)
            begin, end = (self._spread(column) for column in ranges)
            self._ranges[span] = begin, end
        return self._ranges[span]

    def _spread(self, column: Ints) -> Ints:
        # Frames whose bounds never decrease let the engine use its fast algorithms.
        positions, sizes = self.query_positions, np.diff(self.offsets)
        spread = np.zeros((int(self.offsets[-1]), 1), np.int64)
        spread[positions] = column
        counts = np.diff(self.queries.offsets)
        last = self.queries.offsets[1:] - 1
        rest = np.repeat(np.where(counts > 0, last, 0), sizes - counts)
        filled = np.repeat(counts > 0, sizes - counts)
        free = np.ones(len(spread), bool)
        free[positions] = False
        if len(column):
            spread[free] = np.where(filled[:, None], column[rest], 0)
        return spread


@dataclass(frozen=True)
class CoGroup(Memo):
    """Queries and events of the same keys.

    Attributes
    ----------
    queries, events : Times
    columns : dict of str to pyarrow.Array
        The events' columns, as they came.
    """

    queries: Times
    events: Times
    columns: Mapping[str, pa.Array]

    @cached_property
    def placed(self) -> PlacedRows:
        """The positions of both in a block."""
        return PlacedRows(self.queries, self.events)

    @property
    def offsets(self) -> Ints:
        """The begin of each key in the block, and the end of the last one."""
        return self.placed.offsets

    @property
    def query_positions(self) -> Ints:
        """The position of each query in the block, in the order of ``queries``."""
        return self.placed.query_positions

    def window(self, arguments: Sequence[str]) -> "QueryWindow":
        """Return the block in which events that tie in time are ordered by some columns.

        So the first and the last event depend only on the values of the function's arguments.
        """
        names = tuple(arguments)
        window: QueryWindow = self.once(names, lambda: self._window(names))
        return window

    def _window(self, names: tuple[str, ...]) -> "QueryWindow":
        row = self.rows_in_order(names)
        # A position without an event refers to the first event; without any event it is null.
        at = np.zeros(self.offsets[-1], np.uint32)
        at[self.placed.event_positions] = row
        event_rows = pa.array(at, mask=None if len(row) else np.ones(len(at), bool))
        none = Block(pa.table({}), self.offsets, pa.table({}))
        return QueryWindow(none, (), self.placed, self.columns, event_rows)

    def rows_in_order(self, names: Sequence[str]) -> NDArray[np.uint32]:
        """Return the event at each place; events that tie in time are ordered by some columns."""
        again = ties(self.events.time, self.events.offsets)
        if not names or not again.any():
            return self.events.row
        tied, order = in_order_of(self.columns, names, self.events.row, again)
        row = self.events.row.copy()
        row[tied] = row[tied[order]]
        return row


@dataclass(frozen=True)
class QueryWindow(Window):
    """The window of queries over events that window functions are computed on.

    It does not refer to its CoGroup, which refers to it: a reference cycle stays in memory until
    Python's garbage collection runs, which is rare where there are few large objects.

    Attributes
    ----------
    placed : PlacedRows
    event_columns : mapping of str to pyarrow.Array
        The events' columns, as they came.
    event_rows : pyarrow.Array
        The event at each position of the block.
    """

    placed: PlacedRows | None = None
    event_columns: Mapping[str, pa.Array] = field(default_factory=dict)
    event_rows: pa.Array | None = None

    def column(self, name: str) -> pa.Array:
        """Return a column of the events, by position in the block."""
        return self.once(
            ("column", name), lambda: as_array(self.event_columns[name]).take(self.event_rows)
        )

    def ranges(self, frame: Any) -> Ranges:
        """Return the frame of every row for a :class:`Span`."""
        assert self.placed is not None
        return self.placed.ranges(frame)


def block_positions(offsets: Ints, wider: Ints) -> Ints:
    return rows_of_runs(wider[:-1], np.diff(offsets))
