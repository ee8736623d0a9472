"""IN as ClickHouse means it: nulls are in no set, and whether one would be is not known."""

from sqlglot import exp

from workbench.dialects.writing import known


def with_sets(tree: exp.Expr) -> None:
    """Write IN so that nulls of its right side say nothing, which makes NOT IN null elsewhere.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT 1 FROM t WHERE x NOT IN (1, NULL)", read="clickhouse")
    >>> with_sets(tree)
    >>> print(tree.sql("spark"))
    SELECT 1 FROM t WHERE NOT x IN (1)
    """
    for node in reversed(list(tree.find_all(exp.In))):
        # Where it is answered is no matter of the answer.
        node.set("is_global", None)
        _name_query(node)
        of = node.this.unnest()
        row = of.expressions if isinstance(of, exp.Tuple) else []
        if node.args.get("query") is not None:
            _leave_out_nulls(node, len(row) or 1)
            node.replace(_of_known_row(node, row) if row else _of_known_value(node))
        elif node.expressions:
            node.replace(_any_of_rows(node, row) if row else _any_of_values(node))


def _name_query(node: exp.In) -> None:
    """Put what ``x IN s`` says into one of its two plain forms: values, or a query."""
    field = node.args.get("field")
    if isinstance(field, exp.Struct):
        node.set("expressions", field.expressions)
        node.set("field", None)
    only = field if field is not None else node.expressions[0] if node.expressions else None
    if len(node.expressions) < 2 and isinstance(only, exp.Column) and _is_named_query(only):
        rows = exp.select("*").from_(exp.to_identifier(only.name))
        for part, value in (("field", None), ("expressions", None), ("query", rows.subquery())):
            node.set(part, value)


def _is_named_query(column: exp.Column) -> bool:
    above = column.parent
    while above is not None:
        ctes = above.args.get("with_")
        if ctes is not None and column.name in [one.alias for one in ctes.expressions]:
            return not column.table
        above = above.parent
    return False


def _leave_out_nulls(node: exp.In, width: int) -> None:
    """Ask of the rows of a query without those that have a null."""
    rows = node.args["query"]
    names = [exp.to_identifier(f"v{k}") for k in range(1, width + 1)]
    named = exp.TableAlias(this=exp.to_identifier("listed"), columns=names)
    listed = exp.Subquery(this=rows.unnest().copy(), alias=named)
    columns = [exp.column(name.copy()) for name in names]
    query = exp.select(*columns).from_(listed).where(*(known(one) for one in columns))
    node.set("query", query.subquery())


def _of_known_value(node: exp.In) -> exp.Expr:
    """Null of a null where that is seen: a condition of rows takes it for no."""
    if not _is_answer(node):
        return node.copy()
    return exp.Case(ifs=[exp.If(this=known(node.this), true=node.copy())])


def _of_known_row(node: exp.In, row: list[exp.Expr]) -> exp.Expr:
    return exp.paren(exp.and_(*(known(one) for one in row), node.copy()), copy=False)


def _any_of_values(node: exp.In) -> exp.Expr:
    some = [one for one in node.expressions if not isinstance(one, exp.Null)]
    if len(some) == len(node.expressions):
        return node.copy()
    if some:
        return exp.In(this=node.this.copy(), expressions=[one.copy() for one in some])
    return exp.Case(ifs=[exp.If(this=known(node.this), true=exp.false())])


def _any_of_rows(node: exp.In, values: list[exp.Expr]) -> exp.Expr:
    """Whether a tuple is one of others: of one with a null it is known that it is none."""
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


def _is_answer(node: exp.Expr) -> bool:
    """Whether it is part of what a query answers, and not of which rows it is of."""
    while node.parent is not None and not isinstance(node.parent, exp.Select):
        node = node.parent
    return node.arg_key == "expressions"
