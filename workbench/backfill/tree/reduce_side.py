"""The tree's backfill behind the shuffle: nodes are joined and pushed to the queries."""

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
from workbench.backfill.worker.buckets import bucketed
from workbench.backfill.worker.cogroup import CoGroup, in_time
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.partials import FeatureGroup
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.columnar.blocks import TIME, instants
from workbench.columnar.columns import codes_in_order, numbers, present, rows_of
from workbench.columnar.key_codes import as_array, key_codes
from workbench.engine.block import Call
from workbench.engine.partials import FIELD, from_states, partial_states, row_counts
from workbench.engine.task import ROWS_AT_ONCE
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import ROW

Batches = list[pa.RecordBatch]


@dataclass
class ArrivedNodes:
    """The rows of a task by what they are.

    Attributes
    ----------
    queries : list of pyarrow.RecordBatch
    states, events : dict of int to list of pyarrow.RecordBatch
        States of nodes by the group that they are for, and events of nodes by their call.
    """

    queries: Batches = field(default_factory=list)
    states: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))
    events: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))

    def add(self, batch: pa.RecordBatch) -> None:
        """Put rows where they belong."""
        if QUERY in batch.schema.names:
            self.queries.append(batch)
            return
        for parts, name in ((self.states, STATES_OF), (self.events, EVENT_OF)):
            if name in batch.schema.names:
                parts[batch.column(name)[0].as_py()].append(batch)


@dataclass(frozen=True)
class TreeTask(BackfillTask):
    """Answer every query of whole keys from the nodes of their trees.

    Attributes
    ----------
    groups : tuple of FeatureGroup
        The features by windows and buckets.
    """

    groups: tuple[FeatureGroup, ...] = ()

    def of_subpartition(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for all queries and nodes of some keys."""
        arrived = ArrivedNodes()
        for part in parts:
            arrived.add(part)
        if arrived.queries:
            found = self.of_nodes(arrived)
            yield from found.to_batches(max_chunksize=ROWS_AT_ONCE)

    def of_nodes(self, arrived: ArrivedNodes) -> pa.Table:
        """Return every query with its features."""
        meetings = NodeMeetings(self, arrived)
        found: dict[str, pa.Array] = {}
        calls = 0
        for number, group in enumerate(self.groups):
            order = {call: calls + i for i, call in enumerate(group.calls)}
            calls += len(order)
            for one in group.among(self.features):
                if one.call in order:
                    cogroup = meetings.of(arrived.events.get(order[one.call], []))
                else:
                    cogroup = meetings.of(arrived.states.get(number, []))
                found[one.call.column] = self._of_nodes(one, group, cogroup)
        row = pa.array(meetings.queries.row)
        columns = {
            name: meetings.query_rows.column(alias).take(row) for name, alias in self.columns
        }
        columns |= {one.call.column: found[one.call.column] for one in self.features}
        return pa.table(columns)

    def _of_nodes(self, feature: Feature, group: FeatureGroup, cogroup: CoGroup) -> pa.Array:
        call, slots = feature.call, partial_states(feature.call, self.schema)
        kind = self.schema.field(call.arguments[0]).type if call.arguments else None
        places = {slot: i for i, slot in enumerate(group.slots)}
        answered = FromNodes({places[slot]: slot for slot in slots}, kind) if slots else of_events
        if feature.by is not None:
            return bucketed(call, feature.by, feature.kind, cogroup, answered)
        return answered(call, cogroup)[0]


class NodeMeetings:
    """The queries of a task beside nodes of their trees: these are in place of events.

    Parameters
    ----------
    task : BackfillTask
    arrived : ArrivedNodes

    Raises
    ------
    WorkbenchError
        When the nodes are of trees over other queries.
    """

    def __init__(self, task: BackfillTask, arrived: ArrivedNodes) -> None:
        self.query_rows = pa.Table.from_batches(arrived.queries)
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
        self.queries = in_time(code, time, count + 1)
        offsets, _, time = query_times_of(self.queries)
        self.known = QueryTimes(keys.take(pa.array(first)), offsets[:-1], time[: offsets[-2]])
        self._known: tuple[Batches, CoGroup] | None = None

    def of(self, nodes: Batches) -> CoGroup:
        """Return the queries beside some nodes, by their numbers."""
        if self._known is None or self._known[0] is not nodes:
            # One at a time: what is for the same nodes is asked for one after another.
            self._known = None
            self._known = nodes, self._met(nodes)
        return self._known[1]

    def _met(self, nodes: Batches) -> CoGroup:
        table = pa.Table.from_batches(nodes) if nodes else self.schema.empty_table()
        key = self.known.numbers(table.select(self.known.keys.column_names))
        if (key < 0).any() or (self.known.marks[key] != table.column(MARK).to_numpy()).any():
            raise WorkbenchError(
                "queries: the table has other rows each time it is read, so method='tree' cannot "
                "put their features together; persist it first, or take another method."
            )
        count = len(self.queries.offsets) - 1
        events = in_time(key.astype(np.uint32), table.column(NODE).to_numpy(), count)
        columns = {name: as_array(table.column(name)) for name in table.column_names}
        return CoGroup(self.queries, events, columns)


@dataclass(frozen=True)
class FromNodes:
    """Answer a call from the states of nodes.

    Attributes
    ----------
    slots : dict of int to Call
        The states that it is made of, by their places in their group.
    argument : pyarrow.DataType or None
        The type of the call's first argument.
    """

    slots: dict[int, Call]
    argument: pa.DataType | None

    def __call__(self, call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
        """Return the answers of a meeting's queries in their order, and how many events each is of.

        Parameters
        ----------
        call : Call
        cogroup : CoGroup
            Its events are nodes, their times are the nodes' numbers.
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
        return pushed(cogroup, empty, parts)


def of_events(call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
    """Answer a call from the events of nodes; see :meth:`FromNodes.__call__`.

    Their order is that of whole keys: by time, and events of one time by the values asked for.
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
    found = pushed(cogroup, empty, parts)[:, -1]
    row = np.where(found >= 0, order[found] if len(order) else -1, -1)
    return rows_of(columns[call.arguments[0]], row), (row >= 0).astype(np.int64)


def pushed(cogroup: CoGroup, empty: Any, parts: NDArray[Any]) -> NDArray[Any]:
    """Return the state of each query's window, in the order of the queries.

    Parameters
    ----------
    cogroup : CoGroup
    empty : state
    parts : array of shape (nodes, fields)
        In the order of the meeting's events.
    """
    offsets, place, _ = query_times_of(cogroup.queries)
    states = np.zeros((int(offsets[-1]), len(empty)), np.asarray(empty).dtype)
    events = cogroup.events
    node_states.over(offsets, empty, events.time, parts, states, right=events.offsets)
    return states[place]
