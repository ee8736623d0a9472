"""Tuples of ClickHouse, which are structs to Spark: elements by their places."""

from typing import Any

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.errors import WorkbenchError


def tuple_element(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr:
    """An element of a tuple by its place or its name: ``tupleElement(t, 1)``, which is ``t.1``."""
    if len(given) == 2 and isinstance(given[1], exp.Literal):
        of, place = _answer_called(node, given[0]), given[1]
        in_order = of is not given[0] and _orders_answers(node)
        if in_order and (name := _name(place, kinds(node, [of]))):
            # Rows are in order when there are groups: then there are answers alone.
            return exp.Dot(this=given[0].copy(), expression=exp.to_identifier(name, quoted=True))
        if isinstance(of.unnest(), exp.Tuple | exp.Struct) and not place.is_string:
            elements = of.unnest().expressions
            if 0 < int(place.this) <= len(elements):
                return exp.paren(elements[int(place.this) - 1])
        if name := _name(place, kinds(node, [of])):
            return exp.Dot(this=of.copy(), expression=exp.to_identifier(name, quoted=True))
    text = ", ".join(one.sql("clickhouse") for one in given)
    raise WorkbenchError(
        f"query: no element of a tuple is known to be tupleElement({text}); name the tuple's "
        "values as columns of a query within this one, and take these."
    )


def _orders_answers(node: exp.Expr) -> bool:
    order = node.find_ancestor(exp.Order)
    return order is not None and isinstance(order.parent, exp.Select)


def _answer_called(node: exp.Expr, of: exp.Expr) -> exp.Expr:
    """The answer of the query that is a tuple by its name, where no column has it."""
    select = node.find_ancestor(exp.Select)
    if select is not None and isinstance(of, exp.Column) and not of.table:
        for one in select.expressions:
            if isinstance(one, exp.Alias) and one.alias == of.name:
                answer: exp.Expr = one.this
                return answer
    return of


def _name(place: exp.Literal, found: list[Any] | None) -> str:
    """What Spark calls the element of a struct; empty where it is none, or not the only one."""
    if not found or found[0].typeName() != "struct":
        return ""
    names: list[str] = [str(one) for one in found[0].names]
    if place.is_string:
        name = place.this
    else:
        name = names[int(place.this) - 1] if 0 < int(place.this) <= len(names) else ""
    lower = [one.lower() for one in names]
    return name if name in names and lower.count(name.lower()) == 1 else ""
