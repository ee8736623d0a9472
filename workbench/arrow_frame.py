"""Rows of Arrow become a table of Spark, in every session that Spark has."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

#: Spark's option that says how many rows a batch of Arrow has; of 0 and less, all.
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
#: The most that it can say, which is all rows as well.
ALL_ROWS = 2**31 - 1
#: Spark's option that says what times without a zone are.
TIMES = "spark.sql.timestampType"

_lock = Lock()


def arrow_frame(
    spark: "SparkSession", rows: pa.Table, schema: "StructType | None" = None
) -> "DataFrame":
    """Return rows of Arrow as a table of Spark.

    Spark's own ``createDataFrame`` refuses two kinds of them: over Spark Connect a table without
    rows whose types are not given, and in a classic session any table where batches have no limit.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Spark Connect.
    rows : pyarrow.Table
        With types that Spark has.
    schema : pyspark.sql.types.StructType, optional
        What it is to be as Spark has it; else the nearest to Arrow's.

    Returns
    -------
    pyspark.sql.DataFrame

    Examples
    --------
    >>> import workbench as wb
    >>> arrow_frame(wb.session(), pa.table({"id": pa.array([], pa.int64())})).dtypes
    [('id', 'bigint')]
    """
    if not len(rows):
        # One that is in no chunk at all has no type that PySpark sees.
        rows = rows.schema.empty_table()
        schema = schema or _schema(spark, rows)
    with _limited_batches(spark):
        if schema is None:
            return spark.createDataFrame(rows)
        return spark.createDataFrame(rows, schema)


def _schema(spark: "SparkSession", rows: pa.Table) -> "StructType":
    """The types that Spark takes where rows are there."""
    from pyspark.sql.pandas.types import from_arrow_schema

    without_zone = spark.conf.get(TIMES) == "TIMESTAMP_NTZ"
    found: StructType = from_arrow_schema(rows.schema, prefer_timestamp_ntz=without_zone)
    return found


@contextmanager
def _limited_batches(spark: "SparkSession") -> Iterator[None]:
    """Have a batch's rows a limit for a moment, the highest: classic PySpark cuts by it."""
    from pyspark.sql import SparkSession as Classic

    # The highest may be there for another thread's moment.
    if not isinstance(spark, Classic) or 0 < _batch(spark) < ALL_ROWS:
        yield
        return
    with _lock:
        before = _batch(spark)
        spark.conf.set(BATCH, ALL_ROWS)
        try:
            yield
        finally:
            spark.conf.set(BATCH, before)


def _batch(spark: "SparkSession") -> int:
    return int(spark.conf.get(BATCH) or 0)
