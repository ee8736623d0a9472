"""Backfills by the tree's tasks alone, as Spark would run them: in front of the shuffle, behind."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tests.workbench.backfill.cases import Row, tables, task
from tests.workbench.backfill.spans import PLACES, answered
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
    asked, seen = tables(queries, events)
    groups = feature_groups(whole.features, whole.schema)
    arrived: list[pa.RecordBatch] = []
    bundle = SubpartitionTask((*asked.column_names, PARTITION), whole.keys, PLACES)
    nodes = NodeTask((*seen.column_names, PARTITION), whole.keys, PLACES, groups=groups)
    packed = packed_moments(asked, whole.keys, rows_a_task)
    for rows, of, more in ((asked, bundle, ()), (seen, nodes, (packed,))):
        for part in _parts(rows, whole.keys, rows_a_task):
            for value in more:
                first = pa.array([value] + [None] * (len(part) - 1), pa.binary())
                part = part.append_column(QUERY_TIMES, first)
            arrived.extend(of.run(part.combine_chunks().to_batches(max_chunksize=4)))
    done = TreeTask(whole.columns, whole.keys, whole.features, whole.schema, groups)
    return answered(done, arrived).sort_by("id")


def packed_moments(asked: pa.Table, keys: tuple[str, ...], rows_a_task: int) -> bytes | None:
    """Return what all tasks know of the queries."""
    columns = (*keys, TIME)
    needed = asked.select(list(columns)).drop_null()
    pack = QueryTimesTask(columns, keys)
    parts = (needed.slice(at, rows_a_task) for at in range(0, len(needed), rows_a_task))
    packed = [one for part in parts for one in pack.run(part.combine_chunks().to_batches())]
    found = [one[QUERY_TIMES][0].as_py() for one in JoinTask(keys).run(packed)]
    return found[0] if found else None


def _parts(rows: pa.Table, keys: tuple[str, ...], rows_a_task: int) -> Iterator[pa.Table]:
    to = [len(str(key)) + ord(str(key)[0]) for key in rows.column(keys[0]).to_pylist()]
    rows = rows.append_column(PARTITION, pa.array(np.array(to, np.int32) % PLACES))
    return (rows.slice(at, rows_a_task) for at in range(0, len(rows), rows_a_task))
