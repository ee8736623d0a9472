"""Calls, casts and numbers of ClickHouse, rewritten for Spark before the rules of all systems."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from workbench.dialects.aggregates.clickhouse import parameterized_aggregate
from workbench.dialects.clickhouse.conditions import rewrite_conditions
from workbench.dialects.clickhouse.decimals import decimal_type
from workbench.dialects.clickhouse.lists import array_slice, array_sum
from workbench.dialects.clickhouse.names import rewrite_clickhouse_call
from workbench.dialects.clickhouse.texts import (
    cast_numbers_to_texts,
    text_of_number,
    translate_ascii_case,
)
from workbench.dialects.clickhouse.times import text_of_date_time64
from workbench.dialects.clickhouse.zones import rewrite_zones
from workbench.dialects.kinds import FLOATS, NUMBERS, Kinds, kind_of
from workbench.dialects.numbers import cast_condition_to_number
from workbench.dialects.templates import fill_template
from workbench.dialects.texts.patterns import first_group
from workbench.dialects.texts.written import check_as_text
from workbench.errors import WorkbenchError

#: The names in Spark of functions of ClickHouse.
_NAMES = {
    "tounixtimestamp": "unix_timestamp",
    "tounixtimestamp64milli": "unix_millis",
    "tounixtimestamp64micro": "unix_micros",
    "lengthutf8": "length",
    "lowerutf8": "lower",
    "upperutf8": "upper",
}
#: Casts to integers that wrap around, with their bits and Spark's type.
_WRAPPING_CASTS = {
    "toint8": (8, "INT"), "toint16": (16, "INT"), "toint32": (32, "INT"),
    "touint8": (8, "INT"), "touint16": (16, "INT"), "touint32": (32, "BIGINT"),
}  # fmt: skip
#: The function that casts to each type of integers.
_CAST_FUNCTIONS = {
    exp.DType.TINYINT: "toint8", exp.DType.SMALLINT: "toint16", exp.DType.INT: "toint32",
    exp.DType.UTINYINT: "touint8", exp.DType.USMALLINT: "touint16", exp.DType.UINT: "touint32",
}  # fmt: skip
#: Casts that are written as functions.
_CASTS = {
    **dict.fromkeys(("toint64", "touint64"), "BIGINT"),
    **dict.fromkeys(("tofloat64", "tofloat32"), "DOUBLE"),
    "tostring": "STRING",
    "todatetime": "TIMESTAMP",
    **dict.fromkeys(("todate", "todate32"), "DATE"),
}


def rewrite_clickhouse(tree: exp.Query, kinds: Kinds) -> None:
    """Replace calls and numbers of ClickHouse by expressions with the same meaning in Spark.

    Parameters
    ----------
    tree : sqlglot.exp.Query
        It is changed.
    kinds : Kinds

    Raises
    ------
    WorkbenchError
        When Spark has nothing with the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT toInt64(x), (y > 1) * 2, empty(s)", read="clickhouse")
    >>> rewrite_clickhouse(tree, lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT CAST(x AS BIGINT), CAST((y > 1) AS INT) * 2, ((s) = '')
    """
    rewrite_zones(tree)
    _rewrite_parameterized(tree)
    _rewrite_literals_and_texts(tree)
    for node in list(_inner_first(tree)):
        if (rewrite := _REWRITES.get(type(node))) is not None:
            rewrite(node, kinds)
    rewrite_conditions(tree, kinds)


def _inner_first(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the parts of an expression before itself, lambdas after the lists that they are of."""
    for child in sorted(node.iter_expressions(), key=lambda one: isinstance(one, exp.Lambda)):
        yield from _inner_first(child)
    yield node


def _rewrite_literals_and_texts(tree: exp.Expr) -> None:
    for number in list(tree.find_all(exp.Literal)):
        if not number.is_string and not number.this.isdigit():
            number.replace(exp.cast(exp.Literal.string(number.this), "DOUBLE"))
    for call in list(tree.find_all(exp.Anonymous)):
        if call.name.lower() == "tostring" and len(call.expressions) == 1:
            text = text_of_date_time64(call.expressions[0])
            if text is not None:
                call.replace(text)


def _rewrite_filter(node: exp.ArrayFilter, kinds: Kinds) -> None:
    arguments = [node.expression.copy(), node.this.copy()]
    call = exp.Anonymous(this="arrayFilter", expressions=arguments)
    node.replace(call)
    _rewrite_call(call, kinds)


def _rewrite_sum(node: exp.ArraySum, kinds: Kinds) -> None:
    if (result := array_sum(node, kinds)) is not None:
        node.replace(result)


def _rewrite_slice(node: exp.ArraySlice, kinds: Kinds) -> None:
    """Rewrite a slice of a list, whose bounds may count from its end or lie beyond it."""
    node.replace(array_slice(node.this, node.args["start"], node.args.get("end")))


def _rewrite_regexp_extract(node: exp.RegexpExtract, kinds: Kinds) -> None:
    """Name the first group of a pattern, or the whole match without groups."""
    if node.args.get("group") is None and isinstance(node.expression, exp.Literal):
        node.set("group", exp.Literal.number(first_group(node.expression)))


def _rewrite_cast(node: exp.Cast, kinds: Kinds) -> None:
    """Rewrite a cast to a text, to a decimal, or to an integer that wraps around."""
    to = node.args["to"]
    if to.this in exp.DataType.TEXT_TYPES:
        if (text := _as_text(node, node.this, kinds)) is not None:
            node.replace(text)
    elif (decimal := decimal_type(to)) is not None:
        node.set("to", decimal)
    elif to.this in _CAST_FUNCTIONS and kind_of(node, node.this, kinds) in (*NUMBERS, "boolean"):
        node.replace(_wrapping_cast(node.this, _CAST_FUNCTIONS[to.this]))


def _rewrite_parameterized(tree: exp.Expr) -> None:
    """Replace each aggregate with parameters by an expression of Spark."""
    for aggregate in list(tree.find_all(exp.ParameterizedAgg, exp.CombinedParameterizedAgg)):
        if (result := parameterized_aggregate(aggregate)) is None:
            raise WorkbenchError(
                f"query: there is no function {aggregate.name!r}, neither here nor in Spark."
            )
        aggregate.replace(result)


def _rewrite_call(node: exp.Anonymous, kinds: Kinds) -> None:
    """Replace a call by an expression with the same meaning in Spark."""
    name, arguments = node.name.lower(), node.expressions
    if name in _NAMES:
        node.set("this", _NAMES[name])
    elif name == "intdiv" and len(arguments) == 2:
        left, right = arguments
        node.replace(exp.IntDiv(this=left.copy(), expression=right.copy()))
    elif name in _WRAPPING_CASTS and len(arguments) == 1:
        node.replace(_wrapping_cast(arguments[0], name))
    elif name in _CASTS and len(arguments) == 1:
        if name == "tostring":
            cast_condition_to_number(arguments[0], "INT")
        node.replace(_cast_call(node, name, kinds))
    elif (result := rewrite_clickhouse_call(node, kinds)) is not None:
        node.replace(result)


def _cast_call(node: exp.Anonymous, name: str, kinds: Kinds) -> exp.Expr:
    """Return a cast that is written as a function of one argument."""
    value = node.expressions[0]
    cast: exp.Expr = exp.cast(value.copy(), _CASTS[name])
    if name == "tostring":
        return _as_text(node, value, kinds) or cast
    if name not in ("todate", "todatetime") or (isinstance(value, exp.Literal) and value.is_string):
        return cast
    kind = kind_of(node, value, kinds)
    if name == "todate":
        return _date_of_number(value) if kind in NUMBERS else cast
    # A DateTime has no fraction of a second.
    is_time = kind == "timestamp"
    return fill_template("DATE_TRUNC('SECOND', :a)", a=value) if is_time else cast


def _date_of_number(number: exp.Expr) -> exp.Expr:
    """Return the date of a number: days since 1970 up to 65,535, and seconds above."""
    return fill_template(
        "IF((:n) <= 65535, DATE_FROM_UNIX_DATE(INT(LEAST(:n, 65535))), "
        "DATE(TIMESTAMP_SECONDS(:n)))",
        n=number,
    )


def _as_text(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> exp.Expr | None:
    """Return a value as text; None if Spark's text is the same."""
    types = kinds(node, [value])
    check_as_text([value], types, "clickhouse")
    return text_of_number(value, types[0].typeName() if types else "")


def _wrapping_cast(value: exp.Expr, name: str) -> exp.Expr:
    """Return a cast to an integer of some bits, which keeps the lowest bits of a larger one."""
    bits, kind = _WRAPPING_CASTS[name]
    offset = exp.Literal.number(0 if name.startswith("tou") else 2 ** (bits - 1))
    wrapped = fill_template(
        "PMOD(PMOD(BIGINT(:value), :all) + :half, :all) - :half",
        value=value, all=exp.cast(exp.Literal.number(2**bits), "BIGINT"), half=offset,
    )  # fmt: skip
    return exp.cast(wrapped, kind)


def _rewrite_round(node: exp.Round, kinds: Kinds) -> None:
    """Round floats with ties to even, as ClickHouse does."""
    if kind_of(node, node.this, kinds) not in FLOATS:
        return
    decimals = node.args.get("decimals")
    if decimals is None:
        node.replace(fill_template("RINT(:of)", of=node.this))
    else:
        scaled = "RINT((:of) * POWER(10, :n)) * POWER(10, -(:n))"
        if isinstance(decimals, exp.Literal):
            scaled = f"RINT((:of) * 1e{decimals.this}) / 1e{decimals.this}"
        node.replace(fill_template(f"({scaled})", of=node.this, n=decimals))


def _rewrite_xor(node: exp.Xor, kinds: Kinds) -> None:
    """Rewrite ``xor``, for which Spark has neither an operator nor a function."""
    text = "(BOOLEAN(:a) <> BOOLEAN(:b))"
    node.replace(fill_template(text, a=node.this, b=node.expression))


def _rewrite_digest(node: exp.SHA | exp.SHA2, kinds: Kinds) -> None:
    """Return the bytes of a digest, of which Spark returns the digits in hexadecimal."""
    node.replace(fill_template("UNHEX(:digits)", digits=node.copy()))


#: Rewrites by class of node.
_REWRITES: dict[type[exp.Expr], Callable[[Any, Kinds], None]] = {
    exp.Anonymous: _rewrite_call,
    exp.Round: _rewrite_round,
    exp.Cast: _rewrite_cast,
    exp.ArrayFilter: _rewrite_filter,
    exp.ArraySum: _rewrite_sum,
    exp.ArraySlice: _rewrite_slice,
    exp.RegexpExtract: _rewrite_regexp_extract,
    exp.Xor: _rewrite_xor,
    **dict.fromkeys((exp.SHA, exp.SHA2), _rewrite_digest),
    **dict.fromkeys((exp.Concat, exp.DPipe), cast_numbers_to_texts),
    **dict.fromkeys((exp.Lower, exp.Upper), translate_ascii_case),
}
