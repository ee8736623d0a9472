"""``%%wbsql``: a query as a cell of a notebook, over the notebook's tables."""

import argparse
import shlex
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn

import pandas as pd
from IPython.display import display

from workbench.arguments import check_count
from workbench.described import Described, rows_table
from workbench.errors import WorkbenchError
from workbench.markup import Markup
from workbench.queries.query import Query
from workbench.spark.jobs import collected
from workbench.spark.sources.given import is_table
from workbench.widgets.cell_completion import complete_cells

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pyspark.sql import DataFrame

#: How many rows of an answer are shown.
ROWS = 20


class FirstRows(Described):
    """The first rows of an answer as a cell shows them.

    Parameters
    ----------
    frame : pandas.DataFrame
    more : bool
        Whether the answer has more rows.
    """

    def __init__(self, frame: pd.DataFrame, more: bool) -> None:
        self.frame = frame
        self.note = f"only the first {len(frame)} rows" if more else ""

    def __repr__(self) -> str:
        text = self.frame.to_string(index=False) if len(self.frame) else "no rows"
        return f"{text}\n{self.note}" if self.note else text

    def _described(self) -> Markup:
        columns = [self.frame.iloc[:, k] for k in range(len(self.frame.columns))]
        rows = list(zip(*map(_cells, columns), strict=True))
        title = self.note or ("all rows" if rows else "no rows")
        measures = [column.dtype.kind in "iufm" for column in columns]
        return rows_table(title, list(map(str, self.frame.columns)), rows, measures)


def _cells(column: "pd.Series[Any]") -> list[object]:
    """Return the values of a column, None for null; NaN is a float like others."""
    if column.dtype.kind == "f":
        return list(column)
    return [
        None if missing and not isinstance(value, float) else value
        for value, missing in zip(column, column.isna(), strict=True)
    ]


class _Options(argparse.ArgumentParser):
    """The parser of the cell magic's options, whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        known = "--dialect, --into, --query and --rows"
        raise WorkbenchError(f"%%wbsql: {message}; there are {known}.")


def wbsql(shell: "InteractiveShell", line: str, cell: str) -> None:
    """Answer the query in a cell and show its first rows.

    Parameters
    ----------
    shell : InteractiveShell
        The notebook, whose tables a query names.
    line : str
        ``--dialect``, ``--into`` and ``--query`` (the names that are assigned the results of
        :func:`workbench.sql` and :func:`workbench.query`), and ``--rows``.
    cell : str
        The query.

    Raises
    ------
    WorkbenchError
    """
    options = _Options(prog="%%wbsql", add_help=False)
    options.add_argument("--dialect", default="duckdb")
    options.add_argument("--into")
    options.add_argument("--query")
    options.add_argument("--rows", type=int, default=ROWS)
    arguments = options.parse_args(_split(line))
    rows = check_count(arguments.rows, "--rows", "rows")
    for option, name in (("--into", arguments.into), ("--query", arguments.query)):
        if name is not None and (not name.isidentifier() or iskeyword(name)):
            raise WorkbenchError(f"{option}: {name!r} is not a valid Python name; give one.")
    if arguments.query is not None and arguments.query == arguments.into:
        raise WorkbenchError(f"--query: --into is {arguments.into!r}, too; give another name.")
    tables = tables_of(shell.user_ns)
    if arguments.query in tables:
        raise WorkbenchError(
            f"--query: {arguments.query!r} is a table, which it would replace; give another name."
        )
    query = Query(cell, arguments.dialect, tables)
    results = {arguments.into: query.answer, arguments.query: query}
    shell.user_ns.update({name: value for name, value in results.items() if name is not None})
    first_rows = _first_rows(query.answer, rows + 1)
    show: Any = display
    show(FirstRows(first_rows.head(rows), len(first_rows) > rows))


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # the standard library's words name no argument
        raise WorkbenchError(f"%%wbsql: a quote in {line!r} is never closed; close it.") from None


def _first_rows(answer: "DataFrame", rows: int) -> pd.DataFrame:
    """Return the first rows, with times as the session's clocks show them."""
    from pyspark.sql.types import TimestampType

    # A query may give two columns one name.
    names = [f"c{k}" for k in range(len(answer.columns))]
    df = answer.toDF(*names).limit(rows)
    local = {one.name: df[one.name].cast("timestamp_ntz") for one in df.schema
             if isinstance(one.dataType, TimestampType)}  # fmt: skip
    values = [row.asDict(recursive=True) for row in collected(df.withColumns(local))]
    columns = [_column([row[name] for row in values]) for name in names]
    return pd.concat(columns, axis=1).set_axis(answer.columns, axis=1)


def _column(values: list[Any]) -> "pd.Series[Any]":
    """Return a column with its natural type; pandas would make null and integers NaN and floats."""
    column = pd.Series(values, dtype=object)
    kinds = {type(one) for one in values}
    if kinds == {float, type(None)}:
        return pd.Series([pd.NA if one is None else one for one in values], dtype=object)
    return column.astype("Int64") if kinds == {int, type(None)} else column.infer_objects()


def tables_of(names: dict[str, Any]) -> dict[str, Any]:
    """Return the tables among a notebook's names; a query reads those that it mentions.

    Text is never a table here, though it may be a path: the query can contain the path itself.
    """
    return {
        name: value
        for name, value in names.items()
        if not isinstance(value, str) and is_table(value)
    }


def register(shell: "InteractiveShell") -> None:
    """Give a notebook the magic, and names that complete in its cells."""

    def cell_magic(line: str, cell: str) -> None:
        wbsql(shell, line, cell)

    known: Any = shell
    known.register_magic_function(cell_magic, "cell", "wbsql")
    complete_cells(shell)
