"""Convert what a user gives as a table: of Spark, pandas, Polars or Arrow, a path, or a name."""

import sys
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard
from weakref import WeakKeyDictionary

import pyarrow as pa

from workbench.arguments import check_text
from workbench.arrow_frame import TIMES, arrow_frame
from workbench.columnar.zones import as_instants, has_clocks
from workbench.errors import WorkbenchError, kind_in_words
from workbench.spark.cell_line import cell_message
from workbench.spark.in_driver import ZONE
from workbench.spark.names import nearest, quoted
from workbench.spark.sessions.session import session
from workbench.spark.sources.arrow import pandas_rows, spark_rows
from workbench.spark.sources.files import is_path, read_files
from workbench.spark.sources.times import with_times

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame

#: The methods with which Arrow, Polars, DuckDB and others export their data.
STREAMS = ("__arrow_c_stream__", "__arrow_c_array__")
#: The rows of Arrow's readers, such as those of DuckDB's `arrow()`: when a reader has handed over
#: its rows, it looks like an empty table.
_ROWS_READ: "WeakKeyDictionary[pa.RecordBatchReader, pa.Table]" = WeakKeyDictionary()


class HandsOverArrow(Protocol):
    """A table of Polars, DuckDB, pyarrow, or of another library that hands over Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand over the columns."""


#: The types that each call accepts as a table: see docs/front-door.md.
TableLike: TypeAlias = "DataFrame | pd.DataFrame | HandsOverArrow | str | PathLike[str]"


def table(
    what: Any, argument: str = "events", times: Mapping[str, str] | None = None
) -> "DataFrame":
    """Return a table of any kind as a DataFrame.

    Parameters
    ----------
    what : Spark, pandas, Polars or Arrow table, str or path
        Any object that exports Arrow (also DuckDB's relations), a path to Parquet, CSV, JSON or
        ORC, a folder or a pattern of file names, or the name of a table in Spark's catalog. An
        index of pandas that has a name or holds times becomes columns.
    argument : str
        The name of the caller's argument, for error messages.
    times : dict of str to str, optional
        How columns of text or numbers become times: by "ISO 8601", by a pattern of Spark such as
        "d/M/yyyy H:mm", or as "epoch seconds", "epoch milliseconds", "epoch microseconds",
        "epoch nanoseconds". Values that cannot be parsed become null.

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When it is no table, is a stream, or cannot be read.

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


def with_row_numbers(what: Any, argument: str, number: str) -> "DataFrame | None":
    """Return a table in this process as a DataFrame with row numbers, if its rows have an order.

    Parameters
    ----------
    what : TableLike
    argument : str
        The name of the caller's argument, for error messages.
    number : str
        The added column of row numbers, from 0 in the order of the rows.

    Returns
    -------
    pyspark.sql.DataFrame or None
        None for Spark's tables and for files, whose rows have no order.
    """
    from pyspark.sql import DataFrame

    if isinstance(what, DataFrame | str | PathLike):
        return None
    rows = held_rows(what, argument)
    numbers = pa.array(range(len(rows)), pa.int64())
    return arrow_frame(session(), rows.append_column(number, numbers))


def is_spark(value: Any) -> bool:
    """Return whether Spark has or reads a table: a DataFrame, a path or a table's name.

    Examples
    --------
    >>> is_spark("clicks.csv"), is_spark(pa.table({"id": [1]}))
    (True, False)
    """
    from pyspark.sql import DataFrame

    return isinstance(value, DataFrame | str) or is_path(value)


def is_stream(value: Any) -> "TypeGuard[DataFrame]":
    """Return whether a value is a streaming DataFrame."""
    from pyspark.sql import DataFrame

    return isinstance(value, DataFrame) and value.isStreaming


def is_table(value: Any) -> bool:
    """Return whether a value has a type that :func:`table` accepts.

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
    """Return whether a value is a LazyFrame of Polars."""
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
    """Return a table in this process as Arrow, with types that Spark supports.

    Times without a zone become instants in the session's zone if Spark would convert them, as
    PySpark fails on times that the clocks of that zone show twice or never.

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
        instants = [as_instants(chunk, zone) for chunk in chunks]
        rows = rows.set_column(k, rows.column_names[k], pa.chunked_array(instants))
    return rows


def _by_name(name: str, argument: str) -> "DataFrame":
    check_text(name, argument)
    df = catalog_table(name)
    if df is None:
        raise WorkbenchError(
            f"{argument}: there is no file and no table {name!r}; "
            f"{nearest(name, catalog_names(name))}"
        )
    return df


def catalog_table(name: str) -> "DataFrame | None":
    """Return a table or view of Spark's catalog, or None if it has none of this name."""
    from pyspark.errors import AnalysisException

    spark = session()
    for identifier in (name, quoted(name)):  # the second is for a name with a space, say
        try:
            if spark.catalog.tableExists(identifier):
                return spark.table(identifier)
        except AnalysisException:
            pass
    return None


def catalog_names(beside: str) -> list[str]:
    """Return the names of the tables and views in the database of a table's name, sorted."""
    from pyspark.errors import AnalysisException

    spark, database = session(), beside.rpartition(".")[0]
    try:
        # Not `listTables`, which fails as a whole if the catalog cannot read one of them.
        tables = (
            spark.sql("SHOW TABLES IN IDENTIFIER(:of)", args={"of": database})
            if database
            else spark.sql("SHOW TABLES")
        )
        return sorted(row["tableName"] for row in tables.collect())
    except AnalysisException:
        return []


def arrow_rows(value: Any, argument: str) -> pa.Table:
    """Return a table of pandas, Polars, DuckDB or Arrow as an Arrow table.

    Raises
    ------
    WorkbenchError
        When it is no table.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return pandas_rows(value, argument)
    if isinstance(value, pa.RecordBatchReader):
        if value not in _ROWS_READ:
            _ROWS_READ[value] = value.read_all()
        return _ROWS_READ[value]
    if _is_lazy(value) or _has_arrow(value):
        whole = value.collect() if _is_lazy(value) else value
        _check_no_objects(whole, argument)
        try:
            return pa.table(whole)
        except (pa.ArrowInvalid, TypeError, ValueError):
            _check_types(whole, argument)  # Else it is one column or one value, and no table.
    raise WorkbenchError(
        f"{argument}: this is {kind_in_words(value)} and no table; give one of Spark, pandas, "
        "Polars or Arrow, the path of a file, or a table's name."
    )


def _check_types(value: Any, argument: str) -> None:
    """Refuse a column of Polars whose type Arrow does not have, such as integers of 128 bits."""
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
    """Refuse Python objects in a column of Polars, which exports their addresses in memory."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(value, polars.DataFrame):
        return
    if names := [name for name, kind in value.schema.items() if kind == polars.Object]:
        raise WorkbenchError(
            f"{argument}: column {names[0]!r} holds Python's objects, which Spark has no type for; "
            "cast it, or drop it."
        )
