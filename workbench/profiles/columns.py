"""The figures of each column of a table, computed in one pass."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.functions.catalogue import COLLATED
from workbench.spark.sources.times import EARLIEST, EPOCHS, LATEST, as_time, epoch_of, formats_of
from workbench.spark.types import INTEGERS, TIMES

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType

TEXT, INTEGER, REAL, TIME, FLAG, OTHER = "text", "integer", "number", "time", "flag", "other"
#: Texts are names if the first rows have at most so many distinct ones; and how many are counted.
MOST_NAMES, NAMES_COUNTED = 50, 15
#: Integers are codes if the first rows have at most this many distinct ones; all are counted.
MOST_CODES = 15
#: How many characters of a text are shown.
MOST_LETTERS = 60


def kind_of_column(kind: "DataType") -> str:
    """Return the kind of a column's values, one of six words.

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
        How many values can be read as times, and how many cannot; nulls are neither.
    examples : tuple of str
        The least and the greatest of those that cannot.
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
    """The figures of a column.

    Attributes
    ----------
    name, type : str
        The type is Spark's simple string.
    kind : str
        "text", "integer", "number", "time", "flag" or "other".
    nulls : int
    distinct : int or None
        The approximate number of distinct values (within some 5%); None if not counted.
    low, high : value or None
        The least and the greatest, if computed; times and texts as text.
    span : float
        For times, the seconds between them.
    names : dict of str to int
        For a column of few texts or integers, those of the first rows with their counts in all
        rows.
    readings : tuple of TimeReading
        The formats by which it can be read as times, the best first.
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
    """What to compute of a column: by its kind, and by what the first rows suggest.

    Attributes
    ----------
    index : int
        The index of the column in the table.
    name : str
    data_type : DataType
    value : pyspark.sql.Column
    names, formats : tuple of str
        Texts and codes to count, and time formats to try.
    detailed : bool
        Whether more is computed than the number of nulls.
    """

    index: int
    name: str
    data_type: "DataType"
    value: "Column"
    names: tuple[str, ...]
    formats: tuple[str, ...]
    detailed: bool = True

    @classmethod
    def of(
        cls, index: int, name: str, data_type: "DataType", value: "Column", first: list[Any]
    ) -> "ColumnQuestion":
        """Return the question that the first values of a column suggest."""
        kind, values = kind_of_column(data_type), [one for one in first if one is not None]
        names: tuple[str, ...] = ()
        limit = {TEXT: MOST_NAMES, INTEGER: MOST_CODES}.get(kind, 0)
        if limit and COLLATED not in data_type.simpleString():
            frequencies = Counter(map(str, values))
            if len(frequencies) <= limit:
                names = tuple(name for name, _ in frequencies.most_common(NAMES_COUNTED))
        return cls(index, name, data_type, value, names, _formats(kind, values))

    def aggregates(self) -> "Iterator[Column]":
        """Yield the aggregates of the column, each with a unique alias."""
        from pyspark.sql import functions as F

        kind, value, alias = kind_of_column(self.data_type), self.value, self._alias
        yield F.count(value).alias(alias("count"))
        if kind == OTHER or not self.detailed:
            return
        yield F.approx_count_distinct(value).alias(alias("distinct"))
        text = F.substring(value, 1, MOST_LETTERS) if kind == TEXT else value
        for end, extreme in (("low", F.min(text)), ("high", F.max(text))):
            yield (extreme.cast("string") if kind == TIME else extreme).alias(alias(end))
        if kind == TIME:
            yield _span(value.cast("timestamp")).alias(alias("span"))
        for i, name in enumerate(self.names):
            literal = F.lit(int(name) if kind == INTEGER else name)
            yield F.count_if(value == literal).alias(alias(f"name{i}"))
        for i, format in enumerate(self.formats):
            yield from self._reading(format, f"{i}")

    def _reading(self, format: str, number: str) -> "Iterator[Column]":
        from pyspark.sql import functions as F

        at, alias = as_time(self.value, format), self._alias
        if format in EPOCHS:
            ends = F.lit(EARLIEST.isoformat()), F.lit(LATEST.isoformat())
            low, high = (end.cast("timestamp") for end in ends)
            at = F.when(at.between(low, high), at)
        unread = F.when(at.isNull(), self.value.cast("string"))
        yield F.count(at).alias(alias(f"read{number}"))
        yield F.min(at).cast("string").alias(alias(f"from{number}"))
        yield F.max(at).cast("string").alias(alias(f"to{number}"))
        yield _span(at).alias(alias(f"long{number}"))
        for end, extreme in (("least", F.min(unread)), ("most", F.max(unread))):
            yield F.substring(extreme, 1, MOST_LETTERS).alias(alias(end + number))

    def to_profile(self, results: Mapping[str, Any], rows: int) -> ColumnProfile:
        """Return the column's figures from the results of the pass."""

        def result(what: str, default: Any = None) -> Any:
            value = results.get(self._alias(what))
            return default if value is None else value

        count = result("count", 0)
        names = self.names if self.detailed else ()
        name_counts = {name: result(f"name{i}", 0) for i, name in enumerate(names)}
        readings = []
        for i, format in enumerate(self.formats if self.detailed else ()):
            read, examples = result(f"read{i}", 0), (result(f"least{i}"), result(f"most{i}"))
            failed_examples = tuple(dict.fromkeys(text for text in examples if text is not None))
            ends = result(f"from{i}"), result(f"to{i}"), result(f"long{i}", 0.0)
            readings.append(TimeReading(format, read, count - read, failed_examples, *ends))
        distinct = results.get(self._alias("distinct"))
        return ColumnProfile(
            self.name,
            self.data_type.simpleString(),
            kind_of_column(self.data_type),
            rows - count,
            # The estimate may exceed the number of values.
            None if distinct is None else min(distinct, count),
            result("low"),
            result("high"),
            result("span", 0.0),
            dict(sorted(name_counts.items(), key=lambda one: -one[1])),
            tuple(sorted(readings, key=lambda one: one.failed)),
        )

    def _alias(self, what: str) -> str:
        return f"c{self.index}_{what}"


def _formats(kind: str, first: list[Any]) -> tuple[str, ...]:
    """Return the time formats that the first values of a column match."""
    if not first or kind not in (TEXT, INTEGER, REAL):
        return ()
    if kind == TEXT:
        return formats_of(first)
    finite = [float(one) for one in first if float("-inf") < float(one) < float("inf")]
    # Zeros and other placeholders are no times; the majority tells what the numbers count.
    middle = sorted(finite)[len(finite) // 10 : len(finite) - len(finite) // 10]
    if not middle:
        return ()
    if epoch := epoch_of(middle[0], middle[-1]):
        return (epoch,)
    return formats_of(map(str, first)) if kind == INTEGER else ()


def _span(at: "Column") -> "Column":
    from pyspark.sql import functions as F

    # In doubles, because the integers of distant years overflow.
    ends = (F.unix_micros(end).cast("double") for end in (F.max(at), F.min(at)))
    return (next(ends) - next(ends)) / 1e6
