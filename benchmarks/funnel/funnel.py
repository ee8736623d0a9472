"""``python -m benchmarks funnel``: how far users got, with the workbench and with others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from benchmarks.funnel import data, kernels_alone, peers
from benchmarks.funnel.behaviour import STEPS, behaviour
from benchmarks.measuring import memory
from benchmarks.measuring.measure import check_same, seconds, side_by_side
from benchmarks.measuring.report import Report, Result, megabytes, plain_seconds
from workbench.durations import DAY, HOUR

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CORES = 2
#: Warm-up runs of each way on Spark before the measurement.
WARM = 8
#: A call for each user takes minutes over the largest file, so pandas gets the smallest.
PANDAS_ROWS = 1_000_000

OURS, CLICKHOUSE, SPARK_SQL, PANDAS = "workbench", "ClickHouse", "Spark SQL", "applyInPandas"
MATCHING, EVERY = "cold, keys with a matching event", "cold, every key"
AGAIN = "prepared, another window"
TARGETS = {MATCHING: 4.0, EVERY: 6.0, AGAIN: 1.0}
PLAIN = "the plain funnel"
PARTS = ("compared", "variants", "questions", "behaviour", "cut")
#: Funnels with rules that are also computed with ClickHouse's SQL.
RULES: dict[str, dict[str, Any]] = {
    peers.ANY_ORDER: {"order": "any"},
    peers.EXCLUSION: {"exclude": {peers.EXCLUDED: ("add_to_cart", "checkout")}},
}
#: Funnels over the same prepared events that are compared with the plain funnel.
VARIANTS: dict[str, dict[str, Any]] = {
    "strict order": {"order": "strict"},
    "any order": {"order": "any"},
    "an optional step": {"optional": ["add_to_cart"]},
    "a window of a step": {"within": {"checkout": "10 minutes"}},
    "an exclusion": {"exclude": {"help": ("add_to_cart", "checkout")}},
    "sessions by a gap": {"count": "sessions", "session": "30 minutes"},
    "conversions": {"count": "conversions"},
    "a period": {"start": "2024-01-02", "end": "2024-01-20"},
}


@dataclass
class FunnelBench:
    """The settings that the parts of the benchmark share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    clickhouse : ClickHouse
    folder : Path
        The folder of generated files.
    rounds : int
        Measured runs of each way.
    report : Report
    """

    spark: "SparkSession"
    clickhouse: peers.ClickHouse
    folder: Path
    rounds: int
    report: Report


def run(sizes: Sequence[int], rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure everything for files of several sizes and return the results.

    Parameters
    ----------
    sizes : sequence of int
        Events in each file, ascending; the targets are checked on the last.
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Some of :data:`PARTS`, all of them when it is empty.

    Returns
    -------
    Report
    """
    chosen = set(only or PARTS)
    spark = wb.session({"spark.master": f"local[{CORES}]"})
    bench = FunnelBench(spark, peers.ClickHouse(CORES), folder, rounds, Report())
    warm(bench, sizes[0])
    if "compared" in chosen:
        compared(bench, sizes)
    if "variants" in chosen:
        variants(bench, sizes[-1])
    if "questions" in chosen:
        questions(bench, sizes[-1])
    if "behaviour" in chosen:
        behaviour(spark, sizes[-1], folder, rounds, bench.report)
    if "cut" in chosen:
        cut(bench, sizes[-1])
    return bench.report


def compared(bench: FunnelBench, sizes: Sequence[int]) -> None:
    """Compare with others, and with the workbench itself on other events."""
    for rows in sizes:
        cold(bench, rows, every_key=False, check=rows == sizes[-1])
        cold(bench, rows, every_key=True, check=rows == sizes[-1])
        for rule in RULES:
            with_rule(bench, rows, rule, check=rows == sizes[-1])
        prepared(bench, rows, check=rows == sizes[-1])
    pandas(bench, min(PANDAS_ROWS, sizes[-1]))
    kernel(bench, sizes[-1])
    growth(bench, sizes)
    heavy_user(bench, sizes[-1])
    worker_memory(bench, sizes[-1])


def warm(bench: FunnelBench, rows: int) -> None:
    """Let Java compile the hot code of both ways on Spark, which no result should include."""
    for every_key in WARM * (False, True):
        path = data.clicks(bench.spark, rows, bench.folder)
        question = peers.Question(path, STEPS, HOUR, every_key)
        ours(bench.spark, question)
        peers.spark_sql(bench.spark, question)


def cold(bench: FunnelBench, rows: int, every_key: bool, check: bool) -> None:
    """Time a new query of the file."""
    what = EVERY if every_key else MATCHING
    question = peers.Question(data.clicks(bench.spark, rows, bench.folder), STEPS, HOUR, every_key)
    ways = {
        OURS: partial(ours, bench.spark, question),
        CLICKHOUSE: partial(bench.clickhouse.histogram, question),
        SPARK_SQL: partial(peers.spark_sql, bench.spark, question),
    }
    medians = measure(bench, what, rows, ways)
    if check:
        compare(bench, what, rows, medians, CLICKHOUSE, TARGETS[what])
        ahead(bench, what, rows, medians, SPARK_SQL, 1.5)


def with_rule(bench: FunnelBench, rows: int, rule: str, check: bool) -> None:
    """Time a new query of the file for a funnel with a rule, against the same in SQL."""
    path, what = data.clicks(bench.spark, rows, bench.folder), f"{MATCHING}, {rule}"
    question = peers.Question(path, STEPS, HOUR, every_key=False, rule=rule)
    ways = {
        OURS: partial(ours, bench.spark, question),
        CLICKHOUSE: partial(bench.clickhouse.histogram, question),
    }
    medians = measure(bench, what, rows, ways)
    if check:
        compare(bench, what, rows, medians, CLICKHOUSE, TARGETS[MATCHING])


def prepared(bench: FunnelBench, rows: int, check: bool) -> None:
    """Time another window over prepared events, against ClickHouse's whole query."""
    path = data.clicks(bench.spark, rows, bench.folder)
    question = peers.Question(path, STEPS, DAY, every_key=True)
    with wb.Funnel(STEPS, "1 hour").prepare(bench.spark.read.parquet(path)) as events:
        ways = {
            OURS: lambda: peers.histogram(wb.Funnel(STEPS, "1 day").levels(events)),
            CLICKHOUSE: partial(bench.clickhouse.histogram, question),
        }
        medians = measure(bench, AGAIN, rows, ways)
    if check:
        compare(bench, AGAIN, rows, medians, CLICKHOUSE, TARGETS[AGAIN])


def variants(bench: FunnelBench, rows: int) -> None:
    """Time optional steps and other rules over prepared events, against the plain funnel."""
    path = data.clicks(bench.spark, rows, bench.folder)
    with wb.Funnel(STEPS, "1 hour").prepare(bench.spark.read.parquet(path)) as events:
        ways = {
            name: lambda rules=rules: peers.histogram(
                wb.Funnel(STEPS, "1 hour", **rules).levels(events)
            )
            for name, rules in {PLAIN: {}, **VARIANTS}.items()
        }
        times = side_by_side(ways, bench.rounds, same=False)
    for name in VARIANTS:
        ours, plain = times[name].median, times[PLAIN].median
        cells = plain_seconds(ours), plain_seconds(plain)
        bench.report.add(Result(f"prepared, {name}", PLAIN, rows, *cells, ours / plain, 1.3))


def questions(bench: FunnelBench, rows: int) -> None:
    """Time other tables over prepared events, against the table of the plain funnel's steps."""
    path, funnel = data.clicks(bench.spark, rows, bench.folder), wb.Funnel(STEPS, "1 hour")
    with funnel.prepare(bench.spark.read.parquet(path), keep=["device"]) as events:
        ways = {
            PLAIN: lambda: funnel.steps(events),
            "a trend by day": lambda: funnel.trend(events, every="1 day"),
            "a trend by week, of segments": lambda: funnel.trend(events, "1 week", by="device"),
            "segments compared": lambda: funnel.compare(events, by="device"),
        }
        times = side_by_side(ways, bench.rounds, same=False)
    for name in [*ways][1:]:
        ours, plain = times[name].median, times[PLAIN].median
        cells = plain_seconds(ours), plain_seconds(plain)
        bench.report.add(Result(f"prepared, {name}", PLAIN, rows, *cells, ours / plain, 1.5))


def pandas(bench: FunnelBench, rows: int) -> None:
    """Time one Python call for each user, once, over a smaller file."""
    question = peers.Question(data.clicks(bench.spark, rows, bench.folder), STEPS, HOUR, False)
    answers: dict[str, Any] = {OURS: ours(bench.spark, question)}

    def by_pandas() -> None:
        answers[PANDAS] = peers.apply_in_pandas(bench.spark, question)

    times = {PANDAS: seconds(by_pandas)}
    check_same(answers)
    times |= measure(bench, MATCHING, rows, {OURS: partial(ours, bench.spark, question)})
    bench.report.took(MATCHING, rows, times)
    ahead(bench, MATCHING, rows, times, PANDAS, 20)


def kernel(bench: FunnelBench, rows: int) -> None:
    """Measure the compiled kernel without Spark."""
    path = data.clicks(bench.spark, rows, bench.folder)
    columns = kernels_alone.columns_of(path, STEPS)
    events = len(columns[1])
    for name, measure, target in (
        ("the compiled kernel, sorted columns", kernels_alone.scan_seconds, 10),
        ("the same with entries made, sorted and lifted", kernels_alone.whole_seconds, None),
    ):
        took = measure(columns, len(STEPS), HOUR, bench.rounds)
        each = took / events * 1e9
        bench.report.add(
            Result(name, "", events, plain_seconds(took), "", each, target, "ns/event")
        )
    first = kernels_alone.first_call_seconds(bench.rounds)
    what = "first call in a new Python process"
    bench.report.add(Result(what, "", 2, plain_seconds(first), "", first, 1, "s"))


def growth(bench: FunnelBench, sizes: Sequence[int]) -> None:
    """Compare the largest file's time with the smallest one's; the target is linear growth."""
    least, most = sizes[0], sizes[-1]
    if least == most:
        return
    for what in TARGETS:
        times = bench.report.seconds[what][OURS]
        cells = plain_seconds(times[most]), plain_seconds(times[least])
        ratio, linear = times[most] / times[least], most / least
        bench.report.add(Result(f"growth: {what}", f"{least:,} rows", most, *cells, ratio, linear))


def heavy_user(bench: FunnelBench, rows: int) -> None:
    """Compare events of which one user has half with the same events spread evenly."""
    paths = {
        "one user has half": data.one_heavy(bench.spark, rows, bench.folder),
        "spread evenly": data.even(bench.spark, rows, bench.folder),
    }
    for every_key in (False, True):
        what = "one user has half, " + ("every key" if every_key else "matching keys")
        base = peers.Question("", STEPS, HOUR, every_key)
        ways = {
            name: partial(ours, bench.spark, replace(base, path=path))
            for name, path in paths.items()
        }
        for path in paths.values():
            question = replace(base, path=path)
            check_same(
                {
                    OURS: ours(bench.spark, question),
                    CLICKHOUSE: bench.clickhouse.histogram(question),
                }
            )
        times = side_by_side(ways, bench.rounds, same=False)
        heavy, even = (times[name].median for name in paths)
        cells = plain_seconds(heavy), plain_seconds(even)
        bench.report.add(Result(what, "spread evenly", rows, *cells, heavy / even, 1.5))


def cut(bench: FunnelBench, rows: int) -> None:
    """Time levels with whole keys, and with large keys cut by time."""
    paths = {
        "one user has half": data.one_heavy(bench.spark, rows, bench.folder),
        "spread evenly": data.even(bench.spark, rows, bench.folder),
    }
    for name, path in paths.items():
        events = bench.spark.read.parquet(path)
        funnels = {f"cut={cut!r}": wb.Funnel(STEPS, "1 hour", cut=cut) for cut in (None, "auto")}
        ways = {one: partial(_levels_of, funnel, events) for one, funnel in funnels.items()}
        measure(bench, f"large keys, {name}", rows, ways)


def _levels_of(funnel: wb.Funnel, events: "DataFrame") -> peers.Histogram:
    return peers.histogram(funnel.levels(events))


def worker_memory(bench: FunnelBench, rows: int) -> None:
    """Compare the peak memory of a Python worker with the size of its block."""
    path = data.clicks(bench.spark, rows, bench.folder)
    for task, (peak, block) in memory.peaks(bench.spark, wb.Funnel(STEPS, "1 hour"), path).items():
        cells = megabytes(peak), megabytes(block)
        bench.report.add(
            Result(f"worker's peak, {task}", "its block", rows, *cells, peak / block, 4)
        )


def ours(spark: "SparkSession", question: peers.Question) -> peers.Histogram:
    """Compute the levels with the workbench."""
    from pyspark.sql import functions as F

    events, rules = spark.read.parquet(question.path), RULES.get(question.rule or "", {})
    if not question.every_key:
        names = [*question.steps, *rules.get("exclude", ())]
        events = events.where(F.col("event").isin(names))
    window = f"{question.window} microseconds"
    return peers.histogram(wb.Funnel(question.steps, window, **rules).levels(events))


def measure(bench: FunnelBench, what: str, rows: int, ways: dict[str, Any]) -> dict[str, float]:
    """Time ways in turns, keep their medians in the report and return them."""
    timings = side_by_side(ways, bench.rounds)
    medians = {name: timing.median for name, timing in timings.items()}
    bench.report.took(what, rows, medians)
    return medians


def compare(
    bench: FunnelBench, what: str, rows: int, times: dict[str, float], other: str, target: float
) -> None:
    """Report our time as a multiple of another's."""
    cells = plain_seconds(times[OURS]), plain_seconds(times[other])
    bench.report.add(Result(what, other, rows, *cells, times[OURS] / times[other], target))


def ahead(
    bench: FunnelBench, what: str, rows: int, times: dict[str, float], other: str, target: float
) -> None:
    """Report another's time as a multiple of ours."""
    cells, ratio = (
        (plain_seconds(times[OURS]), plain_seconds(times[other])),
        (times[other] / times[OURS]),
    )
    bench.report.add(Result(f"{what}, ahead of", other, rows, *cells, ratio, target, at_most=False))
