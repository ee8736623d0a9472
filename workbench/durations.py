"""Parse and format durations, and convert times to microseconds and back."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.arguments import whole_number
from workbench.errors import WorkbenchError

Duration = str | timedelta | int

MOST_TICKS = 2**63 - 1

#: In microseconds.
SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000
#: Calendar units, and the number of months of each.
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Calendar units, and the approximate number of days of each.
_DAYS = {"month": 30, "quarter": 91, "year": 365}
_CALENDAR = re.compile(
    rf"(?P<many>\d+(\.\d+)?)?\s*\b(?P<unit>{'|'.join(_DAYS)})s?\b", re.IGNORECASE
)
#: What pandas reads as it is written; it drops the point of 'PT1.5H', and the sign in '1+1 hours'.
_NUMBER, _CLOCK = r"\d+(?:\.\d*)?", r"\d+:\d+:\d+(?:\.\d+)?"
_PARTS = rf"(?:{_NUMBER}\s*[a-zµμ]+\.?\s*)"
_ISO_TIME = r"T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?"
_READABLE = re.compile(
    rf"\s*[-+]?\s*(?:{_PARTS}+(?:[-+]?{_CLOCK})?|{_CLOCK})\s*"
    rf"|-?P(?=[\dT])(?:\d+W)?(?:\d+D)?(?:{_ISO_TIME})?",
    re.IGNORECASE,
)
_EXAMPLE = "such as '1 hour', '90 days' or timedelta(minutes=5)"


def microseconds(value: Duration, argument: str = "window") -> int:
    """Return a duration in microseconds.

    Parameters
    ----------
    value : str or timedelta
        Text with a unit, such as ``"1 hour"`` or ``"1 day 12 hours"``.
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    int

    Raises
    ------
    WorkbenchError
        When there is no unit, the text is no duration, or the duration is negative or too long.

    Examples
    --------
    >>> microseconds("1 hour")
    3600000000
    >>> microseconds("90")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: window: '90' has no unit; give a duration with a unit, \
such as '1 hour', '90 days' or timedelta(minutes=5).
    """
    from pandas.errors import OutOfBoundsDatetime, OutOfBoundsTimedelta

    text = str(value) if isinstance(value, timedelta) else repr(value)
    if isinstance(value, bool):
        raise WorkbenchError(f"{argument}: {text} is not a length of time; give one {_EXAMPLE}.")
    if isinstance(value, int | float) or re.fullmatch(r"\s*[-+]?[\d.]+\s*", str(value)):
        raise WorkbenchError(
            f"{argument}: {text} has no unit; give a duration with a unit, {_EXAMPLE}."
        )
    if isinstance(value, str) and (match := _CALENDAR.search(value)):
        unit = match["unit"].lower()
        days = round(float(match["many"] or 1) * _DAYS[unit])
        raise WorkbenchError(
            f"{argument}: {text} has no fixed length, as {unit}s differ in length; "
            f"give days, such as '{days} days'."
        )
    try:
        nanoseconds = _nanoseconds(value)
    except (OutOfBoundsDatetime, OutOfBoundsTimedelta, OverflowError):
        raise WorkbenchError(
            f"{argument}: {text} is too long; give a duration of at most 292 years."
        ) from None
    except (ValueError, TypeError):
        raise WorkbenchError(
            f"{argument}: {text} is not a duration; give one {_EXAMPLE}."
        ) from None
    if nanoseconds < 0:
        raise WorkbenchError(
            f"{argument}: {text} is negative; give a duration of zero or more, {_EXAMPLE}."
        )
    if nanoseconds % 1_000:
        raise WorkbenchError(
            f"{argument}: {text} is finer than a microsecond, which is the finest unit."
        )
    return nanoseconds // 1_000


def _nanoseconds(value: Any) -> int:
    import pandas as pd

    if isinstance(value, str):
        if not _READABLE.fullmatch(value):
            raise ValueError("pandas would take it for something else")
        value = re.sub(r"\bweeks?\b", "W", value, flags=re.IGNORECASE)
    duration = pd.Timedelta(value)
    if pd.isna(duration):
        raise ValueError("no duration")
    return duration.as_unit("ns").value


def exact_text(micros: int) -> str:
    """Return a duration for SQL, in the largest unit up to hours that divides it.

    Parameters
    ----------
    micros : int
        Microseconds, zero or more.

    Returns
    -------
    str

    Examples
    --------
    >>> exact_text(2 * 86_400_000_000), exact_text(90_000_000), exact_text(1_500_000)
    ('48 hours', '90 seconds', '1500000 microseconds')
    """
    for unit, size in (("hours", HOUR), ("minutes", MINUTE), ("seconds", SECOND)):
        if micros % size == 0:
            return f"{micros // size} {unit}"
    return f"{micros} microseconds"


def ticks(value: Duration, argument: str = "window") -> int:
    """Return a duration for an integer time column, in that column's unit.

    Parameters
    ----------
    value : int
        Zero or more, of Python or NumPy.
    argument : str
        The name of the caller's argument, for error messages.

    Returns
    -------
    int

    Raises
    ------
    WorkbenchError
        When it is not an integer, or negative.

    Examples
    --------
    >>> ticks(3600)
    3600
    """
    number = whole_number(value)
    if number is None:
        what = "has a unit" if isinstance(value, str | timedelta) else "is not an integer"
        raise WorkbenchError(
            f"{argument}: {value!r} {what}, but the time column holds integers; "
            "give an integer in the unit of that column."
        )
    if number < 0:
        raise WorkbenchError(f"{argument}: {number} is negative; give zero or more.")
    if number > MOST_TICKS:
        raise WorkbenchError(f"{argument}: {number} is too long; give at most {MOST_TICKS}.")
    return number


def to_python(value: Any) -> Any:
    """Return NumPy's integers as Python's, and any other duration unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> to_python(np.int64(3600)), to_python("1 hour")
    (3600, '1 hour')
    """
    number = whole_number(value)
    return value if number is None else number


def duration_text(micros: float) -> str:
    """Return a duration as text in its two largest units.

    Parameters
    ----------
    micros : float
        Microseconds, zero or more.

    Returns
    -------
    str

    Examples
    --------
    >>> [duration_text(micros) for micros in (5_400_000_000, 86_400_000_000, 1_500_000, 250)]
    ['1 h 30 min', '1 day', '1.5 s', '250 µs']
    """
    if 0 < micros < 1_000:
        return f"{micros:g} µs"
    if micros < MINUTE:
        return f"{micros / SECOND:.4g} s"
    units = [(DAY, "day"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s")]
    parts = []
    for size, unit in units:
        count, micros = divmod(micros, size)
        if count:
            plural = "s" if unit == "day" and count > 1 else ""
            parts.append(f"{int(count)} {unit}{plural}")
        if len(parts) == 2:
            break
    return " ".join(parts)


def since_epoch(moment: datetime) -> int:
    """Return a time as microseconds since 1970; a time without a zone is taken as UTC.

    Examples
    --------
    >>> since_epoch(datetime(1970, 1, 2)), since_epoch(datetime(1970, 1, 1, 1, tzinfo=UTC))
    (86400000000, 3600000000)
    """
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)


def from_epoch(micros: int) -> datetime:
    """Return microseconds since 1970 as a time in UTC.

    Raises
    ------
    OverflowError
        When the time is out of the range of Python's datetime.

    Examples
    --------
    >>> str(from_epoch(86_400_000_000))
    '1970-01-02 00:00:00+00:00'
    """
    return _EPOCH + timedelta(microseconds=micros)
