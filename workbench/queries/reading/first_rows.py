"""What keeps the first rows by a query's order: DISTINCT ON, LIMIT BY and WITH TIES as QUALIFY."""

from collections.abc import Sequence

from sqlglot import exp

from workbench.errors import WorkbenchError


def with_first_rows(query: exp.Query, dialect: str) -> None:
    """Write what keeps the first rows of a query in full; the order remains that of the answer.

    Parameters
    ----------
    query : sqlglot.exp.Query
        It is changed; queries within it are not.
    dialect : str

    Raises
    ------
    WorkbenchError
        When there is no order to go by, or it stands beside what QUALIFY cannot be beside.

    Examples
    --------
    >>> import sqlglot
    >>> query = sqlglot.parse_one("SELECT x FROM t ORDER BY x LIMIT 2 BY k", read="clickhouse")
    >>> with_first_rows(query, "clickhouse")
    >>> print(query.sql("duckdb"))
    SELECT x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY x) <= 2 ORDER BY x
    """
    limit, offset, distinct = (_part(query, name) for name in ("limit", "offset", "distinct"))
    options = None if limit is None else limit.args.get("limit_options")
    keys = [one for part in (limit, offset) if part for one in part.expressions]
    if options is not None and options.args.get("percent"):
        raise WorkbenchError(
            "query: a LIMIT of a share of the rows is not available; give how many rows."
        )
    if limit is not None and options is not None and options.args.get("with_ties"):
        _check_alone("WITH TIES", query, offset)
        count = limit.args.get("count") or limit.args.get("expression") or exp.Literal.number(1)
        query.set("limit", None)
        _keep(query, exp.Rank(), [], count, dialect)
    elif limit is not None and keys:
        _check_alone("LIMIT BY", query)
        query.set("limit", None)
        query.set("offset", None)
        left_out = offset and offset.expression
        _keep(query, exp.RowNumber(), keys, limit.expression, dialect, left_out)
    elif distinct is not None and distinct.args.get("on") and query.args.get("order"):
        query.set("distinct", None)
        _check_alone("DISTINCT ON", query)
        keys = distinct.args["on"].expressions
        _keep(query, exp.RowNumber(), keys, exp.Literal.number(1), dialect)


def _part(query: exp.Query, name: str) -> exp.Expr | None:
    """A part of a query, if it is there: some have a mere no in its place."""
    value = query.args.get(name)
    return value if isinstance(value, exp.Expr) else None


def _check_alone(word: str, query: exp.Query, offset: exp.Expr | None = None) -> None:
    """Refuse what goes by a number of rows beside what takes rows away before or behind it."""
    if query.args.get("order") is None:
        raise WorkbenchError(
            f"query: {word} goes by the order of the rows, and the query has no ORDER BY; name one."
        )
    parts = {
        "UNION, EXCEPT and INTERSECT": not isinstance(query, exp.Select),
        "QUALIFY": query.args.get("qualify") is not None,
        "DISTINCT": _part(query, "distinct") is not None,
        "OFFSET": offset is not None,
    }
    for beside in (name for name, there in parts.items() if there):
        raise WorkbenchError(
            f"query: {word} beside {beside} is not available; "
            "number the rows by row_number() or rank() in a query within this one."
        )


def _keep(
    select: exp.Query,
    place: exp.Expr,
    keys: Sequence[exp.Expr],
    count: exp.Expr,
    dialect: str,
    left_out: exp.Expr | None = None,
) -> None:
    """Keep the first rows of each key by the query's order, behind those that are left out."""
    ordered = select.args["order"].copy()
    for one in ordered.expressions:
        one.set("this", _meant(one.this, select, dialect))
    keys = [_meant(one, select, dialect) for one in keys]
    row = exp.Window(this=place, partition_by=keys, order=ordered)
    kept: exp.Expr = exp.LTE(this=row, expression=count.copy())
    if left_out is not None:
        end = exp.Add(this=left_out.copy(), expression=count.copy())
        behind = exp.GT(this=row.copy(), expression=left_out.copy())
        kept = exp.and_(behind, exp.LTE(this=row, expression=end))
    select.set("qualify", exp.Qualify(this=kept))


def _meant(term: exp.Expr, select: exp.Query, dialect: str) -> exp.Expr:
    """What a term is where it is the name or the number of an answer."""
    if term.is_int and any(one.is_star for one in select.selects):
        raise WorkbenchError(
            f"query: ORDER BY {term.name} beside DISTINCT ON, LIMIT BY or WITH TIES and * is not "
            "available; name the column."
        )
    for number, one in enumerate(select.selects, 1):
        named = isinstance(term, exp.Column) and not term.table and term.name == one.alias
        if named or (term.is_int and term.name == str(number)):
            # To ClickHouse a name is that of an answer wherever it stands.
            by_name = dialect == "clickhouse" and one.alias
            return exp.column(one.alias, quoted=True) if by_name else one.unalias().copy()
    return term.copy()
