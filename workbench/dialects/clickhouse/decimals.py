"""Decimals of ClickHouse, which cut off what they have no digits for, where Spark rounds."""

from sqlglot import exp

from workbench.dialects.kinds import INTEGERS, Kinds, kind_of
from workbench.dialects.numbers import of_units
from workbench.dialects.writing import fill_template

#: How many digits there are, by the name of what makes decimals.
#: An integer of 32 or 64 bits, in which ClickHouse holds it, may have one more than its type says.
DIGITS = {"todecimal32": 10, "todecimal64": 19, "todecimal128": 38}
_TYPES = (exp.DType.DECIMAL, exp.DType.DECIMAL32, exp.DType.DECIMAL64, exp.DType.DECIMAL128)
#: How a number times ten to some power becomes an integer.
_CUT = {"decimal": "(({0}) DIV 1)", "double": "BIGINT({0})", "float": "BIGINT({0})"}


def held(kind: exp.DataType) -> exp.DataType | None:
    """Return a decimal that holds what one of ClickHouse does; None of another type."""
    if kind.this not in _TYPES:
        return None
    given = [int(one.name) for one in kind.expressions]
    precision, scale = (*given, 0, 0)[:2] if len(given) > 1 else (given[0] if given else 10, 0)
    digits = next((n for n in (9, 18) if precision <= n), 37) + 1
    return exp.DataType.build(f"DECIMAL({digits}, {scale})", dialect="spark")


def to_decimal(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return a number as a decimal of some digits behind its point; None of what is no number."""
    if len(given) != 2 or not isinstance(given[1], exp.Literal) or given[1].is_string:
        return None
    scale, digits = int(given[1].this), DIGITS[node.name.lower()]
    kind = kind_of(node, given[0], kinds)
    if kind in INTEGERS:
        return fill_template(f"CAST(:a AS DECIMAL({digits}, {scale}))", a=given[0])
    if kind == "string":
        exact = fill_template("CAST(:a AS DECIMAL(38, 18))", a=given[0])
        return to_decimal(node, [exact, given[1]], kinds)
    if kind not in _CUT:
        return None
    cut = _CUT[kind].format(f"(:a) * {10**scale}")
    return fill_template(of_units(cut, scale, digits), a=given[0])
