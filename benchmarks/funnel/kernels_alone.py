"""The compiled kernel without Spark: nanoseconds per event, and the first call of a process."""

import subprocess
import sys
import time
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring.measure import seconds
from kernels.funnel.levels import entries, funnel_levels
from kernels.funnel.scan import window_funnel

Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]

FIRST_CALL = """
import numpy as np
from kernels import funnel_levels
print(funnel_levels(np.array([0, 2]), np.array([1, 2]), np.array([1, 2], np.uint32), 2, 9)[0])
"""


def columns_of(path: str, steps: tuple[str, ...]) -> Columns:
    """Return offsets, sorted times and conditions of the steps' events in a Parquet folder."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    event = ds.field("event")
    table = ds.dataset(path).to_table(
        columns={"user": ds.field("user_id"), "time": ds.field("timestamp"), "event": event},
        filter=event.isin(list(steps)),
    )
    codes = np.array([steps.index(e) for e in table["event"].to_pylist()], np.uint32)
    time_ = table["time"].cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
    user = table["user"].to_numpy()
    order = np.lexsort((codes, time_, user))
    _, counts = np.unique(user, return_counts=True)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return offsets, time_[order], np.uint32(1) << codes[order]


def scan_seconds(columns: Columns, steps: int, window: int, rounds: int) -> float:
    """Return the median time of ``window_funnel`` over all partitions, without preparation."""
    offsets, time_, step = entries(*columns, steps)
    slots, parent = np.zeros((2, steps), np.int64), np.empty(len(time_), np.int32)
    reached = np.zeros((len(offsets) - 1, steps), np.int64)
    settings = (window, False, False, False, False)

    def run() -> Any:
        return window_funnel.over(offsets, time_, step, *settings, *slots, parent, reached)

    return _median(run, rounds)


def whole_seconds(columns: Columns, steps: int, window: int, rounds: int) -> float:
    """Return the median time of the whole funnel over sorted columns, with allocations."""
    return _median(lambda: funnel_levels(*columns, steps, window), rounds)


def first_call_seconds(rounds: int) -> float:
    """Return the seconds that a new Python needs to start, import, load from the cache and run."""
    _first_call()
    return median(_first_call() for _ in range(rounds))


def _first_call() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", FIRST_CALL], check=True, capture_output=True)
    return time.perf_counter() - start


def _median(run: Any, rounds: int) -> float:
    run()
    return median(seconds(run) for _ in range(rounds))
