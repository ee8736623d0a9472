"""Python steps that do nothing: they take what they are given, and give what was once the answer.

A run with recorded steps keeps what each task gives. In a replayed run the same rows are read and
sent to Python, the same bytes go through the shuffles and out, and nothing is computed.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa

from workbench.spark import steps
from workbench.spark.steps import Run


@dataclass(frozen=True)
class RecordedStep:
    """A step that keeps what each of its tasks gives.

    Attributes
    ----------
    run : function
        From record batches to record batches.
    folder : str
    """

    run: Run
    folder: str

    def __call__(self, batches: Any) -> Iterator[pa.RecordBatch]:
        path = place_of(self.folder)
        writer = None
        for batch in self.run(batches):
            if writer is None:
                writer = pa.ipc.new_file(str(path), batch.schema)
            writer.write_batch(batch)
            yield batch
        if writer is not None:
            writer.close()


@dataclass(frozen=True)
class ReplayedStep:
    """A step that reads its rows, and gives what was recorded.

    Attributes
    ----------
    folder : str
    """

    folder: str

    def __call__(self, batches: Any) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        path = place_of(self.folder)
        if path.exists():
            with pa.memory_map(str(path)) as file:
                reader = pa.ipc.open_file(file)
                for number in range(reader.num_record_batches):
                    yield reader.get_batch(number)


def place_of(folder: str) -> Path:
    """Return where the task that Spark runs here keeps what it gives."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return Path(folder) / f"{context.partitionId() if context else 0}.arrow"


@contextmanager
def recorded(folder: Path) -> Iterator[None]:
    """Keep what the Python steps of the plans give that are made inside."""
    with _wrapped(lambda name, run, number: RecordedStep(run, _made(folder, name, number))):
        yield


@contextmanager
def replayed(folder: Path, only: str = "") -> Iterator[None]:
    """Have the Python steps of the plans that are made inside do nothing.

    Parameters
    ----------
    folder : Path
        As :func:`recorded` filled it, from plans made in the same order.
    only : str
        With what the names of these steps end; the others do what they do.
    """

    def wrap(name: str, run: Run, number: int) -> Run:
        return ReplayedStep(_made(folder, name, number)) if name.endswith(only) else run

    with _wrapped(wrap):
        yield


def _made(folder: Path, name: str, number: int) -> str:
    place = folder / f"{number} {name}"
    place.mkdir(parents=True, exist_ok=True)
    return str(place)


@contextmanager
def _wrapped(wrap: Callable[[str, Run, int], Run]) -> Iterator[None]:
    """Have every module that makes plans wrap its steps, which are numbered as they are made."""
    numbers, made = count(), steps.named_task

    def wrapped(name: str, run: Run) -> Run:
        return made(name, wrap(name, run, next(numbers)))

    having = [one for one in [*sys.modules.values()] if vars(one).get("named_task") is made]
    patches = [patch.object(module, "named_task", wrapped) for module in having]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
