"""Aggregates of the elements of a list, as DuckDB's ``list_aggregate(l, 'sum')``."""

from typing import Any

from sqlglot import exp

from workbench.dialects.kinds import INTEGERS, Kinds
from workbench.dialects.writing import fill_template
from workbench.errors import WorkbenchError

_WORDS = ("list_aggregate", "array_aggregate", "list_aggr", "array_aggr", "aggregate")
#: Of the elements that are not null, ``:l``, by templates.
_OF_KNOWN = {
    "min": "ARRAY_MIN(:l)", "max": "ARRAY_MAX(:l)", "any_value": "TRY_ELEMENT_AT(:l, 1)",
    "bool_and": "NULLIF(SIZE(:l), 0) IS NOT NULL AND FORALL(:l, one -> one)",
    "bool_or": "EXISTS(:l, one -> one)",
    "string_agg": "CONCAT_WS(:by, :l)",
    "product": "AGGREGATE(:l, DOUBLE(1), (so, one) -> so * DOUBLE(one))",
}  # fmt: skip
#: Of all elements.
_OF_ALL = {
    "first": "TRY_ELEMENT_AT(:l, 1)", "last": "TRY_ELEMENT_AT(:l, -1)",
    "count": "BIGINT(SIZE(ARRAY_COMPACT(:l)))",
}  # fmt: skip
_OTHER_NAMES = {"mean": "avg", "group_concat": "string_agg", "listagg": "string_agg"}
_NAMES = ("sum", "avg", *_OF_KNOWN, *_OF_ALL)


def list_aggregate(node: exp.Anonymous, kinds: Kinds) -> exp.Expr | None:
    """Return an aggregate of the elements of a list; None where a call is none.

    Raises
    ------
    WorkbenchError
        When Spark has nothing of the same meaning for the aggregate or the elements.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> node = parse_one("list_aggregate(l, 'last')", read="duckdb")
    >>> print(list_aggregate(node, lambda node, operands: None).sql("spark"))
    TRY_ELEMENT_AT(l, -1)
    """
    written, given = node.name.lower(), list(node.expressions)
    if written in _WORDS and len(given) > 1:
        of = given.pop(1)
        name = of.this.lower() if isinstance(of, exp.Literal) and of.is_string else of.sql()
        name = _OTHER_NAMES.get(name, name)
        if name not in _NAMES:
            raise WorkbenchError(
                f"query: {written} has no {name!r} here; take one of {', '.join(sorted(_NAMES))} "
                "in quotes, or an aggregate of what unnest gives."
            )
    else:
        word, _, name = written.partition("_")
        name = _OTHER_NAMES.get(name, name)
        if word not in ("list", "array") or name not in _NAMES:
            return None
    if len(given) != 1 and not (name == "string_agg" and len(given) == 2):
        return None
    return _aggregated(node, name, given, written, kinds)


def _aggregated(
    node: exp.Expr, name: str, given: list[exp.Expr], written: str, kinds: Kinds
) -> exp.Expr:
    values = given[0]
    if name in _OF_ALL:
        return fill_template(_OF_ALL[name], l=values)
    of = fill_template("ARRAY_COMPACT(:l)", l=values)
    if name in ("sum", "avg"):
        found = _sum(node, of, values, written, kinds, name == "avg")
    else:
        by = given[1] if len(given) > 1 else exp.Literal.string(",")
        found = fill_template(_OF_KNOWN[name], l=of, by=by)
    if name in ("min", "max", "any_value"):
        return found
    return fill_template("IF(SIZE(:l) > 0, :found, NULL)", l=of, found=found)


def _sum(
    node: exp.Expr, of: exp.Expr, values: exp.Expr, written: str, kinds: Kinds, mean: bool
) -> exp.Expr:
    """The sum or the mean of elements that are known."""
    kind = _kind_of_sum(getattr((kinds(node, [values]) or [None])[0], "elementType", None), mean)
    if kind is None:
        raise WorkbenchError(f"query: {written} takes a list of numbers; cast its elements.")
    found = (
        f"AGGREGATE(:l, CAST(0 AS {kind}), (so, one) -> CAST(so + CAST(one AS {kind}) AS {kind}))"
    )
    return fill_template(f"DOUBLE({found}) / SIZE(:l)" if mean else found, l=of)


def _kind_of_sum(element: Any, mean: bool) -> str | None:
    """The type of a sum: wider than its elements, as that of rows is."""
    name = element.typeName() if element is not None else ""
    if name in (*INTEGERS, "boolean", "void"):
        return "DECIMAL(38, 0)" if mean else "BIGINT"
    if name == "decimal":
        return f"DECIMAL(38, {element.scale})"
    return "DOUBLE" if name in ("float", "double") else None
