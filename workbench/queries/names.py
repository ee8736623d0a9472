"""The tables of a query: given by name, views, the catalog, or the word of a dialect for one."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import EXACT
from workbench.spark.sessions.session import session
from workbench.spark.shipping import is_connect
from workbench.spark.sources.files import is_path
from workbench.spark.sources.given import in_order, is_stream, table
from workbench.spark.table import nearest, quoted, unused
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: QueryTables that are a function of numbers or times, and what their one column is called.
COUNTED = {"range": "range", "generate_series": "generate_series", "numbers": "number"}
#: QueryTables that are a file.
READ = ("read_csv_auto", "read_json", "read_json_auto", "parquet_scan")
#: In a sentence about a name that is not known, when one like it is.
_MEANT = "did you mean"


@dataclass
class QueryTables:
    """What the names of a query mean.

    Attributes
    ----------
    given : dict of str to table
        As a person gave them; each is read once.
    dialect : str
    known : dict of str to DataFrame
        Those that the query names itself.
    read : dict of str to (DataFrame, str)
        Those that were read, by their names, and the line of Python that reads each; no line for
        those that were given.
    answers : dict of str to DataFrame
        Answers of parts of the query, by names that no query can have.
    views : dict of str to DataFrame
        What Spark knows by such names, while the query is taken apart.
    spark : pyspark.sql.SparkSession
        What answers.
    """

    given: Mapping[str, Any]
    dialect: str
    known: "dict[str, DataFrame]" = field(default_factory=dict)
    read: "dict[str, tuple[DataFrame, str]]" = field(default_factory=dict)
    answers: "dict[str, DataFrame]" = field(default_factory=dict)
    views: "dict[str, DataFrame]" = field(default_factory=dict)
    token: str = field(default_factory=lambda: f"wb{uuid4().hex}")
    spark: "SparkSession" = field(default_factory=session)

    @contextmanager
    def as_views(self) -> "Iterator[None]":
        """Leave no view behind of those that the parts of a query need."""
        try:
            yield
        finally:
            for name in self.views:
                self.spark.catalog.dropTempView(name)
            self.views.clear()

    def view(self, df: "DataFrame") -> str:
        """Return the name by which Spark knows a table, which it does from then on.

        Where Spark is another process, it reads a query again when it answers it, and so gets the
        tables along with it; else a view is made once, and not for each part that looks at it.
        """
        name = next((name for name, known in self.views.items() if known is df), None)
        if name is None:
            name = f"{self.token}_t{len(self.views)}_"
            self.views[name] = df
            if not is_connect(self.spark):
                df.createOrReplaceTempView(name)
        return name

    def with_names(self, more: "Mapping[str, DataFrame]") -> "QueryTables":
        """Return these tables and others, which hide those of the same name."""
        known = self.known | {self._plain(name): df for name, df in more.items()}
        return replace(self, known=known)

    def answer(self, df: "DataFrame", alias: str) -> exp.Table:
        """Return a table of a query that stands for the answer of a part of it."""
        name = f"{self.token}_{len(self.answers)}_"
        self.answers[name] = df
        named = exp.TableAlias(this=exp.to_identifier(alias, quoted=True)) if alias else None
        return exp.Table(this=exp.to_identifier(name), alias=named)

    def answered(self, node: exp.Table) -> "DataFrame | None":
        """Return what a part of the query answered, where a table of it stands for that."""
        if node.name in self.answers:
            return self.answers[node.name]
        return None if node.db else self.known.get(self._plain(node.name))

    def find(self, node: exp.Table) -> "DataFrame":
        """Return what a table of a query is.

        Raises
        ------
        WorkbenchError
            When there is none of this name; the nearest names are given.
        """
        if not isinstance(node.this, exp.Identifier):
            return self._function(node)
        if node.this.name in self.answers:
            return self.answers[node.this.name]
        name = ".".join(part.name for part in node.parts)
        if (plain := self._plain(name)) in self.known:
            return self.known[plain]
        for given, what in self.given.items():
            if self._plain(given) == plain:
                if given not in self.read:
                    self.read[given] = self._given(what, given), ""
                return self.read[given][0]
        return self._noted(name, self._elsewhere(name), f"wb.table({name!r})")

    def in_order(self, node: exp.Table, hint: str) -> "tuple[DataFrame, str] | None":
        """Return a table of a query with a column that numbers its rows, and what that is called.

        None where its rows have no order of their own: of Spark's tables, files and answers.
        """
        if not isinstance(node.this, exp.Identifier) and _called(node.this) in COUNTED:
            return self._counted_in_order(node, hint)
        plain = self._plain(".".join(part.name for part in node.parts))
        held = {self._plain(given): given for given in self.given}
        if not isinstance(node.this, exp.Identifier) or plain in self.known or plain not in held:
            return None
        given = held[plain]
        number = unused(self.find(node).columns, hint)
        df = in_order(self.given[given], given, number)
        if df is None:
            return None
        self.read[given] = df, ""
        return df, number

    def _counted_in_order(self, node: exp.Table, hint: str) -> "tuple[DataFrame, str]":
        """A table of numbers, which come one behind the other."""
        df = self.find(node)
        number, counted = unused(df.columns, hint), quoted(df.columns[0])
        down = any(isinstance(one, exp.Neg) for one in list(node.this.iter_expressions())[2:])
        text = f"{'-' if down else ''}{counted} AS {number}"
        name, (_, line) = next((name, one) for name, one in self.read.items() if one[0] is df)
        numbered = df.selectExpr("*", text)
        self.read[name] = numbered, f"{line}.selectExpr('*', {text!r})"
        return numbered, number

    def _given(self, what: Any, name: str) -> "DataFrame":
        """A table that was given, which may be a stream where the dialect has streams."""
        if self.dialect != "risingwave" or not is_stream(what):
            return table(what, name)
        if OP in what.columns:
            raise WorkbenchError(
                f"{name}: the stream is a changelog, as it has a column {OP!r}, and a query does "
                "not say what tells its rows apart; take wb.over(..., row_id=...)."
            )
        return what

    def _noted(self, hint: str, df: "DataFrame", line: str) -> "DataFrame":
        """Note a table that was not given by how Python reads it."""
        name = unused(self.read, re.sub(r"\W", "_", hint.rpartition("/")[2]) or "table")
        self.read[name] = df, line
        return df

    def _plain(self, name: str) -> str:
        return name if self.dialect in EXACT else name.lower()

    def _elsewhere(self, name: str) -> "DataFrame":
        if self.dialect == "duckdb" and is_path(name):
            return table(name, "query")
        try:
            return table(name, "query")
        except WorkbenchError as error:
            # What a notebook keeps behind an underscore is no name that a person means.
            names = sorted(one for one in {*self.given, *self.known} if not one.startswith("_"))
            meant = nearest(name, names)
            if not names or (_MEANT in str(error) and _MEANT not in meant):
                raise
            raise WorkbenchError(f"query: there is no table {name!r}; {meant}") from error

    def _function(self, node: exp.Table) -> "DataFrame":
        """A table that is a function of numbers or times, or a file that is named."""
        call = node.this
        name = _called(call)
        values = [one.this for one in call.find_all(exp.Literal)]
        of_file = isinstance(call, exp.ReadCSV | exp.ReadParquet) or name in READ
        if of_file and len(values) == 1:
            return self._noted(values[0], table(values[0], "query"), f"wb.table({values[0]!r})")
        timed = isinstance(call.args.get("step"), exp.Interval) and self.dialect in LIKE_POSTGRES
        if timed and isinstance(call, exp.GenerateSeries | exp.ExplodingGenerateSeries):
            return self._timed(name, call)
        if name in COUNTED:
            return self._counted(name, call)
        raise WorkbenchError(
            f"query: {name} as a table is not known here; there are "
            f"{', '.join(COUNTED)} and read_parquet, read_csv, read_json of one file."
        )

    def _counted(self, name: str, call: exp.Expr) -> "DataFrame":
        given = [one for one in call.iter_expressions() if isinstance(one, exp.Literal | exp.Neg)]
        try:
            numbers = [int(one.sql()) for one in given]
            count = len(numbers)
            if count != len(list(call.iter_expressions())) or not 0 < count < 4:
                raise ValueError
        except ValueError:
            raise WorkbenchError(f"query: {name} takes 1 to 3 whole numbers here.") from None
        begin, end = (0, numbers[0]) if count == 1 else numbers[:2]
        step = numbers[2] if count == 3 else 1
        if name == "numbers":
            end = begin + end if count > 1 else end
        if name == "generate_series":
            end += 1 if step > 0 else -1
        line = f"spark.range({begin}, {end}, {step}).toDF({COUNTED[name]!r})"
        return self._noted(name, self.spark.range(begin, end, step).toDF(COUNTED[name]), line)

    def _timed(self, name: str, call: exp.Expr) -> "DataFrame":
        """Times from one to another, by an interval that may go back."""
        begin, end = (_constant_time(name, call.args[one]) for one in ("start", "end"))
        step, column = call.args["step"].sql("spark"), COUNTED[name]
        # Spark refuses to go from one to another by a step that leads away.
        way = f"{end} = {begin} OR ({begin} + {step} > {begin}) = ({end} > {begin})"
        text = f"SELECT explode(if({way}, sequence({begin}, {end}, {step}), array())) AS {column}"
        # DuckDB goes on from the last day of a short month, and Spark from the first time of all.
        late = re.search(r"-(29|30|31)\b", begin)
        if late and re.search("month|quarter|year", step, re.IGNORECASE):
            raise WorkbenchError(f"query: {name} takes months from a day up to the 28th here.")
        df, line = self.spark.sql(text), f"spark.sql({text!r})"
        if name == "range":
            other = f"{column} != {end}"
            df, line = df.where(other), f"{line}.where({other!r})"
        return self._noted(name, df, line)


def _constant_time(name: str, value: exp.Expr) -> str:
    """A constant date or time, as Spark writes one."""
    inner = value.this if value.is_type("date", "timestamp", "timestampntz") else value
    if not isinstance(inner, exp.Literal) or not inner.is_string:
        raise WorkbenchError(f"query: {name} goes from one constant date or time to another here.")
    return exp.cast(inner.copy(), "TIMESTAMP_NTZ", dialect="spark").sql("spark")


def _called(call: exp.Expr) -> str:
    """The name of a function that is a table."""
    if isinstance(call, exp.GenerateSeries) and call.args.get("is_end_exclusive"):
        return "range"
    if isinstance(call, exp.ExplodingGenerateSeries):
        return "generate_series"
    name = call.sql_name() if isinstance(call, exp.Func) else call.name
    return str(call.name if isinstance(call, exp.Anonymous) else name).lower()
