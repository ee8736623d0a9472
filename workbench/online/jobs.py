"""The online view on Spark: the job that uploads, and the stream that keeps hops current."""

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from workbench.backfill.bind import Plan, Wire, bind_events, bind_tables, bundles, gathered_by_place
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.columnar.zones import with_zones
from workbench.errors import WorkbenchError
from workbench.online.encoding import instant_of
from workbench.online.layout import StoreLayout, names_for
from workbench.online.update import apply_batch, check_stream, current
from workbench.online.upload import UploadTask
from workbench.online.upload import upload as write_upload
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.shipping import LOCAL, is_connect, ship
from workbench.spark.shuffle import numbered, skipped_of, watched
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from workbench.backfill.backfill import Backfill
    from workbench.online.spec import ViewSpec


class Uploaded(NamedTuple):
    """What an upload has.

    Attributes
    ----------
    keys, events : int
    after : int
        Events from its end on, which are left to the stream.
    skipped : int
        Events that lack key or time.
    """

    keys: int
    events: int
    after: int
    skipped: int


def layout_of(backfill: "Backfill", events: BoundTable) -> tuple[StoreLayout, Wire, Plan]:
    """Return what a store holds of a backfill of some events, and the backfill bound to them.

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so, or when a store's states
        cannot hold what a function needs.
    """
    keys = [column(events, name, "key") for name in backfill.key]
    time = column(events, backfill.time, "time").alias(backfill.query_time)
    queries = BoundTable.of(events.df.select(*keys, time), backfill.key, backfill.query_time)
    plan = bind_tables(backfill, queries, events)
    going = by_use(plan.wire)
    features = tuple(replace(one, kind=in_utc(one.kind)) for one in going.task.features)
    schema = pa.schema([(one.name, in_utc(one.type)) for one in going.task.schema])
    layout = StoreLayout(repr(backfill), tuple(backfill.key), features, schema)
    for feature in features:
        names_for(feature.call, schema)
    return layout, going, plan


def by_use(going: Wire) -> Wire:
    """Return columns by names that do not say where in the table they are.

    A store outlives the order of a table's columns: they are numbered as the backfill uses them.
    """
    task, kept = going.task, (*going.task.keys, TIME, VALID_FROM, VALID_TO)
    names = {name: name if name in kept else f"c{place}" for place, name in enumerate(going.events)}

    def renamed(one: Feature) -> Feature:
        arguments = tuple(names[name] for name in one.call.arguments)
        where = None if one.call.where is None else names[one.call.where]
        by = None if one.by is None else names[one.by]
        return replace(one, call=replace(one.call, arguments=arguments, where=where), by=by)

    features = tuple(map(renamed, task.features))
    schema = pa.schema([(names[one.name], one.type) for one in task.schema])
    events = {names[name]: value for name, value in going.events.items()}
    return replace(going, events=events, task=replace(task, features=features, schema=schema))


def in_utc(kind: pa.DataType) -> pa.DataType:
    """Return a type whose instants are shown in UTC, whatever the zone of the session.

    Examples
    --------
    >>> in_utc(pa.map_(pa.string(), pa.timestamp("us", "Asia/Tokyo")))
    MapType(map<string, timestamp[us, tz=UTC]>)
    """
    return with_zones(kind, lambda _: "UTC")


@in_one_sentence()
def upload(view: "ViewSpec", events: "DataFrame", until: Any) -> Uploaded:
    """Write the states of all events before some time; see :meth:`OnlineView.upload`."""
    backfill = view.backfill
    bound = bind_events(backfill, events)
    seen, skipped = watched(bound)
    layout, going, plan = layout_of(backfill, seen)
    lasting = view.length(plan.integer_time)
    end = instant_of(until, layout.schema.field(TIME).type, "until")
    spark = events.sparkSession
    check_reach(view, spark)
    ship(spark)
    whole = gathered_by_place(plan, bundles(plan, going.events, going.task.keys, queries=False))

    def job(task: UploadTask) -> Any:
        kinds = "keys long, events long, after long, written array<binary>"
        return collected(whole.mapInArrow(task.run, kinds))

    found = write_upload(view.store, layout, end, lasting, job)
    answered = found.events + found.after > 0
    left = skipped_of(skipped, answered, bound)
    return Uploaded(found.keys, found.events, found.after, left)


def check_reach(view: "ViewSpec", spark: "SparkSession") -> None:
    """Refuse an embedded store where the workers may be on other machines.

    Raises
    ------
    WorkbenchError
    """
    if view.store.shared:
        return
    if is_connect(spark) or not str(spark.sparkContext.master).startswith(LOCAL.rstrip("[")):
        raise WorkbenchError(
            f"store: {view.store.place} is of this machine, and Spark's workers are not all here; "
            "give a Redis by its URL, or a session with the master 'local[*]'."
        )


def update(
    view: "ViewSpec", stream: "DataFrame", checkpoint: "str | Path", trigger: Any
) -> "StreamingQuery":
    """Keep the hops current from a stream; see :meth:`OnlineView.update`."""
    from pyspark.sql import DataFrame

    if not isinstance(stream, DataFrame) or not stream.isStreaming:
        raise WorkbenchError(
            "stream: this is no stream; give a streaming DataFrame, such as of spark.readStream."
        )
    spark = stream.sparkSession
    if is_connect(spark):
        raise WorkbenchError(
            "stream: batches are applied by the process of the driver, which Spark Connect does "
            "not have; use a classic session."
        )
    resting = spark.createDataFrame([], stream.schema)
    layout, going, plan = layout_of(view.backfill, bind_events(view.backfill, resting))
    lasting = view.length(plan.integer_time)
    current(view.store, layout, lasting)
    # A store that cannot be written to says so now, and not to the first batch.
    view.store.write([])
    applying = Applying(view, layout, lasting, going)
    writer = stream.writeStream.foreachBatch(applying).option("checkpointLocation", str(checkpoint))
    query = writer.trigger(**trigger).start() if trigger else writer.start()
    applying.begin(str(query.id))
    try:
        check_stream(current(view.store, layout, lasting)[1], str(query.id))
    except WorkbenchError:
        query.stop()
        raise
    return query


class Applying:
    """Applies the batches of a stream to a store.

    Parameters
    ----------
    view : ViewSpec
    layout : StoreLayout
    lasting : int
    going : Wire
    """

    def __init__(self, view: "ViewSpec", layout: StoreLayout, lasting: int, going: Wire) -> None:
        self.view, self.layout, self.lasting, self.going = view, layout, lasting, going
        self._stream, self._known = "", Event()

    def begin(self, stream: str) -> None:
        """Say which stream it is: Spark knows it once it is started."""
        self._stream = stream
        self._known.set()

    def __call__(self, events: "DataFrame", batch: int) -> None:
        """Apply a batch."""
        rows, _ = numbered(events, self.going.events)
        found = in_arrow(rows).rename_columns(list(self.going.events))
        self._known.wait()
        apply_batch(self.view.store, self.layout, self.lasting, found, self._stream, batch)
