"""Window functions on Spark, from Parquet to Parquet, against DuckDB and Spark itself."""

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import workbench as wb
from benchmarks.measuring.measure import check_same, seconds, side_by_side
from benchmarks.measuring.report import Report, Result, plain_seconds
from benchmarks.windows import hot_key
from benchmarks.windows.readings import stored
from benchmarks.windows.ways import THREADS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTS = ("spark", "percentile", "operator", "engine", "cut")
SENSORS = 20
IQR = {"iqr": wb.fn.quantile("value", [0.25, 0.5, 0.75])}
FRAME = wb.Frame.rows(-1_000, 0)
LARGE = 20_000_000
#: Spark sorts a thousand values for each row, so it gets as few rows as still take seconds.
PERCENTILE_ROWS = 100_000
#: Warm-up runs before the measurement, and the seconds from which on a way is not run again.
WARM, PATIENCE = 8, 15.0
TREE = "spark.sql.window.segmentTree.enabled"

Functions = Mapping[str, Any]


@dataclass
class OnSpark:
    """The settings that the parts about Spark share.

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

    def rows(self, rows: int, sensors: int) -> "DataFrame":
        """Return readings from their files."""
        return self.spark.read.parquet(str(stored(rows, sensors, self.folder)))

    def write(self, rows: int, sensors: int, over: wb.Over) -> None:
        """Compute from Parquet to Parquet."""
        answer = over.run(self.rows(rows, sensors))
        answer.write.mode("overwrite").parquet(str(self.folder / "answer-of-spark"))

    def by_duckdb(self, rows: int, sensors: int) -> None:
        """Compute :data:`IQR` with DuckDB from Parquet to Parquet."""
        query = f"""
            SELECT *, quantile_cont(value, [0.25, 0.5, 0.75]) OVER (
                PARTITION BY sensor ORDER BY time ROWS BETWEEN 1000 PRECEDING AND CURRENT ROW
            ) AS iqr FROM '{stored(rows, sensors, self.folder)}/*.parquet'
        """
        to = self.folder / "answer-of-duckdb"
        shutil.rmtree(to, ignore_errors=True)
        with duckdb.connect(config={"threads": THREADS}) as connection:
            connection.execute(f"COPY ({query}) TO '{to}' (FORMAT parquet, PER_THREAD_OUTPUT)")

    def timed(
        self, ways: Mapping[str, Callable[[], Any]], patience: float = math.inf
    ) -> dict[str, float]:
        """Return the median time of each way."""
        timings = side_by_side(ways, self.rounds, same=False, patience=patience)
        return {name: timing.median for name, timing in timings.items()}

    def report_ratio(
        self,
        what: str,
        other: str,
        rows: int,
        ours: float,
        theirs: float,
        most: float | None = None,
    ) -> None:
        """Report our time as a multiple of another's."""
        cells = plain_seconds(ours), plain_seconds(theirs)
        self.report.add(Result(what, other, rows, *cells, ours / theirs, most))


def run(sizes: Sequence[int], rounds: int, folder: Path, report: Report, chosen: set[str]) -> None:
    """Measure the chosen parts.

    Parameters
    ----------
    sizes : sequence of int
        Readings in each file.
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    report : Report
        Gets the results.
    chosen : set of str
    """
    if not chosen & set(PARTS):
        return
    bench = OnSpark(wb.session({"spark.master": f"local[{THREADS}]"}), folder, rounds, report)
    # The first job starts Python's workers and loads the kernels, and Java compiles what it runs
    # often: both belong to no line.
    for _ in range(WARM):
        bench.write(sizes[0], SENSORS, over(FRAME, IQR))
    if "spark" in chosen:
        for rows in sizes:
            end_to_end(bench, rows)
    if "percentile" in chosen:
        percentile(bench, sizes[0])
    if "engine" in chosen:
        engine(bench, sizes[0])
    if "operator" in chosen:
        operator(bench, sizes[0])
    if "cut" in chosen:
        hot_key.cut(bench.spark, sizes[-1], rounds, folder, report)


def end_to_end(bench: OnSpark, rows: int) -> None:
    """Compare the moving IQR with DuckDB's, and one partition with twenty."""
    what = "wb.over, three quantiles of 1,001 rows"
    times = bench.timed(
        {
            "20 parts": partial(bench.write, rows, SENSORS, over(FRAME, IQR)),
            "1 part": partial(bench.write, rows, 1, over(FRAME, IQR)),
            "DuckDB": partial(bench.by_duckdb, rows, SENSORS),
            "DuckDB, 1 part": partial(bench.by_duckdb, rows, 1),
        }
    )
    most = 1.2 if rows >= LARGE else 2.0
    even = times["20 parts"]
    same_answers(bench, rows)
    bench.report_ratio(what, "DuckDB", rows, even, times["DuckDB"], most)
    bench.report_ratio(f"{what}, 1 part", "DuckDB", rows, times["1 part"], times["DuckDB, 1 part"])
    bench.report_ratio(f"{what}, 1 part", "20 parts", rows, times["1 part"], even, 1.3)


def same_answers(bench: OnSpark, rows: int) -> None:
    """Refuse results of Spark and of DuckDB that differ."""
    bench.write(rows, SENSORS, over(FRAME, IQR))
    bench.by_duckdb(rows, SENSORS)
    # In integers, as a sum of floats depends on the order of the rows: values have two decimals,
    # and quantiles between two of them are multiples of 1 / 400.
    totals = ", ".join(f"sum(round(iqr[{k}] * 10000)::BIGINT)" for k in (1, 2, 3))
    paths = {who: bench.folder / f"answer-of-{who}" for who in ("spark", "duckdb")}
    with duckdb.connect() as connection:
        queries = {
            who: f"SELECT count(*), {totals} FROM '{path}/*.parquet'" for who, path in paths.items()
        }
        check_same({who: connection.sql(query).fetchall() for who, query in queries.items()})


def percentile(bench: OnSpark, rows: int) -> None:
    """Compare the time per row with that of Spark's own percentile, on fewer rows."""
    few = min(PERCENTILE_ROWS, rows)
    ours = partial(bench.write, rows, SENSORS, over(FRAME, IQR))
    theirs = partial(bench.write, few, SENSORS, over(FRAME, IQR, "spark"))
    our_row, their_row = bench.timed({"ours": ours})["ours"] / rows, seconds(theirs) / few
    cells = f"{our_row * 1e6:.2f} us", f"{their_row * 1e6:.2f} us"
    what = "three quantiles of 1,001 rows, a row"
    against = f"percentile, {few:,} rows"
    bench.report.add(Result(what, against, rows, *cells, their_row / our_row, 100, at_most=False))


def operator(bench: OnSpark, rows: int) -> None:
    """Compare a sum and a maximum with Spark's own operator, its segment tree off and on."""
    functions = {"total": wb.fn.sum("value"), "most": wb.fn.max("value")}
    for size in (101, 1_001, 10_001):
        frame = wb.Frame.rows(1 - size, 0)
        spark = partial(bench.write, rows, SENSORS, over(frame, functions, "spark"))
        ways: dict[str, Callable[[], None]] = {
            "kernels": partial(bench.write, rows, SENSORS, over(frame, functions, "kernel")),
            "Spark, segment tree": partial(with_tree, bench, spark),
        }
        if size <= 1_001:
            ways["Spark, no tree"] = spark
        compare_with_kernels(bench, f"sum and max of {size:,} rows", rows, ways)


def engine(bench: OnSpark, rows: int) -> None:
    """Compare the kernels with Spark's operator where engine='auto' may take either."""
    total = {"total": wb.fn.sum("value")}
    calls: dict[str, tuple[wb.Frame | None, Functions]] = {
        f"sum of {size} rows": (wb.Frame.rows(1 - size, 0), total) for size in (3, 11, 16, 31)
    }
    calls["rank and lag"] = None, {"rank": wb.fn.rank(), "lag": wb.fn.lag("value")}
    calls["running sum"] = wb.Frame.rows(None, 0), total
    calls["sum of each partition"] = wb.Frame.rows(None, None), total
    for name, (frame, functions) in calls.items():
        ways = {
            who: partial(bench.write, rows, SENSORS, over(frame, functions, engine))
            for who, engine in (("kernels", "kernel"), ("Spark's operator", "spark"))
        }
        compare_with_kernels(bench, name, rows, ways)


def compare_with_kernels(
    bench: OnSpark, what: str, rows: int, ways: Mapping[str, Callable[[], None]]
) -> None:
    """Time ways, and report the kernels' time against that of each other way."""
    times = bench.timed(ways, PATIENCE)
    ours = times.pop("kernels")
    for other, took in times.items():
        bench.report_ratio(what, other, rows, ours, took)


def over(frame: wb.Frame | None, functions: Functions, engine: str = "auto") -> wb.Over:
    """Return window functions over the readings of each sensor."""
    return wb.Over("sensor", "time", frame, engine, **functions)


def with_tree(bench: OnSpark, run: Callable[[], None]) -> None:
    """Run while Spark's segment tree is on."""
    with _setting(bench.spark, TREE, "true"):
        run()


@contextmanager
def _setting(spark: "SparkSession", name: str, value: str) -> Iterator[None]:
    before = str(spark.conf.get(name))
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, before)
