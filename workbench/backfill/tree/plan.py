"""A backfill by trees: queries are sent to all events, and states of nodes are sent back."""

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.backfill.bind import (
    Plan,
    Work,
    bundles,
    gathered_by_subpartition,
    routed_rows,
)
from workbench.backfill.tree.map_side import NodeTask
from workbench.backfill.tree.query_times import QUERY_TIMES, JoinTask, QueryTimesTask
from workbench.backfill.tree.reduce_side import TreeTask
from workbench.backfill.worker.partials import feature_groups
from workbench.columnar.blocks import TIME
from workbench.engine.kept_rows import picks
from workbench.engine.partials import partial_states
from workbench.errors import WorkbenchError
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundled, numbered, with_value, without_null
from workbench.spark.steps import named_task

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def tree(plan: Plan) -> Work:
    """Send the keys and times of queries to all tasks of events, and combine their nodes' states.

    Parameters
    ----------
    plan : Plan

    Returns
    -------
    Work

    Raises
    ------
    WorkbenchError
        When a feature has no states that combine.

    Notes
    -----
    Shuffles no events except the few that can answer a call on their own, such as the greatest.
    The times of the queries are a subquery of the plan, so no job runs before the result is used.
    Its value is sent with the first row of each task. So the queries are read twice.

    Source: Zipline, "Window Tiling Algorithm": the broadcast hash join.
    """
    # Its shuffle does not grow with the events.
    plan = replace(plan, shuffled=("queries",))
    if without := features_without_state(plan):
        function = {one.name: one.resolved.function for one in plan.features}[without[0]]
        raise WorkbenchError(
            f"{without[0]}: method='tree' cannot answer {function!r}, which has no state that adds "
            "up from parts; take method='auto', 'scan' or 'sawtooth'."
        )
    ship(plan.queries.df.sparkSession)
    wire = plan.wire
    task = wire.task
    queries = bundles(plan, wire.queries, task.keys, queries=True)
    together = gathered_by_subpartition(plan, queries.unionAll(_nodes(plan)))
    groups = feature_groups(task.features, task.schema)
    tree_task = TreeTask(task.columns, task.keys, task.features, task.schema, groups)
    return Work(plan, together, tree_task)


def features_without_state(plan: Plan) -> list[str]:
    """Return the features that trees cannot answer, as they need more than a state or one event."""
    task = plan.wire.task
    calls = (one.call for one in task.features)
    return [one.column for one in calls if not (picks(one) or partial_states(one, task.schema))]


def query_times(plan: Plan) -> "Column":
    """Return the distinct keys and times of the queries as one value."""
    wire = plan.wire
    needed = (*wire.task.keys, TIME)
    rows, number = numbered(plan.queries.df, {name: wire.queries[name] for name in needed})
    rows = without_null(rows, [number[name] for name in needed])
    schema = f"{QUERY_TIMES} binary"
    each = named_task("query times", QueryTimesTask(needed, wire.task.keys).run)
    joined = named_task("join query times", JoinTask(wire.task.keys).run)
    return rows.mapInArrow(each, schema).repartition(1).mapInArrow(joined, schema).scalar()


def _nodes(plan: Plan) -> "DataFrame":
    """Return the nodes of all trees in bundles, with the number of each bundle's partition."""
    task = plan.wire.task
    columns, routed = routed_rows(plan, plan.wire.events, task.keys, queries=False)
    groups = feature_groups(task.features, task.schema)
    hashed = plan.shuffle.hashed
    node_task = NodeTask(columns, task.keys, plan.subpartitions, hashed=hashed, groups=groups)
    return bundled(with_value(routed, QUERY_TIMES, query_times(plan)), node_task, "tree nodes")
