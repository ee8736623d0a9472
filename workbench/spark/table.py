"""The columns of a user's table: found, checked and addressed before a job starts."""

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

#: Types of integers, and how many bits each has.
INTEGERS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
TIMES = ("timestamp", "timestamp_ntz", "date")
NESTED = ("map", "struct", "array", "variant")
CASE = "spark.sql.caseSensitive"
#: What Spark calls a value that is another one each time it is computed, where it refuses it.
UNREPEATABLE = "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION"


#: Beyond so many letters nobody mistypes a name, and to compare two of them takes seconds.
LONGEST_COMPARED = 100

#: The columns that a funnel's results have beside the key.
RESULTS = ("level", "reached", "since_first", "next_event", "next_time")


@dataclass(frozen=True)
class BoundTable:
    """A table that was asked once for its columns, with the names of its key and its time.

    Functions take it in place of the table and names: over Spark Connect each new question to a
    table is a round trip.

    Attributes
    ----------
    source : pyspark.sql.DataFrame or HeldTable
        What was given.
    schema : pyspark.sql.types.StructType
    key : tuple of str
    time : str
        Empty where no column is one.
    side : str
        What it is beside other tables, such as "queries", for the errors' sake; else empty.

    Examples
    --------
    >>> import workbench as wb
    >>> clicks = BoundTable.of(wb.session().range(3), ["id"], "id", "clicks")
    >>> clicks.names, clicks.integer_time, clicks.called("id")
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
        """Ask a table for its columns, none of which is checked."""
        df = source.without_rows if isinstance(source, HeldTable) else source
        return cls(source, df.schema, tuple(key), time, side)

    @property
    def df(self) -> "DataFrame":
        """The table as Spark has it."""
        return self.source.df if isinstance(self.source, HeldTable) else self.source

    @property
    def held(self) -> HeldTable | None:
        """The table as this process holds it, where it is to be answered here."""
        return self.source if isinstance(self.source, HeldTable) else None

    @property
    def without_rows(self) -> "DataFrame":
        """The columns, to ask Spark for types; with rows or without."""
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
        """The time column as the workers take it: integers as long, the rest as it is."""
        found = column(self, self.time, "time")
        return found.cast("long") if self.integer_time else found

    def called(self, name: str) -> str:
        """Return what an error calls a column: which table it is of, where there are several."""
        return column_of(name, self.side)

    def but(self, df: "DataFrame") -> "BoundTable":
        """Return other rows of the same columns."""
        return replace(self, source=df)


def column(table: BoundTable, name: str, argument: str) -> "Column":
    """Return a column of a table by its exact name, dots and spaces included.

    Parameters
    ----------
    table : BoundTable
    name : str
    argument : str
        What the caller calls it, for the error's sake.

    Returns
    -------
    pyspark.sql.Column

    Raises
    ------
    WorkbenchError
        When the table has no such column; the nearest names are given. Or when it has two.

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
    """Refuse a name that no column of a table has, or more than one: :func:`column` without it.

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


def column_of(name: str, side: str = "") -> str:
    """Return what an error calls a column of a table, which is one of several where it has a side.

    Examples
    --------
    >>> column_of("user"), column_of("user", "queries")
    ("column 'user'", "the queries' column 'user'")
    """
    return f"the {side}' column {name!r}" if side else f"column {name!r}"


def quoted(name: str) -> str:
    """Return a column's name as Spark reads it as a whole, dots and backticks included.

    Examples
    --------
    >>> quoted("user.id")
    '`user.id`'
    """
    return "`" + name.replace("`", "``") + "`"


def name_of(name: str) -> "Column":
    """Return a column by its exact name, of whatever table has it."""
    from pyspark.sql import functions as F

    return F.col(quoted(name))


def unused(taken: "Iterable[str]", name: str) -> str:
    """Return a name that no column has, whether case counts or not.

    Examples
    --------
    >>> unused(["row", "Row_"], "row"), unused(["id"], "row")
    ('row__', 'row')
    """
    lower = {one.lower() for one in taken}
    while name.lower() in lower:
        name += "_"
    return name


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the end of a sentence about a name that is not known.

    Parameters
    ----------
    name : str
    known : sequence of str

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
    short = [one for one in known if len(one) <= LONGEST_COMPARED]
    if close := get_close_matches(str(name)[:LONGEST_COMPARED], short, n=3, cutoff=0.6):
        return f"did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, known[:10])) + (" and more" if len(known) > 10 else "")
    return f"there are {shown}." if known else "there are none."


def type_of(table: BoundTable, name: str) -> "DataType":
    """Return the Spark type of a column."""
    return table.schema[name].dataType


def column_unit(schema: "StructType", name: str) -> str | None:
    """Return the unit that a column's metadata give its values, None where they give none.

    Parameters
    ----------
    schema : pyspark.sql.types.StructType
    name : str
        A column that is there.

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


def has_hash(kind: "DataType") -> bool:
    """Say whether Spark has a hash of values of a type: of maps and variants it has none.

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
    """Say whether Spark sorts by values of a type: not by maps, variants and calendar intervals.

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
    """Return the type of a value of each row, as :func:`value_types` does of several."""
    return value_types(df, [(what, value)], side)[0]


def value_types(
    df: "DataFrame", values: "Sequence[tuple[str, Column]]", side: str = ""
) -> "list[DataType]":
    """Return the types of values of each row, with one question where the table has them all.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    values : sequence of (str, Column)
        What the caller calls each, for the error's sake.
    side : str
        What the table is beside others, as :class:`BoundTable` has it.

    Returns
    -------
    list of pyspark.sql.types.DataType

    Raises
    ------
    WorkbenchError
        When the table has no such value, or it is none of a row.
    """
    from pyspark.errors import AnalysisException, ParseException
    from pyspark.sql import functions as F

    given = [value for _, value in values]
    try:
        # As values of each row, among others: an aggregate or a generator is none.
        usable = [F.when(value.isNotNull(), 1) for value in given]
        fields = df.select("*", *given, *usable).schema.fields[-2 * len(given) :]
    except (AnalysisException, ParseException) as error:
        if len(given) > 1:
            return [value_type(df, value, what, side) for what, value in values]
        what = f"{values[0][0]} does not fit the {side or 'table'}"
        raise WorkbenchError(f"{what}: {reason(error)}") from None
    return [field.dataType for field in fields[: len(given)]]


def check_repeatable(df: "DataFrame", values: "Sequence[tuple[str, Column]]") -> None:
    """Refuse values that are others each time they are computed, such as ``rand()``.

    Spark computes them again where a task is repeated or a table is read twice, and rows would be
    answered by one value and counted by another.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    values : sequence of (str, Column)
        What the caller calls each, for the error's sake.

    Raises
    ------
    WorkbenchError
    """
    # All at once, and one by one where Spark refuses one of them for whatever reason.
    if not values or not _refused(df, [value for _, value in values]):
        return
    for what, value in values:
        if _refused(df, [value]) == UNREPEATABLE:
            raise WorkbenchError(
                f"{what} is another one each time it is computed, and so the answer would be; "
                "save it as a column of a table first."
            )


def _refused(df: "DataFrame", values: "Sequence[Column]") -> str | None:
    """Why Spark refuses an aggregate of values, None when it does not."""
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F

    try:
        # In an aggregate, and nowhere else, Spark itself looks whether values can be repeated.
        _ = df.agg(*map(F.count, values)).schema
    except AnalysisException as error:
        return str(error.getCondition())
    return None


def check_sent(kind: "DataType", name: str, argument: str, side: str = "") -> None:
    """Refuse a column that Spark cannot hand to a Python worker.

    Raises
    ------
    WorkbenchError
    """
    from pyspark.errors import PySparkTypeError, UnsupportedOperationException
    from pyspark.sql.pandas.types import to_arrow_type

    try:
        # As Spark itself refuses, within the job, structs with two fields of one name.
        to_arrow_type(kind, error_on_duplicated_field_names_in_struct=True, timezone="UTC")
    except (PySparkTypeError, UnsupportedOperationException):
        raise WorkbenchError(
            f"{argument}: {column_of(name, side)} holds {kind.simpleString()}, which does not go "
            "through Arrow; drop it, or cast it to text."
        ) from None


def is_integer_time(table: BoundTable, time: str) -> bool:
    """Say whether a time column holds integers, and refuse one that holds no times at all.

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
    raise WorkbenchError(f"time: {table.called(time)} holds {kind}s; {time_hint(time)}")


def time_hint(name: str) -> str:
    """Return the end of a sentence about a column that holds no times."""
    return f"make it a timestamp, a date or an integer, for example with F.to_timestamp({name!r})."


def check_key(table: BoundTable, argument: str = "key", results: Sequence[str] = RESULTS) -> None:
    """Refuse key columns that are missing, cannot be grouped by, or would hide a result.

    Parameters
    ----------
    table : BoundTable
    argument : str
        What the caller calls them, for the error's sake.
    results : sequence of str
        The columns that the result has beside them.

    Raises
    ------
    WorkbenchError
    """
    for key in table.key:
        check_column(table, key, argument)
        check_plain(table.schema, key, argument, results)
        check_sent(type_of(table, key), key, argument)


def check_grouped(schema: "StructType", name: str, argument: str, side: str = "") -> None:
    """Refuse a column whose values are not told apart by their bytes.

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
    kind = schema[name].dataType.simpleString()
    if COLLATED in kind:
        raise WorkbenchError(
            f"{argument}: {column_of(name, side)} holds {kind}, which cannot be grouped by; "
            "cast it to string, which tells its texts apart by their bytes."
        )
    if any(part in kind for part in ("map<", "variant")):
        raise WorkbenchError(
            f"{argument}: {column_of(name, side)} holds {kind}, which cannot be grouped by; "
            "name another column."
        )


def check_event(events: BoundTable, name: str) -> None:
    """Refuse a column of event names that is missing, holds no names, or equal ones by other rules.

    Raises
    ------
    WorkbenchError
    """
    check_column(events, name, "event")
    kind, text = type_of(events, name).typeName(), type_of(events, name).simpleString()
    if kind in (*NESTED, "binary"):
        values = "binary values" if kind == "binary" else f"{kind}s"
        raise WorkbenchError(
            f"event: column {name!r} holds {values}, which are no names of events; "
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
    """Refuse a column that cannot be grouped by, or whose name a result uses itself.

    Parameters
    ----------
    schema : pyspark.sql.types.StructType
    name, argument : str
    taken : sequence of str
        The names that the result uses itself; Spark does not tell them apart by case.
    side : str
        What the table is beside others, as :class:`BoundTable` has it.

    Raises
    ------
    WorkbenchError
    """
    kind = schema[name].dataType.typeName()
    if kind in NESTED:
        raise WorkbenchError(
            f"{argument}: {column_of(name, side)} holds {kind}s, which cannot be grouped by; "
            "name a plain column."
        )
    check_grouped(schema, name, argument, side)
    if name.lower() in {other.lower() for other in taken}:
        raise WorkbenchError(
            f"{argument}: the result has a column {name!r} of its own; rename yours first."
        )
