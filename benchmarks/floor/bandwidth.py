"""Kernels alone: the bytes that they move per second, against those of a copy."""

from collections.abc import Callable
from time import thread_time
from typing import Any

import numpy as np

from benchmarks.measuring.report import Report, Result
from kernels.funnel.levels import funnel_levels
from kernels.structures.order import group_rows, sort_entries
from workbench.durations import HOUR
from workbench.funnel.spec import MODES

#: The number of copied integers: far more than a processor's cache holds.
COPIED = 32_000_000
KEY_ROWS = 10


def bandwidth(report: Report, rows: int, rounds: int = 5) -> None:
    """Report the bandwidth of kernels as a share of that of a copy."""
    random = np.random.default_rng(0)
    user = random.integers(0, rows // KEY_ROWS, rows).astype(np.uint32)
    time, whole = random.integers(0, 30 * 24 * HOUR, rows), np.ones(COPIED, np.int64)
    copied = np.empty_like(whole)
    copy = 2 * whole.nbytes / best(lambda: np.copyto(copied, whole), rounds)
    offsets, order = np.empty(rows // KEY_ROWS + 1, np.int64), np.empty(rows, np.uint32)

    def grouped() -> None:
        group_rows(user.copy(), offsets, order)

    grouped()
    by_key = time[order]
    # One of four events, the last of which is no step.
    step = ((1 << random.integers(0, 4, rows)) & 7).astype(np.uint32)

    def in_time() -> None:
        sort_entries.over(offsets, by_key.copy(), order)

    def scanned() -> None:
        funnel_levels(offsets, sorted_time, step, 3, HOUR, **dict.fromkeys(MODES, False))

    sorted_time = by_key.copy()
    sort_entries.over(offsets, sorted_time, np.empty(rows, np.uint32))
    measured: dict[str, tuple[Callable[[], Any], int]] = {
        "group rows by key": (grouped, 2 * user.nbytes + order.nbytes),
        "sort each key's rows by time": (in_time, 4 * by_key.nbytes + 2 * order.nbytes),
        "funnel levels": (scanned, sorted_time.nbytes + step.nbytes),
    }
    for name, (run, moved) in measured.items():
        took = best(run, rounds)
        cells = f"{moved / took / 1e9:.2f} GB/s", f"{copy / 1e9:.2f} GB/s"
        share = moved / took / copy
        report.add(Result(f"kernel alone: {name}", "a copy", rows, *cells, share, None, "of it"))


def best(run: Callable[[], Any], rounds: int) -> float:
    """Return the least processor seconds of some runs, after one warm-up run."""
    run()
    took = []
    for _ in range(rounds):
        start = thread_time()
        run()
        took.append(thread_time() - start)
    return min(took)
