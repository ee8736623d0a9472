"""Aggregates whose state is bytes: sketches, and how often each value is there.

Cells are those of :mod:`kernels.tiling.cells`, with bytes in the place of words: a state is merged
by what made it, and no kernel knows it.
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
    """What is remembered of a hop, or of a window's core.

    Attributes
    ----------
    series, begin, latest : int
        As :mod:`kernels.tiling.cells` has them.
    states : tuple of bytes
        b"" where no event counts.
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
    """Yield the cells of a key, which have so many states each; the inverse of joined bytes.

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
        None with a null in key or time. Those whose bucket is null are left out.
    windows : int64 array of shape (windows, 4)
        As :func:`kernels.tiling.cells.roll_up` takes them.
    since : int
        No query is asked before it.

    Returns
    -------
    list of (bytes, bytes, bytes)
        The key, the bucket, and their cells by series and begin.
    """
    ordered = order_events(layout, part, events)
    feeding = [_feeding(state, ordered.events) for state in states_of(part.features)]
    found: list[list[bytes]] = [[] for _ in ordered.keys]
    for series, begin, wanted in _series(part, ordered.time, windows, since):
        for key, low, rows in _groups(ordered, begin, wanted):
            states = tuple(feed(rows) for feed in feeding)
            latest = int(ordered.time[rows[-1]])
            found[key].append(Cell(series, low, latest, states).to_bytes())
    return [
        (key, bucket, b"".join(cells))
        for key, bucket, cells in zip(ordered.keys, ordered.buckets, found, strict=True)
    ]


def _series(
    part: LayoutPart, time: Ints, windows: Ints, since: int
) -> Iterator[tuple[int, Ints, "np.ndarray[Any, Any]"]]:
    """Each series of cells: its number, where each event's cell begins, which have one."""
    yield from hop_series(part, time, windows, since)
    for w, core in enumerate(windows[:, c.CORE].tolist()):
        yield len(part.hops) + w, np.full(len(time), core), time >= core


def _groups(
    ordered: OrderedEvents, begin: Ints, wanted: "np.ndarray[Any, Any]"
) -> Iterator[tuple[int, int, Ints]]:
    """The events of each cell: the number of the key, when the cell begins, and the rows."""
    rows = np.flatnonzero(wanted)
    key, low = run_of_rows(ordered.offsets)[rows], begin[rows]
    new = np.flatnonzero((np.diff(key) != 0) | (np.diff(low) != 0)) + 1
    for group in np.split(rows, new) if len(rows) else ():
        first = group[0]
        at = int(np.searchsorted(ordered.offsets, first, "right")) - 1
        yield at, int(begin[first]), group


def _feeding(state: State, events: pa.Table) -> Callable[[Ints], bytes]:
    """What makes the state of some events, b"" where none counts."""
    given = counted_events((state.argument,), state.where, events)
    values = state.fed_from(as_array(events.column(state.argument)))

    def feed(rows: Ints) -> bytes:
        counted = rows[given[rows]]
        return values(counted).to_bytes() if len(counted) else b""

    return feed


def merge_sketch_cells(
    part: LayoutPart, known: Sequence[bytes], new: Sequence[bytes], since: int
) -> list[bytes]:
    """Merge the cells of keys with new ones, and leave out those that begin before a time.

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
    return [_merged(states, *pair, since) for pair in zip(known, new, strict=True)]


def _merged(states: Sequence[State], known: bytes, new: bytes, since: int) -> bytes:
    found: dict[tuple[int, int], Cell] = {}
    for cell in (*cells_of(known, len(states)), *cells_of(new, len(states))):
        if cell.begin >= since:
            place = cell.series, cell.begin
            found[place] = _joined(states, found[place], cell) if place in found else cell
    return b"".join(found[place].to_bytes() for place in sorted(found))


def _joined(states: Sequence[State], one: Cell, other: Cell) -> Cell:
    pairs = zip(states, one.states, other.states, strict=True)
    merged = tuple(
        state.merged((a, b)).to_bytes() if a and b else a or b  # type: ignore[union-attr]
        for state, a, b in pairs
    )
    return Cell(one.series, one.begin, max(one.latest, other.latest), merged)


@dataclass(frozen=True)
class SketchAnswers:
    """Makes the rows of keys of the cells of one part.

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
        """The states of the features, each once."""
        return states_of(self.part.features)

    def values(
        self, known: bytes, new: bytes, upload: int, at: int
    ) -> dict[str, tuple[bool, Any]] | None:
        """Return for each feature of a key or a bucket whether any event counts, and its answer;
        None where a hop would have to be cut.

        Parameters
        ----------
        known, new : bytes
            The cells that were uploaded, and those that were streamed.
        upload, at : int
        """
        states = self.states
        cells = [*cells_of(known, len(states))]
        cells += [one for one in cells_of(new, len(states)) if one.begin >= upload]
        joined = [self._of_window(w, cells, upload, at) for w in range(len(self.windows))]
        if any(cell.latest >= at for some in joined for cell in some):
            return None
        merged: dict[tuple[int, State], Any] = {}
        found = {}
        for feature in self.part.features:
            w, state = self.part.window_of(feature), State.of(feature.call)
            if (w, state) not in merged:
                place = states.index(state)
                merged[w, state] = state.merged(one.states[place] for one in joined[w])
            one, kind = merged[w, state], self.schema.field(state.argument).type
            found[feature.call.column] = one is not None, state.answer(one, feature.call, kind)
        return found

    def _of_window(self, w: int, cells: Iterable[Cell], upload: int, at: int) -> list[Cell]:
        """The cells of a window: the collapsed one, and hops in its tail and its head."""
        window, collapsed = self.windows[w].tolist(), len(self.part.hops) + w
        return [
            cell
            for cell in cells
            if cell.series == collapsed
            or c.joins_window(cast(Any, cell), at, LEAST, upload, window)
        ]
