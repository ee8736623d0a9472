"""Rewrites of a query where Spark's own SQL has other semantics than the dialect."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from workbench.dialects.aggregates.rewrite import rewrite_aggregates
from workbench.dialects.clickhouse.calls import rewrite_clickhouse
from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import INTEGERS
from workbench.dialects.numbers import clickhouse_decimal_quotient, postgres_decimal_quotient
from workbench.dialects.scalars import rewrite_scalars
from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import (
    computed_aliases,
    select_of_same_rows,
    sources_of,
    walk_own,
)
from workbench.queries.reading.quantified import rewrite_unknown_in
from workbench.queries.reading.values import name_values
from workbench.queries.rows_of_lists import move_generators, rewrite_unnest
from workbench.spark.names import unused

#: The type of a sum of bigints in Postgres: a numeric, of as many digits as a bigint may have.
SUM_OF_BIGINTS = "DECIMAL(20, 0)"
#: What a SELECT within another one is in.
_AROUND = (exp.Subquery, exp.Lateral, exp.Exists, exp.In, exp.CTE)
#: Spark's function of a list for each word before it.
_QUANTIFIERS = {"any": "exists", "some": "exists", "all": "forall"}


def rewrite_for_spark(
    tree: exp.Query,
    dialect: str,
    types: Callable[[exp.Select], list[Any] | None],
    days: bool = True,
) -> exp.Query:
    """Return a query that has the same meaning in Spark as in its dialect; the tree is changed.

    Parameters
    ----------
    tree : sqlglot.exp.Query
    dialect : str
    types : function of a query to types
        Spark's types of the query's columns; None if Spark cannot tell.
    days : bool
        Whether any of its tables has a column of dates; else differences need no types.

    Returns
    -------
    sqlglot.exp.Query
    """

    types_after_aggregates = _rewrite_aggregates_first(types, dialect)

    def types_of(node: exp.Expr, operands: Sequence[exp.Expr]) -> list[Any] | None:
        return _types_of(node, operands, types_after_aggregates)

    if dialect == "clickhouse":
        rewrite_clickhouse(tree, types_of)
    elif dialect != "spark":
        _qualify_order_by(tree, types)
        rewrite_unknown_in(tree)
        _rewrite_first_rows_of_subqueries(tree)
    rewrite_unnest(tree, dialect)
    _unalias_keys_of_grouping(tree)
    rewrite_scalars(tree, dialect, types_of, days)
    for count in tree.find_all(exp.Count):
        if count.this is None:
            count.set("this", exp.Star())
    _rewrite_sums_and_quotients(tree, dialect, types_after_aggregates)
    _rewrite_any_and_all(tree, dialect)
    # Of DuckDB's quantiles those that interpolate have Spark's name, and only they are left then.
    rewrite_aggregates(tree, dialect)
    for one in list(tree.find_all(exp.PercentileCont, exp.Values)):
        if isinstance(one, exp.Values):
            name_values(one, dialect)
        elif one.expression and not isinstance(one.parent, exp.WithinGroup):
            one.replace(exp.Quantile(this=one.this, quantile=one.expression))
    move_generators(tree, dialect)
    return tree


def _rewrite_aggregates_first(
    types: Callable[[exp.Select], list[Any] | None], dialect: str
) -> Callable[[exp.Select], list[Any] | None]:
    """Return a function that asks for the types of a query once Spark knows its aggregates.

    Lists that become rows within an expression would not be known either.
    """

    def types_after_aggregates(select: exp.Select) -> list[Any] | None:
        rewrite_aggregates(select, dialect)
        move_generators(select, dialect)
        return types(select)

    return types_after_aggregates


def _qualify_order_by(tree: exp.Expr, types: Callable[[exp.Select], list[Any] | None]) -> None:
    """Add the table to a column within a term of ORDER BY if an alias has the same name.

    A term that is a name alone means the alias; within a term the name means the column, but Spark
    would take the alias there as well.
    """
    for select in tree.find_all(exp.Select):
        order = select.args.get("order")
        if order is None or select.args.get("from_") is None:
            continue
        aliases, sources = computed_aliases(select), sources_of(select)
        terms = [one.this for one in order.expressions if not isinstance(one.this, exp.Column)]
        for node in [
            one for term in terms for one in walk_own(term) if isinstance(one, exp.Column)
        ]:
            if not node.table and node.name.lower() in aliases:
                _qualify_column(node, sources, types)


def _qualify_column(
    node: exp.Column, sources: Sequence[exp.Expr], types: Callable[[exp.Select], list[Any] | None]
) -> None:
    """Add the name of its table to a column, if a table has it."""
    for k, source in enumerate(sources):
        if not source.alias_or_name and source.args.get("alias") is None:
            table_alias = exp.to_identifier(f"source_{k}", quoted=True)
            source.set("alias", exp.TableAlias(this=table_alias))
        table_name = exp.to_identifier(source.alias_or_name, quoted=True)
        column = exp.column(node.this.copy(), table=table_name)
        if _types_of(node, (column,), types):
            node.replace(column)
            return


def _rewrite_first_rows_of_subqueries(tree: exp.Expr) -> None:
    """Write ``u.k = t.k + 1`` as two comparisons where a subquery of expressions has a LIMIT.

    Spark 4.3 takes the first rows of the whole subquery there, not those that belong to a row of
    the query around it, where one side is a column and the other an expression.
    """
    for select in tree.find_all(exp.Select):
        if select.args.get("limit") is None or not _may_be_correlated(select):
            continue
        for equal in list(select.find_all(exp.EQ)):
            sides = equal.this.unnest(), equal.expression.unnest()
            is_column = [isinstance(one, exp.Column) for one in sides]
            of_expression = any(is_column) and all(one.find(exp.Column) for one in sides)
            in_where = isinstance(equal.find_ancestor(exp.Where, exp.Select), exp.Where)
            if in_where and of_expression and not all(is_column):
                comparisons = (one(**equal.copy().args) for one in (exp.LTE, exp.GTE))
                equal.replace(exp.paren(exp.and_(*comparisons)))


def _may_be_correlated(select: exp.Select) -> bool:
    """Return whether a SELECT is within an expression or LATERAL, so not only within FROM."""
    node: exp.Expr | None = select
    while node is not None and (node := node.find_ancestor(*_AROUND)) is not None:
        if not isinstance(node, exp.CTE) and not isinstance(node.parent, exp.From | exp.Join):
            return True
    return False


def _unalias_keys_of_grouping(tree: exp.Expr) -> None:
    """Write ``g AS g`` as ``g`` where HAVING or ORDER BY has GROUPING, which Spark looks up in it.

    Spark 4.3 takes the key there for the alias, which is no key.
    """
    for node in tree.find_all(exp.Grouping):
        clause, select = node.find_ancestor(exp.Having, exp.Order), node.find_ancestor(exp.Select)
        if clause is None or select is None:
            continue
        for one in select.expressions:
            column = one.this if isinstance(one, exp.Alias) else None
            if isinstance(column, exp.Column) and column.name == one.alias:
                one.replace(column.copy())


def _rewrite_any_and_all(tree: exp.Expr, dialect: str) -> None:
    """Rewrite comparisons with ANY or ALL of a list as ``exists`` and ``forall``."""
    if dialect == "spark":
        return  # It has them for texts alone: LIKE ANY ('a')
    for node in list(tree.find_all(exp.Any, exp.All, exp.Anonymous)):
        name = node.name if isinstance(node, exp.Anonymous) else node.key
        function, comparison = _QUANTIFIERS.get(name.lower()), node.parent
        values = node.expressions[0] if node.expressions else node.this
        if function is None or not isinstance(comparison, exp.Binary):
            continue
        # Spark has LIKE ANY ('a', 'b').
        if not isinstance(values.unnest(), exp.Tuple | exp.Query):
            predicate = _list_predicate(function, comparison, values.unnest(), dialect)
            comparison.replace(predicate)


def _list_predicate(
    function: str, comparison: exp.Binary, values: exp.Expr, dialect: str
) -> exp.Expr:
    """Return ``exists`` or ``forall`` of a list, with a comparison of each element."""
    if dialect == "duckdb" and not isinstance(values, exp.Array):
        # DuckDB compares with the rows of the list, and a null has none.
        values = exp.Coalesce(this=values.copy(), expressions=[exp.Array()])
    name = unused({one.name.lower() for one in comparison.find_all(exp.Column)}, "one")
    element = exp.to_identifier(name, quoted=True)
    body = comparison.copy()  # with NOT of NOT LIKE
    body.set("expression", element.copy())
    predicate = exp.Lambda(this=body, expressions=[element])
    return exp.Anonymous(this=function, expressions=[values.copy(), predicate])


def _quotient(
    node: exp.Expr, dialect: str, types: Callable[[exp.Select], list[Any] | None]
) -> exp.Expr:
    """Return a quotient with the type that the dialect gives it."""
    # Operands of a call, as in intDiv(x - 3, 2), have no parentheses yet.
    left, right = (
        exp.paren(one.copy(), copy=False) if isinstance(one, exp.Binary) else one
        for one in (node.this, node.expression)
    )
    if dialect == "spark" or node.find(exp.Interval):
        return node
    if isinstance(node, exp.IntDiv) and dialect != "duckdb":
        return exp.IntDiv(this=left.copy(), expression=right.copy())
    if isinstance(node, exp.Div) and dialect == "duckdb":
        return _quotient_of_doubles(left.copy(), right.copy())
    operand_types = _types_of(node, (node.this, node.expression), types)
    names = [one.typeName() for one in operand_types or ()]
    if dialect == "duckdb":
        if all(name in INTEGERS for name in names):
            return exp.IntDiv(this=left.copy(), expression=right.copy())
        # Of numbers with fractions the quotient keeps its fraction.
        return exp.Div(this=exp.cast(left.copy(), "DOUBLE"), expression=right.copy())
    if dialect in POSTGRES:
        if operand_types is None or not all(name in (*INTEGERS, "decimal") for name in names):
            return node
        if "decimal" in names:
            return postgres_decimal_quotient(left, right, operand_types)
        is_int = "long" not in names
        quotient = exp.IntDiv(this=left.copy(), expression=right.copy())
        return exp.cast(quotient, "INT") if is_int else quotient
    decimal_quotient = (
        clickhouse_decimal_quotient(left, right, operand_types) if operand_types else None
    )
    return decimal_quotient or _quotient_of_doubles(left.copy(), right.copy())


def _rewrite_sums_and_quotients(
    tree: exp.Expr, dialect: str, types: Callable[[exp.Select], list[Any] | None]
) -> None:
    """Give sums and quotients the types of the dialect, those of subqueries first."""
    if dialect in POSTGRES:
        _rewrite_sums_of_bigints(tree, types)
    for node in reversed(list(tree.find_all(exp.Div, exp.IntDiv))):
        node.replace(_quotient(node, dialect, types))


def _rewrite_sums_of_bigints(
    tree: exp.Expr, types: Callable[[exp.Select], list[Any] | None]
) -> None:
    for node in reversed(list(tree.find_all(exp.Sum))):
        kinds = _types_of(node, (node.this.unnest(),), types)
        if kinds is not None and kinds[0].typeName() == "long":
            value = node.parent if isinstance(node.parent, exp.Filter) else node
            value.replace(exp.cast(value.copy(), SUM_OF_BIGINTS))


def _quotient_of_doubles(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Return a quotient of doubles: divided by zero, an error in Spark, it is infinite or NaN."""
    quotient = exp.Div(this=exp.cast(left, "DOUBLE"), expression=right)
    if isinstance(right, exp.Literal) and right.this.strip("0."):
        return quotient
    infinite = exp.Mul(
        this=exp.cast(left.copy(), "DOUBLE"),
        expression=exp.cast(exp.Literal.string("Infinity"), "DOUBLE"),
    )
    is_zero = exp.EQ(this=exp.cast(right.copy(), "DOUBLE"), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=is_zero, true=infinite)], default=quotient)


def _types_of(
    node: exp.Expr,
    operands: Sequence[exp.Expr],
    types: Callable[[exp.Select], list[Any] | None],
) -> list[Any] | None:
    """Return the types of expressions in the place of a node."""
    select = node.find_ancestor(exp.Select)
    if select is None:
        return None
    operand_types: list[Any] = []
    for operand in operands:
        select_operand = select_of_same_rows(select)
        select_operand.set("expressions", [operand.copy()])
        select_operand.set("with_", _with_of(select))
        if (column_types := types(select_operand)) is None:
            return None
        operand_types += column_types
    return operand_types


def _with_of(select: exp.Select) -> exp.With | None:
    """Return the tables of WITH that a SELECT sees, as one clause; None without any."""
    ctes: dict[str, exp.Expr] = {}
    is_recursive = False
    node: exp.Expr | None = select
    while node is not None:
        if (with_clause := node.args.get("with_")) is not None:
            is_recursive = is_recursive or bool(with_clause.args.get("recursive"))
            for cte in reversed(with_clause.expressions):
                ctes.setdefault(cte.alias.lower(), cte.copy())
        node = node.parent
    # Those of the queries around it come first.
    return exp.With(expressions=[*ctes.values()][::-1], recursive=is_recursive) if ctes else None


def check_no_window(tree: exp.Expr, clause: str) -> None:
    """Refuse a window in a clause that runs before windows."""
    if any(isinstance(one, exp.Window) for one in walk_own(tree)):
        raise WorkbenchError(
            f"query: there is a window in {clause}, which is evaluated before windows; use "
            "QUALIFY, or a query around this one."
        )
