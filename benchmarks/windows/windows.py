"""``python -m benchmarks windows``: moving frames with the workbench and with others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.measure import AnswersDifferError, side_by_side
from benchmarks.measuring.memory import Peak
from benchmarks.measuring.report import Report, Result, milliseconds
from benchmarks.windows import on_spark as windows_on_spark
from benchmarks.windows.kernels import FUNCTIONS, TrailingFrame
from benchmarks.windows.readings import loaded
from benchmarks.windows.ways import PLAIN, Ways

SENSORS = (1, 20)
SHORT, LONG = TrailingFrame(101), TrailingFrame(10_001)
WITH_GAPS = TrailingFrame(120, "range")
FRAMES = (TrailingFrame(11), SHORT, TrailingFrame(1_001), LONG, WITH_GAPS)
#: The frames for which the results of all ways are compared; tests do so for all kinds of frames.
CHECKED = (SHORT, WITH_GAPS)
OURS, ONE_THREAD = "kernels, two threads", "kernels, one thread"
#: How many times faster than DuckDB; sum, min and max are compared with the fastest of all.
AHEAD = {"quantile": 3.0, "mode": 1.0, "count_distinct": 1.0, "mad": 1.0}
BEHIND_FASTEST, FLAT = 1.2, 1.3
#: A way whose first run takes more seconds than this is not run again.
PATIENCE = 4.0

PARTS = (*FUNCTIONS, "memory", *windows_on_spark.PARTS)


@dataclass
class WindowBench:
    """The settings that the parts about columns in memory share.

    Attributes
    ----------
    ways : Ways
    sensors : int
        How many partitions the readings have.
    rounds : int
        Measured runs of each way.
    report : Report
    """

    ways: Ways
    sensors: int
    rounds: int
    report: Report

    def name(self, function: str, frame: TrailingFrame) -> str:
        """Return the name of a line in the report."""
        return f"{function}, {frame}, {partitions(self.sensors)}"


def run(sizes: Sequence[int], rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure for readings of several sizes and return the results.

    Parameters
    ----------
    sizes : sequence of int
        Readings in each file; in memory, those of the last are used.
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Some of :data:`PARTS`, all of them when it is empty.

    Returns
    -------
    Report
    """
    report, chosen = Report(), set(only or PARTS)
    functions = [name for name in FUNCTIONS if name in chosen]
    if functions or "memory" in chosen:
        for sensors in SENSORS:
            bench = WindowBench(Ways(loaded(sizes[-1], sensors, folder)), sensors, rounds, report)
            in_memory(bench, functions)
            if "memory" in chosen:
                memory(bench)
    windows_on_spark.run(sizes, rounds, folder, report, chosen)
    return report


def in_memory(bench: WindowBench, functions: Sequence[str]) -> None:
    """Compare the functions over each frame."""
    if functions:
        sorting(bench)
    for function in functions:
        for frame in FRAMES:
            compare(bench, function, frame)
        flat(bench, function)


def sorting(bench: WindowBench) -> None:
    """Report the cost of DuckDB's sort, as the kernels get sorted rows."""
    took = side_by_side({"DuckDB": bench.ways.duckdb_sorts}, bench.rounds)["DuckDB"].median
    what = f"DuckDB sorts, {partitions(bench.sensors)}"
    cell = milliseconds(took)
    bench.report.add(Result(what, "", bench.ways.readings.rows, "", cell, took * 1e3, None, "ms"))


def compare(bench: WindowBench, function: str, frame: TrailingFrame) -> None:
    """Time one function over one frame in all ways."""
    ways, rows = bench.ways, bench.ways.readings.rows
    if frame in CHECKED:
        check(ways, function, frame)
    all_ways: dict[str, Callable[[str, TrailingFrame], Any]] = {
        OURS: ways.kernels_in_halves,
        ONE_THREAD: ways.kernels,
        **ways.others(function),
    }
    runs = {name: partial(way, function, frame) for name, way in all_ways.items()}
    runs[ONE_THREAD]()  # A kernel's first run may compile it, and could exceed the patience.
    timings = side_by_side(runs, bench.rounds, same=False, patience=PATIENCE)
    times = {name: timing.median for name, timing in timings.items()}
    for name, took in times.items():
        bench.report.took(f"{function}, {partitions(bench.sensors)}", str(frame), {name: took})
    what, ours = bench.name(function, frame), times.pop(OURS)
    for name, took in times.items():
        if name != fastest(times):
            against(bench, what, name, ours, took)
    name = fastest(times)
    if function in PLAIN:
        cells = milliseconds(ours), milliseconds(times[name])
        ratio = ours / times[name]
        bench.report.add(Result(what, f"fastest: {name}", rows, *cells, ratio, BEHIND_FASTEST))
    else:
        against(bench, what, "DuckDB", ours, times["DuckDB"], AHEAD[function])


def fastest(times: dict[str, float]) -> str:
    """Return the fastest of the others; some functions have only DuckDB and our own one thread."""
    return min((name for name in times if name != ONE_THREAD), key=times.__getitem__)


def against(
    bench: WindowBench,
    what: str,
    other: str,
    ours: float,
    theirs: float,
    target: float | None = None,
) -> None:
    """Report another's time as a multiple of ours."""
    cells, rows = (milliseconds(ours), milliseconds(theirs)), bench.ways.readings.rows
    bench.report.add(Result(what, other, rows, *cells, theirs / ours, target, at_most=False))


def flat(bench: WindowBench, function: str) -> None:
    """Compare a long frame with a short one: three quantiles cost the same."""
    times = bench.report.seconds[f"{function}, {partitions(bench.sensors)}"][OURS]
    long, short = times[str(LONG)], times[str(SHORT)]
    target = FLAT if function == "quantile" else None
    cells = milliseconds(long), milliseconds(short)
    what = f"{function}, growth to {LONG}, {partitions(bench.sensors)}"
    rows = bench.ways.readings.rows
    bench.report.add(Result(what, f"{SHORT}", rows, *cells, long / short, target))


def memory(bench: WindowBench) -> None:
    """Report the peak memory of a function beyond its columns, in bytes per row."""
    rows = bench.ways.readings.rows
    for function in FUNCTIONS:
        with Peak() as peak:
            answer = bench.ways.kernels(function, SHORT)
        each = peak.bytes / rows
        what = f"memory, {bench.name(function, SHORT)}"
        cells = f"{each:.0f} B", f"{answer.nbytes / rows:.0f} B"
        bench.report.add(Result(what, "its answer", rows, *cells, each, None, "B/row"))


def check(ways: Ways, function: str, frame: TrailingFrame) -> None:
    """Refuse results that differ from DuckDB's."""
    expected = numbers(ways.duckdb_ordered(function, frame))
    answers = {OURS: np.concatenate(ways.kernels_in_halves(function, frame))}
    if function in PLAIN:
        answers["Polars"] = ways.by_polars(function, frame).to_numpy()
        answers["pandas"] = ways.by_pandas(function, frame).to_numpy()
    for name, answer in answers.items():
        if not np.allclose(answer.ravel(), expected, rtol=1e-6, atol=1e-6):
            raise AnswersDifferError(f"{name} and DuckDB give different {function} of {frame}.")


def numbers(answers: Any) -> Any:
    """Return DuckDB's results as an array of numbers; lists are flattened."""
    column = answers.combine_chunks()
    return (column.flatten() if column.type.num_fields else column).to_numpy()


def partitions(count: int) -> str:
    """Return a number of partitions for a line.

    Examples
    --------
    >>> partitions(1), partitions(20)
    ('1 part', '20 parts')
    """
    return f"{count} part{'s' * (count > 1)}"
