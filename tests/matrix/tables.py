"""The tables that all sessions are asked about: the same files, read in several ways."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from tests.workbench.backfill.entities import tables as entity_tables
from tests.workbench.backfill.entities.tables import at
from tests.workbench.windows.stream import files as stream_files

EVENTS, USERS, QUERIES = 240, 9, 40
#: In two winters' zones and the summer of others, and some of it before 1970.
SECONDS = 4 * 86_400
TIME = pa.timestamp("us", "UTC")


def write_tables(folder: Path) -> None:
    """Write every table as a folder of Parquet files, and the files of streams."""
    changed = entity_tables.history(ids=14)
    snapshots = [row for day in range(entity_tables.DAYS) for row in changed.snapshot(day)]
    row = list(entity_tables.INTERVALS)[:5]
    for name, rows, schema in (
        ("events", _events(), EVENT),
        ("queries", _queries(), QUERY),
        ("snapshots", snapshots, pa.schema([pa.field("ds", pa.date32()), *row])),
        ("mutations", changed.mutations, pa.schema([*_SAID, *row])),
    ):
        columns = zip(zip(*rows, strict=True), schema.types, strict=True)
        (folder / name).mkdir(parents=True)
        table = pa.table([pa.array(c, kind) for c, kind in columns], schema)
        for number, first in enumerate(range(0, len(table), 100)):
            pq.write_table(table.slice(first, 100), folder / name / f"{number}.parquet")
    stream_files.write_files(folder / "streams")


_SAID = [pa.field("made", TIME), pa.field("op", pa.string()), pa.field("ds", pa.date32())]
EVENT = pa.schema(
    [
        *(("id", pa.int64()), ("user", pa.string()), ("city", pa.string()), ("at", TIME)),
        *(("event", pa.string()), ("price", pa.float64()), ("cents", pa.int64())),
        *(("paid", pa.decimal128(9, 2)), ("good", pa.bool_()), ("day", pa.date32())),
        *(("reach", pa.int32()), ("bytes", pa.binary())),
    ]
)
QUERY = pa.schema({"id": pa.int64(), "user": pa.string(), "at": TIME})


def _events() -> list[tuple[Any, ...]]:
    """Rows with ties, and with nulls in every column but the id and the reach."""
    random = np.random.default_rng(11)

    def drawn(values: list[Any]) -> Any:
        return None if random.random() < 0.05 else values[int(random.integers(0, len(values)))]

    rows = []
    for number in range(EVENTS):
        time = at(int(random.integers(0, SECONDS // 600)) * 600)
        cents = int(random.integers(-50, 400))
        rows.append(
            (
                number,
                drawn([f"user {user}" for user in range(USERS)]),
                drawn(["oslo", "bern", "łódź", ""]),
                drawn([time]),
                drawn(["view", "view", "cart", "buy", "help"]),
                drawn([cents / 4, float("nan")] if number % 40 == 0 else [cents / 4]),
                drawn([cents, 2**40 + cents] if number % 30 == 0 else [cents]),
                drawn([Decimal(cents) / 100]),
                drawn([True, True, False]),
                drawn([date(1969, 12, 28) + timedelta(days=int(random.integers(0, 7)))]),
                int(random.integers(0, 4)),
                drawn([b"", b"\0", b"a"]),
            )
        )
    return rows


def _queries() -> list[tuple[Any, ...]]:
    random = np.random.default_rng(12)
    rows: list[tuple[Any, ...]] = [
        (number, f"user {random.integers(0, USERS + 1)}", at(int(random.integers(0, 600)) * 600))
        for number in range(QUERIES)
    ]
    return [*rows, (QUERIES, None, at(0)), (QUERIES + 1, "user 1", None), rows[0]]


@dataclass
class Tables:
    """The tables of a session.

    Attributes
    ----------
    spark : pyspark.sql.SparkSession
    files : Path
        What :func:`write_tables` has written.
    scratch : Path
        A folder of the question's own.
    source : str
        Of :data:`SOURCES`.
    """

    spark: SparkSession
    files: Path
    scratch: Path
    source: str = "files"
    read: dict[str, DataFrame] = field(default_factory=dict)

    def __getattr__(self, name: str) -> DataFrame:
        if name not in ("events", "queries", "snapshots", "mutations"):
            raise AttributeError(name)
        if name not in self.read:
            self.read[name] = SOURCES[self.source](self, name)
        return self.read[name]

    def stream(self, name: str) -> DataFrame:
        """A table's files as a stream, one file a micro-batch."""
        reader = self.spark.readStream.option("maxFilesPerTrigger", 1)
        return reader.schema(_from_files(self, name).schema).parquet(str(self.files / name))


def _from_files(tables: Tables, name: str) -> DataFrame:
    return tables.spark.read.parquet(str(tables.files / name))


def _from_view(tables: Tables, name: str) -> DataFrame:
    _from_files(tables, name).createOrReplaceTempView(f"{name}_of_files")
    return tables.spark.sql(f"SELECT * FROM {name}_of_files DISTRIBUTE BY 1")


def _from_cache(tables: Tables, name: str) -> DataFrame:
    return _from_files(tables, name).repartition(3).cache()


def _from_python(tables: Tables, name: str) -> DataFrame:
    return tables.spark.createDataFrame(pq.read_table(tables.files / name))


def _from_stream(tables: Tables, name: str) -> DataFrame:
    """A table that a stream has written, micro-batch by micro-batch."""
    written = tables.scratch / f"{name}-of-a-stream"

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(f"{written}/batch={number}")

    writer = tables.stream(name).writeStream.foreachBatch(write)
    writer = writer.option("checkpointLocation", f"{written}-checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()
    return tables.spark.read.parquet(str(written)).drop("batch")


#: Where the rows of a table come from.
SOURCES: dict[str, Callable[[Tables, str], DataFrame]] = {
    "files": _from_files,
    "views": _from_view,
    "caches": _from_cache,
    "streams": _from_stream,
    "python": _from_python,
}
