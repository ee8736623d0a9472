"""Running frames of a sensor with most of the readings: its partition whole, and cut."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from benchmarks.measuring.measure import check_same, side_by_side
from benchmarks.measuring.report import Report, Result, plain_seconds
from benchmarks.measuring.spark_metrics import WorkerPeak, longest_task
from benchmarks.windows.readings import stored
from workbench.spark.partitions import SHUFFLE_PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The sensor that has the readings of all codes below this one, which are nine of ten.
SENSOR, CODES = 0, 230
SENSORS, TASKS = 20, "8"
FUNCTIONS = {"so_far": wb.fn.sum("code"), "most": wb.fn.max("value"), "place": wb.fn.rank()}
#: The engine, and how it cuts.
WAYS: dict[str, tuple[str, Any]] = {
    "kernels, cut": ("kernel", "auto"),
    "kernels, whole": ("kernel", None),
    "Spark's operator": ("spark", None),
}


def cut(spark: "SparkSession", rows: int, rounds: int, folder: Path, report: Report) -> None:
    """Compare running functions of a sensor that has nine of ten readings, or its twentieth.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    rows : int
        Readings in the file.
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    report : Report
        Gets the results.
    """
    before = spark.conf.get(SHUFFLE_PARTITIONS)
    spark.conf.set(SHUFFLE_PARTITIONS, TASKS)
    even = spark.read.parquet(str(stored(rows, SENSORS, folder)))
    sensor = f"if(code < {CODES}, {SENSOR}L, sensor) AS sensor"
    hot = even.selectExpr(sensor, "time", "value", "code")
    try:
        for name, df in {"nine tenths on one key": hot, "even": even}.items():
            compare(f"running sum, max and rank, {name}", df, rows, rounds, report)
    finally:
        spark.conf.set(SHUFFLE_PARTITIONS, str(before))


def compare(what: str, df: "DataFrame", rows: int, rounds: int, report: Report) -> None:
    """Time all ways in turns, and report their largest tasks."""
    calls = {way: over_call(*how) for way, how in WAYS.items()}
    check_same({way: totals(call.run(df)) for way, call in calls.items()})
    ways = {way: partial(write_noop, call, df) for way, call in calls.items()}
    timings = side_by_side(ways, rounds, same=False)
    report.took(what, rows, {way: timing.median for way, timing in timings.items()})
    longest = {}
    for way, call in calls.items():
        with WorkerPeak() as peak:
            longest[way] = longest_task(df.sparkSession, ways[way])
        largest, memory = rows_of_largest(call.run(df)), peak.most / 1e6
        print(
            f"  {what}, {way}: largest task {largest:,} rows, {longest[way]:.2f} s, {memory:.0f} MB"
        )
    ours, whole = (longest[way] for way in list(WAYS)[:2])
    cells = plain_seconds(ours), plain_seconds(whole)
    report.add(Result(f"longest task, {what}", "keys whole", rows, *cells, ours / whole, None))


def over_call(engine: str, cut: Any) -> wb.Over:
    """Return running functions of each sensor."""
    return wb.Over("sensor", "time", None, engine, cut, **FUNCTIONS)


def write_noop(call: wb.Over, df: "DataFrame") -> None:
    """Compute the result into a sink that discards the rows."""
    call.run(df).write.format("noop").mode("overwrite").save()


def totals(result: "DataFrame") -> Any:
    """Return the number of rows and sums of all columns, to compare results."""
    totals = (f"sum(CAST({name} AS DECIMAL(20, 2)))" for name in FUNCTIONS)
    return tuple(result.selectExpr("count(*)", *totals).collect()[0])


def rows_of_largest(result: "DataFrame") -> int:
    """Return the number of rows of the largest task."""
    # The sums keep Spark from pruning the columns, and the shuffle with them.
    by_task = result.selectExpr("spark_partition_id() AS task", *FUNCTIONS).groupBy("task")
    counts = by_task.agg({"*": "count"} | dict.fromkeys(FUNCTIONS, "sum"))
    return max(int(row["count(1)"]) for row in counts.collect())
