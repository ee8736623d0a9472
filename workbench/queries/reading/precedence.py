"""Operators that bind differently in Spark: their operands get parentheses."""

from sqlglot import exp

#: Operators that other systems read from left to right, after + and -.
_OPERATORS = (exp.DPipe, exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor)
#: Operators that Spark reads together with one of these, or after it.
_OPERANDS = (*_OPERATORS, exp.Add, exp.Sub)


def parenthesize_operands(tree: exp.Expr, dialect: str) -> None:
    """Put the operands of ``||``, ``&``, ``|`` and ``#`` in parentheses; the tree is changed.

    Spark reads ``||`` together with + and -, and ``&`` before ``|``.

    Examples
    --------
    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT 'a' || 1 + x, 2 | 3 & y", read="postgres")
    >>> parenthesize_operands(tree, "postgres")
    >>> print(tree.sql("spark"))
    SELECT 'a' || (1 + x), (2 | 3) & y
    """
    for node in list(tree.find_all(*_OPERATORS)) if dialect != "spark" else ():
        first, second = node.this, node.expression
        if isinstance(first, _OPERANDS) and type(first) is not type(node):
            first.replace(exp.paren(first.copy(), copy=False))
        if isinstance(second, _OPERANDS):
            second.replace(exp.paren(second.copy(), copy=False))
