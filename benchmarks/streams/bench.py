"""What the parts of ``python -m benchmarks streams`` share: a query over a stream, timed."""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import workbench as wb
from benchmarks.measuring.report import Report, Result, plain_seconds
from benchmarks.streams.arrivals import SCHEMA, AmongIdle, Arrivals

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.listener import StreamingQueryProgress

Windows = Callable[["DataFrame"], "DataFrame"]


class StreamRun(NamedTuple):
    """The measurements of a query over a stream.

    Attributes
    ----------
    seconds : float
        The time of its micro-batches, without the start of the query.
    rate : float
        Rows per second of the micro-batches after the first one, which includes planning; of that
        one if there is no other.
    answers : tuple
        The number of rows of the result, and the sum of one of their columns.
    rows, size : int
        The rows, and the approximate bytes, of its final state.
    late : int
    counts : dict of str to int
        Further counts of the call.
    batch : float
        The median seconds of a micro-batch with rows, after the first one.
    """

    seconds: float
    rate: float
    answers: tuple[int, float]
    rows: int
    size: int
    late: int
    counts: dict[str, int]
    batch: float


@dataclass
class StreamBench:
    """The settings that the parts of the benchmark share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    folder : Path
        The folder of generated files and of checkpoints.
    report : Report
    rows : int
    """

    spark: "SparkSession"
    folder: Path
    report: Report
    rows: int

    def stream(self, arrivals: Arrivals | AmongIdle) -> "DataFrame":
        """Return readings as a stream of files with a watermark."""
        at_once = arrivals.files_a_batch
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", at_once)
        files = arrivals.stored(self.folder)
        return reader.parquet(files).withWatermark("at", f"{arrivals.delay} seconds")

    def run(
        self, arrivals: Arrivals | AmongIdle, windows: Windows, with_state: bool = True
    ) -> StreamRun:
        """Run a query over all files, into a sink that discards the rows."""
        from pyspark.sql import functions as F

        checkpoint = self.folder / "checkpoint"
        shutil.rmtree(checkpoint, ignore_errors=True)
        sums = F.count("*").alias("rows"), F.sum("total").alias("total")
        writer = windows(self.stream(arrivals)).observe("answers", *sums).writeStream
        options = writer.format("noop").option("checkpointLocation", str(checkpoint))
        query = options.trigger(availableNow=True).start()
        query.awaitTermination()
        batches = query.recentProgress
        sums_of = [b.observedMetrics["answers"] for b in batches if "answers" in b.observedMetrics]
        answers = sum(one.rows for one in sums_of), float(sum(one.total or 0 for one in sums_of))
        took = sum(batch.batchDuration for batch in batches) / 1_000
        rows, size = self.state(checkpoint) if with_state else (0, 0)
        counts: Counter[str] = Counter()
        for one in wb.stream_counts(query):
            counts.update(one)
        late = wb.late_rows(query)
        later = [b.batchDuration / 1_000 for b in batches[1:] if b.numInputRows]
        batch = median(later) if later else took
        return StreamRun(took, rate_of(batches), answers, rows, size, late, dict(counts), batch)

    def state(self, checkpoint: Path) -> tuple[int, int]:
        """Return the number of rows and bytes of a query's state."""
        from pyspark.sql import functions as F

        sums = wb.stream_state(checkpoint).agg(F.sum("rows"), F.sum("bytes")).collect()[0]
        return int(sums[0] or 0), int(sums[1] or 0)

    def rate(self, what: str, rows: int, ran: StreamRun, least: float) -> None:
        """Report the rows per second of a query against a target."""
        cells = plain_seconds(ran.seconds), ""
        result = Result(what, "", rows, *cells, ran.rate, least, "rows/s", at_most=False)
        self.report.add(result)


def rate_of(batches: Sequence["StreamingQueryProgress"]) -> float:
    """Return the rows per second of a query once it runs."""
    measured = batches[1:] if sum(batch.numInputRows for batch in batches[1:]) else batches
    took = sum(batch.batchDuration for batch in measured) / 1_000
    return sum(batch.numInputRows for batch in measured) / took
