"""The funnel's summaries as small pandas tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    from pyspark.sql import Row

MOST_SEGMENTS = 1_000
STEP_COLUMNS = ("step", "users", "from_first", "from_previous", "lost", "median_time", "p90_time")
MOST_BINS = 1_000

#: Widths of intervals that a person reads at a glance, in microseconds; each divides the next.
_MINUTE, _DAY = 60_000_000, 86_400_000_000
ROUND_TIMES = (
    *(10**power for power in range(7)),
    *(5_000_000, 15_000_000, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, 60 * _MINUTE),
    *(180 * _MINUTE, 360 * _MINUTE, 720 * _MINUTE, _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY),
)
ROUND_COUNTS = tuple(factor * 10**power for power in range(15) for factor in (1, 2))


class Summary(NamedTuple):
    """What a funnel says of all keys: its steps, and how long those took who reached the last.

    Attributes
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it.
    times : pandas.DataFrame
        As :meth:`workbench.Funnel.times` returns it.
    """

    steps: pd.DataFrame
    times: pd.DataFrame


def nobody(steps: int) -> dict[str, Any]:
    """Return the summary of no key at all."""
    unknown = [float("nan")] * steps
    figures = {"users": [0] * steps, "median": unknown, "p90": unknown}
    return {**figures, "width": 1, "histogram": []}


def steps_table(
    found: "Sequence[Row | dict[str, Any]]",
    labels: Sequence[str],
    by: str | None,
    integer_time: bool,
) -> pd.DataFrame:
    """Return a row for each step (and segment): users, shares, losses and times.

    Parameters
    ----------
    found : sequence of pyspark.sql.Row, or of dict
        A summary of each segment, as :mod:`workbench.funnel.summary_worker` makes it.
    labels : sequence of str
        The steps.
    by : str, optional
        The column of segments.
    integer_time : bool
        Whether times are integers, which stay as they are.

    Returns
    -------
    pandas.DataFrame
        ``attrs["cut"]`` says whether there are more segments than these.
    """
    rows = [
        _row(one, k, label, by, integer_time)
        for one in found[:MOST_SEGMENTS]
        for k, label in enumerate(labels)
    ]
    table = pd.DataFrame(rows, columns=[*([] if by is None else [by]), *STEP_COLUMNS])
    table.attrs["cut"] = len(found) > MOST_SEGMENTS
    return table


def times_table(width: int, users: Sequence[int], integer_time: bool) -> pd.DataFrame:
    """Return the histogram of the time that those took who reached every step.

    Parameters
    ----------
    width : int
        Of each interval.
    users : sequence of int
        In each interval, from 0 on.
    integer_time : bool

    Returns
    -------
    pandas.DataFrame
        ``from``, ``to`` and ``users``.
    """
    lengths = [_length(k * width, integer_time) for k in range(len(users) + 1)]
    return pd.DataFrame({"from": lengths[:-1], "to": lengths[1:], "users": list(users)})


def _row(found: Any, k: int, label: str, by: str | None, integer_time: bool) -> tuple[Any, ...]:
    users, first = found["users"][k], found["users"][0]
    previous = found["users"][k - 1] if k else users
    return (
        *(() if by is None else (found["segment"],)),
        label,
        users,
        users / first if first else float("nan"),
        users / previous if previous else float("nan"),
        previous - users,
        *(_length(found[name][k], integer_time) for name in ("median", "p90")),
    )


def _length(value: float, integer_time: bool) -> Any:
    if value != value:
        return float("nan") if integer_time else pd.NaT
    return value if integer_time else pd.Timedelta(round(value), "us")
