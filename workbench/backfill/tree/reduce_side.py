"""The backfill by trees after the shuffle: combines nodes and pushes their states to queries."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES
from kernels.tiling.distributed_tree import node_states
from workbench.backfill.tree.map_side import EVENT_OF, MARK, NODE, STATES_OF
from workbench.backfill.tree.query_times import QueryTimes, query_times_of
from workbench.backfill.worker.buckets import answer_by_bucket
from workbench.backfill.worker.cogroup import CoGroup, sort_by_time
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.partials import FeatureGroup
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.blocks import TIME
from workbench.columnar.columns import codes_in_order, numbers, present, rows_of
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.engine.block import Call
from workbench.engine.partials import FIELD, from_states, partial_states, row_counts
from workbench.engine.task import ROWS_AT_ONCE
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import ROW

Batches = list[pa.RecordBatch]


@dataclass
class ArrivedNodes:
    """The rows of a task by their kind.

    Attributes
    ----------
    queries : list of pyarrow.RecordBatch
    states, events : dict of int to list of pyarrow.RecordBatch
        States of nodes by the number of their group, and events of nodes by that of their call.
    """

    queries: Batches = field(default_factory=list)
    states: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))
    events: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch to the list of its kind."""
        if QUERY in batch.schema.names:
            self.queries.append(batch)
            return
        for parts, name in ((self.states, STATES_OF), (self.events, EVENT_OF)):
            if name in batch.schema.names:
                parts[batch.column(name)[0].as_py()].append(batch)


@dataclass(frozen=True)
class TreeTask(BackfillTask):
    """Answers every query of whole keys from the nodes of their trees.

    Attributes
    ----------
    groups : tuple of FeatureGroup
        The features, grouped by windows and buckets.
    """

    groups: tuple[FeatureGroup, ...] = ()

    def answer_subpartition(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer the queries of some keys, from all nodes of these keys."""
        nodes = ArrivedNodes()
        for part in parts:
            nodes.add(part)
        if nodes.queries:
            found = self.answer_nodes(nodes)
            yield from found.to_batches(max_chunksize=ROWS_AT_ONCE)

    def answer_nodes(self, nodes: ArrivedNodes) -> pa.Table:
        """Return every query with its features."""
        cogroups = NodeCoGroups(self, nodes)
        found: dict[str, pa.Array] = {}
        calls = 0
        for number, group in enumerate(self.groups):
            order = {call: calls + i for i, call in enumerate(group.calls)}
            calls += len(order)
            for one in group.among(self.features):
                if one.call in order:
                    cogroup = cogroups.with_nodes(nodes.events.get(order[one.call], []))
                else:
                    cogroup = cogroups.with_nodes(nodes.states.get(number, []))
                found[one.call.column] = self._answer_feature(one, group, cogroup)
        row = pa.array(cogroups.queries.row)
        columns = {
            name: cogroups.query_rows.column(alias).take(row) for name, alias in self.columns
        }
        columns |= {one.call.column: found[one.call.column] for one in self.features}
        return pa.table(columns)

    def _answer_feature(self, feature: Feature, group: FeatureGroup, cogroup: CoGroup) -> pa.Array:
        call, slots = feature.call, partial_states(feature.call, self.schema)
        kind = self.schema.field(call.arguments[0]).type if call.arguments else None
        places = {slot: i for i, slot in enumerate(group.slots)}
        answer_function = (
            FromNodes({places[slot]: slot for slot in slots}, kind) if slots else answer_from_events
        )
        if feature.by is not None:
            return answer_by_bucket(call, feature.by, feature.kind, cogroup, answer_function)
        return answer_function(call, cogroup)[0]


class NodeCoGroups:
    """CoGroups of the queries of a task and nodes of their trees, which stand for the events.

    Parameters
    ----------
    task : BackfillTask
    nodes : ArrivedNodes

    Raises
    ------
    WorkbenchError
        When the nodes are those of trees over other queries.
    """

    def __init__(self, task: BackfillTask, nodes: ArrivedNodes) -> None:
        self.query_rows = pa.Table.from_batches(nodes.queries)
        self.schema = task.schema
        added = ((TIME, pa.int64()), (NODE, pa.int64()), (MARK, pa.int64()))
        for name, kind in added:
            at = self.schema.get_field_index(name)
            self.schema = self.schema.remove(at) if at >= 0 else self.schema
            self.schema = self.schema.append(pa.field(name, kind))
        keys = self.query_rows.select(list(task.keys))
        code, count = key_codes(keys)
        first = np.zeros(count, np.int64)
        first[code[::-1]] = np.arange(len(code))[::-1]
        for name in (*task.keys, TIME):
            code[~present(as_array(self.query_rows.column(name)))] = count
        time = instants(as_array(self.query_rows.column(TIME)).fill_null(0))
        self.queries = sort_by_time(code, time, count + 1)
        offsets, _, time = query_times_of(self.queries)
        self.query_times = QueryTimes(keys.take(pa.array(first)), offsets[:-1], time[: offsets[-2]])
        self._latest: tuple[Batches, CoGroup] | None = None

    def with_nodes(self, nodes: Batches) -> CoGroup:
        """Return the queries with some nodes, ordered by the numbers of the nodes."""
        if self._latest is None or self._latest[0] is not nodes:
            # Only the last one is cached, as features of the same nodes follow each other.
            self._latest = None
            self._latest = nodes, self._cogroup(nodes)
        return self._latest[1]

    def _cogroup(self, nodes: Batches) -> CoGroup:
        table = pa.Table.from_batches(nodes) if nodes else self.schema.empty_table()
        key = self.query_times.numbers(table.select(self.query_times.keys.column_names))
        if (key < 0).any() or (self.query_times.marks[key] != table.column(MARK).to_numpy()).any():
            raise WorkbenchError(
                "queries: the table has different rows each time it is read, so method='tree' "
                "cannot put their features together; persist it first, or take another method."
            )
        count = len(self.queries.offsets) - 1
        events = sort_by_time(key.astype(np.uint32), table.column(NODE).to_numpy(), count)
        columns = {name: as_array(table.column(name)) for name in table.column_names}
        return CoGroup(self.queries, events, columns)


@dataclass(frozen=True)
class FromNodes:
    """Answers a call from the states of nodes.

    Attributes
    ----------
    slots : dict of int to Call
        The states that the call needs, by their places in their group.
    argument : pyarrow.DataType or None
        The type of the call's first argument.
    """

    slots: dict[int, Call]
    argument: pa.DataType | None

    def __call__(self, call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
        """Return the answers to a CoGroup's queries in order, and the number of events of each.

        Parameters
        ----------
        call : Call
        cogroup : CoGroup
            Its events are nodes, and their times are the numbers of the nodes.
        """
        found = [(slot.function, self._states(cogroup, i, slot)) for i, slot in self.slots.items()]
        sizes = row_counts(found)
        return from_states(call, found, sizes, self.argument), sizes

    def _states(self, cogroup: CoGroup, number: int, slot: Call) -> NDArray[Any]:
        empty = AGGREGATES[slot.function].empty
        row = cogroup.events.row
        parts = np.zeros((len(row), len(empty)), np.asarray(empty).dtype)
        for k in range(len(empty) if len(row) else 0):
            parts[:, k] = numbers(cogroup.columns[FIELD.format(number, k)])[row]
        return pushed_states(cogroup, empty, parts)


def answer_from_events(call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
    """Answer a call from the events of nodes; see :meth:`FromNodes.__call__`.

    Their order is that of events in whole keys: by time, and ties by the call's arguments.
    """
    columns = cogroup.columns
    keys = [columns[TIME].to_numpy()]
    for name in call.arguments:
        valid = present(columns[name])
        keys += [valid, np.where(valid, codes_in_order(columns[name]), 0)]
    order = np.lexsort(keys[::-1])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    fields = [place]
    if call.info.family == ROW:
        fields = [codes_in_order(columns[call.arguments[-1]]), place]
    parts = np.stack([one[cogroup.events.row] for one in fields], axis=1)
    empty = AGGREGATES[call.info.aggregate].empty
    found = pushed_states(cogroup, empty, parts)[:, -1]
    row = np.where(found >= 0, order[found] if len(order) else -1, -1)
    return rows_of(columns[call.arguments[0]], row), (row >= 0).astype(np.int64)


def pushed_states(cogroup: CoGroup, empty: Any, parts: NDArray[Any]) -> NDArray[Any]:
    """Return the state of each query's window, in the order of the queries.

    Parameters
    ----------
    cogroup : CoGroup
    empty : state
    parts : array of shape (nodes, fields)
        In the order of the CoGroup's events.
    """
    offsets, place, _ = query_times_of(cogroup.queries)
    states = np.zeros((int(offsets[-1]), len(empty)), np.asarray(empty).dtype)
    events = cogroup.events
    node_states.over(offsets, empty, events.time, parts, states, right=events.offsets)
    return states[place]
