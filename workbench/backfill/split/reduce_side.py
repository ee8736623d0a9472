"""The task of a backfill in which large keys are cut by time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from workbench.backfill.split.map_side import COPY
from workbench.backfill.worker.buckets import AnswerFunction, answer_by_bucket, answer_plainly
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
    """The rows of a task by their kind.

    Attributes
    ----------
    queries, events : list of pyarrow.RecordBatch
        The rows of whole keys.
    span_queries, span_events : list of pyarrow.RecordBatch
        The rows of spans.
    copies : dict of int to list of pyarrow.RecordBatch
        Earlier events, by the number of the group that they are for.
    states : dict of int to list of pyarrow.RecordBatch
        States of earlier events, by the number of their slot.
    """

    queries: Batches = field(default_factory=list)
    events: Batches = field(default_factory=list)
    span_queries: Batches = field(default_factory=list)
    span_events: Batches = field(default_factory=list)
    copies: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))
    states: dict[int, Batches] = field(default_factory=lambda: defaultdict(list))

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch to the list of its kind."""
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
    """Answers every query of whole keys, and of spans of keys that are cut by time.

    Attributes
    ----------
    groups : tuple of FeatureGroup
        The features, grouped by windows and buckets.
    """

    groups: tuple[FeatureGroup, ...] = ()

    def answer_subpartition(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer the queries of some keys and spans, from all rows that they need."""
        rows = SpanRows()
        for part in parts:
            rows.add(part)
        if rows.queries:
            answers = self.answer(*map(table_of, (rows.queries, rows.events)))
            yield from answers.to_batches(max_chunksize=ROWS_AT_ONCE)
        if rows.span_queries:
            answers = self.answer_spans(rows)
            yield from answers.to_batches(max_chunksize=ROWS_AT_ONCE)

    def answer_spans(self, span_rows: SpanRows) -> pa.Table:
        """Return every query of a span with its features."""
        cogroups = SpanCoGroups(self, span_rows)
        columns_by_name: dict[str, pa.Array] = {}
        slots = 0
        for group_number, group in enumerate(self.groups):
            slot_numbers = {slot: slots + i for i, slot in enumerate(group.slots)}
            slots += len(slot_numbers)
            for one in group.among(self.features):
                columns_by_name[one.call.column] = self._answer_feature(
                    one, slot_numbers, group_number, cogroups
                )
        columns = cogroups.queries(self.columns)
        columns |= {one.call.column: columns_by_name[one.call.column] for one in self.features}
        return pa.table(columns)

    def _answer_feature(
        self,
        feature: Feature,
        slot_numbers: dict[Call, int],
        group_number: int,
        cogroups: "SpanCoGroups",
    ) -> pa.Array:
        call, slots = feature.call, partial_states(feature.call, self.schema)
        cogroup = (
            cogroups.with_states(group_number, tuple(slot_numbers.values()))
            if slots
            else cogroups.with_copies(group_number)
        )
        answer_function: AnswerFunction = answer_plainly
        if slots:
            kind = self.schema.field(call.arguments[0]).type if call.arguments else None
            answer_function = FromStates({slot_numbers[slot]: slot for slot in slots}, kind)
        if feature.by is not None:
            return answer_by_bucket(call, feature.by, feature.kind, cogroup, answer_function)
        return answer_function(call, cogroup)[0]


class SpanCoGroups:
    """CoGroups of the queries of spans with their events and those of earlier spans.

    Parameters
    ----------
    task : SpanTask
    span_rows : SpanRows
    """

    def __init__(self, task: SpanTask, span_rows: SpanRows) -> None:
        self.span_rows = span_rows
        self._of_group: dict[int, CoGroup] = {}
        self._of_slots: dict[tuple[int, ...], CoGroup] = {}
        time = task.schema.get_field_index(TIME)
        schema = task.schema.set(time, pa.field(TIME, pa.int64()))
        self.schema = schema.append(pa.field(PIECE, pa.int32()))
        self.task = replace(task, keys=(*task.keys, PIECE), schema=self.schema)
        self.query_rows = pa.Table.from_batches(span_rows.span_queries)
        self.own_events = table_of(span_rows.span_events) or self.schema.empty_table()

    def queries(self, columns: Iterable[tuple[str, str]]) -> dict[str, pa.Array]:
        """Return columns of the queries, in the order of their answers."""
        row = pa.array(self._without_earlier.queries.row)
        return {name: self.query_rows.column(alias).take(row) for name, alias in columns}

    def with_copies(self, group: int) -> CoGroup:
        """Return the queries with their events and the earlier events for a group."""
        if group not in self._of_group:
            copies = table_of(self.span_rows.copies.get(group, []))
            # Only the last group is cached, as groups are requested one after another.
            cogroup = self._without_earlier
            if copies is not None:
                cogroup = self._cogroup([self._events_for(group), copies])
            self._of_group = {group: cogroup}
        return self._of_group[group]

    def with_states(self, group: int, slots: tuple[int, ...]) -> CoGroup:
        """Return the queries with their events and the earlier states of a group's slots."""
        if slots not in self._of_slots:
            self._of_slots = {}
            batches = (batch for slot in slots for batch in self.span_rows.states.get(slot, []))
            states = [pa.Table.from_batches([batch]) for batch in batches]
            none = pa.schema([(SLOT, pa.int32())]).empty_table()
            self._of_slots = {slots: self._cogroup([self._events_for(group), none, *states])}
        return self._of_slots[slots]

    @cached_property
    def _without_earlier(self) -> CoGroup:
        return self._cogroup([self.own_events])

    def _events_for(self, group: int) -> pa.Table:
        """Return the span's own events with the columns that a group needs.

        With all columns, the time would grow with the number of groups times that of columns.
        """
        needed = {*self.task.keys, TIME, *self.task.groups[group].needs}
        return self.own_events.select([name for name in self.schema.names if name in needed])

    def _cogroup(self, events: list[pa.Table]) -> CoGroup:
        together = pa.concat_tables(events, promote_options="default")
        return cogroup_of(self.task.sides(self.query_rows, together))
