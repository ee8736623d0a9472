"""Queries around windows over a stream that emits on update: each of its rows is a change."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import walk_own
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Clauses that look at several rows, and so would count a row before and after its update as two.
MULTI_ROW_CLAUSES = {
    "distinct": "DISTINCT",
    "group": "GROUP BY",
    "having": "HAVING",
    "joins": "JOIN",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
}


def add_op_column(query: exp.Query, translation: Translation) -> None:
    """Put the column ``op`` first in a query over changes; the query is changed.

    Parameters
    ----------
    query : sqlglot.exp.Query
        Its nested queries are already replaced by their answers.
    translation : Translation

    Raises
    ------
    WorkbenchError
        When it does more than filter rows and compute columns of each.
    """
    if not any(is_changes(part.answer) for part in translation.parts if part.engine == "over"):
        return
    tables = [
        one for one in query.find_all(exp.Table) if is_changes(translation.tables.answer_of(one))
    ]
    if not tables:
        return
    if clause := _clause_beyond_rows(query, tables[0]):
        raise not_available(clause, "on update")
    check_no_own_op(query)
    if not any(_has_op(one) for one in query.expressions):
        query.set("expressions", [exp.column(OP, quoted=True), *query.expressions])


def not_available(clause: str, emit: str) -> WorkbenchError:
    """Return the error for a clause that is not available around the windows of a stream."""
    return WorkbenchError(
        f"query: {clause} around windows over a stream that emits {emit} is not available; leave "
        "it out, and apply it to the written rows."
    )


def check_no_own_op(query: exp.Query) -> None:
    """Refuse a column of the query with the name ``op``.

    Raises
    ------
    WorkbenchError
    """
    if any(isinstance(one, exp.Alias) and one.alias.lower() == OP for one in query.expressions):
        raise WorkbenchError(
            f"query: {OP!r} says what happens to a row of a stream that emits on update; call the "
            "column something else."
        )


def is_changes(df: "DataFrame | None") -> bool:
    """Return whether an answer is a changelog of a stream."""
    return df is not None and df.isStreaming and df.columns[0] == OP


def rename(df: "DataFrame", names: list[str], translation: Translation) -> "DataFrame":
    """Return an answer with new names for its columns, except ``op``."""
    return translation.rename(df, [OP, *names] if is_changes(df) else names)


def _clause_beyond_rows(query: exp.Query, table: exp.Table) -> str | None:
    """Return the clause of a query that looks at more than one row at a time, if any."""
    if not isinstance(query, exp.Select):
        return "UNION or another set operation"
    for part, word in MULTI_ROW_CLAUSES.items():
        if query.args.get(part):
            return word
    nodes = list(walk_own(query))
    if any(isinstance(one, exp.Window) for one in nodes):
        return "a window"
    if any(isinstance(one, exp.AggFunc) for one in nodes):
        return "an aggregate"
    return None if isinstance(table.parent, exp.From) and table in nodes else "a subquery"


def _has_op(one: exp.Expr) -> bool:
    return one.is_star or (isinstance(one, exp.Column) and one.name == OP)
