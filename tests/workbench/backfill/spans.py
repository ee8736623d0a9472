"""Backfills by their tasks without Spark: with whole keys, and with keys cut by time."""

from collections.abc import Iterator
from itertools import chain
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tests.workbench.backfill.cases import Row, tables, task
from workbench.backfill.split.map_side import SplitTask
from workbench.backfill.split.reduce_side import SpanTask
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.partials import feature_groups
from workbench.backfill.worker.task import BackfillTask
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.cuts import CUTS, CutTask
from workbench.engine.ranges.sample import SampleTask
from workbench.functions.order import OrderColumn

#: Each partition has two subpartitions, of which a task takes one at a time here.
PARTITIONS, SUBPARTITIONS = 3, 6


def answer_whole(queries: list[Row], events: list[Row], features: list[Feature]) -> pa.Table:
    """Return the answers with each key in one task, in the order of the queries."""
    return task(*features).answer(*tables(queries, events)).sort_by("id")


def answer_in_spans(
    queries: list[Row],
    events: list[Row],
    features: list[Feature],
    every_key: bool = False,
    rows_a_span: int = 1,
    rows_a_task: int = 10,
) -> pa.Table:
    """Return the answers with keys cut by time, in the order of the queries."""
    whole = task(*features)
    query_rows, event_rows = tables(queries, events)
    keys = () if every_key else whole.keys
    packed_cuts = list(_cuts(query_rows, event_rows, keys, rows_a_span, rows_a_task))
    groups = feature_groups(whole.features, whole.schema)
    bundles: list[pa.RecordBatch] = []
    for rows, needs in ((query_rows, ()), (event_rows, groups)):
        names = (*rows.column_names, PARTITION)
        split = SplitTask(names, keys, SUBPARTITIONS, key_columns=whole.keys, groups=needs)
        for part in _with_partitions(rows, whole.keys, packed_cuts, rows_a_task):
            bundles.extend(split.run(part.combine_chunks().to_batches(max_chunksize=4)))
    span_task = SpanTask(whole.columns, whole.keys, whole.features, whole.schema, groups)
    return answer_bundles(span_task, bundles).sort_by("id")


def answer_bundles(task: BackfillTask, bundles: list[pa.RecordBatch]) -> pa.Table:
    """Return the answers of all partitions, each of which takes one subpartition at a time."""
    values = pa.Table.from_batches(bundles)
    by_number = {
        number: values.filter(pc.equal(values.column(PARTITION), number)).to_batches()
        for number in range(SUBPARTITIONS)
    }
    with patch("workbench.columnar.subpartitions.ROWS_AT_ONCE", 1):
        answers = [
            batch
            for first in range(PARTITIONS)
            for batch in task.run(
                chain(*(by_number[n] for n in range(first, SUBPARTITIONS, PARTITIONS)))
            )
        ]
    return pa.Table.from_batches(answers)


def _cuts(
    query_rows: pa.Table, event_rows: pa.Table, keys: tuple[str, ...], rows: int, rows_a_task: int
) -> Iterator[Any]:
    columns = (*keys, TIME)
    both = pa.concat_tables([query_rows.select(columns), event_rows.select(columns)]).drop_null()
    sample = SampleTask(columns, keys, OrderColumn(TIME, False, True), PARTITIONS)
    parts = (both.slice(at, rows_a_task) for at in range(0, len(both), rows_a_task))
    summaries = [s for part in parts for s in sample.run(part.combine_chunks().to_batches())]
    cut = CutTask(keys, CallExtent(), False, PARTITIONS, rows)
    yield from (one[CUTS][0].as_py() for one in cut.run(summaries))


def _with_partitions(
    rows: pa.Table, keys: tuple[str, ...], cuts: list[Any], rows_a_task: int
) -> Iterator[pa.Table]:
    numbers = [len(str(key)) + ord(str(key)[0]) for key in rows.column(keys[0]).to_pylist()]
    rows = rows.append_column(PARTITION, pa.array(np.array(numbers, np.int32) % SUBPARTITIONS))
    for at in range(0, len(rows), rows_a_task):
        part = rows.slice(at, rows_a_task)
        first = pa.array([*cuts, None][:1] + [None] * (len(part) - 1), pa.binary())
        yield part.append_column(CUTS, first)
