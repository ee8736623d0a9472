"""The tables of a query: given ones, views, the catalog, and table functions of a dialect."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import CASE_SENSITIVE
from workbench.spark.names import nearest, quoted, unused
from workbench.spark.sessions.session import session
from workbench.spark.shipping import is_connect
from workbench.spark.sources.files import is_path
from workbench.spark.sources.given import (
    catalog_names,
    catalog_table,
    is_stream,
    table,
    with_row_numbers,
)
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Table functions that return a series of numbers or times, with the name of their one column.
SERIES = {"range": "range", "generate_series": "generate_series", "numbers": "number"}
#: Table functions that read a file.
FILE_READERS = ("read_csv_auto", "read_json", "read_json_auto", "parquet_scan")


@dataclass
class QueryTables:
    """The tables that the names of a query refer to.

    Attributes
    ----------
    given : dict of str to table
        As the user gave them; each is read once.
    dialect : str
    ctes : dict of str to DataFrame
        The tables that the query defines in WITH.
    read : dict of str to (DataFrame, str)
        The tables that were read, by name, and the line of Python that reads each; an empty line
        for given ones.
    answers : dict of str to DataFrame
        Answers of parts of the query, by names that no query can have.
    views : dict of str to DataFrame
        The temporary views of Spark while the query is translated.
    token : str
        What the names of answers and views begin with.
    spark : pyspark.sql.SparkSession
        The session that runs the query.
    """

    given: Mapping[str, Any]
    dialect: str
    ctes: "dict[str, DataFrame]" = field(default_factory=dict)
    read: "dict[str, tuple[DataFrame, str]]" = field(default_factory=dict)
    answers: "dict[str, DataFrame]" = field(default_factory=dict)
    views: "dict[str, DataFrame]" = field(default_factory=dict)
    token: str = field(default_factory=lambda: f"wb{uuid4().hex}")
    spark: "SparkSession" = field(default_factory=session)

    @contextmanager
    def temporary_views(self) -> "Iterator[None]":
        """Drop the views that the parts of a query needed, on exit."""
        try:
            yield
        finally:
            for name in self.views:
                self.spark.catalog.dropTempView(name)
            self.views.clear()

    def view(self, df: "DataFrame") -> str:
        """Return the name of a table in Spark, which is registered if need be.

        Spark Connect analyzes a query again when it runs it, so its tables travel with the query;
        else one view of a table serves all parts that read it.
        """
        name = next((name for name, view_df in self.views.items() if view_df is df), None)
        if name is None:
            name = f"{self.token}_t{len(self.views)}_"
            self.views[name] = df
            if not is_connect(self.spark):
                df.createOrReplaceTempView(name)
        return name

    def with_ctes(self, more: "Mapping[str, DataFrame]") -> "QueryTables":
        """Return these tables and others, which shadow those of the same name."""
        ctes = self.ctes | {self._normalized(name): df for name, df in more.items()}
        return replace(self, ctes=ctes)

    def add_answer(self, df: "DataFrame", alias: str) -> exp.Table:
        """Record the answer of a part of the query, and return a table node that stands for it."""
        name = f"{self.token}_{len(self.answers)}_"
        self.answers[name] = df
        table_alias = exp.TableAlias(this=exp.to_identifier(alias, quoted=True)) if alias else None
        return exp.Table(this=exp.to_identifier(name), alias=table_alias)

    def answer_of(self, node: exp.Table) -> "DataFrame | None":
        """Return the answer that a table node stands for; None if it is another table."""
        if node.name in self.answers:
            return self.answers[node.name]
        return None if node.db else self.ctes.get(self._normalized(node.name))

    def find(self, node: exp.Table) -> "DataFrame":
        """Return the table that a table node refers to.

        Raises
        ------
        WorkbenchError
            When there is none of this name; the message has the nearest names.
        """
        if not isinstance(node.this, exp.Identifier):
            return self._table_function(node)
        if node.this.name in self.answers:
            return self.answers[node.this.name]
        name = ".".join(part.name for part in node.parts)
        if (normalized := self._normalized(name)) in self.ctes:
            return self.ctes[normalized]
        for given_name, source in self.given.items():
            if self._normalized(given_name) == normalized:
                if given_name not in self.read:
                    self.read[given_name] = self._given_table(source, given_name), ""
                return self.read[given_name][0]
        return self._register(name, self._catalog_table(name), f"wb.table({name!r})")

    def with_row_numbers(self, node: exp.Table, hint: str) -> "tuple[DataFrame, str] | None":
        """Return a table with a column that numbers its rows, and the name of that column.

        Return None for tables whose rows have no order: Spark's tables, files and answers.
        """
        if not isinstance(node.this, exp.Identifier) and _function_name(node.this) in SERIES:
            return self._numbered_series(node, hint)
        normalized = self._normalized(".".join(part.name for part in node.parts))
        given_names = {self._normalized(given_name): given_name for given_name in self.given}
        if (
            not isinstance(node.this, exp.Identifier)
            or normalized in self.ctes
            or normalized not in given_names
        ):
            return None
        given_name = given_names[normalized]
        number_column = unused(self.find(node).columns, hint)
        numbered = with_row_numbers(self.given[given_name], given_name, number_column)
        if numbered is None:
            return None
        self.read[given_name] = numbered, ""
        return numbered, number_column

    def _numbered_series(self, node: exp.Table, hint: str) -> "tuple[DataFrame, str]":
        """Return a series of numbers with a column that numbers its rows."""
        df = self.find(node)
        number_column, counted_column = unused(df.columns, hint), quoted(df.columns[0])
        is_descending = any(
            isinstance(one, exp.Neg) for one in list(node.this.iter_expressions())[2:]
        )
        expression = f"{'-' if is_descending else ''}{counted_column} AS {number_column}"
        name, (_, line) = next((name, one) for name, one in self.read.items() if one[0] is df)
        numbered = df.selectExpr("*", expression)
        self.read[name] = numbered, f"{line}.selectExpr('*', {expression!r})"
        return numbered, number_column

    def _given_table(self, source: Any, name: str) -> "DataFrame":
        """Return a given table, which may be a stream if the dialect has streams."""
        if self.dialect != "risingwave" or not is_stream(source):
            return table(source, name)
        if OP in source.columns:
            raise WorkbenchError(
                f"{name}: the stream is a changelog, as it has a column {OP!r}, and a query cannot "
                "say which column identifies its rows; use wb.over(..., row_id=...)."
            )
        return source

    def _register(self, hint: str, df: "DataFrame", line: str) -> "DataFrame":
        """Record a table that was not given, with the line of Python that reads it."""
        name = unused(self.read, re.sub(r"\W", "_", hint.rpartition("/")[2]) or "table")
        self.read[name] = df, line
        return df

    def _normalized(self, name: str) -> str:
        return name if self.dialect in CASE_SENSITIVE else name.lower()

    def _catalog_table(self, name: str) -> "DataFrame":
        if is_path(name):
            return table(name, "query")
        if (df := catalog_table(name)) is not None:
            return table(df, "query")
        # A notebook's names with a leading underscore are not meant by a person.
        query_names = sorted(one for one in {*self.given, *self.ctes} if not one.startswith("_"))
        hint = nearest(name, query_names, catalog_names(name))
        raise WorkbenchError(f"query: there is no table {name!r}; {hint}")

    def _table_function(self, node: exp.Table) -> "DataFrame":
        """Return the table of a table function: a series, or a file."""
        call = node.this
        name = _function_name(call)
        values = [one.this for one in call.find_all(exp.Literal)]
        is_file = isinstance(call, exp.ReadCSV | exp.ReadParquet) or name in FILE_READERS
        if is_file and len(values) == 1:
            return self._register(values[0], table(values[0], "query"), f"wb.table({values[0]!r})")
        step = call.args.get("step")
        is_interval = step is not None and (
            isinstance(step, exp.Interval) or step.is_type("interval")
        )
        if (
            is_interval
            and self.dialect in LIKE_POSTGRES
            and isinstance(call, exp.GenerateSeries | exp.ExplodingGenerateSeries)
        ):
            return self._time_series(name, call)
        if name in SERIES:
            return self._number_series(name, call)
        raise WorkbenchError(
            f"query: {name} is not a table function here; there are {', '.join(SERIES)} and "
            "read_parquet, read_csv, read_json of one file."
        )

    def _number_series(self, name: str, call: exp.Expr) -> "DataFrame":
        numeric_arguments = [
            one for one in call.iter_expressions() if isinstance(one, exp.Literal | exp.Neg)
        ]
        try:
            numbers = [int(one.sql()) for one in numeric_arguments]
            count = len(numbers)
            if count != len(list(call.iter_expressions())) or not 0 < count < 4:
                raise ValueError
        except ValueError:
            raise WorkbenchError(f"query: {name} takes 1 to 3 whole numbers here.") from None
        start, end = (0, numbers[0]) if count == 1 else numbers[:2]
        step = numbers[2] if count == 3 else 1
        if name == "numbers":
            end = start + end if count > 1 else end
        if name == "generate_series":
            end += 1 if step > 0 else -1
        column = "id" if self.dialect == "spark" else SERIES[name]
        line = f"spark.range({start}, {end}, {step}).toDF({column!r})"
        return self._register(name, self.spark.range(start, end, step).toDF(column), line)

    def _time_series(self, name: str, call: exp.Expr) -> "DataFrame":
        """Return the times from one to another by an interval, which may be negative."""
        start, end = (_constant_time(name, call.args[one]) for one in ("start", "end"))
        step, column = call.args["step"].sql("spark"), SERIES[name]
        # Spark refuses a step that leads away from the end.
        is_reachable = f"{end} = {start} OR ({start} + {step} > {start}) = ({end} > {start})"
        times = f"if({is_reachable}, sequence({start}, {end}, {step}), array())"
        text = f"SELECT explode({times}) AS {column}"
        # After a short month DuckDB continues from its last day, Spark from the first time.
        late_day = re.search(r"-(29|30|31)\b", start)
        if late_day and re.search("month|quarter|year", step, re.IGNORECASE):
            raise WorkbenchError(
                f"query: {name} by months needs a start from the 1st to the 28th here."
            )
        df, line = self.spark.sql(text), f"spark.sql({text!r})"
        if name == "range":
            not_end = f"{column} != {end}"
            df, line = df.where(not_end), f"{line}.where({not_end!r})"
        return self._register(name, df, line)


def _constant_time(name: str, value: exp.Expr) -> str:
    """Return a constant date or time as Spark's SQL."""
    literal = value.this if value.is_type("date", "timestamp", "timestampntz") else value
    if not isinstance(literal, exp.Literal) or not literal.is_string:
        raise WorkbenchError(
            f"query: {name} takes a constant date or time as its start and its end here."
        )
    return exp.cast(literal.copy(), "TIMESTAMP_NTZ", dialect="spark").sql("spark")


def _function_name(call: exp.Expr) -> str:
    """Return the name of a table function."""
    if isinstance(call, exp.GenerateSeries) and call.args.get("is_end_exclusive"):
        return "range"
    if isinstance(call, exp.ExplodingGenerateSeries):
        return "generate_series"
    name = call.sql_name() if isinstance(call, exp.Func) else call.name
    return str(call.name if isinstance(call, exp.Anonymous) else name).lower()
