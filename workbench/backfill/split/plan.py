"""The plans of a backfill that cut keys by time: all of them, or those that hold too much."""

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
from workbench.backfill.worker.partials import feature_groups, needs_all
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

#: Further than any time is from another.
ANY_DISTANCE = 2**63 - 1


def sawtooth(plan: Plan) -> Work:
    """Cut the time of all keys alike, into as many spans as a shuffle has partitions."""
    return split(plan, SplitPlan(plan, every_key=True, least=1))


def auto(plan: Plan) -> Work:
    """Cut those keys that hold more than their share, and leave the others to one task each."""
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
        """The columns, as the workers call them, that say which cuts a row has."""
        return () if self.every_key else tuple(f"k{i}" for i in range(len(self.plan.backfill.key)))

    @property
    def keys_told_apart(self) -> tuple[str, ...]:
        """What :meth:`keys_and_times` calls the columns of the key."""
        return tuple(f"c{i}" for i in range(len(self.plan.backfill.key)))

    @property
    def extent(self) -> CallExtent:
        """How far before a span its events are all needed.

        Of other events few travel: those make no copies to speak of.
        """
        if self.every_key:
            return CallExtent()
        wire = self.plan.wire
        spans = [
            bound.span
            for bound, one in zip(self.plan.features, wire.task.features, strict=True)
            if needs_all(one.call, wire.task.schema)
        ]
        far = [ANY_DISTANCE if one.window is None else one.window + one.hop for one in spans]
        return CallExtent(distance=(max(far, default=0), 0))

    @property
    def task(self) -> CutTask:
        """What makes cuts of all summaries."""
        pieces = self.plan.partitions
        return CutTask(self.keys, self.extent, False, pieces, None, self.least)

    def summaries(self) -> "DataFrame":
        """Return what is known about large keys, from a pass over keys and times alone."""
        plan = self.plan
        queries, events = map(self.keys_and_times, (plan.queries, plan.events))
        columns = (*self.keys, TIME)
        order = OrderColumn(TIME, False, True)
        task = SampleTask(columns, self.keys, order, plan.partitions)
        sampled = queries.unionAll(events).mapInArrow(
            named_task("sample", task.run), f"{SUMMARY} binary"
        )
        return sampled.repartition(1)

    def shown(self) -> "DataFrame":
        """Return the keys that are cut, how many rows each has, and in how many spans."""
        schema = shown_schema(self.plan.events, self.keys)
        found = self.summaries().mapInArrow(self.task.shown, schema)
        return found.toDF(*self.plan.backfill.key, "rows", "spans")

    def keys_and_times(self, table: BoundTable) -> "DataFrame":
        """Return the keys that are told apart, and the times, of one of the tables."""
        keys = [column(table, name, "key") for name in table.key]
        aliased = [value.alias(c) for value, c in zip(keys, self.keys_told_apart, strict=True)]
        moment = micros(table, table.time, column(table, table.time, "time")).alias(TIME)
        rows = without_null(table.df.select(*aliased, moment), (*self.keys_told_apart, TIME))
        return rows.select(TIME) if self.every_key else rows


def split(plan: Plan, cutting: SplitPlan) -> Work:
    """Bring queries and events of a key together, or of a span of time where keys are cut.

    Parameters
    ----------
    plan : Plan
    cutting : SplitPlan

    Returns
    -------
    Work

    Notes
    -----
    One shuffle of the rows. The cuts are a subquery of the plan, so nothing runs before the answer
    is asked for; their one value goes along with the first row of each task.
    """
    ship(plan.queries.df.sparkSession)
    choose = named_task("choose cuts", cutting.task.run)
    cuts = cutting.summaries().mapInArrow(choose, f"{CUTS} binary").scalar()
    queries = _bundles(cutting, cuts, queries=True)
    events = _bundles(cutting, cuts, queries=False)
    done = plan.wire.task
    groups = feature_groups(done.features, done.schema)
    task = SpanTask(done.columns, done.keys, done.features, done.schema, groups)
    return Work(plan, gathered_by_subpartition(plan, queries.unionAll(events)), task)


def _bundles(cutting: SplitPlan, cuts: "Column", queries: bool) -> "DataFrame":
    """One of the two tables in bundles, with the number of the partition of each."""
    plan, wire, done = cutting.plan, cutting.plan.wire, cutting.plan.wire.task
    wanted = wire.queries if queries else wire.events
    columns, goes = routed_rows(plan, wanted, done.keys, queries)
    groups = () if queries else feature_groups(done.features, done.schema)
    hashed = plan.shuffle.hashed
    task = SplitTask(
        columns, cutting.keys, plan.subpartitions, hashed=hashed, both=done.keys, groups=groups
    )
    return bundled(with_value(goes, CUTS, cuts), task, "bundle by span")
