"""The Spark part of the online view: the job of an upload, and the stream that updates hops."""

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.backfill.bind import Wire, bind_events, bundles, gathered_by_subpartition
from workbench.columnar.blocks import TIME
from workbench.errors import WorkbenchError
from workbench.online.bind import layout_of
from workbench.online.checks import check_checkpoint, check_stream
from workbench.online.encoding import instant_of
from workbench.online.layout import StoreLayout
from workbench.online.update import apply_batch, current_meta
from workbench.online.upload import upload as write_upload
from workbench.online.worker import UploadTask
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.shipping import LOCAL, is_connect, ship
from workbench.spark.shuffle import numbered, skipped_of
from workbench.spark.values import reason
from workbench.stores import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from workbench.online.spec import ViewSpec
    from workbench.spark.sources.given import TableLike


class Uploaded(NamedTuple):
    """The counts of an upload.

    Attributes
    ----------
    keys, events : int
    after : int
        The number of events from its end on, which are left to the stream.
    skipped : int
        The number of events without key or time.
    """

    keys: int
    events: int
    after: int
    skipped: int


@in_one_sentence()
def upload(view: "ViewSpec", events: "TableLike", until: Any) -> Uploaded:
    """Write the states of all events before some time; see :meth:`OnlineView.upload`."""
    from pyspark.sql import Observation

    backfill, skipped = view.backfill, Observation()
    bound = bind_events(backfill, events)
    layout, wire, plan = layout_of(backfill, bound)
    lasting = view.length(plan.integer_time)
    end = instant_of(until, layout.schema.field(TIME).type, "until")
    spark = bound.df.sparkSession
    check_reach(view.store, spark)
    ship(spark)
    bundled = bundles(plan, wire.events, wire.task.keys, queries=False, skipped=skipped)
    gathered = gathered_by_subpartition(plan, bundled)

    def job(task: UploadTask) -> Any:
        kinds = "keys long, events long, after long, written array<binary>"
        return collected(gathered.mapInArrow(task.run, kinds))

    found = write_upload(view.store, layout, end, lasting, job)
    answered = found.events + found.after > 0
    left = skipped_of(skipped, answered, bound)
    return Uploaded(found.keys, found.events, found.after, left)


def check_reach(store: Store, spark: "SparkSession") -> None:
    """Refuse an embedded store if the workers may be on other machines.

    Raises
    ------
    WorkbenchError
    """
    if store.shared:
        return
    if is_connect(spark) or not str(spark.sparkContext.master).startswith(LOCAL):
        raise WorkbenchError(
            f"store: {store.place} is on this machine, but not all of Spark's workers are; "
            "give the URL of a Redis, or a session with the master 'local[*]'."
        )


def update(
    view: "ViewSpec", stream: "DataFrame", checkpoint: "str | Path", trigger: Any
) -> "StreamingQuery":
    """Keep the hops current from a stream; see :meth:`OnlineView.update`."""
    from pyspark.sql import DataFrame

    if not isinstance(stream, DataFrame) or not stream.isStreaming:
        raise WorkbenchError(
            "stream: this is not a stream; give a streaming DataFrame, such as one of "
            "spark.readStream."
        )
    spark = stream.sparkSession
    if is_connect(spark):
        raise WorkbenchError(
            "stream: batches are applied in the driver's process, which Spark Connect does not "
            "have; use a classic session."
        )
    check_checkpoint(checkpoint)
    empty = spark.createDataFrame([], stream.schema)
    layout, wire, plan = layout_of(view.backfill, bind_events(view.backfill, empty))
    lasting = view.length(plan.integer_time)
    current_meta(view.store, layout, lasting)
    # A store that cannot be written to raises here, and not in the first batch.
    view.store.write([])
    applier = BatchApplier(view, layout, lasting, wire)
    writer = stream.writeStream.foreachBatch(applier).option("checkpointLocation", str(checkpoint))
    query = _start(writer if trigger is None else _with_trigger(writer, trigger))
    applier.begin(str(query.id))
    try:
        check_stream(current_meta(view.store, layout, lasting)[1], str(query.id))
    except WorkbenchError:
        query.stop()
        raise
    return query


def _with_trigger(writer: "DataStreamWriter", trigger: Any) -> "DataStreamWriter":
    from pyspark.errors import PySparkException

    try:
        return writer.trigger(**trigger)
    except (TypeError, PySparkException):
        raise WorkbenchError(
            f"trigger: {trigger!r} is not a trigger; give what Spark's DataStreamWriter.trigger "
            "takes, such as {'availableNow': True} or {'processingTime': '10 seconds'}."
        ) from None


def _start(writer: "DataStreamWriter") -> "StreamingQuery":
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        return writer.start()
    except (PySparkException, Py4JJavaError) as error:
        cause: Exception = error
        if isinstance(error, Py4JJavaError):
            cause = RuntimeError(error.java_exception.getMessage())
        raise WorkbenchError(
            f"stream: Spark does not start it ({reason(cause)}); check that the checkpoint can "
            "be written to, and that the stream emits rows as they come (append mode)."
        ) from None


class BatchApplier:
    """Applies the batches of a stream to a store.

    Parameters
    ----------
    view : ViewSpec
    layout : StoreLayout
    lasting : int
    wire : Wire
    """

    def __init__(self, view: "ViewSpec", layout: StoreLayout, lasting: int, wire: Wire) -> None:
        self.view, self.layout, self.lasting, self.wire = view, layout, lasting, wire
        self._stream, self._known = "", Event()

    def begin(self, stream: str) -> None:
        """Set the id of the stream, which is known once Spark has started it."""
        self._stream = stream
        self._known.set()

    def __call__(self, events: "DataFrame", batch: int) -> None:
        """Apply a batch."""
        rows, _ = numbered(events, self.wire.events)
        found = in_arrow(rows).rename_columns(list(self.wire.events))
        self._known.wait()
        apply_batch(self.view.store, self.layout, self.lasting, found, self._stream, batch)
