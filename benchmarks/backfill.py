"""``python -m benchmarks backfill``: features as of each query, by every method and by others."""

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import workbench as wb
from benchmarks.ladder import ladder
from benchmarks.measure import check_same, seconds, side_by_side
from benchmarks.report import Report, Result, plain_seconds, short
from benchmarks.visits import Visits
from workbench.backfill_methods import METHODS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORES = 2
PARTS = ("sizes", "naive", "hot", "methods", "kernels")
#: Events and queries; DuckDB and the targets are of the middle ones.
SIZES = ((10_000, 10_000), (100_000, 100_000), (1_000_000, 100_000), (5_000_000, 500_000))
LARGEST = (10_000_000, 1_000_000)
#: The naive join looks at each pair of a key within the longest window: the largest it finishes.
NAIVE = ((10_000, 10_000), (100_000, 100_000), (500_000, 500_000))
#: At most so many times the time of DuckDB.
AGAINST_DUCKDB = {(1_000_000, 100_000): 1.5, (5_000_000, 500_000): 0.5}
WINDOWS = {"5 hours": 18_000, "7 days": 604_800, "90 days": 7_776_000}
FUNCTIONS = ("count", "sum", "avg", "max", "last")
#: Seconds of a run from which on one is enough.
PATIENCE = 20.0


@dataclass
class Bench:
    """What the parts of the benchmark share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    folder : Path
        Of the generated files, and of the answers.
    rounds : int
        Measured runs of each way.
    report : Report
    """

    spark: "SparkSession"
    folder: Path
    rounds: int
    report: Report

    def write(self, visits: Visits, method: str = "auto") -> None:
        """Answer from Parquet to Parquet."""
        queries, events = map(self.spark.read.parquet, visits.paths(self.folder))
        found = backfill().run(queries, events, method)
        found.write.mode("overwrite").parquet(str(self.folder / f"features-{method}"))

    def by_duckdb(self, visits: Visits) -> None:
        """Answer by DuckDB's windows over the union of both tables, from Parquet to Parquet."""
        to = self.folder / "features-duckdb"
        shutil.rmtree(to, ignore_errors=True)
        queries, events = visits.paths(self.folder)
        with duckdb.connect(config={"threads": CORES}) as connection:
            text = in_duckdb(queries, events)
            connection.execute(f"COPY ({text}) TO '{to}' (FORMAT parquet, PER_THREAD_OUTPUT)")

    def check(self, methods: Sequence[str]) -> None:
        """Refuse answers of the last runs that are not the same."""
        names = backfill().names
        totals = ", ".join(f'count("{n}"), sum("{n}")::DOUBLE' for n in names)
        with duckdb.connect() as connection:
            asked = {
                one: f"SELECT count(*), {totals} FROM '{self.folder}/features-{one}/*.parquet'"
                for one in methods
            }
            found = {one: connection.sql(query).fetchall()[0] for one, query in asked.items()}
        first = found[methods[0]]
        check_same({one: _as_in(first, row) for one, row in found.items()})

    def timed(self, ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
        """Return the median time of each way."""
        timings = side_by_side(ways, self.rounds, same=False, patience=PATIENCE)
        return {name: timing.median for name, timing in timings.items()}


def _as_in(first: Sequence[float], row: Sequence[float]) -> list[float]:
    """Totals, as in the first row where they differ by no more than the order of adding up."""
    pairs = zip(first, row, strict=True)
    return [a if math.isclose(a, b, rel_tol=1e-9) else b for a, b in pairs]


def backfill() -> wb.Backfill:
    """Return five functions over three windows."""
    windows = list(WINDOWS)
    asked = [wb.Aggregation("count", windows=windows)]
    asked += [wb.Aggregation(name, "price", windows) for name in FUNCTIONS[1:]]
    return wb.Backfill("user", "at", asked, window="sliding")


def in_duckdb(queries: str, events: str) -> str:
    """Return the same as SQL: windows over the union of both tables."""
    calls, windows = [], []
    for i, (window, length) in enumerate(WINDOWS.items()):
        windows.append(
            f'w{i} AS (PARTITION BY "user" ORDER BY "at" RANGE BETWEEN INTERVAL {length} SECONDS '
            "PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING)"
        )
        ending = window.split()[0] + window.split()[1][0]
        for function in FUNCTIONS:
            name = f"{'' if function == 'count' else 'price_'}{function}_{ending}"
            nulls = " IGNORE NULLS" if function == "last" else ""
            call = f"{function}(price{nulls}) OVER w{i}"
            calls.append(f"{call} AS {name}")
    return f"""
        SELECT * EXCLUDE (price) FROM (
            SELECT *, {", ".join(calls)} FROM (
                SELECT "user", "at", NULL::DOUBLE AS price FROM '{queries}/*.parquet'
                UNION ALL SELECT "user", "at", price FROM '{events}/*.parquet')
            WINDOW {", ".join(windows)}
        ) WHERE price IS NULL
    """


def run(rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rounds : int
        Measured runs of each way.
    folder : Path
        Where generated files are kept.
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
    bench = Bench(wb.session({"spark.master": f"local[{CORES}]"}), folder, rounds, report)
    # The first job starts Python's workers and loads the kernels, which belongs to no line.
    bench.write(Visits(*SIZES[0]))
    parts = {"sizes": sizes, "naive": naive, "hot": hot, "methods": methods}
    for name, part in parts.items():
        if name in chosen:
            part(bench)
    return report


def sizes(bench: Bench) -> None:
    """Compare with DuckDB at growing sizes, and each size's time with the one before."""
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
    took = seconds(partial(bench.write, Visits(*LARGEST)))
    half, name = before[SIZES[-1]], f"{what}, {short(LARGEST[0])} x {short(LARGEST[1])}"
    cells = plain_seconds(took), plain_seconds(half)
    bench.report.add(Result(name, "half of both", LARGEST[0], *cells, took / half, 2.2))


def naive(bench: Bench) -> None:
    """Compare with the naive join, up to the largest size that it finishes in a minute or so."""
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


def hot(bench: Bench) -> None:
    """Compare half of everything on one key with the same spread evenly."""
    for events, queries in SIZES[2:]:
        pair = {"hot": Visits(events, queries, hot=True), "even": Visits(events, queries)}
        times = bench.timed({name: partial(bench.write, one) for name, one in pair.items()})
        cells = plain_seconds(times["hot"]), plain_seconds(times["even"])
        ratio = times["hot"] / times["even"]
        bench.report.add(Result("half on one key", "spread evenly", events, *cells, ratio, 1.5))


def methods(bench: Bench) -> None:
    """Compare the method that is chosen with the best of those there are."""
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
