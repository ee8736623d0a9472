"""Parts of a specification as SQL: names, conditions, frames and calls of functions."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from workbench.arguments import check_known
from workbench.dialects.functions import plain_call
from workbench.errors import WorkbenchError
from workbench.frames.bounds import MICROSECONDS, Offset, PerRow
from workbench.frames.frame import Frame
from workbench.functions.fn import Function


def check_written(dialect: Any, known: Sequence[str], table: Any, argument: str) -> None:
    """Refuse a dialect that a specification is not written for, and what is no name of a table."""
    check_known(dialect, tuple(known), "dialect")
    if not isinstance(table, str) or not table:
        raise WorkbenchError(f"{argument}: {table!r} is no name; give what the table is called.")


def name(column: str) -> exp.Identifier:
    """Return a name that can be nothing else."""
    return exp.to_identifier(column, quoted=True)


def column(named: Any, argument: str) -> exp.Column:
    """Return a column by its exact name.

    Raises
    ------
    WorkbenchError
        When it is a Column, whose text is not known.
    """
    if not isinstance(named, str):
        raise WorkbenchError(
            f"{argument}: {named} is a Column, of which no SQL is known; "
            "add it to the table by a name, and name that."
        )
    return exp.column(name(named))


def condition(text: Any, argument: str, dialect: str) -> exp.Expr:
    """Return a condition, which is Spark's SQL as everywhere, for a dialect with the same answers.

    Raises
    ------
    WorkbenchError
        When it is a Column, or no SQL, or would be answered otherwise there without a word.
    """
    if not isinstance(text, str):
        raise WorkbenchError(
            f"{argument}: {text} is a Column, of which no SQL is known; give the condition as text."
        )
    try:
        found = sqlglot.parse_one(text, read="spark")
    except SqlglotError:
        raise WorkbenchError(f"{argument}: {text!r} cannot be read as SQL.") from None
    for node in found.walk():
        if _answers_otherwise(node, dialect):
            raise WorkbenchError(
                f"{argument}: {node.sql('spark')} may have another answer in {dialect}; add it to "
                "the table as a column, and name that."
            )
    if dialect == "clickhouse":
        _know_all_letters(found)
    return found


def _answers_otherwise(node: exp.Expr, dialect: str) -> bool:
    """Whether a dialect has another answer than Spark, and says nothing of it."""
    # A logarithm of 0 is null in Spark alone; texts of numbers and numbers of weekdays are others.
    if isinstance(node, exp.Ln | exp.Log):
        return True
    if isinstance(node, exp.Cast) and node.to.is_type(*exp.DataType.TEXT_TYPES):
        return True
    if isinstance(node, exp.Extract):
        return node.name.upper() in ("DOW", "DAYOFWEEK", "DAYOFWEEK_ISO", "DOW_ISO")
    if isinstance(node, exp.ArrayContains) and node.find_ancestor(exp.Not):
        return True  # null in Spark where the list holds a null
    return _OTHERWISE[dialect](node)


def _clickhouse_otherwise(node: exp.Expr) -> bool:
    if isinstance(node, exp.In):  # false where Spark has null: the same, unless it is negated
        has_null = any(isinstance(one, exp.Null) for one in node.expressions)
        return has_null and node.find_ancestor(exp.Not) is not None
    # It rounds ties to what is even, takes bytes of a text for its letters, joins a null as an
    # empty text, and has 0 or an empty text for what a map or a list does not hold.
    cut = exp.Substring | exp.Left | exp.Right | exp.StrPosition | exp.Reverse
    return isinstance(node, exp.Round | exp.ConcatWs | exp.Bracket | cut)


def _duckdb_otherwise(node: exp.Expr) -> bool:
    if isinstance(node, exp.Cast):  # it rounds, where Spark cuts
        return bool(node.to.is_type(*exp.DataType.INTEGER_TYPES))
    if isinstance(node, exp.Like | exp.ILike):  # it has no escape unless one is named
        return "\\" in node.expression.name
    if isinstance(node, exp.Substring):  # other places before the first letter, and lengths below 0
        start, length = node.args.get("start"), node.args.get("length")
        counted = isinstance(start, exp.Literal) and start.name != "0"
        return not (counted and isinstance(length, exp.Literal | None))
    if isinstance(node, exp.Left | exp.Right):  # below 0 it leaves so many letters out
        return not isinstance(node.expression, exp.Literal)
    # Its week begins with 0, for Sunday, and its // is of whole numbers alone.
    is_weekday = isinstance(node, exp.Anonymous) and node.name.lower() == "weekday"
    return is_weekday or isinstance(node, exp.DayOfWeek | exp.IntDiv)


_OTHERWISE = {"clickhouse": _clickhouse_otherwise, "duckdb": _duckdb_otherwise}


def _know_all_letters(found: exp.Expr) -> None:
    """Call what knows more letters than ASCII has, where ClickHouse has two functions."""
    for node in [*found.find_all(exp.Lower, exp.Upper)]:
        called = "lowerUTF8" if isinstance(node, exp.Lower) else "upperUTF8"
        node.replace(exp.Anonymous(this=called, expressions=[node.this]))


def written(tree: exp.Expr, dialect: str) -> str:
    """Return SQL over several lines.

    Raises
    ------
    WorkbenchError
        When the dialect has no way to say it.
    """
    # Names of ClickHouse's own functions are what they are in capitals and small letters.
    letters = False if dialect == "clickhouse" else "lower"
    try:
        return tree.sql(
            dialect, pretty=True, normalize_functions=letters, unsupported_level=ErrorLevel.RAISE
        )
    except SqlglotError as error:
        what = str(error).strip().splitlines()[0].rstrip(".")
        raise WorkbenchError(f"dialect: {dialect} cannot say this: {what}.") from None


def filled_in(template: str, **parts: exp.Expr) -> exp.Expr:
    """Return Spark's SQL with parts in it, each a copy wherever it stands.

    Examples
    --------
    >>> print(filled_in("IF(:x < 0, -(:x), :x)", x=exp.column("a")).sql("spark"))
    IF(a < 0, -(a), a)
    """
    return exp.replace_placeholders(sqlglot.parse_one(template, read="spark"), **parts).copy()


def by_template(
    templates: Mapping[tuple[str, int], str], name: str, given: Sequence[exp.Expr]
) -> exp.Expr | None:
    """Return a call by the template of its name and number of arguments; None where none is.

    Examples
    --------
    >>> templates = {("both", 2): ":a AND :b"}
    >>> print(by_template(templates, "both", [exp.column("x"), exp.column("y")]).sql("spark"))
    (x AND y)
    """
    template = templates.get((name, len(given)))
    if template is None:
        return None
    parts = dict(zip("abc", given, strict=False))
    return exp.paren(filled_in(template, **parts), copy=False)


def anonymous(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a function of Spark, of copies of its arguments."""
    return exp.Anonymous(this=name, expressions=[one.copy() for one in arguments])


def known(value: exp.Expr) -> exp.Expr:
    """Return the condition that a value is not null."""
    return exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))


def call(function: Function, argument: str, dialect: str) -> exp.Expr:
    """Return a call of a function as a dialect has it, without its frame.

    Parameters
    ----------
    function : Function
    argument : str
        What its answer is called, for the error's sake.
    dialect : str

    Returns
    -------
    sqlglot.exp.Expr

    Raises
    ------
    WorkbenchError
        When the dialect has no such function.

    Examples
    --------
    >>> from workbench.functions import fn
    >>> asked = fn.quantile("mwh", [0.1, 0.9]).where("mwh > 0")
    >>> call(asked, "q", "duckdb").sql("duckdb")
    'QUANTILE_CONT("mwh", [0.1, 0.9]) FILTER(WHERE mwh > 0)'
    """
    given: list[exp.Expr] = [column(one, argument) for one in function.arguments]
    distinct = function.options.distinct or function.name == "count_distinct"
    if distinct:
        given[0] = exp.Distinct(expressions=[given[0]])
    make = _OF_OPTIONS.get(function.name, _plain)
    n = function.options.n
    if not isinstance(n, int) or (function.name == "nth" and n < 0):
        raise WorkbenchError(
            f"{argument}: {function!r} has no text in SQL; give an n that is the same for all rows "
            "and counts from the first."
        )
    made: exp.Expr | None = make(function, given, dialect, argument)
    if made is None:
        raise WorkbenchError(
            f"{argument}: {dialect} has no function with the answers of {function.name}; "
            "leave it out."
        )
    if function.order:
        made = _in_order(made, function)
    if function.options.ignore_nulls:
        made = exp.IgnoreNulls(this=made)
    if function.condition is not None:
        where = exp.Where(this=condition(function.condition, argument, dialect))
        made = exp.Filter(this=made, expression=where)
    return made


def _in_order(made: exp.Expr, function: Function) -> exp.Expr:
    """A call with an order behind its last argument."""
    terms = [
        exp.Ordered(
            this=exp.column(name(term.name)), desc=term.descending, nulls_first=term.nulls_first
        )
        for term in function.order
    ]
    values = [one for one in made.args.values() if isinstance(one, exp.Expr)]
    if isinstance(made, exp.Anonymous):
        values = list(made.expressions)
    if values:
        values[-1].replace(exp.Order(this=values[-1].copy(), expressions=terms))
    else:
        order = exp.Order(expressions=terms)
        made.set(
            *(("this", order) if isinstance(made, exp.RowNumber) else ("expressions", [order]))
        )
    return made


def _plain(
    function: Function, given: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr | None:
    return plain_call(function.name, given, dialect)


def _count_distinct(
    function: Function, given: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr:
    return exp.Count(this=given[0])


def _quantile(function: Function, given: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    shares = [exp.Literal.number(repr(one)) for one in function.options.q]
    q = shares[0] if function.options.single else exp.Array(expressions=shares)
    kind = exp.PercentileDisc if function.name == "quantile_disc" else exp.PercentileCont
    return kind(this=given[0], expression=q)


def _with_n(function: Function, given: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    n = exp.Literal.number(function.options.n)
    if function.name == "ntile":
        return exp.Ntile(this=n)
    if function.name == "nth":
        return exp.NthValue(this=given[0], offset=n)
    kind = exp.Max if function.name == "top_k" else exp.Min
    return kind(this=given[0], count=n)


def _shift(function: Function, given: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    kind = exp.Lag if function.name == "lag" else exp.Lead
    n, default = function.options.n, function.options.default
    shifted = kind(this=given[0])
    if n != 1 or default is not None:
        shifted.set("offset", exp.Literal.number(n))
    if default is not None:
        shifted.set("default", _literal(default, argument))
    return shifted


def _literal(value: Any, argument: str) -> exp.Expr:
    if type(value) not in (bool, int, float, str):
        raise WorkbenchError(
            f"{argument}: the default {value} has no text in SQL; give a number, text or a boolean."
        )
    return exp.convert(value)


def _texts(function: Function, given: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    separator = exp.Literal.string(function.options.separator)
    return exp.Anonymous(this="string_agg", expressions=[given[0], separator])


def _array(function: Function, given: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    return exp.ArrayAgg(this=given[0])


_OF_OPTIONS: dict[str, Any] = {
    "array_agg": _array,
    "count_distinct": _count_distinct,
    **dict.fromkeys(("quantile", "quantile_disc"), _quantile),
    **dict.fromkeys(("ntile", "nth", "top_k", "bottom_k"), _with_n),
    **dict.fromkeys(("lag", "lead"), _shift),
    "string_agg": _texts,
}


def frame_spec(frame: Frame) -> exp.WindowSpec:
    """Return a frame as it stands in a window.

    Raises
    ------
    WorkbenchError
        When a bound is a Column, whose text is not known.

    Examples
    --------
    >>> frame_spec(Frame.range("-3 days", 0, exclude="ties")).sql("duckdb")
    "RANGE BETWEEN INTERVAL '3 days' PRECEDING AND CURRENT ROW EXCLUDE TIES"
    """
    if frame.unit == "session":
        raise WorkbenchError(f"frame: {frame!r} has no text in SQL; RisingWave alone has sessions.")
    low, high = (
        _bound(bound, given, side)
        for bound, given, side in zip(
            (frame.low, frame.high), frame.given, ("PRECEDING", "FOLLOWING"), strict=True
        )
    )
    excluded = exp.var(frame.exclude.upper()) if frame.exclude != "no others" else None
    return exp.WindowSpec(
        kind=frame.unit.upper(), start=low[0], start_side=low[1], end=high[0], end_side=high[1],
        exclude=excluded,
    )  # fmt: skip


def _bound(bound: Offset | None, given: Any, side: str) -> tuple[str | exp.Expr, str | None]:
    if bound is None:
        return "UNBOUNDED", side
    if isinstance(bound.amount, PerRow):
        raise WorkbenchError(
            f"frame: the bound {given} is a Column, of which no SQL is known; give a number."
        )
    if bound.amount == 0:
        return "CURRENT ROW", None
    side = "PRECEDING" if bound.amount < 0 else "FOLLOWING"
    if isinstance(given, str):
        return interval(given.strip().lstrip("-").strip()), side
    if isinstance(given, timedelta) or bound.unit == MICROSECONDS:
        return interval(f"{abs(bound.amount)} microseconds"), side
    return exp.Literal.number(str(abs(bound.amount))), side


def interval(text: str) -> exp.Expr:
    """Return a length of time as SQL has it."""
    return exp.Interval(this=exp.Literal.string(text))
