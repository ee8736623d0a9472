"""A funnel as ClickHouse's ``windowFunnel``."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects import writing
from workbench.durations import SECOND, microseconds
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.funnel.spec import FunnelSpec

#: What funnels are written for.
WRITTEN = ("clickhouse",)


def as_sql(funnel: "FunnelSpec", dialect: str, table: str) -> str:
    """Return the levels of a funnel as a query, which gives its answers there.

    Parameters
    ----------
    funnel : FunnelSpec
    dialect : str
        One of :data:`WRITTEN`.
    table : str
        What the events are called there.

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When it asks for what ``windowFunnel`` has not, or for steps that are Columns.
    """
    writing.check_written(dialect, WRITTEN, table, "table")
    _check_counterpart(funnel)
    keys = [exp.column(writing.name(key)) for key in funnel.key]
    time = exp.column(writing.name(funnel.time))
    modes = [exp.Literal.string(mode) for mode in funnel.modes]
    level = exp.ParameterizedAgg(
        this="windowFunnel",
        expressions=[exp.Literal.number(_window(funnel)), *modes],
        params=[time, *_steps(funnel, dialect)],
    )
    known = [exp.Is(this=one.copy(), expression=exp.Not(this=exp.Null())) for one in (*keys, time)]
    found = exp.Select(expressions=[*keys, exp.alias_(level, "level", quoted=True)])
    found = found.from_(exp.Table(this=writing.name(table))).where(*known).group_by(*keys)
    return writing.written(found, dialect)


def _check_counterpart(funnel: "FunnelSpec") -> None:
    for name, value, usual in (*funnel.rule_arguments(), *funnel.counting.arguments()):
        if value != usual:
            raise WorkbenchError(
                f"{name}: ClickHouse's windowFunnel has no counterpart of {name}={value!r}; "
                "leave it out to write the funnel as SQL."
            )


def _window(funnel: "FunnelSpec") -> int:
    """The window in the seconds of a DateTime, or in the unit of an integer time column."""
    if isinstance(funnel.window, int):
        return funnel.window
    seconds, rest = divmod(microseconds(funnel.window), SECOND)
    if rest:
        raise WorkbenchError(
            f"window: {funnel.window!r} is no whole number of seconds, which is what ClickHouse "
            "counts a window in."
        )
    return seconds


def _steps(funnel: "FunnelSpec", dialect: str) -> list[exp.Expr]:
    """The conditions; a null is none of them, where ClickHouse would leave the row out."""
    if funnel.conditions is not None:
        found = [
            writing.condition(one, f"steps: {k!r}", dialect) for k, one in funnel.conditions.items()
        ]
    else:
        found = [_named(funnel.event, names) for names in funnel.names or ()]
    return [exp.Coalesce(this=one, expressions=[exp.false()]) for one in found]


def _named(event: str, names: tuple[str, ...]) -> exp.Expr:
    of = exp.column(writing.name(event))
    if len(names) == 1:
        return exp.EQ(this=of, expression=exp.Literal.string(names[0]))
    return exp.In(this=of, expressions=[exp.Literal.string(one) for one in names])
