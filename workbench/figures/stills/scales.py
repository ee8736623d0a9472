"""The axes of a still: from plotly's values to positions along the axis, from 0 to 1."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, floor, log10
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Floats

Kind = Literal["linear", "log", "date", "category"]
#: The approximate number of ticks, and the width of a letter of their labels.
TICKS, LETTER = 6, 6.2
_DATE = re.compile(r"-?\d{4}-\d\d")
#: Steps between ticks of times, up to two weeks in seconds, beyond that in months.
_SECONDS: tuple[int, ...] = (1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 43_200)
_SECONDS += (86_400, 2 * 86_400, 3 * 86_400, 7 * 86_400, 14 * 86_400)
#: The first Monday of 1970, in microseconds.
_MONDAY = 4 * 86_400 * 10**6
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 12_000)


@dataclass(frozen=True)
class Scale:
    """One axis.

    Attributes
    ----------
    kind : str
    low, high : float
        The ends as numbers of :meth:`numbers`; the greater one may come first.
    names : list of str
        The categories in order.
    """

    kind: Kind
    low: float
    high: float
    names: tuple[str, ...] = ()

    def numbers(self, values: Iterable[Any]) -> Floats:
        """Return values as numbers that are linear along the axis; missing ones are NaN."""
        return numbers(self.kind, list(values), self.names)

    def share(self, values: Iterable[Any]) -> Floats:
        """Return the positions of values along the axis, from 0 to 1."""
        return self.between(self.numbers(values))

    def between(self, values: Floats) -> Floats:
        """Return the positions of numbers of :meth:`numbers` along the axis."""
        return np.asarray((values - self.low) / ((self.high - self.low) or 1.0))

    def ticks(self, room: float) -> tuple[Sequence[Any], Sequence[str]]:
        """Return the values and labels of ticks, as many as fit."""
        low, high = sorted((self.low, self.high))
        if self.kind == "category":
            step = ceil(len(self.names) / max(room / 14, 1)) or 1
            return self.names[::step], self.names[::step]
        if self.kind == "log":
            powers = [10.0**power for power in range(ceil(low), floor(high) + 1)]
            return powers, [_short(power) for power in powers]
        if self.kind == "date":
            times = _times(low, high)
            days = bool((times == times.astype("M8[D]")).all())
            texts = np.datetime_as_string(times, "D" if days else "m").tolist()
            return times.tolist(), [words.replace("T", " ") for words in texts]
        values = round_numbers(low, high)
        return values, [f"{value:,.10g}" for value in values]


def kind_of(axis: Any, values: Sequence[Any]) -> Kind:
    """Return the kind of axis that plotly chooses for a layout and values."""
    if axis.type in ("linear", "log", "date", "category"):
        kind: Kind = axis.type
        return kind
    known = next((one for one in values if one is not None and one == one), 0.0)
    if isinstance(known, date | np.datetime64):
        return "date"
    if isinstance(known, str):
        return "date" if _DATE.match(known) else "category"
    return "linear"


def numbers(kind: Kind, values: Sequence[Any], names: Sequence[str] = ()) -> Floats:
    """Return values as numbers that are linear along an axis of a kind.

    Examples
    --------
    >>> numbers("log", [1, 100, None]).tolist(), numbers("category", ["b"], ["a", "b"]).tolist()
    ([0.0, 2.0, nan], [1.0])
    >>> numbers("date", ["1970-01-01T00:00:01"]).tolist()
    [1000000.0]
    """
    if not len(values):
        return np.empty(0)
    if kind == "category":
        place = {name: float(at) for at, name in enumerate(names)}
        return np.array([place.get(str(one), one if _is_number(one) else np.nan) for one in values],
                        np.float64)  # fmt: skip
    if kind == "date":
        return np.array([_micros(one) for one in values], np.float64)
    result = np.array([np.nan if one is None else float(one) for one in values])
    if kind == "log":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log10(result))
    return result


def _times(low: float, high: float) -> NDArray[np.datetime64]:
    """Return at most six round times between two ends, or the first end if there is none."""
    ends = np.array([low, high]).astype(np.int64).view("M8[us]")
    seconds = next((one for one in _SECONDS if (high - low) / one <= TICKS * 1e6), None)
    if seconds:
        step = seconds * 10**6
        # Weeks begin on Mondays, as the periods of a trend do.
        start = _MONDAY if seconds % (7 * 86_400) == 0 else 0
        numbered = np.arange(ceil((low - start) / step), floor((high - start) / step) + 1)
        times = np.datetime64(start, "us") + numbered * np.timedelta64(step, "us")
    else:
        first, last = ends.astype("M8[M]").astype(np.int64).tolist()
        step = next((one for one in _MONTHS if (last - first) / one <= TICKS), _MONTHS[-1])
        months = np.arange(ceil((first + 1) / step) * step, last + 1, step)
        times = months.astype("M8[M]").astype("M8[us]")
    return times if len(times) else ends[:1]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number)


def _micros(value: Any) -> float:
    """Return a time in microseconds since 1970; a number is in milliseconds, as in JavaScript."""
    if value is None or value != value:
        return float("nan")
    if _is_number(value):
        return float(value) * 1000
    if getattr(value, "tzinfo", None) is not None:
        value = value.replace(tzinfo=None)
    return float(np.datetime64(value, "us").astype(np.int64))


def round_numbers(low: float, high: float) -> list[float]:
    """Return two to five round numbers between two others.

    Examples
    --------
    >>> round_numbers(-11.9, 196.6)
    [0.0, 50.0, 100.0, 150.0]
    """
    if not high > low:
        return [low]
    power = 10.0 ** floor(log10(high - low))
    step = next(part for part in (0.2, 0.5, 1.0, 2.0) if (high - low) / (part * power) < 5) * power
    return [round(k * step, 12) for k in range(ceil(low / step), floor(high / step) + 1)]


def _short(number: float) -> str:
    """Return a power of ten as text, short enough for the margin."""
    if number < 1:
        return f"{number:g}"
    if number < 10**5:
        return f"{number:,.0f}"
    return f"{number / 1000:,.0f} k" if number < 10**6 else f"{number / 10**6:,.0f} M"
