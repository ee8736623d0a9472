"""A trend's figures, made in one Spark worker: of all entries a row for each period and segment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.columnar.bundles import unbundled
from workbench.columnar.key_codes import as_array
from workbench.funnel.worker.entries import LAST, PERIOD, TAKEN
from workbench.funnel.worker.summary import OTHERS, coded

#: What a trend says of a period and a segment, beside the columns of segments. ``end`` is the last
#: time of the data, and ``users`` who reached each step of those whose window is over.
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
        The last time of the data, where it is known; else entries say it.
    most : int
        Rows that are returned at the most, and one more where there are more.
    largest : int, optional
        Segments that have rows of their own, those with the most entrants; all others have theirs
        together.
    """

    steps: int
    window: int
    end: int | None
    most: int
    largest: int | None = None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return a row for each period and segment that has entrants, in no order."""
        parts = list(unbundled(batches))
        if not parts:
            return
        found = pa.Table.from_batches(parts).combine_chunks()
        last, taken = found.column(LAST).to_numpy(), found.column(TAKEN).to_numpy()
        end = int(last.max()) if self.end is None else self.end
        there = taken != 0
        if not there.all():
            found, last, taken = found.filter(pa.array(there)), last[there], taken[there]
        if len(found):
            yield self._figures(found, last, taken, end)

    def _figures(
        self, found: pa.Table, last: NDArray[np.int64], taken: NDArray[np.uint32], end: int
    ) -> pa.RecordBatch:
        segment, segments, others = self._segments(found.drop_columns([PERIOD, LAST, TAKEN]))
        period, periods = coded(found.select([PERIOD]))
        group = segment * len(periods) + period
        count = len(others) * len(periods)
        # Without a sign, as the distance of two times may need 64 bits.
        until_end = np.uint64(end % 2**64) - last.view(np.uint64)
        is_open = until_end < np.uint64(self.window)
        entrants = np.bincount(group, minlength=count)
        still_open = np.bincount(group[is_open], minlength=count)
        over, of_over = taken[~is_open], group[~is_open]
        users = [
            np.bincount(of_over[over >> np.uint32(k) & 1 == 1], minlength=count)
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
        made = pa.RecordBatch.from_arrays(columns, schema=TREND)
        for name in segments.column_names:
            values = as_array(segments.column(name)).take(pa.array(rows // len(periods)))
            made = made.append_column(name, values)
        return made

    def _segments(self, values: pa.Table) -> tuple[NDArray[np.int64], pa.Table, NDArray[np.int64]]:
        """The segment of each entry, the segments, and for how many others each stands."""
        if not values.num_columns:
            return np.zeros(len(values), np.int64), values, np.zeros(1, np.int64)
        code, segments = coded(values)
        rest = 0 if self.largest is None else len(segments) - self.largest
        if self.largest is None or rest <= 0:
            return code, segments, np.zeros(len(segments), np.int64)
        table = segments.append_column("entrants", pa.array(np.bincount(code)))
        keys = [(name, "ascending", "at_start") for name in segments.column_names]
        order = pc.sort_indices(table, [("entrants", "descending", "at_end"), *keys])
        own = np.asarray(order[: self.largest], np.int64)
        place = np.full(len(segments), self.largest)
        place[own] = np.arange(self.largest)
        # Behind the last segment stands a null for the others.
        mine = segments.take(pa.array([*own.tolist(), None], pa.int64()))
        return place[code], mine, np.append(np.zeros(self.largest, np.int64), rest)
