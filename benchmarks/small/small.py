"""``python -m benchmarks small``: warm queries on small tables, against an empty job of Spark."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import workbench as wb
from benchmarks.measuring.measure import side_by_side
from benchmarks.measuring.report import Report, Result, milliseconds, short
from workbench.spark.sources.small_tables import ANSWER_IN_DRIVER, GIVEN, NEVER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORES = 2
PARTS = ("given", "workers", "parquet")
SIZES = (10_000, 100_000, 1_000_000)
#: Milliseconds beyond an empty job of as many tasks.
MOST = 300.0
EMPTY = "an empty job"
STEPS = ("visit", "cart", "pay")
FRAME = wb.Frame.rows(-1_000, 0)
FUNNEL = wb.Funnel(STEPS, 3_600, key="who", time="at", event="what")
OVER = wb.Over("who", "at", FRAME, iqr=wb.fn.quantile("value", [0.25, 0.5, 0.75]))
BACKFILL = wb.Backfill(
    "who", "at", [wb.Aggregation("avg", "value", windows=[3_600, 86_400])], "sliding"
)

Question = Callable[[Any], Any]
#: The measured calls; a DataFrame is fetched as Arrow.
QUESTIONS: dict[str, Question] = {
    "funnel steps": FUNNEL.steps,
    "funnel levels": lambda rows: FUNNEL.levels(rows).toArrow(),
    "wb.over, three quantiles": lambda rows: OVER.run(rows).toArrow(),
    "wb.quantiles": lambda rows: wb.quantiles(rows, "value", [0.5], by="who").toArrow(),
    "backfill of as many queries": lambda rows: BACKFILL.run(rows, rows).toArrow(),
}


def run(sizes: Sequence[int], rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    sizes : sequence of int
        Rows of the tables.
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Some of :data:`PARTS`: tables in memory, the same by Spark's workers, and files.
    """
    report, chosen = Report(), set(only or PARTS)
    spark = wb.session({"spark.master": f"local[{CORES}]"})
    for rows in sizes:
        table = events(rows)
        for part in (one for one in PARTS if one in chosen):
            spark.conf.set(ANSWER_IN_DRIVER, NEVER if part == "workers" else GIVEN)
            source = stored(spark, table, folder) if part == "parquet" else table
            for name, ask in QUESTIONS.items():
                compare(spark, report, rounds, f"{name}, {part}", rows, source, ask)
    spark.conf.unset(ANSWER_IN_DRIVER)
    return report


def compare(
    spark: "SparkSession",
    report: Report,
    rounds: int,
    what: str,
    rows: int,
    source: Any,
    ask: Question,
) -> None:
    """Report the time of a warm call beyond that of an empty job of two stages."""
    ways = {"ours": lambda: ask(source), EMPTY: lambda: empty(spark)}
    timings = side_by_side(ways, rounds, same=False)
    times = {name: timing.median for name, timing in timings.items()}
    report.took(f"{what}, {short(rows)}", rows, times)
    beyond = (times["ours"] - times[EMPTY]) * 1_000
    cells = milliseconds(times["ours"]), milliseconds(times[EMPTY])
    report.add(Result(what, EMPTY, rows, *cells, beyond, MOST, "ms more"))


def empty(spark: "SparkSession") -> None:
    """Run a job with as many tasks before and after a shuffle as a small query has."""
    tasks = 2 * CORES
    spark.range(0, tasks, 1, CORES).repartition(tasks).toArrow()


def events(rows: int) -> pa.Table:
    """Return generated events with a hundred rows per key."""
    random = np.random.default_rng(0)
    names = pa.array([*STEPS, "help"])
    return pa.table(
        {
            "who": random.integers(0, max(rows // 100, 1), rows),
            "at": random.integers(0, 30 * 86_400, rows),
            "what": names.take(pa.array(random.integers(0, 4, rows))),
            "value": random.normal(size=rows),
        }
    )


def stored(spark: "SparkSession", table: pa.Table, folder: Path) -> Any:
    """Return a table as a DataFrame from a Parquet file."""
    path = folder / f"small-{len(table)}.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        pq.write_table(table, path)
    return spark.read.parquet(str(path))
