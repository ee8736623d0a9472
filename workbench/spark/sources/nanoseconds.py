"""Read Parquet with times in nanoseconds, as pandas writes it: Spark reads them only as numbers."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.spark.names import name_of
from workbench.spark.sources.arrow import NANOSECONDS_A_MICROSECOND, warn_of_dropped

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession

#: With this option, Spark infers such a column as a long; with a given schema it needs no option.
NANOS_AS_LONG = "spark.sql.legacy.parquet.nanosAsLong"


def read_nanoseconds(
    spark: "SparkSession",
    load: "Callable[[DataFrameReader], DataFrame]",
    files: Sequence[Path],
    argument: str,
) -> "DataFrame":
    """Return a table of Parquet files with columns of times in nanoseconds.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Its options are restored when the schema is known.
    load : function
        Loads the files with a reader.
    files : list of path
        All files that are read.
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    pyspark.sql.DataFrame
        Its times are in microseconds. One job has counted those that had more digits.

    Raises
    ------
    WorkbenchError
        When such times are nested in other columns, or a column's unit differs between files.

    Warns
    -----
    WorkbenchWarning
        With the number of times that have parts of a microsecond, which are dropped.
    """
    zones = _nanosecond_columns(files, argument)
    with _nanoseconds_as_long(spark):
        schema = load(spark.read).schema
    df = load(spark.read.schema(schema))
    _warn_of_lost_digits(df, list(zones), argument)
    return df.withColumns({name: _to_time(name_of(name), zoned) for name, zoned in zones.items()})


@contextmanager
def _nanoseconds_as_long(spark: "SparkSession") -> Iterator[None]:
    before = spark.conf.get(NANOS_AS_LONG, None)
    spark.conf.set(NANOS_AS_LONG, "true")
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(NANOS_AS_LONG)
        else:
            spark.conf.set(NANOS_AS_LONG, before)


def _nanosecond_columns(files: Sequence[Path], argument: str) -> dict[str, bool]:
    """Return the columns of times in nanoseconds, and whether they have a zone.

    Every file is checked, as times in microseconds that are read as numbers would be wrong.
    """
    import pyarrow.parquet as pq

    zoned_of: dict[str, bool | None] = {}
    for file in files:
        schema = pq.read_metadata(file).schema
        columns = set(schema.to_arrow_schema().names)
        for k in range(len(schema)):
            path, zoned = schema.column(k).path, _has_zone(schema.column(k).logical_type)
            if path not in columns:
                if zoned is not None:
                    raise WorkbenchError(
                        f"{argument}: {path!r} holds times in nanoseconds inside of a column, "
                        "which Spark does not read; write the file with coerce_timestamps='us'."
                    )
            elif zoned_of.setdefault(path, zoned) != zoned:
                raise WorkbenchError(
                    f"{argument}: times in column {path!r} are in nanoseconds in some of the "
                    f"files, and in {file.name!r} they are not as there; read these one by one."
                )
    return {name: zoned for name, zoned in zoned_of.items() if zoned is not None}


def _has_zone(kind: object) -> bool | None:
    """Return whether times in nanoseconds have a zone, or None for other types.

    Arrow's type is ambiguous: the old INT96, which Spark reads, has nanoseconds there, too.
    """
    fields = json.loads(kind.to_json())  # type: ignore[attr-defined]
    if fields.get("Type") != "Timestamp" or fields["timeUnit"] != "nanoseconds":
        return None
    return bool(fields["isAdjustedToUTC"])


def _warn_of_lost_digits(df: "DataFrame", names: Sequence[str], argument: str) -> None:
    from pyspark.sql import functions as F

    rest = [F.count_if(name_of(name) % NANOSECONDS_A_MICROSECOND != 0) for name in names]
    total, *dropped = df.agg(F.count("*"), *rest).collect()[0]
    for name, count in zip(names, dropped, strict=True):
        if count:
            warn_of_dropped(count, total, name, argument)


def _to_time(nanoseconds: "Column", zoned: bool) -> "Column":
    """Return a time rounded down to microseconds, also before 1970."""
    from pyspark.sql import functions as F

    unit = F.lit(NANOSECONDS_A_MICROSECOND)
    negative_rest = (nanoseconds % unit < 0).cast("long")
    microseconds = F.call_function("div", nanoseconds, unit) - negative_rest
    if zoned:
        return F.timestamp_micros(microseconds)
    epoch, one = F.expr("TIMESTAMP_NTZ'1970-01-01'"), F.expr("INTERVAL '0.000001' SECOND")
    return epoch + microseconds * one
