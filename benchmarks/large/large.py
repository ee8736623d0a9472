"""``python -m benchmarks large``: how time and a worker's memory grow with the rows.

Spark has less memory than the rows need, so it shuffles through its disks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import workbench as wb
from benchmarks.backfill.bench import backfill
from benchmarks.backfill.tasks import FLAT
from benchmarks.backfill.visits import Visits
from benchmarks.funnel import data as clicks
from benchmarks.funnel.behaviour import STEPS
from benchmarks.funnel.funnel import CORES
from benchmarks.large.data import readings
from benchmarks.measuring.measure import seconds
from benchmarks.measuring.report import Report, Result, megabytes, plain_seconds, short
from benchmarks.measuring.spark_metrics import WorkerPeak, disk_bytes
from benchmarks.windows.on_spark import FRAME, IQR

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The memory of Spark's JVM: a quarter of the size of 200M rows of a key, a time and a number.
MEMORY = "1200m"
#: The smaller run has a tenth of the rows; the larger may take 1.1 times its share of the time.
TENTH, LINEAR = 10, 1.1
EVENTS_A_QUERY = 100

Ask = Callable[["SparkSession", int, Path], "DataFrame"]


def run(rows: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rows : int
        The rows of the larger run; the smaller has a tenth of them. A backfill has a query for
        each hundred events.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Some of :data:`PARTS`, all of them when it is empty.

    Returns
    -------
    Report
    """
    report, chosen = Report(), set(only or PARTS)
    settings = {"spark.master": f"local[{CORES}]", "spark.driver.memory": MEMORY}
    spark = wb.session(settings)
    for name, ask in QUESTIONS.items():
        if name in chosen:
            compare_sizes(report, spark, name, ask, rows, folder)
    return report


def funnel(spark: "SparkSession", rows: int, folder: Path) -> "DataFrame":
    """Return how far every user got."""
    events = spark.read.parquet(clicks.clicks(spark, rows, folder))
    return wb.Funnel(STEPS, "1 hour").levels(events)


def windows(spark: "SparkSession", rows: int, folder: Path) -> "DataFrame":
    """Return three moving quantiles of a thousand rows."""
    over = wb.Over("sensor", "time", FRAME, iqr=IQR["iqr"])
    return over.run(spark.read.parquet(readings(rows, folder)))


def features(spark: "SparkSession", rows: int, folder: Path) -> "DataFrame":
    """Return five functions over three sliding windows, as of each query."""
    visits = Visits(rows, rows // EVENTS_A_QUERY)
    queries, events = map(spark.read.parquet, visits.paths(folder))
    return backfill().run(queries, events)


QUESTIONS: dict[str, Ask] = {"funnel": funnel, "windows": windows, "backfill": features}
PARTS = tuple(QUESTIONS)


def compare_sizes(
    report: Report,
    spark: "SparkSession",
    name: str,
    ask: Ask,
    rows: int,
    folder: Path,
) -> None:
    """Compare the time and the peak memory of a worker with those for a tenth of the rows."""
    took, most, disks = [], [], 0
    # The first run is only a warm-up.
    for size in (rows // TENTH, rows // TENTH, rows):
        before = disk_bytes(spark)
        with WorkerPeak() as peak:
            took.append(seconds(partial(write_noop, ask(spark, size, folder))))
        disks = disk_bytes(spark) - before
        most.append(peak.most)
    against = f"{short(rows // TENTH)} rows"
    cells = plain_seconds(took[2]), plain_seconds(took[1])
    report.add(Result(name, against, rows, *cells, took[2] / took[1], TENTH * LINEAR))
    cells = megabytes(most[2]), megabytes(most[1])
    memory = f"{name}: memory of a worker"
    report.add(Result(memory, against, rows, *cells, most[2] / most[1], FLAT))
    cells, against = (megabytes(disks), MEMORY), "memory of Spark"
    report.add(Result(f"{name}: on disks", against, rows, *cells, disks / 1e9, None, "GB"))
    report.took(name, rows // TENTH, {"workbench": took[1]})
    report.took(name, rows, {"workbench": took[2]})


def write_noop(answer: "DataFrame") -> None:
    """Compute the result into a sink that discards the rows."""
    answer.write.format("noop").mode("overwrite").save()
