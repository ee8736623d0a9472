"""A trend's figures, computed in one Spark worker: a row for each period and segment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.columnar.bundles import unbundled
from workbench.columnar.key_codes import as_array
from workbench.funnel.worker.entries import LAST, PERIOD, TAKEN
from workbench.funnel.worker.summary import OTHERS, encode_segments

#: The figures of a period and segment, without the segment columns. ``end`` is the last time of
#: the data; ``users`` counts who reached each step among those whose window is over.
TREND = pa.schema(
    [
        (PERIOD, pa.int64()),
        ("entrants", pa.int64()),
        ("open", pa.int64()),
        ("users", pa.list_(pa.int64())),
        (OTHERS, pa.int64()),
        ("end", pa.int64()),
    ]
)


@dataclass(frozen=True)
class TrendTask:
    """Turn entries into figures for each period and segment.

    Attributes
    ----------
    steps : int
        How many steps the funnel has.
    window : int
    end : int, or None
        The last time of the data, if it is known; else it is computed from the entries.
    most : int
        How many rows are returned at the most, and one more if there are more.
    largest : int, optional
        How many segments have rows of their own, those with the most entrants; all others are
        combined.
    """

    steps: int
    window: int
    end: int | None
    most: int
    largest: int | None = None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return a row for each period and segment that has entrants, in any order."""
        parts = list(unbundled(batches))
        if not parts:
            return
        entries = pa.Table.from_batches(parts).combine_chunks()
        last, taken = entries.column(LAST).to_numpy(), entries.column(TAKEN).to_numpy()
        end = int(last.max()) if self.end is None else self.end
        entered = taken != 0
        if not entered.all():
            entries, last, taken = entries.filter(pa.array(entered)), last[entered], taken[entered]
        if len(entries):
            yield self._figures(entries, last, taken, end)

    def _figures(
        self, entries: pa.Table, last: NDArray[np.int64], taken: NDArray[np.uint32], end: int
    ) -> pa.RecordBatch:
        segment, segments, others = self._segments(entries.drop_columns([PERIOD, LAST, TAKEN]))
        period, periods = encode_segments(entries.select([PERIOD]))
        group = segment * len(periods) + period
        count = len(others) * len(periods)
        # Unsigned, because the distance between two times may need 64 bits.
        until_end = np.uint64(end % 2**64) - last.view(np.uint64)
        is_open = until_end < np.uint64(self.window)
        entrants = np.bincount(group, minlength=count)
        still_open = np.bincount(group[is_open], minlength=count)
        complete, complete_group = taken[~is_open], group[~is_open]
        users = [
            np.bincount(complete_group[complete >> np.uint32(k) & 1 == 1], minlength=count)
            for k in range(self.steps)
        ]
        rows = np.flatnonzero(entrants)[: self.most + 1]
        columns = [
            as_array(periods.column(0)).take(pa.array(rows % len(periods))),
            pa.array(entrants[rows]),
            pa.array(still_open[rows]),
            pa.array(list(np.stack(users, axis=1)[rows]), pa.list_(pa.int64())),
            pa.array(others[rows // len(periods)]),
            pa.array(np.full(len(rows), end)),
        ]
        batch = pa.RecordBatch.from_arrays(columns, schema=TREND)
        for name in segments.column_names:
            values = as_array(segments.column(name)).take(pa.array(rows // len(periods)))
            batch = batch.append_column(name, values)
        return batch

    def _segments(self, values: pa.Table) -> tuple[NDArray[np.int64], pa.Table, NDArray[np.int64]]:
        """Return the segment of each entry, the segments, and how many others each combines."""
        if not values.num_columns:
            return np.zeros(len(values), np.int64), values, np.zeros(1, np.int64)
        code, segments = encode_segments(values)
        unlisted = 0 if self.largest is None else len(segments) - self.largest
        if self.largest is None or unlisted <= 0:
            return code, segments, np.zeros(len(segments), np.int64)
        table = segments.append_column("entrants", pa.array(np.bincount(code)))
        keys = [(name, "ascending", "at_start") for name in segments.column_names]
        order = pc.sort_indices(table, [("entrants", "descending", "at_end"), *keys])
        largest_segments = np.asarray(order[: self.largest], np.int64)
        position = np.full(len(segments), self.largest)
        position[largest_segments] = np.arange(self.largest)
        # After the last segment comes a null for the others.
        listed = segments.take(pa.array([*largest_segments.tolist(), None], pa.int64()))
        return position[code], listed, np.append(np.zeros(self.largest, np.int64), unlisted)
