"""What a funnel counts: users, sessions or conversions, with columns held constant, of a period."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.arguments import check_known, one_name, optional_names, whole_number
from workbench.columnar.zones import zone_of
from workbench.durations import (
    MINUTE,
    Duration,
    microseconds,
    since_epoch,
    ticks,
    to_python,
)
from workbench.errors import WorkbenchError
from workbench.spark.in_driver import ZONE

COUNTS = "users", "sessions", "conversions"
#: The column that numbers a key's sessions or chains, and the plural noun for them.
NUMBERED = {"sessions": "session", "conversions": "chain"}
UNITS = {"sessions": "sessions", "conversions": "chains"}

Moment = str | date | datetime | np.datetime64 | int
_MOMENTS = "such as '2024-01-31', '2024-01-31 12:00' or a datetime"


@dataclass(frozen=True)
class Counting:
    """What a funnel counts, checked; the defaults count users.

    Attributes
    ----------
    count : str
        ``"users"``, ``"sessions"`` or ``"conversions"``.
    hold : tuple of str
        The columns that have one value along a chain.
    session : str, timedelta, int, or None
        The column of sessions, or the longest time between two events of one session.
    start, end : str, date, datetime, numpy.datetime64, int, or None
        The period of the first step; its end is excluded.
    """

    count: str = "users"
    hold: tuple[str, ...] = ()
    session: "Duration | None" = None
    start: "Moment | None" = None
    end: "Moment | None" = None

    @property
    def columns(self) -> dict[str, str]:
        """The columns that split a user's events further, and the argument that names each."""
        by_session = {str(self.session): "session"} if self.session_column else {}
        return dict.fromkeys(self.hold, "hold") | by_session

    @property
    def session_column(self) -> bool:
        """Whether sessions are identified by a column, and not by the time between events."""
        return isinstance(self.session, str) and not _is_duration(self.session)

    @property
    def has_period(self) -> bool:
        """Whether the first step must lie in a period."""
        return self.start is not None or self.end is not None

    @property
    def number(self) -> str | None:
        """The result column that numbers a key's sessions or chains, None if a key has one row."""
        return None if self.session_column else NUMBERED.get(self.count)

    def gap(self, integer_time: bool) -> int | None:
        """Return the longest time between two events of one session, None without such sessions."""
        if self.session is None or self.session_column:
            return None
        return (ticks if integer_time else microseconds)(self.session, "session")

    def arguments(self) -> list[tuple[str, Any, Any]]:
        """Return the name, value and default of each argument that sets this."""
        return [
            ("hold", self.hold[0] if len(self.hold) == 1 else list(self.hold), []),
            ("count", self.count, "users"), ("session", self.session, None),
            ("start", self.start, None), ("end", self.end, None),
        ]  # fmt: skip

    def period(self, kind: str, zone: str) -> tuple[int | None, int | None] | None:
        """Return the begin and end of the period as the workers' integers.

        Parameters
        ----------
        kind : str
            Spark's type name of the time column; anything but a date or a timestamp holds
            integers.
        zone : str
            The time zone of the Spark session, in which times without a zone are read.

        Returns
        -------
        tuple, or None
            None if there is no period.

        Raises
        ------
        WorkbenchError
            When these are no times of that column, or the period is empty.
        """
        if not self.has_period:
            return None
        bounds = ("start", self.start), ("end", self.end)
        first, last = (
            None if moment is None else instant_of(moment, name, kind, zone)
            for name, moment in bounds
        )
        if first is not None and last is not None and last <= first:
            raise WorkbenchError(
                f"end: {self.end!r} is not after the start, {self.start!r}, so the period is "
                "empty; give a later one."
            )
        return first, last


def checked_counting(
    hold: Any, count: Any, session: Any, start: Any, end: Any, key: Sequence[str]
) -> Counting:
    """Return the checked counting; see :class:`workbench.Funnel` for the parameters.

    Raises
    ------
    WorkbenchError
    """
    check_known(count, COUNTS, "count")
    held_columns = optional_names(hold, "hold")
    counting = Counting(count, held_columns, to_python(session), start, end)
    _check_session(counting)
    for name, argument in counting.columns.items():
        if name in key:
            raise WorkbenchError(
                f"{argument}: {name!r} is a column of the key, which has one value along every "
                "chain; leave it out."
            )
    _check_period(counting)
    return counting


def _check_session(counting: Counting) -> None:
    session, counts_sessions = counting.session, counting.count == "sessions"
    if counts_sessions and session is None:
        raise WorkbenchError(
            'session: count="sessions" does not say what a session is; give the time without '
            "events that ends one, such as '30 minutes', or a column."
        )
    if session is not None and not counts_sessions:
        raise WorkbenchError(
            f'session: it is for count="sessions", and count is {counting.count!r}; '
            "count sessions, or leave it out."
        )
    if counting.session_column and session in counting.hold:
        raise WorkbenchError(
            f"hold: {session!r} is the column of sessions, which is held constant; leave it out."
        )
    if session is not None and not counting.session_column:
        counting.gap(whole_number(session) is not None)
    elif session is not None:
        one_name(str(session), "session")


def _check_period(counting: Counting) -> None:
    """Refuse what is no period of any table, before a table is known."""
    bounds = [one for one in (counting.start, counting.end) if one is not None]
    if not bounds:
        return
    integers = [whole_number(one) is not None for one in bounds]
    if len(set(integers)) > 1:
        raise WorkbenchError(
            f"end: {counting.end!r} and the start, {counting.start!r}, are not both times or both "
            "integers; give two of the same kind."
        )
    if integers[0]:
        counting.period("long", "UTC")
        return
    parsed = [moment_of(one, name) for name, one in _named(counting)]
    if len({one.tzinfo is None for one in parsed}) == 1:
        counting.period("timestamp", "UTC")


def _named(counting: Counting) -> list[tuple[str, Any]]:
    both = ("start", counting.start), ("end", counting.end)
    return [(name, moment) for name, moment in both if moment is not None]


def _is_duration(text: str) -> bool:
    """Return whether text begins with a number, and so is no column name."""
    return re.match(r"\s*[-+]?[\d.]", text) is not None


def instant_of(moment: Any, argument: str, kind: str, zone: str) -> int:
    """Return a time as the workers' integer; see :meth:`Counting.period`.

    Raises
    ------
    WorkbenchError
        When it is no time of that column.
    """
    number = whole_number(moment)
    if kind not in ("date", "timestamp", "timestamp_ntz"):
        if number is None or not -(2**63) <= number < 2**63:
            raise WorkbenchError(
                f"{argument}: {moment!r} is not an integer, but the time column holds integers; "
                "give an integer in the unit of that column."
            )
        return number
    parsed = moment_of(moment, argument)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=_clock(zone) if kind == "timestamp" else UTC)
    elif kind != "timestamp":
        raise WorkbenchError(
            f"{argument}: {moment!r} has a time zone, and the time column has none; leave it out."
        )
    return since_epoch(parsed)


def moment_of(moment: Any, argument: str) -> datetime:
    """Return a time as a datetime of Python or pandas; a date is midnight.

    Parameters
    ----------
    moment : Any
        A datetime, a date, one of NumPy's, or ISO 8601 text.
    argument : str
        The caller's name for it, for the error message.

    Raises
    ------
    WorkbenchError
        When it is no time.

    Examples
    --------
    >>> moment_of("2024-01-31 12:00", "start")
    datetime.datetime(2024, 1, 31, 12, 0)
    """
    value = moment.astype("M8[us]").item() if isinstance(moment, np.datetime64) else moment
    # NaT of pandas is a datetime too, and equals nothing.
    if isinstance(value, datetime) and value == value:
        return value
    try:
        # A date is midnight, whether as text or as an object.
        return datetime.fromisoformat(value if isinstance(value, str) else value.isoformat())
    except (AttributeError, TypeError, ValueError):
        raise WorkbenchError(
            f"{argument}: {moment!r} is not a time; give one {_MOMENTS}."
        ) from None


def arrow_zone(name: str) -> str:
    """Return Arrow's name of a Spark session's time zone; Arrow does not know ``GMT+1``.

    Raises
    ------
    WorkbenchError
        When Arrow has no such zone: one that its time zone database lacks, or with seconds.

    Examples
    --------
    >>> arrow_zone("Europe/Berlin"), arrow_zone("GMT+1"), arrow_zone("PST")
    ('Europe/Berlin', '+01:00', 'America/Los_Angeles')
    """
    zone = zone_of(name)
    try:
        pc.local_timestamp(pa.scalar(0, pa.timestamp("us", zone.name)))
    except pa.ArrowInvalid:
        raise _no_zone(name) from None
    if zone.offset is not None and zone.offset % MINUTE:
        raise _no_zone(name)
    return zone.name


def _clock(name: str) -> tzinfo:
    """Return the time zone of a Spark session as a Python tzinfo."""
    zone = zone_of(name)
    if zone.offset is not None:
        return timezone(timedelta(microseconds=zone.offset))
    try:
        return ZoneInfo(zone.name)
    except (ZoneInfoNotFoundError, ValueError):
        raise _no_zone(name) from None


def _no_zone(name: str) -> WorkbenchError:
    return WorkbenchError(
        f"{ZONE}: {name!r} is not a time zone that Python and Arrow know; set a region, such as "
        "'Europe/Berlin', or an offset of whole minutes, such as '+01:00'."
    )
