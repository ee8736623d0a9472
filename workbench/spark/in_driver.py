"""Answer small queries in the driver's process, with the tasks that Spark's workers run.

For few rows, a Spark job to the Python workers and back takes longer than the computation. So
rows that this process holds go through the same tasks here, with the keys spread over the cores
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
#: Spark's option that limits the size of the results that a job sends to the driver.
MOST_RESULTS = "spark.driver.maxResultSize"
#: The approximate number of rows of one chunk: few enough for a processor's cache, and enough that
#: the computation takes longer than the split.
ROWS_AT_ONCE = 100_000


def worker_rows(
    held: HeldTable,
    wanted: "Mapping[str, Column]",
    plain: Mapping[str, str],
) -> pa.Table | None:
    """Return columns of a table as Spark would send them to a worker.

    Parameters
    ----------
    held : HeldTable
    wanted : dict of str to Column
        The columns by the names that the worker uses.
    plain : dict of str to str
        By the same names, the columns of the table; Spark computes those that are missing here.

    Returns
    -------
    pyarrow.Table or None
        None if only Spark can convert the values, such as times without a zone, or if the rows of
        files exceed the session's limit for results.
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
        if not all(map(_casts_as_spark, rows.schema.types, schema.types)):
            return None
    try:
        return rows.cast(schema).rename_columns(list(wanted))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError):
        return None


def run_by_key(
    run: Callable[..., Iterable[pa.RecordBatch]], tables: Sequence[pa.Table], keys: Sequence[str]
) -> list[pa.RecordBatch]:
    """Run a task over rows in chunks of whole keys, on all cores, and return its batches.

    Threads suffice, as the kernels, NumPy and Arrow release Python's lock while they compute.

    Parameters
    ----------
    run : callable
        Takes, for each table, the rows of some whole keys, and returns record batches.
    tables : sequence of pyarrow.Table
        All have the key columns.
    keys : sequence of str
        Without any, all rows make one chunk.
    """

    def run_chunk(chunk: Sequence[NDArray[np.int64]]) -> list[pa.RecordBatch]:
        # Copied even if a chunk is a whole table: if that is a slice of another table, tasks would
        # see the other's rows.
        rows_of_tables = [table.take(rows) for table, rows in zip(tables, chunk, strict=True)]
        return run_in_driver(lambda _: run(*rows_of_tables), ())

    chunks = _chunks(tables, keys)
    if len(chunks) == 1:
        return run_chunk(chunks[0])
    with ThreadPoolExecutor(min(cores(), len(chunks))) as pool:
        return [batch for batches in pool.map(run_chunk, chunks) for batch in batches]


def _chunks(tables: Sequence[pa.Table], keys: Sequence[str]) -> list[list[NDArray[np.int64]]]:
    """Return the row numbers of each chunk in each table; a chunk has all rows of its keys."""
    ends = np.cumsum([0, *map(len, tables)])
    count = int(ends[-1]) // ROWS_AT_ONCE if keys else 1
    if count < 2:
        return [[np.arange(len(table)) for table in tables]]
    first, *others = (table.select(list(keys)) for table in tables)
    codes, _ = key_codes(pa.concat_tables([first, *(one.cast(first.schema) for one in others)]))
    chunks_of_tables = [
        np.split(order, offsets[1:-1])
        for begin, end in pairwise(ends)
        for offsets, order in [grouped(codes[begin:end] % np.uint32(count), count)]
    ]
    return [list(chunk) for chunk in zip(*chunks_of_tables, strict=True)]


def run_in_driver(run: Run, batches: Iterable[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Run a worker's task in this process and return its batches.

    Raises
    ------
    JobError
        When a result does not fit its type; a failed Spark job raises the same error.
    """
    try:
        with in_user_process():
            return list(run(batches))
    except OverflowError as error:
        raise JobError(str(error)) from None


def as_dataframe(
    batches: Sequence[pa.RecordBatch], schema: "StructType", spark: "SparkSession"
) -> "DataFrame":
    """Return the batches of a task as a DataFrame.

    Parameters
    ----------
    batches : sequence of pyarrow.RecordBatch
    schema : pyspark.sql.types.StructType
        The schema of the plan on Spark.
    spark : pyspark.sql.SparkSession
    """
    if batches:
        rows = pa.Table.from_batches(batches)
    else:
        rows = _worker_schema(schema, spark).empty_table()
    return arrow_frame(spark, rows, schema)


def _worker_schema(schema: "StructType", spark: "SparkSession") -> pa.Schema:
    """Return the Arrow schema in which workers get columns of Spark."""
    from pyspark.sql.pandas.types import to_arrow_type

    zone = spark.conf.get(ZONE) or "UTC"
    fields = [(field.name, to_arrow_type(field.dataType, timezone=zone)) for field in schema.fields]
    return pa.schema(fields)


def _casts_as_spark(held: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether a plain cast of Arrow gives the same values as Spark."""
    if pa.types.is_nested(held) and "timestamp" in str(wanted):
        return bool(held == wanted)
    local = pa.types.is_timestamp(held) and held.tz is None
    zone: str | None = getattr(wanted, "tz", None)
    return not local or zone in (None, "UTC", "Etc/UTC")
