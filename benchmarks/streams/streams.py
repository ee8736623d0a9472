"""``python -m benchmarks streams``: windows over streams, their rows per second and their state."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from benchmarks.measuring.measure import check_same, seconds
from benchmarks.measuring.report import Report, Result, megabytes, plain_seconds
from benchmarks.streams import update as streams_update
from benchmarks.streams.arrivals import Arrivals
from benchmarks.streams.bench import StreamBench
from benchmarks.streams.idle import idle
from benchmarks.streams.one_key import one_key_a_call
from workbench.spark.partitions import SHUFFLE_PARTITIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CORES = 2
ROWS, SENSORS = 2_000_000, 10_000
#: The usual way takes milliseconds per key and micro-batch, so it gets only a few rows.
ORDINARY_ROWS = 250_000
CLOSE = "on window close"
FUNCTIONS: dict[str, Any] = {
    "total": wb.fn.sum("value").over(wb.Frame.rows(-9, 0)),
    "before": wb.fn.lag("value"),
    "top": wb.fn.max("value").over(wb.Frame.rows(-9, 0)),
}


def closing(stream: "DataFrame") -> "DataFrame":
    """Return three functions over the last ten rows, on window close."""
    return wb.over(stream, "sensor", "at", emit=CLOSE, **FUNCTIONS)


def run(rows: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rows : int
        Of the stream.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Some of :data:`PARTS`, all of them when it is empty.

    Returns
    -------
    Report
    """
    # As many buckets as there are cores, so that each has one.
    conf = {"spark.master": f"local[{CORES}]", SHUFFLE_PARTITIONS: CORES}
    bench = StreamBench(wb.session(conf), folder, Report(), rows)
    # The first query starts Python's workers and loads the kernels, which no result should include.
    bench.run(Arrivals(20_000, 100), closing)
    for name, part in PARTS.items():
        if name in (only or PARTS):
            part(bench)
    return bench.report


def close(bench: StreamBench) -> None:
    """Measure rows per second on window close, against the usual way and against a batch."""
    all_rows = Arrivals(bench.rows, SENSORS)
    ours = bench.run(all_rows, closing)
    bench.rate("on window close, three functions", bench.rows, ours, 150_000)
    few = Arrivals(min(ORDINARY_ROWS, bench.rows), SENSORS)
    same, theirs = bench.run(few, closing), bench.run(few, one_key_a_call, with_state=False)
    check_same({"ours": same.answers, "one key a call": theirs.answers})
    cells = plain_seconds(same.seconds), plain_seconds(theirs.seconds)
    ahead = theirs.seconds / same.seconds
    what = "ahead of one key a call"
    result = Result(what, "pandas, a call a key", few.rows, *cells, ahead, 5, at_most=False)
    bench.report.add(result)
    table = bench.spark.read.parquet(all_rows.stored(bench.folder))
    result_of_batch = wb.over(table, "sensor", "at", engine="kernel", **FUNCTIONS)
    batch = seconds(lambda: result_of_batch.write.format("noop").mode("overwrite").save())
    cells = plain_seconds(ours.seconds), plain_seconds(batch)
    ratio = ours.seconds / batch
    bench.report.add(Result("a stream", "wb.over of all, batch", bench.rows, *cells, ratio, None))


def partitions(bench: StreamBench) -> None:
    """Compare the same rows over many partitions and over few."""
    took = {
        sensors: bench.run(Arrivals(bench.rows, sensors), closing).seconds
        for sensors in (1_000, 100_000)
    }
    cells = plain_seconds(took[100_000]), plain_seconds(took[1_000])
    ratio = took[100_000] / took[1_000]
    result = Result("100,000 partitions", "1,000 partitions", bench.rows, *cells, ratio, 1.5)
    bench.report.add(result)


def state(bench: StreamBench) -> None:
    """Compare the final state of a stream with that of one ten times as long."""
    short, long = (
        bench.run(Arrivals(rows, 1_000), closing) for rows in (bench.rows // 10, bench.rows)
    )
    cells = megabytes(long.size), megabytes(short.size)
    ratio = long.size / short.size
    result = Result("state, ten times as long", "a tenth of it", bench.rows, *cells, ratio, 1.2)
    bench.report.add(result)


#: The parts of the benchmark by name.
PARTS: dict[str, Callable[[StreamBench], None]] = {
    "close": close,
    "partitions": partitions,
    "state": state,
    "idle": lambda bench: idle(bench, {"close": closing, "update": streams_update.updating}),
    **streams_update.PARTS,
}
