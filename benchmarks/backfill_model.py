"""The cost model of backfills against runs, their workers' memory, and a key worth cutting."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchmarks.backfill_bench import Bench, backfill
from benchmarks.measure import seconds
from benchmarks.report import Result, megabytes, plain_seconds, short
from benchmarks.spark_metrics import WorkerPeak, shuffled
from benchmarks.visits import Visits
from workbench.backfill.bind import Plan
from workbench.backfill.inspect import cost
from workbench.backfill.inspect.cost import Cost, CutKeys
from workbench.backfill.inspect.explain import kinds_of, sizes_of
from workbench.backfill.methods import PLANS
from workbench.backfill.split.plan import SplitPlan

if TYPE_CHECKING:
    import pandas as pd

#: The model is compared with runs at these sizes; half of all rows have one key.
MODELLED = ((10_000, 10_000), (100_000, 100_000), (1_000_000, 100_000))
#: Events of the same keys, hops and queries, tenfold; and how much a worker's memory may grow.
GROWING, ASKED, FLAT = (1_000_000, 10_000_000), 10_000, 1.25
#: With so many tasks behind the shuffle, a key of such a share holds them up.
MANY, SHARES = 16, (0.5, 0.9)


def model(bench: Bench) -> None:
    """Compare rows and bytes shuffled, tasks, and the largest task with what the model says."""
    for events, queries in MODELLED:
        plan = _plan(bench, Visits(events, queries, hot=True))
        for method, said in said_by_model(plan).items():
            work = PLANS[method](plan)
            tasks = backfill().tasks(plan.queries.df, plan.events.df, method)
            save = work.answers().write.format("noop").mode("overwrite").save
            pairs = {
                "rows": (int(tasks["rows"].sum()), said.rows),
                "bytes": (shuffled(bench.spark, save), said.bytes),
                "tasks": (int((tasks["rows"] > 0).sum()), said.tasks),
                "largest task": (int(tasks["rows"].max()), said.largest),
            }
            for what, (found, expected) in pairs.items():
                name = f"{what}, {method}, {short(events)} x {short(queries)}"
                cells = _counted(found), _counted(expected)
                ratio = found / max(expected, 1)
                bench.report.add(Result(name, "the model", events, *cells, ratio, None))


def said_by_model(plan: Plan) -> dict[str, Cost]:
    """Return what the model says of each method that has tasks."""
    sizes, kinds = sizes_of(plan), kinds_of(plan)
    hot = SplitPlan(plan).shown().collect()
    cuts = [CutKeys(1, row["rows"], row["spans"]) for row in hot]
    return {
        "tree": cost.tree(sizes, kinds),
        "scan": cost.scan(sizes, kinds),
        "sawtooth": cost.sawtooth(sizes, kinds),
        "auto": cost.auto(sizes, kinds, cuts),
    }


def memory(bench: Bench) -> None:
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


def cut(bench: Bench) -> None:
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


def _tasks(bench: Bench, plan: Plan, method: str) -> "pd.DataFrame":
    """What the tasks of a run say, behind one that warms it up."""
    asked = backfill("sawtooth")
    for _ in range(bench.rounds):
        asked.tasks(plan.queries.df, plan.events.df, method)
    return asked.tasks(plan.queries.df, plan.events.df, method)


def _plan(bench: Bench, visits: Visits, window: str = "sliding") -> Plan:
    queries, events = map(bench.spark.read.parquet, visits.paths(bench.folder))
    return backfill(window).bound(queries, events)


@contextmanager
def _partitions(bench: Bench, count: int) -> Iterator[None]:
    name = "spark.sql.shuffle.partitions"
    before = bench.spark.conf.get(name)
    bench.spark.conf.set(name, str(count))
    try:
        yield
    finally:
        bench.spark.conf.set(name, str(before))


def _counted(value: int) -> str:
    return f"{value:,}" if value < 10**7 else f"{value / 1e6:,.0f}M"
