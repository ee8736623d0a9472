"""The part of drivers that runs in Spark's Python workers: blocks in, counts or people out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.funnel.features import NOTHING, count_once
from kernels.structures.instants import LEAST, MOST
from workbench.columnar.blocks import KEEP, TIME, Block, instants, key_columns
from workbench.columnar.bundles import BUNDLE, unbundled
from workbench.columnar.delivery import to_one_task
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import offsets_of
from workbench.funnel.worker.event_codes import event_codes
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.reached import Reached

#: Values of one column that are looked at.
MOST_VALUES = 10_000
#: What a row of counts is of: the whole, events, or from here on the columns.
WHOLE, EVENTS = -2, -1
#: The columns of counts.
COUNTS = "column", "value", "went_on", "dropped"


class Trait(NamedTuple):
    """What is true of some people.

    Attributes
    ----------
    column : int
        ``EVENTS``, or which of the columns.
    value : str
    converted : bool, or None
        Only of those who went on, or did not.
    """

    column: int
    value: str
    converted: bool | None


class Watched(NamedTuple):
    """The people of a block who are compared.

    Attributes
    ----------
    group : int64 array of shape (partitions,)
        1 for those who went on, 0 for those who dropped off, -1 for those who are left out.
    arrival, until : int64 arrays of shape (partitions,)
        Between which times they are watched.
    early, late : int
        Left out: who went on before that time was over, and whose window was over.
    """

    group: NDArray[np.int64]
    arrival: NDArray[np.int64]
    until: NDArray[np.int64]
    early: int
    late: int


@dataclass(frozen=True)
class DriversTask:
    """What a worker has to know of drivers.

    Attributes
    ----------
    funnel : FunnelTask
        Whose ``next`` names the column of events.
    step, before : int
        The step, and the required one before it, counted from 0.
    landmark : int
        How long everybody is watched behind that one.
    columns : tuple of str
        Kept columns whose values are looked at.
    own : tuple of str
        Names of events that are the step, and no drivers of it.
    wanted : Trait, optional
        Whose people are returned; without it all features are counted.
    """

    funnel: FunnelTask
    step: int
    before: int
    landmark: int
    columns: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    wanted: Trait | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The key's columns."""
        return self.funnel.keys

    def answers(self, blocks: Iterable[Block]) -> Iterator[pa.RecordBatch]:
        """Return what is counted of each block in bundles, or the people who are wanted."""
        if self.wanted is not None:
            wanted = self.wanted
            yield from (self.people(block, wanted) for block in blocks)
            return
        yield from to_one_task(map(self.counts, blocks), BUNDLE, (*self.keys, "drivers"))

    def watched(self, found: Reached) -> Watched:
        """Return who is compared, and between which times."""
        window = self.funnel.window
        there = found.taken[:, self.before]
        first, arrival = found.reached[:, 0], found.reached[:, self.before]
        until = np.minimum(arrival, MOST - self.landmark) + self.landmark
        end = np.minimum(first, MOST - window) + window
        late = there & (until >= end)
        went_on = there & found.taken[:, self.step]
        early = went_on & ~late & (found.reached[:, self.step] <= until)
        group = np.where(there & ~late & ~early, went_on.astype(np.int64), -1)
        return Watched(group, arrival, until, int(early.sum()), int(late.sum()))

    def counts(self, block: Block) -> pa.Table:
        """Return of each feature how many who went on have it, and how many who dropped off."""
        block, _, found = self.funnel.reached_by_partition(block)
        watched = self.watched(found)
        went_on, dropped = ((watched.group == one).sum() for one in (1, 0))
        parts = [
            _counts(WHOLE, ["compared", "left out"], [went_on, watched.early],
                    [dropped, watched.late])
        ]  # fmt: skip
        mine = np.stack([np.arange(len(watched.group)), watched.group], axis=1)
        seen_rows = _seen(block, watched)
        for column in range(EVENTS, len(self.columns)):
            code, offsets, values = self._codes(block, seen_rows, column)
            if len(values) > MOST_VALUES:
                parts.append(_counts(column, [None], [-1], [-1]))
                continue
            seen, both = np.full(len(values), -1), np.zeros((2, len(values)), np.int64)
            count_once.over(offsets, code, mine, seen, both)
            some = np.flatnonzero(both.any(axis=0))
            parts.append(_counts(column, [values[k] for k in some], both[1, some], both[0, some]))
        return pa.concat_tables(parts)

    def people(self, block: Block, wanted: Trait) -> pa.RecordBatch:
        """Return the keys of whom a feature is true, and whether they went on."""
        block, number, found = self.funnel.reached_by_partition(block)
        watched = self.watched(found)
        code, offsets, values = self._codes(block, _seen(block, watched), wanted.column)
        has = np.zeros(len(watched.group), bool)
        if wanted.value in values:
            rows = np.flatnonzero(code == values.index(wanted.value))
            has[np.searchsorted(offsets, rows, side="right") - 1] = True
        if wanted.converted is not None:
            has &= watched.group == int(wanted.converted)
        chosen = np.flatnonzero(has & (watched.group >= 0))
        keys = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {
            name: as_array(block.keys.column(key)).take(pa.array(chosen)) for name, key in keys
        }
        if self.funnel.number is not None:
            columns[self.funnel.number] = pa.array(number[chosen])
        columns["converted"] = pa.array(watched.group[chosen] == 1)
        return pa.record_batch(columns)

    def _codes(
        self, block: Block, seen: "SeenRows", column: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64], list[str]]:
        """What the rows that are looked at say, where each partition's begin, and the values."""
        # What tells of the person may stand at the step itself; what they did comes behind it.
        part = seen.part[seen.later] if column == EVENTS else seen.part
        rows = seen.rows[seen.later] if column == EVENTS else seen.rows
        offsets = offsets_of(np.bincount(part, minlength=len(block.keys)))
        name = str(self.funnel.next) if column == EVENTS else KEEP + self.columns[column]
        some = pa.table({name: block.column(name).take(pa.array(rows))})
        code, values = event_codes(Block(block.keys, offsets, some), name)
        if column == EVENTS:
            own = [k for k, value in enumerate(values) if value in self.own]
            code[np.isin(code, own)] = NOTHING
        return code, offsets, values


class SeenRows(NamedTuple):
    """The rows of a block that are looked at.

    Attributes
    ----------
    rows, part : int64 arrays of shape (rows,)
        Their numbers, and their partitions.
    later : bool array of shape (rows,)
        Which of them lie behind the step, and not at its time.
    """

    rows: NDArray[np.int64]
    part: NDArray[np.int64]
    later: NDArray[np.bool_]


def _seen(block: Block, watched: Watched) -> SeenRows:
    there, time, sizes = watched.group >= 0, instants(block.column(TIME)), np.diff(block.offsets)
    since = np.repeat(np.where(there, watched.arrival, MOST), sizes)
    until = np.repeat(np.where(there, watched.until, LEAST), sizes)
    rows = np.flatnonzero((time >= since) & (time <= until))
    part = np.searchsorted(block.offsets, rows, side="right") - 1
    return SeenRows(rows, part, time[rows] > since[rows])


def _counts(column: int, values: list[str | None], went_on: object, dropped: object) -> pa.Table:
    return pa.table(
        {
            "column": pa.array([column] * len(values), pa.int32()),
            "value": pa.array(values, pa.string()),
            "went_on": pa.array(np.asarray(went_on, np.int64)),
            "dropped": pa.array(np.asarray(dropped, np.int64)),
        }
    )


def summed_features(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sum up what all blocks counted, a row for each feature; below zero where it is too many."""
    parts = list(unbundled(batches))
    if not parts:
        return
    counted = pa.Table.from_batches(parts)
    sums = [("went_on", "sum"), ("dropped", "sum"), ("went_on", "min")]
    found = counted.group_by(["column", "value"]).aggregate(sums)
    # A block tells of its own values that they are too many, and several have more together.
    column, codes = np.unique(found.column("column").to_numpy(), return_inverse=True)
    told = codes[found.column("went_on_min").to_numpy() < 0]
    crowded = np.bincount(codes, minlength=len(column)) > MOST_VALUES
    crowded[told] = True
    kept = found.filter(pa.array(~crowded[codes]))
    columns = (kept.column(name) for name in ("column", "value", "went_on_sum", "dropped_sum"))
    some = pa.table(dict(zip(COUNTS, columns, strict=True)))
    more = [_counts(one, [None], [-1], [-1]) for one in column[crowded].tolist()]
    rows = pa.concat_tables([some, *more])
    yield pa.record_batch({name: as_array(rows.column(name)) for name in COUNTS})
