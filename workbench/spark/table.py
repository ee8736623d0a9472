"""The columns of a user's table: found, checked and addressed before a job starts."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import COLLATED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

INTEGERS = ("byte", "short", "integer", "long")
TIMES = ("timestamp", "timestamp_ntz", "date")
NESTED = ("map", "struct", "array", "variant")


#: The columns that a funnel's results have beside the key.
RESULTS = ("level", "reached", "since_first", "next_event", "next_time")


def table(value: Any, argument: str = "events") -> "DataFrame":
    """Return the value when it is a table that can be scanned as a whole.

    Parameters
    ----------
    value : pyspark.sql.DataFrame
    argument : str
        What the caller calls it, for the error's sake.

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When it is something else, or a stream.
    """
    from pyspark.sql import DataFrame

    if not isinstance(value, DataFrame):
        kind = f"{type(value).__module__.partition('.')[0]}'s {type(value).__name__}"
        raise WorkbenchError(
            f"{argument}: this is {kind} and not a Spark DataFrame; "
            "make one with spark.createDataFrame(...) or spark.read."
        )
    if value.isStreaming:
        raise WorkbenchError(f"{argument}: this is a stream; give a table that is at rest.")
    return value


def is_stream(value: Any) -> bool:
    """Say whether a value is a table that goes on for ever."""
    from pyspark.sql import DataFrame

    return isinstance(value, DataFrame) and value.isStreaming


def column(df: "DataFrame", name: str, argument: str) -> "Column":
    """Return a column of a table by its exact name, dots and spaces included.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
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
    >>> column(wb.session().range(1), "ids", "key")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: key: there is no column 'ids'; did you mean 'id'?
    """
    if name not in df.columns:
        raise WorkbenchError(
            f"{argument}: there is no column {name!r}; {nearest(name, df.columns)}"
        )
    if df.columns.count(name) > 1:
        raise WorkbenchError(
            f"{argument}: there are several columns {name!r}; rename all but one of them."
        )
    return name_of(name)


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
    if close := get_close_matches(str(name), known, n=3, cutoff=0.6):
        return f"did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, known[:10])) + (" and more" if len(known) > 10 else "")
    return f"there are {shown}." if known else "there are none."


def type_of(df: "DataFrame", name: str) -> "DataType":
    """Return the Spark type of a column."""
    return df.schema[name].dataType


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


def reason(error: Exception) -> str:
    """Return Spark's message without its error class, its code and its position.

    Examples
    --------
    >>> reason(ValueError("[NO_SUCH] No column `x`. SQLSTATE: 42703; line 1 pos 0\\n'Project"))
    'No column `x`.'
    """
    text = str(error).strip().splitlines()[0]
    return (text.partition("] ")[2] or text).partition(" SQLSTATE")[0]


def is_integer_time(df: "DataFrame", time: str) -> bool:
    """Say whether a time column holds integers, and refuse one that holds no times at all.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
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
    column(df, time, "time")
    kind = type_of(df, time).typeName()
    if kind in INTEGERS:
        return True
    if kind in TIMES:
        return False
    raise WorkbenchError(
        f"time: column {time!r} holds {kind}s; make it a timestamp, a date or an integer, "
        f"for example with F.to_timestamp({time!r})."
    )


def key_values(key: Any, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the value of each column of one key, which a person named.

    Parameters
    ----------
    key : value, or tuple of values when the key has several columns
    names : sequence of str
        The columns of the key.

    Returns
    -------
    tuple

    Raises
    ------
    WorkbenchError
        When there are more or fewer values than columns.

    Examples
    --------
    >>> key_values("ann", ["user"]), key_values(("ann", 5), ["user", "shop"])
    (('ann',), ('ann', 5))
    >>> key_values("ann", ["user", "shop"])
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: key: 'ann' has 1 values; the key has 2: user, shop.
    """
    values = key if isinstance(key, tuple) else (key,)
    if len(values) != len(names):
        columns = ", ".join(names) or "no column, so leave it out"
        raise WorkbenchError(
            f"key: {key!r} has {len(values)} values; the key has {len(names)}: {columns}."
        )
    return values


def check_key(df: "DataFrame", keys: Sequence[str]) -> None:
    """Refuse key columns that are missing, cannot be grouped by, or would hide a result.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    keys : sequence of str

    Raises
    ------
    WorkbenchError
    """
    for key in keys:
        column(df, key, "key")
        check_plain(df.schema, key, "key", RESULTS)


def check_grouped(schema: "StructType", name: str, argument: str) -> None:
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
    held = schema[name].dataType.simpleString()
    if COLLATED in held:
        raise WorkbenchError(
            f"{argument}: column {name!r} holds {held}, which cannot be grouped by; "
            "cast it to string, which tells its texts apart by their bytes."
        )
    if any(part in held for part in ("map<", "variant")):
        raise WorkbenchError(
            f"{argument}: column {name!r} holds {held}, which cannot be grouped by; "
            "name another column."
        )


def check_event(events: "DataFrame", name: str) -> None:
    """Refuse a column of event names that is missing, or whose names are equal by other rules.

    Raises
    ------
    WorkbenchError
    """
    column(events, name, "event")
    held = type_of(events, name).simpleString()
    if COLLATED in held:
        raise WorkbenchError(
            f"event: column {name!r} holds {held}, but names of events are told apart by their "
            "bytes; cast it to string, or give the steps as conditions."
        )


def check_plain(schema: "StructType", name: str, argument: str, taken: Sequence[str] = ()) -> None:
    """Refuse a column that cannot be grouped by, or whose name a result uses itself.

    Parameters
    ----------
    schema : pyspark.sql.types.StructType
    name, argument : str
    taken : sequence of str
        The names that the result uses itself; Spark does not tell them apart by case.

    Raises
    ------
    WorkbenchError
    """
    kind = schema[name].dataType.typeName()
    if kind in NESTED:
        raise WorkbenchError(
            f"{argument}: column {name!r} holds {kind}s, which cannot be grouped by; "
            "name a plain column."
        )
    check_grouped(schema, name, argument)
    if name.lower() in {other.lower() for other in taken}:
        raise WorkbenchError(
            f"{argument}: the result has a column {name!r} of its own; rename yours first."
        )
