"""Backfills by their tasks alone, as Spark would run them: keys whole, and cut by time."""

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

#: Each has two lots, of which a task takes one at a time here.
PARTITIONS, PLACES = 3, 6


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
    asked, seen = tables(queries, events)
    keys = () if every_key else whole.keys
    packed = list(_cuts(asked, seen, keys, rows_a_span, rows_a_task))
    groups = feature_groups(whole.features, whole.schema)
    arrived: list[pa.RecordBatch] = []
    for rows, needs in ((asked, ()), (seen, groups)):
        names = (*rows.column_names, PARTITION)
        split = SplitTask(names, keys, PLACES, key_columns=whole.keys, groups=needs)
        for part in _with_partitions(rows, whole.keys, packed, rows_a_task):
            arrived.extend(split.run(part.combine_chunks().to_batches(max_chunksize=4)))
    done = SpanTask(whole.columns, whole.keys, whole.features, whole.schema, groups)
    return answered(done, arrived).sort_by("id")


def answered(task: BackfillTask, bundles: list[pa.RecordBatch]) -> pa.Table:
    """Return the answers of all partitions, each of which takes one lot after the other."""
    values = pa.Table.from_batches(bundles)
    places = {
        number: values.filter(pc.equal(values.column(PARTITION), number)).to_batches()
        for number in range(PLACES)
    }
    with patch("workbench.columnar.subpartitions.ROWS_AT_ONCE", 1):
        found = [
            batch
            for first in range(PARTITIONS)
            for batch in task.run(chain(*(places[n] for n in range(first, PLACES, PARTITIONS))))
        ]
    return pa.Table.from_batches(found)


def _cuts(
    asked: pa.Table, seen: pa.Table, keys: tuple[str, ...], rows: int, rows_a_task: int
) -> Iterator[Any]:
    columns = (*keys, TIME)
    both = pa.concat_tables([asked.select(columns), seen.select(columns)]).drop_null()
    sample = SampleTask(columns, keys, OrderColumn(TIME, False, True), PARTITIONS)
    parts = (both.slice(at, rows_a_task) for at in range(0, len(both), rows_a_task))
    summaries = [s for part in parts for s in sample.run(part.combine_chunks().to_batches())]
    cut = CutTask(keys, CallExtent(), False, PARTITIONS, rows)
    yield from (one[CUTS][0].as_py() for one in cut.run(summaries))


def _with_partitions(
    rows: pa.Table, keys: tuple[str, ...], cuts: list[Any], rows_a_task: int
) -> Iterator[pa.Table]:
    to = [len(str(key)) + ord(str(key)[0]) for key in rows.column(keys[0]).to_pylist()]
    rows = rows.append_column(PARTITION, pa.array(np.array(to, np.int32) % PLACES))
    for at in range(0, len(rows), rows_a_task):
        part = rows.slice(at, rows_a_task)
        first = pa.array([*cuts, None][:1] + [None] * (len(part) - 1), pa.binary())
        yield part.append_column(CUTS, first)
