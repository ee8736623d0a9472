"""Which column may be the key, the time, the event or the value, and why."""

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
#: Parts of a date: numbers, but neither who something happened to nor how much of it.
PARTS = ("year", "month", "day", "hour", "minute", "second", "week", "weekday", "quarter")
#: Numbers that count or measure, whatever else their names say.
COUNTS = ("count", "counts", "sum", "min", "max", "avg", "mean", "size", "length", "qty")
#: Of so many values at the most are names of events, and that share of rows has to be times.
MOST_EVENTS, MOSTLY = 200, 0.5
#: Two integers alone are a flag: from so many on they may be codes of events, each of some rows.
FEWEST_CODES, ROWS_OF_CODE = 3, 2
#: How a number is named by its size.
LENGTHS = ((31_557_600, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True)
class Proposal:
    """A column that may be the key, the time, the event or the value.

    Attributes
    ----------
    column, reason : str
        The reason in words.
    format : str or None
        How text or numbers are read as times.
    """

    column: str
    reason: str
    format: str | None = None


class Rated(NamedTuple):
    """A column with how well it does, and what speaks for it."""

    points: float
    words: list[str]


def proposed(columns: Sequence[ColumnProfile], rows: int) -> dict[str, tuple[Proposal, ...]]:
    """Return columns for each role, the best first; what one role takes first no other does.

    Parameters
    ----------
    columns : sequence of ColumnProfile
    rows : int

    Returns
    -------
    dict of str to tuple of Proposal
        For "key", "time", "event" and "value"; empty where no column can be it.
    """
    found: dict[str, tuple[Proposal, ...]] = {}
    taken: set[str] = set()
    for role in ("time", "key", "event", "value"):
        rated = [
            (one, column)
            for column in columns
            if column.name not in taken and (one := RATINGS[role](column, rows)) is not None
        ]
        rated.sort(key=lambda pair: -pair[0].points)
        found[role] = tuple(
            Proposal(column.name, "; ".join(one.words), _format(column) if role == "time" else None)
            for one, column in rated
        )
        taken |= {one.column for one in found[role][:1]}
    return found


def _of_time(column: ColumnProfile, rows: int) -> Rated | None:
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
    return Rated(points + len(named) - 3 * column.nulls / rows, words)


def _of_key(column: ColumnProfile, rows: int) -> Rated | None:
    there = rows - column.nulls
    if column.kind not in (TEXT, INTEGER) or not there or not column.distinct:
        return None
    each = there / column.distinct
    named = _ending(column) or _named(column, KEYS)
    points = 3.0 * bool(named) + min(2.0, log10(column.distinct) / 2) + 0.5 * (column.kind == TEXT)
    points += 2 if each >= 1.5 else -3
    points -= 2 * (column.distinct < 2) + 3 * column.nulls / rows
    points -= 2 * bool(_named(column, EVENTS)) + 3 * bool(_named(column, PARTS))
    points -= 4 * bool(column.readings and _named(column, TIME_WORDS))
    rows_each = f"{each:,.0f} row{'s' * (round(each) != 1)} each"
    words = [
        f"{_about(column)} different {noun(column.distinct, 'values')}, {rows_each}",
        *named,
        *_nulls(column, rows),
    ]
    return Rated(points, words)


def _of_event(column: ColumnProfile, rows: int) -> Rated | None:
    if not column.names or column.distinct is None or column.readings:
        return None
    if not 2 <= column.distinct <= MOST_EVENTS:
        return None
    named = _named(column, EVENTS)
    codes = column.kind == INTEGER
    if codes and not (named and _may_be_codes(column, rows)):
        return None
    points = (4 - EVENTS.index(_word(column, EVENTS)) / 6 if named else 0) - 3 * column.nulls / rows
    often, many = next(iter(column.names.items()))
    share, what = many / (rows - column.nulls), "codes" if codes else "texts"
    most = often if codes else repr(often)
    words = [f"{_about(column)} different {what}, most often {most} ({share:.0%})", *named]
    return Rated(points + (column.distinct >= 3) - codes, words + _nulls(column, rows))


def _may_be_codes(column: ColumnProfile, rows: int) -> bool:
    """Few integers may be amounts, identifiers or parts of a date as well: the name has to say."""
    many = column.distinct or 0
    fits = FEWEST_CODES <= many <= min(MOST_CODES, (rows - column.nulls) / ROWS_OF_CODE)
    others = (*KEYS, *VALUES, *COUNTS, *PARTS, *TIME_WORDS)
    return fits and not is_known(column.name, others)


def _of_value(column: ColumnProfile, rows: int) -> Rated | None:
    if column.kind not in (INTEGER, REAL) or column.nulls == rows:
        return None
    named = _named(column, VALUES)
    points = 2.0 * bool(named) + (column.kind == REAL) - 2 * column.nulls / rows
    points -= 3 * bool(_named(column, PARTS)) + 3 * bool(_ending(column))
    points -= 3 * bool(column.readings) + 2 * ((column.distinct or 0) < 3)
    words = [f"numbers from {shown(column.low)} to {shown(column.high)}", *named]
    return Rated(points, words + _nulls(column, rows))


RATINGS: dict[str, Callable[[ColumnProfile, int], Rated | None]] = {
    "time": _of_time, "key": _of_key, "event": _of_event, "value": _of_value,
}  # fmt: skip


def _format(column: ColumnProfile) -> str | None:
    return column.readings[0].format if column.readings and column.kind != TIME else None


def _word(column: ColumnProfile, known: Sequence[str]) -> str:
    there = words_of(column.name)
    return next((word for word in known if word in there), "")


def is_known(
    name: str, known: Sequence[str] = (*TIME_WORDS, *IDS, *KEYS, *EVENTS, *VALUES)
) -> bool:
    """Say whether a name has a word in it that says what a column is for.

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
    """What the name of an identifier ends in."""
    last = words_of(column.name)[-1:]
    if last and last[0] in IDS and column.name.lower() != last[0]:
        behind = re.search(r"[^A-Za-z0-9]?[A-Za-z]+$", column.name)
        return [f"ends in {behind[0] if behind and len(behind[0]) < 6 else last[0]}"]
    if column.name.lower().endswith("num"):
        return ["ends in num"]
    return [f"is called {column.name}"] if last and last[0] in IDS else []


def _nulls(column: ColumnProfile, rows: int) -> list[str]:
    return [f"{column.nulls:,} null" + "s" * (column.nulls != 1)] if column.nulls and rows else []


def _about(column: ColumnProfile) -> str:
    """How many different values there are; an estimate where there are many."""
    many = column.distinct or 0
    return f"{many:,}" if many < 100 else f"about {many:,}"


def _reading(column: ColumnProfile, reading: TimeReading) -> str:
    held = "text" if column.kind == TEXT else "numbers"
    words = f"{held} read as {reading.format}, from {reading.low} to {reading.high}"
    if reading.failed:
        words += f"; {failures(reading)}"
    others = [one for one in column.readings[1:] if one.failed == reading.failed]
    if others:
        words += f"; {others[0].format} fits as many"
    return words


def failures(reading: TimeReading) -> str:
    """Return how many values are no times, with some of them."""
    many = reading.read + reading.failed
    such = " and ".join(map(repr, reading.examples))
    return f"{reading.failed:,} of {many:,} cannot be read so, such as {such}"


def shown(value: object) -> str:
    """Return a number as a person reads it.

    Examples
    --------
    >>> shown(1234567), shown(0.5), shown(1234.5678)
    ('1,234,567', '0.5', '1,234.57')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < 1000 else f"{value:,.2f}"
    return str(value)


def length(seconds: float) -> str:
    """Return how long something takes, in its largest unit.

    Examples
    --------
    >>> length(31_449_600), length(5_400), length(0.2)
    ('364 days', '1.5 hours', '0.2 seconds')
    """
    for size, name in LENGTHS:
        if seconds >= size:
            many = f"{seconds / size:.2g}" if seconds / size < 10 else f"{seconds / size:,.0f}"
            return f"{many} {name}{'s' * (many != '1')}"
    return f"{seconds:.2g} seconds"
