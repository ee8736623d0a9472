"""Functions of one row that Spark has by the same name, and means something else by."""

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from workbench.dialects.casts import cast, tried_cast, with_types
from workbench.dialects.duckdb_names import named_by_duckdb
from workbench.dialects.functions import LIKE_POSTGRES
from workbench.dialects.intervals import MONTHS, SECONDS
from workbench.dialects.json_texts import part_of_json, text_of_json
from workbench.dialects.kinds import Kinds
from workbench.dialects.lists import (
    contains,
    different_values,
    element,
    in_list,
    overlap,
    reversed_list,
)
from workbench.dialects.maps import map_of_pairs
from workbench.dialects.patterns import replaced, with_flags
from workbench.dialects.time_formats import spark_format
from workbench.dialects.times import (
    begun,
    bucketed,
    interval,
    interval_by_name,
    is_interval,
    milliseconds,
    shifted,
    sum_with_seconds,
)
from workbench.dialects.writing import anonymous, filled_in, known
from workbench.errors import WorkbenchError


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
    >>> tree = parse_one("SELECT log(x), extract(dow FROM d), epoch_us(t)", read="duckdb")
    >>> with_scalars(tree, "duckdb", lambda node, operands: None)
    >>> print(tree.sql("spark"))
    SELECT LOG10(x), (DAYOFWEEK(d) - 1), (UNIX_MICROS(CAST(t AS TIMESTAMP)))
    """
    meant_by = _MEANT if dialect in LIKE_POSTGRES else _MEANT_BY_CLICKHOUSE
    if dialect not in (*LIKE_POSTGRES, "clickhouse"):
        return
    for kind in tree.find_all(exp.DataType):
        days = days or kind.this is exp.DType.DATE
        days = days or (dialect == "clickhouse" and kind.this in exp.DataType.TEMPORAL_TYPES)
    with_types(tree, dialect)
    # What stands within another is turned first: the outer one may take it along as a copy.
    for node in reversed(list(tree.find_all(*meant_by))):
        # What is of a kind of its own, as TRY_CAST, is none of them.
        found = meant_by.get(type(node))
        if not days and isinstance(node, exp.Add | exp.Sub):
            continue
        if found is not None and (meant := found(node, dialect, kinds)) is not None:
            node.replace(meant)


def _plus(node: exp.Expr, n: int) -> exp.Expr:
    kind = exp.Add if n > 0 else exp.Sub
    return exp.paren(kind(this=node, expression=exp.Literal.number(abs(n))))


def _log(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("LOG10", node.this) if node.expression is None else None


#: Parts of a time that Spark numbers or names otherwise.
_PARTS: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    **dict.fromkeys(
        ("DOW", "DAYOFWEEK", "WEEKDAY"), lambda d: _plus(anonymous("DAYOFWEEK", d), -1)
    ),
    "ISODOW": lambda d: _plus(anonymous("WEEKDAY", d), 1),
    "EPOCH": lambda d: exp.Div(
        this=anonymous("UNIX_MICROS", exp.cast(d.copy(), "TIMESTAMP")),
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
    return anonymous("DATE_FORMAT", node.this, exp.Literal.string(letters))


def _date_diff(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """How many borders of a unit lie between two times, of which Spark counts whole units."""
    unit = str(node.args["unit"].name if node.args.get("unit") else "DAY").upper().removesuffix("S")
    text = exp.Literal.string(unit)

    def place(one: exp.Expr) -> exp.Expr:
        if unit in MONTHS:
            begun = anonymous("DATE_TRUNC", text, one)
            years = exp.Mul(this=anonymous("YEAR", begun), expression=exp.Literal.number(12))
            months = exp.paren(exp.Add(this=years, expression=anonymous("MONTH", begun)))
            return exp.IntDiv(this=_plus(months, -1), expression=exp.Literal.number(MONTHS[unit]))
        begun = exp.cast(anonymous("DATE_TRUNC", text, one), "TIMESTAMP")
        size = exp.Literal.number(SECONDS[unit])
        return exp.IntDiv(this=anonymous("UNIX_SECONDS", begun), expression=size)

    if unit in MONTHS or unit in ("HOUR", "MINUTE", "SECOND"):
        return exp.paren(exp.Sub(this=place(node.this), expression=place(node.expression)))
    days = [exp.cast(one.copy(), "DATE") for one in (node.this, node.expression)]
    if unit == "DAY":
        return anonymous("DATEDIFF", *days)
    if unit == "WEEK":
        if dialect == "clickhouse":
            # DuckDB counts whole weeks.
            days = [exp.cast(anonymous("DATE_TRUNC", text, one), "DATE") for one in days]
        return exp.IntDiv(this=anonymous("DATEDIFF", *days), expression=exp.Literal.number(7))
    raise WorkbenchError(
        f"query: date_diff counts no {unit.lower()}s here; take years, quarters, months, weeks, "
        "days, hours, minutes or seconds."
    )


def _replace(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    modifiers = node.args.get("modifiers")
    every = dialect == "clickhouse" or (modifiers is not None and "g" in modifiers.name)
    return replaced(node, every, "regexp_replace")


def _flagged(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A pattern whose flags stand beside it."""
    name = "parameters" if isinstance(node, exp.RegexpExtract | exp.RegexpExtractAll) else "flag"
    if (flags := node.args.get(name)) is not None:
        node.set("expression", with_flags(node.expression, flags))
        node.set(name, None)
    return None


def _left(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The first or last letters, or all but the ones at the other end."""
    n, name = node.expression, type(node).__name__.upper()
    if isinstance(n, exp.Literal):
        return None
    rest = exp.Add(this=anonymous("LENGTH", node.this), expression=exp.paren(n.copy()))
    but = anonymous(name, node.this, anonymous("GREATEST", rest, exp.Literal.number(0)))
    if isinstance(n, exp.Neg):
        return but
    negative = exp.LT(this=exp.paren(n.copy()), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=negative, true=but)], default=anonymous(name, node.this, n))


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


def _is_nan(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether a number is none; of null that is not known."""
    return exp.Case(ifs=[exp.If(this=known(node.this), true=anonymous("ISNAN", node.this))])


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
    return anonymous(
        "DATE_FORMAT", node.this, exp.Literal.string(spark_format(given.this, dialect))
    )


def _format(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    if dialect != "duckdb":
        return None
    call = exp.Anonymous(this="format", expressions=[node.this, *node.expressions])
    if (found := named_by_duckdb(call)) is not None:
        return found
    raise WorkbenchError(
        "query: format takes a text with {} for each value here; put the text together by ||, or "
        "take printf."
    )


def _length(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """How many elements a list has; of text, ClickHouse counts bytes."""
    found = kinds(node, [node.this])
    if found and found[0].typeName() == "array":
        return anonymous("SIZE", node.this)
    return anonymous("OCTET_LENGTH", node.this) if dialect == "clickhouse" else None


def _similar(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether all of a text is what a pattern says, which is a regular expression to DuckDB."""
    if dialect != "duckdb":
        raise WorkbenchError(
            "query: SIMILAR TO is not available; compare by ~ and a regular expression."
        )
    return filled_in("(:a) RLIKE CONCAT('^(?:', :b, ')$')", a=node.this, b=node.expression)


def _week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return anonymous("WEEKOFYEAR", node.this)


def _year_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return filled_in("EXTRACT(YEAROFWEEK FROM :a)", a=node.this)


def _rounded_half(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A double between two integers is the even one to Postgres."""
    if dialect == "duckdb" or node.args.get("decimals") is not None:
        return None
    found = kinds(node, [node.this])
    if not found or found[0].typeName() not in ("double", "float"):
        return None
    return anonymous("RINT", node.this)


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


def _named(node: exp.Anonymous, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Functions that have no class of their own."""
    name, given = node.name.lower(), node.expressions
    if name == "weekday" and len(given) == 1 and dialect == "duckdb":
        return _PARTS["DOW"](given[0])
    if name in ("date_part", "datepart") and len(given) == 2:
        part, of = given
        if isinstance(part, exp.Literal) and part.is_string:
            asked = exp.Extract(this=exp.var(part.this.upper()), expression=of.copy())
            return _extract(asked, dialect, kinds) or asked
    if name == "printf" and len(given) > 1:
        # Of null there is no text.
        every = exp.and_(*(known(one) for one in given[1:]))
        return exp.Case(ifs=[exp.If(this=every, true=node.copy())])
    if name not in ("list_extract", "list_element") or len(given) != 2:
        return named_by_duckdb(node) if dialect == "duckdb" else None
    values, index = given
    return anonymous("TRY_ELEMENT_AT", values, anonymous("NULLIF", index, exp.Literal.number(0)))


def _sum_of_times(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A day and an interval is a time; the distance of two days is a number."""
    left, right = node.this, node.expression
    if any(is_interval(one) for one in (left, right)):
        other = right if is_interval(left) else left
        if is_interval(other):
            return None
        found = kinds(node, [other])
        if dialect != "clickhouse" and found and found[0].typeName() == "date":
            return exp.cast(node.copy(), "TIMESTAMP_NTZ", dialect="spark")
    elif isinstance(node, exp.Sub) and not any(
        isinstance(one, exp.Literal | exp.Neg | exp.Count | exp.Sum | exp.Avg)
        for one in (left, right)
    ):
        found = kinds(node, [left, right])
        if found and all(one.typeName() == "date" for one in found):
            return anonymous("DATEDIFF", left, right)
    return None


_MEANT: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    exp.Log: _log,
    exp.Extract: _extract,
    exp.DayOfWeek: _day_of_week,
    exp.DayOfWeekIso: _day_of_week,
    exp.Dayname: _name_of_time,
    exp.Monthname: _name_of_time,
    exp.DateDiff: _date_diff,
    exp.Bracket: element,
    exp.ToMap: map_of_pairs,
    exp.ArrayContains: contains,
    exp.RegexpReplace: _replace,
    exp.RegexpLike: _flagged,
    exp.RegexpExtract: _flagged,
    exp.RegexpExtractAll: _flagged,
    exp.Left: _left,
    exp.Right: _left,
    exp.Substring: _substring,
    exp.AtTimeZone: _in_zone,
    exp.UnixToTime: milliseconds,
    exp.DateBin: bucketed,
    exp.Interval: interval,
    exp.ToDays: interval_by_name,
    exp.DateAdd: shifted,
    exp.DateSub: shifted,
    exp.ArrayDistinct: different_values,
    exp.JSONExtract: part_of_json,
    exp.SimilarTo: _similar,
    exp.RegexpFullMatch: _similar,
    exp.Week: _week,
    exp.YearOfWeekIso: _year_of_week,
    exp.ArrayReverse: reversed_list,
    exp.Round: _rounded_half,
    exp.In: in_list,
    exp.ArrayOverlaps: overlap,
    exp.Format: _format,
    exp.Length: _length,
    exp.Cast: cast,
    exp.TryCast: tried_cast,
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
        *(exp.DayOfWeekIso, exp.DateDiff, exp.Length, exp.ArrayDistinct, exp.Interval),
        *(exp.YearOfWeekIso, exp.ArrayReverse),
        *(exp.IsNan, exp.IsInf, exp.TimeToStr, exp.RegexpReplace, exp.Bracket, exp.ArrayContains),
    )
} | {
    exp.DateTrunc: begun,
    exp.TimestampTrunc: begun,
    exp.DateAdd: shifted,
    exp.DateSub: shifted,
    exp.TimestampAdd: shifted,
    exp.TimestampSub: shifted,
    exp.Add: sum_with_seconds,
    exp.Sub: sum_with_seconds,
    exp.JSONExtractScalar: text_of_json,
}
