"""Small questions answered in the driver's process, by the tasks that Spark's workers run.

A job of Spark that sends some rows to Python workers and back takes longer than their answer. So
rows that this process holds go through the same tasks here, on each core those of some keys
(docs/decisions/0045).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.arrow_frame import arrow_frame
from workbench.columnar.blocks import grouped
from workbench.columnar.key_codes import key_codes
from workbench.columnar.process import in_user_process
from workbench.errors import JobError
from workbench.spark.held import HeldTable
from workbench.spark.jobs import in_arrow
from workbench.spark.sessions.session import cores
from workbench.spark.steps import Run

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

ZONE = "spark.sql.session.timeZone"
#: The option of Spark that says how much the driver may have of a job's rows.
MOST_RESULTS = "spark.driver.maxResultSize"
#: About how many rows are answered together: few enough for a processor's cache, and not so few
#: that they are answered sooner than they are parted.
ROWS_AT_ONCE = 100_000


def worker_rows(
    held: HeldTable,
    wanted: "Mapping[str, Column]",
    plain: Mapping[str, str],
) -> pa.Table | None:
    """Return columns of a table as Spark hands them to a worker.

    Parameters
    ----------
    held : HeldTable
    wanted : dict of str to Column
        By the names that the worker knows.
    plain : dict of str to str
        Which columns of the table these are. Where one is computed, Spark computes it.

    Returns
    -------
    pyarrow.Table or None
        None where only Spark knows what it hands over, as for times that are of no zone; or where
        the rows of files are more than a session lets the driver have.
    """
    columns = {f"c{i}": value for i, value in enumerate(wanted.values())}
    renamed = [value.alias(name) for name, value in columns.items()]
    schema = _worker_schema(held.without_rows.select(*renamed).schema, held.spark)
    if held.rows is None or any(name not in plain for name in wanted):
        try:
            rows = in_arrow(held.df.select(*renamed))
        except JobError as error:
            if held.rows is None and MOST_RESULTS in str(error):
                return None
            raise
    else:
        rows = held.rows.select([plain[name] for name in wanted]).rename_columns(list(columns))
        if not all(map(_is_known, rows.schema.types, schema.types)):
            return None
    try:
        return rows.cast(schema).rename_columns(list(wanted))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError):
        return None


def run_by_key(
    run: Callable[..., Iterable[pa.RecordBatch]], tables: Sequence[pa.Table], keys: Sequence[str]
) -> list[pa.RecordBatch]:
    """Return what a task makes of rows, on each core those of some keys at a time.

    The kernels, NumPy and Arrow leave Python to others while they compute.

    Parameters
    ----------
    run : callable
        From the rows of some whole keys, of each table those, to answers.
    tables : sequence of pyarrow.Table
        With the same columns as key.
    keys : sequence of str
        Without any, all rows are answered together.
    """

    def answer(part: Sequence[NDArray[np.int64]]) -> list[pa.RecordBatch]:
        # Taken even where they are all there are: of a table that is a part of another one, tasks
        # would see what the other has.
        some = [table.take(rows) for table, rows in zip(tables, part, strict=True)]
        return run_here(lambda _: run(*some), ())

    parts = _parts(tables, keys)
    if len(parts) == 1:
        return answer(parts[0])
    with ThreadPoolExecutor(min(cores(), len(parts))) as pool:
        return [batch for found in pool.map(answer, parts) for batch in found]


def _parts(tables: Sequence[pa.Table], keys: Sequence[str]) -> list[list[NDArray[np.int64]]]:
    """Which rows of each table make a part of them with all rows of its keys."""
    ends = np.cumsum([0, *map(len, tables)])
    count = int(ends[-1]) // ROWS_AT_ONCE if keys else 1
    if count < 2:
        return [[np.arange(len(table)) for table in tables]]
    first, *others = (table.select(list(keys)) for table in tables)
    codes, _ = key_codes(pa.concat_tables([first, *(one.cast(first.schema) for one in others)]))
    of_tables = [
        np.split(order, offsets[1:-1])
        for begin, end in pairwise(ends)
        for offsets, order in [grouped(codes[begin:end] % np.uint32(count), count)]
    ]
    return [list(part) for part in zip(*of_tables, strict=True)]


def run_here(run: Run, batches: Iterable[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Return what a task makes of batches.

    Raises
    ------
    JobError
        When an answer does not fit its type, as calls have it that run a job of Spark.
    """
    try:
        with in_user_process():
            return list(run(batches))
    except OverflowError as error:
        raise JobError(str(error)) from None


def answered_here(
    found: Sequence[pa.RecordBatch], schema: "StructType", spark: "SparkSession"
) -> "DataFrame":
    """Return answers as a table of Spark.

    Parameters
    ----------
    found : sequence of pyarrow.RecordBatch
    schema : pyspark.sql.types.StructType
        As the plan on Spark would have it.
    spark : pyspark.sql.SparkSession
    """
    rows = pa.Table.from_batches(found) if found else _worker_schema(schema, spark).empty_table()
    return arrow_frame(spark, rows, schema)


def _worker_schema(schema: "StructType", spark: "SparkSession") -> pa.Schema:
    """How Arrow calls the types of Spark where workers get them."""
    from pyspark.sql.pandas.types import to_arrow_type

    zone = spark.conf.get(ZONE) or "UTC"
    kinds = [(one.name, to_arrow_type(one.dataType, timezone=zone)) for one in schema.fields]
    return pa.schema(kinds)


def _is_known(held: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values become those that Spark would make of them by a plain cast."""
    if pa.types.is_nested(held) and "timestamp" in str(wanted):
        return bool(held == wanted)
    local = pa.types.is_timestamp(held) and held.tz is None
    zone: str | None = getattr(wanted, "tz", None)
    return not local or zone in (None, "UTC", "Etc/UTC")
