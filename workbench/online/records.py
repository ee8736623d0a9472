"""Records: the states of one key in a store, made of events and merged with existing ones."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.structures.instants import LEAST
from kernels.tiling.cells import merge_cells
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import offsets_of
from workbench.online.encoding import key_bytes
from workbench.online.layout import LayoutPart, StoreLayout
from workbench.online.states.numeric import pack_cells, roll_up_events
from workbench.online.states.sketch_cells import merge_sketch_cells, roll_up_sketches

#: The cells of a key, by the number of the part and the bytes of the bucket.
Sections = dict[tuple[int, bytes], bytes]


def sections_of_events(
    layout: StoreLayout, events: pa.Table, windows: Sequence[Ints], since: int, lasting: int | None
) -> dict[bytes, Sections]:
    """Return the cells and the kept events of each key.

    Parameters
    ----------
    layout : StoreLayout
    events : pyarrow.Table
        None with a null in key or time.
    windows : sequence of int64 arrays
        The windows of each part, as :func:`kernels.tiling.cells.roll_up` takes them.
    since : int
        No query is before this time.
    lasting : int or None
        How long queries are served from events before ``since``; None for events since then.
    """
    found: dict[bytes, Sections] = {}
    low = LEAST if lasting is None else since
    for number, part in enumerate(layout.parts):
        for key, bucket, words in roll_up_events(layout, part, events, windows[number], low):
            found.setdefault(key, {})[number, bucket] = words
    if layout.plain:
        return found
    for number, part in numbered_sketch_parts(layout):
        own_windows = (
            part.stream_windows if lasting is None else part.upload_windows(since, lasting)
        )
        for key, bucket, cells in roll_up_sketches(layout, part, events, own_windows, low):
            found.setdefault(key, {})[number, bucket] = cells
    # A key without any bucket gets a record too.
    code, count = key_codes(events.select([f"k{i}" for i in range(len(layout.keys))]))
    first = pa.array(np.unique(code, return_index=True)[1])
    names = key_bytes([events.column(f"k{i}").take(first) for i in range(len(layout.keys))])
    own = [found.setdefault(key, {}) for key in names]
    if layout.kept_events is not None:
        tables = layout.kept_events.tables(code.astype(np.int64), count, events, since, lasting)
        for one, events_of_key in zip(own, tables, strict=True):
            one[len(layout.parts), b""] = events_of_key
    return found


def numbered_sketch_parts(layout: StoreLayout) -> Iterator[tuple[int, LayoutPart]]:
    """Yield the parts whose states are bytes with their numbers, which follow those of the other
    parts and of the kept events."""
    return enumerate(layout.sketch_parts, len(layout.parts) + 1)


def merge_part(part: LayoutPart, known: list[bytes], new: list[bytes], since: int) -> list[bytes]:
    """Return the cells of keys merged with new ones, without those that begin before a time.

    Parameters
    ----------
    part : LayoutPart
    known, new : list of bytes
        The cells of each key, b"" for none; new ones do not begin before the time.
    since : int

    Returns
    -------
    list of bytes
    """
    found = list(new)
    rows = [row for row, one in enumerate(known) if one]
    for row, words in zip(rows, _merge_known(part, known, new, rows, since), strict=True):
        found[row] = words
    return found


def _merge_known(
    part: LayoutPart, known: list[bytes], new: list[bytes], rows: list[int], since: int
) -> list[bytes]:
    """Return the merged cells of the keys that have known ones."""
    pairs = [piece for row in rows for piece in (known[row], new[row])]
    words = np.frombuffer(bytearray().join(pairs), np.int64)
    size, (integers, rest) = part.words, part.sizes
    counts = [(len(known[row]) + len(new[row])) // (8 * size) for row in rows]
    ends = offsets_of(counts)
    cells, reals = np.zeros((ends[-1], integers), np.int64), np.zeros((ends[-1], rest))
    given = words, words.view(np.float64), since, part.table, cells, reals
    left = merge_cells.over(ends * size, *given, right=ends)
    found, places = pack_cells(part, cells, reals, ends, left)
    return [found[low:high] for low, high in pairwise(places)]


def merge_records(
    layout: StoreLayout, known: Sequence[bytes | None], new: Sequence[Sections | None], since: int
) -> list[bytes | None]:
    """Return records merged with new cells, without the cells that begin before a time.

    Parameters
    ----------
    layout : StoreLayout
    known : sequence of (bytes or None)
    new : sequence of (dict or None)
        The new cells of each key; None if there are none.
    since : int

    Returns
    -------
    list of (bytes or None)
        None for a key without new cells and without remaining ones.
    """
    olds = [sections_of(layout, one) if one else {} for one in known]
    news: list[Sections] = [one or {} for one in new]
    found: list[Sections] = [{} for _ in olds]
    for number, part in (*enumerate(layout.parts), *numbered_sketch_parts(layout)):
        units = [
            (row, place)
            for row, (old, more) in enumerate(zip(olds, news, strict=True))
            for place in {**old, **more}
            if place[0] == number
        ]
        before = [olds[row].get(place, b"") for row, place in units]
        after = [news[row].get(place, b"") for row, place in units]
        merging = merge_part if number < len(layout.parts) else merge_sketch_cells
        for (row, place), cells in zip(units, merging(part, before, after, since), strict=True):
            if cells:
                found[row][place] = cells
    if layout.kept_events is not None:
        place = len(layout.parts), b""
        before, after = ([one.get(place, b"") for one in some] for some in (olds, news))
        for row, events_of_key in enumerate(layout.kept_events.merge(before, after, since)):
            if events_of_key:
                found[row][place] = events_of_key
    # A key has a record from its first event on, even if this is in no hop and no bucket. Then the
    # record is empty, and stays, as the age of the event is unknown.
    return [
        record_of(layout, one) if one or more is not None or record == b"" else None
        for one, more, record in zip(found, new, known, strict=True)
    ]


def record_of(layout: StoreLayout, sections: Sections) -> bytes:
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


def sections_of(layout: StoreLayout, record: bytes) -> Sections:
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
