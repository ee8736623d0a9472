"""Functions of numbers whose answers are of another type or another number to Spark."""

import re
from typing import Any

from sqlglot import exp

from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.writing import anonymous, fill_template, is_not_null
from workbench.errors import WorkbenchError

#: The digits of integers, as decimals of Spark have them.
_DIGITS = {"byte": 3, "short": 5, "integer": 10, "long": 20}
_INTEGERS = {"byte": "TINYINT", "short": "SMALLINT", "integer": "INT", "long": "BIGINT"}
_ARITHMETIC = (exp.Mod, exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.BitwiseAnd)


def logarithm(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("LOG10", node.this) if node.expression is None else None


def logarithm_of_all(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A logarithm, which is minus infinity of 0 and no number below, where Spark has null."""
    of = node.expression or node.this
    return fill_template(
        "CASE WHEN (:of) > 0 THEN :found WHEN (:of) = 0 THEN DOUBLE('-Infinity') "
        "WHEN (:of) < 0 THEN DOUBLE('NaN') END",
        of=of.copy(), found=node.copy(),
    )  # fmt: skip


def is_nan(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a number is none; of null that is not known."""
    return exp.Case(ifs=[exp.If(this=is_not_null(node.this), true=anonymous("ISNAN", node.this))])


def is_infinite(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return fill_template("ABS(:of) = DOUBLE('Infinity')", of=node.this)


#: How Spark makes an integer of a double.
_WHOLE: dict[type[exp.Expr], str] = {exp.Trunc: "BIGINT", exp.Floor: "FLOOR", exp.Ceil: "CEIL"}


def whole(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A double without what is behind its point, which may be larger than any integer or none."""
    kind = kind_of(node, node.this, kinds)
    if (digits := node.args.get("decimals")) is not None:
        if not isinstance(node, exp.Trunc):
            return None
        found = _cut_off(node, digits, kind)
        return (
            exp.cast(found, _INTEGERS[kind]) if kind in _INTEGERS and dialect == "duckdb" else found
        )
    if kind in _DIGITS and dialect != "clickhouse" and not isinstance(node, exp.Trunc):
        # Of integers, too, floor and ceil are doubles.
        return exp.cast(node.this.copy(), "DOUBLE")
    if kind not in ("double", "float"):
        return None
    made = f"DOUBLE({_WHOLE[type(node)]}(:of))"
    return fill_template(f"IF(ABS(:of) < 9e18, {made}, DOUBLE(:of))", of=node.this)


def _cut_off(node: exp.Expr, digits: exp.Expr, kind: str) -> exp.Expr:
    """A number without what is behind some digits, which may stand before its point."""
    number = digits.this if isinstance(digits, exp.Neg) else digits
    if not isinstance(number, exp.Literal) or not number.this.isdigit():
        raise WorkbenchError("query: trunc takes a constant number of digits here; write it.")
    count = int(number.this) * (-1 if number is not digits else 1)
    if kind in ("double", "float"):
        places = f"1e{abs(count)}D"
        there, back = ("*", "/") if count >= 0 else ("/", "*")
        scaled = f"((:x) {there} {places})"
        found = f"IF(ABS{scaled} < 9e15, BIGINT({scaled}) {back} {places}, DOUBLE(:x))"
        return fill_template(found, x=node.this)
    return fill_template(f"IF((:x) < 0, CEIL(:x, {count}), FLOOR(:x, {count}))", x=node.this)


#: Steps within which Euclid comes to an end, of integers of 64 bits.
_STEPS = 92


def common_divisor(name: str, node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr:
    """Return the greatest common divisor of two integers, or their least common multiple.

    Raises
    ------
    WorkbenchError
        When a number is no integer.
    """
    a, b = node.expressions
    names = [one.typeName() for one in kinds(node, [a, b]) or ()]
    if not all(one in (*_DIGITS, "void") for one in names):
        raise WorkbenchError(f"query: {node.name.lower()} takes two integers here; cast them.")
    divisor = fill_template(
        f"AGGREGATE(SEQUENCE(1, {_STEPS}), NAMED_STRUCT('a', BIGINT(:a), 'b', BIGINT(:b)), "
        "(so, step) -> IF(so.b = 0, so, NAMED_STRUCT('a', so.b, 'b', so.a % so.b)), "
        "so -> ABS(so.a))",
        a=a, b=b,
    )  # fmt: skip
    found = divisor
    if name == "lcm":
        multiple = "IF((:a) = 0 OR (:b) = 0, 0, ABS(BIGINT(:a) DIV :divisor * BIGINT(:b)))"
        found = fill_template(multiple, a=a, b=b, divisor=divisor)
    found = fill_template("IF((:a) IS NOT NULL AND (:b) IS NOT NULL, :found, NULL)",
                      a=a, b=b, found=found)  # fmt: skip
    is_small = dialect != "duckdb" and "long" not in names
    return exp.cast(found, "INT") if is_small else found


def rounded_to_even(node: exp.Anonymous, kinds: Kinds) -> exp.Expr:
    """Return a number rounded to some digits, what lies between two of them to the even one.

    Raises
    ------
    WorkbenchError
        When the digits are not known.
    """
    value, digits = node.expressions
    count = digits.sql()
    if not re.fullmatch("-?[0-9]+", count):
        raise WorkbenchError(
            f"query: {node.name.lower()} takes a constant number of digits here; write it."
        )
    kind = kind_of(node, value, kinds)
    if kind not in ("double", "float"):
        return anonymous("BROUND", value, digits)
    places = f"1e{abs(int(count))}D"
    there, back = ("*", "/") if int(count) >= 0 else ("/", "*")
    return exp.cast(fill_template(f"RINT((:x) {there} {places}) {back} {places}", x=value), kind)


def sign(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """An integer to DuckDB and ClickHouse, of what is no number, too."""
    if (of_none := {"duckdb": 0, "clickhouse": 1}.get(dialect)) is None:
        return None
    return fill_template(f"IF(ISNAN(:of), {of_none}, INT(SIGN(:of)))", of=node.this)


def rounded(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A double between two integers is the even one to Postgres."""
    if dialect == "duckdb" or node.args.get("decimals") is not None:
        return None
    if kind_of(node, node.this, kinds) not in ("double", "float"):
        return None
    return anonymous("RINT", node.this)


def condition(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A number as a condition, which is whether it is not 0."""
    if dialect == "duckdb" and isinstance(node.this, _ARITHMETIC):
        node.set("this", exp.cast(node.this.copy(), "BOOLEAN"))
    return None


def condition_as_number(value: exp.Expr, kind: str) -> None:
    """Write a condition as the number 1 or 0; it is changed where it stands.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SUM(x > 3)")
    >>> condition_as_number(tree.this, "BIGINT")
    >>> print(tree.sql())
    SUM(CAST(x > 3 AS BIGINT))
    """
    if isinstance(value.unnest(), exp.Predicate | exp.Connector | exp.Not):
        value.replace(exp.cast(value.copy(), kind))


#: The most that a decimal of Spark has, and those behind the point of a small quotient of Postgres.
_MOST, _BEHIND = 38, 20


def quotient_of_decimals(left: exp.Expr, right: exp.Expr, types: list[Any]) -> exp.Expr:
    """Return a quotient with 20 digits behind its point, or as many as Spark has room for.

    Examples
    --------
    >>> from pyspark.sql.types import DecimalType, LongType
    >>> types = [DecimalType(9, 2), LongType()]
    >>> print(quotient_of_decimals(exp.column("a"), exp.column("b"), types).sql("spark"))
    a / CAST(b AS DECIMAL(20, 0))
    """
    (digits, behind), (divisor, least) = map(_decimal, (left, right), types)
    # Spark gives as many behind the point as the divisor has digits, and those of the dividend.
    scale = min(_BEHIND, _MOST - (digits - behind + least))
    wide = exp.DataType.build(f"DECIMAL({max(divisor, scale - behind - 1)}, {least})")
    return exp.Div(this=left.copy(), expression=exp.cast(right.copy(), wide))


def quotient_as_dividend(left: exp.Expr, right: exp.Expr, types: list[Any]) -> exp.Expr | None:
    """Return a quotient of ClickHouse: cut off behind as many digits as its decimal has.

    None where no operand is a decimal, or one is a float.

    Examples
    --------
    >>> from pyspark.sql.types import DecimalType, LongType
    >>> types = [DecimalType(9, 2), LongType()]
    >>> meant = quotient_as_dividend(exp.column("a"), exp.column("b"), types)
    >>> "((a) * 100) DIV (b)" in meant.sql("spark")
    True
    """
    names = [one.typeName() for one in types]
    if "decimal" not in names or not all(one in (*_DIGITS, "decimal") for one in names):
        return None
    scale = max(_decimal(left, types[0])[1], _decimal(right, types[1])[1])
    whole = f"((:a) * {10**scale}) DIV (:b)"
    return fill_template(f"({of_units(whole, scale, _MOST)})", a=left, b=right)


def of_units(whole: str, scale: int, digits: int) -> str:
    """Return the text of a decimal that is so many units of its last digit, a bigint.

    Its product with a unit has no more digits than a decimal of Spark, which would round it, unless
    more than 18 of them are behind the point.

    Examples
    --------
    >>> of_units("7", 2, 9)
    "CAST(CAST(7 AS DECIMAL(19, 0)) * CAST('1E-2' AS DECIMAL(2, 2)) AS DECIMAL(9, 2))"
    """
    unit = f" * CAST('1E-{scale}' AS DECIMAL({scale}, {scale}))" if scale else ""
    return f"CAST(CAST({whole} AS DECIMAL(19, 0)){unit} AS DECIMAL({digits}, {scale}))"


def _decimal(value: exp.Expr, kind: Any) -> tuple[int, int]:
    """How many digits a number has, and how many of them are behind the point."""
    if kind.typeName() == "decimal":
        return kind.precision, kind.scale
    is_literal = isinstance(value, exp.Literal)
    return len(value.this) if is_literal else _DIGITS[kind.typeName()], 0
