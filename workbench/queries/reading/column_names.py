"""The names that a dialect gives to the columns of a SELECT that have none."""

import re

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from workbench.dialects.functions import POSTGRES

#: Names of types in Postgres, where its SQL has others.
_TYPES = {
    exp.DType.SMALLINT: "int2", exp.DType.INT: "int4", exp.DType.BIGINT: "int8",
    exp.DType.FLOAT: "float4", exp.DType.DOUBLE: "float8", exp.DType.BOOLEAN: "bool",
    exp.DType.DECIMAL: "numeric", exp.DType.CHAR: "bpchar",
}  # fmt: skip
#: What is named like the function or the column in it.
_WRAPPERS = (
    exp.Paren, exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls,
    exp.Collate, exp.Cast,
)  # fmt: skip


def name_columns(select: exp.Select, dialect: str) -> None:
    """Give each unnamed column of a SELECT the name that its dialect gives it.

    Parameters
    ----------
    select : sqlglot.exp.Select
        It is changed.
    dialect : str

    Examples
    --------
    >>> import sqlglot
    >>> select = sqlglot.parse_one("SELECT day::date, 1 + 1, '7'::int, count(*)", read="postgres")
    >>> name_columns(select, "postgres")
    >>> select.named_selects
    ['day', '?column?', 'int4', 'count']
    """
    expressions = []
    for one in select.expressions:
        if isinstance(one, exp.Alias | exp.Star) or one.is_star or isinstance(one, exp.Aliases):
            expressions.append(one)
        elif isinstance(one, exp.Column):
            expressions.append(exp.alias_(one, one.name, quoted=True))
        else:
            expressions.append(exp.alias_(one, _default_name(one, dialect), quoted=True))
    select.set("expressions", expressions)


def name_nested_columns(tree: exp.Expr, dialect: str) -> None:
    """Name the columns of the queries within a query, to which the outer ones may refer."""
    for select in tree.find_all(exp.Select):
        distinct = select.args.get("distinct")
        if select is not tree and (distinct is None or not distinct.args.get("on")):
            name_columns(select, dialect)


def _default_name(node: exp.Expr, dialect: str) -> str:
    if dialect in POSTGRES:
        return _postgres_name(node) or _postgres_name_of_last_resort(node)
    return node.sql(
        dialect=dialect, normalize_functions="lower", unsupported_level=ErrorLevel.IGNORE
    )


def _postgres_name(node: exp.Expr) -> str:
    """Return the name of the column or the function that an expression is; empty if it is none."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
        return str(node.this.named_selects[0])
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        return "" if default is None else _postgres_name(default)
    if not isinstance(node, exp.Func) or isinstance(node, exp.Connector):
        return ""
    text = node.sql("postgres", unsupported_level=ErrorLevel.IGNORE)
    call = re.match(r"(\w+)\(", text)
    if isinstance(node, exp.Binary) and call is None:
        return ""
    return (call[1] if call else node.sql_name()).lower()


def _postgres_name_of_last_resort(node: exp.Expr) -> str:
    node = node.unnest()
    if isinstance(node, exp.Cast):
        kind = node.to.this
        return _TYPES.get(kind, str(kind.value).lower())
    return "case" if isinstance(node, exp.Case) else "?column?"
