"""``%%wbsql``: a query as a cell of a notebook, over the notebook's tables."""

import argparse
import shlex
from typing import TYPE_CHECKING, Any, NoReturn

import pandas as pd
from IPython.display import display
from sqlglot import exp

from workbench.arguments import check_count
from workbench.described import Described, frame_table
from workbench.errors import WorkbenchError
from workbench.markup import Markup
from workbench.queries.query import Query
from workbench.queries.reading.parsing import parse_query
from workbench.spark.sources.given import is_table
from workbench.widgets.cell_completion import complete_cells

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

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
        return frame_table(self.note or "all rows", self.frame)


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
    arguments = options.parse_args(shlex.split(line))
    rows = check_count(arguments.rows, "--rows", "rows")
    for option, name in (("--into", arguments.into), ("--query", arguments.query)):
        if name is not None and not name.isidentifier():
            raise WorkbenchError(f"{option}: {name!r} is not a valid Python name; give one.")
    query = Query(cell, arguments.dialect, tables_of(cell, arguments.dialect, shell.user_ns))
    results = {arguments.into: query.answer, arguments.query: query}
    shell.user_ns.update({name: value for name, value in results.items() if name is not None})
    first_rows = query.answer.limit(rows + 1).toPandas()
    show: Any = display
    show(FirstRows(first_rows.head(rows), len(first_rows) > rows))


def tables_of(query: str, dialect: str, names: dict[str, Any]) -> dict[str, Any]:
    """Return the tables among a notebook's names that a query mentions.

    Text is never a table here, though it may be a path: the query can contain the path itself.
    """
    wanted = {one.name.lower() for one in parse_query(query, dialect).find_all(exp.Table)}
    return {
        name: value
        for name, value in names.items()
        if name.lower() in wanted and not isinstance(value, str) and is_table(value)
    }


def register(shell: "InteractiveShell") -> None:
    """Give a notebook the magic, and names that complete in its cells."""

    def cell_magic(line: str, cell: str) -> None:
        wbsql(shell, line, cell)

    known: Any = shell
    known.register_magic_function(cell_magic, "cell", "wbsql")
    complete_cells(shell)
