"""What DuckDB lets one write in several ways, written in one; and aggregates unknown to sqlglot."""

from sqlglot import exp

from workbench.dialects.functions import is_named_aggregate
from workbench.dialects.templates import anonymous
from workbench.errors import WorkbenchError

#: Further names of functions that sqlglot knows, or the dialect rewrites, by one name.
_SYNONYMS = {
    **dict.fromkeys(("list_apply", "array_apply", "array_transform"), "list_transform"),
    **dict.fromkeys(("get_current_timestamp", "transaction_timestamp"), "now"),
    **{f"array_{of}": f"list_{of}" for of in ("select", "where", "resize", "unique", "value")},
    "array_has_any": "list_has_any", "list_pack": "list_value", "list_cat": "list_concat",
    "ord": "unicode", "base64": "to_base64",
}  # fmt: skip


def replace_other_forms(tree: exp.Query) -> None:
    """Replace list comprehensions by calls with lambdas, and synonyms of functions by one name.

    ``product(x)`` and the like become aggregates.

    Raises
    ------
    WorkbenchError
        When a comprehension has a position.

    Examples
    --------
    >>> import sqlglot
    >>> query = "SELECT [x + 1 for x in l if x > 0], list_apply(l, x -> x + 1)"
    >>> tree = sqlglot.parse_one(query, read="duckdb")
    >>> replace_other_forms(tree)
    >>> print(tree.sql("spark"))
    SELECT TRANSFORM(FILTER(l, x -> x > 0), x -> x + 1), TRANSFORM(l, x -> x + 1)
    """
    _replace_comprehensions(tree)
    for call in list(tree.find_all(exp.Anonymous)):
        arguments = [one.copy() for one in call.expressions]
        if arguments and (name := _SYNONYMS.get(call.name.lower())) is not None:
            call.replace(exp.func(name, *arguments, dialect="duckdb"))
        elif is_named_aggregate(call.name, "duckdb"):
            call.replace(exp.AnonymousAggFunc(this=call.name, expressions=arguments))
    for binary in list(tree.find_all(exp.ToBinary)):
        binary.replace(anonymous("bin", binary.this))


def _replace_comprehensions(tree: exp.Query) -> None:
    for node in reversed(list(tree.find_all(exp.Comprehension))):
        values, condition = node.args["iterator"], node.args.get("condition")
        if node.args.get("position") is not None:
            raise WorkbenchError(
                "query: a list comprehension has no position here; use list_transform, whose "
                "lambda may have one."
            )
        if condition is not None:
            values = exp.ArrayFilter(this=values.copy(), expression=_of_element(node, condition))
        calls = exp.Transform(this=values.copy(), expression=_of_element(node, node.this))
        # The comprehension is the only element of a list.
        (node.parent if isinstance(node.parent, exp.Array) else node).replace(calls)


def _of_element(node: exp.Comprehension, body: exp.Expr) -> exp.Lambda:
    """Return a lambda with the comprehension's variable as its parameter."""
    variable = node.expression
    result = exp.Lambda(this=body.copy(), expressions=[variable.copy()])
    for column in list(result.find_all(exp.Column)):
        if not column.table and column.name.lower() == variable.name.lower():
            column.replace(variable.copy())
    return result
