"""Queries around windows over a stream that emits on update, of which each row is a change."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import walk_own
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Parts of a query that look at several rows, and so would take what was said and what is said now
#: for two.
TOGETHER = {
    "distinct": "DISTINCT",
    "group": "GROUP BY",
    "having": "HAVING",
    "joins": "JOIN",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
}


def around_changes(query: exp.Query, work: Translation) -> None:
    """Let a query of changes say what becomes of each row, as its first column; it is changed.

    Parameters
    ----------
    query : sqlglot.exp.Query
        The queries within it have their answers.
    work : Translation

    Raises
    ------
    WorkbenchError
        When it does more than to choose rows and to compute columns of each.
    """
    if not any(is_changes(part.answer) for part in work.parts if part.engine == "over"):
        return
    tables = [one for one in query.find_all(exp.Table) if is_changes(work.tables.answered(one))]
    if not tables:
        return
    if asked := _beyond_rows(query, tables[0]):
        raise not_around(asked, "on update")
    check_no_own_op(query)
    if not any(_has_op(one) for one in query.expressions):
        query.set("expressions", [exp.column(OP, quoted=True), *query.expressions])


def not_around(asked: str, emit: str) -> WorkbenchError:
    """Return what is said of a part of a query that is not available around a stream's windows."""
    return WorkbenchError(
        f"query: {asked} around windows over a stream that emits {emit} is not available; leave it "
        "out, and ask it of what has been written."
    )


def check_no_own_op(query: exp.Query) -> None:
    """Refuse a column that is called as what becomes of each row.

    Raises
    ------
    WorkbenchError
    """
    if any(isinstance(one, exp.Alias) and one.alias.lower() == OP for one in query.expressions):
        raise WorkbenchError(
            f"query: {OP!r} says what becomes of a row of a stream that emits on update; call the "
            "column something else."
        )


def is_changes(df: "DataFrame | None") -> bool:
    """Say whether an answer is of changes."""
    return df is not None and df.isStreaming and df.columns[0] == OP


def renamed(df: "DataFrame", names: list[str], work: Translation) -> "DataFrame":
    """Return an answer whose columns have other names, but for what becomes of each row."""
    return work.renamed(df, [OP, *names] if is_changes(df) else names)


def _beyond_rows(query: exp.Query, of: exp.Table) -> str | None:
    """What in a query looks at more than one row of changes at a time."""
    if not isinstance(query, exp.Select):
        return "UNION, or what is like it,"
    for part, word in TOGETHER.items():
        if query.args.get(part):
            return word
    parts = list(walk_own(query))
    if any(isinstance(one, exp.Window) for one in parts):
        return "a window"
    if any(isinstance(one, exp.AggFunc) for one in parts):
        return "an aggregate"
    return None if isinstance(of.parent, exp.From) and of in parts else "a query within another"


def _has_op(one: exp.Expr) -> bool:
    return one.is_star or (isinstance(one, exp.Column) and one.name == OP)
