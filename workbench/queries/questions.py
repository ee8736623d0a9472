"""A query answered from within: names first, then queries inside queries, then its own windows."""

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.answer_names import needs_plain_columns
from workbench.queries.columns import name_answers, plain
from workbench.queries.grouped import has_groups, with_groups
from workbench.queries.parts import Translation
from workbench.queries.reading.parsing import nested_queries, walk_own
from workbench.queries.selects import windowed
from workbench.queries.windows.arrival import ordered_by_arrival
from workbench.queries.windows.calls import named_windows
from workbench.queries.windows.changes import around_changes, renamed
from workbench.queries.windows.frame_shifts import with_frame_shifts
from workbench.queries.windows.own_orders import with_own_orders

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def answer(query: exp.Query, work: Translation) -> "DataFrame":
    """Return the answer to a query, part by part.

    Parameters
    ----------
    query : sqlglot.exp.Query
        It is changed.
    work : Translation

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When something in it cannot be meant.
    """
    if not is_ours(query, work.dialect):
        around_changes(query, work)
        _name_all(query, work.dialect)
        return work.spark(query)
    if (ctes := query.args.get("with_")) is not None:
        query.set("with_", None)
        return answer(query, _with_ctes(ctes, work))
    if isinstance(query, exp.Subquery) and not query.args.get("joins"):
        return _wrapped(query, work)
    for one in nested_queries(query):
        _put_answer(one, query, work)
    around_changes(query, work)
    if isinstance(query, exp.Select) and _asks_ours(query, work.dialect):
        named_windows(query)
        with_frame_shifts(query)
        query = with_own_orders(plain(query, work.tables))
        query = ordered_by_arrival(query, work)
        if has_groups(query, work.dialect):
            query = with_groups(query, work)
        if _has_windows(query):
            return windowed(query, work)
        return work.spark(query, "it is what is made of the answers")
    _name_all(query, work.dialect)
    return work.spark(query)


def is_ours(query: exp.Expr, dialect: str) -> bool:
    """Say whether any part of a query is answered by the kernels."""
    return any(_asks_ours(one, dialect) for one in query.walk() if isinstance(one, exp.Select))


def _asks_ours(select: exp.Select, dialect: str) -> bool:
    return (
        _has_windows(select) or has_groups(select, dialect) or needs_plain_columns(select, dialect)
    )


def _has_windows(select: exp.Select) -> bool:
    return select.args.get("qualify") is not None or any(
        isinstance(one, exp.Window) for one in walk_own(select)
    )


def _name_all(query: exp.Expr, dialect: str) -> None:
    """Name the answers of a query, and of those that it is put together of."""
    if isinstance(query, exp.Select):
        if query.args.get("distinct") is None or not query.args["distinct"].args.get("on"):
            name_answers(query, dialect)
    elif isinstance(query, exp.SetOperation):
        _name_all(query.this, dialect)


def _with_ctes(ctes: exp.With, work: Translation) -> Translation:
    """The work where the names of WITH are known."""
    for cte in ctes.expressions:
        name = cte.alias
        if ctes.args.get("recursive") and _names_itself(cte):
            if is_ours(cte.this, work.dialect):
                raise WorkbenchError(
                    f"query: {name!r} names itself and has windows, a funnel or quantiles, which "
                    "Spark cannot do; write its steps one by one."
                )
            alone = exp.select("*").from_(exp.Table(this=exp.to_identifier(name, quoted=True)))
            alone.set("with_", exp.With(expressions=[cte.copy()], recursive=True))
            df = work.spark(alone)
        else:
            df = answer(cte.this.copy(), work)
        if columns := cte.args["alias"].args.get("columns"):
            df = renamed(df, [one.name for one in columns], work)
        work = work.within(work.tables.with_names({name: df}))
    return work


def _names_itself(cte: exp.CTE) -> bool:
    return any(one.name.lower() == cte.alias.lower() for one in cte.this.find_all(exp.Table))


def _wrapped(query: exp.Subquery, work: Translation) -> "DataFrame":
    """A query in parentheses, with an order or a limit around it."""
    df = answer(query.this.copy(), work)
    around = exp.Select(expressions=[exp.Star()])
    for part in ("order", "limit", "offset"):
        around.set(part, query.args[part].copy() if query.args.get(part) else None)
    if not any(around.args.get(part) for part in ("order", "limit", "offset")):
        return df
    around.set("from_", exp.From(this=work.tables.answer(df, query.alias)))
    around_changes(around, work)
    return work.spark(around)


def _put_answer(one: exp.Expr, around: exp.Query, work: Translation) -> None:
    """Put a table that holds its answer in the place of a query within a query."""
    if not is_ours(one, work.dialect):
        return
    _check_uncorrelated(one, around)
    inside: Any = one.this if isinstance(one, exp.Subquery) else one
    df = answer(inside.copy(), work)
    alias = one.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        df = renamed(df, [column.name for column in alias.args["columns"]], work)
    if isinstance(one.parent, exp.From | exp.Join):
        put = work.tables.answer(df, one.alias or "answer_")
        for part in ("joins", "laterals", "sample", "pivots"):
            if one.args.get(part):
                put.set(part, [child.copy() for child in one.args[part]])
        one.replace(put)
        return
    select = exp.select("*").from_(work.tables.answer(df, ""))
    one.replace(exp.Subquery(this=select) if isinstance(one, exp.Subquery) else select)


def _check_uncorrelated(one: exp.Expr, around: exp.Query) -> None:
    """Refuse windows in a query that looks at the row of the query around it."""
    inner = {table.alias_or_name.lower() for table in one.find_all(exp.Table, exp.Subquery)}
    outer = {
        node.alias_or_name.lower() for node in walk_own(around) if isinstance(node, exp.Table)
    } | {query.alias.lower() for query in nested_queries(around) if isinstance(query, exp.Subquery)}
    for column in one.find_all(exp.Column):
        if column.table and column.table.lower() in outer - inner:
            raise WorkbenchError(
                f"query: a query with windows looks at {column.sql()} of the query around it, "
                "which Spark cannot do; join the two instead."
            )
    lateral = one.find_ancestor(exp.Lateral)
    if lateral is not None:
        raise WorkbenchError(
            "query: LATERAL around windows is not available; join the two instead."
        )
