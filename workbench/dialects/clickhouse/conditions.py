"""Conditions as numbers: in ClickHouse a comparison is 1 or 0, and all numbers but 0 are true."""

from sqlglot import exp

from workbench.dialects.kinds import NUMBERS, Kinds, kind_of
from workbench.dialects.numbers import cast_condition_to_number, is_condition

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
#: What takes numbers: in Spark a condition is none.
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Sum, exp.Avg)
#: What takes conditions: in Spark a number is none.
_LOGIC = (exp.And, exp.Or, exp.Not, exp.If, exp.Where, exp.Having, exp.Qualify)


def rewrite_conditions(tree: exp.Expr, kinds: Kinds) -> None:
    """Cast conditions to numbers, and compare numbers with 0, wherever Spark needs the other.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    kinds : Kinds

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT (a > 1) * 2 FROM t WHERE (b < 3) = 1 AND 1", read="clickhouse")
    >>> rewrite_conditions(tree, lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT CAST((a > 1) AS INT) * 2 FROM t WHERE CAST((b < 3) AS INT) = 1 AND TRUE
    """
    # Inner nodes first: what they become decides about the outer ones.
    for node in reversed(
        list(tree.find_all(*_COMPARISONS, *_ARITHMETIC, *_LOGIC, exp.Coalesce, exp.Array))
    ):
        operands = [one for one in (node.this, node.args.get("expression")) if one is not None]
        if isinstance(node, _LOGIC):
            for one in operands if not _is_of_case_with_operand(node) else ():
                _make_condition(node, one, kinds)
        elif isinstance(node, _COMPARISONS):
            _compare_numbers(node, kinds)
        elif isinstance(node, exp.Array):
            _make_alike(node.expressions)
        elif isinstance(node, exp.Coalesce):
            _make_alike([node.this, *node.expressions])
        else:
            for one in operands:
                _make_number(node, one, kinds)


def _is_of_case_with_operand(node: exp.Expr) -> bool:
    """Return whether a WHEN compares its value with that of CASE."""
    case = node.parent
    return isinstance(node, exp.If) and isinstance(case, exp.Case) and case.this is not None


def _make_condition(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> None:
    number = value.unnest()
    if isinstance(number, exp.Literal) and not number.is_string:
        value.replace(exp.convert(number.to_py() != 0))
    elif isinstance(number, exp.Count) or (
        not is_condition(value) and kind_of(node, value, kinds) in NUMBERS
    ):
        zero = exp.Literal.number(0)
        value.replace(exp.paren(exp.NEQ(this=value.copy(), expression=zero), copy=False))


def _make_number(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> None:
    """Cast a condition to a number, also a column that has conditions."""
    cast_condition_to_number(value, "INT")
    if isinstance(value, exp.Column) and kind_of(node, value, kinds) == "boolean":
        value.replace(exp.cast(value.copy(), "INT"))


def _compare_numbers(node: exp.Expr, kinds: Kinds) -> None:
    """Compare the numbers of conditions, if the other side is a number."""
    sides = [node.this, node.expression]
    for one, other in (sides, sides[::-1]):
        literal = other.unnest()
        if isinstance(literal, exp.Boolean):
            if not is_condition(one) and kind_of(node, one, kinds) in NUMBERS:
                other.replace(exp.Literal.number(int(literal.this)))
        elif isinstance(literal, exp.Literal) and literal.name in ("0", "1"):
            if is_condition(one) or kind_of(node, one, kinds) == "boolean":
                one.replace(exp.cast(one.copy(), "INT"))
        elif is_condition(one) and kind_of(node, other, kinds) in NUMBERS:
            one.replace(exp.cast(one.copy(), "INT"))


def _make_alike(values: list[exp.Expr]) -> None:
    """Cast conditions to numbers beside numbers: ``ifNull(x > 3, 0)``."""
    if any(isinstance(one, exp.Literal) and not one.is_string for one in values):
        for one in values:
            cast_condition_to_number(one, "INT")
