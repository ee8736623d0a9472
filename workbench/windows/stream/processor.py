"""Buckets of partitions behind the interface of Spark's operator for arbitrary state."""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.columnar.bundles import BUNDLE
from workbench.columnar.delivery import delivered
from workbench.columnar.packed_rows import packed_rows
from workbench.columnar.process import freeze_gc
from workbench.spark.partitions import SHUFFLE_PARTITIONS, number_of_partitions
from workbench.spark.shipping import package_finder
from workbench.windows.stream.worker.bucket import BucketTask, Name

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

#: The grouping column of the operator's input.
BUCKET = "__bucket__"
#: The variables of the operator's state.
DIRECTORY, PARTS = "directory", "parts"
#: Spark's settings for the number of partitions of the state. Since 4.1, a restart keeps the
#: session's own setting, so the first of these is read before it.
BEGUN_WITH = "spark.sql.streaming.internal.stateStore.partitions", SHUFFLE_PARTITIONS


@dataclass(frozen=True)
class SparkStore:
    """The state of the bucket that Spark's operator is processing.

    Attributes
    ----------
    values : pyspark.sql.streaming.stateful_processor.ValueState
    parts : pyspark.sql.streaming.stateful_processor.MapState
    """

    values: Any
    parts: Any

    def directory(self) -> bytes | None:
        """Return the packed directory, None when there is none."""
        row = self.values.get()
        return None if row is None else bytes(row[0])

    def put_directory(self, packed: bytes) -> None:
        """Store the packed directory."""
        self.values.update((packed,))

    def part(self, name: Name) -> bytes:
        """Return a stored packed part."""
        return bytes(self.parts.getValue(name)[0])

    def put_part(self, name: Name, packed: bytes) -> None:
        """Store a packed part."""
        self.parts.updateValue(name, (packed,))

    def drop_part(self, name: Name) -> None:
        """Delete a stored part."""
        self.parts.removeKey(name)


def process_bundles(
    packed_task: bytes,
    handle: Any,
    store: SparkStore,
    bundles: Iterable[bytes],
    watermark: int,
    expired: int | None,
) -> Iterator[Any]:
    """Process the bundles that arrived for the current bucket, and return the emitted rows.

    Parameters
    ----------
    packed_task : bytes
    handle : pyspark.sql.streaming.StatefulProcessorHandle
    store : SparkStore
    bundles : iterable of bytes
    watermark : int
        In milliseconds; 0 or less when there is none yet.
    expired : int or None
        The time of the timer that has expired; Spark deletes it itself.

    Returns
    -------
    iterator of pyspark.sql.Row
        At most one: a bundle of rows, and the counts.
    """
    from pyspark.sql import Row

    freeze_gc()
    task: BucketTask = pickle.loads(packed_task)
    task.seal.check_buckets(state_partitions(task.seal.buckets))
    # A shuffle delivers bundles in any order. A micro-batch that is repeated after its output has
    # reached the sink must give the same output, even where two bundles have rows of one time.
    opened = delivered(map(pa.py_buffer, sorted(bundles)))
    rows = [one for one in opened if len(one)]
    arrivals = pa.concat_tables(rows) if rows else None
    step = task.step(store, arrivals, watermark * 1000 if watermark > 0 else None)
    if step is None:
        return
    wake, slept = _timer(step.wake), _timer(step.slept)
    if wake != slept:
        if slept is not None and slept != expired:
            handle.deleteTimer(slept)
        if wake is not None:
            handle.registerTimer(wake)
    if len(step.output) or any(step.counts.values()):
        bundle = packed_rows(step.output).to_pybytes() if len(step.output) else None
        counts = {name: step.counts.get(name, 0) for name in task.mode.counts}
        yield Row(**{BUNDLE: bundle, **counts})


def _timer(wake: int | None) -> int | None:
    """Return the time of Spark's timer that wakes a bucket.

    Spark's watermark begins at 1970, and timers at or before the last one never go off.
    """
    return None if wake is None else max(wake, 1)


def state_partitions(otherwise: int) -> int:
    """Return the number of partitions of the state, which the checkpoint fixed when it was begun.

    Spark restores the setting from the checkpoint, and passes it to its tasks.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    settings = [context.getLocalProperty(name) for name in BEGUN_WITH] if context else []
    return next(filter(None, map(number_of_partitions, settings)), otherwise)


def processor_of(task: BucketTask) -> "StatefulProcessor":
    """Return the stateful processor for Spark's operator.

    Parameters
    ----------
    task : BucketTask

    Returns
    -------
    pyspark.sql.streaming.StatefulProcessor
        Spark first reads the variables of its state, in a Python process next to the driver that
        may lack the packages. So its class is pickled by value, and the task travels as bytes
        that only the workers unpickle.
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
            return self._process([row[names[2]] for row in rows], timerValues, None)

        def handleExpiredTimer(  # noqa: N802
            self,
            key: Any,
            timerValues: Any,  # noqa: N803
            expiredTimerInfo: Any,  # noqa: N803
        ) -> Iterator[Any]:
            return self._process([], timerValues, expiredTimerInfo.getExpiryTimeInMs())

        def _process(
            self, bundles: list[bytes], timer_values: Any, expired: int | None
        ) -> Iterator[Any]:
            find()
            from workbench.windows.stream.processor import SparkStore, process_bundles

            watermark = timer_values.getCurrentWatermarkInMs()
            store = SparkStore(self.values, self.parts)
            return process_bundles(packed_task, self.handle, store, bundles, watermark, expired)

        def close(self) -> None:
            pass

    return Buckets()
