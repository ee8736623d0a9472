"""Check the values of a key that a user names, and find the rows that have them."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import reduce
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.arguments import check_text
from workbench.columnar.zones import readable
from workbench.errors import WorkbenchError
from workbench.spark.jobs import in_arrow
from workbench.spark.table import BoundTable, column, type_of
from workbench.spark.types import INTEGERS, TIMES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: The Python types that a column accepts, by Spark's name of its type; text may stand for times.
_ACCEPTED: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(INTEGERS, (Integral,)),
    **dict.fromkeys(("float", "double"), (Real, Decimal)),
    **dict.fromkeys(("string", "char", "varchar"), (str,)),
    **dict.fromkeys(TIMES, (date, str)),
    "decimal": (Real, Decimal),
    "boolean": (bool,),
    "binary": (bytes, bytearray),
    "time": (time, str),
    "daytimeinterval": (timedelta, str),
}
#: Spark has no literal for an integer from here on.
INTEGER_LIMIT = 10**38


def key_values(key: Any, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of a key as a tuple, one for each key column.

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
        When the number of values differs from the number of columns.

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


def has_key(table: BoundTable, values: Sequence[Any], null_is_value: bool = False) -> "Column":
    """Return a condition that is true for the rows of a key.

    Parameters
    ----------
    table : BoundTable
    values : sequence of values
        From :func:`key_values`.
    null_is_value : bool
        Whether null is a value like any other; else it equals nothing.

    Returns
    -------
    pyspark.sql.Column

    Raises
    ------
    WorkbenchError
        When a column cannot hold its value.
    """
    from pyspark.sql import functions as F

    for name, value in zip(table.key, values, strict=True):
        check_value(table, name, value, "key")
    same = [
        column(table, name, "key").eqNullSafe(literal(value))
        if null_is_value
        else column(table, name, "key") == literal(value)
        for name, value in zip(table.key, values, strict=True)
    ]
    return reduce(lambda a, b: a & b, same, F.lit(True))


def literal(value: Any) -> "Column":
    """Return a Python value as a literal of Spark."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import TimestampType

    if isinstance(value, date) and not isinstance(value, datetime):
        # As text with a year of four digits: PySpark writes year 500 as '500', which Java rejects.
        return F.lit(value.isoformat()).cast("date")
    if isinstance(value, datetime):
        # As a number: PySpark converts times before 1582 by the Julian calendar.
        return F.timestamp_micros(F.lit(TimestampType().toInternal(value)))
    if isinstance(value, Integral) and abs(int(value)) >= 2**63:
        # Spark has no literal for an integer of more than 64 bits.
        return F.lit(Decimal(int(value)))
    return F.lit(value)


def first_rows(
    rows: "DataFrame", order: "Sequence[Column]", wanted: "Mapping[str, Column]", most: int
) -> pa.Table:
    """Fetch the first ``most`` rows in an order, and one more if there are more.

    Parameters
    ----------
    rows : pyspark.sql.DataFrame
    order : sequence of Column
    wanted : dict of str to Column
        The columns to fetch, by their names in the result.
    most : int

    Returns
    -------
    pyarrow.Table
        With times in zones that Python can show.
    """
    # Limited before the columns are selected, as the order may use one that is renamed.
    some = (rows.orderBy(*order) if order else rows).limit(most + 1)
    return readable(in_arrow(some.select(*(value.alias(name) for name, value in wanted.items()))))


def unknown_key_error(key: Any) -> WorkbenchError:
    """Return the error for a key that no row has."""
    return WorkbenchError(f"key: no row has the key {key!r}; give one that the table holds.")


def check_value(table: BoundTable, name: str, value: Any, argument: str) -> None:
    """Refuse a value that a column cannot hold.

    Parameters
    ----------
    table : BoundTable
    name : str
        The column.
    value : value
        Every column accepts None.
    argument : str
        The name of the caller's argument, for error messages.

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> import workbench as wb
    >>> check_value(BoundTable.of(wb.session().range(1)), "id", "ann", "key")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: key: 'ann' is no value of 'id', which holds bigint; \
give one of that type.
    """
    column(table, name, argument)
    whose = f"the {table.side}' {name!r}" if table.side else repr(name)
    check_kind(type_of(table, name), whose, value, argument)


def check_kind(kind: "DataType", whose: str, value: Any, argument: str) -> None:
    """Refuse a value that a type cannot hold.

    Parameters
    ----------
    kind : pyspark.sql.types.DataType
    whose : str
        The column in words, for error messages.
    value, argument
        As for :func:`check_value`.

    Raises
    ------
    WorkbenchError
    """
    check_text(value, argument)
    if value is not None and not _accepts(kind, value):
        raise WorkbenchError(
            f"{argument}: {value!r} is no value of {whose}, which holds "
            f"{kind.simpleString()}; give one of that type."
        )


def _accepts(kind: "DataType", value: Any) -> bool:
    types = _ACCEPTED.get(kind.typeName(), (object,))
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        return False
    if isinstance(value, datetime) and value != value:  # pandas' NaT
        return False
    if isinstance(value, np.timedelta64):  # it calls itself an integer
        return False
    if isinstance(value, Integral):
        return abs(int(value)) < INTEGER_LIMIT
    return not isinstance(value, str) or kind.typeName() not in TIMES or _is_iso_time(value)


def _is_iso_time(value: str) -> bool:
    """Return whether text is a time in ISO 8601."""
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
