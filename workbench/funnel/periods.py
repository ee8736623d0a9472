"""The periods of a trend: their length, and when they begin and end."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.arguments import whole_number
from workbench.errors import WorkbenchError
from workbench.funnel.behaviour.retention_spec import periods_of
from workbench.funnel.bind import clock_of
from workbench.funnel.counting import arrow_zone, instant_of
from workbench.funnel.plan import MOST_POINTS
from workbench.funnel.worker.entries import period_numbers
from workbench.funnel.worker.periods import Periods

if TYPE_CHECKING:
    from workbench.durations import Duration
    from workbench.funnel.prepared import Prepared
    from workbench.funnel.spec import FunnelSpec
    from workbench.spark.table import BoundTable


def periods_for(
    every: "Duration", funnel: "FunnelSpec", events: "BoundTable | Prepared"
) -> Periods:
    """Return the periods of a trend of some events.

    Parameters
    ----------
    every : str, timedelta or int
    funnel : FunnelSpec
    events : BoundTable or Prepared

    Returns
    -------
    Periods

    Raises
    ------
    WorkbenchError
        When the length does not fit the time column.
    """
    kind, zone = clock_of(funnel, events)
    length, months = periods_of(every, events.integer_time)
    clock = arrow_zone(zone) if kind == "timestamp" else None
    return Periods(length, months, clock, events.integer_time)


def check_every(every: Any) -> None:
    """Refuse what is no length of a period, before a table is known.

    Raises
    ------
    WorkbenchError
    """
    periods_of(every, whole_number(every) is not None)


def check_points(periods: int, segments: int, every: "Duration") -> None:
    """Refuse more points than a trend may have.

    Raises
    ------
    WorkbenchError
    """
    if periods * segments > MOST_POINTS:
        of = f" of {segments:,} segments" if segments > 1 else ""
        raise WorkbenchError(
            f"every: {every!r} makes {periods:,} periods{of}, and a trend has at most "
            f"{MOST_POINTS:,} points; give a longer one"
            + (", or fewer segments by largest=." if segments > 1 else ".")
        )


def span_of(moment: Any, periods: Periods, kind: str, zone: str) -> tuple[int, int]:
    """Return the begin of the period that contains a time, and of the next one.

    Parameters
    ----------
    moment : str, date, datetime or int
    periods : Periods
    kind : str
        Spark's type name of the time column.
    zone : str
        The time zone of the Spark session.

    Returns
    -------
    tuple of int
        As the workers' integers.

    Raises
    ------
    WorkbenchError
        When it is no time of that column.

    Examples
    --------
    >>> days = Periods(86_400_000_000, zone="Asia/Tokyo")
    >>> begin, end = span_of("1970-01-03 12:00", days, "timestamp", "Asia/Tokyo")
    >>> begin // 3_600_000_000, end // 3_600_000_000
    (39, 63)
    """
    number = period_numbers(periods, np.array([instant_of(moment, "entered", kind, zone)]))
    if periods.integers:
        # Python's integers, because the last period ends beyond the largest int64.
        first = int(number[0]) * periods.length
        return max(first, -(2**63)), min(first + periods.length, 2**63)
    both = number[0] + np.arange(2)
    begins = periods.begins(both)
    if not periods.of_days:
        # In local time, an hour that clocks repeat would be a single one.
        begins = pa.array(both * periods.length)
    elif periods.zone is not None:
        # Arrow's times, because Python's end with the year 9999.
        begins = pc.assume_timezone(
            begins, periods.zone, ambiguous="earliest", nonexistent="latest"
        )
    first, end = begins.cast(pa.int64()).to_pylist()
    return first, end


def end_of(last: int, periods: Periods) -> Any:
    """Return the last time of the data as local time of the time zone; integers stay integers."""
    if periods.integers:
        return last
    zone = None if periods.zone is None else "UTC"
    local = pa.array([last]).cast(pa.timestamp("us", zone)).to_pandas()[0]
    return local if zone is None else local.tz_convert(periods.zone).tz_localize(None)
