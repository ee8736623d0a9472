"""Expressions from templates of Spark's SQL, and the small ones that others are made of."""

from collections.abc import Mapping, Sequence

import sqlglot
from sqlglot import exp


def fill_template(template: str, **parts: exp.Expr) -> exp.Expr:
    """Parse a template of Spark's SQL and return it, with copies of expressions for its fields.

    Examples
    --------
    >>> print(fill_template("IF(:x < 0, -(:x), :x)", x=exp.column("a")).sql("spark"))
    IF(a < 0, -(a), a)
    """
    return exp.replace_placeholders(sqlglot.parse_one(template, read="spark"), **parts).copy()


def call_from_template(
    templates: Mapping[tuple[str, int], str], name: str, arguments: Sequence[exp.Expr]
) -> exp.Expr | None:
    """Return a call by the template for its name and number of arguments; None without one.

    Examples
    --------
    >>> templates = {("both", 2): ":a AND :b"}
    >>> arguments = [exp.column("x"), exp.column("y")]
    >>> print(call_from_template(templates, "both", arguments).sql("spark"))
    (x AND y)
    """
    template = templates.get((name, len(arguments)))
    if template is None:
        return None
    parts = dict(zip("abcdef", arguments, strict=False))
    return exp.paren(fill_template(template, **parts), copy=False)


def anonymous(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a function of Spark with copies of the arguments."""
    return exp.Anonymous(this=name, expressions=[one.copy() for one in arguments])


def is_not_null(value: exp.Expr) -> exp.Expr:
    """Return the condition that a value is not null."""
    return exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
