"""Aggregates whose state is a few of the events: the latest text, the three highest prices.

Of each hop only events are kept that can still be a part of the answer. The window engine computes
answers from the kept events as it would from all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.structures.instants import LEAST, MOST
from kernels.tiling.hops import hop_begins, window_start
from workbench.backfill.worker.cogroup import CoGroup, Span, Times, sort_by_time
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.blocks import TIME
from workbench.columnar.columns import codes_in_order, present
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.ragged import begins_run, run_of_rows
from workbench.engine.kept_rows import kept_rows
from workbench.stores import StoreError


@dataclass(frozen=True)
class KeptEvents:
    """Features that are computed from kept events.

    Attributes
    ----------
    features : tuple of Feature
    schema : pyarrow.Schema
        The columns of the kept events: the time, as an integer, and those that the features need.
    """

    features: tuple[Feature, ...]
    schema: pa.Schema

    @classmethod
    def of(cls, features: Sequence[Feature], schema: pa.Schema) -> "KeptEvents":
        """Return features with the columns that they need."""
        calls = [one.call for one in features]
        names = {name for call in calls for name in (*call.arguments, call.where) if name}
        names |= {one.by for one in features if one.by}
        needed = [field for field in schema if field.name in names]
        return cls(tuple(features), pa.schema([(TIME, pa.int64()), *needed]))

    def tables(
        self, code: Ints, count: int, events: pa.Table, since: int, lasting: int | None
    ) -> list[bytes]:
        """Return the events to keep of each key, as bytes.

        Parameters
        ----------
        code : array of shape (events,)
            The number of each event's key.
        count : int
            The number of keys.
        events : pyarrow.Table
            The columns of the schema.
        since : int
            No query is before this time.
        lasting : int or None
            How long queries are served from ``since`` on, for events before ``since``; None for
            events since then, of which each hop keeps its own.
        """
        time = pa.array(instants(as_array(events.column(TIME))))
        columns = {name: events.column(name) for name in self.schema.names if name != TIME}
        events = pa.table({TIME: time, **columns}).cast(self.schema)
        cogroup = cogroup_of(code, count, events)
        rows = [self._rows_to_keep(one, cogroup, since, lasting) for one in self.features]
        found = np.unique(np.concatenate([np.zeros(0, np.int64), *rows]))
        found = found[np.argsort(code[found], kind="stable")]
        ends = np.searchsorted(code[found], np.arange(count + 1)).tolist()
        taken = events.take(pa.array(found))
        batches = taken.combine_chunks().to_batches() or [_no_events(self.schema)]
        return [
            bytes(batches[0].slice(low, high - low).serialize()) if high > low else b""
            for low, high in pairwise(ends)
        ]

    def table(self, packed: Sequence[bytes]) -> tuple[Ints, pa.Table]:
        """Return the kept events of several keys, and the number of each event's key.

        Raises
        ------
        StoreError
            When the bytes are not events of this schema.
        """
        batches = [_batch(one, self.schema) if one else None for one in packed]
        code = np.repeat(np.arange(len(packed)), [one.num_rows if one else 0 for one in batches])
        return code, pa.Table.from_batches([one for one in batches if one], self.schema)

    def merge(self, known: Sequence[bytes], new: Sequence[bytes], since: int) -> list[bytes]:
        """Return the kept events of keys merged with new ones, without those before a time."""
        (first, one), (then, other) = self.table(known), self.table(new)
        code, events = np.concatenate([first, then]), pa.concat_tables([one, other])
        late = events.column(TIME).to_numpy() >= since
        return self.tables(code[late], len(known), events.filter(pa.array(late)), since, None)

    def answers(
        self, known: Sequence[bytes], new: Sequence[bytes], until: int, at: int
    ) -> list[dict[str, Any] | None]:
        """Return the features of each key, or None if a hop would have to be cut.

        Parameters
        ----------
        known, new : sequence of bytes
            The uploaded and the streamed events; of the latter only those since ``until`` count.
        until, at : int
        """
        (first, one), (then, other) = self.table(known), self.table(new)
        late = other.column(TIME).to_numpy() >= until
        code = np.concatenate([first, then[late]])
        events = pa.concat_tables([one, other.filter(pa.array(late))])
        time = events.column(TIME).to_numpy()
        hops = {cast(Any, feature.call.frame).hop for feature in self.features}
        begun = np.logical_or.reduce([hop_begins(time, hop) < at for hop in hops])
        beyond = set(code[(time >= at) & begun].tolist())
        schema = pa.schema([("k0", pa.int64()), *self.schema])
        columns = {"k0": code, **{name: events.column(name) for name in self.schema.names}}
        task = BackfillTask((("id", "k0"),), ("k0",), self.features, schema)
        queries = pa.table(
            {"k0": range(len(known)), TIME: np.full(len(known), at), QUERY: [True] * len(known)},
            pa.schema([("k0", pa.int64()), (TIME, pa.int64()), (QUERY, pa.bool_())]),
        )
        found = task.answer(queries, pa.table(columns, schema)).to_pylist()
        maps = [one.call.column for one in self.features if pa.types.is_map(one.kind)]
        for row in found:
            row |= {name: dict(row[name]) for name in maps if row[name] is not None}
        by_key = {row.pop("id"): row for row in found}
        return [None if key in beyond else by_key[key] for key in range(len(known))]

    def _rows_to_keep(
        self, feature: Feature, cogroup: CoGroup, since: int, lasting: int | None
    ) -> Ints:
        """Return the rows that one feature needs."""
        call, span = feature.call, cast(Span, cast(Any, feature.call.frame))
        window, time = cogroup.window(call.arguments), cogroup.events.time
        counted = window.counted(call, call.without_null)
        at = np.arange(len(time)) if counted is None else np.flatnonzero(counted)
        low, core = _kept_range(span, since, lasting)
        at = at[time[at] >= low]
        row = np.asarray(window.event_rows, np.int64) if window.event_rows is not None else at
        offsets = cogroup.events.offsets
        key = run_of_rows(offsets)[at]
        bucket = np.zeros(len(at), np.int64)
        if feature.by is not None:
            values = as_array(cogroup.columns[feature.by]).take(pa.array(row[at]))
            there = present(values)
            at, key = at[there], key[there]
            bucket = codes_in_order(values.filter(pa.array(there)))
        hop = np.where(time[at] >= core, MOST, time[at] // span.hop)
        order = np.lexsort((at, hop, bucket, key))
        at, new = at[order], begins_run(*(one[order] for one in (key, bucket, hop)))
        return row[at[kept_rows(window, call, at, np.cumsum(new))]]


def _kept_range(span: Span, since: int, lasting: int | None) -> tuple[int, int]:
    """Return the time from which events are kept, and the one from which hops are combined."""
    if lasting is None:
        return LEAST, MOST
    if span.window is None:
        return LEAST, LEAST
    core = window_start(min(since, MOST - lasting) + lasting, span.window, span.hop)
    return window_start(since, span.window, span.hop), min(core, since)


def cogroup_of(code: Ints, count: int, events: pa.Table) -> CoGroup:
    """Return events ordered by key and time, without queries."""
    times = sort_by_time(code.astype(np.uint32), instants(as_array(events.column(TIME))), count)
    none = Times(np.zeros(count + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.int64))
    return CoGroup(
        none, times, {name: as_array(events.column(name)) for name in events.column_names}
    )


def _batch(packed: bytes, schema: pa.Schema) -> pa.RecordBatch:
    try:
        batch = pa.ipc.read_record_batch(pa.py_buffer(packed), schema)
        batch.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise StoreError(
            f"store: the events that are kept for a key cannot be read ({error}); upload to an "
            "empty store, and start the stream from a new checkpoint."
        ) from None
    return batch


def _no_events(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
