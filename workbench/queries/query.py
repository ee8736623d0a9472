"""A query split into parts: its result, which engine runs each part, and the same in Python."""

import re
from keyword import iskeyword
from typing import TYPE_CHECKING

from workbench.described import Described
from workbench.errors import WorkbenchError
from workbench.queries.names import QueryTables
from workbench.queries.parts import Part, Translation
from workbench.queries.questions import answer
from workbench.queries.reading.parsing import emit_of, parse_query
from workbench.queries.spark_text import with_table_fields
from workbench.queries.windows.streams import check_groups_close
from workbench.spark.names import unused
from workbench.spark.sessions.jvm_questions import without_call_sites

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.funnel.funnel import Funnel
    from workbench.spark.sources.given import TableLike
    from workbench.windows.over import Over

_ENGINE_NAMES = {
    "spark": "Spark's SQL",
    "over": "wb.Over",
    "funnel": "wb.Funnel",
    "quantiles": "wb.quantiles",
    "names": "Spark",
}


class Query(Described):
    """A query of another system with its tables; :func:`workbench.query` makes one.

    Parameters
    ----------
    text, dialect, tables
        As :func:`workbench.sql` takes them.

    Attributes
    ----------
    text, dialect : str
    answer : pyspark.sql.DataFrame
        What :func:`workbench.sql` returns; nothing runs until it is used.
    asked : list of (Over or Funnel, pyspark.sql.DataFrame)
        The window calls and funnels of the query, each with the table that it runs on.

    Raises
    ------
    WorkbenchError
        As :func:`workbench.sql` does.
    """

    def __init__(self, text: str, dialect: str, tables: "dict[str, TableLike]") -> None:
        self.text, self.dialect = text, dialect
        tree = parse_query(text, dialect)
        self._translation = Translation(QueryTables(tables, dialect), emit=emit_of(text, dialect))
        with without_call_sites(), self._translation.tables.temporary_views():
            self.answer: DataFrame = answer(tree, self._translation)
            check_groups_close(self.answer, self._translation)
        self.asked: list[tuple[Over | Funnel, DataFrame]] = [
            (part.operation, part.inputs["df"])
            for part in self._translation.parts
            if part.engine in ("over", "funnel")
        ]

    def __repr__(self) -> str:
        text = " ".join(self.text.split())
        return f"wb.query({text!r}, dialect={self.dialect!r})"

    def _facts(self) -> dict[str, object]:
        return {
            "query": " ".join(self.text.split()),
            "dialect": self.dialect,
            "tables": ", ".join(self._translation.tables.read) or None,
            "answered by": "; ".join(
                dict.fromkeys(_ENGINE_NAMES[one.engine] for one in self._translation.parts)
            ),
            "asks": "; ".join(repr(one) for one, _ in self.asked) or None,
        }

    def one(self) -> "tuple[Over | Funnel, DataFrame]":
        """Return the one window call or funnel of the query, and the table that it runs on.

        Raises
        ------
        WorkbenchError
            When there is none, or several, which are listed.
        """
        if len(self.asked) == 1:
            return self.asked[0]
        if not self.asked:
            raise WorkbenchError("query: it has neither a window call nor a funnel.")
        listed = "; ".join(f"asked[{k}] is {one!r}" for k, (one, _) in enumerate(self.asked))
        raise WorkbenchError(
            f"query: it has {len(self.asked)} window calls or funnels, and only one can be "
            f"inspected at a time: {listed}. Give one with its table, such as *query.asked[0]."
        )

    def explain(self) -> str:
        """Return the parts as lines of Python, as :func:`workbench.explain_sql` does."""
        names: dict[int, str] = {}
        lines: list[str] = []
        parts = self._translation.parts
        # Variables of the lines themselves.
        taken = ["wb", "spark", "F", *(f"step_{k}" for k in range(1, len(parts) + 1))]
        for name, (df, line) in self._translation.tables.read.items():
            names[id(df)] = variable = unused([*taken, *names.values()], _variable_name(name))
            if line:
                lines.append(f"{variable} = {line}")
            elif variable != name:
                lines.append(f"# {variable} is the table {name!r}")
        for k, part in enumerate(parts, 1):
            lines += [
                f"# {_ENGINE_NAMES[part.engine]}: {part.why}",
                *_python_lines(part, f"step_{k}", names),
            ]
            names[id(part.answer)] = f"step_{k}"
        return "\n".join(lines)


def query(query: str, /, dialect: str = "duckdb", **tables: "TableLike") -> Query:
    """Return a query with its tables, to inspect its window calls and funnels.

    :func:`workbench.explore` opens the explorer of its one window call or funnel,
    :func:`workbench.play` steps through it, and :func:`workbench.plan` shows the plan of its
    answer.

    Parameters
    ----------
    query, dialect, **tables
        As :func:`workbench.sql` takes them.

    Returns
    -------
    Query

    Raises
    ------
    WorkbenchError
        As :func:`workbench.sql` does.

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> query = wb.query('''
    ...     SELECT date, median(mwh) OVER (PARTITION BY plant ORDER BY date ROWS 2 PRECEDING) AS m
    ...     FROM plants
    ... ''', plants=plants)
    >>> over, df = query.one()
    >>> over
    wb.Over(partition_by=['plant'], order_by=[('date', 'asc', 'nulls last')], \
frame=wb.Frame.rows(-2, 0), m=wb.fn.median('mwh'))
    """
    return Query(query, dialect, tables)


def _python_lines(part: Part, result: str, names: dict[int, str]) -> list[str]:
    """Return the lines of Python that run a part."""
    variables = {field: names[id(df)] for field, df in part.inputs.items()}
    if part.engine != "spark":
        return [f"{result} = {_executable(part.line).replace('{df}', variables['df'])}"]
    if not variables:
        return [f"{result} = spark.sql({_quoted(part.operation)})"]
    text = with_table_fields(part.operation, variables)
    arguments = sorted(set(variables.values()))
    return [
        f"{result} = spark.sql(",
        f"    {_quoted(text)},",
        *(f"    {name}={name}," for name in arguments),
        ")",
    ]


def _variable_name(table: str) -> str:
    """Return a Python variable name for a table of any name."""
    name = re.sub(r"\W", "_", table)
    return name if name.isidentifier() and not iskeyword(name) else f"table_{name}"


def _quoted(text: str) -> str:
    """Return text as a Python literal, in double quotes if it needs no escapes."""
    plain = not any(one in text for one in '"\\\n')
    return f'"{text}"' if plain else repr(text)


def _executable(line: str) -> str:
    """Return a line with each column as the call that makes it, not as PySpark's repr."""
    return re.sub(r"Column<'(.*?)'>", lambda match: f"F.expr({match[1]!r})", line)
