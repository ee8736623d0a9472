"""A query answered from the inside out: names first, then nested queries, then its windows."""

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.answer_names import needs_column_resolution
from workbench.queries.columns import resolve_columns
from workbench.queries.grouped import answer_groups, has_groups
from workbench.queries.parts import Translation
from workbench.queries.reading.column_names import name_columns
from workbench.queries.reading.parsing import nested_queries, walk_own
from workbench.queries.selects import answer_windows
from workbench.queries.windows.arrival import order_by_arrival
from workbench.queries.windows.calls import resolve_named_windows
from workbench.queries.windows.changes import add_op_column, rename
from workbench.queries.windows.frame_shifts import replace_frame_shifts
from workbench.queries.windows.own_orders import extract_own_orders

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def answer(query: exp.Query, translation: Translation) -> "DataFrame":
    """Return the answer to a query, part by part.

    Parameters
    ----------
    query : sqlglot.exp.Query
        It is changed.
    translation : Translation

    Returns
    -------
    pyspark.sql.DataFrame

    Raises
    ------
    WorkbenchError
        When a part of it is not available.
    """
    if not needs_kernels(query, translation.dialect):
        add_op_column(query, translation)
        if translation.dialect != "spark":
            _name_columns(query, translation.dialect)
        return translation.run_spark(query)
    if (ctes := query.args.get("with_")) is not None:
        query.set("with_", None)
        return answer(query, _with_cte_answers(ctes, translation))
    if isinstance(query, exp.Subquery) and not query.args.get("joins"):
        return _answer_parenthesized(query, translation)
    for one in nested_queries(query):
        _replace_by_answer(one, query, translation)
    add_op_column(query, translation)
    if isinstance(query, exp.Select) and _select_needs_kernels(query, translation.dialect):
        resolve_named_windows(query)
        replace_frame_shifts(query)
        query = extract_own_orders(resolve_columns(query, translation.tables))
        query = order_by_arrival(query, translation)
        if has_groups(query, translation.dialect):
            query = answer_groups(query, translation)
        if _has_windows(query):
            return answer_windows(query, translation)
        return translation.run_spark(query, "the rest of the query, which needs no kernel")
    _name_columns(query, translation.dialect)
    return translation.run_spark(query)


def needs_kernels(query: exp.Expr, dialect: str) -> bool:
    """Return whether the kernels answer any part of a query."""
    return any(
        _select_needs_kernels(one, dialect) for one in query.walk() if isinstance(one, exp.Select)
    )


def _select_needs_kernels(select: exp.Select, dialect: str) -> bool:
    return (
        _has_windows(select)
        or has_groups(select, dialect)
        or needs_column_resolution(select, dialect)
    )


def _has_windows(select: exp.Select) -> bool:
    return select.args.get("qualify") is not None or any(
        isinstance(one, exp.Window) for one in walk_own(select)
    )


def _name_columns(query: exp.Expr, dialect: str) -> None:
    """Name the output columns of a query, or of the first side of a set operation."""
    if isinstance(query, exp.Select):
        if query.args.get("distinct") is None or not query.args["distinct"].args.get("on"):
            name_columns(query, dialect)
    elif isinstance(query, exp.SetOperation):
        _name_columns(query.this, dialect)


def _with_cte_answers(ctes: exp.With, translation: Translation) -> Translation:
    """Return the translation with the answers of WITH as tables."""
    for cte in ctes.expressions:
        name = cte.alias
        if ctes.args.get("recursive") and _names_itself(cte):
            if needs_kernels(cte.this, translation.dialect):
                raise WorkbenchError(
                    f"query: {name!r} refers to itself and has windows, a funnel or quantiles, "
                    "which Spark cannot do; write its steps one by one."
                )
            select = exp.select("*").from_(exp.Table(this=exp.to_identifier(name, quoted=True)))
            select.set("with_", exp.With(expressions=[cte.copy()], recursive=True))
            df = translation.run_spark(select)
        else:
            df = answer(cte.this.copy(), translation)
        if columns := cte.args["alias"].args.get("columns"):
            df = rename(df, [one.name for one in columns], translation)
        translation = translation.with_tables(translation.tables.with_ctes({name: df}))
    return translation


def _names_itself(cte: exp.CTE) -> bool:
    return any(one.name.lower() == cte.alias.lower() for one in cte.this.find_all(exp.Table))


def _answer_parenthesized(query: exp.Subquery, translation: Translation) -> "DataFrame":
    """Return the answer to a query in parentheses, with an order or a limit after them."""
    df = answer(query.this.copy(), translation)
    outer = exp.Select(expressions=[exp.Star()])
    for part in ("order", "limit", "offset"):
        outer.set(part, query.args[part].copy() if query.args.get(part) else None)
    if not any(outer.args.get(part) for part in ("order", "limit", "offset")):
        return df
    outer.set("from_", exp.From(this=translation.tables.add_answer(df, query.alias)))
    add_op_column(outer, translation)
    return translation.run_spark(outer)


def _replace_by_answer(nested: exp.Expr, outer_query: exp.Query, translation: Translation) -> None:
    """Replace a nested query by a table that holds its answer."""
    if not needs_kernels(nested, translation.dialect):
        return
    _check_uncorrelated(nested, outer_query)
    inner: Any = nested.this if isinstance(nested, exp.Subquery) else nested
    df = answer(inner.copy(), translation)
    alias = nested.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        df = rename(df, [column.name for column in alias.args["columns"]], translation)
    if isinstance(nested.parent, exp.From | exp.Join):
        answer_table = translation.tables.add_answer(df, nested.alias or "answer_")
        for part in ("joins", "laterals", "sample", "pivots"):
            if nested.args.get(part):
                answer_table.set(part, [child.copy() for child in nested.args[part]])
        nested.replace(answer_table)
        return
    select = exp.select("*").from_(translation.tables.add_answer(df, ""))
    nested.replace(exp.Subquery(this=select) if isinstance(nested, exp.Subquery) else select)


def _check_uncorrelated(nested: exp.Expr, outer_query: exp.Query) -> None:
    """Refuse windows in a correlated query."""
    inner_names = {
        table.alias_or_name.lower() for table in nested.find_all(exp.Table, exp.Subquery)
    }
    outer_names = {
        node.alias_or_name.lower() for node in walk_own(outer_query) if isinstance(node, exp.Table)
    } | {
        query.alias.lower()
        for query in nested_queries(outer_query)
        if isinstance(query, exp.Subquery)
    }
    for column in nested.find_all(exp.Column):
        if column.table and column.table.lower() in outer_names - inner_names:
            raise WorkbenchError(
                f"query: a query with windows refers to {column.sql()} of the query around it, "
                "which Spark cannot do; join the two instead."
            )
    lateral = nested.find_ancestor(exp.Lateral)
    if lateral is not None:
        raise WorkbenchError(
            "query: LATERAL around windows is not available; join the two instead."
        )
