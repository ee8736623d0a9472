"""Rows that count while they are valid and in the window, and the queries that see each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.entities.validity_tiles import validity_runs
from workbench.backfill.worker.cogroup import CoGroup, Span, Times
from workbench.columnar.columns import present
from workbench.columnar.memo import Memo
from workbench.columnar.ragged import offsets_of, run_of_rows
from workbench.columnar.ties import in_order_of, ties
from workbench.engine.block import Call

#: The columns of a row's validity interval [begin, end), in the kernels' integer times.
VALID_FROM, VALID_TO = "__begin__", "__end__"


@dataclass(frozen=True)
class ValidIntervals(Memo):
    """The rows that count for a call, and the run of queries that sees each.

    Attributes
    ----------
    queries : Times
    row : int64 array of shape (rows,)
        The row of the columns, by key and time; ties are ordered by the arguments of the call.
    time : int64 array of shape (rows,)
    offsets : int64 array of shape (keys + 1,)
        The begin of each key's rows, and the end of the last one's.
    first, last : int64 arrays of shape (rows,)
        The run [first, last) of the key's queries that see the row, never empty.
    """

    queries: Times
    row: Ints
    time: Ints
    offsets: Ints
    first: Ints
    last: Ints

    @property
    def key(self) -> Ints:
        """The key of each row."""
        return run_of_rows(self.offsets)

    @property
    def runs(self) -> tuple[Ints, Ints]:
        """The run of each row, as places among the queries of all keys."""
        base = self.queries.offsets[:-1][self.key]
        return self.first + base, self.last + base

    @property
    def sizes(self) -> Ints:
        """The number of rows that each query sees."""
        found: Ints = self.once("sizes", self._sizes)
        return found

    def _sizes(self) -> Ints:
        first, last = self.runs
        places = len(self.queries.time) + 1
        more = np.bincount(first, minlength=places) - np.bincount(last, minlength=places)
        return np.asarray(np.cumsum(more)[:-1], np.int64)

    def filter(self, mask: Any) -> "ValidIntervals":
        """Return the rows of a mask."""
        offsets = offsets_of(mask)[self.offsets]
        columns = (self.row, self.time, self.first, self.last)
        row, time, first, last = (column[mask] for column in columns)
        return ValidIntervals(self.queries, row, time, offsets, first, last)

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Whether each row has the time of the row before it in its key."""
        found: NDArray[np.bool_] = self.once("tied", lambda: ties(self.time, self.offsets))
        return found

    def with_ties_ordered(
        self, columns: Mapping[str, pa.Array], names: Sequence[str]
    ) -> "ValidIntervals":
        """Return the same rows; those that tie in time are ordered by some columns."""
        tied, order = in_order_of(columns, names, self.row, self.tied)
        at = np.arange(len(self.row))
        at[tied] = tied[order]
        row, first, last = self.row[at], self.first[at], self.last[at]
        return replace(self, row=row, first=first, last=last)

    def between(self, low: int, high: int) -> "ValidIntervals":
        """Return the rows that the queries from place ``low`` to ``high`` see."""
        offsets = np.clip(self.queries.offsets, low, high) - low
        queries = Times(offsets, self.queries.row[low:high], self.queries.time[low:high])
        base = offsets[:-1][self.key]
        first, last = (np.clip(run, low, high) - low - base for run in self.runs)
        return replace(self, queries=queries, first=first, last=last).filter(first < last)


def valid_intervals(call: Call, cogroup: CoGroup) -> ValidIntervals:
    """Return the rows that count for a call, of a CoGroup with validity intervals.

    Parameters
    ----------
    call : Call
    cogroup : CoGroup
        Its columns :data:`VALID_FROM` and :data:`VALID_TO` are the events' validity intervals.

    Returns
    -------
    ValidIntervals
        The same object for calls for which the same rows count.
    """
    span, names = cast(Span, call.frame), call.arguments
    nullable = tuple(name for name in call.without_null if cogroup.columns[name].null_count)
    key = "valid intervals", span, nullable, call.where
    base: ValidIntervals = cogroup.once(
        key, lambda: _valid_intervals(span, cogroup, nullable, call.where)
    )
    if not names or not base.tied.any():
        return base
    found: ValidIntervals = base.once(
        ("in order", names), lambda: base.with_ties_ordered(cogroup.columns, names)
    )
    return found


def _valid_intervals(
    span: Span, cogroup: CoGroup, nullable: tuple[str, ...], where: str | None
) -> ValidIntervals:
    all_rows: ValidIntervals = cogroup.once(("runs", span), lambda: _query_runs(span, cogroup))
    counts = all_rows.first < all_rows.last
    if nullable or where is not None:
        counts &= _counted(nullable, where, cogroup)[all_rows.row]
    return all_rows.filter(counts)


def _query_runs(span: Span, cogroup: CoGroup) -> ValidIntervals:
    queries, events = cogroup.queries, cogroup.events
    row = events.row.astype(np.int64)
    low, high = span.bounds(queries.time)
    valid_from, valid_to = (
        cogroup.columns[name].to_numpy()[row] for name in (VALID_FROM, VALID_TO)
    )
    first, last = np.empty((2, len(row)), np.int64)
    runs = events.time, valid_from, valid_to, first, last
    bounded = span.window is not None
    validity_runs.over(queries.offsets, high, low, bounded, *runs, right=events.offsets)
    return ValidIntervals(queries, row, events.time, events.offsets, first, last)


def _counted(nullable: tuple[str, ...], where: str | None, cogroup: CoGroup) -> NDArray[np.bool_]:
    """Return which rows count by their values: no null, and a true condition."""
    counted = np.ones(len(cogroup.columns[VALID_FROM]), np.bool_)
    for name in nullable:
        counted &= present(cogroup.columns[name])
    if where is not None:
        true = cogroup.columns[where].fill_null(False)
        counted &= np.asarray(true.to_numpy(zero_copy_only=False), np.bool_)
    return counted
