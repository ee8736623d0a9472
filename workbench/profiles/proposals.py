"""Propose which column may be the key, the time, the event or the value, and why."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10
from typing import NamedTuple

from workbench.described import noun
from workbench.profiles.columns import (
    INTEGER,
    MOST_CODES,
    REAL,
    TEXT,
    TIME,
    ColumnProfile,
    TimeReading,
)
from workbench.spark.sources.times import EPOCHS, TIME_WORDS, words_of

ROLES = ("key", "time", "event", "value")
IDS = ("id", "ids", "key", "uuid", "guid", "num", "no", "code", "nr")
KEYS = (
    *("user", "customer", "client", "account", "session", "visitor", "person", "member", "patient"),
    *("device", "sensor", "machine", "vehicle", "plant", "station", "host", "player", "email"),
)
EVENTS = ("event", "action", "activity", "step", "operation", "type", "kind", "status", "state",
          "page", "name", "category", "evt", "stage")  # fmt: skip
VALUES = (
    *("value", "amount", "price", "revenue", "total", "cost", "duration", "delay", "temp", "mwh"),
    *("temperature", "kwh", "quantity", "score", "rating", "stars", "speed", "power", "load"),
    *("latency", "pressure", "balance", "sales", "volume", "distance", "weight"),
)
#: Parts of a date: numbers that are neither a key nor a value.
PARTS = ("year", "month", "day", "hour", "minute", "second", "week", "weekday", "quarter")
#: Words of numbers that count or measure, whatever else the name contains.
COUNTS = ("count", "counts", "sum", "min", "max", "avg", "mean", "size", "length", "qty")
#: The most distinct values of an event column, and the share of values that must be times.
MOST_EVENTS, MOSTLY = 200, 0.5
#: Only two integers are a flag. Codes of events need more, and this many rows for each.
FEWEST_CODES, ROWS_OF_CODE = 3, 2
#: Units of time by their seconds, the largest first.
LENGTHS = ((31_557_600, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True)
class Proposal:
    """A column that may be the key, the time, the event or the value.

    Attributes
    ----------
    column, reason : str
        The reason in words.
    format : str or None
        The format by which text or numbers are read as times.
    """

    column: str
    reason: str
    format: str | None = None


class Rating(NamedTuple):
    """How well a column fits a role, and the reasons for it."""

    points: float
    words: list[str]


def propose(columns: Sequence[ColumnProfile], rows: int) -> dict[str, tuple[Proposal, ...]]:
    """Return columns for each role, the best first; the first column of a role gets no other role.

    Parameters
    ----------
    columns : sequence of ColumnProfile
    rows : int

    Returns
    -------
    dict of str to tuple of Proposal
        For "key", "time", "event" and "value"; empty if no column can have the role.
    """
    proposals: dict[str, tuple[Proposal, ...]] = {}
    assigned: set[str] = set()
    for role in ("time", "key", "event", "value"):
        rated = [
            (one, column)
            for column in columns
            if column.name not in assigned and (one := RATINGS[role](column, rows)) is not None
        ]
        rated.sort(key=lambda pair: -pair[0].points)
        proposals[role] = tuple(
            Proposal(column.name, "; ".join(one.words), _format(column) if role == "time" else None)
            for one, column in rated
        )
        assigned |= {one.column for one in proposals[role][:1]}
    return proposals


def _of_time(column: ColumnProfile, rows: int) -> Rating | None:
    named = _named(column, TIME_WORDS)
    if column.kind == TIME and column.nulls < rows:
        words = [f"{column.type}s from {column.low} to {column.high}"]
        points = 5 - 2 * (column.type == "date")
    elif column.readings and column.readings[0].read > MOSTLY * (rows - column.nulls):
        words = [_reading(column, column.readings[0])]
        if column.readings[0].format in EPOCHS and not named:
            points = 0
        else:
            points = 3 + (column.kind == TEXT)
    else:
        return None
    words += named + _nulls(column, rows)
    return Rating(points + len(named) - 3 * column.nulls / rows, words)


def _of_key(column: ColumnProfile, rows: int) -> Rating | None:
    non_null = rows - column.nulls
    if column.kind not in (TEXT, INTEGER) or not non_null or not column.distinct:
        return None
    rows_per_value = non_null / column.distinct
    named = _ending(column) or _named(column, KEYS)
    points = 3.0 * bool(named) + min(2.0, log10(column.distinct) / 2) + 0.5 * (column.kind == TEXT)
    points += 2 if rows_per_value >= 1.5 else -3
    points -= 2 * (column.distinct < 2) + 3 * column.nulls / rows
    points -= 2 * bool(_named(column, EVENTS)) + 3 * bool(_named(column, PARTS))
    points -= 4 * bool(column.readings and _named(column, TIME_WORDS))
    rows_each = f"{rows_per_value:,.0f} row{'s' * (round(rows_per_value) != 1)} each"
    words = [
        f"{_about(column)} different {noun(column.distinct, 'values')}, {rows_each}",
        *named,
        *_nulls(column, rows),
    ]
    return Rating(points, words)


def _of_event(column: ColumnProfile, rows: int) -> Rating | None:
    if not column.names or column.distinct is None or column.readings:
        return None
    if not 2 <= column.distinct <= MOST_EVENTS:
        return None
    named = _named(column, EVENTS)
    codes = column.kind == INTEGER
    if codes and not (named and _may_be_codes(column, rows)):
        return None
    points = (4 - EVENTS.index(_word(column, EVENTS)) / 6 if named else 0) - 3 * column.nulls / rows
    top_name, top_count = next(iter(column.names.items()))
    share, what = top_count / (rows - column.nulls), "codes" if codes else "texts"
    top_text = top_name if codes else repr(top_name)
    words = [f"{_about(column)} different {what}, most often {top_text} ({share:.0%})", *named]
    return Rating(points + (column.distinct >= 3) - codes, words + _nulls(column, rows))


def _may_be_codes(column: ColumnProfile, rows: int) -> bool:
    """Return whether integers may be codes; their name must not suggest amounts, ids or dates."""
    distinct = column.distinct or 0
    fits = FEWEST_CODES <= distinct <= min(MOST_CODES, (rows - column.nulls) / ROWS_OF_CODE)
    others = (*KEYS, *VALUES, *COUNTS, *PARTS, *TIME_WORDS)
    return fits and not is_known(column.name, others)


def _of_value(column: ColumnProfile, rows: int) -> Rating | None:
    if column.kind not in (INTEGER, REAL) or column.nulls == rows:
        return None
    named = _named(column, VALUES)
    points = 2.0 * bool(named) + (column.kind == REAL) - 2 * column.nulls / rows
    points -= 3 * bool(_named(column, PARTS)) + 3 * bool(_ending(column))
    points -= 3 * bool(column.readings) + 2 * ((column.distinct or 0) < 3)
    words = [f"numbers from {number_text(column.low)} to {number_text(column.high)}", *named]
    return Rating(points, words + _nulls(column, rows))


RATINGS: dict[str, Callable[[ColumnProfile, int], Rating | None]] = {
    "time": _of_time, "key": _of_key, "event": _of_event, "value": _of_value,
}  # fmt: skip


def _format(column: ColumnProfile) -> str | None:
    return column.readings[0].format if column.readings and column.kind != TIME else None


def _word(column: ColumnProfile, known: Sequence[str]) -> str:
    words = words_of(column.name)
    return next((word for word in known if word in words), "")


def is_known(
    name: str, known: Sequence[str] = (*TIME_WORDS, *IDS, *KEYS, *EVENTS, *VALUES)
) -> bool:
    """Return whether a name contains a word that suggests the role of a column.

    Examples
    --------
    >>> is_known("user_id"), is_known("x7")
    (True, False)
    """
    return not {*words_of(name)}.isdisjoint(known)


def _named(column: ColumnProfile, known: Sequence[str]) -> list[str]:
    word = _word(column, known)
    if not word:
        return []
    return [f"is called {word}" if column.name.lower() == word else f"has {word!r} in its name"]


def _ending(column: ColumnProfile) -> list[str]:
    """Return the reason if a name ends like that of an identifier."""
    last_words = words_of(column.name)[-1:]
    if last_words and last_words[0] in IDS and column.name.lower() != last_words[0]:
        suffix = re.search(r"[^A-Za-z0-9]?[A-Za-z]+$", column.name)
        return [f"ends in {suffix[0] if suffix and len(suffix[0]) < 6 else last_words[0]}"]
    if column.name.lower().endswith("num"):
        return ["ends in num"]
    return [f"is called {column.name}"] if last_words and last_words[0] in IDS else []


def _nulls(column: ColumnProfile, rows: int) -> list[str]:
    return [f"{column.nulls:,} null" + "s" * (column.nulls != 1)] if column.nulls and rows else []


def _about(column: ColumnProfile) -> str:
    """Return the number of distinct values as text; "about" if it is an estimate."""
    distinct = column.distinct or 0
    return f"{distinct:,}" if distinct < 100 else f"about {distinct:,}"


def _reading(column: ColumnProfile, reading: TimeReading) -> str:
    source = "text" if column.kind == TEXT else "numbers"
    words = f"{source} read as {reading.format}, from {reading.low} to {reading.high}"
    if reading.failed:
        words += f"; {failures(reading)}"
    others = [one for one in column.readings[1:] if one.failed == reading.failed]
    if others:
        words += f"; {others[0].format} fits as many"
    return words


def failures(reading: TimeReading) -> str:
    """Return how many values are no times, with examples."""
    total = reading.read + reading.failed
    examples = " and ".join(map(repr, reading.examples))
    return f"{reading.failed:,} of {total:,} cannot be read this way, such as {examples}"


def number_text(value: object) -> str:
    """Return a number as readable text, and another value as it is written in SQL.

    Examples
    --------
    >>> number_text(1234567), number_text(0.5), number_text(1234.5678), number_text(True)
    ('1,234,567', '0.5', '1,234.57', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1000 else f"{value:,.2f}"
    return str(value)


def span_text(seconds: float) -> str:
    """Return a duration as text, in its largest unit.

    Examples
    --------
    >>> span_text(31_449_600), span_text(5_400), span_text(0.2)
    ('364 days', '1.5 hours', '0.2 seconds')
    """
    for size, name in LENGTHS:
        if seconds >= size:
            number = f"{seconds / size:.2g}" if seconds / size < 10 else f"{seconds / size:,.0f}"
            return f"{number} {name}{'s' * (number != '1')}"
    return f"{seconds:.2g} seconds"
