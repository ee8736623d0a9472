"""Decimals of ClickHouse, which truncates where Spark rounds."""

from pyspark.sql.types import DecimalType
from sqlglot import exp

from workbench.dialects.kinds import INTEGERS, Kinds, kind_of
from workbench.dialects.numbers import decimal_from_units
from workbench.dialects.templates import fill_template

#: The digits of a decimal, by the function that makes it. ClickHouse stores it as an integer of 32
#: or 64 bits, which may have one digit more than its type states.
DECIMAL_DIGITS = {"todecimal32": 10, "todecimal64": 19, "todecimal128": 38}
_TYPES = (exp.DType.DECIMAL, exp.DType.DECIMAL32, exp.DType.DECIMAL64, exp.DType.DECIMAL128)
#: The truncation of a scaled number to an integer, by its type.
_TRUNCATED = {"decimal": "(({0}) DIV 1)", "double": "BIGINT({0})", "float": "BIGINT({0})"}


def decimal_type(kind: exp.DataType) -> exp.DataType | None:
    """Return Spark's type for a decimal of ClickHouse; None for another type."""
    if kind.this not in _TYPES:
        return None
    parameters = [int(one.name) for one in kind.expressions]
    precision, scale = (
        (*parameters, 0, 0)[:2] if len(parameters) > 1 else (parameters[0] if parameters else 10, 0)
    )
    digits = next((n for n in (9, 18) if precision <= n), 37) + 1
    return exp.DataType.build(f"DECIMAL({digits}, {scale})", dialect="spark")


def _decimal_or_default(
    name: str, arguments: list[exp.Expr], default: str, kinds: Kinds, node: exp.Expr
) -> exp.Expr | None:
    """Return a text as a decimal; null or 0 if it is none."""
    call = exp.Anonymous(this=name, expressions=arguments)
    number = fill_template("TRY_CAST(:a AS DECIMAL(38, 18))", a=arguments[0])
    decimal = to_decimal(call, [number, arguments[1]], lambda *_: [DecimalType(38, 18)])
    if default == "null" or decimal is None:
        return decimal
    zero = "IF((:a) IS NOT NULL, COALESCE(:of, 0), NULL)"
    return fill_template(zero, a=arguments[0], of=decimal)


def to_decimal(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return a number as a decimal with some digits after the point; None if it is no number."""
    if len(arguments) != 2 or not isinstance(arguments[1], exp.Literal) or arguments[1].is_string:
        return None
    base_name, _, default = node.name.lower().partition("or")
    scale, digits = int(arguments[1].this), DECIMAL_DIGITS[base_name]
    if default:
        return _decimal_or_default(base_name, arguments, default, kinds, node)
    kind = kind_of(node, arguments[0], kinds)
    if kind in INTEGERS:
        return fill_template(f"CAST(:a AS DECIMAL({digits}, {scale}))", a=arguments[0])
    if kind == "string":
        exact_decimal = fill_template("CAST(:a AS DECIMAL(38, 18))", a=arguments[0])
        return to_decimal(node, [exact_decimal, arguments[1]], kinds)
    if kind not in _TRUNCATED:
        return None
    units = _TRUNCATED[kind].format(f"(:a) * {10**scale}")
    return fill_template(decimal_from_units(units, scale, digits), a=arguments[0])
