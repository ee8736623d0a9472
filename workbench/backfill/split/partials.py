"""Computes what later spans need of earlier events: states of hops, and rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES
from kernels.tiling.hops import hop_states
from kernels.tiling.sliding_join import join_ranges
from workbench.backfill.split.spans import Cells, Needed, Targets, range_members
from workbench.backfill.worker.cogroup import CoGroup, Span, Times, sort_by_time
from workbench.columnar.blocks import TIME
from workbench.columnar.columns import present
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import begins_run, offsets_of, run_of_rows
from workbench.engine.block import Call, Window
from workbench.engine.kept_rows import kept_rows
from workbench.engine.partials import values_of


@dataclass(frozen=True)
class States:
    """States of hops, each with the span that it is sent to.

    Attributes
    ----------
    row : int64 array of shape (states,)
        An event of the same key, and of the same bucket where there are buckets.
    target : int64 array of shape (states,)
    time : int64 array of shape (states,)
        A time of the hop, by which queries see the state.
    states : array of shape (states, fields)
    """

    row: Ints
    target: Ints
    time: Ints
    states: NDArray[np.generic]


@dataclass(frozen=True)
class PartialAggregates:
    """Events of keys that are cut by time, and the spans of these keys.

    Attributes
    ----------
    rows : pyarrow.Table
        The events; their column of times holds integers.
    keys : tuple of str
        The columns of the key, and that of the bucket where there is one.
    piece : int64 array of shape (rows,)
        The span that each event belongs to.
    cut : int64 array of shape (rows,)
        The number of the cuts of each event's key.
    starts : sequence of int64 arrays
        The begins of the spans of each key's cuts.
    """

    rows: pa.Table
    keys: tuple[str, ...]
    piece: Ints
    cut: Ints
    starts: Sequence[Ints]

    @cached_property
    def cogroup(self) -> CoGroup:
        """The events ordered by key and time, without queries."""
        code, count = key_codes(self.rows.select(list(self.keys)))
        events = sort_by_time(code, self.rows.column(TIME).to_numpy(), count)
        none = Times(np.zeros(count + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.int64))
        names = self.rows.column_names
        return CoGroup(none, events, {name: as_array(self.rows.column(name)) for name in names})

    @cached_property
    def targets(self) -> Targets:
        """The spans that may need earlier events."""
        first = self.cogroup.events.row[self.cogroup.events.offsets[:-1]]
        return Targets.of([self.starts[cut] for cut in self.cut[first].tolist()])

    @cached_property
    def key(self) -> Ints:
        """The number of each event's key, by key and time."""
        offsets = self.cogroup.events.offsets
        return run_of_rows(offsets)

    @cached_property
    def sorted_piece(self) -> Ints:
        """The span of each event, by key and time."""
        return self.piece[self.cogroup.events.row]

    def states(self, slot: Call, span: Span) -> States:
        """Return states for later spans: of hops of the events that count, and of cores."""
        window = self.cogroup.window(slot.arguments)
        at = self._counted(window, slot, slot.arguments)
        cells, hops = self._hops(window, slot, span.hop, at)
        need = cells.needed(self.targets, span)
        empty = AGGREGATES[slot.function].empty
        core = np.zeros((len(need.low), len(empty)), hops.dtype)
        base = cells.offsets[self.targets.key]
        ranges = (need.core - base)[:, None], (need.core_end - base)[:, None]
        join_ranges.over(self.targets.offsets, empty, hops, *ranges, core, right=cells.offsets)
        with_core = np.flatnonzero(need.core < need.core_end)
        outside, to = need.outside_core()
        target = np.concatenate([with_core, to])
        return States(
            self.cogroup.events.row[self.cogroup.events.offsets[self.targets.key[target]]],
            target,
            cells.time[np.concatenate([need.core_end[with_core] - 1, outside])],
            np.concatenate([core[with_core], hops[outside]]),
        )

    def _hops(
        self, window: Window, slot: Call, hop: int, at: Ints
    ) -> tuple[Cells, NDArray[np.generic]]:
        """Return the states of a call's hops, where a hop in several spans has a state in each."""
        empty = AGGREGATES[slot.function].empty
        piece, time = self.sorted_piece[at], self.cogroup.events.time[at]
        key = self.key[at]
        first = np.flatnonzero(begins_run(key, piece))
        offsets = np.concatenate([first, [len(at)]])
        values = values_of(window, slot)
        value, other = values[0][at], values[-1][at]
        start, stop = np.zeros((2, len(at)), np.int64)
        hops = np.zeros((len(at), len(empty)), np.asarray(empty).dtype)
        counts = hop_states.over(offsets, empty, hop, time, value, other, start, stop, hops)
        cell, run = range_members(offsets[:-1], offsets[:-1] + counts)
        by_key = np.bincount(key[first][run], minlength=len(self.cogroup.events.offsets) - 1)
        ends = offsets_of(by_key)
        return Cells(ends, piece[first][run], start[cell]), hops[cell]

    def copies(self, calls: Sequence[Call], span: Span) -> tuple[Ints, Ints]:
        """Return the events that are sent to later spans for some calls, and the span of each."""
        size = len(self.targets.piece)
        pairs = [np.zeros(0, np.int64)]
        for call in calls:
            window = self.cogroup.window(call.arguments)
            at = self._counted(window, call, call.without_null)
            row = np.asarray(window.event_rows, np.int64)
            for place, target in self._needed_rows(window, call, span, at):
                pairs.append(row[at[place]] * size + target)
        # Most pairs are unique, so sorting is faster than `numpy.unique`, which hashes.
        sorted_pairs = np.sort(np.concatenate(pairs))
        sorted_pairs = sorted_pairs[begins_run(sorted_pairs)]
        return sorted_pairs // max(size, 1), sorted_pairs % max(size, 1)

    def _needed_rows(
        self, window: Window, call: Call, span: Span, at: Ints
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield places among the rows that count, and the span of each."""
        time, piece = self.cogroup.events.time[at], self.sorted_piece[at]
        sizes = np.bincount(self.key[at], minlength=len(self.cogroup.events.offsets) - 1)
        cells = Cells(offsets_of(sizes), piece, time)
        need = cells.needed(self.targets, span)
        place, target = need.outside_core()
        new = begins_run(time[place] // span.hop, target)
        retained = kept_rows(window, call, at[place], np.cumsum(new))
        yield place[retained], target[retained]
        yield _core(window, call, at, need)

    def _counted(self, window: Window, call: Call, without_null: tuple[str, ...]) -> Ints:
        counted = window.counted(call, without_null)
        if counted is None:
            return np.arange(len(self.cogroup.events.row))
        return np.flatnonzero(counted)


def _core(window: Window, call: Call, at: Ints, need: Needed) -> tuple[Ints, Ints]:
    """Return the rows that spans need of their cores.

    Each part of the cores is reduced once, and then each core from the parts it consists of.
    """
    change = np.zeros(len(at) + 1, np.int64)
    np.add.at(change, need.core, 1)
    np.add.at(change, need.core_end, -1)
    cut = np.zeros(len(at) + 1, np.int64)
    cut[need.core] = cut[need.core_end] = 1
    place = np.flatnonzero(np.cumsum(change)[:-1] > 0)
    place = place[kept_rows(window, call, at[place], np.cumsum(cut)[place])]
    ends = np.searchsorted(place, need.core), np.searchsorted(place, need.core_end)
    member, target = range_members(*ends)
    place = place[member]
    retained = kept_rows(window, call, at[place], target)
    return place[retained], target[retained]


def partial_aggregates(
    rows: pa.Table,
    keys: tuple[str, ...],
    by: str | None,
    cut: Ints,
    piece: Ints,
    starts: Sequence[Ints],
) -> PartialAggregates:
    """Return the events that are cut, for features with or without a column of buckets.

    Events whose bucket is null are left out.
    """
    if by is None:
        return PartialAggregates(rows, keys, piece, cut, starts)
    valid = present(as_array(rows.column(by)))
    rows = rows.filter(pa.array(valid))
    return PartialAggregates(rows, (*keys, by), piece[valid], cut[valid], starts)
