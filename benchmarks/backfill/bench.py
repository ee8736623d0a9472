"""What the parts of the benchmark of backfills share: the features, and ways to compute them."""

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import workbench as wb
from benchmarks.backfill.visits import Visits
from benchmarks.measuring.measure import check_same, side_by_side
from benchmarks.measuring.report import Report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORES = 2
WINDOWS = {"5 hours": 18_000, "7 days": 604_800, "90 days": 7_776_000}
FUNCTIONS = ("count", "sum", "avg", "max", "last")
#: A way whose first run takes more seconds than this is not run again.
PATIENCE = 20.0


@dataclass
class BackfillBench:
    """The settings that the parts of the benchmark share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    folder : Path
        The folder of generated files and of answers.
    rounds : int
        Measured runs of each way.
    report : Report
    """

    spark: "SparkSession"
    folder: Path
    rounds: int
    report: Report

    def write(self, visits: Visits, method: str = "auto") -> None:
        """Compute from Parquet to Parquet."""
        queries, events = map(self.spark.read.parquet, visits.paths(self.folder))
        features = backfill().run(queries, events, method)
        features.write.mode("overwrite").parquet(str(self.folder / f"features-{method}"))

    def by_duckdb(self, visits: Visits) -> None:
        """Compute with DuckDB's windows over the union of both tables, from Parquet to Parquet."""
        to = self.folder / "features-duckdb"
        shutil.rmtree(to, ignore_errors=True)
        queries, events = visits.paths(self.folder)
        with duckdb.connect(config={"threads": CORES}) as connection:
            text = in_duckdb(queries, events)
            connection.execute(f"COPY ({text}) TO '{to}' (FORMAT parquet, PER_THREAD_OUTPUT)")

    def check(self, methods: Sequence[str]) -> None:
        """Refuse results of the last runs that differ."""
        names = backfill().names
        totals = ", ".join(f'count("{n}"), sum("{n}")::DOUBLE' for n in names)
        with duckdb.connect() as connection:
            sql = {
                one: f"SELECT count(*), {totals} FROM '{self.folder}/features-{one}/*.parquet'"
                for one in methods
            }
            sums = {one: connection.sql(query).fetchall()[0] for one, query in sql.items()}
        first = sums[methods[0]]
        check_same({one: _rounded_to(first, row) for one, row in sums.items()})

    def timed(self, ways: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
        """Return the median time of each way."""
        timings = side_by_side(ways, self.rounds, same=False, patience=PATIENCE)
        return {name: timing.median for name, timing in timings.items()}


def _rounded_to(first: Sequence[float], row: Sequence[float]) -> list[float]:
    """Return totals, replaced by those of the first row if they differ only by rounding."""
    pairs = zip(first, row, strict=True)
    return [a if math.isclose(a, b, rel_tol=1e-9) else b for a, b in pairs]


def backfill(window: str = "sliding") -> wb.Backfill:
    """Return five functions over three windows of a kind."""
    return wb.Backfill("user", "at", five_functions(list(WINDOWS)), window=window)


def five_functions(windows: list[str]) -> list[wb.Aggregation]:
    """Return the measured functions over some windows."""
    count = wb.Aggregation("count", windows=windows)
    return [count, *(wb.Aggregation(name, "price", windows) for name in FUNCTIONS[1:])]


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
