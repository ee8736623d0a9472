"""Compute drivers in Spark's Python workers: blocks in, counts or people out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.funnel.features import NOTHING, count_once
from kernels.structures.instants import LEAST, MOST
from workbench.columnar.blocks import KEEP, TIME, Block, key_columns
from workbench.columnar.bundles import BUNDLE, unbundled
from workbench.columnar.delivery import to_one_task
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import offsets_of
from workbench.funnel.worker.event_codes import event_codes
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.reached import Reached

#: How many values of one column are counted at the most.
MOST_VALUES = 10_000
#: What a row of counts is about: everybody, events, or from 0 on the number of a column.
WHOLE, EVENTS = -2, -1
#: The columns of counts.
COUNTS = "column", "value", "went_on", "dropped"


class Trait(NamedTuple):
    """A value of a column, or an event, that some people have.

    Attributes
    ----------
    column : int
        ``EVENTS``, or which of the columns.
    value : str
    converted : bool, or None
        Only those who went on, or only those who did not.
    """

    column: int
    value: str
    converted: bool | None


class ComparedPeople(NamedTuple):
    """The people of a block who are compared.

    Attributes
    ----------
    group : int64 array of shape (partitions,)
        1 for those who went on, 0 for those who dropped off, -1 for those who are left out.
    arrival, until : int64 arrays of shape (partitions,)
        The times between which they are watched.
    early, late : int
        How many are left out: they went on before ``until``, or their window was over by then.
    """

    group: NDArray[np.int64]
    arrival: NDArray[np.int64]
    until: NDArray[np.int64]
    early: int
    late: int


@dataclass(frozen=True)
class DriversTask:
    """The definition of drivers for the workers.

    Attributes
    ----------
    funnel : FunnelTask
        Its ``next`` names the column of events.
    step, before : int
        The step, and the required one before it, counted from 0.
    landmark : int
        How long everybody is watched after that one.
    columns : tuple of str
        Kept columns whose values are counted.
    own : tuple of str
        Names of events that are the step itself, and so no drivers of it.
    wanted : Trait, optional
        The trait whose people are returned; without it, all features are counted.
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
        """Return the counts of each block in bundles, or the people with the trait."""
        if self.wanted is not None:
            wanted = self.wanted
            yield from (self.people(block, wanted) for block in blocks)
            return
        yield from to_one_task(map(self.counts, blocks), BUNDLE, (*self.keys, "drivers"))

    def compared(self, result: Reached) -> ComparedPeople:
        """Return who is compared, and the times between which they are watched."""
        window = self.funnel.window
        took_previous = result.taken[:, self.before]
        first, arrival = result.reached[:, 0], result.reached[:, self.before]
        until = np.minimum(arrival, MOST - self.landmark) + self.landmark
        end = np.minimum(first, MOST - window) + window
        went_on = took_previous & result.taken[:, self.step]
        early = went_on & (result.reached[:, self.step] <= until)
        late = took_previous & ~went_on & (until >= end)
        group = np.where(took_previous & ~late & ~early, went_on.astype(np.int64), -1)
        return ComparedPeople(group, arrival, until, int(early.sum()), int(late.sum()))

    def counts(self, block: Block) -> pa.Table:
        """Return for each feature how many who went on have it, and how many who dropped off."""
        block, _, result = self.funnel.reached_by_partition(block)
        compared = self.compared(result)
        went_on, dropped = ((compared.group == one).sum() for one in (1, 0))
        parts = [
            _counts(WHOLE, ["compared", "left out"], [went_on, compared.early],
                    [dropped, compared.late])
        ]  # fmt: skip
        pairs = np.stack([np.arange(len(compared.group)), compared.group], axis=1)
        seen_rows = _seen_rows(block, compared)
        for column in range(EVENTS, len(self.columns)):
            code, offsets, values = self._codes(block, seen_rows, column)
            if len(values) > MOST_VALUES:
                parts.append(_counts(column, [None], [-1], [-1]))
                continue
            last_seen, counts = np.full(len(values), -1), np.zeros((2, len(values)), np.int64)
            count_once.over(offsets, code, pairs, last_seen, counts)
            some = np.flatnonzero(counts.any(axis=0))
            parts.append(
                _counts(column, [values[k] for k in some], counts[1, some], counts[0, some])
            )
        return pa.concat_tables(parts)

    def people(self, block: Block, wanted: Trait) -> pa.RecordBatch:
        """Return the keys that have a feature, and whether they went on."""
        block, number, result = self.funnel.reached_by_partition(block)
        compared = self.compared(result)
        code, offsets, values = self._codes(block, _seen_rows(block, compared), wanted.column)
        has = np.zeros(len(compared.group), bool)
        if wanted.value in values:
            rows = np.flatnonzero(code == values.index(wanted.value))
            has[np.searchsorted(offsets, rows, side="right") - 1] = True
        if wanted.converted is not None:
            has &= compared.group == int(wanted.converted)
        chosen = np.flatnonzero(has & (compared.group >= 0))
        keys = zip(self.keys, key_columns(self.keys), strict=True)
        columns = {
            name: as_array(block.keys.column(key)).take(pa.array(chosen)) for name, key in keys
        }
        if self.funnel.number is not None:
            columns[self.funnel.number] = pa.array(number[chosen])
        columns["converted"] = pa.array(compared.group[chosen] == 1)
        return pa.record_batch(columns)

    def _codes(
        self, block: Block, seen: "SeenRows", column: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64], list[str]]:
        """Return the codes of the rows in the time range, their offsets, and the values."""
        # Values of a column count from the step's own time on, events only after it.
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
    """The rows of a block in the time range.

    Attributes
    ----------
    rows, part : int64 arrays of shape (rows,)
        Their numbers, and their partitions.
    later : bool array of shape (rows,)
        Which of them are later than the step, and not at its time.
    """

    rows: NDArray[np.int64]
    part: NDArray[np.int64]
    later: NDArray[np.bool_]


def _seen_rows(block: Block, compared: ComparedPeople) -> SeenRows:
    is_compared, sizes = compared.group >= 0, np.diff(block.offsets)
    time = instants(block.column(TIME))
    since = np.repeat(np.where(is_compared, compared.arrival, MOST), sizes)
    until = np.repeat(np.where(is_compared, compared.until, LEAST), sizes)
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


def sum_features(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sum the counts of all blocks, a row for each feature; -1 for a column of too many values."""
    parts = list(unbundled(batches))
    if not parts:
        return
    counted = pa.Table.from_batches(parts)
    sums = [("went_on", "sum"), ("dropped", "sum"), ("went_on", "min")]
    features = counted.group_by(["column", "value"]).aggregate(sums)
    # One block may flag too many values of its own, and several may have too many together.
    column, codes = np.unique(features.column("column").to_numpy(), return_inverse=True)
    flagged = codes[features.column("went_on_min").to_numpy() < 0]
    crowded = np.bincount(codes, minlength=len(column)) > MOST_VALUES
    crowded[flagged] = True
    complete = features.filter(pa.array(~crowded[codes]))
    sum_names = "column", "value", "went_on_sum", "dropped_sum"
    counts = dict(zip(COUNTS, (complete.column(name) for name in sum_names), strict=True))
    more = [_counts(one, [None], [-1], [-1]) for one in column[crowded].tolist()]
    rows = pa.concat_tables([pa.table(counts), *more])
    yield pa.record_batch({name: as_array(rows.column(name)) for name in COUNTS})
