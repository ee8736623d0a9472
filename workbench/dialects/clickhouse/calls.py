"""Calls, casts and numbers of ClickHouse as Spark has them, before what other systems share."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from workbench.dialects.aggregates import of_parameters
from workbench.dialects.clickhouse.decimals import held
from workbench.dialects.clickhouse.lists import total
from workbench.dialects.clickhouse.names import named_by_clickhouse
from workbench.dialects.clickhouse.texts import (
    FLOATS,
    text_of_number,
    with_letters_of_ascii,
    with_numbers_as_texts,
)
from workbench.dialects.clickhouse.times import text_of_time
from workbench.dialects.clickhouse.zones import with_zones
from workbench.dialects.kinds import NUMBERS, Kinds, kind_of
from workbench.dialects.numbers import condition_as_number
from workbench.dialects.writing import fill_template
from workbench.errors import WorkbenchError

#: Functions of ClickHouse by the names that Spark has for them.
_NAMES = {
    "tounixtimestamp": "unix_timestamp",
    "tounixtimestamp64milli": "unix_millis",
    "tounixtimestamp64micro": "unix_micros",
    "lengthutf8": "length",
    "lowerutf8": "lower",
    "upperutf8": "upper",
    "todayofweek": "weekday",
}
#: Casts to integers that wrap, by their bits and what holds them.
_WRAPPED = {
    "toint8": (8, "INT"), "toint16": (16, "INT"), "toint32": (32, "INT"),
    "touint8": (8, "INT"), "touint16": (16, "INT"), "touint32": (32, "BIGINT"),
}  # fmt: skip
#: In these a condition is the number 1 or 0.
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)
#: Types of integers by the function that casts to each.
_BITS = {
    exp.DType.TINYINT: "toint8", exp.DType.SMALLINT: "toint16", exp.DType.INT: "toint32",
    exp.DType.UTINYINT: "touint8", exp.DType.USMALLINT: "touint16", exp.DType.UINT: "touint32",
}  # fmt: skip
#: And casts that look like functions.
_CASTS = {
    **dict.fromkeys(("toint64", "touint64"), "BIGINT"),
    **dict.fromkeys(("tofloat64", "tofloat32"), "DOUBLE"),
    "tostring": "STRING",
    "todatetime": "TIMESTAMP",
    "todate": "DATE",
}


def rewrite_clickhouse(tree: exp.Query, kinds: Kinds) -> None:
    """Put what Spark calls it in the place of calls and numbers of ClickHouse.

    Parameters
    ----------
    tree : sqlglot.exp.Query
        It is changed.
    kinds : Kinds

    Raises
    ------
    WorkbenchError
        When Spark has nothing of the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT toInt64(x), (y > 1) * 2, empty(s)", read="clickhouse")
    >>> rewrite_clickhouse(tree, lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT CAST(x AS BIGINT), CAST((y > 1) AS INT) * 2, ((s) = '')
    """
    with_zones(tree)
    _put_parameters(tree)
    _number_conditions(tree)
    _put_texts_and_doubles(tree)
    # What stands within another call is turned first.
    for node in reversed(list(tree.find_all(*_TURNED))):
        if (turn := _TURNED.get(type(node))) is not None:
            turn(node, kinds)


def _put_texts_and_doubles(tree: exp.Expr) -> None:
    for number in list(tree.find_all(exp.Literal)):
        if not number.is_string and not number.this.isdigit():
            number.replace(exp.cast(exp.Literal.string(number.this), "DOUBLE"))
    for call in list(tree.find_all(exp.Anonymous)):
        if call.name.lower() == "tostring" and len(call.expressions) == 1:
            text = text_of_time(call.expressions[0])
            if text is not None:
                call.replace(text)


def _filtered(node: exp.ArrayFilter, kinds: Kinds) -> None:
    given = [node.expression.copy(), node.this.copy()]
    called = exp.Anonymous(this="arrayFilter", expressions=given)
    node.replace(called)
    _put_call(called, kinds)


def _summed(node: exp.ArraySum, kinds: Kinds) -> None:
    if (meant := total(node, kinds)) is not None:
        node.replace(meant)


def _part(node: exp.ArraySlice, kinds: Kinds) -> None:
    """A part of a list, which goes to its end where no length is said."""
    if node.args.get("end") is None:
        rest = "SLICE(:of, :start, SIZE(:of))"
        node.replace(fill_template(rest, of=node.this, start=node.args["start"]))


def _cast(node: exp.Cast, kinds: Kinds) -> None:
    """A cast to a text, to a decimal, or to an integer of as many bits as its type has."""
    to = node.args["to"]
    if to.this in exp.DataType.TEXT_TYPES:
        if (text := text_of_number(node.this, kind_of(node, node.this, kinds))) is not None:
            node.replace(text)
    elif (decimal := held(to)) is not None:
        node.set("to", decimal)
    elif to.this in _BITS and kind_of(node, node.this, kinds) in (*NUMBERS, "boolean"):
        node.replace(_wrapped(node.this, _BITS[to.this]))


def _put_parameters(tree: exp.Expr) -> None:
    """Put what Spark calls it in the place of each aggregate with parameters."""
    for called in list(tree.find_all(exp.ParameterizedAgg, exp.CombinedParameterizedAgg)):
        if (meant := of_parameters(called)) is None:
            raise WorkbenchError(
                f"query: there is no function {called.name!r}, neither here nor in Spark."
            )
        called.replace(meant)


def _number_conditions(tree: exp.Expr) -> None:
    """Write conditions among sums and products as numbers."""
    for one in list(tree.find_all(*_ARITHMETIC)):
        for operand in (one.this, one.expression):
            condition_as_number(operand, "INT")


def _put_call(node: exp.Anonymous, kinds: Kinds) -> None:
    """Put what Spark calls it in the place of a call."""
    name, given = node.name.lower(), node.expressions
    if name in _NAMES:
        node.set("this", _NAMES[name])
    elif name == "intdiv" and len(given) == 2:
        left, right = given
        node.replace(exp.IntDiv(this=left.copy(), expression=right.copy()))
    elif name in _WRAPPED and len(given) == 1:
        node.replace(_wrapped(given[0], name))
    elif name in _CASTS and len(given) == 1:
        kind = kind_of(node, given[0], kinds) if name == "tostring" else ""
        text = text_of_number(given[0], kind)
        node.replace(text or exp.cast(given[0].copy(), _CASTS[name]))
    elif (meant := named_by_clickhouse(node, kinds)) is not None:
        node.replace(meant)


def _wrapped(value: exp.Expr, name: str) -> exp.Expr:
    """An integer of some bits, of which what is larger has the lowest ones."""
    bits, kind = _WRAPPED[name]
    half = exp.Literal.number(0 if name.startswith("tou") else 2 ** (bits - 1))
    rest = fill_template(
        "PMOD(PMOD(BIGINT(:value), :all) + :half, :all) - :half",
        value=value, all=exp.cast(exp.Literal.number(2**bits), "BIGINT"), half=half,
    )  # fmt: skip
    return exp.cast(rest, kind)


def _round(node: exp.Round, kinds: Kinds) -> None:
    """Of a float between two others ClickHouse takes the even one."""
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


#: What is turned from the inside out.
_TURNED: dict[type[exp.Expr], Callable[[Any, Kinds], None]] = {
    exp.Anonymous: _put_call,
    exp.Round: _round,
    exp.Cast: _cast,
    exp.ArrayFilter: _filtered,
    exp.ArraySum: _summed,
    exp.ArraySlice: _part,
    **dict.fromkeys((exp.Concat, exp.DPipe), with_numbers_as_texts),
    **dict.fromkeys((exp.Lower, exp.Upper), with_letters_of_ascii),
}
