"""Completion in a cell of ``%%wbsql``: tables, their columns, and the options."""

import contextlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from sqlglot import exp

from workbench.dialects.functions import DIALECTS
from workbench.spark.names import quoted
from workbench.spark.sources.given import is_table

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_OPTIONS = ("--dialect", "--into", "--query", "--rows")
#: A table and its alias in a query: ``prices AS p``.
_NAMED = re.compile(r"\b(?:FROM|JOIN|,)\s+(\w+)\s+(?:AS\s+)?(\w+)", re.IGNORECASE)


def complete_cells(shell: "InteractiveShell") -> None:
    """Let cells of ``%%wbsql`` complete the names of the notebook's and Spark's tables.

    Parameters
    ----------
    shell : InteractiveShell
    """

    @context_matcher()  # type: ignore[untyped-decorator]
    def wbsql_names(context: CompletionContext) -> SimpleMatcherResult:
        cell = context.full_text.lstrip()
        if not cell.startswith("%%wbsql") or "\n" not in cell:
            return SimpleMatcherResult(completions=[])
        completions = completions_of(context, shell.user_ns)
        # Python's names mean nothing in a query.
        return SimpleMatcherResult(completions=completions, suppress=True)

    matchers: list[Any] = shell.Completer.custom_matchers
    known = [one for one in matchers if getattr(one, "__name__", "") != wbsql_names.__name__]
    matchers[:] = [*known, wbsql_names]


def completions_of(context: CompletionContext, names: dict[str, Any]) -> list[SimpleCompletion]:
    """Return the completions of the word before the cursor.

    Parameters
    ----------
    context : CompletionContext
    names : dict of str to object
        The notebook's variables.

    Returns
    -------
    list of SimpleCompletion
    """
    first, _, query = context.full_text.lstrip().partition("\n")
    if context.cursor_line == 0:
        if re.search(r"--dialect\s+\w*$", context.text_until_cursor):
            candidates = [(one, "dialect") for one in DIALECTS]
        else:
            candidates = [(one, "option") for one in _OPTIONS if one not in first]
        word = context.token
    else:
        word = (re.search(r"[\w.]*$", context.text_until_cursor) or [""])[0]
        candidates = list(_names_in_query(query, word, tables_by_name(names)))
    low = word.lower()
    matches = {text: kind for text, kind in candidates if text.lower().startswith(low)}
    # IPython's token may begin later than the word.
    skipped = max(0, len(word) - len(context.token))
    has_quote = context.text_until_cursor.removesuffix(word)[-1:] in ('"', "`")
    # The others all take double quotes.
    dialect = "spark" if re.search(r"--dialect\s+spark", first) else "duckdb"
    texts = {
        text: text if has_quote or kind == "option" else _quoted(text, dialect)
        for text, kind in matches.items()
    }
    return [_completion(texts[text][skipped:], kind) for text, kind in sorted(matches.items())]


def _quoted(name: str, dialect: str) -> str:
    """Return a name as a query of a dialect has it: quoted where it needs to be."""
    table, dot, last = name.rpartition(".")
    return f"{table}{dot}{exp.to_identifier(last).sql(dialect)}"


def _completion(text: str, kind: str) -> SimpleCompletion:
    return SimpleCompletion(text, type=kind)


def _names_in_query(
    query: str, word: str, tables: dict[str, list[str]]
) -> Iterator[tuple[str, str]]:
    """Yield the tables, and the columns of those in the query; after ``table.``, its columns."""
    by_name = {name.lower(): columns for name, columns in tables.items()}
    for name, alias in _NAMED.findall(query):
        if name.lower() in by_name:
            by_name.setdefault(alias.lower(), by_name[name.lower()])
    table, dot, _ = word.rpartition(".")
    if dot:
        yield from ((f"{table}.{one}", "column") for one in by_name.get(table.lower(), ()))
        return
    yield from ((name, "table") for name in tables)
    words = {one.lower() for one in re.findall(r"\w+", query)}
    for name in words & by_name.keys():
        yield from ((column, "column") for column in by_name[name])


def tables_by_name(names: dict[str, Any]) -> dict[str, list[str]]:
    """Return the columns of a notebook's tables and of Spark's views, by their names.

    No job runs, and no session is started.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    tables: dict[str, list[str]] = {}
    if (spark := SparkSession.getActiveSession()) is not None:
        for name in (row["tableName"] for row in spark.sql("SHOW TABLES").collect()):
            # A view whose table is gone has no columns.
            with contextlib.suppress(PySparkException):
                tables[name] = list(spark.table(quoted(name)).columns)
    for name, value in names.items():
        if not name.startswith("_") and not isinstance(value, str) and is_table(value):
            tables[name] = [str(one) for one in _columns(value)]
    return tables


def _columns(value: Any) -> Any:
    if hasattr(value, "collect_schema"):
        return value.collect_schema().names()
    return getattr(value, "column_names", None) or getattr(value, "columns", ())
