"""The part of ``python -m benchmarks streams`` about partitions without new rows."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.measuring.report import Result, plain_seconds
from benchmarks.streams.arrivals import BUSY, IDLE, ROWS_EACH, AmongIdle

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from benchmarks.streams.bench import StreamBench


def idle(bench: "StreamBench", ways: "dict[str, Callable[[DataFrame], DataFrame]]") -> None:
    """Time a micro-batch of a few partitions with many idle ones in the state, and without."""
    for emit, windows in ways.items():
        with_them, alone = (
            bench.run(AmongIdle(count), windows, with_state=False).batch for count in (IDLE, 0)
        )
        ratio = with_them / alone
        what = f"a micro-batch beside 1M idle, {emit}"
        cells = plain_seconds(with_them), plain_seconds(alone)
        bench.report.add(Result(what, "beside none", BUSY * ROWS_EACH, *cells, ratio, 1.5))
