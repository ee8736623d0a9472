"""Times of Spark as the integers that the kernels count in."""

from typing import TYPE_CHECKING

from workbench.durations import DAY
from workbench.spark.table import BoundTable, is_integer_time, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column


def micros(table: BoundTable, name: str, value: "Column") -> "Column":
    """Return a column of times as the integers that the kernels count in.

    Parameters
    ----------
    table : BoundTable
    name : str
        The column of times.
    value : Column
        The same, or what stands for it.

    Raises
    ------
    WorkbenchError
        When the column holds no times.
    """
    is_integer_time(table, name)
    return micros_of(value, type_of(table, name).typeName())


def micros_of(value: "Column", kind: str) -> "Column":
    """Return times of a type, as Spark calls it: microseconds since 1970, or the integers.

    Parameters
    ----------
    value : Column
    kind : str
        One of the types of a time column.
    """
    from pyspark.sql import functions as F

    if kind == "date":
        return F.unix_date(value).cast("long") * F.lit(DAY)
    if kind == "timestamp_ntz":
        # As if its clock were that of UTC, whatever the session's time zone is.
        value = F.concat(value.cast("string"), F.lit("Z")).cast("timestamp")
    return F.unix_micros(value) if kind in ("timestamp", "timestamp_ntz") else value.cast("long")
