"""Times of Spark as the integers that the kernels use."""

from typing import TYPE_CHECKING

from workbench.durations import DAY
from workbench.spark.table import BoundTable, is_integer_time, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column


def micros(table: BoundTable, name: str, value: "Column") -> "Column":
    """Return a column of times as the integers that the kernels use.

    Parameters
    ----------
    table : BoundTable
    name : str
        The column of times.
    value : Column
        This column, or a value that replaces it.

    Raises
    ------
    WorkbenchError
        When the column holds no times.
    """
    is_integer_time(table, name)
    return micros_of(value, type_of(table, name).typeName())


def micros_of(value: "Column", kind: str) -> "Column":
    """Return times as microseconds since 1970, and integers as long.

    Parameters
    ----------
    value : Column
    kind : str
        Spark's name of the type of a time column.
    """
    from pyspark.sql import functions as F

    if kind == "date":
        return F.unix_date(value).cast("long") * F.lit(DAY)
    if kind == "timestamp_ntz":
        # Read as UTC, whatever the session's time zone is.
        value = F.concat(value.cast("string"), F.lit("Z")).cast("timestamp")
    return F.unix_micros(value) if kind in ("timestamp", "timestamp_ntz") else value.cast("long")
