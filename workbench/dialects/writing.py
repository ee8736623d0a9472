"""Parts of a specification as SQL: names, conditions, frames and function calls."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from workbench.arguments import check_known
from workbench.dialects.conditions import condition
from workbench.dialects.functions import plain_call
from workbench.dialects.templates import is_not_null
from workbench.errors import WorkbenchError
from workbench.frames.bounds import MICROSECONDS, Offset, PerRow
from workbench.frames.frame import Frame
from workbench.functions.catalogue import ARRAY_AGG
from workbench.functions.fn import Function
from workbench.functions.order import OrderColumn


def check_dialect_and_table(
    dialect: Any, dialects: Sequence[str], table: Any, argument: str
) -> None:
    """Refuse a dialect that a specification has no SQL in, and a table name that is none."""
    check_known(dialect, tuple(dialects), "dialect")
    if not isinstance(table, str) or not table:
        raise WorkbenchError(f"{argument}: {table!r} is not a name; give the name of the table.")


def name(column: str) -> exp.Identifier:
    """Return a quoted identifier."""
    return exp.to_identifier(column, quoted=True)


def column(column_name: Any, argument: str) -> exp.Column:
    """Return a column by its exact name.

    Raises
    ------
    WorkbenchError
        When it is a Column, whose SQL is not known.
    """
    if not isinstance(column_name, str):
        raise WorkbenchError(
            f"{argument}: {column_name} is a Column, whose SQL is not known; add it to the table "
            "as a column, and give its name."
        )
    return exp.column(name(column_name))


def to_text(tree: exp.Expr, dialect: str) -> str:
    """Return a tree as SQL over several lines.

    Raises
    ------
    WorkbenchError
        When the dialect has no syntax for it.
    """
    # Names of ClickHouse's functions are case-sensitive.
    functions = False if dialect == "clickhouse" else "lower"
    try:
        return tree.sql(
            dialect, pretty=True, normalize_functions=functions, unsupported_level=ErrorLevel.RAISE
        )
    except SqlglotError as error:
        message = str(error).strip().splitlines()[0].rstrip(".")
        raise WorkbenchError(f"dialect: {dialect} cannot express this: {message}.") from None


def call(function: Function, argument: str, dialect: str) -> exp.Expr:
    """Return a call of a function in a dialect, without its frame.

    Parameters
    ----------
    function : Function
    argument : str
        The name of its result, for error messages.
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
    >>> function = fn.quantile("mwh", [0.1, 0.9]).where("mwh > 0")
    >>> call(function, "q", "duckdb").sql("duckdb")
    'QUANTILE_CONT("mwh", [0.1, 0.9]) FILTER(WHERE mwh > 0)'
    """
    arguments: list[exp.Expr] = [column(one, argument) for one in function.arguments]
    distinct = function.options.distinct or function.name == "count_distinct"
    if distinct:
        arguments[0] = exp.Distinct(expressions=[arguments[0]])
    make = _CALLS.get(function.name, _plain)
    n = function.options.n
    if not isinstance(n, int) or (function.name == "nth" and n < 0):
        raise WorkbenchError(
            f"{argument}: {function!r} cannot be written as SQL; give an n that is the same for "
            "all rows and counts from the first."
        )
    result: exp.Expr | None = make(function, arguments, dialect, argument)
    if result is None:
        raise WorkbenchError(
            f"{argument}: {dialect} has no function with the same answers as {function.name}; "
            "leave it out."
        )
    if function.order:
        result = _with_order(result, function)
    conditions: list[exp.Expr] = []
    if function.options.ignore_nulls and function.info.family == ARRAY_AGG:
        # Neither DuckDB nor ClickHouse has IGNORE NULLS for aggregates.
        conditions.append(is_not_null(column(function.arguments[0], argument)))
    elif function.options.ignore_nulls:
        result = exp.IgnoreNulls(this=result)
    if function.condition is not None:
        conditions.append(condition(function.condition, argument, dialect))
    if conditions:
        result = exp.Filter(this=result, expression=exp.Where(this=exp.and_(*conditions)))
    return result


def order_by(order: Iterable[OrderColumn]) -> exp.Order:
    """Return an order, in which each column says where its nulls go."""
    terms = [
        exp.Ordered(
            this=exp.column(name(one.name)), desc=one.descending, nulls_first=one.nulls_first
        )
        for one in order
    ]
    return exp.Order(expressions=terms)


def _with_order(call_node: exp.Expr, function: Function) -> exp.Expr:
    """Return a call with an order after its last argument."""
    order = order_by(function.order)
    values = [one for one in call_node.args.values() if isinstance(one, exp.Expr)]
    if isinstance(call_node, exp.Anonymous):
        values = list(call_node.expressions)
    if values:
        order.set("this", values[-1].copy())
        values[-1].replace(order)
    else:
        call_node.set(
            *(("this", order) if isinstance(call_node, exp.RowNumber) else ("expressions", [order]))
        )
    return call_node


def _plain(
    function: Function, arguments: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr | None:
    return plain_call(function.name, arguments, dialect)


def _count_distinct(
    function: Function, arguments: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr:
    return exp.Count(this=arguments[0])


def _quantile(
    function: Function, arguments: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr:
    shares = [exp.Literal.number(repr(one)) for one in function.options.q]
    q = shares[0] if function.options.single else exp.Array(expressions=shares)
    kind = exp.PercentileDisc if function.name == "quantile_disc" else exp.PercentileCont
    return kind(this=arguments[0], expression=q)


def _with_n(function: Function, arguments: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    n = exp.Literal.number(function.options.n)
    if function.name == "ntile":
        return exp.Ntile(this=n)
    if function.name == "nth":
        return exp.NthValue(this=arguments[0], offset=n)
    kind = exp.Max if function.name == "top_k" else exp.Min
    return kind(this=arguments[0], count=n)


def _shift(function: Function, arguments: list[exp.Expr], dialect: str, argument: str) -> exp.Expr:
    kind = exp.Lag if function.name == "lag" else exp.Lead
    n, default = function.options.n, function.options.default
    shifted = kind(this=arguments[0])
    if n != 1 or default is not None:
        shifted.set("offset", exp.Literal.number(n))
    if default is not None:
        shifted.set("default", _literal(default, argument))
    return shifted


def _literal(value: Any, argument: str) -> exp.Expr:
    if type(value) not in (bool, int, float, str):
        raise WorkbenchError(
            f"{argument}: the default {value} cannot be written as SQL; give a number, text or a "
            "boolean."
        )
    return exp.convert(value)


def _string_agg(
    function: Function, arguments: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr:
    separator = exp.Literal.string(function.options.separator)
    return exp.Anonymous(this="string_agg", expressions=[arguments[0], separator])


def _array_agg(
    function: Function, arguments: list[exp.Expr], dialect: str, argument: str
) -> exp.Expr:
    return exp.ArrayAgg(this=arguments[0])


_CALLS: dict[str, Any] = {
    "array_agg": _array_agg,
    "count_distinct": _count_distinct,
    **dict.fromkeys(("quantile", "quantile_disc"), _quantile),
    **dict.fromkeys(("ntile", "nth", "top_k", "bottom_k"), _with_n),
    **dict.fromkeys(("lag", "lead"), _shift),
    "string_agg": _string_agg,
}


def frame_spec(frame: Frame) -> exp.WindowSpec:
    """Return a frame as the specification of a window in SQL.

    Raises
    ------
    WorkbenchError
        When a bound is a Column, whose SQL is not known, or the frame is a session.

    Examples
    --------
    >>> frame_spec(Frame.range("-3 days", 0, exclude="ties")).sql("duckdb")
    "RANGE BETWEEN INTERVAL '3 days' PRECEDING AND CURRENT ROW EXCLUDE TIES"
    """
    if frame.unit == "session":
        raise WorkbenchError(
            f"frame: {frame!r} cannot be written as SQL; only RisingWave has sessions."
        )
    low, high = (
        _bound(bound, original, side)
        for bound, original, side in zip(
            (frame.low, frame.high), frame.given, ("PRECEDING", "FOLLOWING"), strict=True
        )
    )
    excluded = exp.var(frame.exclude.upper()) if frame.exclude != "no others" else None
    return exp.WindowSpec(
        kind=frame.unit.upper(), start=low[0], start_side=low[1], end=high[0], end_side=high[1],
        exclude=excluded,
    )  # fmt: skip


def _bound(bound: Offset | None, original: Any, side: str) -> tuple[str | exp.Expr, str | None]:
    if bound is None:
        return "UNBOUNDED", side
    if isinstance(bound.amount, PerRow):
        raise WorkbenchError(
            f"frame: the bound {original} is a Column, whose SQL is not known; give a number."
        )
    if bound.amount == 0:
        return "CURRENT ROW", None
    side = "PRECEDING" if bound.amount < 0 else "FOLLOWING"
    if isinstance(original, str):
        return interval(original.strip().lstrip("-").strip()), side
    if isinstance(original, timedelta) or bound.unit == MICROSECONDS:
        return interval(f"{abs(bound.amount)} microseconds"), side
    return exp.Literal.number(str(abs(bound.amount))), side


def interval(text: str) -> exp.Expr:
    """Return a duration as an interval of SQL."""
    return exp.Interval(this=exp.Literal.string(text))
