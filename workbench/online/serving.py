"""Records of an upload and its stream, joined to the features of their keys."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from kernels.core.arrays import Ints
from kernels.structures.instants import LEAST
from kernels.tiling.cells import join_windows
from workbench.errors import WorkbenchError
from workbench.online.encoding import value_of
from workbench.online.finish import PartAnswers, finishers
from workbench.online.kept_events import KeptEvents
from workbench.online.layout import LayoutPart, StoreLayout
from workbench.online.meta import Meta, stream_prefix, upload_prefix
from workbench.online.records import numbered_sketch_parts, sections_of
from workbench.online.states.sketch_cells import SketchAnswers

Row = dict[str, Any]
#: Whether any event counts for a feature, and its answer, by its name.
Counted = dict[str, tuple[bool, Any]]

#: What is wrong with a key, before its name is known.
UNKNOWN, BEYOND = "unknown", "beyond"


class Serving:
    """What fetches of a store need, made once for an upload.

    Parameters
    ----------
    packed_meta : bytes
        What the store says of itself.
    meta : Meta
    layout : StoreLayout
    """

    def __init__(self, packed_meta: bytes, meta: Meta, layout: StoreLayout) -> None:
        self.packed_meta, self.meta, self.layout = packed_meta, meta, layout
        self.prefixes = upload_prefix(meta.generation), stream_prefix(meta.epoch)
        self.windows = [part.upload_windows(meta.until, meta.lasting) for part in layout.parts]
        self.answering = [PartAnswers(part, finishers(layout, part)) for part in layout.parts]
        self.sketching = {
            number: SketchAnswers(
                part, part.upload_windows(meta.until, meta.lasting), layout.schema
            )
            for number, part in numbered_sketch_parts(layout)
        }
        self.names = tuple(one.call.column for one in layout.features)

    def rows(self, records: Sequence[bytes | None], at: int) -> list[Row | str]:
        """Return the features of keys, or what is wrong.

        Parameters
        ----------
        records : sequence of (bytes or None)
            What is uploaded of each key, and then what is streamed of each.
        at : int
        """
        count = len(records) // 2
        if not count:
            return []
        if self.layout.plain:
            return self._plain(records[:count], records[count:], at)
        pairs = list(zip(records[:count], records[count:], strict=True))
        found = [self._sections(*pair, at) for pair in pairs]
        if self.layout.kept_events is not None:
            found = list(
                map(self._both, found, self._of_kept_events(self.layout.kept_events, pairs, at))
            )
        return found

    def _of_kept_events(
        self, kept_events: KeptEvents, pairs: Sequence[tuple[bytes | None, bytes | None]], at: int
    ) -> list[Row | None]:
        """The features that are answered of events."""
        place = len(self.layout.parts), b""
        known, new = (
            [sections_of(self.layout, one or b"").get(place, b"") for one in side]
            for side in zip(*pairs, strict=True)
        )
        return kept_events.answers(known, new, self.meta.until, at)

    def _both(self, found: Row | str, of_events: Row | None) -> Row | str:
        if isinstance(found, str):
            return found
        if of_events is None:
            return BEYOND
        found = found | of_events
        return {name: found[name] for name in self.names}

    def _plain(
        self, known: Sequence[bytes | None], new: Sequence[bytes | None], at: int
    ) -> list[Row | str]:
        states, numbers, beyond = self.states(0, known, new, at)
        found: list[Row | str] = []
        for row, (a, b) in enumerate(zip(known, new, strict=True)):
            if a is None and b is None:
                found.append(UNKNOWN)
            elif beyond[row]:
                found.append(BEYOND)
            else:
                try:
                    found.append(self.answering[0].values(states[row], numbers[row]))
                except WorkbenchError as error:
                    found.append(str(error))
        return found

    def _sections(self, known: bytes | None, new: bytes | None, at: int) -> Row | str:
        if known is None and new is None:
            return UNKNOWN
        old, more = (sections_of(self.layout, one or b"") for one in (known, new))
        found: Row = {}
        for number, part in (*enumerate(self.layout.parts), *numbered_sketch_parts(self.layout)):
            # Without buckets there is one list of cells, also of a key that has none.
            there = {bucket for place, bucket in {**old, **more} if place == number}
            buckets = sorted(there) if part.by else [b""]
            known_cells, added = (
                [one.get((number, bucket), b"") for bucket in buckets] for one in (old, more)
            )
            try:
                answered = self._of_part(number, part, known_cells, added, at)
            except WorkbenchError as error:
                return str(error)
            if answered is None:
                return BEYOND
            found |= self._by_bucket(part, buckets, answered)
        return found if self.layout.kept_events else {name: found[name] for name in self.names}

    def _of_part(
        self, number: int, part: LayoutPart, known_cells: list[bytes], added: list[bytes], at: int
    ) -> list[Counted] | None:
        """For each bucket, each feature's answer and whether any event counts for it; None where a
        hop would have to be cut."""
        if number in self.sketching:
            sketching, until, found = self.sketching[number], self.meta.until, []
            for known, new in zip(known_cells, added, strict=True):
                if (one := sketching.values(known, new, until, at)) is None:
                    return None
                found.append(one)
            return found
        states, numbers, beyond = self.states(number, known_cells, added, at)
        if any(beyond):
            return None
        return [self.answering[number].counted(*one) for one in zip(states, numbers, strict=True)]

    def _by_bucket(self, part: LayoutPart, buckets: list[bytes], answered: list[Counted]) -> Row:
        if part.by is None:
            return {name: answer for name, (_, answer) in answered[0].items()}
        found: Row = {one.call.column: {} for one in part.features}
        kind = self.layout.schema.field(part.by).type
        for bucket, row in zip(buckets, answered, strict=True):
            value = value_of(bucket, kind)
            for name, (counts, answer) in row.items():
                if counts:
                    found[name][value] = answer
        return {
            name: dict(sorted(one.items(), key=_in_order)) or None for name, one in found.items()
        }

    def states(
        self, number: int, known: Sequence[bytes | None], new: Sequence[bytes | None], at: int
    ) -> tuple[Ints, Any, Ints]:
        """Return the states of each one's windows, and how many cells could not be cut."""
        part, windows = self.layout.parts[number], self.windows[number]
        whole, real = part.sizes
        states = np.zeros((len(known), len(windows) * whole), np.int64)
        numbers = np.zeros((len(known), len(windows) * real))
        table, series, until = part.table, len(part.hops), self.meta.until
        beyond = np.zeros(len(known), np.int64)
        for records, since in ((known, LEAST), (new, until)):
            if not any(records):
                continue
            pieces = [one or b"" for one in records]
            # To be written to, as what is compiled takes no other array.
            words = np.frombuffer(bytearray().join(pieces), np.int64)
            offsets = np.array([0, *accumulate(len(one) // 8 for one in pieces)])
            settings = at, since, until, series, windows, table
            given = words, words.view(np.float64), *settings, states, numbers
            beyond += join_windows.over(offsets, *given)
        return states, numbers, beyond


def _in_order(entry: tuple[Any, Any]) -> tuple[bool, Any]:
    """What puts the entries of a map in the order of their buckets, NaN last as Spark has it."""
    bucket = entry[0]
    return bucket != bucket, bucket
