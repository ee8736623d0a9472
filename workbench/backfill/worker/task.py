"""The task of a backfill that runs in Spark's Python workers: answers the queries of whole keys."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.backfill.worker.buckets import answer_by_bucket, answer_plainly
from workbench.backfill.worker.cogroup import CoGroup, sort_by_time
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.validity.answer import answer_valid
from workbench.backfill.worker.validity.intervals import VALID_FROM
from workbench.columnar.blocks import TIME
from workbench.columnar.columns import present
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.process import freeze_gc
from workbench.columnar.subpartitions import subpartitions
from workbench.engine.task import ROWS_AT_ONCE
from workbench.errors import WorkbenchError

#: The column that only bundles of queries have.
QUERY = "__query__"


@dataclass(frozen=True)
class Sides:
    """The queries and the events of some keys, with the numbers of their keys.

    Attributes
    ----------
    queries, events : pyarrow.Table
    q_code, e_code : uint32 arrays of shape (queries,) and (events,)
        The number of each row's key.
    count : int
        The number of keys.
    """

    queries: pa.Table
    events: pa.Table
    q_code: NDArray[np.uint32]
    e_code: NDArray[np.uint32]
    count: int


@dataclass(frozen=True)
class BackfillTask:
    """Answers every query of whole keys.

    Attributes
    ----------
    columns : tuple of (str, str)
        The queries' columns to return: the name in the result, and the name in the batches.
    keys : tuple of str
        The columns of the key in the batches of both sides.
    features : tuple of Feature
    schema : pyarrow.Schema
        The events' columns in the batches.
    """

    columns: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    features: tuple[Feature, ...]
    schema: pa.Schema

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer the queries of a Spark partition, which has all rows of its keys."""
        freeze_gc()
        for parts in subpartitions(batches):
            yield from self.answer_checked(parts)

    def answer_keys(self, queries: pa.Table, events: pa.Table) -> Iterator[pa.RecordBatch]:
        """Answer the queries of some whole keys."""
        marked = queries.append_column(QUERY, pa.repeat(True, len(queries)))
        yield from self.answer_checked([*marked.to_batches(), *events.to_batches()])

    def answer_checked(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer the queries of some keys, and refuse to lose or repeat one.

        Raises
        ------
        WorkbenchError
        """
        expected = sum(len(part) for part in parts if QUERY in part.schema.names)
        answered = 0
        for answers in self.answer_subpartition(parts):
            answered += len(answers)
            yield answers
        if answered != expected:
            raise WorkbenchError(
                f"queries: a task got {expected:,} but would return {answered:,}, so there is no "
                "answer; report it, and take another method until it is fixed."
            )

    def answer_subpartition(self, parts: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answer the queries of some keys, from all rows of these keys."""
        queries, events = (
            [part for part in parts if (QUERY in part.schema.names) == is_query]
            for is_query in (True, False)
        )
        if queries:
            answers = self.answer(*map(table_of, (queries, events)))
            yield from answers.to_batches(max_chunksize=ROWS_AT_ONCE)

    def answer(self, queries: pa.Table, events: pa.Table | None) -> pa.Table:
        """Return every query with its features.

        Parameters
        ----------
        queries : pyarrow.Table
        events : pyarrow.Table or None
            All events of the queries' keys, none with a null in key or time.

        Returns
        -------
        pyarrow.Table
            Its rows, ordered by key and time.
        """
        sides = self.sides(queries, events)
        cogroup = cogroup_of(sides)
        row = pa.array(cogroup.queries.row)
        columns = {name: sides.queries.column(alias).take(row) for name, alias in self.columns}
        for feature in self.features:
            columns[feature.call.column] = _column(feature, cogroup)
        return pa.table(columns)

    def sides(self, queries: pa.Table, events: pa.Table | None) -> Sides:
        """Number the keys of both sides; a query without key or time gets a key without events."""
        events = self.schema.empty_table() if events is None else events
        both = {
            name: _concatenated(queries.column(name), events.column(name)) for name in self.keys
        }
        code, count = key_codes(pa.table(both))
        q_code, e_code = code[: len(queries)].copy(), code[len(queries) :].copy()
        for name in (*self.keys, TIME):
            q_code[~present(as_array(queries.column(name)))] = count
        has_query = np.zeros(count + 1, bool)
        has_query[q_code] = True
        needed = has_query[e_code]
        if not needed.all():
            events, e_code = events.filter(pa.array(needed)), e_code[needed]
        return Sides(queries, events, q_code, e_code, count + 1)


def _column(feature: Feature, cogroup: CoGroup) -> pa.Array:
    answer_function = answer_valid if VALID_FROM in cogroup.columns else answer_plainly
    if feature.by is not None:
        return answer_by_bucket(feature.call, feature.by, feature.kind, cogroup, answer_function)
    return answer_function(feature.call, cogroup)[0]


def _concatenated(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([*first.chunks, *second.cast(first.type).chunks], first.type)


def table_of(batches: Sequence[pa.RecordBatch]) -> pa.Table | None:
    """Return batches as one table, or None if there are none."""
    return pa.Table.from_batches(batches) if batches else None


def cogroup_of(sides: Sides) -> CoGroup:
    """Return the queries and events ordered by key and time."""
    queries, events = (
        sort_by_time(code, instants(as_array(rows.column(TIME)).fill_null(0)), sides.count)
        for rows, code in ((sides.queries, sides.q_code), (sides.events, sides.e_code))
    )
    columns = {name: as_array(sides.events.column(name)) for name in sides.events.column_names}
    return CoGroup(queries, events, columns)
