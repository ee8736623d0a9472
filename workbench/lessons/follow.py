"""A query over a stream, followed: the table that it has come to, and what each micro-batch did."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from workbench.errors import WorkbenchError
from workbench.spark.jobs import in_arrow
from workbench.spark.own_folder import own_folder
from workbench.spark.running import ClassicJobs
from workbench.spark.shipping import is_connect
from workbench.windows.stream.changelog import concatenated, folded
from workbench.windows.stream.report import summed
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass
class Beat:
    """What a micro-batch did.

    Attributes
    ----------
    changes : dict of str to int
        How many changes of each kind went on; rows, where a query emits on window close.
    rows : int
        How many came.
    seconds : float
    watermark : str
        As it stood then; empty without one.
    counts : dict of str to int
        What the call has counted, such as "late_rows".
    """

    changes: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    seconds: float = 0.0
    watermark: str = ""
    counts: dict[str, int] = field(default_factory=dict)


class Follower:
    """Run a query over a window call's stream in this process, to look at what it says.

    Parameters
    ----------
    stream : pyspark.sql.DataFrame
        From :func:`workbench.over`, in either mode.
    checkpoint : Path
        Where Spark keeps how far the query is: a new one begins from there again.
    row_id : str or list of str, optional
        As :func:`workbench.folded` takes it.

    Attributes
    ----------
    table : pyarrow.Table or None
        What has been said so far, as a table.
    last : pyarrow.Table or None
        The changes of the last micro-batch.
    kinds : dict of str to int
        How many changes of each kind it had.
    beats : dict of int to Beat
        What each micro-batch did.

    Raises
    ------
    WorkbenchError
        On Spark Connect, where this process does not see the rows that a query gives.
    """

    def __init__(
        self, stream: "DataFrame", checkpoint: Path | str, row_id: str | list[str] | None = None
    ) -> None:
        if is_connect(stream.sparkSession):
            raise WorkbenchError(
                "stream: over Spark Connect, no micro-batch reaches this process; write the "
                "stream to a table and read that."
            )
        self.stream, self.checkpoint, self.row_id = stream, Path(checkpoint), row_id
        self.table: pa.Table | None = None
        self.last: pa.Table | None = None
        self.beats: dict[int, Beat] = {}
        self.query: StreamingQuery | None = None
        self.kinds: dict[str, int] = {}
        self._folded = -1

    def start(self, **trigger: Any) -> "Follower":
        """Start the query, from its checkpoint where there is one.

        Parameters
        ----------
        **trigger
            As Spark's ``trigger`` takes it: ``availableNow=True`` ends the query with its input.

        Returns
        -------
        Follower
        """
        print_elsewhere(self.stream.sparkSession)
        writer = self.stream.writeStream.foreachBatch(self._take)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        self.query = (writer.trigger(**trigger) if trigger else writer).start()
        return self

    def catch_up(self) -> "Follower":
        """Wait until all that has come is answered.

        Returns
        -------
        Follower
        """
        assert self.query is not None
        try:
            self.query.processAllAvailable()
        finally:
            self._read_progress()
        return self

    def look(self) -> "Follower":
        """Take note of the micro-batches so far, and wait for none.

        Returns
        -------
        Follower

        Raises
        ------
        StreamingQueryException
            When the query has failed.
        """
        assert self.query is not None
        self._read_progress()
        if (failed := self.query.exception()) is not None:
            raise failed
        return self

    def drain(self) -> "Follower":
        """Run the query on what there is, to its end.

        Returns
        -------
        Follower
        """
        self.start(availableNow=True)
        assert self.query is not None
        try:
            self.query.awaitTermination()
        finally:
            self._read_progress()
        return self

    def stop(self) -> None:
        """Stop the query; it can be started again."""
        if self.query is not None:
            self.query.stop()
            self._read_progress()

    def kill(self, patience: float = 3.0) -> bool:
        """Stop the query inside a micro-batch, as far as one begins in time.

        Parameters
        ----------
        patience : float
            How many seconds to wait for one.

        Returns
        -------
        bool
            Whether there was one.
        """
        assert self.query is not None
        end = time.monotonic() + patience
        while time.monotonic() < end:
            status = self.query.status
            if status["isTriggerActive"] and status["isDataAvailable"]:
                break
            time.sleep(0.01)
        before = self._folded
        self.break_off()
        return self._folded == before

    def break_off(self) -> None:
        """Stop the query wherever it is; what Spark says of its last micro-batch is no news."""
        context = self.stream.sparkSession.sparkContext
        context.setLogLevel("OFF")
        try:
            self.stop()
        finally:
            context.setLogLevel("ERROR")

    def count(self, name: str) -> int:
        """Return what all micro-batches have counted under a name."""
        return sum(beat.counts.get(name, 0) for beat in self.beats.values())

    def _take(self, batch: "DataFrame", number: int) -> None:
        changes = in_arrow(batch)
        # After a restart a micro-batch may come once more.
        if number <= self._folded:
            return
        if OP in changes.column_names:
            self.table = folded(self.table, changes, self.row_id)
            kinds = pc.value_counts(changes.column(OP)).to_pylist()
            kinds_in_batch = {one["values"]: one["counts"] for one in kinds}
        else:
            parts = [changes] if self.table is None else [self.table, changes]
            self.table, kinds_in_batch = concatenated(parts), {"rows": len(changes)}
        if len(changes):
            self.last, self.kinds = changes, kinds_in_batch
        self._folded = number
        self.beats.setdefault(number, Beat()).changes = kinds_in_batch

    def _read_progress(self) -> None:
        assert self.query is not None
        for progress in self.query.recentProgress:
            beat = self.beats.setdefault(progress.batchId, Beat())
            beat.counts = summed(progress.observedMetrics or {})
            beat.rows = progress.numInputRows
            beat.seconds = progress.batchDuration / 1000
            beat.watermark = progress.eventTime.get("watermark", "")


class MicroBatches(ClassicJobs):
    """The jobs of a query's micro-batches: to stop them is to stop the query.

    Parameters
    ----------
    follower : Follower
    """

    def __init__(self, follower: Follower) -> None:
        super().__init__(follower.stream.sparkSession)
        self._follower = follower

    def __enter__(self) -> "MicroBatches":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def cancel(self) -> None:
        """Stop the query; from its checkpoint it goes on."""
        query = self._follower.query
        if query is not None and query.isActive:
            self._follower.break_off()

    def _ids(self) -> list[int]:
        # Spark runs them in a thread of the query, under a group of its own.
        query = self._follower.query
        group = "" if query is None else str(query.runId)
        return sorted(self._context.statusTracker().getJobIdsForGroup(group))


def print_elsewhere(spark: "SparkSession") -> None:
    """Send what Spark's processes for streams print to a file, and not into a notebook's cells.

    At the start of a query, one of them prints several lines that help nobody. Errors come as
    exceptions, and what Spark logs goes where it went.
    """
    jvm: Any = spark.sparkContext._jvm
    path = Path(own_folder(), "streams.log")
    stream = jvm.java.io.FileOutputStream(str(path), True)
    jvm.java.lang.System.setErr(jvm.java.io.PrintStream(stream, True))
