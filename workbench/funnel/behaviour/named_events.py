"""A funnel bound to events whose names are needed in addition to the steps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import NAME
from workbench.errors import WorkbenchError
from workbench.funnel.behaviour.plan import BehaviourPlan
from workbench.funnel.bind import bind, bits, period_of, prepared_task, task_of
from workbench.funnel.columns import check_event
from workbench.funnel.prepared import Prepared, holds_names
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.steps import event_name
from workbench.funnel.worker.blocks import BlockTask
from workbench.funnel.worker.levels import FunnelTask
from workbench.spark.shipping import ship
from workbench.spark.shuffle import select_rows, skipped_of
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation, Row
    from pyspark.sql.types import StructField, StructType

    from workbench.spark.sources.given import TableLike


def bind_named(
    funnel: FunnelSpec, events: "TableLike | Prepared", by: Sequence[str] = ()
) -> BoundTable | Prepared:
    """Bind a funnel to its events, which must have names.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    by : sequence of str
        Further columns.

    Returns
    -------
    BoundTable or Prepared

    Raises
    ------
    WorkbenchError
        As :func:`workbench.funnel.bind.bind`, and when there is no column of events.
    """
    bound = bind(funnel, events, by)
    if not isinstance(bound, Prepared):
        check_event(bound, funnel.event)
    elif not isinstance(bound.event, str) and funnel.event not in bound.keep:
        raise WorkbenchError(
            f"event: the prepared events do not hold {funnel.event!r}, the names of what happened; "
            f"prepare them with keep={[funnel.event]}."
        )
    elif not holds_names(bound, funnel.event):
        kind = bound.schema[funnel.event].dataType.simpleString()
        raise WorkbenchError(
            f"event: the prepared events hold {kind} in {funnel.event!r}, which are not names of "
            "what happened; prepare them from a table where they are cast to string."
        )
    return bound


def named_task_of(funnel: FunnelSpec, events: BoundTable | Prepared, **more: Any) -> FunnelTask:
    """Return the task of the workers; its ``next`` is the column of names."""
    if isinstance(events, Prepared):
        return prepared_task(funnel, events, **more)
    more |= {"next": NAME, "period": period_of(funnel, events)}
    return task_of(funnel, events.integer_time, names=funnel.names is not None, **more)


def named_rows(
    funnel: FunnelSpec,
    events: BoundTable,
    keep: Sequence[str] = (),
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return all rows with names in bundles, those of a key in one Spark partition."""
    ship(events.df.sparkSession)
    columns = event_name(events, funnel.event)
    if funnel.names is None:
        columns = bits(funnel, events) | columns
    return select_rows(events, columns, keep, skipped=skipped)


def named_figures(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    plan: BehaviourPlan,
    task: BlockTask,
    keep: Sequence[str] = (),
) -> "tuple[Sequence[Row | dict[str, Any]], int]":
    """Return the figures of a plan, and how many rows were left out."""
    from pyspark.sql import Observation

    if isinstance(events, Prepared):
        return plan.figures(events, task), events.skipped
    skipped = Observation()
    figures = plan.figures(named_rows(funnel, events, keep, skipped), task)
    return figures, skipped_of(skipped, bool(figures), events)


def named_people(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    plan: BehaviourPlan,
    task: BlockTask,
    keep: Sequence[str] = (),
    more: "Sequence[StructField]" = (),
) -> "DataFrame":
    """Return the keys that a task returns, with further columns."""
    from pyspark.sql import types as T

    schema = T.StructType([*people_schema(funnel, events).fields, *more])
    rows = events if isinstance(events, Prepared) else named_rows(funnel, events, keep)
    return plan.answers(rows, task, schema)


def people_schema(funnel: FunnelSpec, events: BoundTable | Prepared) -> "StructType":
    """Return the schema of keys, with the number of the session or chain if they have one."""
    from pyspark.sql import types as T

    kinds = {name: events.schema[name].dataType for name in funnel.key}
    if funnel.counting.number is not None:
        kinds[funnel.counting.number] = T.LongType()
    return T.StructType([T.StructField(name, kind) for name, kind in kinds.items()])
