"""The online view: states of hops in a store, from uploads and a stream, fetched without Spark."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.backfill.backfill import Backfill
from workbench.columnar.blocks import TIME
from workbench.durations import Duration
from workbench.errors import WorkbenchError
from workbench.online.checks import check_keys
from workbench.online.encoding import instant_of
from workbench.online.fetch import Fetched, Key, StoreReader, fetch_features
from workbench.online.spec import ViewSpec, backfill_text
from workbench.stores import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from workbench.online.meta import Meta
    from workbench.spark.sources.given import TableLike


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


class OnlineView(ViewSpec):
    """The features of a backfill as of now, kept in a store and answered without Spark.

    An upload aggregates the events of each key before some time to states; a stream adds the events
    since then to states of hops. A fetch combines the two, and returns the same as ``backfill.run``
    for a query at that time over the events that were uploaded or streamed.

    Parameters
    ----------
    backfill : Backfill
        A backfill with sawtooth windows, and functions whose states merge.
    store : str, Path or Store
        A folder for the embedded store, the URL of a Redis, or a store of :mod:`workbench.stores`.
    lasting : str, timedelta or int
        How long an upload serves, from its end on; an integer if the times are integers.
    clock : function
        Returns the current time, with its zone, for a fetch without a time.

    Raises
    ------
    WorkbenchError
        When an argument is not valid.

    Examples
    --------
    >>> import tempfile
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> views = spark.sql("SELECT 'ann' AS user, id AS ts, id * 10 AS price FROM range(100)")
    >>> features = [wb.Aggregation("count", windows=[20, None]), wb.Aggregation("max", "price", 20)]
    >>> backfill = wb.Backfill("user", "ts", features, hop=5)
    >>> view = wb.OnlineView(backfill, tempfile.mkdtemp(), lasting=100)
    >>> view.upload(views, until=90)
    Uploaded(keys=1, events=90, after=10, skipped=0)
    >>> view.fetch("ann", at=97)["ann"]
    {'count_20': 15, 'count': 90, 'price_max_20': 890}
    """

    def __init__(
        self,
        backfill: Backfill,
        store: "str | Path | Store",
        lasting: Duration = "2 days",
        clock: Callable[[], datetime] = now,
    ) -> None:
        super().__init__(backfill, store, lasting)
        if not callable(clock):
            raise WorkbenchError(
                f"clock: {clock!r} cannot be called; give a function that returns the current time."
            )
        self.clock = clock
        self._reading = StoreReader(self.store, backfill_text(backfill))

    def __repr__(self) -> str:
        return f"wb.OnlineView({self.backfill!r}, {self.store!r}, lasting={self.lasting!r})"

    def upload(self, events: "TableLike", until: Any) -> Any:
        """Write the states of all events before a time, and switch fetches to them at one instant.

        Parameters
        ----------
        events : TableLike
            All events, or at least those within the windows. Those from ``until`` on are left to
            the stream, and counted.
        until : datetime, date, int or str
            A whole multiple of all hops, such as a date, which is its midnight in UTC. It must not
            be earlier than that of the previous upload.

        Returns
        -------
        Uploaded
            The numbers of keys and events, of events from ``until`` on, and of events without key
            or time.

        Raises
        ------
        WorkbenchError
            When a column is missing, a store cannot hold a function's states, or the store is
            another backfill's.

        Notes
        -----
        One shuffle by key; the workers write. Fetches read the previous upload until the new one
        is complete; if the job fails, they keep it.

        Examples
        --------
        >>> import tempfile
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = pd.DataFrame({"user": ["ann", "ann", None], "ts": [3, 12, 4]})
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), hop=5)
        >>> view = wb.OnlineView(backfill, tempfile.mkdtemp(), lasting=100)
        >>> view.upload(views, until=10)
        Uploaded(keys=1, events=1, after=1, skipped=1)
        """
        from workbench.online.plan import upload

        return upload(self, events, until)

    def update(
        self, stream: "DataFrame", checkpoint: "str | Path", trigger: "dict[str, Any] | None" = None
    ) -> "StreamingQuery":
        """Update the hops from a stream, with each event once.

        Parameters
        ----------
        stream : pyspark.sql.DataFrame
            A streaming DataFrame with the columns of the events. Events before the newest upload's
            ``until`` are late: they are counted and left to the next upload.
        checkpoint : str or Path
            Where Spark keeps the stream's progress. A stream that is started again from it
            continues; one from another checkpoint is another stream.
        trigger : dict, optional
            As :meth:`pyspark.sql.streaming.DataStreamWriter.trigger` takes it, such as
            ``{"availableNow": True}``.

        Returns
        -------
        pyspark.sql.streaming.StreamingQuery

        Raises
        ------
        WorkbenchError
            When nothing is uploaded yet, another stream updates the hops, or Spark does not start
            this one.

        Notes
        -----
        Each batch is one transaction with its number, so a repeated batch is not counted again. An
        event that the source repeats in a later batch counts as another event, unless
        ``stream.withWatermark(time, delay).dropDuplicatesWithinWatermark([id])`` removes it; the
        delay bounds the state of this. It also drops events that are later than the watermark:
        the query's progress counts them, and the next upload has them.

        Examples
        --------
        >>> import tempfile
        >>> import workbench as wb
        >>> spark, folder = wb.session(), tempfile.mkdtemp()
        >>> views = spark.sql("SELECT 'ann' AS user, id AS ts FROM range(15)").coalesce(1)
        >>> views.write.parquet(f"{folder}/views")
        >>> stream = spark.readStream.schema(views.schema).parquet(f"{folder}/views")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), hop=5)
        >>> view = wb.OnlineView(backfill, f"{folder}/store", lasting=100)
        >>> view.upload(views, until=10).events
        10
        >>> query = view.update(stream, f"{folder}/checkpoint", {"availableNow": True})
        >>> query.awaitTermination()
        >>> view.fetch("ann", at=15)["ann"]
        {'count': 15}
        """
        from workbench.online.plan import update

        return update(self, stream, checkpoint, trigger)

    def forget_stream(self) -> None:
        """Remove the streamed events, so that another stream can begin at the upload's end.

        Raises
        ------
        WorkbenchError
            When nothing is uploaded yet.

        Examples
        --------
        >>> import tempfile
        >>> import workbench as wb
        >>> spark, folder = wb.session(), tempfile.mkdtemp()
        >>> views = spark.sql("SELECT 'ann' AS user, id AS ts FROM range(15)").coalesce(1)
        >>> views.write.parquet(f"{folder}/views")
        >>> stream = spark.readStream.schema(views.schema).parquet(f"{folder}/views")
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), hop=5)
        >>> view = wb.OnlineView(backfill, f"{folder}/store", lasting=100)
        >>> view.upload(views, until=10).events
        10
        >>> query = view.update(stream, f"{folder}/checkpoint", {"availableNow": True})
        >>> query.awaitTermination()
        >>> view.forget_stream()
        >>> view.fetch("ann", at=15)["ann"]
        {'count': 10}
        """
        from workbench.online.update import forget_stream

        serving = self._reading.serving()
        forget_stream(self.store, serving.layout, serving.meta.lasting)

    def fetch(self, keys: "Key | Sequence[Key]", at: Any = None) -> Fetched:
        """Return the features of keys now, or at some time since the newest upload.

        Parameters
        ----------
        keys : value, or list of values
            Tuples when the key has several columns.
        at : datetime, date, int or str, optional
            By default now, which needs events' times with a zone.

        Returns
        -------
        Fetched
            A row for each key, and a sentence for each key without an answer: one without events,
            or with an event at ``at`` or later in a hop that has begun.

        Raises
        ------
        WorkbenchError
            When nothing is uploaded, the upload does not serve this time, several keys are not in a
            list, or the store is down or damaged.

        Notes
        -----
        O(hops in the windows) for each key, independent of the number of events.

        Examples
        --------
        >>> import tempfile
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = pd.DataFrame({"user": ["ann", "ann", None], "ts": [3, 12, 4]})
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), hop=5)
        >>> view = wb.OnlineView(backfill, tempfile.mkdtemp(), lasting=100)
        >>> view.upload(views, until=10).events
        1
        >>> found = view.fetch(["ann", "eve"], at=10)
        >>> found.rows
        ({'count': 1}, None)
        >>> print(found.errors["eve"])
        key: 'eve' is not in the store: it has no event that was uploaded or streamed.
        """
        check_keys(keys)
        requested = keys if isinstance(keys, list) else [keys]
        kind = self._reading.serving().layout.schema.field(TIME).type
        return fetch_features(
            self._reading, requested, self._now(kind) if at is None else instant(at, kind)
        )

    def status(self) -> "Meta":
        """Return the state of the store: its upload, its stream, and the late events.

        Raises
        ------
        WorkbenchError
            When nothing is uploaded yet.

        Examples
        --------
        >>> import tempfile
        >>> import pandas as pd
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> views = pd.DataFrame({"user": ["ann", "ann", None], "ts": [3, 12, 4]})
        >>> backfill = wb.Backfill("user", "ts", wb.Aggregation("count"), hop=5)
        >>> view = wb.OnlineView(backfill, tempfile.mkdtemp(), lasting=100)
        >>> view.upload(views, until=10).events
        1
        >>> status = view.status()
        >>> status.until, status.events, status.streamed, status.late
        (10, 1, 0, 0)
        """
        return self._reading.read([])[0].meta

    def _now(self, kind: pa.DataType) -> int:
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            return instant_of(self.clock(), kind, "at")
        raise WorkbenchError(
            "at: the events' times have no zone, so the current time is not known; give a time."
        )


def instant(at: Any, kind: pa.DataType) -> int:
    """Return the time of a fetch as an instant of the events' times."""
    return instant_of(at, kind, "at")
