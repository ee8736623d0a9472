"""Events as cells: each event a cell of its own, rolled up to the cells of its key's hops.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels import cells as c
from kernels.cells import merge_cells, roll_up
from kernels.hops import LEAST, window_start
from kernels.ranks import sort_keys
from workbench.backfill_block import in_time
from workbench.blocks import TIME, instants
from workbench.codes import key_codes, whole
from workbench.online_layout import Ints, Layout, Part, Slot
from workbench.online_values import key_bytes, value_bytes
from workbench.window_columns import floats, numbers, present

#: The cells of a key, by the number of their part and the bytes of their bucket.
Sections = dict[tuple[int, bytes], bytes]


@dataclass(frozen=True)
class Rolled:
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

    def __iter__(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        held = (self.words[low:high] for low, high in pairwise(self.ends))
        return zip(self.keys, self.buckets, held, strict=True)


def rolled(
    layout: Layout, part: Part, events: pa.Table, windows: Ints, since: int = LEAST
) -> Rolled:
    """Roll events up to cells.

    Parameters
    ----------
    layout : Layout
    part : Part
    events : pyarrow.Table
        None with a null in key or time. Those whose bucket is null are left out.
    windows : int64 array of shape (windows, 4)
        As :func:`kernels.cells.roll_up` takes them.
    since : int
        No query is asked before it.

    Returns
    -------
    Rolled
    """
    if part.by is not None:
        events = events.filter(whole(events.column(part.by)).is_valid())
    names = [*(f"k{i}" for i in range(len(layout.keys))), *([part.by] if part.by else [])]
    code, count = key_codes(events.select(names))
    times = in_time(code, instants(whole(events.column(TIME))), count)
    first = pa.array(times.row[times.offsets[:-1]])
    ordered = events.take(pa.array(times.row))
    single, real = singles(part, ordered, times.time)
    room = _room(times.offsets, times.time, part, windows, since)
    ends = np.concatenate([[0], np.cumsum(room)])
    integers, rest = part.sizes
    cells, held = np.zeros((ends[-1], integers), np.int64), np.zeros((ends[-1], rest))
    hops = np.array(part.hops, np.int64)
    given = times.time, single, real, since, hops, windows, part.table, cells, held
    counts = roll_up.over(times.offsets, *given, right=ends)
    key = key_bytes([events.column(name).take(first) for name in names[: len(layout.keys)]])
    bucket = value_bytes(whole(events.column(part.by).take(first))) if part.by else [b""] * count
    return Rolled(key, bucket, *packed(part, cells, held, ends, counts))


def sections(
    layout: Layout, events: pa.Table, windows: Sequence[Ints], since: int, lasting: int | None
) -> dict[bytes, Sections]:
    """Return the cells of each key, and the events that are kept of it.

    Parameters
    ----------
    layout : Layout
    events : pyarrow.Table
        None with a null in key or time.
    windows : sequence of int64 arrays
        Those of each part, as :func:`kernels.cells.roll_up` takes them.
    since : int
        No query is asked before it.
    lasting : int or None
        How long queries are served from events before ``since``; None for events since then.
    """
    found: dict[bytes, Sections] = {}
    low = LEAST if lasting is None else since
    for number, part in enumerate(layout.parts):
        for key, bucket, words in rolled(layout, part, events, windows[number], low):
            found.setdefault(key, {})[number, bucket] = words
    if layout.plain:
        return found
    # A key whose events are in no bucket is known, too.
    code, count = key_codes(events.select([f"k{i}" for i in range(len(layout.keys))]))
    first = pa.array(np.unique(code, return_index=True)[1])
    names = key_bytes([events.column(f"k{i}").take(first) for i in range(len(layout.keys))])
    own = [found.setdefault(key, {}) for key in names]
    if layout.kept is not None:
        held = layout.kept.tables(code.astype(np.int64), count, events, since, lasting)
        for one, kept in zip(own, held, strict=True):
            one[len(layout.parts), b""] = kept
    return found


def packed(
    part: Part, cells: Ints, numbers_of: NDArray[np.float64], ends: Ints, counts: Ints
) -> tuple[bytes, list[int]]:
    """Return the first cells of each range as words, and where each range's begin in bytes."""
    used = np.repeat(ends[:-1] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    used = used + np.arange(counts.sum())
    words = np.concatenate([cells[used], numbers_of[used].view(np.int64)], axis=1)
    size = 8 * part.words
    return words.astype("<i8", copy=False).tobytes(), [0, *(np.cumsum(counts) * size).tolist()]


def _room(offsets: Ints, time: Ints, part: Part, windows: Ints, since: int) -> Ints:
    """How many cells each key has at most."""
    collapsed = np.zeros(len(time), np.int64)
    for h, hop in enumerate(part.hops):
        begin, seen = time // hop * hop, np.zeros(len(time), bool)
        for series, length, size, core in windows.tolist():
            if series == h:
                low = LEAST if length < 0 else window_start(since, length, size)
                seen |= (begin < core) & (begin >= low)
        collapsed += seen
    sums = np.concatenate([[0], np.cumsum(collapsed)])
    return np.asarray(np.diff(sums[offsets]) + len(windows))


def singles(part: Part, events: pa.Table, time: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Return each event as a cell: its integers and its floating numbers.

    Parameters
    ----------
    part : Part
    events : pyarrow.Table
    time : int64 array of shape (events,)

    Returns
    -------
    whole, real : arrays of shape (events, integers) and (events, numbers)
    """
    integers, rest = part.sizes
    cells, held = np.zeros((len(time), integers), np.int64), np.zeros((len(time), rest))
    cells[:, c.BEGIN] = cells[:, c.LATEST] = time
    for slot, (kind, at, place) in zip(part.slots, part.table.tolist(), strict=True):
        given, columns = _given(slot, events), [whole(events.column(a)) for a in slot.arguments]
        size, reals = c.SIZES[kind]
        to_whole, to_real = cells[:, at : at + size], held[:, place : place + reals]
        if reals:
            _numbers(kind, given, columns, to_real)
        else:
            _integers(kind, given, columns, time, to_whole)
    return cells, held


def _given(slot: Slot, events: pa.Table) -> NDArray[np.bool_]:
    """Which events count for a slot."""
    given = np.ones(len(events), bool)
    for name in () if slot.nulls else slot.arguments:
        given &= present(whole(events.column(name)))
    if slot.where is not None:
        true = whole(events.column(slot.where)).fill_null(False)
        given &= true.to_numpy(zero_copy_only=False)
    return given


def _integers(
    kind: int, given: NDArray[np.bool_], columns: list[Any], time: Ints, to: Ints
) -> None:
    if kind == c.COUNT:
        to[:, 0] = given
        return
    values = numbers(columns[0])
    if kind == c.WHOLE:
        to[:, 0], to[:, 1] = np.where(given, values, 0), given
    elif kind == c.FLAGS:
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
        to[:, 0], to[:, 1] = given, values[0]
        if kind == c.SPREAD:
            # Nothing, but what is not finite spreads beyond numbers.
            to[:, 2] = values[0] - values[0]
        if kind == c.JOINT:
            to[:, 2] = values[1]


def merged(part: Part, known: list[bytes], new: list[bytes], since: int) -> list[bytes]:
    """Merge the cells of keys with new ones, and leave out those that begin before a time.

    Parameters
    ----------
    part : Part
    known, new : list of bytes
        The cells of each key, b"" for none.
    since : int

    Returns
    -------
    list of bytes
    """
    pairs = [piece for pair in zip(known, new, strict=True) for piece in pair]
    words = np.frombuffer(bytearray().join(pairs), np.int64)
    size, (integers, rest) = part.words, part.sizes
    counts = [(len(a) + len(b)) // (8 * size) for a, b in zip(known, new, strict=True)]
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    cells, held = np.zeros((ends[-1], integers), np.int64), np.zeros((ends[-1], rest))
    given = words, words.view(np.float64), since, part.table, cells, held
    left = merge_cells.over(ends * size, *given, right=ends)
    found, places = packed(part, cells, held, ends, left)
    return [found[low:high] for low, high in pairwise(places)]


def merge_records(
    layout: Layout, known: Sequence[bytes | None], new: Sequence[Sections | None], since: int
) -> list[bytes | None]:
    """Merge records with new cells, and leave out the cells that begin before a time.

    Parameters
    ----------
    layout : Layout
    known : sequence of (bytes or None)
    new : sequence of (dict or None)
        What is new for each; None where nothing is.
    since : int

    Returns
    -------
    list of (bytes or None)
        None where nothing is new, and nothing is left.
    """
    olds = [sections_of(layout, one) if one else {} for one in known]
    news: list[Sections] = [one or {} for one in new]
    found: list[Sections] = [{} for _ in olds]
    for number, part in enumerate(layout.parts):
        units = [
            (row, place)
            for row, (old, more) in enumerate(zip(olds, news, strict=True))
            for place in {**old, **more}
            if place[0] == number
        ]
        before = [olds[row].get(place, b"") for row, place in units]
        after = [news[row].get(place, b"") for row, place in units]
        for (row, place), words in zip(units, merged(part, before, after, since), strict=True):
            if words:
                found[row][place] = words
    if layout.kept is not None:
        place = len(layout.parts), b""
        before, after = ([one.get(place, b"") for one in some] for some in (olds, news))
        for row, held in enumerate(layout.kept.merged(before, after, since)):
            if held:
                found[row][place] = held
    # A key is known from its first event on, also if that is in no hop and no bucket.
    pairs = zip(found, new, strict=True)
    return [record_of(layout, one) if one or more is not None else None for one, more in pairs]


def record_of(layout: Layout, sections: Sections) -> bytes:
    """Return the cells of a key as one value.

    A view without buckets has one list of cells, which is the value.
    """
    if layout.plain:
        return sections.get((0, b""), b"")
    pieces = []
    for (part, bucket), words in sections.items():
        pieces += [b"".join(n.to_bytes(4, "little") for n in (part, len(bucket), len(words)))]
        pieces += [bucket, words]
    return b"".join(pieces)


def sections_of(layout: Layout, record: bytes) -> Sections:
    """Return the cells of a key by part and bucket; the inverse of :func:`record_of`."""
    if layout.plain:
        return {(0, b""): record}
    found, at = {}, 0
    while at < len(record):
        part, bucket, size = (
            int.from_bytes(record[i : i + 4], "little") for i in range(at, at + 12, 4)
        )
        at += 12 + bucket
        found[part, record[at - bucket : at]] = record[at : at + size]
        at += size
    return found
