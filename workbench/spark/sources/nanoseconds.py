"""Times of Parquet in nanoseconds, as pandas writes them: Spark reads them as numbers alone."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.spark.sources.arrow import NANOSECONDS_A_MICROSECOND, warn_of_dropped
from workbench.spark.table import name_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, DataFrameReader, SparkSession

#: With it Spark finds out that such a column is a number of nanoseconds, and reads it in any case.
AS_NUMBERS = "spark.sql.legacy.parquet.nanosAsLong"


def read_nanoseconds(
    spark: "SparkSession",
    load: "Callable[[DataFrameReader], DataFrame]",
    files: Sequence[Path],
    argument: str,
) -> "DataFrame":
    """Return what is in Parquet files of which columns are times in nanoseconds.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        Has its options again as soon as the columns are known.
    load : function
        Reads the files by a reader that knows their columns.
    files : list of path
        All that are read.
    argument : str
        What the caller calls them, for the error's sake.

    Returns
    -------
    pyspark.sql.DataFrame
        Its times are microseconds. One job has counted those that had more digits.

    Raises
    ------
    WorkbenchError
        When such times are inside of other columns, or one column is not the same in all files.

    Warns
    -----
    WorkbenchWarning
        When times have parts of a microsecond, which are dropped, with their number.
    """
    zones = _zones(files, argument)
    with _numbers_are_found(spark):
        schema = load(spark.read).schema
    df = load(spark.read.schema(schema))
    _count_aloud(df, list(zones), argument)
    return df.withColumns({name: _time(name_of(name), zoned) for name, zoned in zones.items()})


@contextmanager
def _numbers_are_found(spark: "SparkSession") -> Iterator[None]:
    before = spark.conf.get(AS_NUMBERS, None)
    spark.conf.set(AS_NUMBERS, "true")
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(AS_NUMBERS)
        else:
            spark.conf.set(AS_NUMBERS, before)


def _zones(files: Sequence[Path], argument: str) -> dict[str, bool]:
    """The columns of times in nanoseconds, and whether they have a zone.

    Each file is asked: read as a number, a time in microseconds would be a wrong one.
    """
    import pyarrow.parquet as pq

    found: dict[str, bool | None] = {}
    for file in files:
        schema = pq.read_metadata(file).schema
        columns = set(schema.to_arrow_schema().names)
        for k in range(len(schema)):
            path, zoned = schema.column(k).path, _zoned(schema.column(k).logical_type)
            if path not in columns:
                if zoned is not None:
                    raise WorkbenchError(
                        f"{argument}: {path!r} holds times in nanoseconds inside of a column, "
                        "which Spark does not read; write the file with coerce_timestamps='us'."
                    )
            elif found.setdefault(path, zoned) != zoned:
                raise WorkbenchError(
                    f"{argument}: times in column {path!r} are in nanoseconds in some of the "
                    f"files, and in {file.name!r} they are not as there; read these one by one."
                )
    return {name: zoned for name, zoned in found.items() if zoned is not None}


def _zoned(kind: object) -> bool | None:
    """Whether times in nanoseconds are of a zone; None of all else.

    Arrow's own type does not tell: it has nanoseconds for the old INT96, too, which Spark reads.
    """
    said = json.loads(kind.to_json())  # type: ignore[attr-defined]
    if said.get("Type") != "Timestamp" or said["timeUnit"] != "nanoseconds":
        return None
    return bool(said["isAdjustedToUTC"])


def _count_aloud(df: "DataFrame", names: Sequence[str], argument: str) -> None:
    from pyspark.sql import functions as F

    rest = [F.count_if(name_of(name) % NANOSECONDS_A_MICROSECOND != 0) for name in names]
    many, *dropped = df.agg(F.count("*"), *rest).collect()[0]
    for name, count in zip(names, dropped, strict=True):
        if count:
            warn_of_dropped(count, many, name, argument)


def _time(nanoseconds: "Column", zoned: bool) -> "Column":
    """The microsecond that a time is in; before 1970, too, that is the one that began before it."""
    from pyspark.sql import functions as F

    whole = F.lit(NANOSECONDS_A_MICROSECOND)
    behind = (nanoseconds % whole < 0).cast("long")
    microseconds = F.call_function("div", nanoseconds, whole) - behind
    if zoned:
        return F.timestamp_micros(microseconds)
    epoch, one = F.expr("TIMESTAMP_NTZ'1970-01-01'"), F.expr("INTERVAL '0.000001' SECOND")
    return epoch + microseconds * one
