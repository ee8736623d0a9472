"""The memory that a Python worker needs beyond its start, against the size of its block."""

import ctypes
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import psutil
import pyarrow as pa

import workbench as wb
from workbench.columnar.blocks import NAME
from workbench.funnel.bind import bits, task_of
from workbench.funnel.steps import event_name
from workbench.funnel.worker.blocks import packed_blocks
from workbench.funnel.worker.pack import PackTask
from workbench.spark.shuffle import select_rows
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BETWEEN_SAMPLES = 0.002

Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class Peak:
    """The most memory that this process holds while the context is open, above its start."""

    def __enter__(self) -> "Peak":
        # Release what earlier tasks of a reused worker left in the allocators.
        pa.default_memory_pool().release_unused()
        ctypes.CDLL(None).malloc_trim(0)
        self.process = psutil.Process(os.getpid())
        self.start = self.most = self.process.memory_info().rss
        self.done = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self.watcher.join()

    @property
    def bytes(self) -> int:
        """The peak above the start."""
        return self.most - self.start

    def _watch(self) -> None:
        while not self.done.wait(BETWEEN_SAMPLES):
            self.most = max(self.most, self.process.memory_info().rss)


@dataclass(frozen=True)
class MemoryTask:
    """A worker's task that returns its memory peak in place of its result.

    Attributes
    ----------
    task : function
        Takes and returns record batches.
    """

    task: Task

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run the task over a Spark partition and return the peak."""
        with Peak() as peak:
            for _ in self.task(batches):
                pass
        yield pa.record_batch({"peak": [peak.bytes]})


def peaks(spark: "SparkSession", funnel: wb.Funnel, path: str) -> dict[str, tuple[int, int]]:
    """Return the greatest peak of a worker and the size of the largest block, in bytes, by task.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    funnel : workbench.Funnel
    path : str
        A folder of Parquet files.

    Returns
    -------
    dict of str to (int, int)
    """
    events = spark.read.parquet(path)
    bound = BoundTable.of(events, funnel.key, funnel.time)
    answers = task_of(funnel, integer_time=False, names=False)
    matching = select_rows(bound, bits(funnel, bound), only_matching=answers.only_matching)
    names = select_rows(bound, event_name(bound, funnel.event))
    again = task_of(funnel, integer_time=False, names=True)
    with funnel.prepare(events) as prepared:
        blocks = prepared.blocks.select("block")
        largest = _largest(blocks.mapInArrow(partial(_sizes, again.keys), "size long"))
        return {
            "levels of rows": (_peak(matching, answers.from_rows), largest),
            "prepare": (_peak(names, PackTask(funnel.key, NAME).run), largest),
            "levels of prepared blocks": (_peak(blocks, again.from_blocks), largest),
        }


def _sizes(keys: tuple[str, ...], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the unpacked size of each block in bytes: packed, its times may be shorter."""
    for block in packed_blocks(batches, keys):
        size = block.keys.nbytes + block.offsets.nbytes + block.rows.nbytes
        yield pa.record_batch({"size": [size]})


def _peak(rows: "DataFrame", task: Task) -> int:
    return _largest(rows.mapInArrow(MemoryTask(task).run, "peak long"))


def _largest(sizes: "DataFrame") -> int:
    return int(max(row[0] for row in sizes.collect()))
