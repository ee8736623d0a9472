"""Aggregates of groups whose rows have an order: lists, first and last values, and quantiles."""

from collections.abc import Sequence

from sqlglot import exp

from workbench.dialects.aggregates.call import AggregateCall, filtered, filtered_call
from workbench.dialects.templates import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError


def array_agg(call: AggregateCall, dialect: str) -> exp.Expr:
    """Return a list of all values; null without rows."""
    values = _collected_values(call.value, call.terms, call.condition, call.distinct)
    return _null_without_values(call, exp.Star(), values)


def first_or_last(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return the first or last value in the order of the arguments; ClickHouse ignores nulls."""
    any_value = isinstance(call.node, exp.AnyValue)
    if not call.terms:
        if dialect != "clickhouse" and not call.nulls:
            return None
        # In Spark, FILTER comes before IGNORE NULLS.
        wrapper = exp.RespectNulls if call.nulls == "RespectNulls" else exp.IgnoreNulls
        return wrapper(this=filtered(call.node.copy(), call.condition))
    skips_nulls = (
        any_value or call.nulls == "IgnoreNulls" or (dialect == "clickhouse" and not call.nulls)
    )
    where = call.where(*[is_not_null(call.value)] * skips_nulls)
    index = -1 if isinstance(call.node, exp.Last | exp.LastValue) else 1
    return _element_at(_collected_values(call.value, call.terms, where), index)


def arg_min_or_max(call: AggregateCall, dialect: str) -> exp.Expr:
    """Return the value where another one is least or greatest, ignoring nulls of both."""
    other, n = call.node.expression, call.node.args.get("count")
    if not isinstance(other, exp.Order) and n is None:
        return filtered(call.node.copy(), call.where(is_not_null(call.value)))
    by, ties = (other.this, other.expressions) if isinstance(other, exp.Order) else (other, [])
    order = exp.Ordered(this=by, desc=isinstance(call.node, exp.ArgMax))
    where = call.where(is_not_null(call.value), is_not_null(by))
    if n is not None:
        return _first_n(call, [order, *ties], where, n)
    return _element_at(_collected_values(call.value, [order, *ties], where), 1)


def min_or_max(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return the n least or greatest values as a list, where n is given."""
    n = call.node.args.get("count")
    if n is None:
        return drop_order(call, dialect)
    order = exp.Ordered(this=call.value.copy(), desc=isinstance(call.node, exp.Max))
    return _first_n(call, [order], call.where(is_not_null(call.value)), n)


def _first_n(
    call: AggregateCall, terms: Sequence[exp.Expr], where: exp.Expr | None, n: exp.Expr
) -> exp.Expr:
    """Return the first n values in an order as a list; null without values."""
    if n.is_int and int(n.name) < 1:
        raise WorkbenchError(
            f"query: {call.node.sql('duckdb')} returns no values; give a number of 1 or more."
        )
    rows = _collected_values(call.value, terms, where)
    return fill_template("IF(SIZE(:rows) > 0, SLICE(:rows, 1, INT(:n)), NULL)", rows=rows, n=n)


def quantile_disc(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return a discrete quantile; Spark's is of numbers in an ascending order."""
    if call.within is not None:
        term, share = call.within.expressions[0], call.node.this
        if not term.args.get("desc"):
            return None
    else:
        share = call.node.args.get("expression") or call.node.args.get("quantile")
        if dialect != "duckdb" or share is None:
            return None
        term = exp.Ordered(this=call.value.copy())
    rows = _collected_values(term.this, [term], call.where(is_not_null(term.this)))

    def quantile_of(share: exp.Expr) -> exp.Expr:
        element = "TRY_ELEMENT_AT(:rows, INT(GREATEST(1, CEIL(:share * SIZE(:rows)))))"
        return fill_template(element, rows=rows, share=share)

    if isinstance(share, exp.Array):
        return exp.Array(expressions=[quantile_of(each) for each in share.expressions])
    return quantile_of(share)


def string_agg(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Return ``string_agg`` with an order and DISTINCT or FILTER, which Spark cannot combine."""
    terms, separator = call.terms, call.node.args.get("separator")
    distinct_in_own_order = call.distinct and [one.this for one in terms] == [call.value]
    filtered_in_order = terms and call.condition is not None and not call.distinct
    if not distinct_in_own_order and not filtered_in_order:
        return None
    rows = _collected_values(
        call.value, terms, call.where(is_not_null(call.value)), distinct=call.distinct
    )
    arguments = [rows, separator or exp.Literal.string(",")]
    joined = exp.Anonymous(this="ARRAY_JOIN", expressions=arguments)
    return _null_without_values(call, call.value.copy(), joined)


def drop_order(call: AggregateCall, dialect: str) -> exp.Expr | None:
    """Drop the order among the arguments of an aggregate that does not depend on it."""
    if call.terms:
        call.node.set("this", call.node.this.this.copy())
    return None


def _element_at(rows: exp.Expr, index: int) -> exp.Expr:
    return anonymous("TRY_ELEMENT_AT", rows, exp.convert(index))


def _null_without_values(call: AggregateCall, counted: exp.Expr, result: exp.Expr) -> exp.Expr:
    """Return a result where there is something to count, else null."""
    count = filtered(exp.Count(this=counted), call.condition)
    has_some = exp.GT(this=count, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=has_some, true=result)])


def _collected_values(
    value: exp.Expr, terms: Sequence[exp.Expr], condition: exp.Expr | None, distinct: bool = False
) -> exp.Expr:
    """Return the values of a group as a list in an order, with the nulls that Spark drops."""
    if distinct and any(one.this != value for one in terms):
        raise WorkbenchError(
            f"query: a list of DISTINCT {value.sql()} can only be ordered by its own values; leave "
            "any other order out."
        )
    # Spark keeps a null within a struct.
    keys = [] if distinct else [exp.alias_(one.this.copy(), f"k{n}") for n, one in enumerate(terms)]
    row = exp.Anonymous(this="STRUCT", expressions=[exp.alias_(value.copy(), "v"), *keys])
    rows = filtered_call("COLLECT_SET" if distinct else "COLLECT_LIST", row, where=condition)
    if terms:
        names = ["v" if distinct else f"k{n}" for n in range(len(terms))]
        rows = exp.Anonymous(this="ARRAY_SORT", expressions=[rows, _comparison(terms, names)])
    return exp.Dot(this=rows, expression=exp.to_identifier("v"))


def _comparison(terms: Sequence[exp.Expr], names: Sequence[str]) -> exp.Expr:
    """Return a lambda that compares two rows: -1, 0 or 1."""
    tie_breaker: exp.Expr = exp.Literal.number(0)
    for term, name in zip(reversed(terms), reversed(names), strict=True):
        a, b = (exp.column(name, table=row) for row in ("a", "b"))
        nulls_first, is_ascending = bool(term.args.get("nulls_first")), not term.args.get("desc")
        tie_breaker = fill_template(
            "CASE WHEN :a IS NULL AND :b IS NULL THEN :same WHEN :a IS NULL THEN :null "
            "WHEN :b IS NULL THEN -:null WHEN :a < :b THEN :less WHEN :a > :b THEN -:less "
            "ELSE :same END",
            a=a, b=b, same=tie_breaker,
            null=exp.paren(exp.convert(-1 if nulls_first else 1)),
            less=exp.paren(exp.convert(-1 if is_ascending else 1)),
        )  # fmt: skip
    return exp.Lambda(
        this=tie_breaker, expressions=[exp.to_identifier("a"), exp.to_identifier("b")]
    )
