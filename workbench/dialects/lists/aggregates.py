"""Aggregates of the elements of a list, as DuckDB's ``list_aggregate(l, 'sum')``."""

from typing import Any

from sqlglot import exp

from workbench.dialects.kinds import FLOATS, INTEGERS, Kinds, kind_of_elements
from workbench.dialects.lists.statistics import STATISTICS, list_statistic
from workbench.dialects.templates import fill_template
from workbench.dialects.texts.written import text_of_float
from workbench.errors import WorkbenchError

_GENERIC_NAMES = ("list_aggregate", "array_aggregate", "list_aggr", "array_aggr", "aggregate")
#: Templates over the elements that are not null, ``:l``.
_NON_NULL_TEMPLATES = {
    "min": "ARRAY_MIN(:l)", "max": "ARRAY_MAX(:l)", "any_value": "TRY_ELEMENT_AT(:l, 1)",
    "bool_and": "NULLIF(SIZE(:l), 0) IS NOT NULL AND FORALL(:l, one -> one)",
    "bool_or": "EXISTS(:l, one -> one)",
    "string_agg": "CONCAT_WS(:by, :l)",
    "product": "AGGREGATE(:l, DOUBLE(1), (so, one) -> so * DOUBLE(one))",
    "bit_and": "AGGREGATE(:l, BIGINT(-1), (so, one) -> so & BIGINT(one))",
    "bit_or": "AGGREGATE(:l, BIGINT(0), (so, one) -> so | BIGINT(one))",
    "bit_xor": "AGGREGATE(:l, BIGINT(0), (so, one) -> so ^ BIGINT(one))",
}  # fmt: skip
#: Templates over all elements.
_TEMPLATES = {
    "first": "TRY_ELEMENT_AT(:l, 1)", "last": "TRY_ELEMENT_AT(:l, -1)",
    "count": "BIGINT(SIZE(ARRAY_COMPACT(:l)))",
}  # fmt: skip
_SYNONYMS = {
    "mean": "avg", "group_concat": "string_agg", "listagg": "string_agg",
    "stddev": "stddev_samp", "variance": "var_samp", "quantile": "quantile_disc",
}  # fmt: skip
_NAMES = ("sum", "avg", *_NON_NULL_TEMPLATES, *_TEMPLATES, *STATISTICS)
#: Aggregates with a second argument.
_WITH_OPTION = ("string_agg", "quantile_cont", "quantile_disc")


def list_aggregate(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return an aggregate of the elements of a list; None if a call is something else.

    Raises
    ------
    WorkbenchError
        When Spark has nothing with the same meaning for the aggregate or the elements.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("list_aggregate(l, 'last')", read="duckdb")
    >>> print(list_aggregate(node, lambda node, operands: None).sql("spark"))
    TRY_ELEMENT_AT(l, -1)
    """
    sql_name, arguments = node.name.lower(), list(node.expressions)
    if sql_name in _GENERIC_NAMES and len(arguments) > 1:
        aggregate = arguments.pop(1)
        name = (
            aggregate.this.lower()
            if isinstance(aggregate, exp.Literal) and aggregate.is_string
            else aggregate.sql()
        )
        name = _SYNONYMS.get(name, name)
        if name not in _NAMES:
            raise WorkbenchError(
                f"query: {sql_name} has no {name!r} here; use one of {', '.join(sorted(_NAMES))} "
                "in quotes, or an aggregate over unnest."
            )
    else:
        prefix, _, name = sql_name.partition("_")
        name = _SYNONYMS.get(name, name)
        if prefix not in ("list", "array") or name not in _NAMES:
            return None
    if len(arguments) != 1 and not (name in _WITH_OPTION and len(arguments) == 2):
        return None
    return _aggregate_call(node, name, arguments, sql_name, kinds)


def _aggregate_call(
    node: exp.Expr, name: str, arguments: list[exp.Expr], sql_name: str, kinds: Kinds
) -> exp.Expr:
    values = arguments[0]
    if name in _TEMPLATES:
        return fill_template(_TEMPLATES[name], l=values)
    if name in STATISTICS:
        return list_statistic(node, name, arguments, sql_name, kinds)
    non_null = fill_template("ARRAY_COMPACT(:l)", l=values)
    if name in ("sum", "avg"):
        result = _sum(node, non_null, values, sql_name, kinds, name == "avg")
    else:
        separator = arguments[1] if len(arguments) > 1 else exp.Literal.string(",")
        joined = _floats_as_text(node, non_null, values, kinds) if name == "string_agg" else None
        result = fill_template(_NON_NULL_TEMPLATES[name], l=joined or non_null, by=separator)
    if name in ("min", "max", "any_value"):
        return result
    return fill_template("IF(SIZE(:l) > 0, :result, NULL)", l=non_null, result=result)


def _floats_as_text(
    node: exp.Expr, non_null: exp.Expr, values: exp.Expr, kinds: Kinds
) -> exp.Expr | None:
    """Return the elements as the texts that DuckDB writes; None if they are no floats."""
    kind = kind_of_elements(node, values, kinds)
    text = text_of_float(exp.column("each_"), kind, "duckdb")
    return text and fill_template("TRANSFORM(:l, each_ -> :text)", l=non_null, text=text)


def _sum(
    node: exp.Expr, non_null: exp.Expr, values: exp.Expr, sql_name: str, kinds: Kinds, is_mean: bool
) -> exp.Expr:
    """Return the sum or the mean of the elements that are not null."""
    sum_type = _sum_type(
        getattr((kinds(node, [values]) or [None])[0], "elementType", None), is_mean
    )
    if sum_type is None:
        raise WorkbenchError(f"query: {sql_name} takes a list of numbers; cast its elements.")
    total = (
        f"AGGREGATE(:l, CAST(0 AS {sum_type}), "
        f"(so, one) -> CAST(so + CAST(one AS {sum_type}) AS {sum_type}))"
    )
    return fill_template(f"DOUBLE({total}) / SIZE(:l)" if is_mean else total, l=non_null)


def _sum_type(element: Any, is_mean: bool) -> str | None:
    """Return the type of a sum: wider than the elements, as in a sum of rows."""
    name = element.typeName() if element is not None else ""
    if name in (*INTEGERS, "boolean", "void"):
        return "DECIMAL(38, 0)" if is_mean else "BIGINT"
    if name == "decimal":
        return f"DECIMAL(38, {element.scale})"
    return "DOUBLE" if name in FLOATS else None
