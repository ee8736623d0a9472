"""``python -m benchmarks floor``: each path against the same Spark job with idle Python steps."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import workbench as wb
from benchmarks.backfill.bench import backfill
from benchmarks.backfill.visits import Visits
from benchmarks.floor.bandwidth import bandwidth
from benchmarks.floor.bench import FloorBench
from benchmarks.funnel import data
from benchmarks.funnel.behaviour import STEPS
from benchmarks.funnel.funnel import CORES
from benchmarks.measuring.report import Report
from benchmarks.windows.on_spark import FRAME, IQR, SENSORS
from benchmarks.windows.readings import stored
from workbench.backfill.methods import METHODS

PARTS = ("funnel", "windows", "backfill", "kernels")


def run(rows: int, rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rows : int
        The number of a funnel's events; windows have a tenth of them, backfills a fifth.
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
        bandwidth(report, rows)
    if chosen == {"kernels"}:
        return report
    spark = wb.session({"spark.master": f"local[{CORES}]"})
    bench = FloorBench(spark, folder, rounds, rows, report)
    parts = {"funnel": funnels, "windows": windows, "backfill": backfills}
    for name, part in parts.items():
        if name in chosen:
            part(bench)
    return report


def funnels(bench: FloorBench) -> None:
    """Measure a funnel of matching and of all keys, cold, and of prepared events."""
    from pyspark.sql import functions as F

    path, funnel = data.clicks(bench.spark, bench.rows, bench.folder), wb.Funnel(STEPS, "1 hour")

    def cold(every_key: bool) -> None:
        events = bench.spark.read.parquet(path)
        events = events if every_key else events.where(F.col("event").isin(list(STEPS)))
        write_noop(funnel.levels(events))

    bench.path("funnel, matching keys", partial(cold, False))
    bench.path("funnel, every key", partial(cold, True))
    with funnel.prepare(bench.spark.read.parquet(path)) as events:
        bench.path("funnel, prepared", lambda: write_noop(funnel.levels(events)))


def windows(bench: FloorBench) -> None:
    """Measure a window call from Parquet to Parquet."""
    rows = bench.rows // 10
    path, over = (
        str(stored(rows, SENSORS, bench.folder)),
        wb.Over("sensor", "time", FRAME, iqr=IQR["iqr"]),
    )

    def run() -> None:
        answer = over.run(bench.spark.read.parquet(path))
        answer.write.mode("overwrite").parquet(str(bench.folder / "floor-answer"))

    with sized(bench, rows):
        bench.path("wb.over, Parquet to Parquet", run)


def backfills(bench: FloorBench) -> None:
    """Measure each method of a backfill that has Python steps."""
    visits = Visits(bench.rows // 5, bench.rows // 50)
    with sized(bench, bench.rows // 5):
        for method in (*METHODS[1:], "auto"):
            queries, events = visits.paths(bench.folder)

            def run(method: str = method, queries: str = queries, events: str = events) -> None:
                read = bench.spark.read.parquet
                write_noop(backfill().run(read(queries), read(events), method))

            bench.path(f"backfill, {method}", run)


@contextmanager
def sized(bench: FloorBench, rows: int) -> Iterator[None]:
    """Set the number of rows of the measurements in this context."""
    before, bench.rows = bench.rows, rows
    try:
        yield
    finally:
        bench.rows = before


def write_noop(df: Any) -> None:
    """Compute the result into a sink that discards the rows."""
    df.write.format("noop").mode("overwrite").save()
