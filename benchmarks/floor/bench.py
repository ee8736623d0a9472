"""What the parts of ``python -m benchmarks floor`` share: a path compared with its floor."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measuring.measure import Run, side_by_side
from benchmarks.measuring.replayed import record_steps, replay_steps
from benchmarks.measuring.report import Report, Result, plain_seconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The target: at most this multiple of the floor.
MOST = 1.25
OURS, NO_KERNEL, IDLE = "ours", "the kernel idle", "every Python step idle"
#: Warm-up runs before the measurement: Java compiles what all ways share.
WARM = 3


@dataclass
class FloorBench:
    """The settings that the parts of the benchmark share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    folder : Path
        The folder of generated files and of the recorded output of steps.
    rounds : int
        Measured runs of each way.
    rows : int
    report : Report
    """

    spark: "SparkSession"
    folder: Path
    rounds: int
    rows: int
    report: Report

    def path(self, what: str, run: Callable[[], Any]) -> None:
        """Measure one path: as it is, with an idle kernel, and with every Python step idle."""
        outputs = self.folder / "given-by-steps"
        shutil.rmtree(outputs, ignore_errors=True)
        with record_steps(outputs):
            run()
        for _ in range(WARM):
            run()
        ways: dict[str, Run] = {
            OURS: run,
            NO_KERNEL: partial(run_replayed, run, outputs, "kernel"),
            IDLE: partial(run_replayed, run, outputs, ""),
        }
        timings = side_by_side(ways, self.rounds, same=False)
        times = {name: timing.median for name, timing in timings.items()}
        self.report.took(what, self.rows, times)
        ours, floor = times[OURS], times[IDLE]
        cells = plain_seconds(ours), plain_seconds(floor)
        self.report.add(Result(what, IDLE, self.rows, *cells, ours / floor, MOST))
        share = max(ours - times[NO_KERNEL], 0.0) / ours
        cells = plain_seconds(ours), plain_seconds(times[NO_KERNEL])
        self.report.add(
            Result(f"kernel's share: {what}", NO_KERNEL, self.rows, *cells, share, None, "of it")
        )


def run_replayed(run: Callable[[], Any], outputs: Path, only: str) -> None:
    """Run a path with replayed steps."""
    with replay_steps(outputs, only):
        run()
