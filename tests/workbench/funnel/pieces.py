"""Runs a funnel's tasks as Spark would, but in process: with whole keys, and cut by time."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

import workbench as wb
from workbench.columnar.blocks import CONDITIONS, KEEP, TIME
from workbench.columnar.bundles import BUNDLE, PARTITION
from workbench.columnar.delivery import to_one_task
from workbench.columnar.key_codes import key_codes
from workbench.engine.ranges.cuts import CUTS
from workbench.engine.ranges.route import PieceTask
from workbench.engine.ranges.sample import SampleTask
from workbench.funnel.bind import task_of
from workbench.funnel.cutting import range_plan
from workbench.funnel.plan import ROUND_COUNTS
from workbench.funnel.worker.levels import FunnelTask
from workbench.funnel.worker.pieces import PiecesTask
from workbench.funnel.worker.summary import ReachedTask, SummaryTask
from workbench.spark.partitions import Shuffle


class Plan(NamedTuple):
    """How rows go to pieces.

    Attributes
    ----------
    rows_a_piece, rows_a_task, partitions : int
    """

    rows_a_piece: int
    rows_a_task: int
    partitions: int


def rows_of(events: Iterable[tuple[int, int, int, str | None]]) -> pa.Table:
    """Return events of key, time, bits of conditions and a kept value as the workers have them."""
    keys, times, bits, kept = zip(*events, strict=True)
    return pa.table(
        {
            "k0": pa.array(keys, pa.int64()),
            TIME: pa.array(times, pa.int64()),
            CONDITIONS: pa.array(bits, pa.int32()),
            f"{KEEP}seg": pa.array(kept, pa.string()),
        }
    )


def task_for(funnel: wb.Funnel, by: tuple[str, ...]) -> FunnelTask:
    """Return a funnel's task over integer times, which also returns when keys entered."""
    period = funnel.counting.period("long", "UTC")
    return task_of(funnel, True, names=False, by=by, period=period, entered=True)


def levels(task: FunnelTask, rows: pa.Table) -> list[str]:
    """Return how far each key got, with whole keys."""
    return _sorted_rows(task.from_rows(to_one_task([rows], BUNDLE, rows.column_names)))


def levels_in_pieces(task: FunnelTask, rows: pa.Table, plan: Plan, cut_for: pa.Table) -> list[str]:
    """Return the same with keys cut by time, at cuts computed for `cut_for`."""
    pieces = PiecesTask(task)
    batches: list[pa.RecordBatch] = []
    for bundles in _shuffled(task, rows, plan, cut_for):
        batches += pieces.levels(bundles, plan.partitions)
    return _sorted_rows(
        one for part in _by_partition(batches, plan) for one in pieces.join_levels(part)
    )


def figures(task: FunnelTask, rows: pa.Table) -> list[str]:
    """Return a summary, with whole keys."""
    reached = to_one_task([rows], BUNDLE, rows.column_names)
    return _sorted_rows(_summary(task).run(ReachedTask(task).from_rows(reached)))


def figures_in_pieces(task: FunnelTask, rows: pa.Table, plan: Plan, cut_for: pa.Table) -> list[str]:
    """Return the same with keys cut by time."""
    pieces = PiecesTask(task)
    batches: list[pa.RecordBatch] = []
    for bundles in _shuffled(task, rows, plan, cut_for):
        batches += pieces.times_since_first(bundles)
    return _sorted_rows(partial(pieces.sum_up, summary=_summary(task))(batches))


def _summary(task: FunnelTask) -> SummaryTask:
    optional = () if task.rules is None else task.rules.optional
    steps = len(task.steps) - len(task.done)
    steps -= 0 if task.rules is None else len(task.rules.exclusions)
    return SummaryTask(steps, 5, ROUND_COUNTS, 1_000, optional, window=task.window)


def _sorted_rows(batches: Iterable[pa.RecordBatch]) -> list[str]:
    return sorted(repr(row) for batch in batches for row in batch.to_pylist())


def _shuffled(
    task: FunnelTask, rows: pa.Table, plan: Plan, cut_for: pa.Table
) -> Iterator[list[pa.RecordBatch]]:
    """Yield the bundles of each partition after the shuffle."""
    cutting = range_plan(task, plan.rows_a_piece, Shuffle(plan.partitions))
    sampled = (*cutting.keys, TIME)
    sample = SampleTask(sampled, cutting.keys, cutting.order, plan.partitions)
    summaries = [one for part in _parts(cut_for.select(sampled), plan) for one in sample.run(part)]
    cut = cutting.cut_task
    cuts = [one[CUTS][0].as_py() for one in cut.run(summaries)]
    pieces = PieceTask(
        (*rows.column_names, PARTITION),
        cutting.keys,
        plan.partitions,
        task.only_matching,
        text_as_codes=True,
        latest=TIME,
        order=cutting.order,
    )
    to = key_codes(rows.select(cutting.keys))[0].astype("int32") % plan.partitions
    rows = rows.append_column(PARTITION, pa.array(to, pa.int32()))
    bundles: list[pa.RecordBatch] = []
    for at in range(0, len(rows), plan.rows_a_task):
        part = rows.slice(at, plan.rows_a_task)
        packed = pa.array([*cuts, None][:1] + [None] * (len(part) - 1), pa.binary())
        bundles += pieces.run(_batches(part.append_column(CUTS, packed)))
    yield from _by_partition(bundles, plan)


def _by_partition(bundles: list[pa.RecordBatch], plan: Plan) -> Iterator[list[pa.RecordBatch]]:
    values = pa.Table.from_batches(bundles)
    to = values.column(PARTITION)
    for one in range(plan.partitions):
        yield values.filter(pc.equal(to, one)).select([BUNDLE]).to_batches()


def _parts(rows: pa.Table, plan: Plan) -> Iterator[list[pa.RecordBatch]]:
    for at in range(0, len(rows), plan.rows_a_task):
        yield _batches(rows.slice(at, plan.rows_a_task))


def _batches(rows: pa.Table) -> list[pa.RecordBatch]:
    found: list[Any] = rows.combine_chunks().to_batches(max_chunksize=7)
    return found
