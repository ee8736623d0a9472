"""Following a query over a stream: its table so far, and the effect of each micro-batch."""

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
    """The effect of a micro-batch.

    Attributes
    ----------
    changes : dict of str to int
        The number of emitted changes of each kind; of rows, if the query emits on window close.
    rows : int
        The number of input rows.
    seconds : float
    watermark : str
        The watermark at that time; empty without one.
    counts : dict of str to int
        The call's counters, such as "late_rows".
    """

    changes: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    seconds: float = 0.0
    watermark: str = ""
    counts: dict[str, int] = field(default_factory=dict)


class Follower:
    """Run a query over a window call's stream, and collect its output in this process.

    Parameters
    ----------
    stream : pyspark.sql.DataFrame
        From :func:`workbench.over`, in either mode.
    checkpoint : Path
        Where Spark stores the progress of the query, from which a new one continues.
    row_id : str or list of str, optional
        As in :func:`workbench.folded`.

    Attributes
    ----------
    table : pyarrow.Table or None
        The output so far, as a table.
    last : pyarrow.Table or None
        The changes of the last micro-batch.
    kinds : dict of str to int
        The number of changes of each kind in the last micro-batch.
    beats : dict of int to Beat
        The effect of each micro-batch.

    Raises
    ------
    WorkbenchError
        On Spark Connect, where this process does not get the output rows of a query.
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
        """Start the query, from its checkpoint if there is one.

        Parameters
        ----------
        **trigger
            As in Spark's ``trigger``: ``availableNow=True`` ends the query with its input.

        Returns
        -------
        Follower
        """
        print_elsewhere(self.stream.sparkSession)
        writer = self.stream.writeStream.foreachBatch(self._process_batch)
        writer = writer.option("checkpointLocation", str(self.checkpoint))
        self.query = (writer.trigger(**trigger) if trigger else writer).start()
        return self

    def catch_up(self) -> "Follower":
        """Wait until all available input is processed.

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
        """Read the progress of the micro-batches so far, without waiting.

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
        """Run the query on the available input, to its end.

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
        """Stop the query within a micro-batch, if one begins in time.

        Parameters
        ----------
        patience : float
            The most seconds to wait for one.

        Returns
        -------
        bool
            Whether a micro-batch was interrupted.
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
        """Stop the query at once; Spark's log of the interrupted micro-batch is suppressed."""
        context = self.stream.sparkSession.sparkContext
        context.setLogLevel("OFF")
        try:
            self.stop()
        finally:
            context.setLogLevel("ERROR")

    def count(self, name: str) -> int:
        """Return the total of a counter over all micro-batches."""
        return sum(beat.counts.get(name, 0) for beat in self.beats.values())

    def _process_batch(self, batch: "DataFrame", number: int) -> None:
        changes = in_arrow(batch)
        # After a restart, a micro-batch may be repeated.
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
    """The jobs of a query's micro-batches, which are stopped by stopping the query.

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
        """Stop the query, which can continue from its checkpoint."""
        query = self._follower.query
        if query is not None and query.isActive:
            self._follower.break_off()

    def _ids(self) -> list[int]:
        # Spark runs them in a thread of the query, under the query's job group.
        query = self._follower.query
        group = "" if query is None else str(query.runId)
        return sorted(self._context.statusTracker().getJobIdsForGroup(group))


def print_elsewhere(spark: "SparkSession") -> None:
    """Redirect the standard error of Spark's JVM to a file rather than a notebook's cells.

    At the start of a streaming query, the JVM prints several useless lines. Errors are raised as
    exceptions, and Spark's log is not redirected.
    """
    jvm: Any = spark.sparkContext._jvm
    path = Path(own_folder(), "streams.log")
    stream = jvm.java.io.FileOutputStream(str(path), True)
    jvm.java.lang.System.setErr(jvm.java.io.PrintStream(stream, True))
