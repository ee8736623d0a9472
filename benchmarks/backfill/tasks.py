"""The memory of a backfill's workers, and the longest task with a large key."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.backfill.bench import BackfillBench, backfill
from benchmarks.backfill.visits import Visits
from benchmarks.measuring.measure import seconds
from benchmarks.measuring.report import Result, megabytes, plain_seconds, short
from benchmarks.measuring.spark_metrics import WorkerPeak
from workbench.backfill.bind import Plan
from workbench.backfill.methods import PLANS
from workbench.spark.partitions import SHUFFLE_PARTITIONS

if TYPE_CHECKING:
    import pandas as pd

#: Numbers of events of the same keys and hops; queries; and how much a worker's memory may grow.
GROWING, QUERIES, FLAT = (1_000_000, 10_000_000), 10_000, 1.25
#: The number of tasks after the shuffle, and the shares of the rows of one large key.
TASKS, SHARES = 16, (0.5, 0.9)


def memory(bench: BackfillBench) -> None:
    """Compare the peak of a worker with that for a tenth of the events in as many hops."""
    for method in ("tree", "scan", "sawtooth"):
        peaks = []
        for events in GROWING:
            plan = _plan(bench, Visits(events, QUERIES), "sawtooth")
            save = PLANS[method](plan).answers().write.format("noop").mode("overwrite").save
            with WorkerPeak() as peak:
                took = seconds(save)
            peaks.append(peak.most)
            bench.report.took(f"{short(QUERIES)} queries", events, {method: took})
        cells = megabytes(peaks[1]), megabytes(peaks[0])
        name = f"memory of a worker, {method}, tenfold events"
        result = Result(
            name, "a tenth of the events", GROWING[1], *cells, peaks[1] / peaks[0], FLAT
        )
        bench.report.add(result)


def cut(bench: BackfillBench) -> None:
    """Compare the longest task with and without cutting a key of most rows.

    On two cores, a run is not shorter, as they share few tasks well enough; a machine with a core
    for each task would wait for the longest one. The windows are sawtooth: with sliding windows,
    every event is a separate hop, so cutting a key saves little.
    """
    for share in SHARES:
        visits = Visits(5_000_000, 500_000, hot=True, share=share)
        plan = _plan(bench, visits)
        with _partitions(bench, TASKS):
            runs = {one: _tasks(bench, plan, one) for one in ("auto", "scan")}
        longest = {name: float(run["seconds"].max()) for name, run in runs.items()}
        what = f"longest task, {share:.0%} on one key, {TASKS} tasks"
        cells = plain_seconds(longest["auto"]), plain_seconds(longest["scan"])
        ratio = longest["auto"] / longest["scan"]
        bench.report.add(Result(what, "keys whole", visits.events, *cells, ratio, 0.5))
        for name, run in runs.items():
            rows, all_of_them = int(run["rows"].max()), float(run["seconds"].sum())
            print(f"  {name}: largest task {rows:,} rows, all tasks {all_of_them:.1f} s")


def _tasks(bench: BackfillBench, plan: Plan, method: str) -> "pd.DataFrame":
    """Return the reports of the tasks of a run, after warm-up runs."""
    sawtooth = backfill("sawtooth")
    for _ in range(bench.rounds):
        sawtooth.tasks(plan.queries.df, plan.events.df, method)
    return sawtooth.tasks(plan.queries.df, plan.events.df, method)


def _plan(bench: BackfillBench, visits: Visits, window: str = "sliding") -> Plan:
    queries, events = map(bench.spark.read.parquet, visits.paths(bench.folder))
    return backfill(window).bound(queries, events)


@contextmanager
def _partitions(bench: BackfillBench, count: int) -> Iterator[None]:
    before = bench.spark.conf.get(SHUFFLE_PARTITIONS)
    bench.spark.conf.set(SHUFFLE_PARTITIONS, str(count))
    try:
        yield
    finally:
        bench.spark.conf.set(SHUFFLE_PARTITIONS, str(before))
