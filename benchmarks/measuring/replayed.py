"""Record the output of Python steps, and replay it without computing anything.

A run with recorded steps keeps the output of each task. In a replayed run the same rows are read
and sent to Python, the same bytes go through the shuffles and out, and nothing is computed.
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
    """A step that keeps the output of each of its tasks.

    Attributes
    ----------
    run : function
        Takes and returns record batches.
    folder : str
    """

    run: Run
    folder: str

    def __call__(self, batches: Any) -> Iterator[pa.RecordBatch]:
        path = task_path(self.folder)
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
    """A step that reads its rows, and returns the recorded output.

    Attributes
    ----------
    folder : str
    """

    folder: str

    def __call__(self, batches: Any) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        path = task_path(self.folder)
        if path.exists():
            with pa.memory_map(str(path)) as file:
                reader = pa.ipc.open_file(file)
                for number in range(reader.num_record_batches):
                    yield reader.get_batch(number)


def task_path(folder: str) -> Path:
    """Return the path for the output of the Spark task that runs here."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return Path(folder) / f"{context.partitionId() if context else 0}.arrow"


@contextmanager
def record_steps(folder: Path) -> Iterator[None]:
    """Record the output of the Python steps of plans that are made in this context."""
    with _steps_wrapped(
        lambda name, run, number: RecordedStep(run, _step_folder(folder, name, number))
    ):
        yield


@contextmanager
def replay_steps(folder: Path, only: str = "") -> Iterator[None]:
    """Replay the Python steps of plans that are made in this context.

    Parameters
    ----------
    folder : Path
        As :func:`record_steps` filled it, from plans made in the same order.
    only : str
        The ending of the names of replayed steps; other steps run as usual.
    """

    def wrap(name: str, run: Run, number: int) -> Run:
        return ReplayedStep(_step_folder(folder, name, number)) if name.endswith(only) else run

    with _steps_wrapped(wrap):
        yield


def _step_folder(folder: Path, name: str, number: int) -> str:
    path = folder / f"{number} {name}"
    path.mkdir(parents=True, exist_ok=True)
    return str(path)


@contextmanager
def _steps_wrapped(wrap: Callable[[str, Run, int], Run]) -> Iterator[None]:
    """Let every module that makes plans wrap its steps, which are numbered in order."""
    numbers, original = count(), steps.named_task

    def wrapped(name: str, run: Run) -> Run:
        return original(name, wrap(name, run, next(numbers)))

    modules = [one for one in [*sys.modules.values()] if vars(one).get("named_task") is original]
    patches = [patch.object(module, "named_task", wrapped) for module in modules]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
