"""The plans of a funnel: from rows in one shuffle, or from prepared events without any."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import NAME
from workbench.columnar.bundles import BUNDLE
from workbench.funnel.bind import bits, prepared_task, summary_schema, task_of, task_schema
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.summary import ReachedTask, SummaryTask
from workbench.spark.jobs import collected
from workbench.spark.shipping import ship
from workbench.spark.shuffle import name_of, select_rows, skipped_of, watched
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.types import StructType

MOST_SEGMENTS = 1_000

#: Widths of intervals that a person reads at a glance, in microseconds; each divides the next.
_MINUTE, _DAY = 60_000_000, 86_400_000_000
ROUND_TIMES = (
    *(10**power for power in range(7)),
    *(5_000_000, 15_000_000, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, 60 * _MINUTE),
    *(180 * _MINUTE, 360 * _MINUTE, 720 * _MINUTE, _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY),
)
ROUND_COUNTS = tuple(factor * 10**power for power in range(15) for factor in (1, 2))


def levels(funnel: FunnelSpec, events: BoundTable | Prepared, **more: Any) -> "DataFrame":
    """Return how far each key got, one row a key.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared
        What :func:`workbench.funnel.bind.bind` returned.
    **more
        Further fields of the task: ``by``, ``levels``.

    Returns
    -------
    pyspark.sql.DataFrame
    """
    if isinstance(events, Prepared):
        task = prepared_task(funnel, events, **more)
        rows, run = events.packed(), task.from_blocks
    else:
        rows, task = _rows(funnel, events, **more)
        run = task.from_rows
    return rows.mapInArrow(
        named_task("funnel kernel", run), task_schema(task, events.schema, funnel.time)
    )


def figures(
    funnel: FunnelSpec, events: BoundTable | Prepared, by: tuple[str, ...], bins: int
) -> "tuple[Sequence[Row | dict[str, Any]], int]":
    """Return a row of figures for all keys, and with ``by`` one for each segment.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared
    by : tuple of str
        The columns of segments.
    bins : int
        How many intervals of time, at the most.

    Returns
    -------
    found : sequence of pyspark.sql.Row, or of dict
        As :mod:`workbench.funnel.worker.summary` makes them; none without any key.
    skipped : int
        How many rows were left out.
    """
    if isinstance(events, Prepared):
        return _of_prepared(funnel, events, by, bins), events.skipped
    counted, skipped = watched(events)
    rows, task = _rows(funnel, counted, by=by, timed=True)
    bundles = rows.mapInArrow(
        named_task("funnel kernel", ReachedTask(task).from_rows), f"{BUNDLE} binary"
    )
    found = _of_bundles(bundles, *_summed_up(funnel, events, by, bins))
    return found, skipped_of(skipped, bool(found), events)


def _rows(funnel: FunnelSpec, events: BoundTable, **more: Any) -> "tuple[DataFrame, FunnelTask]":
    """The rows in bundles, and what the workers have to know of them."""
    ship(events.df.sparkSession)
    what, by = bits(funnel, events), more.get("by", ())
    if "levels" in more and funnel.event in events.names:
        more["next"], what = NAME, what | name_of(events, funnel.event)
    task = task_of(funnel, events.integer_time, names=False, **more)
    return select_rows(events, what, by, task.only_matching), task


def _of_prepared(
    funnel: FunnelSpec, events: Prepared, by: tuple[str, ...], bins: int
) -> "Sequence[Row | dict[str, Any]]":
    answer = ReachedTask(prepared_task(funnel, events, by=by, timed=True))
    summary, schema = _summed_up(funnel, events, by, bins)
    # A timestamp would come out of Arrow with a time zone and out of Spark without one.
    if events.tasks == 1 and "timestamp" not in [events.schema[k].dataType.typeName() for k in by]:
        found = list(summary.run(answer.from_blocks(events.fetched())))
        return [row for batch in found for row in batch.to_pylist()]
    bundles = events.packed().mapInArrow(
        named_task("funnel kernel", answer.from_blocks), f"{BUNDLE} binary"
    )
    return _of_bundles(bundles, summary, schema)


def _of_bundles(
    bundles: "DataFrame", summary: SummaryTask, schema: "StructType"
) -> "Sequence[Row]":
    """What one worker makes of what all keys reached."""
    return collected(
        bundles.repartition(1).mapInArrow(named_task("funnel figures", summary.run), schema)
    )


def _summed_up(
    funnel: FunnelSpec, events: BoundTable | Prepared, by: tuple[str, ...], bins: int
) -> "tuple[SummaryTask, StructType]":
    """What one worker does with all bundles, and the schema of what it returns."""
    widths = ROUND_COUNTS if events.integer_time else ROUND_TIMES
    summary = SummaryTask(len(funnel.labels), bins, widths, MOST_SEGMENTS, funnel.rules.optional)
    return summary, summary_schema([events.schema[name].dataType for name in by])
