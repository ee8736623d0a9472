"""A backfill of tables that the driver's process holds: runs the workers' task there."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.backfill.bind import Plan
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import without_nulls
from workbench.spark.in_driver import as_dataframe, run_by_key, worker_rows
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def in_driver(plan: Plan) -> "DataFrame | None":
    """Return every query with its features, computed in this process; None where Spark has to."""
    if not plan.in_driver:
        return None
    wire, task = plan.wire, plan.wire.task
    queries = _rows(plan.queries, wire.queries)
    events = _rows(plan.events, wire.events, (*task.keys, TIME))
    if queries is None or events is None:
        return None
    answers = run_by_key(task.answer_keys, [queries, events], task.keys)
    return as_dataframe(answers, plan.schema, plan.queries.without_rows.sparkSession)


def _rows(
    table: BoundTable,
    wanted: "Mapping[str, Column]",
    present: tuple[str, ...] = (),
) -> pa.Table | None:
    assert table.held is not None
    plain = {f"k{i}": name for i, name in enumerate(table.key)} | {TIME: table.time}
    plain |= {f"c{i}": name for i, name in enumerate(table.names)}
    plain = {alias: name for alias, name in plain.items() if alias in wanted}
    rows = worker_rows(table.held, wanted, plain)
    return None if rows is None else without_nulls(rows, present)
