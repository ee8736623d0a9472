"""ANY and ALL of a query, which Spark has not, and IN, where Spark takes null for false."""

from sqlglot import exp

from workbench.errors import WorkbenchError

_LEAST, _LARGEST = "MIN(value)", "MAX(value)"
#: What a value is compared with instead of ANY row of a query, and instead of ALL.
_BOUNDS: dict[type[exp.Expr], tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys((exp.LT, exp.LTE), ((_LARGEST,), (_LEAST,))),
    **dict.fromkeys((exp.GT, exp.GTE), ((_LEAST,), (_LARGEST,))),
    **dict.fromkeys((exp.EQ, exp.NEQ), ((_LEAST, _LARGEST), (_LEAST, _LARGEST))),
}
#: The clauses whose conditions keep a row or do not: there null and false are the same.
_CLAUSES = (exp.Where, exp.PreWhere, exp.Having, exp.Qualify, exp.Join)


def rewrite_quantified(tree: exp.Expr, dialect: str) -> None:
    """Rewrite comparisons with ANY or ALL rows of a query, which Spark has not.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Raises
    ------
    WorkbenchError
        When ClickHouse compares with ``= ALL`` or ``!= ANY``.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT 1 FROM t WHERE x <> ALL (SELECT y FROM u)", read="duckdb")
    >>> rewrite_quantified(tree, "duckdb")
    >>> print(tree.sql("spark"))
    SELECT 1 FROM t WHERE NOT x IN (SELECT y FROM u)
    """
    for node in reversed(list(tree.find_all(exp.Any, exp.All))):
        comparison, query = node.parent, node.this.unnest()
        if not isinstance(comparison, exp.Binary) or type(comparison) not in _BOUNDS:
            continue
        if isinstance(query, exp.Query):
            comparison.replace(_quantified(comparison, query, isinstance(node, exp.Any), dialect))


def rewrite_unknown_in(tree: exp.Expr) -> None:
    """Let IN of a query be null where a null decides; Spark answers false in a column.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    """
    for node in reversed(list(tree.find_all(exp.In))):
        is_row = isinstance(node.this.unnest(), exp.Tuple)
        if node.args.get("query") is None or is_row or only_truth_matters(node):
            continue
        query = node.args["query"].unnest()
        is_null = exp.Is(this=node.this.copy(), expression=exp.Null())
        unknown = exp.and_(exp.or_(is_null, _has_null(query)), _has_rows(query))
        ifs = [exp.If(this=node.copy(), true=exp.true()), exp.If(this=unknown, true=exp.Null())]
        node.replace(exp.Case(ifs=ifs, default=exp.false()))


def _quantified(comparison: exp.Binary, query: exp.Query, is_any: bool, dialect: str) -> exp.Expr:
    """Return a comparison with ANY or ALL rows of a query."""
    value = comparison.this
    if isinstance(comparison, exp.EQ if is_any else exp.NEQ):
        is_in = exp.In(this=value.copy(), query=query.copy().subquery())
        return is_in if is_any else exp.Not(this=is_in)
    compared = [
        type(comparison)(this=value.copy(), expression=_of_rows(query, bound))
        for bound in _BOUNDS[type(comparison)][0 if is_any else 1]
    ]
    if dialect == "clickhouse":
        if len(compared) > 1:
            raise WorkbenchError(
                "query: = ALL and != ANY of a query are not available, as ClickHouse compares with "
                "one value there; compare with min(...) and max(...) of the query."
            )
        return compared[0]
    unknown = exp.If(this=_has_null(query), true=exp.Null(), false=exp.convert(not is_any))
    combined = exp.or_(*compared, unknown) if is_any else exp.and_(*compared, unknown)
    with_rows = exp.and_ if is_any else exp.or_
    of_none = _has_rows(query) if is_any else exp.Not(this=exp.paren(_has_rows(query)))
    return exp.paren(with_rows(of_none, combined))


def only_truth_matters(node: exp.Expr) -> bool:
    """Return whether only the truth of a node matters: a condition, or a part of one."""
    part, parent = node, node.parent
    while isinstance(parent, exp.And | exp.Or | exp.Not | exp.Paren):
        part, parent = parent, parent.parent
    if isinstance(parent, exp.If) and part is parent.this:
        # CASE with an operand compares it with the value.
        return not isinstance(parent.parent, exp.Case) or parent.parent.this is None
    return isinstance(parent, _CLAUSES)


def _has_rows(query: exp.Query) -> exp.Expr:
    # Where no row belongs to the row outside, Spark has no count.
    count = exp.Coalesce(this=_of_rows(query, "COUNT(*)"), expressions=[exp.Literal.number(0)])
    return exp.GT(this=count, expression=exp.Literal.number(0))


def _has_null(query: exp.Query) -> exp.Expr:
    return exp.GT(this=_of_rows(query, "COUNT(*)"), expression=_of_rows(query, "COUNT(value)"))


def _of_rows(query: exp.Query, aggregate: str) -> exp.Expr:
    """Return an aggregate of the values of a query, as a query."""
    columns = [exp.to_identifier("value")]
    alias = exp.TableAlias(this=exp.to_identifier("rows_"), columns=columns)
    return exp.select(aggregate).from_(exp.Subquery(this=query.copy(), alias=alias)).subquery()
