"""Backfills by their tasks alone, as Spark would run them: keys whole, and cut by time."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from tests.workbench.backfill_cases import Row, tables, task
from workbench.backfill_groups import groups_of
from workbench.backfill_span_task import SpanTask
from workbench.backfill_split import SplitTask
from workbench.backfill_task import Feature
from workbench.blocks import TIME
from workbench.bundles import PARTITION
from workbench.window_cuts import CUTS, CutTask
from workbench.window_order import OrderColumn
from workbench.window_reach import Reach
from workbench.window_samples import SampleTask

PARTITIONS = 3


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
    groups = groups_of(whole.features, whole.schema)
    arrived: dict[int, list[pa.RecordBatch]] = {}
    for rows, needs in ((asked, ()), (seen, groups)):
        names = (*rows.column_names, PARTITION)
        split = SplitTask(names, keys, PARTITIONS, both=whole.keys, groups=needs)
        for part in _with_partitions(rows, whole.keys, packed, rows_a_task):
            for bundle in split.run(part.combine_chunks().to_batches(max_chunksize=4)):
                arrived.setdefault(bundle[PARTITION][0].as_py(), []).append(bundle)
    done = SpanTask(whole.columns, whole.keys, whole.features, whole.schema, groups)
    answers = [batch for one in arrived.values() for batch in done.run(one)]
    return pa.Table.from_batches(answers).sort_by("id")


def _cuts(
    asked: pa.Table, seen: pa.Table, keys: tuple[str, ...], rows: int, rows_a_task: int
) -> Iterator[Any]:
    columns = (*keys, TIME)
    both = pa.concat_tables([asked.select(columns), seen.select(columns)]).drop_null()
    sample = SampleTask(columns, keys, OrderColumn(TIME, False, True), PARTITIONS)
    parts = (both.slice(at, rows_a_task) for at in range(0, len(both), rows_a_task))
    summaries = [s for part in parts for s in sample.run(part.combine_chunks().to_batches())]
    cut = CutTask(keys, Reach(), False, PARTITIONS, rows)
    yield from (one[CUTS][0].as_py() for one in cut.run(summaries))


def _with_partitions(
    rows: pa.Table, keys: tuple[str, ...], cuts: list[Any], rows_a_task: int
) -> Iterator[pa.Table]:
    to = [len(str(key)) + ord(str(key)[0]) for key in rows.column(keys[0]).to_pylist()]
    rows = rows.append_column(PARTITION, pa.array(np.array(to, np.int32) % PARTITIONS))
    for at in range(0, len(rows), rows_a_task):
        part = rows.slice(at, rows_a_task)
        first = pa.array([*cuts, None][:1] + [None] * (len(part) - 1), pa.binary())
        yield part.append_column(CUTS, first)
