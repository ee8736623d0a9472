"""The parts of a query, in the order in which they run."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from workbench.queries.names import QueryTables
from workbench.queries.spark_text import run_on_spark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Part:
    """A part of a query, and the engine that runs it.

    Attributes
    ----------
    engine : str
        "spark" for Spark's own SQL, else "over", "funnel", "quantiles", or "names" for new names.
    operation : str or object
        The SQL that Spark runs, or the object that runs the part.
    why : str
    inputs : dict of str to DataFrame
        The tables that it reads, by their names in the operation.
    answer : DataFrame
    line : str
        The line of Python that runs it, in which ``{df}`` is the table; empty for Spark's.
    """

    engine: str
    operation: Any
    why: str
    inputs: "Mapping[str, DataFrame]"
    answer: "DataFrame"
    line: str = ""


@dataclass
class Translation:
    """A query that is being split into parts.

    Attributes
    ----------
    tables : QueryTables
    parts : list of Part
    emit : str or None
        When a stream emits rows, as the query states it.
    """

    tables: QueryTables
    parts: list[Part] = field(default_factory=list)
    emit: str | None = None

    @property
    def dialect(self) -> str:
        """The dialect of the query."""
        return self.tables.dialect

    def with_tables(self, tables: QueryTables) -> "Translation":
        """Return the same translation with other tables; the parts are shared."""
        return Translation(tables, self.parts, self.emit)

    def run_spark(
        self, tree: exp.Query, why: str = "Spark answers this part by itself"
    ) -> "DataFrame":
        """Run a part of a query by Spark's own SQL, and return its result."""
        df, text, inputs = run_on_spark(tree, self.tables)
        self.parts.append(Part("spark", text, why, inputs, df))
        return df

    def select_from(self, df: "DataFrame", columns: "Sequence[exp.Expr]") -> exp.Select:
        """Return a SELECT of columns from the result of a part."""
        select = exp.Select(expressions=list(columns))
        select.set("from_", exp.From(this=self.tables.add_answer(df, "")))
        return select

    def rename(self, df: "DataFrame", names: "Sequence[str]") -> "DataFrame":
        """Return a result with new names for its columns, from left to right."""
        answer = df.toDF(*names)
        line = f"{{df}}.toDF({', '.join(map(repr, names))})"
        return self.add_part("names", "", "the query names the columns", df, answer, line)

    def add_part(
        self,
        engine: str,
        operation: Any,
        why: str,
        table: "DataFrame",
        answer: "DataFrame",
        line: str,
    ) -> "DataFrame":
        """Record a part that Spark's SQL does not run, and return its result."""
        self.parts.append(Part(engine, operation, why, {"df": table}, answer, line))
        return answer
