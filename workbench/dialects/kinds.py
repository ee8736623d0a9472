"""Spark's types of expressions at their place in a query."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

#: Spark's names for types of integers, of floats, and of all numbers.
INTEGERS = ("byte", "short", "integer", "long")
FLOATS = ("double", "float")
NUMBERS = (*INTEGERS, "decimal", *FLOATS)
#: Spark's names for types of times of a day, with a zone and without.
TIMES = ("timestamp", "timestamp_ntz")
#: A function that returns the types of expressions in the place of a node; None if unknown.
Kinds = Callable[[exp.Expr, Sequence[exp.Expr]], list[Any] | None]


def kind_of(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> str:
    """Return Spark's name for the type of a value; empty if it is unknown.

    Examples
    --------
    >>> from pyspark.sql.types import LongType
    >>> kind_of(exp.null(), exp.column("x"), lambda node, operands: [LongType()])
    'long'
    """
    types = kinds(node, [value])
    return str(types[0].typeName()) if types else ""


def kind_of_elements(node: exp.Expr, values: exp.Expr, kinds: Kinds) -> str:
    """Return Spark's name for the type of a list's elements; empty if it is no list, or unknown.

    Examples
    --------
    >>> from pyspark.sql.types import ArrayType, LongType
    >>> of_list = lambda node, operands: [ArrayType(LongType())]
    >>> kind_of_elements(exp.null(), exp.column("l"), of_list)
    'long'
    """
    types = kinds(node, [values])
    element = getattr(types[0], "elementType", None) if types else None
    return "" if element is None else str(element.typeName())
