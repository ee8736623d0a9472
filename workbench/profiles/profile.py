"""``wb.profile``: a table's rows, keys, times, names and nulls, found in one pass."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from workbench.described import Described, name_shown, rows_table
from workbench.errors import WorkbenchError
from workbench.markup import Markup, element, in_lines
from workbench.profiles.columns import (
    OTHER,
    TEXT,
    TIME,
    ColumnProfile,
    ColumnQuestion,
    TimeReading,
    kind_of_column,
)
from workbench.profiles.proposals import (
    EVENTS,
    ROLES,
    Proposal,
    is_known,
    length,
    proposed,
    shown,
)
from workbench.spark.jobs import collected, in_arrow
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: So many rows are looked at to see what to ask of all.
FIRST_ROWS = 1_000
#: Of so many columns all is asked, of further ones the nulls: each value counts in some seconds.
MOST_COLUMNS = 60
#: The names of so many columns of texts are counted, and the codes of as many of integers.
MOST_NAMED = 4
APPROXIMATE = "how many different values there are is an estimate, within some 5%"


@dataclass(frozen=True, repr=False)
class Profile(Described):
    """What a table holds, and what its columns may be.

    Attributes
    ----------
    df : pyspark.sql.DataFrame
    rows : int
    columns : dict of str to ColumnProfile
    first : pyarrow.Table
        The first rows; what is neither number, text, time nor flag as text.
    proposals : dict of str to tuple of Proposal
        For "key", "time", "event" and "value", the best first.
    """

    df: "DataFrame"
    rows: int
    columns: dict[str, ColumnProfile]
    first: pa.Table
    proposals: Mapping[str, tuple[Proposal, ...]]

    def best(self, role: str) -> Proposal | None:
        """Return what is proposed for a role, None where no column can be it.

        Parameters
        ----------
        role : str
            "key", "time", "event" or "value".
        """
        return self.proposals[role][0] if self.proposals[role] else None

    def reading(self, name: str, format: str | None = None) -> TimeReading | None:
        """Return how a column of text or numbers reads as times, by a format or at best."""
        readings = self.columns[name].readings
        return next((one for one in readings if format in (None, one.format)), None)

    def span(self, name: str) -> tuple[str | None, str | None, float]:
        """Return the first and the last time of a column, and the seconds between them."""
        held = self.columns[name]
        reading = None if held.kind == TIME else self.reading(name)
        if reading is not None:
            return reading.low, reading.high, reading.span
        return (held.low, held.high, held.span) if held.kind == TIME else (None, None, 0.0)

    @property
    def summary(self) -> str:
        """How many rows there are, of how many keys, over what time."""
        words = [f"{self.rows:,} row{'s' * (self.rows != 1)}", f"{len(self.columns):,} columns"]
        if (key := self.best("key")) is not None:
            many = self.columns[key.column].distinct or 0
            words.append(f"{'about ' * (many >= 100)}{many:,} different {key.column}")
        if (time := self.best("time")) is not None:
            low, high, span = self.span(time.column)
            words.append(f"{low} to {high} ({length(span)})")
        return " · ".join(words)

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each column: its type, nulls, different values, the least and the greatest."""
        import pandas as pd

        roles = {one.column: role for role in ROLES if (one := self.best(role)) is not None}
        found = pd.DataFrame(
            [
                {
                    "column": one.name,
                    "type": one.type,
                    "proposed as": roles.get(one.name, ""),
                    "nulls": one.nulls,
                    "different": one.distinct,
                    "from": ends[0],
                    "to": ends[1],
                    "names": ", ".join(
                        f"{name_shown(name)} {n:,}" for name, n in [*one.names.items()][:5]
                    ),
                }
                for one in self.columns.values()
                for ends in [self._ends(one, roles.get(one.name) == "time")]
            ]
        )
        return found.astype({"different": "Int64"})

    def _ends(self, one: ColumnProfile, as_time: bool) -> list[str]:
        low, high = self.span(one.name)[:2] if as_time else (one.low, one.high)
        return ["" if end is None else shown(end) for end in (low, high)]

    def __repr__(self) -> str:
        table = self.table.drop(columns="names").to_string(index=False, na_rep="")
        return "\n".join([self.summary, *self._proposed(), "", table, self.notes])

    @property
    def notes(self) -> str:
        """What is approximate, and what is left out."""
        left = sum(one.kind != OTHER and one.distinct is None for one in self.columns.values())
        less = f"; of {left:,} columns only the nulls are counted" if left else ""
        return f"{APPROXIMATE[0].upper()}{APPROXIMATE[1:]}{less}."

    def _described(self) -> Markup:
        table = self.table.astype(object).where(self.table.notna(), "")
        told = in_lines([element("b", self.summary), *self._proposed()])
        rows = rows_table("Columns", list(table.columns), table.itertuples(index=False, name=None))
        return element("p", told) + rows + element("p", self.notes)

    def _proposed(self) -> list[str]:
        found = ((role, self.best(role)) for role in ROLES)
        return [
            f"{role}: {'no column can be it' if one is None else f'{one.column}, {one.reason}'}"
            for role, one in found
        ]


def profile(what: Any, argument: str = "what") -> Profile:
    """Return what a table holds: rows, nulls, different values, times, names, and their roles.

    Parameters
    ----------
    what : Spark, pandas, Polars or Arrow table, str or path
        As :func:`workbench.table` takes it.
    argument : str
        What the caller calls it, for the error's sake.

    Returns
    -------
    Profile
        Data, which shows itself as a table.

    Raises
    ------
    WorkbenchError
        When it is no table, or one without columns.

    Notes
    -----
    One job over all rows, and a look at the first before it, which says what to ask: names to
    count, and formats of times to try. Of other names there is only the number. How many different
    values there are is approximate (HyperLogLog, within some 5%); all else is exact.

    Examples
    --------
    >>> import workbench as wb
    >>> found = wb.profile(wb.datasets.power_plants(wb.session()))
    >>> found.summary
    '24 rows · 3 columns · 2 different plant · 2019-01-02 to 2019-01-13 (11 days)'
    >>> found.best("value")
    Proposal(column='mwh', reason='numbers from 92,182 to 613,040; is called mwh', format=None)
    """
    df = table(what, argument)
    bound = BoundTable.of(df)
    if not bound.names:
        raise WorkbenchError(f"{argument}: the table has no columns; give one that has some.")
    values = [column(bound, name, argument) for name in bound.names]
    first = _first(bound, values)
    asked = _asked(bound, values, first)
    found = _counted(df, asked)
    rows = found["rows"]
    columns = {one.name: one.answered(found, rows) for one in asked}
    return Profile(df, rows, columns, first, proposed([*columns.values()], rows))


def _first(bound: BoundTable, values: "list[Column]") -> pa.Table:
    """The first rows, with values as text where Python or Arrow may have none that is equal."""
    shown = [
        _as_text(value, field.dataType).alias(field.name)
        for field, value in zip(bound.schema.fields, values, strict=True)
    ]
    return in_arrow(bound.df.limit(FIRST_ROWS).select(*shown))


def _as_text(value: "Column", kind: "DataType") -> "Column":
    from pyspark.sql import functions as F

    if kind_of_column(kind) != OTHER:
        return value
    if kind.typeName() in ("geometry", "geography"):
        return F.hex(F.st_asbinary(value))
    return F.hex(value) if kind.typeName() == "binary" else value.cast("string")


def _asked(bound: BoundTable, values: "list[Column]", first: pa.Table) -> list[ColumnQuestion]:
    """What to ask of each column: most of those that are likely to be what a role needs."""
    asked = []
    for place, (field, value) in enumerate(zip(bound.schema.fields, values, strict=True)):
        rows = first.column(place).to_pylist()
        asked.append(ColumnQuestion.of(place, field.name, field.dataType, value, rows))
    likely = sorted(asked, key=lambda one: (not one.formats, not is_known(one.name)))
    whole = {one.place for one in likely[:MOST_COLUMNS]}
    names = [one for one in asked if one.names and one.place in whole]
    names.sort(key=lambda one: not is_known(one.name, EVENTS))
    texts = [one.place for one in names if kind_of_column(one.held) == TEXT]
    codes = [one.place for one in names if one.place not in texts]
    named = {*texts[:MOST_NAMED], *codes[:MOST_NAMED]}
    return [
        replace(one, whole=one.place in whole, names=one.names if one.place in named else ())
        for one in asked
    ]


def _counted(df: "DataFrame", asked: list[ColumnQuestion]) -> dict[str, Any]:
    """One pass: all aggregates of all columns at once."""
    from pyspark.sql import functions as F

    wanted = [value for one in asked for value in one.aggregates()]
    found: dict[str, Any] = collected(df.agg(F.count("*").alias("rows"), *wanted))[0].asDict()
    return found
