"""``python -m benchmarks backfill``: features as of each query, by every method and with others."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import workbench as wb
from benchmarks.backfill.bench import CORES, BackfillBench
from benchmarks.backfill.ladder import ladder
from benchmarks.backfill.tasks import FLAT, cut, memory
from benchmarks.backfill.visits import Visits
from benchmarks.measuring.measure import seconds
from benchmarks.measuring.report import Report, Result, megabytes, plain_seconds, short
from benchmarks.measuring.spark_metrics import WorkerPeak
from workbench.backfill.methods import METHODS

PARTS = ("sizes", "naive", "hot", "methods", "cut", "memory", "kernels")
#: Numbers of events and queries; the targets against DuckDB are for some of them.
SIZES = ((10_000, 10_000), (100_000, 100_000), (1_000_000, 100_000), (5_000_000, 500_000))
LARGEST = (10_000_000, 1_000_000)
#: The naive join visits each pair of a key within the longest window: seven minutes for the last.
NAIVE = ((10_000, 10_000), (100_000, 100_000), (1_000_000, 1_000_000), (2_000_000, 2_000_000))
#: Targets: at most this multiple of DuckDB's time.
AGAINST_DUCKDB = {(1_000_000, 100_000): 1.5, (5_000_000, 500_000): 0.5}


def run(rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
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
    report, chosen = Report(), set(only or PARTS)
    if "kernels" in chosen:
        ladder(report)
    if chosen == {"kernels"}:
        return report
    bench = BackfillBench(wb.session({"spark.master": f"local[{CORES}]"}), folder, rounds, report)
    # The first job starts Python's workers and loads the kernels, which no result should include.
    bench.write(Visits(*SIZES[0]))
    parts = {"sizes": sizes, "naive": naive, "hot": hot, "methods": methods}
    parts |= {"cut": cut, "memory": memory}
    for name, part in parts.items():
        if name in chosen:
            part(bench)
    return report


def sizes(bench: BackfillBench) -> None:
    """Compare with DuckDB at growing sizes, and the largest size with half of it."""
    what, before = "wb.Backfill, auto", {}
    for events, queries in SIZES:
        visits = Visits(events, queries)
        ways = {"auto": partial(bench.write, visits), "DuckDB": partial(bench.by_duckdb, visits)}
        times = bench.timed(ways)
        bench.check(("auto", "duckdb"))
        bench.report.took(what, events, times)
        cells = plain_seconds(times["auto"]), plain_seconds(times["DuckDB"])
        most = AGAINST_DUCKDB.get((events, queries))
        name = f"{what}, {short(events)} x {short(queries)}"
        ratio = times["auto"] / times["DuckDB"]
        bench.report.add(Result(name, "DuckDB", events, *cells, ratio, most))
        before[events, queries] = times["auto"]
    largest(bench, before[SIZES[-1]])


def largest(bench: BackfillBench, half: float) -> None:
    """Compare the largest size with half of it: the time, and the peak memory of a worker."""
    peaks = []
    for size in (SIZES[-1], LARGEST):
        with WorkerPeak() as peak:
            took = seconds(partial(bench.write, Visits(*size)))
        peaks.append(peak.most)
    name, rows = f"{short(LARGEST[0])} x {short(LARGEST[1])}", LARGEST[0]
    cells = plain_seconds(took), plain_seconds(half)
    what = f"wb.Backfill, auto, {name}"
    bench.report.add(Result(what, "half of both", rows, *cells, took / half, 2.2))
    cells, ratio = (megabytes(peaks[1]), megabytes(peaks[0])), peaks[1] / peaks[0]
    what = f"memory of a worker, {name}"
    bench.report.add(Result(what, "half of both", rows, *cells, ratio, FLAT))


def naive(bench: BackfillBench) -> None:
    """Compare with the naive join, up to the size for which it takes some minutes."""
    for events, queries in NAIVE:
        visits = Visits(events, queries)
        ways = {one: partial(bench.write, visits, one) for one in ("auto", "naive")}
        times = bench.timed(ways)
        bench.check(("auto", "naive"))
        cells = plain_seconds(times["auto"]), plain_seconds(times["naive"])
        least = 20 if (events, queries) == NAIVE[-1] else None
        what = f"ahead, {short(events)} x {short(queries)}"
        ahead = times["naive"] / times["auto"]
        result = Result(what, "the naive join", events, *cells, ahead, least, at_most=False)
        bench.report.add(result)


def hot(bench: BackfillBench) -> None:
    """Compare half of all rows on one key with the same number spread evenly."""
    for events, queries in SIZES[2:]:
        pair = {"hot": Visits(events, queries, hot=True), "even": Visits(events, queries)}
        times = bench.timed({name: partial(bench.write, one) for name, one in pair.items()})
        cells = plain_seconds(times["hot"]), plain_seconds(times["even"])
        ratio = times["hot"] / times["even"]
        bench.report.add(Result("half on one key", "spread evenly", events, *cells, ratio, 1.5))


def methods(bench: BackfillBench) -> None:
    """Compare the chosen method with the best of all."""
    for visits in (Visits(1_000_000, 100_000), Visits(1_000_000, 100_000, hot=True)):
        names = [name for name in METHODS if name != "naive"]
        times = bench.timed({one: partial(bench.write, visits, one) for one in ("auto", *names)})
        bench.check(("auto", *names))
        best = min(names, key=lambda one: times[one])
        cells = plain_seconds(times["auto"]), plain_seconds(times[best])
        what = "auto" + (", half on one key" if visits.hot else "")
        ratio = times["auto"] / times[best]
        bench.report.add(Result(what, f"best: {best}", visits.events, *cells, ratio, 1.2))
        bench.report.took(what, visits.events, times)
