"""The bounds of frames: parsing and checking of distances from the current row."""

import re
from datetime import timedelta
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.arguments import whole_number
from workbench.durations import MONTHS_IN, MOST_TICKS, microseconds
from workbench.errors import WorkbenchError, warn

if TYPE_CHECKING:
    from pyspark.sql import Column

MICROSECONDS, MONTHS, NUMBER, COUNT = "microseconds", "months", "number", "count"
#: The unit of a column's distances before its type is known.
OF_COLUMN = "of the column"
#: The limit of Spark's intervals.
MOST_MONTHS = 2**31 - 1

_CALENDAR = re.compile(rf"(\d+) *({'|'.join(MONTHS_IN)})s?", re.IGNORECASE)


class PerRow:
    """A distance that differs from row to row, taken from a column.

    ``==`` of Columns returns a Column, not a bool, so two of these are equal when they hold the
    same Column object.

    Attributes
    ----------
    column : pyspark.sql.Column or str
        In the workers, the name of the column.
    """

    def __init__(self, column: "Column | str") -> None:
        self.column = column

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PerRow):
            return False
        if isinstance(self.column, str):
            return isinstance(other.column, str) and self.column == other.column
        return self.column is other.column

    def __hash__(self) -> int:
        return hash(self.column) if isinstance(self.column, str) else id(self.column)

    def __repr__(self) -> str:
        return repr(self.column)


class Offset(NamedTuple):
    """The signed distance of a bound from the current row.

    Attributes
    ----------
    amount : int, float, Decimal or PerRow
        Negative before the current row.
    unit : str
        "count" of rows or groups, "number" in the unit of the order column, "microseconds" or
        "months"; "of the column" until the column's type is known.
    """

    amount: Any
    unit: str

    def scaled(self, scale: int) -> int:
        """Return the amount as a multiple of the last digit of decimals of a scale.

        Examples
        --------
        >>> Offset(-0.25, NUMBER).scaled(2)
        -25
        """
        return int(Decimal(str(self.amount)) * 10**scale)


def is_column(value: Any) -> bool:
    """Return whether a value is a Column."""
    # Imported here and not at the top, because executors load this module.
    from pyspark.sql import Column

    return isinstance(value, Column)


def read_count(value: Any, name: str, unit: str) -> Offset | None:
    """Return a number of rows or groups as an offset."""
    if value is None:
        return None
    amount = whole_number(value)
    if amount is None and is_column(value):
        return Offset(PerRow(value), COUNT)
    if amount is None:
        raise WorkbenchError(
            f"{name}: {value!r} is not a whole number, but a frame of {unit} counts {unit}; "
            "give an integer, negative before the current row, a Column, or None for no bound."
        )
    return _in_range(Offset(amount, COUNT), value, name)


def read_distance(value: Any, name: str, unit: str) -> Offset | None:
    """Return a distance along the order as an offset."""
    if value is None:
        return None
    if isinstance(value, str | timedelta):
        return _in_range(_duration(value, name), value, name)
    amount = value if isinstance(value, float | Decimal) else whole_number(value)
    if amount is None and is_column(value):
        return Offset(PerRow(value), OF_COLUMN)
    if amount is None:
        raise WorkbenchError(
            f"{name}: {value!r} is not a distance; give a number, a duration such as '-3 days', "
            "a Column, or None for no bound."
        )
    if not _is_finite(amount):
        raise WorkbenchError(f"{name}: {value!r} is not a distance; give None for no bound.")
    return _in_range(Offset(amount, NUMBER), value, name)


def _is_finite(amount: int | float | Decimal) -> bool:
    # Python's isfinite converts to float, which fails for a signaling NaN and a large integer.
    if isinstance(amount, Decimal):
        return amount.is_finite()
    return not isinstance(amount, float) or isfinite(amount)


def _duration(value: str | timedelta, name: str) -> Offset:
    if isinstance(value, timedelta):
        sign = -1 if value < timedelta(0) else 1
        return Offset(sign * microseconds(abs(value), name), MICROSECONDS)
    text = value.strip()
    sign, length = (-1, text[1:].strip()) if text.startswith("-") else (1, text)
    if months := _calendar_months(length):
        return Offset(sign * months[0], MONTHS)
    if re.search(_CALENDAR, length):
        raise WorkbenchError(
            f"{name}: {value!r} mixes months with days or hours; give one or the other."
        )
    if length.startswith(("-", "+")):
        raise WorkbenchError(f"{name}: {value!r} has more than one sign; give at most one.")
    return Offset(sign * microseconds(length, name), MICROSECONDS)


def _calendar_months(text: str) -> tuple[int] | None:
    """Return the months in "1 year 6 months", None when the text has anything else."""
    if not re.fullmatch(rf"{_CALENDAR.pattern}( +{_CALENDAR.pattern})*", text, re.IGNORECASE):
        return None
    return (sum(int(n) * MONTHS_IN[unit.lower()] for n, unit in _CALENDAR.findall(text)),)


def _in_range(offset: Offset, value: Any, name: str) -> Offset:
    limit = MOST_MONTHS if offset.unit == MONTHS else MOST_TICKS
    if abs(offset.amount) > limit and not isinstance(value, float):
        raise WorkbenchError(f"{name}: {value!r} is too far; give None for no bound.")
    return offset


def check_bounds(low: Offset, high: Offset, given_low: Any, given_high: Any) -> None:
    """Refuse bounds of different kinds, and warn of bounds that make the frame empty.

    Raises
    ------
    WorkbenchError

    Warns
    -----
    WorkbenchWarning
    """
    comparable = low.unit == high.unit or 0 in (low.amount, high.amount)
    if NUMBER in (low.unit, high.unit) and not comparable:
        raise WorkbenchError(
            f"low, high: {given_low!r} and {given_high!r} are not of the same kind; "
            "give two numbers or two durations."
        )
    if ends_early(low, high):
        warn(
            f"low, high: the frame begins at {given_low!r}, after its end at {given_high!r}, "
            "so it has no rows; give the earlier bound first, negative before the current row."
        )


def ends_early(low: Offset | None, high: Offset | None) -> bool:
    """Return whether a frame with constant bounds ends before it begins.

    Examples
    --------
    >>> ends_early(Offset(3, COUNT), Offset(-3, COUNT)), ends_early(Offset(0, COUNT), None)
    (True, False)
    """
    if low is None or high is None:
        return False
    if isinstance(low.amount, PerRow) or isinstance(high.amount, PerRow):
        return False
    comparable = low.unit == high.unit or 0 in (low.amount, high.amount)
    return bool(low.amount > high.amount if comparable else low.amount > 0 > high.amount)
