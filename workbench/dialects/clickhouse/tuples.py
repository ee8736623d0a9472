"""Elements of ClickHouse's tuples, which are structs in Spark."""

from typing import Any

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import anonymous
from workbench.errors import WorkbenchError


def tuple_element(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr:
    """Return an element of a tuple by its index or name: ``tupleElement(t, 1)``, or ``t.1``."""
    if len(arguments) == 2 and isinstance(arguments[1], exp.Literal):
        tuple_node, key = _resolve_alias(node, arguments[0]), arguments[1]
        orders_by_alias = tuple_node is not arguments[0] and _is_in_order_by(node)
        if orders_by_alias and (name := _field_name(key, kinds(node, [tuple_node]))):
            # ORDER BY runs after grouping, when only the output columns are left.
            return exp.Dot(
                this=arguments[0].copy(), expression=exp.to_identifier(name, quoted=True)
            )
        if isinstance(tuple_node.unnest(), exp.Tuple | exp.Struct) and not key.is_string:
            elements = tuple_node.unnest().expressions
            if 0 < int(key.this) <= len(elements):
                return exp.paren(elements[int(key.this) - 1])
        if name := _field_name(key, kinds(node, [_typed_like(tuple_node)])):
            return exp.Dot(this=tuple_node.copy(), expression=exp.to_identifier(name, quoted=True))
    text = ", ".join(one.sql("clickhouse") for one in arguments)
    raise WorkbenchError(
        f"query: it is not known which element of a tuple tupleElement({text}) is; name the "
        "tuple's values as columns of a subquery, and use these."
    )


def _typed_like(tuple_node: exp.Expr) -> exp.Expr:
    """Return an expression with the type of a tuple, which may be the variable of a lambda."""
    node: exp.Expr | None = tuple_node if isinstance(tuple_node, exp.Identifier) else None
    while node is not None and (node := node.find_ancestor(exp.Lambda)) is not None:
        names = [one.name for one in node.expressions]
        if tuple_node.name in names and (call := node.parent) is not None:
            lists = call.expressions[1:] if isinstance(call, exp.Anonymous) else [call.this]
            if len(lists) == len(names):
                of_list = lists[names.index(tuple_node.name)]
                return anonymous("TRY_ELEMENT_AT", of_list, exp.Literal.number(1))
    return tuple_node


def _is_in_order_by(node: exp.Expr) -> bool:
    order = node.find_ancestor(exp.Order)
    return order is not None and isinstance(order.parent, exp.Select)


def _resolve_alias(node: exp.Expr, tuple_node: exp.Expr) -> exp.Expr:
    """Return the expression of an alias of the query; the node itself if it is none."""
    select = node.find_ancestor(exp.Select)
    if select is not None and isinstance(tuple_node, exp.Column) and not tuple_node.table:
        for one in select.expressions:
            if isinstance(one, exp.Alias) and one.alias == tuple_node.name:
                value: exp.Expr = one.this
                return value
    return tuple_node


def _field_name(key: exp.Literal, types: list[Any] | None) -> str:
    """Return Spark's name for a field of a struct; empty if there is none, or several."""
    if not types or types[0].typeName() != "struct":
        return ""
    names: list[str] = [str(one) for one in types[0].names]
    if key.is_string:
        name = key.this
    else:
        name = names[int(key.this) - 1] if 0 < int(key.this) <= len(names) else ""
    lower = [one.lower() for one in names]
    return name if name in names and lower.count(name.lower()) == 1 else ""
