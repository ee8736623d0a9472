"""Times that are text or numbers: how they are written, and how Spark reads them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.durations import SECOND, since_epoch
from workbench.errors import WorkbenchError
from workbench.spark.table import BoundTable, column, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ISO = "ISO 8601"
#: How many there are in a second, of what numbers of an epoch count.
EPOCHS = {
    "epoch seconds": 1,
    "epoch milliseconds": 10**3,
    "epoch microseconds": 10**6,
    "epoch nanoseconds": 10**9,
}
#: Numbers are taken for times of an epoch where they are between these.
EARLIEST, LATEST = datetime(1990, 1, 1), datetime(2100, 1, 1)
_SECONDS = [since_epoch(at) // SECOND for at in (EARLIEST, LATEST)]

_DAY, _YEAR, _WORD = r"\d{1,2}", r"\d{4}", r"[A-Za-z]{3}"
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?$")
#: Dates as they are written: what they look like, and Spark's patterns for them.
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
#: The time of day behind a date.
_CLOCKS = (
    ("", ""),
    (r"(?P<gap>,? |T)\d{1,2}:\d{2}(:\d{2}([.]\d{1,6})?)?", "H:mm[:ss[.SSSSSS]]"),
    (r"(?P<gap>,? )\d{1,2}:\d{2}(:\d{2})? ?[AaPp][Mm]", "h:mm[:ss][ ]a"),
)
#: Times of mail and of web servers, which say their zones.
_WHOLE = (
    (rf"{_WORD}, {_DAY} {_WORD} {_YEAR} \d\d:\d\d:\d\d [+-]\d{{4}}", "d MMM yyyy HH:mm:ss Z"),
    (rf"\[?{_DAY}/{_WORD}/{_YEAR}:\d\d:\d\d:\d\d [+-]\d{{4}}\]?", "d/MMM/yyyy:HH:mm:ss Z"),
)
#: What stands around a time and says nothing of it: brackets, and the day of the week.
_AROUND = r"^\s*\[?([A-Z][a-z]{2}, )?|\]?\s*$"
#: Words in the name of a column that holds times.
TIME_WORDS = ("time", "timestamp", "ts", "datetime", "date", "at", "when", "day", "hour", "created",
              "occurred", "updated", "start", "begin")  # fmt: skip
#: That share of what is looked at has to look like times.
ENOUGH = 0.6


def words_of(name: str) -> list[str]:
    """Return the words of a name, in small letters.

    Examples
    --------
    >>> words_of("eventTime"), words_of("created_at"), words_of("USER-ID2")
    (['event', 'time'], ['created', 'at'], ['user', 'id', '2'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def is_called_time(name: str) -> bool:
    """Say whether a name has a word for times in it.

    Examples
    --------
    >>> is_called_time("created_at"), is_called_time("status")
    (True, False)
    """
    return not {*words_of(name)}.isdisjoint(TIME_WORDS)


def formats_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return in which formats texts look like times, as :func:`as_time` takes them.

    Parameters
    ----------
    texts : iterable of str
        Some values of a column.

    Returns
    -------
    tuple of str
        Empty where they do not; two where day and month may be either.

    Examples
    --------
    >>> formats_of(["31/1/2024 9:30", "1/2/2024 10:00"])
    ('d/M/yyyy H:mm[:ss[.SSSSSS]]', 'M/d/yyyy H:mm[:ss[.SSSSSS]]')
    >>> formats_of(["2024-01-31", "2024-02-01T10:00:00Z", "n/a"]), formats_of(["ann", "bob"])
    (('ISO 8601',), ())
    """
    given = [text.strip() for text in texts if text.strip()]
    found: dict[tuple[str, ...], int] = {}
    for text in given:
        formats = _formats(text)
        found[formats] = found.get(formats, 0) + 1
    found.pop((), None)
    best = max(found, key=lambda one: found[one], default=())
    return best if best and found[best] >= ENOUGH * len(given) else ()


def _formats(text: str) -> tuple[str, ...]:
    if _ISO.match(text):
        return (ISO,)
    for shape, pattern in _WHOLE:
        if re.fullmatch(shape, text):
            return (pattern,)
    for shape, patterns in _DATES:
        for clock, behind in _CLOCKS:
            if found := re.fullmatch(shape + clock, text):
                gap = found.groupdict().get("gap", "").replace("T", "'T'")
                return tuple(f"{pattern}{gap}{behind}" for pattern in patterns)
    return ()


def epoch_of(low: float, high: float) -> str | None:
    """Return what numbers count since 1970, None where they are no times of 1990 to 2100.

    Examples
    --------
    >>> epoch_of(1_704_067_200_000, 1_706_659_200_000), epoch_of(1, 5_000)
    ('epoch milliseconds', None)
    """
    for name, many in EPOCHS.items():
        if _SECONDS[0] * many <= low <= high <= _SECONDS[1] * many:
            return name
    return None


def as_time(value: "Column", format: str) -> "Column":
    """Return text or numbers as timestamps, null where they cannot be read so.

    Parameters
    ----------
    value : pyspark.sql.Column
    format : str
        "ISO 8601", one of :data:`EPOCHS`, or a pattern of Spark. Text without a zone is of the
        session's.

    Returns
    -------
    pyspark.sql.Column
    """
    from pyspark.sql import functions as F

    if format in EPOCHS:
        return _of_epoch(value, EPOCHS[format])
    text = F.regexp_replace(value.cast("string"), _AROUND, "")
    if format == ISO:
        # Spark takes a time of day alone, too, and makes it one of today.
        return F.when(text.rlike(r"^\d{4}-\d{1,2}-\d{1,2}"), text.try_cast("timestamp"))
    return F.try_to_timestamp(text, F.lit(format))


def _of_epoch(value: "Column", many: int) -> "Column":
    """Numbers since 1970; what no timestamp holds is null, and not an error of the whole job."""
    from pyspark.sql import functions as F

    if many < 10**6:
        micros = F.round(value.try_cast("double") * F.lit(10**6 // many)).try_cast("long")
    else:
        # By steps that doubles hold: a nanosecond of today has more digits than they do.
        step, whole = many // 10**6, value.try_cast("long")
        micros = F.round((whole - F.pmod(whole, F.lit(step))) / F.lit(step)).try_cast("long")
    return F.timestamp_micros(micros)


def with_times(df: "DataFrame", times: Mapping[str, str]) -> "DataFrame":
    """Return a table in which columns of text or numbers are times.

    Raises
    ------
    WorkbenchError
        When there is no such column, it holds neither text nor numbers, or the format is none.
    """
    if not isinstance(times, Mapping):
        raise WorkbenchError(
            f"times: {times!r} is no mapping; give formats by column, such as {{'at': 'd/M/yyyy'}}."
        )
    bound = BoundTable.of(df)
    for name, format in times.items():
        value = column(bound, name, "times")
        held = type_of(bound, name)
        if held.typeName() in ("timestamp", "timestamp_ntz", "date", "boolean", "binary"):
            raise WorkbenchError(
                f"times: column {name!r} holds {held.simpleString()}, neither text nor numbers; "
                "leave it out."
            )
        _check_format(format)
        df = df.withColumn(name, as_time(value, format))
    return df


def _check_format(format: str) -> None:
    letters = set("yuMLdDHhmsSaEGkKVzOXxZQqnNAe")
    if not isinstance(format, str) or (
        format != ISO and format not in EPOCHS and not letters & set(format)
    ):
        known = ", ".join(map(repr, (ISO, *EPOCHS)))
        raise WorkbenchError(
            f"times: {format!r} is no format; give one of {known}, or a pattern such as "
            "'d/M/yyyy H:mm'."
        )
