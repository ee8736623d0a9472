"""A backfill of entities: its binding to the tables, and its plans."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.backfill.bind import Plan, bind, bind_events, bundles, gathered_by_subpartition
from workbench.backfill.entities.checks import check_match
from workbench.backfill.entities.entities import Entities
from workbench.backfill.entities.tables import keys_and_ids, raw_rows, validity_of
from workbench.backfill.entities.worker import CONTENT, KIND, KNOWN_FROM, ValidityTask
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
    """A backfill and its tables; the events are the rows of both tables of entities.

    Attributes
    ----------
    entities : Entities
    """

    entities: Entities


class ValidityPlan(Plan):
    """A backfill of events with validity intervals in two more columns."""

    @property
    def has_validity(self) -> bool:
        """Whether events have validity intervals, and count only within them."""
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


def with_validity(plan: EntityPlan) -> Plan:
    """Return the same backfill over rows with validity intervals."""
    return ValidityPlan(
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
        When the method does not support validity intervals.
    """
    if method not in ("auto", *METHODS):
        raise WorkbenchError(
            f"method: {method!r} only looks at the rows' own times, but rows of entities change "
            "at other times; give 'scan', 'naive' or 'auto'."
        )
    return naive(with_validity(plan)) if method == "naive" else scan(plan)


def scan(plan: EntityPlan) -> "DataFrame":
    """Bring queries, snapshots and mutations of a key together in one shuffle."""
    ship(plan.queries.df.sparkSession)
    wire = plan.wire
    keys, ids = keys_and_ids(plan.entities)
    added = {alias: column(plan.events, name, "id") for alias, name in ids.items()}
    added |= {name: column(plan.events, name, "entities") for name in (KNOWN_FROM, KIND, CONTENT)}
    names = {**ids, **{name: name for name in (KNOWN_FROM, KIND, CONTENT)}}
    kinds = [(alias, plan.arrow_type(type_of(plan.events, name))) for alias, name in names.items()]
    schema = pa.schema([*wire.task.schema, *kinds])
    settings = wire.task.columns, wire.task.keys, wire.task.features, schema
    task = ValidityTask(*settings, (*keys, *ids), plan.entities.days)
    present = (*keys, *ids, KNOWN_FROM)
    queries = bundles(plan, wire.queries, wire.task.keys, queries=True)
    events = bundles(plan, wire.events | added, wire.task.keys, False, present)
    together = gathered_by_subpartition(plan, queries.unionAll(events))
    return together.mapInArrow(named_task("backfill kernel", task.run), plan.schema)
