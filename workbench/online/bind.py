"""A view bound to its events: the layout of its store, before a job starts."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.backfill.bind import Plan, Wire, bind_tables
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.columnar.zones import with_zones
from workbench.online.layout import StoreLayout, aggregates_for
from workbench.online.spec import backfill_text
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from workbench.backfill.spec import BackfillSpec


def layout_of(backfill: "BackfillSpec", events: BoundTable) -> tuple[StoreLayout, Wire, Plan]:
    """Return a store's layout for a backfill of some events, and the backfill bound to them.

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type, or when a store's states
        cannot hold what a function needs.
    """
    keys = [column(events, name, "key") for name in backfill.key]
    time = column(events, backfill.time, "time").alias(backfill.query_time)
    queries = BoundTable.of(
        events.df.select(*keys, time), backfill.key, backfill.query_time, "events"
    )
    plan = replace(bind_tables(backfill, queries, events), shuffled=("events",))
    wire = numbered_by_use(plan.wire)
    features = tuple(replace(one, kind=in_utc(one.kind)) for one in wire.task.features)
    schema = pa.schema([(one.name, in_utc(one.type)) for one in wire.task.schema])
    layout = StoreLayout(backfill_text(backfill), tuple(backfill.key), features, schema)
    for feature in features:
        aggregates_for(feature.call, schema)
    return layout, wire, plan


def numbered_by_use(wire: Wire) -> Wire:
    """Return columns with names that do not depend on their positions in the table.

    The order of a table's columns may change while a store exists. So columns are numbered in the
    order in which the backfill uses them.
    """
    task, own = wire.task, (*wire.task.keys, TIME, VALID_FROM, VALID_TO)
    names = {name: name if name in own else f"c{place}" for place, name in enumerate(wire.events)}

    def renamed(one: Feature) -> Feature:
        arguments = tuple(names[name] for name in one.call.arguments)
        where = None if one.call.where is None else names[one.call.where]
        by = None if one.by is None else names[one.by]
        return replace(one, call=replace(one.call, arguments=arguments, where=where), by=by)

    features = tuple(map(renamed, task.features))
    schema = pa.schema([(names[one.name], one.type) for one in task.schema])
    events = {names[name]: value for name, value in wire.events.items()}
    return replace(wire, events=events, task=replace(task, features=features, schema=schema))


def in_utc(kind: pa.DataType) -> pa.DataType:
    """Return a type whose instants are in UTC, whatever the zone of the session.

    Examples
    --------
    >>> in_utc(pa.map_(pa.string(), pa.timestamp("us", "Asia/Tokyo")))
    MapType(map<string, timestamp[us, tz=UTC]>)
    """
    return with_zones(kind, lambda _: "UTC")
