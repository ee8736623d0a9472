"""Rolls events up to nodes of trees over the queries of their keys, before the shuffle."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES
from kernels.tiling.distributed_tree import update_nodes
from kernels.tiling.event_ranges import event_ranges
from workbench.backfill.tree.query_times import QueryTimes
from workbench.backfill.worker.cogroup import CoGroup, Span, Times, sort_by_time
from workbench.backfill.worker.partials import FeatureGroup
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION, ROWS_IN_FRONT, gathered
from workbench.columnar.columns import present
from workbench.columnar.delivery import Bundle
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.columnar.ragged import offsets_of
from workbench.columnar.subpartitions import SubpartitionTask
from workbench.engine.block import Call, Window
from workbench.engine.partials import FIELD, values_of
from workbench.functions.catalogue import ROW

#: The columns of a node: its number in the tree of its key, the mark of the key's queries, and the
#: number of the group that its states are for, or of the call that its event is for.
NODE, MARK, STATES_OF, EVENT_OF = "__node__", "__mark__", "__states_of__", "__event_of__"


@dataclass(frozen=True)
class NodeTask(SubpartitionTask):
    """Bundles the nodes of trees over all queries, instead of the events that they aggregate.

    Attributes
    ----------
    groups : tuple of FeatureGroup
        The features that nodes are made for. The packed times of the queries are the first value of
        one more column, after all others.
    """

    groups: tuple[FeatureGroup, ...] = ()

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the nodes for the events of a Spark partition, not too many at once."""
        freeze_gc()
        rest = (batch for batch in batches if batch.num_rows)
        for first in rest:
            packed_times = first.column(len(self.columns))[0]
            query_times = (
                QueryTimes.read(packed_times.as_buffer()) if packed_times.is_valid else None
            )
            plain = (one.select(list(range(len(self.columns)))) for one in chain([first], rest))
            named = (one.rename_columns(list(self.columns)) for one in plain)
            yield from self.sent(self._nodes(gathered(named, ROWS_IN_FRONT), query_times))

    def _nodes(
        self, tables: Iterable[pa.Table], query_times: QueryTimes | None
    ) -> Iterator[Bundle]:
        for rows in tables:
            # Without any query nothing is sent, but all input is read.
            yield from self.nodes(rows, query_times) if query_times is not None else ()

    def nodes(self, rows: pa.Table, query_times: QueryTimes) -> Iterator[Bundle]:
        """Yield bundles of the nodes of some events."""
        number = query_times.numbers(rows.select(list(self.keys)))
        if (number < 0).any():
            rows, number = rows.filter(pa.array(number >= 0)), number[number >= 0]
        time = instants(as_array(rows.column(TIME)))
        rows = rows.set_column(rows.column_names.index(TIME), TIME, pa.array(time))
        trees_by_bucket: dict[str | None, Trees] = {}
        calls = 0
        for i, group in enumerate(self.groups):
            if group.by not in trees_by_bucket:
                trees_by_bucket[group.by] = Trees.of(rows, self.keys, group.by, number, query_times)
            trees = trees_by_bucket[group.by]
            if len(trees.rows):
                for nodes in trees.nodes_of_group(group, i, calls):
                    yield from self.bundles(nodes) if len(nodes) else ()
            calls += len(group.calls)


@dataclass(frozen=True)
class Trees:
    """Events, and a tree over the queries of each of their keys.

    Attributes
    ----------
    rows : pyarrow.Table
        The events; their column of times holds integers.
    keys : tuple of str
        The columns of the key, and that of the bucket where there is one.
    cogroup : CoGroup
        The events ordered by key and time, without queries.
    queries : Times
        The query times of these keys.
    mark : int64 array of shape (keys,)
        The mark of the query times of each key.
    offsets : int64 array of shape (keys + 1,)
        The begin of each tree among the nodes of all, and the end of the last one.
    """

    rows: pa.Table
    keys: tuple[str, ...]
    cogroup: CoGroup
    queries: Times
    mark: Ints
    offsets: Ints

    @classmethod
    def of(
        cls,
        rows: pa.Table,
        keys: tuple[str, ...],
        by: str | None,
        number: Ints,
        query_times: QueryTimes,
    ) -> "Trees":
        """Return the trees of the keys that have events.

        ``number`` is the number of each event's key among the query times.
        """
        grouping = {"key": pa.array(number)}
        if by is not None:
            valid = present(as_array(rows.column(by)))
            rows, number = rows.filter(pa.array(valid)), number[valid]
            grouping = {"key": pa.array(number), "bucket": rows.column(by)}
            keys = (*keys, by)
        code, count = key_codes(pa.table(grouping))
        events = sort_by_time(code, rows.column(TIME).to_numpy(), count)
        none = Times(np.zeros(count + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.int64))
        columns = {name: as_array(rows.column(name)) for name in rows.column_names}
        of_key = number[events.row[events.offsets[:-1]]]
        offsets, time = query_times.times_of(of_key)
        ends = offsets_of(2 * leaf_counts(np.diff(offsets)))
        queries = Times(offsets, np.zeros(0, np.uint32), time)
        return cls(
            rows, keys, CoGroup(none, events, columns), queries, query_times.marks[of_key], ends
        )

    def nodes_of_group(self, group: FeatureGroup, number: int, calls: int) -> Iterator[pa.Table]:
        """Yield the nodes for a group of features: their states, and the events of each call.

        Parameters
        ----------
        group : FeatureGroup
        number : int
            The number of the group.
        calls : int
            The number of calls of the groups before it.
        """
        begin, end = self.ranges(group.span)
        if group.slots:
            yield self.states(group, number, begin, end)
        for i, call in enumerate(group.calls):
            yield self.events(call, calls + i, begin, end)

    def ranges(self, span: Span) -> tuple[Ints, Ints]:
        """Return the range of queries that see each event, counted from 0 in each key."""
        begin, end = np.zeros((2, len(self.rows)), np.int64)
        length = span.window is not None, (span.window or 0) + span.ahead
        of_span = span.ends(self.queries.time), *length, span.hop, span.last_hop
        events = self.cogroup.events
        event_ranges.over(
            self.queries.offsets, *of_span, events.time, begin, end, right=events.offsets
        )
        return begin, end

    def states(self, group: FeatureGroup, number: int, begin: Ints, end: Ints) -> pa.Table:
        """Return a row for each node with a state in any slot, with the states of all slots."""
        filled = np.zeros(self.offsets[-1], bool)
        trees = []
        for slot in group.slots:
            window = self.cogroup.window(slot.arguments)
            at = _counted_places(window, slot, slot.arguments)
            values = [one[at] for one in values_of(window, slot)]
            tree = self.tree(slot.function, at, begin, end, values)
            filled |= (tree != np.array(AGGREGATES[slot.function].empty)).any(axis=1)
            trees.append(tree)
        node = np.flatnonzero(filled)
        first = self.cogroup.events.row[self.cogroup.events.offsets[:-1]]
        rows = self.rows.select([*self.keys, PARTITION]).take(pa.array(first[self.key(node)]))
        rows = self.with_node(rows, node).append_column(STATES_OF, _constant(number, node))
        for i, tree in enumerate(trees):
            for k in range(tree.shape[1]):
                rows = rows.append_column(FIELD.format(i, k), pa.array(tree[node, k]))
        return rows

    def events(self, call: Call, number: int, begin: Ints, end: Ints) -> pa.Table:
        """Return the one event of each node that can answer a call."""
        window = self.cogroup.window(call.arguments)
        at = _counted_places(window, call, call.without_null)
        codes = window.codes(call.arguments[-1])[at] if call.info.family == ROW else at
        tree = self.tree(call.info.aggregate, at, begin, end, [codes])
        row = tree[:, -1]
        node = np.flatnonzero(row >= 0)
        first = np.searchsorted(at, self.cogroup.events.offsets)
        place = at[first[self.key(node)] + row[node]]
        event_rows = np.asarray(window.event_rows, np.int64)[place]
        names = dict.fromkeys((*self.keys, TIME, *call.arguments, PARTITION))
        rows = self.with_node(self.rows.select(list(names)).take(pa.array(event_rows)), node)
        return rows.append_column(EVENT_OF, _constant(number, node))

    def tree(
        self, name: str, at: Ints, begin: Ints, end: Ints, values: list[NDArray[Any]]
    ) -> NDArray[Any]:
        """Return the state of each node, of the events that count."""
        empty = AGGREGATES[name].empty
        tree = np.empty((self.offsets[-1], len(empty)), np.asarray(empty).dtype)
        tree[:] = empty
        right = np.searchsorted(at, self.cogroup.events.offsets)
        of_events = begin[at], end[at], values[0], values[-1]
        update_nodes.over(self.offsets, empty, *of_events, tree, right=right)
        return tree

    def key(self, node: Ints) -> Ints:
        """Return the key of nodes, which are numbered over all trees."""
        return np.searchsorted(self.offsets, node, side="right") - 1

    def with_node(self, rows: pa.Table, node: Ints) -> pa.Table:
        """Return rows with the number of each node in its tree, and the mark of its key."""
        key = self.key(node)
        rows = rows.append_column(NODE, pa.array(node - self.offsets[key]))
        return rows.append_column(MARK, pa.array(self.mark[key]))


def leaf_counts(places: Ints) -> Ints:
    """Return the number of leaves of trees, as :func:`kernels.tiling.tile_tree.count_leaves` does.

    Examples
    --------
    >>> leaf_counts(np.array([1, 2, 3, 4, 5])).tolist()
    [1, 2, 4, 4, 8]
    """
    return np.left_shift(1, np.frexp(places - 1)[1], dtype=np.int64)


def _counted_places(window: Window, call: Call, without_null: tuple[str, ...]) -> Ints:
    counted = window.counted(call, without_null)
    if counted is None:
        return np.arange(int(window.offsets[-1]))
    return np.flatnonzero(counted)


def _constant(number: int, like: Ints) -> pa.Array:
    return pa.array(np.full(len(like), number, np.int32))
