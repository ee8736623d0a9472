"""Functions of one row that Spark has by the same name, and means something else by."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.time_formats import spark_format
from workbench.dialects.writing import filled_in, known
from workbench.durations import MONTHS_IN
from workbench.errors import WorkbenchError

#: The types of expressions of a query, as Spark has them; None where it cannot say.
Kinds = Callable[[exp.Expr, Sequence[exp.Expr]], list[Any] | None]

#: Types that Spark has not by this name, by one that holds their values.
_HELD_BY = {
    exp.DType.UTINYINT: "SMALLINT",
    exp.DType.USMALLINT: "INT",
    exp.DType.UINT: "BIGINT",
    exp.DType.UBIGINT: "DECIMAL(20, 0)",
    exp.DType.INT128: "DECIMAL(38, 0)",
    exp.DType.UINT128: "DECIMAL(38, 0)",
    exp.DType.UUID: "STRING",
    **dict.fromkeys(
        (exp.DType.TIMESTAMP_S, exp.DType.TIMESTAMP_MS, exp.DType.TIMESTAMP_NS), "TIMESTAMP_NTZ"
    ),
}
#: What holds numbers of any digits, which Postgres's NUMERIC has and Spark's, of none behind the
#: point, has not.
_ANY_DIGITS = "DECIMAL(38, 18)"


def with_scalars(tree: exp.Expr, dialect: str, kinds: Kinds, days: bool = True) -> None:
    """Put what Spark calls it in the place of each function of one row that it calls otherwise.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str
    kinds : Kinds
    days : bool
        Whether there may be days, whose sums and differences Spark types otherwise.

    Raises
    ------
    WorkbenchError
        When Spark has nothing of the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT log(x), extract(dow FROM d), l[1]", read="duckdb")
    >>> with_scalars(tree, "duckdb", lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT LOG10(x), (DAYOFWEEK(d) - 1), TRY_ELEMENT_AT(l, 1)
    """
    meant_by = _MEANT if dialect in LIKE_POSTGRES else _MEANT_BY_CLICKHOUSE
    if dialect not in (*LIKE_POSTGRES, "clickhouse"):
        return
    for kind in list(tree.find_all(exp.DataType)):
        days = days or kind.this is exp.DType.DATE
        if kind.this is exp.DType.DECIMAL and not kind.expressions and dialect != "duckdb":
            kind.replace(exp.DataType.build(_ANY_DIGITS, dialect="spark"))
        if (held := _HELD_BY.get(kind.this)) is not None:
            kind.replace(exp.DataType.build(held, dialect="spark"))
    for node in list(tree.find_all(*meant_by)):
        # What is of a kind of its own, as TRY_CAST, is none of them.
        found = meant_by.get(type(node))
        if not days and isinstance(node, exp.Add | exp.Sub):
            continue
        if found is not None and (meant := found(node, dialect, kinds)) is not None:
            node.replace(meant)


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[one.copy() for one in arguments])


def _plus(node: exp.Expr, n: int) -> exp.Expr:
    kind = exp.Add if n > 0 else exp.Sub
    return exp.paren(kind(this=node, expression=exp.Literal.number(abs(n))))


def _log(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return _call("LOG10", node.this) if node.expression is None else None


#: Parts of a time that Spark numbers or names otherwise.
_PARTS: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    **dict.fromkeys(("DOW", "DAYOFWEEK", "WEEKDAY"), lambda d: _plus(_call("DAYOFWEEK", d), -1)),
    "ISODOW": lambda d: _plus(_call("WEEKDAY", d), 1),
    "EPOCH": lambda d: exp.Div(
        this=_call("UNIX_MICROS", exp.cast(d.copy(), "TIMESTAMP")),
        expression=exp.cast(exp.Literal.number(1000000), "DOUBLE"),
    ),
}


def _extract(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    part = str(node.this.name).upper()
    if part == "SECOND" and dialect == "duckdb":
        return exp.cast(node.copy(), "BIGINT")
    if part == "EPOCH" and (distance := _seconds_between(node, node.expression, kinds)) is not None:
        return distance
    found = _PARTS.get(part)
    return None if found is None else found(node.expression)


def _epoch(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return _seconds_between(node, node.this, kinds)


def _seconds_between(node: exp.Expr, value: exp.Expr, kinds: Kinds) -> exp.Expr | None:
    """The seconds of a distance of two times; None where it is none."""
    if not isinstance(value.unnest(), exp.Sub | exp.Interval):
        return None
    found = kinds(node, [value])
    if not found or "interval" not in found[0].simpleString():
        return None
    parts = {"DAY": 86_400, "HOUR": 3_600, "MINUTE": 60, "SECOND": 1}
    seconds = (f"EXTRACT({part} FROM :of) * {size}" for part, size in parts.items())
    return filled_in(f"DOUBLE({' + '.join(seconds)})", of=value)


def _day_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return _PARTS["ISODOW" if isinstance(node, exp.DayOfWeekIso) else "DOW"](node.this)


def _name_of_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    letters = "EEEE" if isinstance(node, exp.Dayname) else "MMMM"
    return _call("DATE_FORMAT", node.this, exp.Literal.string(letters))


_MONTHS = {unit.upper(): months for unit, months in MONTHS_IN.items()}
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600}


def _date_diff(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """How many borders of a unit lie between two times, of which Spark counts whole units."""
    unit = str(node.args["unit"].name if node.args.get("unit") else "DAY").upper().removesuffix("S")
    text = exp.Literal.string(unit)

    def place(one: exp.Expr) -> exp.Expr:
        if unit in _MONTHS:
            begun = _call("DATE_TRUNC", text, one)
            years = exp.Mul(this=_call("YEAR", begun), expression=exp.Literal.number(12))
            months = exp.paren(exp.Add(this=years, expression=_call("MONTH", begun)))
            return exp.IntDiv(this=_plus(months, -1), expression=exp.Literal.number(_MONTHS[unit]))
        begun = exp.cast(_call("DATE_TRUNC", text, one), "TIMESTAMP")
        size = exp.Literal.number(_SECONDS[unit])
        return exp.IntDiv(this=_call("UNIX_SECONDS", begun), expression=size)

    if unit in _MONTHS or unit in _SECONDS:
        return exp.paren(exp.Sub(this=place(node.this), expression=place(node.expression)))
    days = [exp.cast(one.copy(), "DATE") for one in (node.this, node.expression)]
    if unit == "DAY":
        return _call("DATEDIFF", *days)
    if unit == "WEEK":
        if dialect == "clickhouse":
            # DuckDB counts whole weeks.
            days = [exp.cast(_call("DATE_TRUNC", text, one), "DATE") for one in days]
        return exp.IntDiv(this=_call("DATEDIFF", *days), expression=exp.Literal.number(7))
    raise WorkbenchError(
        f"query: date_diff counts no {unit.lower()}s here; take years, quarters, months, weeks, "
        "days, hours, minutes or seconds."
    )


def _element(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """An element of a list, counted from 1 and null where there is none."""
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        return None
    index = node.expressions[0]
    if isinstance(index, exp.Literal) and index.is_string:
        return None
    if not index.find(exp.Column):
        # What is read counts from 0.
        index = simplify(exp.Add(this=index.copy(), expression=exp.Literal.number(1)))
    if isinstance(index, exp.Literal) and index.this == "0":
        return exp.null()
    if index.find(exp.Column):
        index = _call("NULLIF", index, exp.Literal.number(0))
    return _call("TRY_ELEMENT_AT", node.this, index)


def _contains(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a value is in a list, in which nulls are no values."""
    within = _call("ARRAY_CONTAINS", node.this, node.expression)
    found = exp.Coalesce(this=within, expressions=[exp.false()])
    return exp.Case(ifs=[exp.If(this=known(node.this), true=found)])


def _replace(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    modifiers = node.args.get("modifiers")
    if modifiers is None or "g" not in modifiers.name:
        raise WorkbenchError(
            "query: regexp_replace without 'g' replaces the first place alone, which Spark cannot; "
            "give 'g' for all."
        )
    return None


def _left(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The first or last letters, or all but the ones at the other end."""
    n, name = node.expression, type(node).__name__.upper()
    if isinstance(n, exp.Literal):
        return None
    rest = exp.Add(this=_call("LENGTH", node.this), expression=exp.paren(n.copy()))
    but = _call(name, node.this, _call("GREATEST", rest, exp.Literal.number(0)))
    if isinstance(n, exp.Neg):
        return but
    negative = exp.LT(this=exp.paren(n.copy()), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=negative, true=but)], default=_call(name, node.this, n))


def _substring(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A part of a text, of which places before the first letter count as letters."""
    start, length = node.args.get("start"), node.args.get("length")
    if start is None or length is None:
        return _from_place(node, start, dialect)
    if all(isinstance(one, exp.Literal) and one.this.strip("0") for one in (start, length)):
        return None
    # DuckDB counts what is negative from the end, and takes letters before it by such a length.
    first = "= 0" if dialect == "duckdb" else "<= 0"
    lost = "1" if dialect == "duckdb" else "1 - (:start)"
    back = (
        "WHEN (:length) < 0 THEN SUBSTRING(LEFT(:text, GREATEST(PLACE - 1, 0)), "
        "GREATEST(PLACE + (:length), 1))"
        if dialect == "duckdb"
        else ""
    ).replace("PLACE", "IF((:start) < 0, LENGTH(:text) + (:start) + 1, :start)")
    return filled_in(
        f"CASE {back} WHEN (:start) {first} THEN SUBSTRING(:text, 1, (:length) - ({lost})) "
        "ELSE SUBSTRING(:text, :start, :length) END",
        text=node.this, start=start, length=length,
    )  # fmt: skip


def _from_place(node: exp.Expr, start: exp.Expr | None, dialect: str) -> exp.Expr | None:
    """The rest of a text, all of it from before its first letter on."""
    if start is None or dialect == "duckdb" or isinstance(start, exp.Literal):
        return None
    return filled_in(
        "SUBSTRING(:text, CASE WHEN (:start) < 1 THEN 1 ELSE :start END)",
        text=node.this, start=start,
    )  # fmt: skip


def _in_zone(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """An instant as a zone's clocks show it, and the instant at which they show a time."""
    found = kinds(node, [node.this])
    if not found or found[0].typeName() not in ("timestamp_ntz", "date"):
        return None
    value = exp.cast(node.this.copy(), "TIMESTAMP_NTZ", dialect="spark")
    # The session's own zone has no part in it.
    return filled_in(
        "MAKE_TIMESTAMP(YEAR(:t), MONTH(:t), DAY(:t), HOUR(:t), MINUTE(:t), "
        "EXTRACT(SECOND FROM :t), :zone)",
        t=value, zone=node.args["zone"],
    )  # fmt: skip


def _from_seconds(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """An instant by its seconds, with their parts."""
    return None if node.args.get("scale") else _call("TIMESTAMP_SECONDS", node.this)


def _is_nan(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a number is none; of null that is not known."""
    return exp.Case(ifs=[exp.If(this=known(node.this), true=_call("ISNAN", node.this))])


def _is_infinite(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return filled_in("ABS(:of) = DOUBLE('Infinity')", of=node.this)


def _concatenated(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Values as texts one behind the other, those that are null left out."""
    others = [
        one for one in node.expressions if not (isinstance(one, exp.Literal) and one.is_string)
    ]
    names = [one.typeName() for one in kinds(node, others) or ()] if others else []
    if {"array", "map", "struct"}.isdisjoint(names):
        for one, name in zip(others, names, strict=False):
            if name not in _TEXT:
                one.replace(exp.cast(one.copy(), "TEXT"))
    return None


_TEXT = ("string", "char", "varchar", "void")


def _truncated(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A double without what is behind its point, which may be larger than any integer."""
    found = None if node.args.get("decimals") else kinds(node, [node.this])
    if not found or found[0].typeName() not in ("double", "float"):
        return None
    return filled_in("IF(ABS(:of) < 9e18, DOUBLE(BIGINT(:of)), DOUBLE(:of))", of=node.this)


def _begun(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Refuse units of which Spark begins none, and says null."""
    unit = str(node.args["unit"].name).upper()
    if unit.rstrip("S") in ("DECADE", "CENTURY", "CENTURIE", "MILLENNIUM", "MILLENNIA"):
        raise WorkbenchError(
            f"query: date_trunc knows no {unit.lower()} here; count the years, as by "
            "make_date(year(d) - year(d) % 10, 1, 1)."
        )
    return None


def _written(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A time as text."""
    given = node.args["format"]
    if not isinstance(given, exp.Literal):
        return None
    return _call("DATE_FORMAT", node.this, exp.Literal.string(spark_format(given.this, dialect)))


def _format(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    if dialect != "duckdb":
        return None
    raise WorkbenchError("query: format is not available; put the text together by ||.")


def _length(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """How many elements a list has; of text, ClickHouse counts bytes."""
    found = kinds(node, [node.this])
    if found and found[0].typeName() == "array":
        return _call("SIZE", node.this)
    return _call("OCTET_LENGTH", node.this) if dialect == "clickhouse" else None


def _day_of_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A time of day, and integers that are rounded."""
    kind = node.args["to"]
    if kind.this is exp.DType.VARBINARY and dialect == "duckdb":
        return _bytes(node.this)
    if kind.this is exp.DType.TIME:
        time = exp.DataType(this=exp.DType.USERDEFINED, kind="TIME")
        return exp.Cast(this=node.this.copy(), to=time)
    if kind.this in _WHOLE and not isinstance(node.this, exp.Boolean):
        return _rounded(node, kinds)
    return None


def _bytes(value: exp.Expr) -> exp.Expr | None:
    r"""Bytes by a text in which ``\xAA`` is one of them."""
    if not isinstance(value, exp.Literal) or "\\" not in value.this:
        return None
    pieces = re.split(r"\\x([0-9a-fA-F]{2})", value.this)
    if any("\\" in one for one in pieces[::2]):
        raise WorkbenchError(
            f"query: {value.sql()} is no text of bytes; write each backslash as \\x5C."
        )
    found = "".join(one if k % 2 else one.encode("utf-8").hex() for k, one in enumerate(pieces))
    return _call("UNHEX", exp.Literal.string(found))


_WHOLE = exp.DataType.INTEGER_TYPES


def _rounded(node: exp.Expr, kinds: Kinds) -> exp.Expr | None:
    """A number as an integer: decimals by the nearest one away from 0, doubles by the even one."""
    value = node.this
    if isinstance(value, exp.Literal) and value.is_string:
        return None
    if isinstance(value, exp.Literal) and value.this.isdigit():
        return None
    found = kinds(node, [value])
    word = {"decimal": "ROUND", "double": "RINT", "float": "RINT"}.get(
        found[0].typeName() if found else ""
    )
    return exp.cast(_call(word, value), node.args["to"].copy()) if word else None


def _collated(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    raise WorkbenchError(
        f"query: COLLATE {node.expression.sql(dialect=dialect)} is not available; "
        "compare what lower(...) or translate(...) makes of the text."
    )


def _series(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A series of times by an interval, which are no days although its ends may be."""
    if dialect == "duckdb" and isinstance(node.args.get("step"), exp.Interval):
        for end in ("start", "end"):
            time = exp.cast(node.args[end].copy(), "TIMESTAMP_NTZ", dialect="spark")
            node.set(end, time)
    return None


def _spread_out(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Refuse a second list whose values become rows: there they stand beside the first one's."""
    select = node.find_ancestor(exp.Select)
    lists = [] if select is None else [
        found for one in select.expressions for found in one.find_all(exp.Explode, exp.Unnest)
        if found.find_ancestor(exp.Select) is select
    ]  # fmt: skip
    if len(lists) > 1:
        raise WorkbenchError(
            f"query: {len(lists)} lists become rows in one SELECT, which Spark combines each with "
            "each; make them one list of structs, or number and join them."
        )
    return None


def _condition(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A number as a condition, which is whether it is not 0."""
    if dialect == "duckdb" and isinstance(node.this, _ARITHMETIC):
        node.set("this", exp.cast(node.this.copy(), "BOOLEAN"))
    return None


_ARITHMETIC = (exp.Mod, exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.BitwiseAnd)


def _named(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Functions that have no class of their own."""
    name, given = node.name.lower(), node.expressions
    if name == "weekday" and len(given) == 1 and dialect == "duckdb":
        return _PARTS["DOW"](given[0])
    if name in ("date_part", "datepart") and len(given) == 2:
        part, of = given
        if isinstance(part, exp.Literal) and part.is_string:
            asked = exp.Extract(this=exp.var(part.this.upper()), expression=of.copy())
            return _extract(asked, dialect, kinds) or asked
    if name not in ("list_extract", "list_element") or len(given) != 2:
        return None
    values, index = given
    return _call("TRY_ELEMENT_AT", values, _call("NULLIF", index, exp.Literal.number(0)))


def _sum_of_times(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A day and an interval is a time; the distance of two days is a number."""
    left, right = node.this, node.expression
    if any(isinstance(one, exp.Interval) for one in (left, right)):
        other = right if isinstance(left, exp.Interval) else left
        if isinstance(other, exp.Interval):
            return None
        found = kinds(node, [other])
        if dialect != "clickhouse" and found and found[0].typeName() == "date":
            return exp.cast(node.copy(), "TIMESTAMP_NTZ", dialect="spark")
    elif isinstance(node, exp.Sub) and not any(
        isinstance(one, exp.Literal | exp.Neg | exp.AggFunc) for one in (left, right)
    ):
        found = kinds(node, [left, right])
        if found and all(one.typeName() == "date" for one in found):
            return _call("DATEDIFF", left, right)
    return None


_MEANT: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    exp.Log: _log,
    exp.Extract: _extract,
    exp.DayOfWeek: _day_of_week,
    exp.DayOfWeekIso: _day_of_week,
    exp.Dayname: _name_of_time,
    exp.Monthname: _name_of_time,
    exp.DateDiff: _date_diff,
    exp.Bracket: _element,
    exp.ArrayContains: _contains,
    exp.RegexpReplace: _replace,
    exp.Left: _left,
    exp.Right: _left,
    exp.Substring: _substring,
    exp.AtTimeZone: _in_zone,
    exp.UnixToTime: _from_seconds,
    exp.Format: _format,
    exp.Length: _length,
    exp.Cast: _day_of_time,
    exp.If: _condition,
    exp.GenerateSeries: _series,
    exp.Explode: _spread_out,
    exp.Unnest: _spread_out,
    exp.Collate: _collated,
    exp.Anonymous: _named,
    exp.Add: _sum_of_times,
    exp.Sub: _sum_of_times,
    exp.IsNan: _is_nan,
    exp.IsInf: _is_infinite,
    exp.Concat: _concatenated,
    exp.Trunc: _truncated,
    exp.TimestampTrunc: _begun,
    exp.DateTrunc: _begun,
    exp.TimeToUnix: _epoch,
    exp.TimeToStr: _written,
}

_MEANT_BY_CLICKHOUSE: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    kind: _MEANT[kind]
    for kind in (
        *(exp.DayOfWeekIso, exp.DateDiff, exp.Length, exp.Sub),
        *(exp.IsNan, exp.IsInf, exp.TimeToStr),
    )
}
