"""The line of ``python -m benchmarks streams`` for partitions that nothing comes to."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.arrivals import DELAY, START, readings, written
from benchmarks.report import Result, plain_seconds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from benchmarks.streams import Bench

#: Partitions that are kept and idle, and those that rows come to: in each micro-batch, a few each.
IDLE, BUSY, ROWS_EACH = 1_000_000, 1_000, 10
BATCHES = 12


@dataclass(frozen=True)
class AmongIdle:
    """Readings of a few sensors, behind one of each of many others.

    Attributes
    ----------
    idle : int
        How many others.
    """

    idle: int
    delay = DELAY
    files_a_batch = 1

    def stored(self, folder: Path) -> str:
        """Return the path of the files, which are made unless they are there."""
        return written(folder / f"among-idle-{self.idle}", self._tables())

    def _tables(self) -> Iterator[pa.Table]:
        # Busy sensors are spread among the others, so that their hashes are, too.
        every = max(self.idle // BUSY, 1)
        first = np.arange(max(self.idle, BUSY))
        yield readings(first, START + first, first)
        busy = np.tile(np.arange(BUSY) * every, ROWS_EACH)
        for number in range(1, BATCHES + 1):
            ids = number * 10 * IDLE + np.arange(len(busy))
            yield readings(busy, START + number * 60_000_000 + ids % IDLE * 1_000, ids)


def idle(bench: "Bench", ways: "dict[str, Callable[[DataFrame], DataFrame]]") -> None:
    """Time a micro-batch of a few partitions among many others, and among none."""
    for emit, windows in ways.items():
        with_them, alone = (
            bench.run(AmongIdle(count), windows, kept=False).batch for count in (IDLE, 0)
        )
        ratio = with_them / alone
        what = f"a micro-batch beside 1M idle, {emit}"
        cells = plain_seconds(with_them), plain_seconds(alone)
        bench.report.add(Result(what, "beside none", BUSY * ROWS_EACH, *cells, ratio, 1.5))
