"""Find the first keys of some levels, of a segment or of a time in packed blocks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import starts_of
from workbench.funnel.worker.levels import ENTERED, FunnelTask

#: The workers' name for the time of the last step.
LAST = "__last__"


@dataclass(frozen=True)
class PeopleTask:
    """Find keys in Spark's Python workers: packed blocks in, a row for each key out.

    Attributes
    ----------
    funnel : FunnelTask
        With ``timed``, and with the requested ``levels``.
    rows : int
        How many keys of each block are returned at the most, the first in the order of keys.
    segments : tuple of tuple, or None
        Only keys whose segment is one of these: a value of each column of ``funnel.by``.
    others : bool
        Only keys whose segment is none of these.
    step : int, or None
        Only keys that took this step, counted from 0, which may be optional.
    took : tuple of int, or None
        Only keys that took ``step``, or else their last step, within this range of times after the
        first step; the end is excluded.
    excluded : bool, or None
        Only keys whose furthest chain an excluded event ended, or only the others.
    entered : tuple of int, or None
        Only keys whose chain begins at the first of three times or later and before the second,
        and that have no first step after the third; needs ``entered`` of the funnel.
    open : bool
        Only keys that have such a late first step, instead of those that have none.
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
            yield self._first(
                pa.table(answer.filter(self._matching(answer)).columns, answer.schema)
            )

    def _matching(self, answer: pa.RecordBatch) -> pa.Array:
        mask = pa.array(np.ones(len(answer), bool))
        if self.segments is not None:
            columns = [answer.column(name) for name in self.funnel.by]
            matches = [_is_segment(columns, values) for values in self.segments]
            inside = reduce(pc.or_, matches) if matches else pa.array(np.zeros(len(answer), bool))
            mask = pc.invert(inside) if self.others else inside
        times = answer.column("since_first")
        since = _last(times) if self.step is None else _values(times, self.step)
        if self.step is not None:
            mask = pc.and_(mask, since.is_valid())
        if self.took is not None:
            within = pc.and_(pc.greater_equal(since, self.took[0]), pc.less(since, self.took[1]))
            mask = pc.and_(mask, within.fill_null(False))
        if self.excluded is not None:
            ended = answer.column("excluded")
            mask = pc.and_(mask, ended if self.excluded else pc.invert(ended))
        if self.entered is not None:
            mask = pc.and_(mask, self._in_period(answer, *self.entered))
        return mask

    def _in_period(self, answer: pa.RecordBatch, begin: int, end: int, latest: int) -> pa.Array:
        """Return which chains begin in a period, for keys whose window is over, or still open."""
        reached = answer.column("reached")
        length = reached.value_lengths().to_numpy()
        first = np.full(len(answer), end)
        first[length > 0] = instants(reached.flatten().take(_firsts(length)))
        over = answer.column(ENTERED).to_numpy() <= latest
        return pa.array((first >= begin) & (first < end) & (over != self.open))

    def _first(self, people: pa.Table) -> pa.RecordBatch:
        keys = [(name, "ascending") for name in self.funnel.keys]
        people = people.take(pc.sort_indices(people, keys)[: self.rows])
        reached = _last(as_array(people.column("reached")))
        own_columns = "reached", "since_first", ENTERED
        names = [name for name in people.column_names if name not in own_columns]
        columns = {name: as_array(people.column(name)) for name in names} | {LAST: reached}
        return pa.record_batch(columns)


def _firsts(length: NDArray[np.int64]) -> pa.Array:
    """Return the start of each list that is not empty."""
    return pa.array(starts_of(length)[length > 0])


def _last(lists: pa.ListArray) -> pa.Array:
    """Return the last value of each list, null where it is empty."""
    length = lists.value_lengths().to_numpy()
    at = pa.array(np.cumsum(length) - 1, mask=length == 0)
    return lists.flatten().take(at)


def _values(lists: pa.ListArray, k: int) -> pa.Array:
    """Return the k-th value of each list, null where it is shorter."""
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
