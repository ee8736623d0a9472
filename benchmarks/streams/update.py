"""The lines of ``python -m benchmarks streams`` for calls that emit on update."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import workbench as wb
from benchmarks.measuring.report import Result, megabytes
from benchmarks.streams.arrivals import FILES_A_BATCH, ROWS_A_FILE, Arrivals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from benchmarks.streams.bench import StreamBench

UPDATE = "on update"
#: One row of a hundred arrives late, by up to half of the time of a micro-batch, when the rows
#: around it have been answered.
LATE_SHARE, DELAY = 0.01, 250
SENSORS = 10_000
LAST_TEN, LAST_HUNDRED = wb.Frame.rows(-9, 0), wb.Frame.rows(-99, 0)


def updating(stream: "DataFrame") -> "DataFrame":
    """Return three functions over the last ten rows, on update."""
    total, top = (one.over(LAST_TEN) for one in (wb.fn.sum("value"), wb.fn.max("value")))
    before = wb.fn.lag("value")
    return wb.over(stream, "sensor", "at", emit=UPDATE, total=total, before=before, top=top)


def moving_iqr(stream: "DataFrame") -> "DataFrame":
    """Return the quartiles of the last hundred rows, on update."""
    quartiles = wb.fn.quantile("value", [0.25, 0.5, 0.75])
    answer = wb.over(stream, "sensor", "at", LAST_HUNDRED, emit=UPDATE, iqr=quartiles)
    return answer.withColumn("total", answer["iqr"][1])


def some_late(rows: int, sensors: int) -> Arrivals:
    """Return readings, some of which arrive out of order."""
    return Arrivals(rows, sensors, LATE_SHARE, DELAY)


def update(bench: "StreamBench") -> None:
    """Measure changes per second, and the rows that are recomputed for a late row."""
    ours = bench.run(some_late(bench.rows, SENSORS), updating)
    bench.rate("on update, 1 % out of order", bench.rows, ours, 80_000)
    again = {}
    for sensors in (100, 1_000):
        counts = bench.run(some_late(bench.rows, sensors), updating, with_state=False).counts
        again[sensors] = (counts["rows_recomputed"] - bench.rows) / (bench.rows * LATE_SHARE)
    cells = f"{again[100]:.2f} rows", f"{again[1_000]:.2f} rows"
    ratio = again[100] / again[1_000]
    what, against = "answered again, per late row", "partitions a tenth as long"
    bench.report.add(Result(what, against, bench.rows, *cells, ratio, 1.5))


def iqr(bench: "StreamBench") -> None:
    """Measure rows per second of a moving interquartile range that is kept up to date."""
    ours = bench.run(some_late(bench.rows, SENSORS), moving_iqr, with_state=False)
    bench.rate("moving IQR, on update", bench.rows, ours, 50_000)


def state_updated(bench: "StreamBench") -> None:
    """Compare the final state of a stream with that of one ten times as long."""
    # The state keeps the rows of the last micro-batch, so the shorter stream has one.
    few = min(FILES_A_BATCH * ROWS_A_FILE, bench.rows)
    short, long = (
        bench.run(Arrivals(rows, 1_000, LATE_SHARE), updating) for rows in (few, 10 * few)
    )
    cells = megabytes(long.size), megabytes(short.size)
    ratio = long.size / short.size
    what = "state on update, ten times as long"
    bench.report.add(Result(what, "a tenth of it", 10 * few, *cells, ratio, 1.2))


#: The parts of the benchmark by name.
PARTS: dict[str, Callable[[Any], None]] = {
    "update": update,
    "iqr": iqr,
    "state_updated": state_updated,
}
