"""The parts that a query is taken apart into, in the order in which they are answered."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from workbench.queries.names import QueryTables
from workbench.queries.spark_text import answered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Part:
    """A part of a query, and who answers it.

    Attributes
    ----------
    engine : str
        "spark" for Spark's own SQL, else "over", "funnel", "quantiles", or "names" for new names.
    asked : str or object
        The text that Spark reads, or what answers.
    why : str
    of : dict of str to DataFrame
        The tables that it is asked of, by their names in what is asked.
    answer : DataFrame
    line : str
        The line of Python that asks it, in which ``{df}`` is the table; empty for Spark's.
    """

    engine: str
    asked: Any
    why: str
    of: "Mapping[str, DataFrame]"
    answer: "DataFrame"
    line: str = ""


@dataclass
class Translation:
    """A query that is being taken apart.

    Attributes
    ----------
    tables : QueryTables
    parts : list of Part
    emit : str or None
        When the rows of a stream go on, as the query says.
    """

    tables: QueryTables
    parts: list[Part] = field(default_factory=list)
    emit: str | None = None

    @property
    def dialect(self) -> str:
        """Whose SQL it is."""
        return self.tables.dialect

    def within(self, tables: QueryTables) -> "Translation":
        """Return the same work where more names are known."""
        return Translation(tables, self.parts, self.emit)

    def spark(self, tree: exp.Query, why: str = "Spark has it") -> "DataFrame":
        """Return Spark's answer to a part of a query."""
        df, text, of = answered(tree, self.tables)
        self.parts.append(Part("spark", text, why, of, df))
        return df

    def renamed(self, df: "DataFrame", names: "Sequence[str]") -> "DataFrame":
        """Return an answer whose columns have other names, from left to right."""
        answer = df.toDF(*names)
        line = f"{{df}}.toDF({', '.join(map(repr, names))})"
        return self.ours("names", "", "the query names the columns", df, answer, line)

    def ours(
        self, engine: str, asked: Any, why: str, of: "DataFrame", answer: "DataFrame", line: str
    ) -> "DataFrame":
        """Note the answer of one of our own to a part of a query."""
        self.parts.append(Part(engine, asked, why, {"df": of}, answer, line))
        return answer
