"""``wb.profile``: a table's rows, keys, times, names and nulls, computed in one pass."""

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
    number_text,
    propose,
    span_text,
)
from workbench.spark.jobs import collected, in_arrow
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

#: How many rows are read first, to decide what to compute of all.
FIRST_ROWS = 1_000
#: How many columns get all figures; of further ones only nulls are counted, to save seconds.
MOST_COLUMNS = 60
#: For how many text columns names are counted, and for how many integer columns codes.
MOST_NAMED = 4
APPROXIMATE = "the number of different values is an estimate, within about 5%"


@dataclass(frozen=True, repr=False)
class Profile(Described):
    """The figures of a table's columns, and what the columns may be.

    Attributes
    ----------
    df : pyspark.sql.DataFrame
    rows : int
    columns : dict of str to ColumnProfile
    first : pyarrow.Table
        The first rows; values other than numbers, texts, times and flags are text.
    proposals : dict of str to tuple of Proposal
        For "key", "time", "event" and "value", the best first.
    """

    df: "DataFrame"
    rows: int
    columns: dict[str, ColumnProfile]
    first: pa.Table
    proposals: Mapping[str, tuple[Proposal, ...]]

    def best(self, role: str) -> Proposal | None:
        """Return the best proposal for a role, None if no column can have it.

        Parameters
        ----------
        role : str
            "key", "time", "event" or "value".
        """
        return self.proposals[role][0] if self.proposals[role] else None

    def reading(self, name: str, format: str | None = None) -> TimeReading | None:
        """Return how a column of text or numbers reads as times, by a format or the best one."""
        readings = self.columns[name].readings
        return next((one for one in readings if format in (None, one.format)), None)

    def span(self, name: str) -> tuple[str | None, str | None, float]:
        """Return the first and the last time of a column, and the seconds between them."""
        column_profile = self.columns[name]
        if column_profile.kind == TIME:
            return column_profile.low, column_profile.high, column_profile.span
        reading = self.reading(name)
        return (None, None, 0.0) if reading is None else (reading.low, reading.high, reading.span)

    @property
    def summary(self) -> str:
        """The numbers of rows and keys, and the range of times, as text."""
        parts = [f"{self.rows:,} row{'s' * (self.rows != 1)}", f"{len(self.columns):,} columns"]
        if (key := self.best("key")) is not None:
            keys = self.columns[key.column].distinct or 0
            parts.append(f"{'about ' * (keys >= 100)}{keys:,} different {key.column}")
        if (time := self.best("time")) is not None:
            low, high, span = self.span(time.column)
            parts.append(f"{low} to {high} ({span_text(span)})")
        return " · ".join(parts)

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each column: its type, nulls, distinct values, the least and the greatest."""
        import pandas as pd

        roles = {one.column: role for role in ROLES if (one := self.best(role)) is not None}
        table = pd.DataFrame(
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
        return table.astype({"different": "Int64"})

    def _ends(self, one: ColumnProfile, as_time: bool) -> list[str]:
        low, high = self.span(one.name)[:2] if as_time else (one.low, one.high)
        return ["" if end is None else number_text(end) for end in (low, high)]

    def __repr__(self) -> str:
        table = self.table.drop(columns="names").to_string(index=False, na_rep="")
        return "\n".join([self.summary, *self._proposal_lines(), "", table, self.notes])

    @property
    def notes(self) -> str:
        """A sentence on what is approximate, and what is left out."""
        uncounted = sum(one.kind != OTHER and one.distinct is None for one in self.columns.values())
        omitted = f"; for {uncounted:,} columns, only nulls are counted" if uncounted else ""
        return f"{APPROXIMATE[0].upper()}{APPROXIMATE[1:]}{omitted}."

    def _described(self) -> Markup:
        table = self.table.astype(object).where(self.table.notna(), "")
        heading = in_lines([element("b", self.summary), *self._proposal_lines()])
        rows = rows_table("Columns", list(table.columns), table.itertuples(index=False, name=None))
        return element("p", heading) + rows + element("p", self.notes)

    def _proposal_lines(self) -> list[str]:
        best = ((role, self.best(role)) for role in ROLES)
        return [
            f"{role}: {'no column fits' if one is None else f'{one.column}, {one.reason}'}"
            for role, one in best
        ]


def profile(what: Any, argument: str = "what") -> Profile:
    """Return a table's profile: rows, nulls, distinct values, times, names, and columns' roles.

    Parameters
    ----------
    what : Spark, pandas, Polars or Arrow table, str or path
        As :func:`workbench.table` takes it.
    argument : str
        The caller's name for it, for error messages.

    Returns
    -------
    Profile
        Data that a notebook shows as a table.

    Raises
    ------
    WorkbenchError
        When it is no table, or has no columns.

    Notes
    -----
    One job over all rows, after a look at the first rows that decides which names to count and
    which time formats to try. Other names are not listed. The number of distinct values is
    approximate (HyperLogLog, within some 5%); everything else is exact.

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
    first = _first_rows(bound, values)
    questions = _questions(bound, values, first)
    results = _aggregate(df, questions)
    rows = results["rows"]
    columns = {one.name: one.to_profile(results, rows) for one in questions}
    return Profile(df, rows, columns, first, propose([*columns.values()], rows))


def _first_rows(bound: BoundTable, values: "list[Column]") -> pa.Table:
    """Return the first rows, with values as text where Python or Arrow may lack an equal type."""
    columns = [
        _as_text(value, field.dataType).alias(field.name)
        for field, value in zip(bound.schema.fields, values, strict=True)
    ]
    return in_arrow(bound.df.limit(FIRST_ROWS).select(*columns))


def _as_text(value: "Column", kind: "DataType") -> "Column":
    from pyspark.sql import functions as F

    if kind_of_column(kind) != OTHER:
        return value
    if kind.typeName() in ("geometry", "geography"):
        return F.hex(F.st_asbinary(value))
    return F.hex(value) if kind.typeName() == "binary" else value.cast("string")


def _questions(bound: BoundTable, values: "list[Column]", first: pa.Table) -> list[ColumnQuestion]:
    """Return what to compute of each column: most for those that probably have a role."""
    questions = []
    for index, (field, value) in enumerate(zip(bound.schema.fields, values, strict=True)):
        rows = first.column(index).to_pylist()
        questions.append(ColumnQuestion.of(index, field.name, field.dataType, value, rows))
    likely = sorted(questions, key=lambda one: (not one.formats, not is_known(one.name)))
    detailed = {one.index for one in likely[:MOST_COLUMNS]}
    names = [one for one in questions if one.names and one.index in detailed]
    names.sort(key=lambda one: not is_known(one.name, EVENTS))
    texts = [one.index for one in names if kind_of_column(one.data_type) == TEXT]
    codes = [one.index for one in names if one.index not in texts]
    named = {*texts[:MOST_NAMED], *codes[:MOST_NAMED]}
    return [
        replace(one, detailed=one.index in detailed, names=one.names if one.index in named else ())
        for one in questions
    ]


def _aggregate(df: "DataFrame", questions: list[ColumnQuestion]) -> dict[str, Any]:
    """Return all aggregates of all columns, computed in one pass."""
    from pyspark.sql import functions as F

    aggregates = [value for one in questions for value in one.aggregates()]
    results: dict[str, Any] = collected(df.agg(F.count("*").alias("rows"), *aggregates))[0].asDict()
    return results
