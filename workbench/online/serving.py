"""Computes features from the records of an upload and its stream."""

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
#: Whether any event counts for a feature, and its value, by the name of the feature.
Counted = dict[str, tuple[bool, Any]]

#: The errors of a key, which the caller completes with the name of the key.
UNKNOWN, BEYOND = "unknown", "beyond"


class Serving:
    """The state that fetches need of a store, computed once for each upload.

    Parameters
    ----------
    packed_meta : bytes
        The packed metadata of the store.
    meta : Meta
    layout : StoreLayout
    """

    def __init__(self, packed_meta: bytes, meta: Meta, layout: StoreLayout) -> None:
        self.packed_meta, self.meta, self.layout = packed_meta, meta, layout
        self.prefixes = upload_prefix(meta.generation), stream_prefix(meta.epoch)
        self.windows = [part.upload_windows(meta.until, meta.lasting) for part in layout.parts]
        self.part_answers = [PartAnswers(part, finishers(layout, part)) for part in layout.parts]
        self.sketch_answers = {
            number: SketchAnswers(
                part, part.upload_windows(meta.until, meta.lasting), layout.schema
            )
            for number, part in numbered_sketch_parts(layout)
        }
        self.names = tuple(one.call.column for one in layout.features)

    def rows(self, records: Sequence[bytes | None], at: int) -> list[Row | str]:
        """Return the features of keys, or an error for a key.

        Parameters
        ----------
        records : sequence of (bytes or None)
            The uploaded record of each key, followed by the streamed record of each.
        at : int
        """
        count = len(records) // 2
        if not count:
            return []
        if self.layout.plain:
            return self._rows_of_plain_layout(records[:count], records[count:], at)
        pairs = list(zip(records[:count], records[count:], strict=True))
        found = [self._row_of_sections(*pair, at) for pair in pairs]
        if self.layout.kept_events is not None:
            found = list(
                map(
                    self._with_kept_events,
                    found,
                    self._features_of_kept_events(self.layout.kept_events, pairs, at),
                )
            )
        return found

    def _features_of_kept_events(
        self, kept_events: KeptEvents, pairs: Sequence[tuple[bytes | None, bytes | None]], at: int
    ) -> list[Row | None]:
        """Return the features that are computed from kept events."""
        place = len(self.layout.parts), b""
        known, new = (
            [sections_of(self.layout, one or b"").get(place, b"") for one in side]
            for side in zip(*pairs, strict=True)
        )
        return kept_events.answers(known, new, self.meta.until, at)

    def _with_kept_events(self, found: Row | str, kept_features: Row | None) -> Row | str:
        if isinstance(found, str):
            return found
        if kept_features is None:
            return BEYOND
        found = found | kept_features
        return {name: found[name] for name in self.names}

    def _rows_of_plain_layout(
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
                    found.append(self.part_answers[0].values(states[row], numbers[row]))
                except WorkbenchError as error:
                    found.append(str(error))
        return found

    def _row_of_sections(self, known: bytes | None, new: bytes | None, at: int) -> Row | str:
        if known is None and new is None:
            return UNKNOWN
        old, more = (sections_of(self.layout, one or b"") for one in (known, new))
        found: Row = {}
        for number, part in (*enumerate(self.layout.parts), *numbered_sketch_parts(self.layout)):
            # Without buckets there is one list of cells, even for a key without cells.
            buckets_of_part = {bucket for place, bucket in {**old, **more} if place == number}
            buckets = sorted(buckets_of_part) if part.by else [b""]
            known_cells, added = (
                [one.get((number, bucket), b"") for bucket in buckets] for one in (old, more)
            )
            try:
                answered = self._answer_part(number, part, known_cells, added, at)
            except WorkbenchError as error:
                return str(error)
            if answered is None:
                return BEYOND
            found |= self._by_bucket(part, buckets, answered)
        return found if self.layout.kept_events else {name: found[name] for name in self.names}

    def _answer_part(
        self, number: int, part: LayoutPart, known_cells: list[bytes], added: list[bytes], at: int
    ) -> list[Counted] | None:
        """Return for each bucket each feature's value and whether any event counts for it; None if
        a hop would have to be cut."""
        if number in self.sketch_answers:
            sketch_answers, until, found = self.sketch_answers[number], self.meta.until, []
            for known, new in zip(known_cells, added, strict=True):
                if (one := sketch_answers.values(known, new, until, at)) is None:
                    return None
                found.append(one)
            return found
        states, numbers, beyond = self.states(number, known_cells, added, at)
        if any(beyond):
            return None
        return [
            self.part_answers[number].counted(*one) for one in zip(states, numbers, strict=True)
        ]

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
            name: dict(sorted(one.items(), key=_bucket_order)) or None
            for name, one in found.items()
        }

    def states(
        self, number: int, known: Sequence[bytes | None], new: Sequence[bytes | None], at: int
    ) -> tuple[Ints, Any, Ints]:
        """Return the states of each one's windows, and the number of cells that cannot be cut."""
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
            # Writable, as the compiled kernels take no read-only arrays.
            words = np.frombuffer(bytearray().join(pieces), np.int64)
            offsets = np.array([0, *accumulate(len(one) // 8 for one in pieces)])
            settings = at, since, until, series, windows, table
            given = words, words.view(np.float64), *settings, states, numbers
            beyond += join_windows.over(offsets, *given)
        return states, numbers, beyond


def _bucket_order(entry: tuple[Any, Any]) -> tuple[bool, Any]:
    """Return the sort key of a map's entry: by bucket, NaN last as in Spark."""
    bucket = entry[0]
    return bucket != bucket, bucket
