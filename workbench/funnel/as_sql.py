"""Write a funnel as ClickHouse's ``windowFunnel``."""

from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.dialects import writing
from workbench.dialects.conditions import condition
from workbench.durations import SECOND, microseconds
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.funnel.spec import FunnelSpec

#: The dialects that funnels can be written in.
WRITTEN = ("clickhouse",)


def as_sql(funnel: "FunnelSpec", dialect: str, table: str) -> str:
    """Return the levels of a funnel as a query that returns the same result there.

    Parameters
    ----------
    funnel : FunnelSpec
    dialect : str
        One of :data:`WRITTEN`.
    table : str
        The name of the table of events there.

    Returns
    -------
    str

    Raises
    ------
    WorkbenchError
        When the funnel uses what ``windowFunnel`` lacks, or when steps are Columns.
    """
    writing.check_dialect_and_table(dialect, WRITTEN, table, "table")
    _check_counterpart(funnel)
    keys = [exp.column(writing.name(key)) for key in funnel.key]
    time = exp.column(writing.name(funnel.time))
    modes = [exp.Literal.string(mode) for mode in funnel.modes]
    level = exp.ParameterizedAgg(
        this="windowFunnel",
        expressions=[exp.Literal.number(_window(funnel)), *modes],
        params=[time, *_steps(funnel, dialect)],
    )
    not_null_literal = exp.Not(this=exp.Null())
    not_null = [
        exp.Is(this=one.copy(), expression=not_null_literal.copy()) for one in (*keys, time)
    ]
    query = exp.Select(expressions=[*keys, exp.alias_(level, "level", quoted=True)])
    query = query.from_(exp.Table(this=writing.name(table))).where(*not_null).group_by(*keys)
    return writing.to_text(query, dialect)


def _check_counterpart(funnel: "FunnelSpec") -> None:
    for name, value, default in (*funnel.rule_arguments(), *funnel.counting.arguments()):
        if value != default:
            raise WorkbenchError(
                f"{name}: ClickHouse's windowFunnel has no counterpart of {name}={value!r}; "
                "leave it out to write the funnel as SQL."
            )


def _window(funnel: "FunnelSpec") -> int:
    """Return the window in the seconds of a DateTime, or in the unit of an integer time column."""
    if isinstance(funnel.window, int):
        return funnel.window
    seconds, rest = divmod(microseconds(funnel.window), SECOND)
    if rest:
        raise WorkbenchError(
            f"window: {funnel.window!r} is not a whole number of seconds, and ClickHouse "
            "counts a window in seconds."
        )
    return seconds


def _steps(funnel: "FunnelSpec", dialect: str) -> list[exp.Expr]:
    """Return the conditions, with null as false, because ClickHouse would leave the row out."""
    if funnel.conditions is not None:
        conditions = [
            condition(one, f"steps: {k!r}", dialect) for k, one in funnel.conditions.items()
        ]
    else:
        conditions = [_named(funnel.event, names) for names in funnel.names or ()]
    return [exp.Coalesce(this=one, expressions=[exp.false()]) for one in conditions]


def _named(event: str, names: tuple[str, ...]) -> exp.Expr:
    column = exp.column(writing.name(event))
    if len(names) == 1:
        return exp.EQ(this=column, expression=exp.Literal.string(names[0]))
    return exp.In(this=column, expressions=[exp.Literal.string(one) for one in names])
