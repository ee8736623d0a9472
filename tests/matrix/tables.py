"""The tables of the questions: the same files, read in several ways."""

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
#: The length of the history: winter in some zones, summer in others, and partly before 1970.
SECONDS = 4 * 86_400
TIME = pa.timestamp("us", "UTC")


def write_tables(folder: Path) -> None:
    """Write every table as a folder of Parquet files, and the files of streams."""
    history = entity_tables.history(ids=14)
    snapshots = [row for day in range(entity_tables.DAYS) for row in history.snapshot(day)]
    row_fields = list(entity_tables.INTERVALS)[:5]
    for name, rows, schema in (
        ("events", _events(), EVENT_SCHEMA),
        ("queries", _queries(), QUERY_SCHEMA),
        ("snapshots", snapshots, pa.schema([pa.field("ds", pa.date32()), *row_fields])),
        ("mutations", history.mutations, pa.schema([*_MUTATION, *row_fields])),
    ):
        columns = zip(zip(*rows, strict=True), schema.types, strict=True)
        (folder / name).mkdir(parents=True)
        table = pa.table([pa.array(c, kind) for c, kind in columns], schema)
        for number, first in enumerate(range(0, len(table), 100)):
            pq.write_table(table.slice(first, 100), folder / name / f"{number}.parquet")
    stream_files.write_files(folder / "streams")


_MUTATION = [pa.field("made", TIME), pa.field("op", pa.string()), pa.field("ds", pa.date32())]
EVENT_SCHEMA = pa.schema(
    [
        *(("id", pa.int64()), ("user", pa.string()), ("city", pa.string()), ("at", TIME)),
        *(("event", pa.string()), ("price", pa.float64()), ("cents", pa.int64())),
        *(("paid", pa.decimal128(9, 2)), ("good", pa.bool_()), ("day", pa.date32())),
        *(("reach", pa.int32()), ("bytes", pa.binary())),
    ]
)
QUERY_SCHEMA = pa.schema({"id": pa.int64(), "user": pa.string(), "at": TIME})


def _events() -> list[tuple[Any, ...]]:
    """Return rows with ties, and with nulls in every column but the id and the reach."""
    random = np.random.default_rng(11)

    def one_or_null(values: list[Any]) -> Any:
        return None if random.random() < 0.05 else values[int(random.integers(0, len(values)))]

    rows = []
    for number in range(EVENTS):
        time = at(int(random.integers(0, SECONDS // 600)) * 600)
        cents = int(random.integers(-50, 400))
        rows.append(
            (
                number,
                one_or_null([f"user {user}" for user in range(USERS)]),
                one_or_null(["oslo", "bern", "łódź", ""]),
                one_or_null([time]),
                one_or_null(["view", "view", "cart", "buy", "help"]),
                one_or_null([cents / 4, float("nan")] if number % 40 == 0 else [cents / 4]),
                one_or_null([cents, 2**40 + cents] if number % 30 == 0 else [cents]),
                one_or_null([Decimal(cents) / 100]),
                one_or_null([True, True, False]),
                one_or_null([date(1969, 12, 28) + timedelta(days=int(random.integers(0, 7)))]),
                int(random.integers(0, 4)),
                one_or_null([b"", b"\0", b"a"]),
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
        The folder that :func:`write_tables` has filled.
    scratch : Path
        A folder for the files of one question.
    source : str
        One of :data:`SOURCES`.
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
        """Return a table's files as a stream, with one file in each micro-batch."""
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
    """Return a table that a stream has written, micro-batch by micro-batch."""
    written = tables.scratch / f"{name}-of-a-stream"

    def write(batch: DataFrame, number: int) -> None:
        batch.write.mode("overwrite").parquet(f"{written}/batch={number}")

    writer = tables.stream(name).writeStream.foreachBatch(write)
    writer = writer.option("checkpointLocation", f"{written}-checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()
    return tables.spark.read.parquet(str(written)).drop("batch")


#: The functions that read a table, by the kind of source.
SOURCES: dict[str, Callable[[Tables, str], DataFrame]] = {
    "files": _from_files,
    "views": _from_view,
    "caches": _from_cache,
    "streams": _from_stream,
    "python": _from_python,
}
