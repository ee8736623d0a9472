"""Functions of numbers with another value or type in Spark."""

import re
from typing import Any

from sqlglot import exp

from workbench.dialects.kinds import FLOATS, Kinds, kind_of
from workbench.dialects.templates import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError

#: The digits of integers that Spark casts to a decimal.
_INTEGER_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}
_INTEGER_TYPES = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}
_ARITHMETIC = (exp.Mod, exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.BitwiseAnd)


def log10_of_log(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("LOG10", node.this) if node.expression is None else None


def log_with_infinity(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a logarithm that is -infinity for 0 and NaN below 0, where Spark has null."""
    operand = node.expression or node.this
    return fill_template(
        "CASE WHEN (:of) > 0 THEN :result WHEN (:of) = 0 THEN DOUBLE('-Infinity') "
        "WHEN (:of) < 0 THEN DOUBLE('NaN') END",
        of=operand.copy(), result=node.copy(),
    )  # fmt: skip


def is_nan(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return whether a number is NaN; null for null."""
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=anonymous("ISNAN", node.this))])


def is_infinite(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return fill_template("ABS(:of) = DOUBLE('Infinity')", of=node.this)


def modulo(node: exp.Mod, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a remainder that is NaN where a float is divided by 0, as the IEEE has it."""
    divisor = node.expression.unnest()
    if isinstance(divisor, exp.Literal) and divisor.this.strip("0."):
        return None
    types = [one.typeName() for one in kinds(node, [node.this, divisor]) or ()]
    if {"double", "float"}.isdisjoint(types):
        return None
    remainder = exp.Mod(
        this=exp.paren(node.this.copy()),
        expression=anonymous("NULLIF", divisor, exp.Literal.number(0)),
    )
    return fill_template(
        "IF((:divisor) = 0 AND (:of) IS NOT NULL, DOUBLE('NaN'), :remainder)",
        of=node.this, divisor=divisor, remainder=remainder,
    )  # fmt: skip


#: The call of Spark that makes an integer of a double.
_TRUNCATIONS: dict[type[exp.Expr], str] = {
    exp.Trunc: "BIGINT",
    exp.Floor: "FLOOR",
    exp.Ceil: "CEIL",
}


def truncate(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a double without its fraction; it may be infinite, NaN or above any integer."""
    kind = kind_of(node, node.this, kinds)
    if (digits := node.args.get("decimals")) is not None:
        if not isinstance(node, exp.Trunc):
            return None
        result = _truncate_digits(node, digits, kind)
        return (
            exp.cast(result, _INTEGER_TYPES[kind])
            if kind in _INTEGER_TYPES and dialect == "duckdb"
            else result
        )
    if kind in _INTEGER_DIGITS and dialect != "clickhouse" and not isinstance(node, exp.Trunc):
        # Floor and ceil of integers are doubles, too.
        return exp.cast(node.this.copy(), "DOUBLE")
    if kind not in FLOATS:
        return None
    truncated = f"DOUBLE({_TRUNCATIONS[type(node)]}(:of))"
    return fill_template(f"IF(ABS(:of) < 9e18, {truncated}, DOUBLE(:of))", of=node.this)


def _truncate_digits(node: exp.Expr, digits: exp.Expr, kind: str) -> exp.Expr:
    """Return a number truncated to some digits after the point, or before it if negative."""
    number = digits.this if isinstance(digits, exp.Neg) else digits
    if not isinstance(number, exp.Literal) or not number.this.isdigit():
        raise WorkbenchError("query: trunc takes a constant number of digits here; write it.")
    count = int(number.this) * (-1 if number is not digits else 1)
    if kind in FLOATS:
        places = f"1e{abs(count)}D"
        scale_up, scale_down = ("*", "/") if count >= 0 else ("/", "*")
        scaled = f"((:x) {scale_up} {places})"
        text = f"IF(ABS{scaled} < 9e15, BIGINT({scaled}) {scale_down} {places}, DOUBLE(:x))"
        return fill_template(text, x=node.this)
    return fill_template(f"IF((:x) < 0, CEIL(:x, {count}), FLOOR(:x, {count}))", x=node.this)


#: The most steps of Euclid's algorithm for integers of 64 bits.
_EUCLID_STEPS = 92


def gcd_or_lcm(name: str, node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr:
    """Return the greatest common divisor of two integers, or their least common multiple.

    Raises
    ------
    WorkbenchError
        When a number is no integer.
    """
    a, b = node.expressions
    names = [one.typeName() for one in kinds(node, [a, b]) or ()]
    if not all(one in (*_INTEGER_DIGITS, "void") for one in names):
        raise WorkbenchError(f"query: {node.name.lower()} takes two integers here; cast them.")
    divisor = fill_template(
        f"AGGREGATE(SEQUENCE(1, {_EUCLID_STEPS}), NAMED_STRUCT('a', BIGINT(:a), 'b', BIGINT(:b)), "
        "(so, step) -> IF(so.b = 0, so, NAMED_STRUCT('a', so.b, 'b', so.a % so.b)), "
        "so -> ABS(so.a))",
        a=a, b=b,
    )  # fmt: skip
    result = divisor
    if name == "lcm":
        multiple = "IF((:a) = 0 OR (:b) = 0, 0, ABS(BIGINT(:a) DIV :divisor * BIGINT(:b)))"
        result = fill_template(multiple, a=a, b=b, divisor=divisor)
    result = fill_template(
        "IF((:a) IS NOT NULL AND (:b) IS NOT NULL, :result, NULL)", a=a, b=b, result=result
    )
    is_small = dialect != "duckdb" and "long" not in names
    return exp.cast(result, "INT") if is_small else result


def round_half_even(node: exp.Anonymous, kinds: Kinds) -> exp.Expr:
    """Return a number rounded to some digits, with ties to even.

    Raises
    ------
    WorkbenchError
        When the number of digits is no constant.
    """
    value, digits = node.expressions
    count = digits.sql()
    if not re.fullmatch("-?[0-9]+", count):
        raise WorkbenchError(
            f"query: {node.name.lower()} takes a constant number of digits here; write it."
        )
    kind = kind_of(node, value, kinds)
    if kind not in FLOATS:
        return anonymous("BROUND", value, digits)
    places = f"1e{abs(int(count))}D"
    scale_up, scale_down = ("*", "/") if int(count) >= 0 else ("/", "*")
    return exp.cast(
        fill_template(f"RINT((:x) {scale_up} {places}) {scale_down} {places}", x=value), kind
    )


def sign(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return the sign as an integer, as in DuckDB and ClickHouse, also for NaN."""
    if (sign_of_nan := {"duckdb": 0, "clickhouse": 1}.get(dialect)) is None:
        return None
    return fill_template(f"IF(ISNAN(:of), {sign_of_nan}, INT(SIGN(:of)))", of=node.this)


def round_double(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a double rounded with ties to even, as in Postgres."""
    if dialect == "duckdb" or node.args.get("decimals") is not None:
        return None
    if kind_of(node, node.this, kinds) not in FLOATS:
        return None
    return anonymous("RINT", node.this)


def cast_condition(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Cast a number that is a condition, which is true if it is not 0, and a null that is one."""
    if isinstance(node.parent, exp.Case) and node.parent.this is not None:
        return None  # CASE x WHEN 3
    is_number = dialect == "duckdb" and isinstance(node.this, _ARITHMETIC)
    if is_number or isinstance(node.this, exp.Null):
        node.set("this", exp.cast(node.this.copy(), "BOOLEAN"))
    return None


def cast_condition_to_number(value: exp.Expr, kind: str) -> None:
    """Replace a condition, in place, by a cast to the number 1 or 0.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SUM(x > 3)")
    >>> cast_condition_to_number(tree.this, "BIGINT")
    >>> print(tree.sql())
    SUM(CAST(x > 3 AS BIGINT))
    """
    if is_condition(value):
        value.replace(exp.cast(value.copy(), kind))


def is_condition(value: exp.Expr) -> bool:
    """Return whether an expression is written as a condition."""
    return isinstance(value.unnest(), exp.Predicate | exp.Connector | exp.Not)


#: The most digits of a decimal of Spark, and the digits after the point of a quotient of Postgres.
_MAX_DIGITS, _MIN_SCALE = 38, 20


def postgres_decimal_quotient(left: exp.Expr, right: exp.Expr, types: list[Any]) -> exp.Expr:
    """Return a quotient with 20 digits after the point, or as many as Spark has room for.

    Examples
    --------
    >>> from pyspark.sql.types import DecimalType, LongType
    >>> types = [DecimalType(9, 2), LongType()]
    >>> print(postgres_decimal_quotient(exp.column("a"), exp.column("b"), types).sql("spark"))
    a / CAST(b AS DECIMAL(20, 0))
    """
    (digits, scale), (divisor_digits, divisor_scale) = map(_digits_and_scale, (left, right), types)
    # Spark's scale is the digits of the divisor plus the scale of the dividend.
    quotient_scale = min(_MIN_SCALE, _MAX_DIGITS - (digits - scale + divisor_scale))
    wide_type = exp.DataType.build(
        f"DECIMAL({max(divisor_digits, quotient_scale - scale - 1)}, {divisor_scale})"
    )
    return exp.Div(this=left.copy(), expression=exp.cast(right.copy(), wide_type))


def clickhouse_decimal_quotient(
    left: exp.Expr, right: exp.Expr, types: list[Any]
) -> exp.Expr | None:
    """Return a quotient of ClickHouse: truncated to the scale of its decimal.

    Return None if no operand is a decimal, or one is a float.

    Examples
    --------
    >>> from pyspark.sql.types import DecimalType, LongType
    >>> types = [DecimalType(9, 2), LongType()]
    >>> quotient = clickhouse_decimal_quotient(exp.column("a"), exp.column("b"), types)
    >>> "((a) * 100) DIV (b)" in quotient.sql("spark")
    True
    """
    names = [one.typeName() for one in types]
    if "decimal" not in names or not all(one in (*_INTEGER_DIGITS, "decimal") for one in names):
        return None
    scale = max(_digits_and_scale(left, types[0])[1], _digits_and_scale(right, types[1])[1])
    quotient_units = f"((:a) * {10**scale}) DIV (:b)"
    return fill_template(
        f"({decimal_from_units(quotient_units, scale, _MAX_DIGITS)})", a=left, b=right
    )


def decimal_from_units(units: str, scale: int, digits: int) -> str:
    """Return the SQL of a decimal from a bigint that counts units of its last digit.

    The product with the unit fits a decimal of Spark without rounding, unless more than 18 digits
    are after the point.

    Examples
    --------
    >>> decimal_from_units("7", 2, 9)
    "CAST(CAST(7 AS DECIMAL(19, 0)) * CAST('1E-2' AS DECIMAL(2, 2)) AS DECIMAL(9, 2))"
    """
    unit = f" * CAST('1E-{scale}' AS DECIMAL({scale}, {scale}))" if scale else ""
    return f"CAST(CAST({units} AS DECIMAL(19, 0)){unit} AS DECIMAL({digits}, {scale}))"


def _digits_and_scale(value: exp.Expr, kind: Any) -> tuple[int, int]:
    """Return the number of digits of a value, and how many of them are after the point."""
    if kind.typeName() == "decimal":
        return kind.precision, kind.scale
    is_literal = isinstance(value, exp.Literal)
    return len(value.this) if is_literal else _INTEGER_DIGITS[kind.typeName()], 0
