"""What a dialect means where Spark's own SQL means something else."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from workbench.dialects.aggregates import with_aggregates
from workbench.dialects.clickhouse.calls import with_clickhouse
from workbench.dialects.functions import POSTGRES
from workbench.dialects.numbers import quotient_as_dividend, quotient_of_decimals
from workbench.dialects.scalars import with_scalars
from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import computed_aliases, sources_of, walk_own
from workbench.queries.rows_of_lists import with_all_rows, with_rows_apart
from workbench.spark.table import INTEGERS, unused


def as_spark_means(
    tree: exp.Query,
    dialect: str,
    kinds: Callable[[exp.Select], list[Any] | None],
    days: bool = True,
) -> exp.Query:
    """Return a query that means to Spark what it meant in its dialect; it is changed.

    Parameters
    ----------
    tree : sqlglot.exp.Query
    dialect : str
    kinds : function of a query to types
        Of its columns, as Spark has them; None where it has none.
    days : bool
        Whether any of its tables has a column of days; else nobody asks what a difference is of.

    Returns
    -------
    sqlglot.exp.Query
    """

    known = _knowing_aggregates(kinds, dialect)

    def kinds_of(node: exp.Expr, operands: Sequence[exp.Expr]) -> list[Any] | None:
        return _kinds_of(node, operands, known)

    if dialect == "clickhouse":
        with_clickhouse(tree, kinds_of)
    elif dialect != "spark":
        _order_by_columns(tree, kinds)
    with_all_rows(tree, dialect)
    with_scalars(tree, dialect, kinds_of, days)
    for count in tree.find_all(exp.Count):
        if count.this is None:
            count.set("this", exp.Star())
    for node in reversed(list(tree.find_all(exp.Div, exp.IntDiv))):
        node.replace(_divided(node, dialect, known))
    _compare_with_any(tree)
    for one in list(tree.find_all(exp.PercentileCont, exp.Values)):
        if isinstance(one, exp.Values):
            name_values(one, dialect)
        elif one.expression and not isinstance(one.parent, exp.WithinGroup):
            one.replace(exp.Quantile(this=one.this, quantile=one.expression))
    with_aggregates(tree, dialect)
    with_rows_apart(tree, dialect)
    return tree


def _knowing_aggregates(
    kinds: Callable[[exp.Select], list[Any] | None], dialect: str
) -> Callable[[exp.Select], list[Any] | None]:
    """Types of queries whose aggregates are not yet put as Spark has them."""

    def known(asked: exp.Select) -> list[Any] | None:
        with_aggregates(asked, dialect)
        return kinds(asked)

    return known


def _order_by_columns(tree: exp.Expr, kinds: Callable[[exp.Select], list[Any] | None]) -> None:
    """Say of which table a column within a term of ORDER BY is whose name an answer has, too.

    A term that is a name alone is the answer; within a term it is the column, and Spark would
    take the answer there as well.
    """
    for select in tree.find_all(exp.Select):
        order = select.args.get("order")
        if order is None or select.args.get("from_") is None:
            continue
        answers, sources = computed_aliases(select), sources_of(select)
        terms = [one.this for one in order.expressions if not isinstance(one.this, exp.Column)]
        for node in [
            one for term in terms for one in walk_own(term) if isinstance(one, exp.Column)
        ]:
            if not node.table and node.name.lower() in answers:
                _name_table(node, sources, kinds)


def _name_table(
    node: exp.Column, sources: Sequence[exp.Expr], kinds: Callable[[exp.Select], list[Any] | None]
) -> None:
    """Say of which table a column is, if it is of any."""
    for k, source in enumerate(sources):
        if not source.alias_or_name and source.args.get("alias") is None:
            named = exp.to_identifier(f"source_{k}", quoted=True)
            source.set("alias", exp.TableAlias(this=named))
        of = exp.to_identifier(source.alias_or_name, quoted=True)
        column = exp.column(node.this.copy(), table=of)
        if _kinds_of(node, (column,), kinds):
            node.replace(column)
            return


def _compare_with_any(tree: exp.Expr) -> None:
    """Write a comparison with any or all of a list as Spark has it."""
    for any_of in list(tree.find_all(exp.Any)):
        if isinstance(any_of.parent, exp.Binary) and not any_of.find(exp.Query):
            any_of.parent.replace(_holds("exists", any_of.parent, any_of.this.unnest()))
    for all_of in list(tree.find_all(exp.Anonymous)):
        is_all = all_of.name.upper() == "ALL" and len(all_of.expressions) == 1
        if is_all and isinstance(all_of.parent, exp.Binary):
            all_of.parent.replace(_holds("forall", all_of.parent, all_of.expressions[0]))


def _holds(word: str, compared: exp.Binary, values: exp.Expr) -> exp.Expr:
    """Whether a comparison holds for one or all values of a list, each by a name of its own."""
    name = unused({one.name.lower() for one in compared.find_all(exp.Column)}, "one")
    one = exp.to_identifier(name, quoted=True)
    holds = type(compared)(this=compared.this.copy(), expression=one.copy())
    any_of = exp.Lambda(this=holds, expressions=[one])
    return exp.Anonymous(this=word, expressions=[values.copy(), any_of])


def _divided(
    node: exp.Expr, dialect: str, kinds: Callable[[exp.Select], list[Any] | None]
) -> exp.Expr:
    """A quotient of the dialect's type."""
    left, right = node.this, node.expression
    if dialect == "spark" or node.find(exp.Interval):
        return node
    if isinstance(node, exp.IntDiv) and dialect != "duckdb":
        return exp.IntDiv(this=left.copy(), expression=right.copy())
    if isinstance(node, exp.Div) and dialect == "duckdb":
        return _doubles(left.copy(), right.copy())
    found = _kinds_of(node, (node.this, node.expression), kinds)
    names = [one.typeName() for one in found or ()]
    if dialect == "duckdb":
        if all(name in INTEGERS for name in names):
            return exp.IntDiv(this=left.copy(), expression=right.copy())
        # Of numbers with fractions it is the quotient as it is.
        return exp.Div(this=exp.cast(left.copy(), "DOUBLE"), expression=right.copy())
    if dialect in POSTGRES:
        if found is None or not all(name in (*INTEGERS, "decimal") for name in names):
            return node
        if "decimal" in names:
            return quotient_of_decimals(left, right, found)
        small = "long" not in names
        quotient = exp.IntDiv(this=left.copy(), expression=right.copy())
        return exp.cast(quotient, "INT") if small else quotient
    cut = quotient_as_dividend(left, right, found) if found else None
    return cut or _doubles(left.copy(), right.copy())


def _doubles(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """A quotient of doubles: by zero, which is an error to Spark, it is infinite or none."""
    quotient = exp.Div(this=exp.cast(left, "DOUBLE"), expression=right)
    if isinstance(right, exp.Literal) and right.this.strip("0."):
        return quotient
    infinite = exp.Mul(
        this=exp.cast(left.copy(), "DOUBLE"),
        expression=exp.cast(exp.Literal.string("Infinity"), "DOUBLE"),
    )
    is_zero = exp.EQ(this=exp.cast(right.copy(), "DOUBLE"), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=is_zero, true=infinite)], default=quotient)


def _kinds_of(
    node: exp.Expr,
    operands: Sequence[exp.Expr],
    kinds: Callable[[exp.Select], list[Any] | None],
) -> list[Any] | None:
    """The types of expressions that stand where a node does."""
    select = node.find_ancestor(exp.Select)
    if select is None:
        return None
    found: list[Any] = []
    for operand in operands:
        asked = exp.Select(expressions=[operand.copy()])
        for part in ("from_", "joins", "laterals"):
            value = select.args.get(part)
            copied = [one.copy() for one in value] if isinstance(value, list) else value
            asked.set(part, copied.copy() if isinstance(copied, exp.Expr) else copied)
        above = node.root().args.get("with_")
        asked.set("with_", above.copy() if above is not None else None)
        if (kind := kinds(asked)) is None:
            return None
        found += kind
    return found


def name_values(node: exp.Values, dialect: str) -> None:
    """Name the columns of a table of values as the dialect does, where the query does not.

    Parameters
    ----------
    node : sqlglot.exp.Values
        It is changed.
    dialect : str
    """
    alias, first = node.args.get("alias"), node.expressions[0] if node.expressions else None
    if dialect == "spark" or first is None or (alias is not None and alias.args.get("columns")):
        return
    width = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    begin, word = {"duckdb": (0, "col"), "clickhouse": (1, "c")}.get(dialect, (1, "column"))
    names = [exp.to_identifier(f"{word}{begin + k}") for k in range(width)]
    alias = alias or exp.TableAlias(this=exp.to_identifier("values_"))
    alias.set("columns", names)
    node.set("alias", alias)


def check_no_window_within(tree: exp.Expr, what: str) -> None:
    """Refuse a window where rows are not there yet."""
    if any(isinstance(one, exp.Window) for one in walk_own(tree)):
        raise WorkbenchError(
            f"query: a window stands in {what}, which is answered before windows are; "
            "take QUALIFY, or a query around this one."
        )
