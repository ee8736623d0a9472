"""A backfill of entities: bound to its tables, and the plans that answer it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.backfill.bind import Plan, bind, bind_events, bundles, gathered_by_subpartition
from workbench.backfill.entities.checks import check_match
from workbench.backfill.entities.entities import Entities
from workbench.backfill.entities.tables import keys_and_ids, raw_rows, validity_of
from workbench.backfill.entities.worker import AT, HOLDS, SAYS, ValidityTask
from workbench.backfill.naive import naive
from workbench.errors import WorkbenchError
from workbench.spark.shipping import ship
from workbench.spark.steps import named_task
from workbench.spark.table import column, type_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.backfill.spec import BackfillSpec
    from workbench.spark.sources.given import TableLike

METHODS = ("scan", "naive")


@dataclass(frozen=True)
class EntityPlan(Plan):
    """A backfill and the tables that it is about; its events are rows of both tables of entities.

    Attributes
    ----------
    entities : Entities
    """

    entities: Entities


class LivedPlan(Plan):
    """A backfill of rows with validity intervals, in two more columns of the events."""

    @property
    def has_validity(self) -> bool:
        """Whether events have validity intervals, and count in them."""
        return True


def bind_entities(backfill: "BackfillSpec", queries: "TableLike", entities: Entities) -> EntityPlan:
    """Bind a backfill to its queries and its entities.

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    check_match(backfill, entities)
    plan = bind(backfill, queries, raw_rows(entities))
    return EntityPlan(plan.backfill, plan.queries, plan.events, plan.features, entities)


def lived(plan: EntityPlan) -> Plan:
    """Return the same backfill of rows with validity intervals."""
    return LivedPlan(
        plan.backfill,
        plan.queries,
        bind_events(plan.backfill, validity_of(plan.entities)),
        plan.features,
    )


def run_entities(plan: EntityPlan, method: str) -> "DataFrame":
    """Return every query with its features.

    Raises
    ------
    WorkbenchError
        When the method cannot look at validity intervals.
    """
    if method not in ("auto", *METHODS):
        raise WorkbenchError(
            f"method: {method!r} looks at rows by their own times alone, but rows of entities "
            "change at others; give 'scan', 'naive' or 'auto'."
        )
    return naive(lived(plan)) if method == "naive" else scan(plan)


def scan(plan: EntityPlan) -> "DataFrame":
    """Bring queries, snapshots and mutations of a key together in one shuffle."""
    ship(plan.queries.df.sparkSession)
    wire = plan.wire
    keys, ids = keys_and_ids(plan.entities)
    added = {alias: column(plan.events, name, "id") for alias, name in ids.items()}
    added |= {name: column(plan.events, name, "entities") for name in (AT, SAYS, HOLDS)}
    names = {**ids, **{name: name for name in (AT, SAYS, HOLDS)}}
    kinds = [(alias, plan.arrow_type(type_of(plan.events, name))) for alias, name in names.items()]
    schema = pa.schema([*wire.task.schema, *kinds])
    known = wire.task.columns, wire.task.keys, wire.task.features, schema
    task = ValidityTask(*known, (*keys, *ids), plan.entities.days)
    present = (*keys, *ids, AT)
    queries = bundles(plan, wire.queries, wire.task.keys, queries=True)
    events = bundles(plan, wire.events | added, wire.task.keys, False, present)
    together = gathered_by_subpartition(plan, queries.unionAll(events))
    return together.mapInArrow(named_task("backfill kernel", task.run), plan.schema)
