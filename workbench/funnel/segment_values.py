"""Convert the values by which users name a segment to those that segment columns hold."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench.arguments import check_text, digits_of, whole_number
from workbench.durations import MOST_TICKS, from_epoch, since_epoch
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import MOST_PRECISION
from workbench.funnel.bind import clock_of, segment_types
from workbench.funnel.counting import instant_of, moment_of
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.spark.table import BoundTable
from workbench.spark.types import INTEGERS

if TYPE_CHECKING:
    from pyspark.sql import Column

REALS = ("float", "double")


def checked_values(
    funnel: FunnelSpec,
    events: BoundTable | Prepared,
    by: Sequence[str],
    values: Sequence[Any],
    argument: str,
) -> tuple[Any, ...]:
    """Return the values of a segment as Python objects, and refuse those that no column holds.

    Parameters
    ----------
    funnel : FunnelSpec
    events : BoundTable or Prepared
    by : sequence of str
        The columns of segments.
    values : sequence
        A value for each. ``None``, ``pandas.NA`` and ``NaT`` mean null, and so does NaN if a
        column holds no floats, because pandas shows null as NaN there.
    argument : str
        The caller's name for them, for the error message.

    Returns
    -------
    tuple

    Raises
    ------
    WorkbenchError
    """
    kinds = [kind.typeName() for kind in segment_types(funnel, events, by)]
    cohorts = {one.label for one in funnel.segmenting.of(by)}
    for name, value in zip(by, values, strict=True):
        if name in cohorts and not isinstance(value, bool | np.bool_):
            raise WorkbenchError(
                f"{argument}: {value!r} is not a segment of the cohort {name!r}; give True or "
                "False."
            )
    zone = clock_of(funnel, events)[1]
    return tuple(value_of(*one, argument, zone) for one in zip(values, kinds, by, strict=True))


def value_of(value: Any, kind: str, name: str, argument: str, zone: str = "UTC") -> Any:
    """Return a column's value as a Python object.

    Parameters
    ----------
    value : Any
    kind : str
        Spark's type name of the column.
    name, argument : str
        The column, and the caller's name for the value, for the error message.
    zone : str
        The time zone of the Spark session, in which text and dates are read as instants.

    Raises
    ------
    WorkbenchError
        When the column cannot hold it.

    Examples
    --------
    >>> value_of(3.0, "long", "code", "segment"), value_of(float("nan"), "long", "code", "segment")
    (3, None)
    >>> value_of("three", "long", "code", "segment")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: segment: 'three' is not a value of 'code', whose type is \
long; give one of that type.
    """
    check_text(value, argument)
    if _is_null(value, kind):
        return None
    try:
        return _timestamp(value, zone) if kind == "timestamp" else _READ[kind](value)
    except (KeyError, TypeError, ValueError, OverflowError, WorkbenchError):
        raise WorkbenchError(
            f"{argument}: {value!r} is not a value of {name!r}, whose type is {kind}; "
            "give one of that type."
        ) from None


def equals(column: "Column", value: Any, kind: str) -> "Column":
    """Return whether a column equals a value, which may be null.

    Parameters
    ----------
    column : Column
    value : Any
        As :func:`checked_values` returns it.
    kind : str
        Spark's type name of the column.

    Returns
    -------
    Column
    """
    from pyspark.sql import functions as F

    if value is None:
        return column.isNull()
    if kind == "timestamp":
        return column.eqNullSafe(F.timestamp_micros(F.lit(since_epoch(value))))
    if kind in ("date", "timestamp_ntz"):
        return column.eqNullSafe(F.lit(value.isoformat()).cast(kind))
    return column.eqNullSafe(F.lit(value))


def is_nan(value: Any) -> bool:
    """Return whether a value is NaN."""
    return isinstance(value, float) and isnan(value)


def _is_null(value: Any, kind: str) -> bool:
    if kind in REALS and isinstance(value, float | np.floating):
        return False
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _one_of(*kinds: type) -> Callable[[Any], Any]:
    """Return a function that accepts only values of some types; a boolean is no integer."""

    def read(value: Any) -> Any:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise TypeError(value)
        return value

    return read


def _boolean(value: Any) -> bool:
    return bool(_one_of(bool, np.bool_)(value))


def _integer(value: Any) -> int:
    # Next to nulls, pandas turns integers into floats.
    real = isinstance(value, float | np.floating) and float(value).is_integer()
    number = int(value) if real else whole_number(value)
    if number is None or not -MOST_TICKS - 1 <= number <= MOST_TICKS:
        raise ValueError(value)
    return number


def _real(value: Any) -> float:
    return float(_one_of(int, float, Decimal, np.integer, np.floating)(value))


def _decimal(value: Any) -> Decimal | float:
    number = _one_of(int, float, Decimal, np.integer, np.floating)(value)
    if isinstance(number, float | np.floating):
        return float(number)
    exact = Decimal(number if isinstance(number, Decimal) else int(number))
    size = digits_of(exact)
    if size is None or size[0] > MOST_PRECISION:
        raise ValueError(value)
    return exact


def _moment(value: Any) -> datetime:
    moment = moment_of(value, "segment")
    return moment.to_pydatetime(warn=False) if isinstance(moment, pd.Timestamp) else moment


def _without_zone(value: Any) -> datetime:
    moment = _moment(value)
    if moment.tzinfo is not None:
        raise ValueError(value)
    return moment


def _date(value: Any) -> date:
    moment = _without_zone(value)
    if moment.time() != time():
        raise ValueError(value)
    return moment.date()


def _timestamp(value: Any, zone: str) -> datetime:
    if isinstance(value, datetime | np.datetime64):
        # Without a zone it is in the time zone of this process, as in Spark's rows.
        return _moment(value).astimezone(UTC)
    return from_epoch(instant_of(_moment(value), "segment", "timestamp", zone))


def _interval(value: Any) -> timedelta:
    return pd.Timedelta(_one_of(timedelta, np.timedelta64)(value)).to_pytimedelta()


_READ: dict[str, Callable[[Any], Any]] = {
    "boolean": _boolean,
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(REALS, _real),
    "decimal": _decimal,
    **dict.fromkeys(("string", "char", "varchar"), _one_of(str)),
    "binary": lambda value: bytes(_one_of(bytes, bytearray)(value)),
    "date": _date,
    "timestamp_ntz": _without_zone,
    "daytimeinterval": _interval,
    "time": _one_of(time),
}
