"""Functions of one row that Spark has by the same name, and means something else by."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.simplify import simplify

from workbench.errors import WorkbenchError

#: The types of expressions of a query, as Spark has them; None where it cannot say.
Kinds = Callable[[exp.Expr, Sequence[exp.Expr]], list[Any] | None]

#: Whose scalar functions are those of Postgres.
_LIKE_POSTGRES = ("duckdb", "postgres", "risingwave")
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
    meant_by = _MEANT if dialect in _LIKE_POSTGRES else _MEANT_BY_CLICKHOUSE
    if dialect not in (*_LIKE_POSTGRES, "clickhouse"):
        return
    for kind in list(tree.find_all(exp.DataType)):
        days = days or kind.this is exp.DType.DATE
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
    found = _PARTS.get(part)
    return None if found is None else found(node.expression)


def _day_of_week(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return _PARTS["ISODOW" if isinstance(node, exp.DayOfWeekIso) else "DOW"](node.this)


def _name_of_time(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    letters = "EEEE" if isinstance(node, exp.Dayname) else "MMMM"
    return _call("DATE_FORMAT", node.this, exp.Literal.string(letters))


_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
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
    known = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
    within = _call("ARRAY_CONTAINS", node.this, node.expression)
    found = exp.Coalesce(this=within, expressions=[exp.false()])
    return exp.Case(ifs=[exp.If(this=known, true=found)])


def _replace(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    modifiers = node.args.get("modifiers")
    if modifiers is None or "g" not in modifiers.name:
        raise WorkbenchError(
            "query: regexp_replace without 'g' replaces the first place alone, which Spark cannot; "
            "give 'g' for all."
        )
    return None


def _left(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The first letters, or all but the last ones."""
    if not isinstance(node.expression, exp.Neg):
        return None
    rest = exp.Add(this=_call("LENGTH", node.this), expression=node.expression.copy())
    return _call("LEFT", node.this, _call("GREATEST", rest, exp.Literal.number(0)))


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
    if kind.this is exp.DType.TIME:
        time = exp.DataType(this=exp.DType.USERDEFINED, kind="TIME")
        return exp.Cast(this=node.this.copy(), to=time)
    if kind.this in _WHOLE and not isinstance(node.this, exp.Boolean):
        return _rounded(node, kinds)
    return None


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
    if node.name.lower() not in ("list_extract", "list_element") or len(node.expressions) != 2:
        return None
    values, index = node.expressions
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
}

_MEANT_BY_CLICKHOUSE: dict[type[exp.Expr], Callable[[Any, str, Kinds], exp.Expr | None]] = {
    kind: _MEANT[kind] for kind in (exp.DayOfWeekIso, exp.DateDiff, exp.Length, exp.Sub)
}
