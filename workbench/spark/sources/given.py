"""What a user gives as a table: of Spark, pandas, Polars or Arrow, a path, or a table's name."""

import sys
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

import pyarrow as pa

from workbench.arguments import check_text
from workbench.arrow_frame import TIMES, arrow_frame
from workbench.columnar.zones import as_instants, has_clocks
from workbench.errors import WorkbenchError, kind_in_words
from workbench.spark.cell_line import cell_message
from workbench.spark.in_driver import ZONE
from workbench.spark.sessions.session import session
from workbench.spark.sources.arrow import pandas_rows, spark_rows
from workbench.spark.sources.files import is_path, read_files
from workbench.spark.sources.times import with_times
from workbench.spark.table import nearest, quoted

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

#: How Arrow's tables, Polars, DuckDB and others hand over what they hold.
STREAMS = ("__arrow_c_stream__", "__arrow_c_array__")


class HandsOverArrow(Protocol):
    """A table of Polars, DuckDB, pyarrow, or of another library that hands over Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand over the columns."""


#: What each call takes as a table: docs/front-door.md says how it is read.
TableLike: TypeAlias = "DataFrame | pd.DataFrame | HandsOverArrow | str | PathLike[str]"


def table(
    what: Any, argument: str = "events", times: Mapping[str, str] | None = None
) -> "DataFrame":
    """Return anything that is a table as one of Spark, which can be scanned as a whole.

    Parameters
    ----------
    what : Spark, pandas, Polars or Arrow table, str or path
        Whatever hands over Arrow (DuckDB's relations, too), a path to Parquet, CSV, JSON or ORC,
        its folder or a pattern of names, or the name of a table in Spark's catalog. An index of
        pandas that has a name or holds times becomes columns.
    argument : str
        What the caller calls it, for the error's sake.
    times : dict of str to str, optional
        How columns of text or numbers become times: by "ISO 8601", by a pattern of Spark such as
        "d/M/yyyy H:mm", or as "epoch seconds", "epoch milliseconds", "epoch microseconds",
        "epoch nanoseconds". What cannot be read so is null.

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When it is no table, a stream, or cannot be read.

    Warns
    -----
    WorkbenchWarning
        When times have parts of a microsecond, which Spark does not keep.

    Examples
    --------
    >>> import pandas as pd
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> rows = pd.DataFrame({"user": ["ann", "bob"], "at": ["31/1/2024 9:30", "soon"]})
    >>> wb.table(rows, times={"at": "d/M/yyyy H:mm"}).show()
    +----+-------------------+
    |user|                 at|
    +----+-------------------+
    | ann|2024-01-31 09:30:00|
    | bob|               NULL|
    +----+-------------------+
    <BLANKLINE>
    """
    df = _as_spark(what, argument)
    if df.isStreaming:
        raise WorkbenchError(f"{argument}: this is a stream; give a table that is at rest.")
    return df if times is None else with_times(df, times)


def in_order(what: Any, argument: str, number: str) -> "DataFrame | None":
    """Return a table that is held here with the number of each row, where it has an order at all.

    Parameters
    ----------
    what : TableLike
    argument : str
        What the caller calls it, for the error's sake.
    number : str
        The column that is added, from 0 in the order of the rows.

    Returns
    -------
    pyspark.sql.DataFrame or None
        None of Spark's own tables and of files, whose rows have no order of their own.
    """
    from pyspark.sql import DataFrame

    if isinstance(what, DataFrame | str | PathLike):
        return None
    rows = held_rows(what, argument)
    numbers = pa.array(range(len(rows)), pa.int64())
    return arrow_frame(session(), rows.append_column(number, numbers))


def is_spark(value: Any) -> bool:
    """Say whether Spark has a table already, or reads it: a DataFrame, a path or a table's name.

    Examples
    --------
    >>> is_spark("clicks.csv"), is_spark(pa.table({"id": [1]}))
    (True, False)
    """
    from pyspark.sql import DataFrame

    return isinstance(value, DataFrame | str) or is_path(value)


def is_stream(value: Any) -> "TypeGuard[DataFrame]":
    """Say whether a value is a table that goes on for ever."""
    from pyspark.sql import DataFrame

    return isinstance(value, DataFrame) and value.isStreaming


def is_table(value: Any) -> bool:
    """Say whether a value is of a kind that :func:`table` takes.

    Examples
    --------
    >>> is_table("clicks.csv"), is_table(pa.table({"id": [1]})), is_table(3)
    (True, True, False)
    """
    from pyspark.sql import DataFrame

    pandas = sys.modules.get("pandas")
    known = (DataFrame, str, PathLike, *([pandas.DataFrame] if pandas is not None else []))
    return isinstance(value, known) or _is_lazy(value) or _has_arrow(value)


def _has_arrow(value: Any) -> bool:
    return any(hasattr(value, stream) for stream in STREAMS)


def _is_lazy(value: Any) -> bool:
    """Whether it is a question to Polars that has not been answered."""
    kind = type(value)
    return kind.__name__ == "LazyFrame" and kind.__module__.partition(".")[0] == "polars"


def _as_spark(value: Any, argument: str) -> "DataFrame":
    from pyspark.sql import DataFrame

    if isinstance(value, DataFrame):
        return value
    if isinstance(value, str) and not is_path(value):
        return _by_name(value, argument)
    if isinstance(value, str) or is_path(value):
        return read_files(value, argument, session())
    spark = session()
    with cell_message("handing the table to Spark"):
        return arrow_frame(spark, held_rows(value, argument))


def held_rows(value: Any, argument: str) -> pa.Table:
    """Return a table that is held here, with types of Spark, and instants where Spark makes such.

    PySpark fails on times that the clocks of the session's zone show twice or never.

    Raises
    ------
    WorkbenchError
        When it is no table.
    """
    rows = spark_rows(arrow_rows(value, argument), argument)
    clocks = [k for k, kind in enumerate(rows.schema.types) if has_clocks(kind)]
    if not clocks or session().conf.get(TIMES) == "TIMESTAMP_NTZ":
        return rows
    zone = session().conf.get(ZONE) or "UTC"
    for k in clocks:
        chunks = rows.column(k).chunks or [pa.array([], rows.schema.types[k])]
        held = [as_instants(one, zone) for one in chunks]
        rows = rows.set_column(k, rows.column_names[k], pa.chunked_array(held))
    return rows


def _by_name(name: str, argument: str) -> "DataFrame":
    from pyspark.errors import AnalysisException, ParseException

    check_text(name, argument)
    spark = session()
    for written in (name, quoted(name)):  # the second is one with a space, say
        try:
            if spark.catalog.tableExists(written):
                return spark.table(written)
        except (AnalysisException, ParseException):
            pass
    database = name.rpartition(".")[0]
    try:
        # Not `listTables`, which fails as a whole where the catalog cannot read one of them.
        found = (
            spark.sql("SHOW TABLES IN IDENTIFIER(:of)", args={"of": database})
            if database
            else spark.sql("SHOW TABLES")
        )
        known = [row["tableName"] for row in found.collect()]
    except (AnalysisException, ParseException):
        known = []
    raise WorkbenchError(
        f"{argument}: there is no file and no table {name!r}; {nearest(name, sorted(known))}"
    )


def arrow_rows(value: Any, argument: str) -> pa.Table:
    """Return a table of pandas, Polars, DuckDB or Arrow as one of Arrow.

    Raises
    ------
    WorkbenchError
        When it is no table.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return pandas_rows(value, argument)
    if _is_lazy(value) or _has_arrow(value):
        whole = value.collect() if _is_lazy(value) else value
        _check_no_objects(whole, argument)
        try:
            return pa.table(whole)
        except (pa.ArrowInvalid, TypeError, ValueError):
            _check_types(whole, argument)  # Else one column or one value, which is no table.
    raise WorkbenchError(
        f"{argument}: this is {kind_in_words(value)} and no table; give one of Spark, pandas, "
        "Polars or Arrow, the path of a file, or a table's name."
    )


def _check_types(value: Any, argument: str) -> None:
    """Refuse a column of Polars of a type that Arrow has not, such as integers of 128 bits."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(value, polars.DataFrame):
        return
    for name, kind in value.schema.items():
        try:
            pa.table(value.select(polars.col(name)))
        except pa.ArrowInvalid:
            raise WorkbenchError(
                f"{argument}: column {name!r} holds {kind}, which Spark has no type for; cast it, "
                "such as to pl.Decimal(38, 0), or drop it."
            ) from None


def _check_no_objects(value: Any, argument: str) -> None:
    """Refuse Python objects in a column of Polars, which hands over where they are in memory."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(value, polars.DataFrame):
        return
    if held := [name for name, kind in value.schema.items() if kind == polars.Object]:
        raise WorkbenchError(
            f"{argument}: column {held[0]!r} holds Python's objects, which Spark has no type for; "
            "cast it, or drop it."
        )
