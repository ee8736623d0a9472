"""Find and check the columns of a user's table before a job starts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import COLLATED
from workbench.spark.held import HeldTable

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

#: Spark's names of integer types, and their numbers of bits.
INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
TIMES = ("timestamp", "timestamp_ntz", "date")
NESTED = ("map", "struct", "array", "variant")
CASE = "spark.sql.caseSensitive"
#: Spark's error condition for a nondeterministic value inside an aggregate.
UNREPEATABLE = "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION"


#: Longer names are not compared for typing errors, as comparing two of them takes seconds.
LONGEST_COMPARED = 100

#: Plurals for values of types whose names are no words, by Spark's names.
_IN_WORDS = {
    "binary": "binary values",
    "daytimeinterval": "durations",
    "timestamp_ntz": "timestamps without a zone",
    "void": "only nulls",
    "yearmonthinterval": "durations in months",
}

#: The columns of a funnel's results in addition to the key.
RESULTS = ("level", "reached", "since_first", "next_event", "next_time")


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


def column_text(name: str, side: str = "") -> str:
    """Return a column's name for error messages, with the role of its table if it has one.

    Examples
    --------
    >>> column_text("user"), column_text("user", "queries")
    ("column 'user'", "the queries' column 'user'")
    """
    return f"the {side}' column {name!r}" if side else f"column {name!r}"


def quoted(name: str) -> str:
    """Quote a column's name for Spark, dots and backticks included.

    Examples
    --------
    >>> quoted("user.id")
    '`user.id`'
    """
    return "`" + name.replace("`", "``") + "`"


def name_of(name: str) -> "Column":
    """Return an unchecked column by its exact name."""
    from pyspark.sql import functions as F

    return F.col(quoted(name))


def unused(taken: "Iterable[str]", name: str) -> str:
    """Return a name that is not taken, ignoring case; underscores are added if it is.

    Examples
    --------
    >>> unused(["row", "Row_"], "row"), unused(["id"], "row")
    ('row__', 'row')
    """
    lower = {one.lower() for one in taken}
    while name.lower() in lower:
        name += "_"
    return name


def nearest(name: str, known: Sequence[str], also_compared: Sequence[str] = ()) -> str:
    """Return the end of an error message about an unknown name: similar names, or all.

    Parameters
    ----------
    name : str
    known : sequence of str
    also_compared : sequence of str
        Names that are mentioned only where they are similar, unless there are no others.

    Returns
    -------
    str

    Examples
    --------
    >>> nearest("sign_up", ["signup", "checkout"])
    "did you mean 'signup'?"
    >>> nearest("x", ["signup", "checkout"])
    "there are 'signup', 'checkout'."
    """
    short = [one for one in (*known, *also_compared) if len(one) <= LONGEST_COMPARED]
    if close := get_close_matches(str(name)[:LONGEST_COMPARED], short, n=3, cutoff=0.6):
        return f"did you mean {' or '.join(map(repr, close))}?"
    listed = known or also_compared
    names = ", ".join(map(repr, listed[:10])) + (" and more" if len(listed) > 10 else "")
    return f"there are {names}." if listed else "there are none."


def as_answer(value: "Column", answer: "DataType") -> "Column":
    """Return a value as the type of a result."""
    # Spark refuses casts to a time of day; such a value is of a column, or a literal, of that type.
    return value if "time(" in answer.simpleString() else value.cast(answer)


def type_of(table: BoundTable, name: str) -> "DataType":
    """Return the Spark type of a column."""
    return table.schema[name].dataType


def column_unit(schema: "StructType", name: str) -> str | None:
    """Return the unit of a column's values from its metadata, or None.

    Parameters
    ----------
    schema : pyspark.sql.types.StructType
    name : str
        An existing column.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from pyspark.sql.types import LongType, StructType
    >>> schema = StructType().add("wind", LongType(), metadata={"unit": "mph"}).add("gust", "long")
    >>> column_unit(schema, "wind"), column_unit(schema, "gust")
    ('mph', None)
    """
    unit = (schema[name].metadata or {}).get("unit")
    return unit if isinstance(unit, str) and unit.strip() else None


def values_in_words(kind: "DataType | str") -> str:
    """Return a plural for the values of a type, or of one of Spark's names of types.

    Examples
    --------
    >>> values_in_words("daytimeinterval"), values_in_words("string")
    ('durations', 'strings')
    """
    name = kind if isinstance(kind, str) else kind.typeName()
    return _IN_WORDS.get(name, f"{name}s")


def has_hash(kind: "DataType") -> bool:
    """Return whether Spark can hash values of a type: it cannot hash maps and variants.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType, MapType
    >>> has_hash(ArrayType(LongType())), has_hash(ArrayType(MapType(LongType(), LongType())))
    (True, False)
    """
    from pyspark.sql.types import ArrayType, MapType, StructType, VariantType

    if isinstance(kind, ArrayType):
        return has_hash(kind.elementType)
    if isinstance(kind, StructType):
        return all(has_hash(field.dataType) for field in kind.fields)
    return not isinstance(kind, MapType | VariantType)


def has_order(kind: "DataType") -> bool:
    """Return whether Spark can sort a type: it cannot sort maps, variants, calendar intervals.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, CalendarIntervalType, LongType
    >>> has_order(ArrayType(LongType())), has_order(ArrayType(CalendarIntervalType()))
    (True, False)
    """
    from pyspark.sql.types import ArrayType, CalendarIntervalType, StructType

    if isinstance(kind, ArrayType):
        return has_order(kind.elementType)
    if isinstance(kind, StructType):
        return all(has_order(field.dataType) for field in kind.fields)
    return has_hash(kind) and not isinstance(kind, CalendarIntervalType)


def reason(error: Exception) -> str:
    """Return Spark's message without its error class, its code and its position.

    Examples
    --------
    >>> reason(ValueError("[NO_SUCH] No column `x`. SQLSTATE: 42703; line 1 pos 0\\n'Project"))
    'No column `x`.'
    """
    text = str(error).strip().splitlines()[0]
    return (text.partition("] ")[2] or text).partition(" SQLSTATE")[0]


def value_type(df: "DataFrame", value: "Column", what: str, side: str = "") -> "DataType":
    """Return the type of one value of each row; see :func:`value_types`."""
    return value_types(df, [(what, value)], side)[0]


def value_types(
    df: "DataFrame", values: "Sequence[tuple[str, Column]]", side: str = ""
) -> "list[DataType]":
    """Return the types of values of each row, in one request if all of them are valid.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    values : sequence of (str, Column)
        Each with its description for error messages.
    side : str
        The role of the table, as in :class:`BoundTable`.

    Returns
    -------
    list of pyspark.sql.types.DataType

    Raises
    ------
    WorkbenchError
        When a value does not fit the table, or is not a value of a single row.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    columns = [value for _, value in values]
    try:
        # Selected along with "*" and inside `when`, so that aggregates and generators fail.
        usable = [F.when(value.isNotNull(), 1) for value in columns]
        fields = df.select("*", *columns, *usable).schema.fields[-2 * len(columns) :]
    except AnalysisException as error:
        if len(columns) > 1:
            return [value_type(df, value, what, side) for what, value in values]
        what = f"{values[0][0]} does not fit the {side or 'table'}"
        raise WorkbenchError(f"{what}: {reason(error)}") from None
    return [field.dataType for field in fields[: len(columns)]]


def check_repeatable(df: "DataFrame", values: "Sequence[tuple[str, Column]]") -> None:
    """Refuse nondeterministic values, such as ``rand()``.

    Spark recomputes them when a task is repeated or a table is read twice, so a row could be
    selected by one value and counted by another.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    values : sequence of (str, Column)
        Each with its description for error messages.

    Raises
    ------
    WorkbenchError
    """
    # All at once; one by one if Spark refuses any of them for any reason.
    if not values or not _refusal(df, [value for _, value in values]):
        return
    for what, value in values:
        if _refusal(df, [value]) == UNREPEATABLE:
            raise WorkbenchError(
                f"{what} is another one each time it is computed, and so the answer would be; "
                "save it as a column of a table first."
            )


def _refusal(df: "DataFrame", values: "Sequence[Column]") -> str | None:
    """Return the error condition with which Spark refuses an aggregate of values, else None."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    try:
        # Spark itself checks determinism only inside aggregates.
        _ = df.agg(*map(F.count, values)).schema
    except AnalysisException as error:
        return str(error.getCondition())
    return None


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


def check_key(table: BoundTable, argument: str = "key", results: Sequence[str] = RESULTS) -> None:
    """Refuse key columns that are missing, cannot be grouped by, or are named like a result.

    Parameters
    ----------
    table : BoundTable
    argument : str
        The name of the caller's argument, for error messages.
    results : sequence of str
        The columns of the result in addition to the key.

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


def check_event(events: BoundTable, name: str) -> None:
    """Refuse a column of event names that is missing, holds no names, or has a collation.

    Raises
    ------
    WorkbenchError
    """
    check_column(events, name, "event")
    kind, text = type_of(events, name).typeName(), type_of(events, name).simpleString()
    if kind in (*NESTED, "binary"):
        raise WorkbenchError(
            f"event: column {name!r} holds {values_in_words(kind)}, which are no names of events; "
            "name a plain column, or give conditions by label."
        )
    if COLLATED in text:
        raise WorkbenchError(
            f"event: column {name!r} holds {text}, but names of events are told apart by their "
            "bytes; cast it to string, or give the steps as conditions."
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
