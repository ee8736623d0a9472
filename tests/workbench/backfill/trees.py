"""Backfills by the tree's tasks without Spark: those before the shuffle, and those after it."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tests.workbench.backfill.cases import Row, tables, task
from tests.workbench.backfill.spans import SUBPARTITIONS, answer_bundles
from workbench.backfill.tree.map_side import NodeTask
from workbench.backfill.tree.query_times import QUERY_TIMES, JoinTask, QueryTimesTask
from workbench.backfill.tree.reduce_side import TreeTask
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.partials import feature_groups
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import PARTITION
from workbench.columnar.subpartitions import SubpartitionTask


def answer_by_tree(
    queries: list[Row], events: list[Row], features: list[Feature], rows_a_task: int = 10
) -> pa.Table:
    """Return the answers of trees, in the order of the queries."""
    whole = task(*features)
    query_rows, event_rows = tables(queries, events)
    groups = feature_groups(whole.features, whole.schema)
    bundles: list[pa.RecordBatch] = []
    bundle = SubpartitionTask((*query_rows.column_names, PARTITION), whole.keys, SUBPARTITIONS)
    nodes = NodeTask(
        (*event_rows.column_names, PARTITION), whole.keys, SUBPARTITIONS, groups=groups
    )
    packed = packed_query_times(query_rows, whole.keys, rows_a_task)
    for rows, map_task, first_values in ((query_rows, bundle, ()), (event_rows, nodes, (packed,))):
        for part in _parts(rows, whole.keys, rows_a_task):
            for value in first_values:
                first = pa.array([value] + [None] * (len(part) - 1), pa.binary())
                part = part.append_column(QUERY_TIMES, first)
            bundles.extend(map_task.run(part.combine_chunks().to_batches(max_chunksize=4)))
    tree_task = TreeTask(whole.columns, whole.keys, whole.features, whole.schema, groups)
    return answer_bundles(tree_task, bundles).sort_by("id")


def packed_query_times(
    query_rows: pa.Table, keys: tuple[str, ...], rows_a_task: int
) -> bytes | None:
    """Return the packed query times that all tasks get, None if there are none."""
    columns = (*keys, TIME)
    needed = query_rows.select(list(columns)).drop_null()
    pack = QueryTimesTask(columns, keys)
    parts = (needed.slice(at, rows_a_task) for at in range(0, len(needed), rows_a_task))
    packed = [one for part in parts for one in pack.run(part.combine_chunks().to_batches())]
    joined = [one[QUERY_TIMES][0].as_py() for one in JoinTask(keys).run(packed)]
    return joined[0] if joined else None


def _parts(rows: pa.Table, keys: tuple[str, ...], rows_a_task: int) -> Iterator[pa.Table]:
    numbers = [len(str(key)) + ord(str(key)[0]) for key in rows.column(keys[0]).to_pylist()]
    rows = rows.append_column(PARTITION, pa.array(np.array(numbers, np.int32) % SUBPARTITIONS))
    return (rows.slice(at, rows_a_task) for at in range(0, len(rows), rows_a_task))
