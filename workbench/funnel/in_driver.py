"""Run a funnel in the driver's process, on events that it holds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.columnar.blocks import KEEP, NAME, TIME, key_columns
from workbench.columnar.bundles import PARTITION, BundleTask, without_nulls
from workbench.funnel.bind import bits, period_of, task_of
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.steps import event_name
from workbench.funnel.worker.levels import FunnelTask
from workbench.spark.in_driver import run_by_key, worker_rows
from workbench.spark.steps import Run
from workbench.spark.table import BoundTable, column, type_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class FunnelInDriver(NamedTuple):
    """A funnel's task, and the events that the driver's process holds for it.

    Attributes
    ----------
    task : FunnelTask
    rows : pyarrow.Table
    skipped : int
        Rows that were left out.
    spark : pyspark.sql.SparkSession
    """

    task: FunnelTask
    rows: pa.Table
    skipped: int
    spark: "SparkSession"

    def answers(self, run: Run) -> list[pa.RecordBatch]:
        """Return the result of a task that would run after a shuffle."""
        keys = key_columns(self.task.keys)
        bundle = BundleTask((*self.rows.column_names, PARTITION), keys, 1, text_as_codes=True)

        def of_keys(rows: pa.Table) -> Iterator[pa.RecordBatch]:
            placed = rows.append_column(PARTITION, pa.array(np.zeros(len(rows), np.int32)))
            yield from run(bundle.run(placed.to_batches() if len(rows) else ()))

        return run_by_key(of_keys, [self.rows], keys)


def in_driver(funnel: FunnelSpec, events: BoundTable, **more: Any) -> FunnelInDriver | None:
    """Return a funnel to run in this process, if it holds the events.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable
    **more
        Further fields of the task: ``by``, ``levels``.

    Returns
    -------
    FunnelInDriver or None
        None if Spark has to run it.
    """
    if events.held is None:
        return None
    keys, by = key_columns(events.key), more.get("by", ())
    plain = dict(zip(keys, events.key, strict=True)) | {TIME: events.time}
    plain |= {KEEP + name: name for name in funnel.segmenting.columns(by)}
    wanted = {alias: column(events, name, "key") for alias, name in plain.items()}
    wanted[TIME] = events.instants
    named = funnel.all_conditions is None
    if not named:
        wanted |= bits(funnel, events, by)
    if named or ("levels" in more and funnel.event in events.names):
        wanted |= event_name(events, funnel.event)
        if type_of(events, funnel.event).typeName() == "string":
            plain[NAME] = funnel.event
    more |= {"next": NAME} if "levels" in more and NAME in wanted else {}
    more.setdefault("period", period_of(funnel, events))
    task = task_of(funnel, events.integer_time, names=named, **more)
    all_rows = worker_rows(events.held, wanted, plain)
    if all_rows is None:
        return None
    rows = without_nulls(all_rows, (*keys, TIME))
    return FunnelInDriver(task, rows, len(all_rows) - len(rows), events.held.spark)
