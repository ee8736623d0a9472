"""Lengths of time as people write them."""

import re
from datetime import timedelta

from workbench.errors import WorkbenchError

Duration = str | timedelta | int

_EXAMPLE = "such as '1 hour', '90 days' or timedelta(minutes=5)"


def microseconds(value: Duration, argument: str = "window") -> int:
    """Return a duration in microseconds.

    Parameters
    ----------
    value : str or timedelta
        Text with a unit, such as ``"1 hour"`` or ``"1 day 12 hours"``.
    argument : str
        What the caller calls it, for the error's sake.

    Returns
    -------
    int

    Raises
    ------
    WorkbenchError
        When there is no unit, when the text is no duration, or when it is negative.

    Examples
    --------
    >>> microseconds("1 hour")
    3600000000
    >>> microseconds("90")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: window: '90' has no unit; give a duration with a unit, \
such as '1 hour', '90 days' or timedelta(minutes=5).
    """
    import pandas as pd

    text = str(value) if isinstance(value, timedelta) else repr(value)
    if isinstance(value, bool | int | float) or re.fullmatch(r"\s*[-+]?[\d.]+\s*", str(value)):
        raise WorkbenchError(
            f"{argument}: {text} has no unit; give a duration with a unit, {_EXAMPLE}."
        )
    try:
        nanoseconds = pd.Timedelta(value).value
    except (ValueError, TypeError):
        raise WorkbenchError(
            f"{argument}: {text} is not a duration; give one {_EXAMPLE}."
        ) from None
    if nanoseconds != nanoseconds or nanoseconds < 0:
        raise WorkbenchError(
            f"{argument}: {text} is negative; give a duration of zero or more, {_EXAMPLE}."
        )
    if nanoseconds % 1_000:
        raise WorkbenchError(
            f"{argument}: {text} is finer than a microsecond, which is the finest unit."
        )
    return nanoseconds // 1_000


def ticks(value: Duration, argument: str = "window") -> int:
    """Return a duration for an integer time column, in that column's own unit.

    Parameters
    ----------
    value : int
        Zero or more.
    argument : str
        What the caller calls it, for the error's sake.

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
    if isinstance(value, bool) or not isinstance(value, int):
        raise WorkbenchError(
            f"{argument}: {value!r} has a unit, but the time column holds integers; "
            "give an integer in the unit of that column."
        )
    if value < 0:
        raise WorkbenchError(f"{argument}: {value} is negative; give zero or more.")
    return value


def spoken(micros: float) -> str:
    """Return a duration as a person says it, in its two largest units.

    Parameters
    ----------
    micros : float
        Microseconds, zero or more.

    Returns
    -------
    str

    Examples
    --------
    >>> spoken(5_400_000_000), spoken(86_400_000_000), spoken(1_500_000), spoken(250)
    ('1 h 30 min', '1 day', '1.5 s', '250 µs')
    """
    if micros < 1_000:
        return f"{micros:g} µs"
    if micros < 60_000_000:
        return f"{micros / 1_000_000:.4g} s"
    units = [(86_400_000_000, "day"), (3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s")]
    parts = []
    for size, unit in units:
        count, micros = divmod(micros, size)
        if count:
            plural = "s" if unit == "day" and count > 1 else ""
            parts.append(f"{int(count)} {unit}{plural}")
        if len(parts) == 2:
            break
    return " ".join(parts)
