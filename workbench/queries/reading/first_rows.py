"""DISTINCT ON, LIMIT BY and WITH TIES, which keep the first rows of an order, as QUALIFY."""

from collections.abc import Sequence

from sqlglot import exp

from workbench.errors import WorkbenchError


def expand_first_rows(query: exp.Query, dialect: str) -> None:
    """Write DISTINCT ON, LIMIT BY and WITH TIES as QUALIFY; the result keeps its order.

    Parameters
    ----------
    query : sqlglot.exp.Query
        It is changed; queries within it are not.
    dialect : str

    Raises
    ------
    WorkbenchError
        When the query has no ORDER BY, or has a clause that does not combine with QUALIFY.

    Examples
    --------
    >>> import sqlglot
    >>> query = sqlglot.parse_one("SELECT x FROM t ORDER BY x LIMIT 2 BY k", read="clickhouse")
    >>> expand_first_rows(query, "clickhouse")
    >>> print(query.sql("duckdb"))
    SELECT x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY x) <= 2 ORDER BY x
    """
    limit, offset, distinct = (_clause(query, name) for name in ("limit", "offset", "distinct"))
    options = None if limit is None else limit.args.get("limit_options")
    keys = [one for part in (limit, offset) if part for one in part.expressions]
    if options is not None and options.args.get("percent"):
        raise WorkbenchError("query: a LIMIT in percent is not available; give a number of rows.")
    if limit is not None and options is not None and options.args.get("with_ties"):
        _check_alone("WITH TIES", query, offset)
        count = limit.args.get("count") or limit.args.get("expression") or exp.Literal.number(1)
        query.set("limit", None)
        _set_qualify(query, exp.Rank(), [], count, dialect)
    elif limit is not None and keys:
        _check_alone("LIMIT BY", query)
        query.set("limit", None)
        query.set("offset", None)
        skipped = offset and offset.expression
        _set_qualify(query, exp.RowNumber(), keys, limit.expression, dialect, skipped)
    elif distinct is not None and distinct.args.get("on") and query.args.get("order"):
        query.set("distinct", None)
        _check_alone("DISTINCT ON", query)
        keys = distinct.args["on"].expressions
        _set_qualify(query, exp.RowNumber(), keys, exp.Literal.number(1), dialect)


def _clause(query: exp.Query, name: str) -> exp.Expr | None:
    """Return a clause of a query, or None; sqlglot has False in place of some absent clauses."""
    value = query.args.get(name)
    return value if isinstance(value, exp.Expr) else None


def _check_alone(word: str, query: exp.Query, offset: exp.Expr | None = None) -> None:
    """Refuse a clause that counts rows next to one that removes rows before or after it."""
    if query.args.get("order") is None:
        raise WorkbenchError(
            f"query: {word} depends on the order of the rows, and the query has no ORDER BY; add "
            "one."
        )
    clauses = {
        "UNION, EXCEPT and INTERSECT": not isinstance(query, exp.Select),
        "QUALIFY": query.args.get("qualify") is not None,
        "DISTINCT": _clause(query, "distinct") is not None,
        "OFFSET": offset is not None,
    }
    for clause in (name for name, is_present in clauses.items() if is_present):
        raise WorkbenchError(
            f"query: {word} together with {clause} is not available; number the rows by "
            "row_number() or rank() in a subquery."
        )


def _set_qualify(
    select: exp.Query,
    rank: exp.Expr,
    keys: Sequence[exp.Expr],
    count: exp.Expr,
    dialect: str,
    skipped: exp.Expr | None = None,
) -> None:
    """Keep the first rows of each key by the query's order, after those that are skipped."""
    order = select.args["order"].copy()
    for one in order.expressions:
        one.set("this", _resolve_term(one.this, select, dialect))
    keys = [_resolve_term(one, select, dialect) for one in keys]
    row = exp.Window(this=rank, partition_by=keys, order=order)
    condition: exp.Expr = exp.LTE(this=row, expression=count.copy())
    if skipped is not None:
        end = exp.Add(this=skipped.copy(), expression=count.copy())
        after_skipped = exp.GT(this=row.copy(), expression=skipped.copy())
        condition = exp.and_(after_skipped, exp.LTE(this=row, expression=end))
    select.set("qualify", exp.Qualify(this=condition))


def _resolve_term(term: exp.Expr, select: exp.Query, dialect: str) -> exp.Expr:
    """Return the expression of a term that is the name or the number of an output column."""
    if term.is_int and any(one.is_star for one in select.selects):
        raise WorkbenchError(
            f"query: ORDER BY {term.name} together with * and DISTINCT ON, LIMIT BY or WITH TIES "
            "is not available; name the column."
        )
    for number, one in enumerate(select.selects, 1):
        is_alias = isinstance(term, exp.Column) and not term.table and term.name == one.alias
        if is_alias or (term.is_int and term.name == str(number)):
            # In ClickHouse a name means the output column of that name everywhere.
            by_name = dialect == "clickhouse" and one.alias
            return exp.column(one.alias, quoted=True) if by_name else one.unalias().copy()
    return term.copy()
