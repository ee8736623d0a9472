"""Convert Arrow tables to DataFrames, on classic Spark and Spark Connect."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

#: Spark's option for the number of rows of an Arrow batch; 0 and less mean all rows.
BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
#: Its largest value, which also means all rows.
ALL_ROWS = 2**31 - 1
#: Spark's option for the type of times without a zone.
TIMES = "spark.sql.timestampType"

_lock = Lock()


def arrow_frame(
    spark: "SparkSession", rows: pa.Table, schema: "StructType | None" = None
) -> "DataFrame":
    """Return an Arrow table as a DataFrame.

    Spark's own ``createDataFrame`` fails in two cases: over Spark Connect for a table without rows
    and without a schema, and in a classic session for any table if batches have no limit.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Classic or Spark Connect.
    rows : pyarrow.Table
        With types that Spark supports.
    schema : pyspark.sql.types.StructType, optional
        The schema of the result; by default the nearest to Arrow's.

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
        # PySpark finds no types in a table without chunks.
        rows = rows.schema.empty_table()
        schema = schema or _schema(spark, rows)
    with _limited_batches(spark):
        if schema is None:
            return spark.createDataFrame(rows)
        return spark.createDataFrame(rows, schema)


def _schema(spark: "SparkSession", rows: pa.Table) -> "StructType":
    """Return the schema that Spark infers for a table with rows."""
    from pyspark.sql.pandas.types import from_arrow_schema

    without_zone = spark.conf.get(TIMES) == "TIMESTAMP_NTZ"
    schema: StructType = from_arrow_schema(rows.schema, prefer_timestamp_ntz=without_zone)
    return schema


@contextmanager
def _limited_batches(spark: "SparkSession") -> Iterator[None]:
    """Set the highest limit of a batch's rows for a moment, as classic PySpark needs a limit."""
    from pyspark.sql import SparkSession as Classic

    # The highest limit may be set by another thread for a moment.
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
