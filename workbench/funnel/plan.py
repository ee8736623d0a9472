"""The plans of a funnel: from rows with one shuffle, or from prepared events with none."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import NAME, TIME
from workbench.columnar.bundles import BUNDLE, PARTITION
from workbench.durations import DAY, MINUTE
from workbench.funnel.bind import (
    bits,
    period_of,
    prepared_task,
    segment_types,
    summary_schema,
    task_of,
    task_schema,
    trend_schema,
)
from workbench.funnel.cutting import range_plan, summaries_of
from workbench.funnel.in_driver import in_driver
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.steps import event_name
from workbench.funnel.worker.entries import EntriesTask
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.pieces import PiecesTask
from workbench.funnel.worker.summary import Ranks, ReachedTask, SummaryTask
from workbench.funnel.worker.trend import TrendTask
from workbench.spark.in_driver import as_dataframe, run_in_driver
from workbench.spark.jobs import collected
from workbench.spark.partitions import shuffle_of
from workbench.spark.ranges import RangePlan, keys_in_pieces, piece_rows
from workbench.spark.shipping import ship
from workbench.spark.shuffle import numbered, repartitioned, select_rows, skipped_of, worker_columns
from workbench.spark.steps import Run, named_task
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation, Row
    from pyspark.sql.types import StructType

MOST_SEGMENTS = 1_000
#: How many points a trend has at the most: periods times segments.
MOST_POINTS = 10_000

#: Readable widths of intervals, in microseconds; each divides the next.
ROUND_TIMES = (
    *(10**power for power in range(7)),
    *(5_000_000, 15_000_000, MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE),
    *(180 * MINUTE, 360 * MINUTE, 720 * MINUTE, DAY, 7 * DAY, 28 * DAY, 364 * DAY),
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
    elif (here := in_driver(funnel, events, **more)) is not None:
        batches = here.answers(here.task.from_rows)
        schema = task_schema(here.task, events.schema, funnel.time)
        return as_dataframe(batches, schema, here.spark)
    elif funnel.cut is not None and funnel.uncut is None and "levels" not in more:
        return _levels_in_pieces(funnel, events, **more)
    else:
        rows, task = _bundled_rows(funnel, events, **more)
        run = task.from_rows
    return rows.mapInArrow(
        named_task("funnel kernel", run), task_schema(task, events.schema, funnel.time)
    )


def _levels_in_pieces(funnel: FunnelSpec, events: BoundTable, **more: Any) -> "DataFrame":
    """Return the levels with large keys cut: one more, small shuffle joins their pieces."""
    rows, task, cutting = _piece_rows(funnel, events, **more)
    pieces_task, shuffle = PiecesTask(task), cutting.shuffle
    run = partial(pieces_task.levels, partitions=shuffle.partitions, hashed=shuffle.hashed)
    sent = rows.mapInArrow(named_task("funnel kernel", run), f"{PARTITION} int, {BUNDLE} binary")
    bundles = repartitioned(sent, shuffle).select(BUNDLE)
    return bundles.mapInArrow(
        named_task("join pieces", pieces_task.join_levels),
        task_schema(task, events.schema, funnel.time),
    )


def pieces(funnel: FunnelSpec, events: BoundTable) -> "DataFrame":
    """Return the keys that are cut, roughly how many of their rows are shuffled, and the pieces."""
    ship(events.without_rows.sparkSession)
    task = task_of(funnel, events.integer_time, names=False, period=period_of(funnel, events))
    wanted = worker_columns(events, bits(funnel, events))
    cutting = _cutting(funnel, events, task, wanted)
    return keys_in_pieces(
        events, cutting, summaries_of(cutting, events, wanted, task.only_matching)
    )


def figures(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    by: tuple[str, ...],
    bins: int,
    largest: int | None = None,
    ranks: Ranks | None = None,
) -> "tuple[Sequence[Row | dict[str, Any]], int]":
    """Return a row of figures for all keys, and with ``by`` one for each segment.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared
    by : tuple of str
        The columns of segments.
    bins : int
        The most intervals of time.
    largest : int, optional
        How many segments have figures of their own; all others are combined.
    ranks : Ranks, optional
        The ends of the medians' intervals, if needed.

    Returns
    -------
    figures : sequence of pyspark.sql.Row, or of dict
        The rows of :mod:`workbench.funnel.worker.summary`; none without keys.
    skipped : int
        How many rows were left out.
    """
    summary, schema = _summary_task(funnel, events, by, bins, largest, ranks)
    entered = funnel.counting.has_period and ranks is None
    return _figures_of(funnel, events, ReachedTask, summary, schema, by=by, entered=entered)


def trend_figures(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    by: tuple[str, ...],
    periods: Periods,
    largest: int | None = None,
) -> "tuple[Sequence[Row | dict[str, Any]], int]":
    """Return a row of figures for each period and segment that has entrants.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared
    by : tuple of str
        The columns of segments.
    periods : Periods
    largest : int, optional
        How many segments have figures of their own; all others are combined.

    Returns
    -------
    figures : sequence of pyspark.sql.Row, or of dict
        The rows of :mod:`workbench.funnel.worker.trend`; none without entrants.
    skipped : int
        How many rows were left out.
    """
    end = events.span[1] if isinstance(events, Prepared) and events.span else None
    window = funnel.span(events.integer_time)
    summary = TrendTask(len(funnel.labels), window, end, MOST_POINTS, largest)
    schema = trend_schema(segment_types(funnel, events, by))
    block_task = partial(EntriesTask, periods=periods, each=each_period(funnel))
    return _figures_of(funnel, events, block_task, summary, schema, by=by)


def each_period(funnel: FunnelSpec) -> bool:
    """Return whether a key counts in each period in which it takes the first step.

    Otherwise each chain counts in the period in which it begins: conversions follow each other, and
    with steps in any order no step is the first.
    """
    return funnel.counting.count != "conversions" and funnel.rules.order != "any"


def _figures_of(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    block_task: "Callable[[FunnelTask], ReachedTask | EntriesTask]",
    summary: SummaryTask | TrendTask,
    schema: "StructType",
    **more: Any,
) -> "tuple[Sequence[Row | dict[str, Any]], int]":
    """Return the figures that one worker computes of all keys, and how many rows were skipped."""
    from pyspark.sql import Observation

    if isinstance(events, Prepared):
        prepared = block_task(prepared_task(funnel, events, **more))
        return _prepared_figures(funnel, events, prepared, summary, schema), events.skipped
    if (here := in_driver(funnel, events, **more)) is not None:
        bundled = here.answers(block_task(here.task).from_rows)
        summed = run_in_driver(summary.run, bundled)
        return collected(as_dataframe(summed, schema, here.spark)), here.skipped
    skipped = Observation()
    # Only the end of the data tells whose window is still open.
    with_latest = isinstance(summary, TrendTask) or more.get("entered", False)
    run: Run
    sum_up: Run
    if funnel.cut is not None and funnel.uncut is None and isinstance(summary, SummaryTask):
        rows, task, _ = _piece_rows(funnel, events, with_latest, skipped, **more)
        in_pieces = PiecesTask(task)
        run, sum_up = in_pieces.times_since_first, partial(in_pieces.sum_up, summary=summary)
    else:
        rows, task = _bundled_rows(funnel, events, with_latest, skipped, **more)
        run, sum_up = block_task(task).from_rows, summary.run
    bundles = rows.mapInArrow(named_task("funnel kernel", run), f"{BUNDLE} binary")
    figures = _figures_of_bundles(bundles, sum_up, schema)
    return figures, skipped_of(skipped, bool(figures), events)


def _bundled_rows(
    funnel: FunnelSpec,
    events: BoundTable,
    with_latest: bool = False,
    skipped: "Observation | None" = None,
    **more: Any,
) -> "tuple[DataFrame, FunnelTask]":
    """Return the rows in bundles, and the task of the workers."""
    what, keep, task = _columns(funnel, events, more)
    return select_rows(events, what, keep, task.only_matching, with_latest, skipped), task


def _piece_rows(
    funnel: FunnelSpec,
    events: BoundTable,
    with_latest: bool = False,
    skipped: "Observation | None" = None,
    **more: Any,
) -> "tuple[DataFrame, FunnelTask, RangePlan]":
    """Return the same with large keys cut, and how they are cut."""
    what, keep, task = _columns(funnel, events, more)
    wanted = worker_columns(events, what, keep)
    cutting = _cutting(funnel, events, task, wanted)
    summaries = summaries_of(cutting, events, wanted, task.only_matching)
    rows = piece_rows(
        events.df, wanted, cutting, summaries, skipped=skipped, only_matching=task.only_matching,
        text_as_codes=True, latest=TIME if with_latest else None,
    )  # fmt: skip
    return rows, task, cutting


def _columns(
    funnel: FunnelSpec, events: BoundTable, more: dict[str, Any]
) -> "tuple[dict[str, Column], Sequence[str], FunnelTask]":
    """Return the columns of what happened, further columns, and the task of the workers."""
    ship(events.without_rows.sparkSession)
    by = more.get("by", ())
    columns = bits(funnel, events, by)
    if "levels" in more and funnel.event in events.names:
        more["next"], columns = NAME, columns | event_name(events, funnel.event)
    more.setdefault("period", period_of(funnel, events))
    task = task_of(funnel, events.integer_time, names=False, **more)
    return columns, funnel.segmenting.columns(by), task


def _cutting(
    funnel: FunnelSpec, events: BoundTable, task: FunnelTask, wanted: "dict[str, Column]"
) -> RangePlan:
    """Return how large keys are cut when these columns are shuffled."""
    rows, _ = numbered(events.df, wanted)
    return range_plan(task, funnel.cut or "auto", shuffle_of(rows))


def _prepared_figures(
    funnel: FunnelSpec,
    events: Prepared,
    task: ReachedTask | EntriesTask,
    summary: SummaryTask | TrendTask,
    schema: "StructType",
) -> "Sequence[Row | dict[str, Any]]":
    # Arrow returns a timestamp with a time zone, and Spark without one.
    kinds = [kind.typeName() for kind in segment_types(funnel, events, task.funnel.by)]
    if events.tasks == 1 and "timestamp" not in kinds:
        batches = run_in_driver(lambda all: summary.run(task.from_blocks(all)), events.fetched())
        return [row for batch in batches for row in batch.to_pylist()]
    bundles = events.packed().mapInArrow(
        named_task("funnel kernel", task.from_blocks), f"{BUNDLE} binary"
    )
    return _figures_of_bundles(bundles, summary.run, schema)


def _figures_of_bundles(bundles: "DataFrame", sum_up: Run, schema: "StructType") -> "Sequence[Row]":
    """Return the figures that one worker computes from all bundles."""
    return collected(
        bundles.repartition(1).mapInArrow(named_task("funnel figures", sum_up), schema)
    )


def _summary_task(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    by: tuple[str, ...],
    bins: int,
    largest: int | None,
    ranks: Ranks | None,
) -> "tuple[SummaryTask, StructType]":
    """Return the task that sums up all bundles, and the schema of its result."""
    widths = ROUND_COUNTS if events.integer_time else ROUND_TIMES
    summary = SummaryTask(
        len(funnel.labels), bins, widths, MOST_SEGMENTS, funnel.rules.optional, largest, ranks,
        funnel.span(events.integer_time),
    )  # fmt: skip
    return summary, summary_schema(segment_types(funnel, events, by))
