"""Frames: which rows around the current one a window function sees."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from math import isfinite
from operator import index
from typing import Any, NamedTuple

from workbench.durations import MOST_TICKS, microseconds
from workbench.errors import WorkbenchError

EXCLUSIONS = ("no others", "current row", "group", "ties")
MICROSECONDS, MONTHS, NUMBER, COUNT = "microseconds", "months", "number", "count"

_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_CALENDAR = re.compile(r"(\d+) *(month|quarter|year)s?", re.IGNORECASE)


class Offset(NamedTuple):
    """The signed distance of a bound from the current row.

    Attributes
    ----------
    amount : int, float or Decimal
        Negative before the current row.
    unit : str
        "count" of rows or groups, "number" in the unit of the order column, "microseconds" or
        "months".
    """

    amount: Any
    unit: str


@dataclass(frozen=True)
class Frame:
    """The rows that a window function sees, from one bound to the other, both inclusive.

    Make one with :meth:`rows`, :meth:`range` or :meth:`groups`. A bound is a signed distance from
    the current row: negative is before it, zero is the row (or its peers), positive is after it,
    None is no bound.

    Attributes
    ----------
    unit : str
        "rows", "range" or "groups".
    low, high : Offset or None
    exclude : str
        "no others", "current row", "group" (the row and its peers) or "ties" (its peers alone).

    Examples
    --------
    >>> Frame.rows(-3, 3)
    wb.Frame.rows(-3, 3)
    >>> Frame.range("-3 days", "3 days", exclude="current row")
    wb.Frame.range('-3 days', '3 days', exclude='current row')
    >>> Frame.groups(None, 0)
    wb.Frame.groups(None, 0)
    """

    unit: str
    low: Offset | None
    high: Offset | None
    exclude: str = "no others"
    given: tuple[Any, Any] = field(default=(None, None), compare=False)

    @classmethod
    def rows(cls, low: int | None, high: int | None, *, exclude: str = "no others") -> "Frame":
        """Return a frame that counts rows.

        Parameters
        ----------
        low, high : int or None
            How many rows from the current one the frame begins and ends.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When a bound is no whole number, or the frame ends before it begins.
        """
        return cls._checked("rows", low, high, exclude)

    @classmethod
    def groups(cls, low: int | None, high: int | None, *, exclude: str = "no others") -> "Frame":
        """Return a frame that counts groups of peers: rows that are equal in the order.

        Parameters
        ----------
        low, high : int or None
            How many groups from the current row's own the frame begins and ends.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When a bound is no whole number, or the frame ends before it begins.
        """
        return cls._checked("groups", low, high, exclude)

    @classmethod
    def range(
        cls,
        low: int | float | Decimal | str | timedelta | None,
        high: int | float | Decimal | str | timedelta | None,
        *,
        exclude: str = "no others",
    ) -> "Frame":
        """Return a frame that measures along the one column of the order.

        Parameters
        ----------
        low, high : number, str, timedelta or None
            How far from the current row's value the frame begins and ends: a number where the
            order column holds numbers; where it holds times, a duration such as ``"-3 days"``,
            which is exact time, or ``"-1 month"`` (months, quarters, years), which goes by the
            calendar. 0 stands for the current row's peers, whatever the column holds.
        exclude : str
            "no others", "current row", "group" or "ties".

        Returns
        -------
        Frame

        Raises
        ------
        WorkbenchError
            When a bound is neither a number nor a duration, or the frame ends before it begins.
        """
        return cls._checked("range", low, high, exclude)

    @classmethod
    def _checked(cls, unit: str, low: Any, high: Any, exclude: str) -> "Frame":
        if exclude not in EXCLUSIONS:
            known = ", ".join(map(repr, EXCLUSIONS))
            raise WorkbenchError(f"exclude: {exclude!r} is not known; give one of {known}.")
        read = _distance if unit == "range" else _count
        begin, end = read(low, "low", unit), read(high, "high", unit)
        if begin is not None and end is not None:
            _check_bounds(begin, end, low, high)
        return cls(unit, begin, end, exclude, (low, high))

    def __repr__(self) -> str:
        low, high = self.given
        exclude = "" if self.exclude == "no others" else f", exclude={self.exclude!r}"
        return f"wb.Frame.{self.unit}({low!r}, {high!r}{exclude})"

    @property
    def measured(self) -> str | None:
        """What "range" is measured in: "number", "microseconds", "months", or None for peers."""
        for bound in (self.low, self.high):
            if self.unit == "range" and bound is not None and bound.amount != 0:
                return bound.unit
        return None

    @property
    def is_whole(self) -> bool:
        """Whether every row of the partition is in every frame."""
        return self.low is None and self.high is None and self.exclude == "no others"

    @property
    def is_running(self) -> bool:
        """Whether the frame runs from the partition's begin to the current row or its peers."""
        up_to_here = self.high is not None and self.high.amount == 0
        return self.low is None and up_to_here and self.exclude == "no others"


def _count(value: Any, name: str, unit: str) -> Offset | None:
    """Read a number of rows or groups."""
    if value is None:
        return None
    try:
        amount = None if isinstance(value, bool) else index(value)
    except TypeError:
        amount = None
    if amount is None:
        raise WorkbenchError(
            f"{name}: {value!r} is no whole number, but a frame of {unit} counts {unit}; "
            "give an integer, negative before the current row, or None for no bound."
        )
    return _within(Offset(amount, COUNT), value, name)


def _distance(value: Any, name: str, unit: str) -> Offset | None:
    """Read a distance along the order."""
    if value is None:
        return None
    if isinstance(value, str | timedelta):
        return _within(_duration(value, name), value, name)
    amount = value
    if not isinstance(value, float | Decimal | bool):
        try:
            amount = index(value)
        except TypeError:
            amount = None
    if isinstance(value, bool) or amount is None:
        raise WorkbenchError(
            f"{name}: {value!r} is no distance; give a number, a duration such as '-3 days', "
            "or None for no bound."
        )
    if not isfinite(amount):
        raise WorkbenchError(f"{name}: {value!r} is no distance; give None for no bound.")
    return _within(Offset(amount, NUMBER), value, name)


def _duration(value: str | timedelta, name: str) -> Offset:
    if isinstance(value, timedelta):
        sign = -1 if value < timedelta(0) else 1
        return Offset(sign * microseconds(abs(value), name), MICROSECONDS)
    text = value.strip()
    sign, length = (-1, text[1:].strip()) if text.startswith("-") else (1, text)
    if found := _calendar_months(length):
        return Offset(sign * found[0], MONTHS)
    if re.search(_CALENDAR, length):
        raise WorkbenchError(
            f"{name}: {value!r} mixes months with days or hours; give the one or the other."
        )
    if length.startswith(("-", "+")):
        raise WorkbenchError(f"{name}: {value!r} has more than one sign; give one at the most.")
    return Offset(sign * microseconds(length, name), MICROSECONDS)


def _calendar_months(text: str) -> tuple[int] | None:
    """The months in "1 year 6 months", None when the text has anything else."""
    if not re.fullmatch(rf"{_CALENDAR.pattern}( +{_CALENDAR.pattern})*", text, re.IGNORECASE):
        return None
    return (sum(int(n) * _MONTHS_IN[unit.lower()] for n, unit in _CALENDAR.findall(text)),)


def _within(offset: Offset, value: Any, name: str) -> Offset:
    if abs(offset.amount) > MOST_TICKS and not isinstance(value, float):
        raise WorkbenchError(f"{name}: {value!r} is too far; give None for no bound.")
    return offset


def _check_bounds(low: Offset, high: Offset, given_low: Any, given_high: Any) -> None:
    one_kind = low.unit == high.unit or 0 in (low.amount, high.amount)
    if NUMBER in (low.unit, high.unit) and not one_kind:
        raise WorkbenchError(
            f"low, high: {given_low!r} and {given_high!r} are not of one kind; "
            "give two numbers or two durations."
        )
    ends_early = low.amount > high.amount if one_kind else low.amount > 0 > high.amount
    if ends_early:
        raise WorkbenchError(
            f"low, high: the frame begins at {given_low!r}, behind its end at {given_high!r}; "
            "give the earlier bound first, negative before the current row."
        )


#: What SQL takes where no frame is given: with an order, and without one.
RUNNING, WHOLE = Frame.range(None, 0), Frame.range(None, None)
