"""The funnel's summaries: levels of keys in, small pandas tables out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from workbench.columns import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MOST_SEGMENTS = 1_000
STEP_COLUMNS = ("step", "users", "from_first", "from_previous", "lost", "median_time", "p90_time")
MOST_BINS = 1_000

#: Widths of intervals that a person reads at a glance, in microseconds; each divides the next.
_MINUTE, _DAY = 60_000_000, 86_400_000_000
ROUND_TIMES = [
    *(10**power for power in range(7)),
    *(5_000_000, 15_000_000, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, 60 * _MINUTE),
    *(180 * _MINUTE, 360 * _MINUTE, 720 * _MINUTE, _DAY, 7 * _DAY, 28 * _DAY, 364 * _DAY),
]
ROUND_COUNTS = [factor * 10**power for power in range(15) for factor in (1, 2)]


def steps_table(
    levels: "DataFrame", labels: Sequence[str], by: str | None, integer_time: bool
) -> pd.DataFrame:
    """Return a row for each step (and segment): users, shares, losses and times.

    Parameters
    ----------
    levels : pyspark.sql.DataFrame
        Columns ``level`` and ``since_first``, the time of each step since the first.
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
    from pyspark.sql import functions as F

    segment = [] if by is None else [F.col(quoted(by))]
    measures = [_measure(k) for k in range(len(labels))]
    counted = levels.groupBy(*segment).agg(*(column for pair in measures for column in pair))
    if by is not None:
        # Keys that never took the first step belong to no segment.
        counted = counted.where("users_0 > 0").orderBy(F.desc("users_0"), *segment)
    found = counted.limit(MOST_SEGMENTS + 1).collect()
    rows = [
        _row(one, k, label, by, integer_time)
        for one in found[:MOST_SEGMENTS]
        for k, label in enumerate(labels)
    ]
    table = pd.DataFrame(rows, columns=[*([] if by is None else [by]), *STEP_COLUMNS])
    table.attrs["cut"] = len(found) > MOST_SEGMENTS
    return table


def times_table(levels: "DataFrame", steps: int, bins: int, integer_time: bool) -> pd.DataFrame:
    """Return the histogram of the time that those took who reached every step.

    Parameters
    ----------
    levels : pyspark.sql.DataFrame
        Columns ``level`` and ``since_first``, the time of each step since the first.
    steps : int
        How many steps the funnel has.
    bins : int
        How many intervals at the most, 1 to ``MOST_BINS``.
    integer_time : bool

    Returns
    -------
    pandas.DataFrame
        ``from``, ``to`` and ``users``.
    """
    from pyspark.sql import functions as F

    widths = ROUND_COUNTS if integer_time else ROUND_TIMES
    took = F.get("since_first", F.lit(steps - 1))
    finished = levels.where(F.col("level") == steps)
    fine = finished.groupBy(_fine(took, widths).alias("at")).agg(F.count("*").alias("users"))
    counts = {row["at"]: row["users"] for row in fine.collect()}
    longest = max(counts, default=-1) + 1
    # Each round width is a multiple of those below it, so the fine bins add up exactly.
    width = _round_up(longest / bins, widths)
    edges = [k * width for k in range(-(-longest // width) + 1)]
    users = [0] * (len(edges) - 1)
    for at, count in counts.items():
        users[at // width] += count
    lengths = [_length(edge, integer_time) for edge in edges]
    return pd.DataFrame({"from": lengths[:-1], "to": lengths[1:], "users": users})


def _fine(took: "Column", widths: Sequence[int]) -> "Column":
    """The time rounded down, to a thousandth at the most, so that few different ones are left."""
    from pyspark.sql import functions as F

    width = F.lit(widths[0])
    for wider in widths[1:]:
        width = F.when(took >= MOST_BINS * wider, F.lit(wider)).otherwise(width)
    return took - took % width


def _round_up(width: float, widths: Sequence[int]) -> int:
    """The least round width that is not below; beyond them all, a multiple of the last."""
    above = [round_width for round_width in widths if round_width >= width]
    return above[0] if above else widths[-1] * -int(-width // widths[-1])


def _measure(k: int) -> list["Column"]:
    from pyspark.sql import functions as F

    users = F.count_if(F.col("level") > k).alias(f"users_{k}")
    since = F.col("since_first")
    took = F.get(since, F.lit(k)) - F.get(since, F.lit(k - 1))
    return [users, F.percentile(took, F.array(F.lit(0.5), F.lit(0.9))).alias(f"times_{k}")]


def _row(found: Any, k: int, label: str, by: str | None, integer_time: bool) -> tuple[Any, ...]:
    users, first = found[f"users_{k}"], found["users_0"]
    previous = found[f"users_{k - 1}"] if k else users
    times = found[f"times_{k}"] or (None, None)
    return (
        *(() if by is None else (found[by],)),
        label,
        users,
        users / first if first else float("nan"),
        users / previous if previous else float("nan"),
        previous - users,
        *(_length(time, integer_time) for time in times),
    )


def _length(value: float | None, integer_time: bool) -> Any:
    if value is None:
        return float("nan") if integer_time else pd.NaT
    return value if integer_time else pd.Timedelta(round(value), "us")
