"""Buckets of partitions as Spark's operator for arbitrary state calls them."""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.columnar.blocks import packed_rows
from workbench.columnar.bundles import BUNDLE
from workbench.columnar.delivery import delivered
from workbench.columnar.process import freeze_gc
from workbench.spark.partitions import SHUFFLE_PARTITIONS, number_of_partitions
from workbench.spark.shipping import package_finder
from workbench.windows.stream.worker.bucket import BucketTask, Name

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

#: The column that rows are grouped by on their way to the operator.
BUCKET = "__bucket__"
#: The variables of the operator's state.
DIRECTORY, PARTS = "directory", "parts"
#: Where Spark says how many partitions the state has: since 4.1, a restart leaves the session's own
#: setting as it is.
BEGUN_WITH = "spark.sql.streaming.internal.stateStore.partitions", SHUFFLE_PARTITIONS


@dataclass(frozen=True)
class SparkStore:
    """The state of the bucket that Spark's operator is at.

    Attributes
    ----------
    values : pyspark.sql.streaming.stateful_processor.ValueState
    parts : pyspark.sql.streaming.stateful_processor.MapState
    """

    values: Any
    parts: Any

    def directory(self) -> bytes | None:
        """Return the packed directory, None when there is none."""
        found = self.values.get()
        return None if found is None else bytes(found[0])

    def put_directory(self, packed: bytes) -> None:
        """Keep the packed directory."""
        self.values.update((packed,))

    def part(self, name: Name) -> bytes:
        """Return a packed part that was kept."""
        return bytes(self.parts.getValue(name)[0])

    def put_part(self, name: Name, packed: bytes) -> None:
        """Keep a packed part."""
        self.parts.updateValue(name, (packed,))

    def drop_part(self, name: Name) -> None:
        """Forget a part that was kept."""
        self.parts.removeKey(name)


def answered(
    packed_task: bytes,
    handle: Any,
    store: SparkStore,
    bundles: Iterable[bytes],
    watermark: int,
    rung: int | None,
) -> Iterator[Any]:
    """Take the bundles that have come to the bucket Spark is at, and return what goes on.

    Parameters
    ----------
    packed_task : bytes
    handle : pyspark.sql.streaming.StatefulProcessorHandle
    store : SparkStore
    bundles : iterable of bytes
    watermark : int
        In milliseconds; 0, or less, when there is none yet.
    rung : int or None
        The time for which a timer was set that has gone off; Spark rids itself of it.

    Returns
    -------
    iterator of pyspark.sql.Row
        At most one: a bundle of rows, and what was counted.
    """
    from pyspark.sql import Row

    freeze_gc()
    task: BucketTask = pickle.loads(packed_task)
    task.seal.check_buckets(state_partitions(task.seal.buckets))
    # A shuffle gives bundles in any order. A micro-batch that is done again, behind a sink that has
    # what the first one gave, must come to the same, also where rows of one time come in two.
    opened = delivered(map(pa.py_buffer, sorted(bundles)))
    rows = [one for one in opened if len(one)]
    arrivals = pa.concat_tables(rows) if rows else None
    step = task.step(store, arrivals, watermark * 1000 if watermark > 0 else None)
    if step is None:
        return
    wake, slept = _timer(step.wake), _timer(step.slept)
    if wake != slept:
        if slept is not None and slept != rung:
            handle.deleteTimer(slept)
        if wake is not None:
            handle.registerTimer(wake)
    if len(step.output) or any(step.counts.values()):
        bundle = packed_rows(step.output).to_pybytes() if len(step.output) else None
        counts = {name: step.counts.get(name, 0) for name in task.mode.counts}
        yield Row(**{BUNDLE: bundle, **counts})


def _timer(wake: int | None) -> int | None:
    """The time of Spark's timer for when a bucket is to be asked again.

    Spark's watermark begins at 1970, and timers at or before the last one never go off.
    """
    return None if wake is None else max(wake, 1)


def state_partitions(otherwise: int) -> int:
    """Return how many partitions the state has, which the checkpoint has fixed when it was begun.

    Spark restores the setting from the checkpoint, and hands it to its tasks.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    found = [context.getLocalProperty(name) for name in BEGUN_WITH] if context else []
    return next(filter(None, map(number_of_partitions, found)), otherwise)


def processor_of(task: BucketTask) -> "StatefulProcessor":
    """Return what Spark's operator calls.

    Parameters
    ----------
    task : BucketTask

    Returns
    -------
    pyspark.sql.streaming.StatefulProcessor
        Spark first asks it for the variables of its state, in a Python beside the driver that need
        not have the packages: so its class goes there by value, and the task as bytes that are
        opened by those who need it.
    """
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    packed_task, find = pickle.dumps(task), package_finder()
    names = DIRECTORY, PARTS, BUNDLE

    class Buckets(StatefulProcessor):
        def init(self, handle: Any) -> None:
            from pyspark.sql.types import BinaryType, LongType, StructType

            packed = StructType().add("packed", BinaryType())
            name = StructType().add("kind", LongType()).add("first", LongType())
            self.handle = handle
            self.values = handle.getValueState(names[0], packed)
            self.parts = handle.getMapState(names[1], name, packed)

        def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
            return self._answered([row[names[2]] for row in rows], timerValues, None)

        def handleExpiredTimer(  # noqa: N802
            self,
            key: Any,
            timerValues: Any,  # noqa: N803
            expiredTimerInfo: Any,  # noqa: N803
        ) -> Iterator[Any]:
            return self._answered([], timerValues, expiredTimerInfo.getExpiryTimeInMs())

        def _answered(
            self, bundles: list[bytes], timer_values: Any, rung: int | None
        ) -> Iterator[Any]:
            find()
            from workbench.windows.stream.processor import SparkStore, answered

            watermark = timer_values.getCurrentWatermarkInMs()
            store = SparkStore(self.values, self.parts)
            return answered(packed_task, self.handle, store, bundles, watermark, rung)

        def close(self) -> None:
            pass

    return Buckets()
