"""Events as cells: each event a cell of its own, rolled up to the cells of its key's hops."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.states import units_of
from kernels.structures.instants import LEAST
from kernels.structures.sort_keys import sort_keys
from kernels.tiling import cells as c
from kernels.tiling.cells import roll_up
from kernels.tiling.hops import hop_begins, window_start
from workbench.backfill.worker.cogroup import sort_by_time
from workbench.columnar.blocks import TIME, instants
from workbench.columnar.columns import floats, numbers, present
from workbench.columnar.exact_sums import part
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of
from workbench.online.encoding import key_bytes, value_bytes
from workbench.online.layout import LayoutPart, Slot, StoreLayout


@dataclass(frozen=True)
class KeyCells:
    """The cells of keys, and of buckets where there are some.

    Attributes
    ----------
    keys, buckets : list of bytes
    words : bytes
        All cells, one behind the other.
    ends : list of int
        Where each one's cells begin, and the last ones end.
    """

    keys: list[bytes]
    buckets: list[bytes]
    words: bytes
    ends: list[int]

    def records(self, prefix: bytes) -> tuple[list[bytes], list[bytes]]:
        """Return the keys behind a prefix, nearly in order, and the cells of each.

        In order, an embedded store writes few pages many times, and not many pages few times.
        """
        begins = np.array([key[:16] for key in self.keys], "S16")
        order = np.argsort(begins, kind="stable").tolist()
        keys, words, ends = self.keys, self.words, self.ends
        return [prefix + keys[i] for i in order], [words[ends[i] : ends[i + 1]] for i in order]

    def __iter__(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        words = (self.words[low:high] for low, high in pairwise(self.ends))
        return zip(self.keys, self.buckets, words, strict=True)


def roll_up_events(
    layout: StoreLayout, part: LayoutPart, events: pa.Table, windows: Ints, since: int = LEAST
) -> KeyCells:
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
    Rolled
    """
    ordered = order_events(layout, part, events)
    single, real = event_cells(part, ordered.events, ordered.time)
    room = _room(ordered.offsets, ordered.time, part, windows, since)
    ends = offsets_of(room)
    integers, rest = part.sizes
    cells, reals = np.zeros((ends[-1], integers), np.int64), np.zeros((ends[-1], rest))
    hops = np.array(part.hops, np.int64)
    given = ordered.time, single, real, since, hops, windows, part.table, cells, reals
    counts = roll_up.over(ordered.offsets, *given, right=ends)
    return KeyCells(ordered.keys, ordered.buckets, *pack_cells(part, cells, reals, ends, counts))


@dataclass(frozen=True)
class OrderedEvents:
    """Events by key, bucket and time.

    Attributes
    ----------
    keys, buckets : list of bytes
    offsets : int64 array of shape (keys + 1,)
        Where each one's events begin, and the last ones end.
    time : int64 array of shape (events,)
    events : pyarrow.Table
    """

    keys: list[bytes]
    buckets: list[bytes]
    offsets: Ints
    time: Ints
    events: pa.Table


def order_events(layout: StoreLayout, part: LayoutPart, events: pa.Table) -> OrderedEvents:
    """Return events by key and time, and by bucket where the part has some."""
    if part.by is not None:
        events = events.filter(as_array(events.column(part.by)).is_valid())
    names = [*(f"k{i}" for i in range(len(layout.keys))), *([part.by] if part.by else [])]
    code, count = key_codes(events.select(names))
    times = sort_by_time(code, instants(as_array(events.column(TIME))), count)
    first = pa.array(times.row[times.offsets[:-1]])
    key = key_bytes([events.column(name).take(first) for name in names[: len(layout.keys)]])
    bucket = value_bytes(as_array(events.column(part.by).take(first))) if part.by else [b""] * count
    return OrderedEvents(key, bucket, times.offsets, times.time, events.take(pa.array(times.row)))


def pack_cells(
    part: LayoutPart, cells: Ints, numbers_of: NDArray[np.float64], ends: Ints, counts: Ints
) -> tuple[bytes, list[int]]:
    """Return the first cells of each range as words, and where each range's begin in bytes."""
    used = np.repeat(ends[:-1] - offsets_of(counts)[:-1], counts)
    used = used + np.arange(counts.sum())
    words = np.concatenate([cells[used], numbers_of[used].view(np.int64)], axis=1)
    size = 8 * part.words
    return words.astype("<i8", copy=False).tobytes(), [0, *(np.cumsum(counts) * size).tolist()]


def _room(offsets: Ints, time: Ints, part: LayoutPart, windows: Ints, since: int) -> Ints:
    """How many cells each key has at most."""
    collapsed = np.zeros(len(time), np.int64)
    for _, _, wanted in hop_series(part, time, windows, since):
        collapsed += wanted
    sums = offsets_of(collapsed)
    return np.asarray(np.diff(sums[offsets]) + len(windows))


def hop_series(
    part: LayoutPart, time: Ints, windows: Ints, since: int
) -> Iterator[tuple[int, Ints, NDArray[np.bool_]]]:
    """Yield each series of hops: its number, where each event's hop begins, and which are needed.

    Parameters
    ----------
    part : LayoutPart
    time : int64 array of shape (events,)
    windows, since
        As :func:`roll_up_events` takes them.
    """
    for h, hop in enumerate(part.hops):
        begin, wanted = hop_begins(time, hop), np.zeros(len(time), np.bool_)
        for series, length, size, core in windows.tolist():
            if series == h:
                low = LEAST if length < 0 else window_start(since, length, size)
                wanted |= (begin < core) & (begin >= low)
        yield h, begin, wanted


def event_cells(part: LayoutPart, events: pa.Table, time: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return each event as a cell: its integers and its floating numbers.

    Parameters
    ----------
    part : LayoutPart
    events : pyarrow.Table
    time : int64 array of shape (events,)

    Returns
    -------
    whole, real : arrays of shape (events, integers) and (events, numbers)
    """
    integers, rest = part.sizes
    cells, floats = np.zeros((len(time), integers), np.int64), np.zeros((len(time), rest))
    cells[:, c.BEGIN] = cells[:, c.LATEST] = time
    for slot, (kind, at, place) in zip(part.slots, part.table.tolist(), strict=True):
        given = counted_events(() if slot.nulls else slot.arguments, slot.where, events)
        columns = [as_array(events.column(name)) for name in slot.arguments]
        size, reals = c.SIZES[kind]
        to_whole, to_real = cells[:, at : at + size], floats[:, place : place + reals]
        if reals:
            _numbers(kind, given, columns, to_real)
        else:
            _integers(slot, given, columns, time, to_whole)
    return cells, floats


def counted_events(
    arguments: Sequence[str], where: str | None, events: pa.Table
) -> NDArray[np.bool_]:
    """Return which events count: none of some columns is null, and a condition is true."""
    given = np.ones(len(events), bool)
    for name in arguments:
        given &= present(as_array(events.column(name)))
    if where is not None:
        true = as_array(events.column(where)).fill_null(False)
        given &= true.to_numpy(zero_copy_only=False)
    return given


def _integers(
    slot: Slot, given: NDArray[np.bool_], columns: list[Any], time: Ints, to: Ints
) -> None:
    kind = slot.kind
    if kind == c.COUNT:
        to[:, 0] = given
        return
    if kind == c.WHOLE:
        to[:, 0], to[:, 1] = np.where(given, part(columns[0], slot.part), 0), given
        return
    values = numbers(columns[0])
    if kind == c.FLAGS:
        to[:, 0], to[:, 1] = given & (values != 0), given & (values == 0)
    elif kind in (c.LEAST_KEY, c.GREATEST_KEY):
        to[:, 0], to[:, 1] = given, np.where(given, sort_keys(values), 0)
    else:
        valid = present(columns[0])
        to[:, 0], to[:, 1], to[:, 2] = given, np.where(given, time, 0), given & valid
        to[:, 3] = np.where(given & valid, sort_keys(values), 0)


def _numbers(
    kind: int, given: NDArray[np.bool_], columns: list[Any], to: NDArray[np.float64]
) -> None:
    values = [np.where(given, floats(one), 0.0) for one in columns]
    if kind in (c.TOTAL, c.PRODUCT):
        to[:, 0], to[:, 1] = values[0], given
    else:
        to[:, 0] = given
        for i, one in enumerate(values):
            unit = units_of(one)
            to[:, 1 + i], to[:, i - len(values)] = one / unit, unit
        if kind == c.SPREAD:
            # Nothing, but what is not finite spreads beyond numbers.
            with np.errstate(invalid="ignore"):
                to[:, 2] = values[0] - values[0]
