"""A user's table with its schema, and checks of its columns before a job starts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import COLLATED
from workbench.spark.held import HeldTable
from workbench.spark.names import column_text, name_of, nearest
from workbench.spark.types import INTEGERS, NESTED, TIMES, has_order, values_in_words

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

CASE = "spark.sql.caseSensitive"


@dataclass(frozen=True)
class BoundTable:
    """A table with its schema, fetched once, and the names of its key and time columns.

    Functions take it in place of the table and names: over Spark Connect, each request for a
    schema is a round trip.

    Attributes
    ----------
    source : pyspark.sql.DataFrame or HeldTable
        The table as given.
    schema : pyspark.sql.types.StructType
    key : tuple of str
    time : str
        Empty if there is no time column.
    side : str
        The role of the table among several, such as "queries", for error messages; else empty.

    Examples
    --------
    >>> import workbench as wb
    >>> clicks = BoundTable.of(wb.session().range(3), ["id"], "id", "clicks")
    >>> clicks.names, clicks.integer_time, clicks.column_text("id")
    (['id'], True, "the clicks' column 'id'")
    """

    source: "DataFrame | HeldTable"
    schema: "StructType"
    key: tuple[str, ...] = ()
    time: str = ""
    side: str = ""

    @classmethod
    def of(
        cls,
        source: "DataFrame | HeldTable",
        key: Sequence[str] = (),
        time: str = "",
        side: str = "",
    ) -> "BoundTable":
        """Return a table with its schema; no column is checked."""
        df = source.without_rows if isinstance(source, HeldTable) else source
        return cls(source, df.schema, tuple(key), time, side)

    @property
    def df(self) -> "DataFrame":
        """The table as a DataFrame."""
        return self.source.df if isinstance(self.source, HeldTable) else self.source

    @property
    def held(self) -> HeldTable | None:
        """The table as rows in this process, if it is to be answered here; else None."""
        return self.source if isinstance(self.source, HeldTable) else None

    @property
    def without_rows(self) -> "DataFrame":
        """A DataFrame of the same columns for type checks; it may have no rows."""
        return self.source.without_rows if isinstance(self.source, HeldTable) else self.source

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self.schema.names)

    @property
    def integer_time(self) -> bool:
        """Whether the time column holds integers."""
        return is_integer_time(self, self.time)

    @property
    def instants(self) -> "Column":
        """The time column as the workers take it: integers as long, other types unchanged."""
        time = column(self, self.time, "time")
        return time.cast("long") if self.integer_time else time

    def column_text(self, name: str) -> str:
        """Return a column's name for error messages, with the table's role if it has one."""
        return column_text(name, self.side)

    def with_rows(self, df: "DataFrame") -> "BoundTable":
        """Return the same columns with other rows."""
        return replace(self, source=df)


def column(table: BoundTable, name: str, argument: str) -> "Column":
    """Check that a table has a column, and return it by its exact name, dots and spaces included.

    Parameters
    ----------
    table : BoundTable
    name : str
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    pyspark.sql.Column

    Raises
    ------
    WorkbenchError
        When the table has no such column (the message names the nearest), or several.

    Examples
    --------
    >>> import workbench as wb
    >>> column(BoundTable.of(wb.session().range(1)), "ids", "key")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: key: there is no column 'ids'; did you mean 'id'?
    """
    check_column(table, name, argument)
    return name_of(name)


def check_column(table: BoundTable, name: str, argument: str) -> None:
    """Refuse a name that no column, or more than one, of a table has.

    Raises
    ------
    WorkbenchError
    """
    names, side = table.names, table.side
    if name not in names:
        none = f"the {side} have" if side else "there is"
        raise WorkbenchError(f"{argument}: {none} no column {name!r}; {nearest(name, names)}")
    if names.count(name) > 1:
        several = f"the {side} have" if side else "there are"
        raise WorkbenchError(
            f"{argument}: {several} several columns {name!r}; rename all but one of them."
        )
    same = [other for other in names if other.lower() == name.lower()]
    if len(same) == 1:
        return
    conf = table.without_rows.sparkSession.conf
    if str(conf.get(CASE, "false")).lower() != "true":
        columns = f"the {side}' columns" if side else "columns"
        raise WorkbenchError(
            f"{argument}: {columns} {' and '.join(map(repr, same))} are one name to Spark; "
            f"rename one, or set {CASE} to true."
        )


def type_of(table: BoundTable, name: str) -> "DataType":
    """Return the Spark type of a column."""
    return table.schema[name].dataType


def check_arrow_type(kind: "DataType", name: str, argument: str, side: str = "") -> None:
    """Refuse a column that Spark cannot hand to a Python worker.

    Raises
    ------
    WorkbenchError
    """
    from pyspark.errors import PySparkTypeError, UnsupportedOperationException
    from pyspark.sql.pandas.types import to_arrow_type

    try:
        # Spark refuses structs with two fields of one name too, but only within the job.
        to_arrow_type(kind, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    # Arrow has a ValueError for map(), whose keys are void: its keys may not be null.
    except (PySparkTypeError, UnsupportedOperationException, ValueError):
        raise WorkbenchError(
            f"{argument}: {column_text(name, side)} holds {kind.simpleString()}, which does not go "
            "through Arrow; drop it, or cast it to text."
        ) from None


def is_integer_time(table: BoundTable, time: str) -> bool:
    """Return whether a time column holds integers; refuse one that holds neither those nor times.

    Parameters
    ----------
    table : BoundTable
    time : str
        A column of timestamps (with or without a zone), dates or integers.

    Returns
    -------
    bool

    Raises
    ------
    WorkbenchError
        When the column holds something else.
    """
    check_column(table, time, "time")
    kind = type_of(table, time).typeName()
    if kind in INTEGERS:
        return True
    if kind in TIMES:
        return False
    holds = f"{table.column_text(time)} holds {values_in_words(kind)}"
    raise WorkbenchError(f"time: {holds}; {time_hint(time)}")


def time_hint(name: str) -> str:
    """Return the end of an error message about a column that holds no times."""
    return f"make it a timestamp, a date or an integer, for example with F.to_timestamp({name!r})."


def check_key(table: BoundTable, results: Sequence[str], argument: str = "key") -> None:
    """Refuse key columns that are missing, cannot be grouped by, or are named like a result.

    Parameters
    ----------
    table : BoundTable
    results : sequence of str
        The columns of the result in addition to the key.
    argument : str
        The name of the caller's argument, for error messages.

    Raises
    ------
    WorkbenchError
    """
    for key in table.key:
        check_column(table, key, argument)
        check_plain(table.schema, key, argument, results)
        check_arrow_type(type_of(table, key), key, argument)


def check_grouped(schema: "StructType", name: str, argument: str, side: str = "") -> None:
    """Refuse a column with a collation, or whose values have no order: maps, variants, intervals.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> from pyspark.sql.types import StringType, StructType
    >>> check_grouped(StructType().add("user", StringType("UTF8_LCASE")), "user", "key")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: key: column 'user' holds string collate UTF8_LCASE, which \
cannot be grouped by; cast it to string, which tells its texts apart by their bytes.
    """
    data_type = schema[name].dataType
    kind = data_type.simpleString()
    if COLLATED in kind:
        raise WorkbenchError(
            f"{argument}: {column_text(name, side)} holds {kind}, which cannot be grouped by; "
            "cast it to string, which tells its texts apart by their bytes."
        )
    if not has_order(data_type):
        raise WorkbenchError(
            f"{argument}: {column_text(name, side)} holds {kind}, which cannot be grouped by; "
            "name another column."
        )


def check_plain(
    schema: "StructType", name: str, argument: str, taken: Sequence[str] = (), side: str = ""
) -> None:
    """Refuse a column that cannot be grouped by, or that has the name of a result column.

    Parameters
    ----------
    schema : pyspark.sql.types.StructType
    name, argument : str
    taken : sequence of str
        The names of the result's columns; Spark compares them without case.
    side : str
        The role of the table, as in :class:`BoundTable`.

    Raises
    ------
    WorkbenchError
    """
    kind = schema[name].dataType.typeName()
    if kind in NESTED:
        raise WorkbenchError(
            f"{argument}: {column_text(name, side)} holds {kind}s, which cannot be grouped by; "
            "name a plain column."
        )
    check_grouped(schema, name, argument, side)
    if name.lower() in {other.lower() for other in taken}:
        raise WorkbenchError(
            f"{argument}: the result has a column {name!r} of its own; rename yours first."
        )
