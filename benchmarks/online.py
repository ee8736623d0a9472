"""``python -m benchmarks online``: current features by uploads, a stream and fetches."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import workbench as wb
from benchmarks.backfill.bench import five_functions
from benchmarks.measuring.kept import cached_folder
from benchmarks.measuring.measure import seconds
from benchmarks.measuring.report import Report, Result, plain_seconds, short
from workbench.durations import DAY, HOUR
from workbench.online.update import apply_batch

CORES = 2
PARTS = ("upload", "fetch", "writer", "update")
KEYS, EVENTS, FILES = 1_000_000, 5_000_000, 8
UNTIL = 1_704_067_200_000_000  # 2024-01-01 00:00 UTC, in microseconds
#: The events span twice the longest window.
SPAN = 60 * DAY
WINDOWS = ["5 hours", "7 days", "30 days"]
#: The number of events of the stream since the upload's end, and of each batch.
STREAMED, BATCH = 1_000_000, 250_000
FETCHES, WRITTEN = 20_000, 20_000


def view_of(folder: Path) -> wb.OnlineView:
    """Return a view of five functions over three windows, with its store in a folder."""
    backfill = wb.Backfill("user", "at", five_functions(WINDOWS))
    return wb.OnlineView(backfill, folder / "online-store")


def visits(rows: int, first: int, last: int, seed: int) -> pa.Table:
    """Return generated visits between two times."""
    made = np.random.default_rng(seed)
    at = pa.array(made.integers(first, last, rows)).cast(pa.timestamp("us", "UTC"))
    price = np.round(made.gamma(2.0, 40.0, rows), 2)
    return pa.table({"user": made.integers(0, KEYS, rows), "at": at, "price": price})


def files(folder: Path, name: str, rows: int, first: int, last: int, count: int) -> str:
    """Return a folder of Parquet files, writing them first if needed."""

    def write(path: Path) -> None:
        for part in range(count):
            pq.write_table(visits(rows // count, first, last, part), path / f"{part}.parquet")

    return str(cached_folder(folder / f"online-{name}-{rows}", write))


@dataclass
class OnlineBench:
    """The settings that the parts of the benchmark share.

    Attributes
    ----------
    folder : Path
    report : Report
    """

    folder: Path
    report: Report

    @property
    def events(self) -> str:
        """The folder of the events that are uploaded."""
        return files(self.folder, "events", EVENTS, UNTIL - SPAN, UNTIL, FILES)

    def rate(self, what: str, rows: int, took: float, least: float) -> None:
        """Report the number of events per second."""
        cells = plain_seconds(took), ""
        rate = rows / took / 1_000
        self.report.add(Result(what, "", rows, *cells, rate, least, "k/s", at_most=False))

    def micros(self, what: str, value: float, most: float) -> None:
        """Report a time of a fetch."""
        cell = f"{value:.1f} µs"
        self.report.add(Result(what, "", KEYS, cell, "", value, most, "µs"))


def run(rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rounds : int
        Measured uploads.
    folder : Path
        The folder of generated files and of the store, which the upload writes and all other parts
        read.
    only : sequence of str
        Some of :data:`PARTS`, all of them when it is empty.

    Returns
    -------
    Report
    """
    chosen, bench = set(only or PARTS), OnlineBench(folder, Report())
    if "upload" in chosen:
        upload(bench, rounds)
    for name, part in {"fetch": fetch, "writer": writer, "update": update}.items():
        if name in chosen:
            part(bench)
    return bench.report


def upload(bench: OnlineBench, rounds: int) -> None:
    """Upload repeatedly from Parquet, the first time to an empty store."""
    spark = wb.session({"spark.master": f"local[{CORES}]"})
    events = spark.read.parquet(bench.events)
    shutil.rmtree(bench.folder / "online-store", ignore_errors=True)
    # Starts Python's workers and loads the kernels, which no result should include.
    view_of(bench.folder).upload(events.limit(1_000), instant(UNTIL))
    view = view_of(bench.folder)
    took = [seconds(lambda: view.upload(events, instant(UNTIL))) for _ in range(rounds)]
    bench.rate("upload, 1M keys", EVENTS, median(took), 200)


def instant(micros: int) -> str:
    """Return a time as text."""
    return str(pa.scalar(micros, pa.timestamp("us", "UTC")).as_py())


def fetch(bench: OnlineBench) -> None:
    """Fetch one key and a hundred from a store with uploaded and streamed hops."""
    view = view_of(bench.folder)
    apply_next_batch(view, visits(BATCH, UNTIL, UNTIL + 9 * HOUR, 99))
    at = moment(UNTIL + 9 * HOUR)
    times = timed(lambda keys: view.fetch(keys, at=at), 1)
    bench.micros("fetch of one key, median", float(np.median(times)), 100)
    bench.micros("fetch of one key, 99th percentile", float(np.percentile(times, 99)), 1_000)
    many = timed(lambda keys: view.fetch(keys, at=at), 100, FETCHES // 20)
    bench.micros("fetch of 100 keys, median", float(np.median(many)), 2_000)


def moment(micros: int) -> Any:
    """Return a time as a datetime."""
    return pa.scalar(micros, pa.timestamp("us", "UTC")).as_py()


def apply_next_batch(view: wb.OnlineView, events: pa.Table) -> None:
    """Apply events as the next batch of a stream."""
    status = view.status()
    layout = view._reading.serving().layout
    aliases = {"user": "k0", "at": "__time__", "price": "c2"}
    table = events.rename_columns([aliases[name] for name in events.column_names])
    stream = status.stream or "benchmark"
    apply_batch(view.store, layout, status.lasting, table, stream, status.batch + 1)


def timed(fetching: Callable[[Any], Any], size: int, rounds: int = FETCHES) -> list[float]:
    """Return the microseconds of each of many fetches, with different keys each time."""
    generator = random.Random(size)
    batches = [
        [generator.randrange(KEYS) for _ in range(size)] for _ in range(rounds + rounds // 10)
    ]
    took = []
    for keys in batches:
        start = time.perf_counter_ns()
        fetching(keys)
        took.append((time.perf_counter_ns() - start) / 1_000)
    return took[rounds // 10 :]


def writer(bench: OnlineBench) -> None:
    """Fetch while another process applies 20,000 events per second."""
    view, at = view_of(bench.folder), moment(UNTIL + 9 * HOUR)
    alone = float(np.percentile(timed(lambda keys: view.fetch(keys, at=at), 1), 99))
    code = f"from benchmarks.online import write; write({str(bench.folder)!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        start, took = view.status(), timed(lambda keys: view.fetch(keys, at=at), 1, 5 * FETCHES)
        applied = view.status().streamed - start.streamed
    finally:
        process.kill()
        process.wait()
    with_writer, total = float(np.percentile(took, 99)), sum(took) / 1_000_000
    cells = f"{with_writer:.0f} µs", f"{alone:.0f} µs"
    what = f"99th percentile, writer {short(int(applied / total))}/s"
    bench.report.add(Result(what, "no writer", KEYS, *cells, with_writer / alone, 2.0))


def write(folder: str) -> None:
    """Apply 20,000 events per second, in batches of half a second, until killed."""
    view, seed = view_of(Path(folder)), 0
    apply_next_batch(view, visits(WRITTEN // 2, UNTIL, UNTIL + 8 * HOUR, 1))
    print("begun", flush=True)
    begun = time.perf_counter()
    while True:
        seed += 1
        apply_next_batch(view, visits(WRITTEN // 2, UNTIL, UNTIL + 8 * HOUR, seed))
        time.sleep(max(0.0, begun + seed / 2 - time.perf_counter()))


def update(bench: OnlineBench) -> None:
    """Update hops from a stream of files, and report the events per second."""
    spark = wb.session({"spark.master": f"local[{CORES}]"})
    count = STREAMED // BATCH
    path = files(bench.folder, "stream", STREAMED, UNTIL, UNTIL + 8 * HOUR, count)
    schema = spark.read.parquet(path).schema
    view = view_of(bench.folder)
    for _ in range(2):
        # The first one loads the code of streams, which no result should include.
        view.forget_stream()
        checkpoint = bench.folder / "online-checkpoint"
        shutil.rmtree(checkpoint, ignore_errors=True)
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(path)
        query = view.update(stream, checkpoint, {"availableNow": True})
        query.awaitTermination()
        progress = [one for one in query.recentProgress if one["numInputRows"]]
        took = [one["durationMs"]["triggerExecution"] / 1_000 for one in progress]
    bench.rate(f"update, batches of {short(BATCH)}", STREAMED, sum(took), 100)
