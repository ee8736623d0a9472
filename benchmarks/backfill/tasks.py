"""The memory of a backfill's workers, and a key worth cutting."""

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

#: Events of the same keys, hops and queries, tenfold; and how much a worker's memory may grow.
GROWING, ASKED, FLAT = (1_000_000, 10_000_000), 10_000, 1.25
#: With so many tasks behind the shuffle, a key of such a share holds them up.
MANY, SHARES = 16, (0.5, 0.9)


def memory(bench: BackfillBench) -> None:
    """Compare the peak of a worker with that for a tenth of the events, of as many hops."""
    for method in ("tree", "scan", "sawtooth"):
        peaks = []
        for events in GROWING:
            plan = _plan(bench, Visits(events, ASKED), "sawtooth")
            save = PLANS[method](plan).answers().write.format("noop").mode("overwrite").save
            with WorkerPeak() as peak:
                took = seconds(save)
            peaks.append(peak.most)
            bench.report.took(f"{short(ASKED)} queries", events, {method: took})
        cells = megabytes(peaks[1]), megabytes(peaks[0])
        name = f"memory of a worker, {method}, tenfold events"
        result = Result(
            name, "a tenth of the events", GROWING[1], *cells, peaks[1] / peaks[0], FLAT
        )
        bench.report.add(result)


def cut(bench: BackfillBench) -> None:
    """Compare the longest task with and without cutting a key of most rows.

    Two cores share few tasks well enough, so a run is no shorter there: what a machine with a core
    for each task would wait for is the longest of them. Of sliding windows every event is a hop of
    its own, so cutting a key saves little; these are sawtooth ones.
    """
    for share in SHARES:
        visits = Visits(5_000_000, 500_000, hot=True, share=share)
        plan = _plan(bench, visits)
        with _partitions(bench, MANY):
            runs = {one: _tasks(bench, plan, one) for one in ("auto", "scan")}
        longest = {name: float(run["seconds"].max()) for name, run in runs.items()}
        what = f"longest task, {share:.0%} on one key, {MANY} tasks"
        cells = plain_seconds(longest["auto"]), plain_seconds(longest["scan"])
        ratio = longest["auto"] / longest["scan"]
        bench.report.add(Result(what, "keys whole", visits.events, *cells, ratio, 0.5))
        for name, run in runs.items():
            rows, all_of_them = int(run["rows"].max()), float(run["seconds"].sum())
            print(f"  {name}: largest task {rows:,} rows, all tasks {all_of_them:.1f} s")


def _tasks(bench: BackfillBench, plan: Plan, method: str) -> "pd.DataFrame":
    """What the tasks of a run say, behind one that warms it up."""
    asked = backfill("sawtooth")
    for _ in range(bench.rounds):
        asked.tasks(plan.queries.df, plan.events.df, method)
    return asked.tasks(plan.queries.df, plan.events.df, method)


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
