"""Comparisons of rows, ``(a, b) > (1, 2)``: Spark compares only structs of equal types."""

from sqlglot import exp

from workbench.dialects.templates import is_not_null

#: Each order with the one that decides at a value before the last.
_STRICT: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.LT, exp.LTE: exp.LT, exp.GT: exp.GT, exp.GTE: exp.GT,
}  # fmt: skip
_NEGATED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.NEQ: exp.EQ,
    exp.NullSafeNEQ: exp.NullSafeEQ,
}
#: In DuckDB two rows are never null: a null equals a null, and is larger than all values.
_NEGATED_IN_DUCKDB = _NEGATED | {exp.LTE: exp.GT, exp.GTE: exp.LT}


def rewrite_rows(tree: exp.Expr, dialect: str) -> None:
    """Rewrite comparisons of rows as comparisons of their values.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT 1 FROM t WHERE (a, b) >= (1, 2)", read="postgres")
    >>> rewrite_rows(tree, "postgres")
    >>> print(tree.sql("spark"))
    SELECT 1 FROM t WHERE (a > 1 OR (a = 1 AND b >= 2))
    """
    if dialect == "spark":
        return
    for node in list(tree.find_all(*_STRICT, *_NEGATED, *_NEGATED.values())):
        if _are_rows(node.this, node.expression):
            compared = _compare(type(node), node.this, node.expression, dialect)
            node.replace(exp.paren(compared, copy=False))
    # A set of rows in ClickHouse has rules of its own.
    for node in list(tree.find_all(exp.In)) if dialect != "clickhouse" else ():
        rows = node.expressions
        if rows and all(_are_rows(node.this, row) for row in rows):
            equal = [_compare(exp.EQ, node.this, row, dialect) for row in rows]
            node.replace(exp.paren(exp.or_(*equal), copy=False))


def _are_rows(left: exp.Expr, right: exp.Expr) -> bool:
    return len(_values(left)) == len(_values(right)) > 0


def _values(node: exp.Expr) -> list[exp.Expr]:
    """Return the values of a row, and none for what is not written as a row."""
    node = node.unnest()
    is_row = isinstance(node, exp.Anonymous) and node.name.lower() == "row"
    return node.expressions if is_row or isinstance(node, exp.Tuple) else []


def _compare(kind: type[exp.Expr], left: exp.Expr, right: exp.Expr, dialect: str) -> exp.Expr:
    """Return the comparison of two values, each of which may be a row itself."""
    if not _are_rows(left, right):
        return kind(this=left.copy(), expression=right.copy())
    negated = _NEGATED_IN_DUCKDB if dialect == "duckdb" else _NEGATED
    if kind in negated:
        return exp.not_(exp.paren(_compare(negated[kind], left, right, dialect)), copy=False)
    pairs = list(zip(_values(left), _values(right), strict=True))
    if kind not in _STRICT:
        return exp.and_(*(_compare_within(kind, *pair, dialect) for pair in pairs), copy=False)
    compared = _compare_within(kind, *pairs.pop(), dialect)
    for pair in reversed(pairs):
        is_equal = _compare_within(exp.EQ, *pair, dialect)
        decided = _compare_within(_STRICT[kind], *pair, dialect)
        compared = exp.or_(decided, exp.and_(is_equal, compared))
    return compared


def _compare_within(
    kind: type[exp.Expr], left: exp.Expr, right: exp.Expr, dialect: str
) -> exp.Expr:
    """Return the comparison of two values of rows."""
    if dialect != "duckdb" or _are_rows(left, right):
        return _compare(kind, left, right, dialect)
    if kind is exp.EQ:
        return _compare(exp.NullSafeEQ, left, right, dialect)
    compared = _compare(kind, left, right, dialect)
    if kind is exp.NullSafeEQ:
        return compared
    not_null = left if kind is exp.LT else right
    return exp.Coalesce(this=compared, expressions=[is_not_null(not_null)])
