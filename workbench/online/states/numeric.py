"""Rolls events up to cells of words: makes a cell of each event, and combines cells by hop."""

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
from workbench.columnar.blocks import TIME
from workbench.columnar.columns import floats, numbers, present
from workbench.columnar.exact_sums import part
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of
from workbench.online.encoding import key_bytes, value_bytes
from workbench.online.layout import LayoutPart, Slot, StoreLayout


@dataclass(frozen=True)
class KeyCells:
    """The cells of keys, or of keys and buckets.

    Attributes
    ----------
    keys, buckets : list of bytes
    words : bytes
        All cells, concatenated.
    ends : list of int
        The begin of each one's cells in bytes, and the end of the last ones.
    """

    keys: list[bytes]
    buckets: list[bytes]
    words: bytes
    ends: list[int]

    def records(self, prefix: bytes) -> tuple[list[bytes], list[bytes]]:
        """Return the keys with a prefix, nearly sorted, and the cells of each.

        If keys are sorted, an embedded store touches fewer pages.
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
    """Return events rolled up to cells.

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
    KeyCells
    """
    ordered = order_events(layout, part, events)
    single, real = event_cells(part, ordered.events, ordered.time)
    most_cells = _most_cells(ordered.offsets, ordered.time, part, windows, since)
    ends = offsets_of(most_cells)
    integers, rest = part.sizes
    cells, reals = np.zeros((ends[-1], integers), np.int64), np.zeros((ends[-1], rest))
    hops = np.array(part.hops, np.int64)
    arguments = ordered.time, single, real, since, hops, windows, part.table, cells, reals
    counts = roll_up.over(ordered.offsets, *arguments, right=ends)
    return KeyCells(ordered.keys, ordered.buckets, *pack_cells(part, cells, reals, ends, counts))


@dataclass(frozen=True)
class OrderedEvents:
    """Events ordered by key, bucket and time.

    Attributes
    ----------
    keys, buckets : list of bytes
    offsets : int64 array of shape (keys + 1,)
        The begin of each one's events, and the end of the last ones.
    time : int64 array of shape (events,)
    events : pyarrow.Table
    """

    keys: list[bytes]
    buckets: list[bytes]
    offsets: Ints
    time: Ints
    events: pa.Table


def order_events(layout: StoreLayout, part: LayoutPart, events: pa.Table) -> OrderedEvents:
    """Return events ordered by key and time, and by bucket if the part has buckets."""
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
    """Return the first cells of each range as words, and the begin of each range in bytes."""
    used = np.repeat(ends[:-1] - offsets_of(counts)[:-1], counts)
    used = used + np.arange(counts.sum())
    words = np.concatenate([cells[used], numbers_of[used].view(np.int64)], axis=1)
    size = 8 * part.words
    return words.astype("<i8", copy=False).tobytes(), [0, *(np.cumsum(counts) * size).tolist()]


def _most_cells(offsets: Ints, time: Ints, part: LayoutPart, windows: Ints, since: int) -> Ints:
    """Return an upper bound of the number of cells of each key."""
    collapsed = np.zeros(len(time), np.int64)
    for _, _, wanted in hop_series(part, time, windows, since):
        collapsed += wanted
    sums = offsets_of(collapsed)
    return np.asarray(np.diff(sums[offsets]) + len(windows))


def hop_series(
    part: LayoutPart, time: Ints, windows: Ints, since: int
) -> Iterator[tuple[int, Ints, NDArray[np.bool_]]]:
    """Yield each series of hops: its number, the begin of each event's hop, and which are needed.

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
    """Return each event as a cell: its integers and its floats.

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
        counted = counted_events(() if slot.nulls else slot.arguments, slot.where, events)
        columns = [as_array(events.column(name)) for name in slot.arguments]
        size, reals = c.SIZES[kind]
        to_whole, to_real = cells[:, at : at + size], floats[:, place : place + reals]
        if reals:
            _write_floats(kind, counted, columns, to_real)
        else:
            _write_integers(slot, counted, columns, time, to_whole)
    return cells, floats


def counted_events(
    arguments: Sequence[str], where: str | None, events: pa.Table
) -> NDArray[np.bool_]:
    """Return which events count: those without null in some columns, and with a true condition."""
    counted = np.ones(len(events), bool)
    for name in arguments:
        counted &= present(as_array(events.column(name)))
    if where is not None:
        true = as_array(events.column(where)).fill_null(False)
        counted &= true.to_numpy(zero_copy_only=False)
    return counted


def _write_integers(
    slot: Slot, counted: NDArray[np.bool_], columns: list[Any], time: Ints, to: Ints
) -> None:
    kind = slot.kind
    if kind == c.COUNT:
        to[:, 0] = counted
        return
    if kind == c.WHOLE:
        to[:, 0], to[:, 1] = np.where(counted, part(columns[0], slot.part), 0), counted
        return
    values = numbers(columns[0])
    if kind == c.FLAGS:
        to[:, 0], to[:, 1] = counted & (values != 0), counted & (values == 0)
    elif kind in (c.LEAST_KEY, c.GREATEST_KEY):
        to[:, 0], to[:, 1] = counted, np.where(counted, sort_keys(values), 0)
    else:
        valid = present(columns[0])
        to[:, 0], to[:, 1], to[:, 2] = counted, np.where(counted, time, 0), counted & valid
        to[:, 3] = np.where(counted & valid, sort_keys(values), 0)


def _write_floats(
    kind: int, counted: NDArray[np.bool_], columns: list[Any], to: NDArray[np.float64]
) -> None:
    values = [np.where(counted, floats(one), 0.0) for one in columns]
    if kind in (c.TOTAL, c.PRODUCT):
        to[:, 0], to[:, 1] = values[0], counted
    else:
        to[:, 0] = counted
        for i, one in enumerate(values):
            unit = units_of(one)
            to[:, 1 + i], to[:, i - len(values)] = one / unit, unit
        if kind == c.SPREAD:
            # Zero, but NaN if the value is not finite.
            with np.errstate(invalid="ignore"):
                to[:, 2] = values[0] - values[0]
