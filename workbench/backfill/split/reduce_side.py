"""The part of a backfill that runs in Spark's workers where large keys are cut by time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from workbench.backfill.split.map_side import COPY
from workbench.backfill.worker.buckets import Answered, bucketed, plainly
from workbench.backfill.worker.cogroup import CoGroup
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.merge_states import FromStates
from workbench.backfill.worker.partials import SLOT, FeatureGroup
from workbench.backfill.worker.task import QUERY, BackfillTask, cogroup_of, table_of
from workbench.columnar.blocks import TIME
from workbench.engine.block import Call
from workbench.engine.partials import partial_states
from workbench.engine.ranges.route import PIECE
from workbench.engine.task import ROWS_AT_ONCE

Batches = list[pa.RecordBatch]


@dataclass
class SpanRows:
    """The rows of a task by what they are.

    Attributes
    ----------
    queries, events : list of pyarrow.RecordBatch
        Those of whole keys.
    span_queries, span_events : list of pyarrow.RecordBatch
        Those of spans.
    copies : dict of int to list of pyarrow.RecordBatch
        Earlier events by the group that they are for.
    states : dict of int to list of pyarrow.RecordBatch
        Those of earlier events by their slot.
    """

    queries: Batches = field(default_factory=list)
    events: Batches = field(default_factory=list)
    span_queries: Batches = field(default_factory=list)
    span_events: Batches = field(default_factory=list)
    copies: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))
    states: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))

    def add(self, batch: pa.RecordBatch) -> None:
        """Put rows where they belong."""
        names = batch.schema.names
        if COPY in names:
            self.copies[batch.column(COPY)[0].as_py()].append(batch.drop_columns([COPY]))
        elif SLOT in names:
            self.states[batch.column(SLOT)[0].as_py()].append(batch)
        elif PIECE in names:
            (self.span_queries if QUERY in names else self.span_events).append(batch)
        else:
            (self.queries if QUERY in names else self.events).append(batch)


@dataclass(frozen=True)
class SpanTask(BackfillTask):
    """Answer every query of whole keys, and of spans of those that are cut by time.

    Attributes
    ----------
    groups : tuple of FeatureGroup
        The features by windows and buckets.
    """

    groups: tuple[FeatureGroup, ...] = ()

    def of_subpartition(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer for all rows of some keys and spans, and all that their queries need."""
        arrived = SpanRows()
        for part in parts:
            arrived.add(part)
        if arrived.queries:
            found = self.answer(*map(table_of, (arrived.queries, arrived.events)))
            yield from found.to_batches(max_chunksize=ROWS_AT_ONCE)
        if arrived.span_queries:
            found = self.of_spans(arrived)
            yield from found.to_batches(max_chunksize=ROWS_AT_ONCE)

    def of_spans(self, arrived: SpanRows) -> pa.Table:
        """Return every query of a span with its features."""
        meetings = Meetings(self, arrived)
        found: dict[str, pa.Array] = {}
        slots = 0
        for number, group in enumerate(self.groups):
            sent = {slot: slots + i for i, slot in enumerate(group.slots)}
            slots += len(sent)
            for one in group.among(self.features):
                found[one.call.column] = self._of_span(one, sent, number, meetings)
        columns = meetings.queries(self.columns)
        columns |= {one.call.column: found[one.call.column] for one in self.features}
        return pa.table(columns)

    def _of_span(
        self, feature: Feature, sent: dict[Call, int], number: int, meetings: "Meetings"
    ) -> pa.Array:
        call, slots = feature.call, partial_states(feature.call, self.schema)
        came = tuple(sent.values())
        cogroup = meetings.with_states(came) if slots else meetings.with_copies(number)
        answered: Answered = plainly
        if slots:
            kind = self.schema.field(call.arguments[0]).type if call.arguments else None
            answered = FromStates({sent[slot]: slot for slot in slots}, kind)
        if feature.by is not None:
            return bucketed(call, feature.by, feature.kind, cogroup, answered)
        return answered(call, cogroup)[0]


class Meetings:
    """The queries of spans beside their events, and beside what came from earlier spans.

    Parameters
    ----------
    task : BackfillTask
    arrived : SpanRows
    """

    def __init__(self, task: BackfillTask, arrived: SpanRows) -> None:
        self.arrived = arrived
        self._of_group: dict[int, CoGroup] = {}
        self._of_slots: dict[tuple[int, ...], CoGroup] = {}
        time = task.schema.get_field_index(TIME)
        schema = task.schema.set(time, pa.field(TIME, pa.int64()))
        self.schema = schema.append(pa.field(PIECE, pa.int32()))
        self.task = replace(task, keys=(*task.keys, PIECE), schema=self.schema)
        self.query_rows = pa.Table.from_batches(arrived.span_queries)
        self.own = table_of(arrived.span_events) or self.schema.empty_table()

    def queries(self, columns: Iterable[tuple[str, str]]) -> dict[str, pa.Array]:
        """Return columns of the queries, in the order in which they are answered."""
        row = pa.array(self._alone.queries.row)
        return {name: self.query_rows.column(alias).take(row) for name, alias in columns}

    def with_copies(self, group: int) -> CoGroup:
        """Return the queries beside their events and those that came for a group."""
        if group not in self._of_group:
            came = table_of(self.arrived.copies.get(group, []))
            # The meeting of one group at a time: they are asked for one after another.
            self._of_group = {group: self._alone if came is None else self._met([self.own, came])}
        return self._of_group[group]

    def with_states(self, slots: tuple[int, ...]) -> CoGroup:
        """Return the queries beside their events and the states of some slots."""
        if slots not in self._of_slots:
            self._of_slots = {}
            batches = (batch for slot in slots for batch in self.arrived.states.get(slot, []))
            states = [pa.Table.from_batches([batch]) for batch in batches]
            none = pa.schema([(SLOT, pa.int32())]).empty_table()
            self._of_slots = {slots: self._met([self.own, none, *states])}
        return self._of_slots[slots]

    @cached_property
    def _alone(self) -> CoGroup:
        return self._met([self.own])

    def _met(self, events: list[pa.Table]) -> CoGroup:
        together = pa.concat_tables(events, promote_options="default")
        return cogroup_of(self.task.sides(self.query_rows, together))
