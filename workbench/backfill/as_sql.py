"""Writes a backfill as a query for DuckDB."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects import writing
from workbench.dialects.functions import UNORDERED
from workbench.durations import exact_text
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.backfill.aggregation import Aggregation
    from workbench.backfill.spec import BackfillSpec
    from workbench.backfill.worker.cogroup import Span
    from workbench.functions.fn import Function

#: The dialects that a backfill can be written in.
DIALECTS = ("duckdb",)
#: The functions that depend on the order of the events' times.
_ORDERED = ("first", "last")


def as_sql(backfill: "BackfillSpec", dialect: str, queries: str, events: str) -> str:
    """Return a backfill as a query that gives the same answers in another system.

    Parameters
    ----------
    backfill : BackfillSpec
    dialect : str
        One of :data:`DIALECTS`.
    queries, events : str
        The names of the tables there.

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When a feature has no counterpart there.
    """
    writing.check_dialect_and_table(dialect, DIALECTS, queries, "queries")
    writing.check_dialect_and_table(dialect, DIALECTS, events, "events")
    integers = _has_integer_times(backfill)
    values_of_span: dict[Span, list[exp.Expr]] = {}
    for one in backfill.aggregations:
        for window in one.windows:
            value = _value(one, backfill.time, one.name(window), dialect)
            span = backfill.span(one, window, integers)
            aliased = exp.alias_(value, one.name(window), quoted=True)
            values_of_span.setdefault(span, []).append(aliased)
    select = exp.Select(expressions=[exp.column(exp.Star(), "q")])
    select = select.from_(exp.alias_(exp.Table(this=writing.name(queries)), "q", table=True))
    for k, (span, values) in enumerate(values_of_span.items()):
        of_window = _of_window(backfill, span, values, events, integers)
        select = select.select(exp.column(exp.Star(), f"w{k}"), copy=False)
        alias = exp.TableAlias(this=exp.to_identifier(f"w{k}"))
        lateral = exp.Lateral(this=of_window.subquery(), alias=alias)
        select = select.join(lateral, join_type="CROSS", copy=False)
    return writing.to_text(select, dialect)


def _has_integer_times(backfill: "BackfillSpec") -> bool:
    """Whether lengths of time, and so times, are integers."""
    lengths = [one for given in backfill.aggregations for one in (*given.windows, given.hop)]
    return any(isinstance(one, int) for one in (*lengths, backfill.hop))


def _value(one: "Aggregation", time: str, column_name: str, dialect: str) -> exp.Expr:
    """Return the expression of a feature, over the events in a window."""
    function = one.function
    if one.by is not None:
        raise WorkbenchError(
            f"{column_name}: a map of the values of {one.by!r} cannot be written as SQL; "
            "leave it out."
        )
    call = writing.call(function, column_name, dialect)
    if function.name not in (*UNORDERED, *_ORDERED):
        raise WorkbenchError(
            f"{column_name}: {function.name} depends on the order of events, and several may have "
            "the same time; leave it out to write the backfill as SQL."
        )
    return _first_or_last(call, function, time) if function.name in _ORDERED else call


def _first_or_last(call: exp.Expr, function: "Function", time: str) -> exp.Expr:
    """Return the first or last value by time; ties are ordered by the value itself, null first."""
    kind = exp.First if function.name == "first" else exp.Last
    value = exp.column(writing.name(str(function.arguments[0])))
    terms = [exp.Ordered(this=exp.column(writing.name(time)), nulls_first=True)]
    terms.append(exp.Ordered(this=value.copy(), nulls_first=True))
    aggregate: exp.Expr = kind(this=exp.Order(this=value, expressions=terms))
    counts = [call.expression.this] if isinstance(call, exp.Filter) else []
    if function.options.ignore_nulls:
        counts.append(exp.Is(this=value.copy(), expression=exp.Not(this=exp.Null())))
    if counts:
        aggregate = exp.Filter(this=aggregate, expression=exp.Where(this=exp.and_(*counts)))
    return aggregate


def _of_window(
    backfill: "BackfillSpec", span: "Span", values: list[exp.Expr], events: str, integers: bool
) -> exp.Select:
    """Return the subquery of the features over one window of a query."""
    same: list[exp.Expr] = [
        exp.EQ(this=_column("e", key), expression=_column("q", key)) for key in backfill.key
    ]
    event, query_time = _column("e", backfill.time), _column("q", backfill.query_time)
    begin = (
        None if span.window is None else _window_bound(query_time, span.window, span.hop, integers)
    )
    bounds: list[exp.Expr] = [
        exp.LT(this=event, expression=_window_bound(query_time, 0, span.last_hop, integers))
    ]
    if begin is not None:
        bounds.insert(0, exp.GTE(this=event.copy(), expression=begin))
    from_events = exp.alias_(exp.Table(this=writing.name(events)), "e", table=True)
    return exp.Select(expressions=values).from_(from_events).where(*same, *bounds)


def _column(table: str, name: str) -> exp.Column:
    return exp.column(writing.name(name), table)


def _window_bound(query: exp.Expr, window: int, hop: int, integers: bool) -> exp.Expr:
    """Return the query's time minus the window's length, rounded down to the hop."""
    if integers:
        bound: exp.Expr = query.copy()
        if window:
            bound = exp.Sub(this=bound, expression=exp.Literal.number(window))
        if hop == 1:
            return bound
        return exp.Sub(this=bound, expression=_remainder(bound, hop))
    bound = query.copy()
    if window:
        bound = exp.Sub(this=bound, expression=writing.interval(exact_text(window)))
    if hop == 1:
        return bound
    micros = exp.Anonymous(this="epoch_us", expressions=[bound])
    remainder = exp.Anonymous(this="to_microseconds", expressions=[_remainder(micros, hop)])
    return exp.Sub(this=bound.copy(), expression=remainder)


def _remainder(value: exp.Expr, hop: int) -> exp.Expr:
    """Return a number modulo the hop, which is not negative for negative numbers either."""
    size = exp.Literal.number(hop)
    return exp.paren((value.copy() % size + size.copy()) % size.copy())
