"""``python -m benchmarks entities``: features of a table that changes, against those of events."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import workbench as wb
from benchmarks.backfill.bench import backfill
from benchmarks.backfill.visits import FILES, KEYS, START, YEAR
from benchmarks.measuring.measure import side_by_side
from benchmarks.measuring.report import Report, Result, plain_seconds
from workbench.durations import DAY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORES = 2
ROWS, MUTATIONS, QUERIES = 1_000_000, 1_000_000, 100_000
#: Shares of the mutations that insert rows, and that change rows, by two mutations each; the others
#: delete rows.
INSERTED, CHANGED = 0.5, 0.2
MOST = 2.0


@dataclass
class EntityBench:
    """The settings that the runs share.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    folder : Path
        The folder of generated files and of answers.
    """

    spark: "SparkSession"
    folder: Path

    def read(self, name: str) -> Any:
        """Return a generated table."""
        return self.spark.read.parquet(str(self.folder / f"ratings-{name}"))

    def by_entities(self) -> None:
        """Compute from snapshots and mutations."""
        ratings = wb.Entities(
            self.read("snapshots"), self.read("mutations"),
            key="user", id="id", time="at", mutation_time="made",
        )  # fmt: skip
        self.write(ratings, "entities")

    def by_events(self, name: str) -> None:
        """Compute from as many events as both tables have rows, or as the snapshot has."""
        self.write(self.read(name), name)

    def write(self, events: Any, to: str) -> None:
        """Compute into Parquet files."""
        features = backfill().run(self.read("queries"), events)
        features.write.mode("overwrite").parquet(str(self.folder / f"features-{to}"))


def run(rounds: int, folder: Path, only: Sequence[str] = ()) -> Report:
    """Measure and return the results.

    Parameters
    ----------
    rounds : int
        Measured runs of each way.
    folder : Path
        The folder where generated files are kept.
    only : sequence of str
        Ignored: there is only one part.

    Returns
    -------
    Report
    """
    generate(folder)
    report = Report()
    bench = EntityBench(wb.session({"spark.master": f"local[{CORES}]"}), folder)
    ways: dict[str, Callable[[], None]] = {
        "entities": bench.by_entities,
        "events": partial(bench.by_events, "events"),
        "fewer events": partial(bench.by_events, "fewer"),
    }
    timings = side_by_side(ways, rounds, same=False)
    times = {name: timing.median for name, timing in timings.items()}
    report.took("1M rows, 1M mutations, 100k queries", ROWS + MUTATIONS, times)
    for against, target in (("events", MOST), ("fewer events", None)):
        rows = ROWS + MUTATIONS if against == "events" else ROWS
        cells = plain_seconds(times["entities"]), plain_seconds(times[against])
        ratio = times["entities"] / times[against]
        report.add(Result("wb.Entities", against, rows, *cells, ratio, target))
    return report


def generate(folder: Path) -> None:
    """Write a snapshot, a year of mutations of it, queries of that year, and as many events."""
    if (folder / "ratings-queries").exists():
        return
    random = np.random.default_rng(0)
    inserted, changed = int(MUTATIONS * INSERTED), int(MUTATIONS * CHANGED)
    deleted = MUTATIONS - inserted - 2 * changed
    user = random.integers(0, KEYS, ROWS + inserted)
    at = np.concatenate([_times(random, ROWS, -YEAR), _times(random, inserted, 0)])
    price = _prices(random, len(user))
    table = {"id": np.arange(len(user)), "user": user, "at": at, "price": price}
    _write(folder / "ratings-snapshots", {name: one[:ROWS] for name, one in table.items()}, True)
    touched = random.permutation(ROWS)[: changed + deleted]
    before = {name: one[touched] for name, one in table.items()}
    after = {name: one[:changed] for name, one in before.items()}
    after["price"] = _prices(random, changed)
    new = {name: one[ROWS:] for name, one in table.items()}
    made = _times(random, len(touched), 0)
    old_op = np.repeat(["update_before", "delete"], [changed, deleted])
    mutations = {name: np.concatenate([before[name], after[name], new[name]]) for name in table}
    mutations["made"] = np.concatenate([made, made[:changed], new["at"]])
    new_op = np.repeat(["update_after", "insert"], [changed, inserted])
    mutations["op"] = np.concatenate([old_op, new_op])
    order = random.permutation(len(mutations["op"]))
    _write(folder / "ratings-mutations", {name: one[order] for name, one in mutations.items()})
    for name, rows in (("events", ROWS + MUTATIONS), ("fewer", ROWS)):
        times = _times(random, rows // 2, -YEAR), _times(random, rows - rows // 2, 0)
        columns = {"user": random.integers(0, KEYS, rows), "at": np.concatenate(times)}
        shuffled = random.permutation(rows)
        columns = {key: one[shuffled] for key, one in columns.items()}
        _write(folder / f"ratings-{name}", columns | {"price": _prices(random, rows)})
    queries = {"user": random.integers(0, KEYS, QUERIES), "at": _times(random, QUERIES, 0)}
    _write(folder / "ratings-queries", queries)


def _times(random: np.random.Generator, size: int, first: int) -> NDArray[np.int64]:
    return START + random.integers(first, first + YEAR, size)


def _prices(random: np.random.Generator, size: int) -> NDArray[np.float64]:
    return random.integers(0, 10_000, size) / 100


def _write(path: Path, columns: dict[str, NDArray[Any]], snapshot: bool = False) -> None:
    path.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    for name in ("at", "made"):
        if name in columns:
            index, instant = table.schema.get_field_index(name), pa.timestamp("us", "UTC")
            table = table.set_column(index, name, table.column(name).cast(instant))
    if snapshot:
        # The snapshot is of the midnight at which the year of mutations begins.
        day = np.full(len(table), START // DAY - 1, np.int32)
        table = table.append_column("ds", pa.array(day).cast(pa.date32()))
    rows = -(-len(table) // FILES)
    for part in range(FILES):
        pq.write_table(table.slice(part * rows, rows), path / f"part-{part}.parquet")
