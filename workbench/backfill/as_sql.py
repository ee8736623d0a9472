"""A backfill as a query of DuckDB."""

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

#: What backfills are written for.
WRITTEN = ("duckdb",)
#: Those that go by the order of the events' times.
_ENDS = ("first", "last")


def as_sql(backfill: "BackfillSpec", dialect: str, queries: str, events: str) -> str:
    """Return a backfill as a query, which gives its answers there.

    Parameters
    ----------
    backfill : BackfillSpec
    dialect : str
        One of :data:`WRITTEN`.
    queries, events : str
        What the tables are called there.

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When a feature has no counterpart there.
    """
    writing.check_dialect_and_table(dialect, WRITTEN, queries, "queries")
    writing.check_dialect_and_table(dialect, WRITTEN, events, "events")
    integers = _has_integer_times(backfill)
    seen: dict[Span, list[exp.Expr]] = {}
    for one in backfill.aggregations:
        for window in one.windows:
            value = _value(one, backfill.time, one.name(window), dialect)
            span = backfill.span(one, window, integers)
            seen.setdefault(span, []).append(exp.alias_(value, one.name(window), quoted=True))
    asked = exp.Select(expressions=[exp.column(exp.Star(), "q")])
    asked = asked.from_(exp.alias_(exp.Table(this=writing.name(queries)), "q", table=True))
    for k, (span, values) in enumerate(seen.items()):
        of_window = _of_window(backfill, span, values, events, integers)
        asked = asked.select(exp.column(exp.Star(), f"w{k}"), copy=False)
        alias = exp.TableAlias(this=exp.to_identifier(f"w{k}"))
        lateral = exp.Lateral(this=of_window.subquery(), alias=alias)
        asked = asked.join(lateral, join_type="CROSS", copy=False)
    return writing.to_text(asked, dialect)


def _has_integer_times(backfill: "BackfillSpec") -> bool:
    """Whether lengths of time are integers, so that times are, too."""
    lengths = [one for given in backfill.aggregations for one in (*given.windows, given.hop)]
    return any(isinstance(one, int) for one in (*lengths, backfill.hop))


def _value(one: "Aggregation", time: str, named: str, dialect: str) -> exp.Expr:
    """A feature of the events in a window."""
    function = one.function
    if one.by is not None:
        raise WorkbenchError(
            f"{named}: a map of the values of {one.by!r} is not written as SQL; leave it out."
        )
    if function.name not in (*UNORDERED, *_ENDS):
        raise WorkbenchError(
            f"{named}: {function.name} goes by the order of events, of which several may be of "
            "one time; leave it out to write the backfill as SQL."
        )
    made = writing.call(function, named, dialect)
    return _at_an_end(made, function, time) if function.name in _ENDS else made


def _at_an_end(made: exp.Expr, function: "Function", time: str) -> exp.Expr:
    """The first or last value by time; of one time, by the value itself, null first."""
    kind = exp.First if function.name == "first" else exp.Last
    value = exp.column(writing.name(str(function.arguments[0])))
    terms = [exp.Ordered(this=exp.column(writing.name(time)), nulls_first=True)]
    terms.append(exp.Ordered(this=value.copy(), nulls_first=True))
    asked: exp.Expr = kind(this=exp.Order(this=value, expressions=terms))
    counts = [made.expression.this] if isinstance(made, exp.Filter) else []
    if function.options.ignore_nulls:
        counts.append(exp.Is(this=value.copy(), expression=exp.Not(this=exp.Null())))
    if counts:
        asked = exp.Filter(this=asked, expression=exp.Where(this=exp.and_(*counts)))
    return asked


def _of_window(
    backfill: "BackfillSpec", span: "Span", values: list[exp.Expr], events: str, integers: bool
) -> exp.Select:
    """The features of one window of a query."""
    same: list[exp.Expr] = [
        exp.EQ(this=_column("e", key), expression=_column("q", key)) for key in backfill.key
    ]
    event, query = _column("e", backfill.time), _column("q", backfill.query_time)
    begin = None if span.window is None else _back(query, span.window, span.hop, integers)
    bounds: list[exp.Expr] = [
        exp.LT(this=event, expression=_back(query, 0, span.last_hop, integers))
    ]
    if begin is not None:
        bounds.insert(0, exp.GTE(this=event.copy(), expression=begin))
    of = exp.alias_(exp.Table(this=writing.name(events)), "e", table=True)
    return exp.Select(expressions=values).from_(of).where(*same, *bounds)


def _column(table: str, name: str) -> exp.Column:
    return exp.column(writing.name(name), table)


def _back(query: exp.Expr, window: int, hop: int, integers: bool) -> exp.Expr:
    """A time so long before a query's, rounded down to the hop."""
    if integers:
        back: exp.Expr = query.copy()
        if window:
            back = exp.Sub(this=back, expression=exp.Literal.number(window))
        if hop == 1:
            return back
        return exp.Sub(this=back, expression=_beyond(back, hop))
    back = query.copy()
    if window:
        back = exp.Sub(this=back, expression=writing.interval(exact_text(window)))
    if hop == 1:
        return back
    micros = exp.Anonymous(this="epoch_us", expressions=[back])
    beyond = exp.Anonymous(this="to_microseconds", expressions=[_beyond(micros, hop)])
    return exp.Sub(this=back.copy(), expression=beyond)


def _beyond(value: exp.Expr, hop: int) -> exp.Expr:
    """How far a number is beyond the multiple of the hop below it, before 0 as well."""
    size = exp.Literal.number(hop)
    return exp.paren((value.copy() % size + size.copy()) % size.copy())
