"""What one pass counts of each column of a table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.functions.catalogue import COLLATED
from workbench.spark.sources.times import EARLIEST, EPOCHS, LATEST, as_time, epoch_of, formats_of
from workbench.spark.table import INTEGERS, TIMES

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

TEXT, INTEGER, REAL, TIME, FLAG, OTHER = "text", "integer", "number", "time", "flag", "other"
#: A column of so many different texts in the first rows is looked at as names; so many are counted.
MOST_NAMES, NAMES_COUNTED = 50, 15
#: A column of so many different integers in the first rows is looked at as codes; all are counted.
MOST_CODES = 15
#: So many letters of a text are shown.
MOST_LETTERS = 60


def kind_of_column(kind: "DataType") -> str:
    """Return what a column holds, in one of six words.

    Examples
    --------
    >>> from pyspark.sql.types import DateType, LongType
    >>> kind_of_column(LongType()), kind_of_column(DateType())
    ('integer', 'time')
    """
    name = kind.typeName()
    if name in INTEGERS:
        return INTEGER
    if name in TIMES:
        return TIME
    others = {"float": REAL, "double": REAL, "decimal": REAL, "boolean": FLAG}
    if name in ("string", "varchar", "char"):
        return TEXT
    return others.get(name, OTHER)


@dataclass(frozen=True)
class TimeReading:
    """A column of text or numbers, read as times.

    Attributes
    ----------
    format : str
        As :func:`workbench.table` takes it in ``times``.
    read, failed : int
        How many values are times so, and how many are not; nulls are neither.
    examples : tuple of str
        The least and the greatest of those that are not.
    low, high : str or None
        The first and the last time, in the session's zone.
    span : float
        The seconds between them.
    """

    format: str
    read: int
    failed: int
    examples: tuple[str, ...]
    low: str | None
    high: str | None
    span: float


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column.

    Attributes
    ----------
    name, type : str
        The type as Spark writes it.
    kind : str
        "text", "integer", "number", "time", "flag" or "other".
    nulls : int
    distinct : int or None
        About how many different values there are (within some 5%); None where they are not counted.
    low, high : value or None
        The least and the greatest, where they are looked for; times and texts as text.
    span : float
        Of times, the seconds between them.
    names : dict of str to int
        Of few texts or integers those of the first rows, with how often they are in all rows.
    readings : tuple of TimeReading
        How it can be read as times, the best first.
    """

    name: str
    type: str
    kind: str
    nulls: int
    distinct: int | None
    low: Any
    high: Any
    span: float
    names: dict[str, int]
    readings: tuple[TimeReading, ...]


@dataclass(frozen=True)
class ColumnQuestion:
    """What is asked of a column in the pass: its kind, and what the first rows suggest.

    Attributes
    ----------
    place : int
        Which column it is.
    name : str
    held : DataType
    value : pyspark.sql.Column
    names, formats : tuple of str
        Texts and codes to count, and formats to try.
    whole : bool
        Whether more is asked than how many nulls there are.
    """

    place: int
    name: str
    held: "DataType"
    value: "Column"
    names: tuple[str, ...]
    formats: tuple[str, ...]
    whole: bool = True

    @classmethod
    def of(
        cls, place: int, name: str, held: "DataType", value: "Column", first: list[Any]
    ) -> "ColumnQuestion":
        """Ask what the first values of a column suggest."""
        kind, there = kind_of_column(held), [one for one in first if one is not None]
        names: tuple[str, ...] = ()
        most = {TEXT: MOST_NAMES, INTEGER: MOST_CODES}.get(kind, 0)
        if most and COLLATED not in held.simpleString():
            often = Counter(map(str, there))
            if len(often) <= most:
                names = tuple(name for name, _ in often.most_common(NAMES_COUNTED))
        return cls(place, name, held, value, names, _formats(kind, there))

    def aggregates(self) -> "Iterator[Column]":
        """Return what Spark computes of the column, each under a name of its own."""
        from pyspark.sql import functions as F

        kind, value, to = kind_of_column(self.held), self.value, self._called
        yield F.count(value).alias(to("count"))
        if kind == OTHER or not self.whole:
            return
        yield F.approx_count_distinct(value).alias(to("distinct"))
        shown = F.substring(value, 1, MOST_LETTERS) if kind == TEXT else value
        for end, least in (("low", F.min(shown)), ("high", F.max(shown))):
            yield (least.cast("string") if kind == TIME else least).alias(to(end))
        if kind == TIME:
            yield _span(value.cast("timestamp")).alias(to("span"))
        for i, name in enumerate(self.names):
            one = F.lit(int(name) if kind == INTEGER else name)
            yield F.count_if(value == one).alias(to(f"name{i}"))
        for i, format in enumerate(self.formats):
            yield from self._reading(format, f"{i}")

    def _reading(self, format: str, number: str) -> "Iterator[Column]":
        from pyspark.sql import functions as F

        at, to = as_time(self.value, format), self._called
        if format in EPOCHS:
            ends = F.lit(EARLIEST.isoformat()), F.lit(LATEST.isoformat())
            low, high = (end.cast("timestamp") for end in ends)
            at = F.when(at.between(low, high), at)
        other = F.when(at.isNull(), self.value.cast("string"))
        yield F.count(at).alias(to(f"read{number}"))
        yield F.min(at).cast("string").alias(to(f"from{number}"))
        yield F.max(at).cast("string").alias(to(f"to{number}"))
        yield _span(at).alias(to(f"long{number}"))
        for end, least in (("least", F.min(other)), ("most", F.max(other))):
            yield F.substring(least, 1, MOST_LETTERS).alias(to(end + number))

    def answered(self, found: Mapping[str, Any], rows: int) -> ColumnProfile:
        """Return what the pass found of the column."""

        def got(what: str, default: Any = None) -> Any:
            value = found.get(self._called(what))
            return default if value is None else value

        count = got("count", 0)
        names = self.names if self.whole else ()
        counted = {name: got(f"name{i}", 0) for i, name in enumerate(names)}
        readings = []
        for i, format in enumerate(self.formats if self.whole else ()):
            read, examples = got(f"read{i}", 0), (got(f"least{i}"), got(f"most{i}"))
            others = tuple(dict.fromkeys(text for text in examples if text is not None))
            ends = got(f"from{i}"), got(f"to{i}"), got(f"long{i}", 0.0)
            readings.append(TimeReading(format, read, count - read, others, *ends))
        distinct = found.get(self._called("distinct"))
        return ColumnProfile(
            self.name,
            self.held.simpleString(),
            kind_of_column(self.held),
            rows - count,
            # The estimate may pass what there is.
            None if distinct is None else min(distinct, count),
            got("low"),
            got("high"),
            got("span", 0.0),
            dict(sorted(counted.items(), key=lambda one: -one[1])),
            tuple(sorted(readings, key=lambda one: one.failed)),
        )

    def _called(self, what: str) -> str:
        return f"c{self.place}_{what}"


def _formats(kind: str, first: list[Any]) -> tuple[str, ...]:
    """How the first values of a column look like times."""
    if not first or kind not in (TEXT, INTEGER, REAL):
        return ()
    if kind == TEXT:
        return formats_of(first)
    finite = [float(one) for one in first if float("-inf") < float(one) < float("inf")]
    # Some zeros and other stand-ins are no times; the most of them say what the numbers count.
    middle = sorted(finite)[len(finite) // 10 : len(finite) - len(finite) // 10]
    if not middle:
        return ()
    if epoch := epoch_of(middle[0], middle[-1]):
        return (epoch,)
    return formats_of(map(str, first)) if kind == INTEGER else ()


def _span(at: "Column") -> "Column":
    from pyspark.sql import functions as F

    # In doubles, as the whole numbers of far years overflow.
    ends = (F.unix_micros(end).cast("double") for end in (F.max(at), F.min(at)))
    return (next(ends) - next(ends)) / 1e6
