"""Times as text or numbers: detect their format, and convert them with Spark."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.durations import SECOND, since_epoch
from workbench.errors import WorkbenchError
from workbench.spark.table import BoundTable, column, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

ISO = "ISO 8601"
#: Formats of numbers since 1970, and the number of their units per second.
EPOCHS = {
    "epoch seconds": 1,
    "epoch milliseconds": 10**3,
    "epoch microseconds": 10**6,
    "epoch nanoseconds": 10**9,
}
#: Numbers are recognised as times if they are between these.
EARLIEST, LATEST = datetime(1990, 1, 1), datetime(2100, 1, 1)
_SECONDS = [since_epoch(at) // SECOND for at in (EARLIEST, LATEST)]

_DAY, _YEAR, _WORD = r"\d{1,2}", r"\d{4}", r"[A-Za-z]{3}"
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?$")
#: Regular expressions of dates, and Spark's patterns for them.
_DATES: Sequence[tuple[str, tuple[str, ...]]] = (
    (rf"{_DAY}/{_DAY}/{_YEAR}", ("d/M/yyyy", "M/d/yyyy")),
    (rf"{_DAY}-{_DAY}-{_YEAR}", ("d-M-yyyy", "M-d-yyyy")),
    (rf"{_DAY}\.{_DAY}\.{_YEAR}", ("d.M.yyyy",)),
    (rf"{_DAY}/{_DAY}/\d\d", ("d/M/yy", "M/d/yy")),
    (rf"{_DAY}\.{_DAY}\.\d\d", ("d.M.yy",)),
    (rf"{_YEAR}/{_DAY}/{_DAY}", ("yyyy/M/d",)),
    (rf"{_YEAR}\.{_DAY}\.{_DAY}", ("yyyy.M.d",)),
    (r"(19|20)\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])", ("yyyyMMdd",)),
    (rf"{_DAY} {_WORD} {_YEAR}", ("d MMM yyyy",)),
    (rf"{_DAY}-{_WORD}-{_YEAR}", ("d-MMM-yyyy",)),
    (rf"{_WORD} {_DAY}, {_YEAR}", ("MMM d, yyyy",)),
    (rf"{_DAY} [A-Za-z]{{4,}} {_YEAR}", ("d MMMM yyyy",)),
    (rf"[A-Za-z]{{4,}} {_DAY}, {_YEAR}", ("MMMM d, yyyy",)),
)
#: Regular expressions of the time of day after a date, and Spark's patterns for them.
_CLOCKS = (
    ("", ""),
    (r"(?P<gap>,? |T)\d{1,2}:\d{2}(:\d{2}([.]\d{1,6})?)?", "H:mm[:ss[.SSSSSS]]"),
    (r"(?P<gap>,? )\d{1,2}:\d{2}(:\d{2})? ?[AaPp][Mm]", "h:mm[:ss][ ]a"),
)
#: The same for times of mail and of web servers, which include their zones.
_WITH_ZONE = (
    (rf"{_WORD}, {_DAY} {_WORD} {_YEAR} \d\d:\d\d:\d\d [+-]\d{{4}}", "d MMM yyyy HH:mm:ss Z"),
    (rf"\[?{_DAY}/{_WORD}/{_YEAR}:\d\d:\d\d:\d\d [+-]\d{{4}}\]?", "d/MMM/yyyy:HH:mm:ss Z"),
)
#: Text around a time that is ignored: brackets, and the day of the week.
_BRACKETS_AND_WEEKDAY = r"^\s*\[?([A-Z][a-z]{2}, )?|\]?\s*$"
#: Words in the name of a column that holds times.
TIME_WORDS = ("time", "timestamp", "ts", "datetime", "date", "at", "when", "day", "hour", "created",
              "occurred", "updated", "start", "begin")  # fmt: skip
#: The smallest share of sampled values that must look like times.
MATCHING_SHARE = 0.6


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("eventTime"), words_of("created_at"), words_of("USER-ID2")
    (['event', 'time'], ['created', 'at'], ['user', 'id', '2'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def is_called_time(name: str) -> bool:
    """Return whether a name contains a word for times.

    Examples
    --------
    >>> is_called_time("created_at"), is_called_time("status")
    (True, False)
    """
    return not {*words_of(name)}.isdisjoint(TIME_WORDS)


def formats_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the formats of :func:`as_time` in which texts look like times.

    Parameters
    ----------
    texts : iterable of str
        Some values of a column.

    Returns
    -------
    tuple of str
        Empty if they do not look like times; two if day and month are ambiguous.

    Examples
    --------
    >>> formats_of(["31/1/2024 9:30", "1/2/2024 10:00"])
    ('d/M/yyyy H:mm[:ss[.SSSSSS]]', 'M/d/yyyy H:mm[:ss[.SSSSSS]]')
    >>> formats_of(["2024-01-31", "2024-02-01T10:00:00Z", "n/a"]), formats_of(["ann", "bob"])
    (('ISO 8601',), ())
    """
    stripped = [text.strip() for text in texts if text.strip()]
    counts: dict[tuple[str, ...], int] = {}
    for text in stripped:
        formats = _formats(text)
        counts[formats] = counts.get(formats, 0) + 1
    counts.pop((), None)
    best = max(counts, key=lambda formats: counts[formats], default=())
    return best if best and counts[best] >= MATCHING_SHARE * len(stripped) else ()


def _formats(text: str) -> tuple[str, ...]:
    if _ISO.match(text):
        return (ISO,)
    for shape, pattern in _WITH_ZONE:
        if re.fullmatch(shape, text):
            return (pattern,)
    for shape, patterns in _DATES:
        for clock_shape, clock in _CLOCKS:
            if match := re.fullmatch(shape + clock_shape, text):
                gap = match.groupdict().get("gap", "").replace("T", "'T'")
                return tuple(f"{pattern}{gap}{clock}" for pattern in patterns)
    return ()


def epoch_of(low: float, high: float) -> str | None:
    """Return the unit of numbers since 1970, or None if they are no times of 1990 to 2100.

    Examples
    --------
    >>> epoch_of(1_704_067_200_000, 1_706_659_200_000), epoch_of(1, 5_000)
    ('epoch milliseconds', None)
    """
    for name, units in EPOCHS.items():
        if _SECONDS[0] * units <= low <= high <= _SECONDS[1] * units:
            return name
    return None


def as_time(value: "Column", format: str) -> "Column":
    """Return text or numbers as timestamps, and null for values that cannot be parsed.

    Parameters
    ----------
    value : pyspark.sql.Column
    format : str
        "ISO 8601", one of :data:`EPOCHS`, or a pattern of Spark. Text without a zone is in the
        session's zone.

    Returns
    -------
    pyspark.sql.Column
    """
    from pyspark.sql import functions as F

    if format in EPOCHS:
        return _of_epoch(value, EPOCHS[format])
    text = F.regexp_replace(value.cast("string"), _BRACKETS_AND_WEEKDAY, "")
    if format == ISO:
        # Spark also accepts a time of day without a date, and uses today's date.
        return F.when(text.rlike(r"^\d{4}-\d{1,2}-\d{1,2}"), text.try_cast("timestamp"))
    return F.try_to_timestamp(text, F.lit(format))


def _of_epoch(value: "Column", units: int) -> "Column":
    """Return numbers since 1970 as timestamps; null out of range, so that the job does not fail."""
    from pyspark.sql import functions as F

    if units < 10**6:
        micros = F.round(value.try_cast("double") * F.lit(10**6 // units)).try_cast("long")
    else:
        # Rounded first: nanoseconds since 1970 have more digits than doubles hold.
        step, whole = units // 10**6, value.try_cast("long")
        micros = F.round((whole - F.pmod(whole, F.lit(step))) / F.lit(step)).try_cast("long")
    return F.timestamp_micros(micros)


def with_times(df: "DataFrame", times: Mapping[str, str]) -> "DataFrame":
    """Return a table with columns of text or numbers converted to times.

    Raises
    ------
    WorkbenchError
        When there is no such column, it holds neither text nor numbers, or the format is unknown.
    """
    if not isinstance(times, Mapping):
        raise WorkbenchError(
            f"times: {times!r} is no mapping; give formats by column, such as {{'at': 'd/M/yyyy'}}."
        )
    bound = BoundTable.of(df)
    for name, format in times.items():
        value = column(bound, name, "times")
        kind = type_of(bound, name)
        if kind.typeName() in ("timestamp", "timestamp_ntz", "date", "boolean", "binary"):
            raise WorkbenchError(
                f"times: column {name!r} holds {kind.simpleString()}, neither text nor numbers; "
                "leave it out."
            )
        _check_format(format, df.sparkSession)
        df = df.withColumn(name, as_time(value, format))
    return df


def _check_format(format: str, spark: "SparkSession") -> None:
    """Ask Spark, without a job, whether it reads a pattern: on its own it says so in a job."""
    from pyspark.errors import PySparkException

    if format in (ISO, *EPOCHS):
        return
    empty = "SELECT try_to_timestamp('', :format) FROM VALUES (0)"
    try:
        known = isinstance(format, str) and any(letter.isalpha() for letter in format)
        if known:
            spark.sql(empty, {"format": format}).collect()
    except PySparkException:
        known = False
    if not known:
        listed = ", ".join(map(repr, (ISO, *EPOCHS)))
        raise WorkbenchError(
            f"times: {format!r} is no format; give one of {listed}, or a pattern of Spark such as "
            "'d/M/yyyy H:mm'."
        )
