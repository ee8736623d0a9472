"""The first keys of some levels, of a segment or of a time, looked for in packed blocks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.columnar.blocks import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import starts_of
from workbench.funnel.worker.levels import ENTERED, FunnelTask

#: The time of the last step, as the workers call it.
LAST = "__last__"


@dataclass(frozen=True)
class PeopleTask:
    """The part that runs in Spark's Python workers: packed blocks in, a row for each key out.

    Attributes
    ----------
    funnel : FunnelTask
        Timed, with the levels that are wanted.
    rows : int
        How many keys of each block are returned at the most, the first in the order of keys.
    segments : tuple of tuple, or None
        Only keys whose segment is one of these: a value of each column of ``funnel.by``.
    others : bool
        Only keys whose segment is none of these.
    step : int, or None
        Only keys that took this step, counted from 0, which may be optional.
    took : tuple of int, or None
        Only keys that took that step, or without one their last, so long after the first; the end
        is excluded.
    excluded : bool, or None
        Only keys whose furthest chain an excluded event has ended, or only the others.
    entered : tuple of int, or None
        Only keys whose chain begins at the first of three times or later, and before the second,
        and who have no first step behind the third; for a funnel that says when people entered.
    open : bool
        Only keys that have such a first step, in place of those that have none.
    """

    funnel: FunnelTask
    rows: int
    segments: tuple[tuple[Any, ...], ...] | None = None
    others: bool = False
    step: int | None = None
    took: tuple[int, int] | None = None
    excluded: bool | None = None
    entered: tuple[int, int, int] | None = None
    open: bool = False

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Return the keys of every block, with the time of the last step and what came next."""
        for answer in self.funnel.from_blocks(batches):
            yield self._first(pa.table(answer.filter(self._wanted(answer)).columns, answer.schema))

    def _wanted(self, answer: pa.RecordBatch) -> pa.Array:
        wanted = pa.array(np.ones(len(answer), bool))
        if self.segments is not None:
            columns = [answer.column(name) for name in self.funnel.by]
            found = [_is_segment(columns, values) for values in self.segments]
            inside = reduce(pc.or_, found) if found else pa.array(np.zeros(len(answer), bool))
            wanted = pc.invert(inside) if self.others else inside
        times = answer.column("since_first")
        since = _last(times) if self.step is None else _values(times, self.step)
        if self.step is not None:
            wanted = pc.and_(wanted, since.is_valid())
        if self.took is not None:
            within = pc.and_(pc.greater_equal(since, self.took[0]), pc.less(since, self.took[1]))
            wanted = pc.and_(wanted, within.fill_null(False))
        if self.excluded is not None:
            ended = answer.column("excluded")
            wanted = pc.and_(wanted, ended if self.excluded else pc.invert(ended))
        if self.entered is not None:
            wanted = pc.and_(wanted, self._in_period(answer, *self.entered))
        return wanted

    def _in_period(self, answer: pa.RecordBatch, begin: int, end: int, latest: int) -> pa.Array:
        """Which chains begin in a period, of keys whose window is over, or of those still open."""
        reached = answer.column("reached")
        length = reached.value_lengths().to_numpy()
        first = np.full(len(answer), end)
        first[length > 0] = instants(reached.flatten().take(_firsts(length)))
        over = answer.column(ENTERED).to_numpy() <= latest
        return pa.array((first >= begin) & (first < end) & (over != self.open))

    def _first(self, found: pa.Table) -> pa.RecordBatch:
        keys = [(name, "ascending") for name in self.funnel.keys]
        found = found.take(pc.sort_indices(found, keys)[: self.rows])
        reached = _last(as_array(found.column("reached")))
        own = "reached", "since_first", ENTERED
        kept = [name for name in found.column_names if name not in own]
        columns = {name: as_array(found.column(name)) for name in kept} | {LAST: reached}
        return pa.record_batch(columns)


def _firsts(length: NDArray[np.int64]) -> pa.Array:
    """Where each list begins that has a value."""
    return pa.array(starts_of(length)[length > 0])


def _last(lists: pa.ListArray) -> pa.Array:
    """The last value of each list, null where it is empty."""
    length = lists.value_lengths().to_numpy()
    at = pa.array(np.cumsum(length) - 1, mask=length == 0)
    return lists.flatten().take(at)


def _values(lists: pa.ListArray, k: int) -> pa.Array:
    """The k-th value of each list, null where it is shorter."""
    length = lists.value_lengths().to_numpy()
    return lists.flatten().take(pa.array(starts_of(length) + k, mask=length <= k))


def _is_segment(columns: list[pa.Array], values: tuple[Any, ...]) -> pa.Array:
    each = [
        pc.is_null(column)
        if value is None
        else pc.equal(column, pa.scalar(value, column.type)).fill_null(False)
        for column, value in zip(columns, values, strict=True)
    ]
    return reduce(pc.and_, each)
