"""The plans of a backfill that cut keys by time: all keys, or only the large ones."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.backfill.bind import (
    Plan,
    Work,
    gathered_by_subpartition,
    routed_rows,
)
from workbench.backfill.split.map_side import SplitTask
from workbench.backfill.split.reduce_side import SpanTask
from workbench.backfill.worker.partials import feature_groups, needs_every_event
from workbench.columnar.blocks import TIME
from workbench.engine.extent import CallExtent
from workbench.engine.ranges.cuts import CUTS, LEAST_ROWS, CutTask
from workbench.engine.ranges.sample import SUMMARY, SampleTask
from workbench.functions.order import OrderColumn
from workbench.spark.micros import micros
from workbench.spark.ranges import shown_schema
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundled, with_value, without_null
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: At least as far as any time is from another.
ANY_DISTANCE = 2**63 - 1


def sawtooth(plan: Plan) -> Work:
    """Cut the time of all keys at the same instants, into as many spans as there are partitions."""
    return split(plan, SplitPlan(plan, every_key=True, least=1))


def auto(plan: Plan) -> Work:
    """Cut the keys with more rows than their share, and keep all others whole."""
    return split(plan, SplitPlan(plan))


@dataclass(frozen=True)
class SplitPlan:
    """Which keys of a backfill are cut by time, and where.

    Attributes
    ----------
    plan : Plan
    every_key : bool
        Cut all keys at the same times, instead of large ones at their own.
    least : int
        The fewest rows of a span.
    """

    plan: Plan
    every_key: bool = False
    least: int = LEAST_ROWS

    @property
    def keys(self) -> tuple[str, ...]:
        """The workers' columns that identify the cuts of a row."""
        return () if self.every_key else tuple(f"k{i}" for i in range(len(self.plan.backfill.key)))

    @property
    def key_aliases(self) -> tuple[str, ...]:
        """The names of the key's columns in :meth:`keys_and_times`."""
        return tuple(f"c{i}" for i in range(len(self.plan.backfill.key)))

    @property
    def extent(self) -> CallExtent:
        """The distance before a span within which it needs every event.

        Features that need few events of each hop do not count: these make hardly any copies.
        """
        if self.every_key:
            return CallExtent()
        wire = self.plan.wire
        spans = [
            bound.span
            for bound, one in zip(self.plan.features, wire.task.features, strict=True)
            if needs_every_event(one.call, wire.task.schema)
        ]
        distances = [ANY_DISTANCE if one.window is None else one.window + one.hop for one in spans]
        return CallExtent(distance=(max(distances, default=0), 0))

    @property
    def task(self) -> CutTask:
        """The task that chooses cuts from all summaries."""
        pieces = self.plan.partitions
        return CutTask(self.keys, self.extent, False, pieces, None, self.least)

    def summaries(self) -> "DataFrame":
        """Return summaries of large keys, from a pass over the keys and times alone."""
        plan = self.plan
        queries, events = map(self.keys_and_times, (plan.queries, plan.events))
        columns = (*self.keys, TIME)
        order = OrderColumn(TIME, False, True)
        task = SampleTask(columns, self.keys, order, plan.partitions)
        sampled = queries.unionAll(events).mapInArrow(
            named_task("sample", task.run), f"{SUMMARY} binary"
        )
        return sampled.repartition(1)

    def cut_keys(self) -> "DataFrame":
        """Return the keys that are cut, with their numbers of rows and of spans."""
        schema = shown_schema(self.plan.events, self.keys)
        keys = self.summaries().mapInArrow(self.task.shown, schema)
        return keys.toDF(*self.plan.backfill.key, "rows", "spans")

    def keys_and_times(self, table: BoundTable) -> "DataFrame":
        """Return the keys and the times of one of the tables."""
        keys = [column(table, name, "key") for name in table.key]
        aliased = [value.alias(c) for value, c in zip(keys, self.key_aliases, strict=True)]
        moment = micros(table, table.time, column(table, table.time, "time")).alias(TIME)
        rows = without_null(table.df.select(*aliased, moment), (*self.key_aliases, TIME))
        return rows.select(TIME) if self.every_key else rows


def split(plan: Plan, split_plan: SplitPlan) -> Work:
    """Bring the queries and events of each key together, or of each span of a key that is cut.

    Parameters
    ----------
    plan : Plan
    split_plan : SplitPlan

    Returns
    -------
    Work

    Notes
    -----
    One shuffle of the rows. The cuts are a subquery of the plan, so no job runs before the result
    is used. Their value is sent with the first row of each task.
    """
    ship(plan.queries.df.sparkSession)
    choose = named_task("choose cuts", split_plan.task.run)
    cuts = split_plan.summaries().mapInArrow(choose, f"{CUTS} binary").scalar()
    queries = _bundles(split_plan, cuts, queries=True)
    events = _bundles(split_plan, cuts, queries=False)
    task = plan.wire.task
    groups = feature_groups(task.features, task.schema)
    span_task = SpanTask(task.columns, task.keys, task.features, task.schema, groups)
    return Work(plan, gathered_by_subpartition(plan, queries.unionAll(events)), span_task)


def _bundles(split_plan: SplitPlan, cuts: "Column", queries: bool) -> "DataFrame":
    """Return one of the two tables in bundles, with the number of each bundle's partition."""
    plan, wire, task = split_plan.plan, split_plan.plan.wire, split_plan.plan.wire.task
    wanted = wire.queries if queries else wire.events
    columns, routed = routed_rows(plan, wanted, task.keys, queries)
    groups = () if queries else feature_groups(task.features, task.schema)
    hashed = plan.shuffle.hashed
    split_task = SplitTask(
        columns,
        split_plan.keys,
        plan.subpartitions,
        hashed=hashed,
        key_columns=task.keys,
        groups=groups,
    )
    return bundled(with_value(routed, CUTS, cuts), split_task, "bundle by span")
