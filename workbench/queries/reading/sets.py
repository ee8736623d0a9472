"""IN with the semantics of ClickHouse: a null in the set is ignored, and null IN is null."""

from sqlglot import exp

from workbench.dialects.templates import is_not_null
from workbench.queries.reading.quantified import only_truth_matters


def rewrite_in(tree: exp.Expr) -> None:
    """Rewrite IN so that it ignores nulls of its right side, which make NOT IN null elsewhere.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT 1 FROM t WHERE x NOT IN (1, NULL)", read="clickhouse")
    >>> rewrite_in(tree)
    >>> print(tree.sql("spark"))
    SELECT 1 FROM t WHERE NOT x IN (1)
    """
    for node in reversed(list(tree.find_all(exp.In))):
        # GLOBAL says where IN runs, which does not change the result.
        node.set("is_global", None)
        _normalize(node)
        value = node.this.unnest()
        row = value.expressions if isinstance(value, exp.Tuple) else []
        if node.args.get("query") is not None:
            _filter_nulls(node, len(row) or 1)
            node.replace(_false_for_null_row(node, row) if row else _null_for_null(node))
        elif node.expressions:
            node.replace(_in_rows(node, row) if row else _in_values(node))


def _normalize(node: exp.In) -> None:
    """Bring ``x IN s`` into one of two forms: a list of values, or a query."""
    field = node.args.get("field")
    if isinstance(field, exp.Struct):
        node.set("expressions", field.expressions)
        node.set("field", None)
    operand = field if field is not None else node.expressions[0] if node.expressions else None
    if len(node.expressions) < 2 and isinstance(operand, exp.Column) and _is_cte(operand):
        rows = exp.select("*").from_(exp.to_identifier(operand.name))
        for part, value in (("field", None), ("expressions", None), ("query", rows.subquery())):
            node.set(part, value)


def _is_cte(column: exp.Column) -> bool:
    ancestor = column.parent
    while ancestor is not None:
        ctes = ancestor.args.get("with_")
        if ctes is not None and column.name in [one.alias for one in ctes.expressions]:
            return not column.table
        ancestor = ancestor.parent
    return False


def _filter_nulls(node: exp.In, width: int) -> None:
    """Filter the rows with a null out of the query of IN."""
    rows = node.args["query"]
    names = [exp.to_identifier(f"v{k}") for k in range(1, width + 1)]
    alias = exp.TableAlias(this=exp.to_identifier("listed"), columns=names)
    subquery = exp.Subquery(this=rows.unnest().copy(), alias=alias)
    columns = [exp.column(name.copy()) for name in names]
    query = exp.select(*columns).from_(subquery).where(*(is_not_null(one) for one in columns))
    node.set("query", query.subquery())


def _null_for_null(node: exp.In) -> exp.Expr:
    """Return IN that is null for a null value; within a condition null and false are the same."""
    if only_truth_matters(node):
        return node.copy()
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=node.copy())])


def _false_for_null_row(node: exp.In, row: list[exp.Expr]) -> exp.Expr:
    return exp.paren(exp.and_(*(is_not_null(one) for one in row), node.copy()), copy=False)


def _in_values(node: exp.In) -> exp.Expr:
    non_null = [one for one in node.expressions if not isinstance(one, exp.Null)]
    if len(non_null) == len(node.expressions):
        return node.copy()
    if non_null:
        return exp.In(this=node.this.copy(), expressions=[one.copy() for one in non_null])
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=exp.false())])


def _in_rows(node: exp.In, values: list[exp.Expr]) -> exp.Expr:
    """Return whether a tuple equals one of several; false for a tuple with a null."""
    rows = [one.unnest() for one in node.expressions]
    if not all(isinstance(row, exp.Tuple) and len(row.expressions) == len(values) for row in rows):
        return node.copy()
    alike = [
        exp.and_(
            *(
                exp.EQ(this=a.copy(), expression=b.copy())
                for a, b in zip(values, row.expressions, strict=True)
            )
        )
        for row in rows
    ]
    return exp.Coalesce(this=exp.or_(*alike), expressions=[exp.false()])
