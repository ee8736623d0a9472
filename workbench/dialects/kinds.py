"""The types of expressions, as Spark has them where these stand in a query."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

#: What Spark calls types of integers, and of all numbers.
INTEGERS = ("byte", "short", "integer", "long")
NUMBERS = (*INTEGERS, "decimal", "double", "float")
#: The types of expressions that stand where a node does; None where Spark cannot say them.
Kinds = Callable[[exp.Expr, Sequence[exp.Expr]], list[Any] | None]


def kind_of(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> str:
    """Return what Spark calls the type of a value; empty where it cannot say.

    Examples
    --------
    >>> from pyspark.sql.types import LongType
    >>> kind_of(exp.null(), exp.column("x"), lambda node, operands: [LongType()])
    'long'
    """
    found = kinds(node, [value])
    return str(found[0].typeName()) if found else ""
