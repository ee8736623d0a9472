"""Rolls events up to cells of bytes, for sketches and histograms.

Cells are like those of :mod:`kernels.tiling.cells`, with bytes instead of words. The classes of
states merge them, not kernels.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.structures.instants import LEAST
from kernels.tiling import cells as c
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import run_of_rows
from workbench.online.layout import LayoutPart, StoreLayout
from workbench.online.states.numeric import OrderedEvents, counted_events, hop_series, order_events
from workbench.online.states.sketch_states import State, states_of

HEAD, LENGTH = struct.Struct("<qqq"), struct.Struct("<I")


class Cell(NamedTuple):
    """The states of a hop, or of a window's core.

    Attributes
    ----------
    series, begin, latest : int
        As in :mod:`kernels.tiling.cells`.
    states : tuple of bytes
        b"" if no event counts.
    """

    series: int
    begin: int
    latest: int
    states: tuple[bytes, ...]

    def to_bytes(self) -> bytes:
        """Return the cell as a store keeps it."""
        pieces = [HEAD.pack(self.series, self.begin, self.latest)]
        for one in self.states:
            pieces += [LENGTH.pack(len(one)), one]
        return b"".join(pieces)


def cells_of(packed: bytes, count: int) -> Iterator[Cell]:
    """Yield the cells of a key from their concatenated bytes.

    Examples
    --------
    >>> cells = [Cell(0, 5, 7, (b"a", b"")), Cell(0, 10, 11, (b"", b"bc"))]
    >>> list(cells_of(b"".join(one.to_bytes() for one in cells), 2)) == cells
    True
    """
    at = 0
    while at < len(packed):
        series, begin, latest = HEAD.unpack_from(packed, at)
        at += HEAD.size
        states = []
        for _ in range(count):
            low = at + LENGTH.size
            at = low + LENGTH.unpack_from(packed, at)[0]
            states.append(packed[low:at])
        yield Cell(series, begin, latest, tuple(states))


def roll_up_sketches(
    layout: StoreLayout, part: LayoutPart, events: pa.Table, windows: Ints, since: int = LEAST
) -> list[tuple[bytes, bytes, bytes]]:
    """Roll events up to cells.

    Parameters
    ----------
    layout : StoreLayout
    part : LayoutPart
    events : pyarrow.Table
        Events without a null in key or time. Those with a null bucket are left out.
    windows : int64 array of shape (windows, 4)
        As :func:`kernels.tiling.cells.roll_up` takes them.
    since : int
        No query is before this time.

    Returns
    -------
    list of (bytes, bytes, bytes)
        The key, the bucket, and their cells by series and begin.
    """
    ordered = order_events(layout, part, events)
    state_makers = [_state_maker(state, ordered.events) for state in states_of(part.features)]
    found: list[list[bytes]] = [[] for _ in ordered.keys]
    for series, begin, wanted in _series(part, ordered.time, windows, since):
        for key, low, rows in _groups(ordered, begin, wanted):
            states = tuple(make_state(rows) for make_state in state_makers)
            latest = int(ordered.time[rows[-1]])
            found[key].append(Cell(series, low, latest, states).to_bytes())
    return [
        (key, bucket, b"".join(cells))
        for key, bucket, cells in zip(ordered.keys, ordered.buckets, found, strict=True)
    ]


def _series(
    part: LayoutPart, time: Ints, windows: Ints, since: int
) -> Iterator[tuple[int, Ints, "np.ndarray[Any, Any]"]]:
    """Yield each series: its number, the begin of each event's cell, and which events have one."""
    yield from hop_series(part, time, windows, since)
    for w, core in enumerate(windows[:, c.CORE].tolist()):
        yield len(part.hops) + w, np.full(len(time), core), time >= core


def _groups(
    ordered: OrderedEvents, begin: Ints, wanted: "np.ndarray[Any, Any]"
) -> Iterator[tuple[int, int, Ints]]:
    """Yield the events of each cell: the number of the key, the begin of the cell, and the rows."""
    rows = np.flatnonzero(wanted)
    key, low = run_of_rows(ordered.offsets)[rows], begin[rows]
    new = np.flatnonzero((np.diff(key) != 0) | (np.diff(low) != 0)) + 1
    for group in np.split(rows, new) if len(rows) else ():
        first = group[0]
        at = int(np.searchsorted(ordered.offsets, first, "right")) - 1
        yield at, int(begin[first]), group


def _state_maker(state: State, events: pa.Table) -> Callable[[Ints], bytes]:
    """Return a function that makes the state of events, b"" if none counts."""
    given = counted_events((state.argument,), state.where, events)
    state_of = state.state_maker(as_array(events.column(state.argument)))

    def make_state(rows: Ints) -> bytes:
        counted = rows[given[rows]]
        return state_of(counted).to_bytes() if len(counted) else b""

    return make_state


def merge_sketch_cells(
    part: LayoutPart, known: Sequence[bytes], new: Sequence[bytes], since: int
) -> list[bytes]:
    """Return the cells of keys merged with new ones, without those that begin before a time.

    Parameters
    ----------
    part : LayoutPart
    known, new : sequence of bytes
        The cells of each key, b"" for none.
    since : int

    Returns
    -------
    list of bytes
    """
    states = states_of(part.features)
    return [_merge_cells(states, *pair, since) for pair in zip(known, new, strict=True)]


def _merge_cells(states: Sequence[State], known: bytes, new: bytes, since: int) -> bytes:
    found: dict[tuple[int, int], Cell] = {}
    for cell in (*cells_of(known, len(states)), *cells_of(new, len(states))):
        if cell.begin >= since:
            place = cell.series, cell.begin
            found[place] = _merge_pair(states, found[place], cell) if place in found else cell
    return b"".join(found[place].to_bytes() for place in sorted(found))


def _merge_pair(states: Sequence[State], one: Cell, other: Cell) -> Cell:
    pairs = zip(states, one.states, other.states, strict=True)
    merged = tuple(
        state.merge((a, b)).to_bytes() if a and b else a or b  # type: ignore[union-attr]
        for state, a, b in pairs
    )
    return Cell(one.series, one.begin, max(one.latest, other.latest), merged)


@dataclass(frozen=True)
class SketchAnswers:
    """Computes the features of keys from the cells of one part.

    Attributes
    ----------
    part : LayoutPart
    windows : int64 array of shape (windows, 4)
        As :func:`kernels.tiling.cells.join_windows` takes them.
    schema : pyarrow.Schema
        The events' columns.
    """

    part: LayoutPart
    windows: Ints
    schema: pa.Schema

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The distinct states of the features."""
        return states_of(self.part.features)

    def values(
        self, known: bytes, new: bytes, upload: int, at: int
    ) -> dict[str, tuple[bool, Any]] | None:
        """Return for each feature of a key or a bucket whether any event counts, and its value;
        None if a hop would have to be cut.

        Parameters
        ----------
        known, new : bytes
            The uploaded and the streamed cells.
        upload, at : int
        """
        states = self.states
        cells = [*cells_of(known, len(states))]
        cells += [one for one in cells_of(new, len(states)) if one.begin >= upload]
        cells_of_windows = [self._of_window(w, cells, upload, at) for w in range(len(self.windows))]
        if any(cell.latest >= at for some in cells_of_windows for cell in some):
            return None
        merged: dict[tuple[int, State], Any] = {}
        found = {}
        for feature in self.part.features:
            w, state = self.part.window_of(feature), State.of(feature.call)
            if (w, state) not in merged:
                place = states.index(state)
                merged[w, state] = state.merge(one.states[place] for one in cells_of_windows[w])
            one, kind = merged[w, state], self.schema.field(state.argument).type
            found[feature.call.column] = one is not None, state.answer(one, feature.call, kind)
        return found

    def _of_window(self, w: int, cells: Iterable[Cell], upload: int, at: int) -> list[Cell]:
        """Return the cells of a window: the collapsed one, and the hops of its tail and head."""
        window, collapsed = self.windows[w].tolist(), len(self.part.hops) + w
        return [
            cell
            for cell in cells
            if cell.series == collapsed
            or c.joins_window(cast(Any, cell), at, LEAST, upload, window)
        ]
