"""ClickHouse's ``windowFunnel(3600, 'strict_order')(time, a, b)`` as a ``wb.Funnel``."""

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import kind_of
from workbench.funnel.funnel import Funnel
from workbench.queries.functions import whole
from workbench.queries.parts import Translation
from workbench.queries.staged import Staged, staged_column
from workbench.spark.table import quoted, unused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: A time before all others, at which nothing happens, by the kind of time.
_BEFORE_ALL = {
    "integer": "-4611686018427387904",
    "date": "DATE '0001-01-01'",
    "timestamp": "TIMESTAMP '0001-01-01 00:00:00Z'",
    "timestamp_ntz": "TIMESTAMP_NTZ '0001-01-01 00:00:00'",
}
#: What ClickHouse counts a window in, by the kind of time.
_UNITS = {"date": "days", "timestamp": "seconds", "timestamp_ntz": "seconds"}
#: All times of a DateTime lie within so many of them: a window may be longer, and ours may not.
_LONGEST = {"days": 106_000, "seconds": 9_200_000_000}


def is_funnel(node: exp.Expr) -> bool:
    """Say whether an aggregate is a funnel.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT windowFunnel(60)(t, a, b), sum(x)", "clickhouse")
    >>> [is_funnel(one) for one in tree.expressions]
    [True, False]
    """
    return isinstance(node, exp.ParameterizedAgg) and str(node.this).lower() == "windowfunnel"


def funnel_levels(
    name: str, node: exp.Expr, rows: exp.Select, keys: Staged, names: list[str], work: Translation
) -> "DataFrame":
    """Return the level of each group, by ``wb.Funnel``.

    Parameters
    ----------
    name : str
        What the level is called.
    node : sqlglot.exp.Expr
        The funnel.
    rows : sqlglot.exp.Select
        The rows of the query, whose columns are yet to be said.
    keys : Staged
    names : list of str
        The columns of the groups.
    work : Translation

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the groups, and the level.

    Raises
    ------
    WorkbenchError
        When the funnel cannot be meant.
    """
    params = list(node.args["params"])
    if len(params) < 2:
        raise WorkbenchError(
            "query: windowFunnel(window)(time, condition, ...) needs a time and a condition."
        )
    window, modes = _said(node.expressions)
    group = names or [unused([], "everyone")]
    time = unused(group, "time")
    labels = _labels(params[1:], [*group, time], work.dialect)
    df = _steps(rows, keys, names, group, time, params, labels, work)
    unit = _UNITS.get(kind_of(df.schema[time].dataType))
    funnel = Funnel(
        {label: quoted(label) for label in labels},
        window=f"{min(window, _LONGEST[unit])} {unit}" if unit else window,
        key=group,
        time=time,
        modes=modes,
    )
    levels = funnel.levels(df)
    why = "windowFunnel is wb.Funnel"
    work.ours("funnel", funnel, why, df, levels, f"{funnel!r}.levels({{df}})")
    level: exp.Expr = exp.column("level")
    if not names:
        level = exp.Coalesce(this=exp.Max(this=level), expressions=[exp.Literal.number(0)])
    asked = exp.Select(
        expressions=[*map(staged_column, names), exp.alias_(level, name, quoted=True)]
    )
    asked.set("from_", exp.From(this=work.tables.answer(levels, "")))
    return work.spark(asked, "it is its level")


def _said(given: list[exp.Expr]) -> tuple[int, list[str]]:
    """The window and the modes."""
    if not given:
        raise WorkbenchError("query: windowFunnel needs a window: windowFunnel(3600)(time, ...).")
    window = whole(given[0], "the window of windowFunnel")
    modes = []
    for one in given[1:]:
        if not (isinstance(one, exp.Literal) and one.is_string):
            raise WorkbenchError(
                f"query: {one.sql()} is no mode of windowFunnel; write it in quotes."
            )
        modes.append(one.this)
    return window, modes


def _labels(conditions: list[exp.Expr], taken: list[str], dialect: str) -> list[str]:
    """What the steps are called: as the conditions are written, or the text that they look for."""
    found: list[str] = []
    for one in conditions:
        text = one.sql(dialect=dialect)
        if isinstance(one, exp.Coalesce) and one.expressions == [exp.false()]:
            one = one.this
        if isinstance(one, exp.EQ) and isinstance(one.expression, exp.Literal):
            text = one.expression.this
        found.append(unused([*taken, *found], text[:60] or "step"))
    return found


def _steps(
    rows: exp.Select,
    keys: Staged,
    names: list[str],
    group: list[str],
    time: str,
    params: list[exp.Expr],
    labels: list[str],
    work: Translation,
) -> "DataFrame":
    """The keys, the time and the steps of each row; a row with a null among them is no step.

    ClickHouse leaves such a row out, but not its group: it stands before all others, where it can
    neither be a step nor come between two.
    """
    columns = [exp.alias_(keys.columns[one], one, quoted=True) for one in names]
    if not names:
        columns.append(exp.alias_(exp.Literal.number(1), group[0], quoted=True))
    columns.append(exp.alias_(params[0], time, quoted=True))
    for one, label in zip(params[1:], labels, strict=True):
        columns.append(exp.alias_(exp.cast(one.copy(), "BOOLEAN"), label, quoted=True))
    is_whole = unused([*group, time, *labels], "is_whole")
    columns.append(exp.alias_(_without_nulls(params), is_whole, quoted=True))
    rows.set("expressions", columns)
    df = work.spark(rows, "it is what the funnel looks at")
    found = df.schema[time].dataType
    if kind_of(found) not in _BEFORE_ALL:
        raise WorkbenchError(
            f"query: windowFunnel goes along times or integers, but {params[0].sql()} holds "
            f"{found.simpleString()}."
        )
    whole, before = staged_column(is_whole), _BEFORE_ALL[kind_of(found)]
    at = exp.Case(
        ifs=[exp.If(this=whole, true=staged_column(time))],
        default=sqlglot.parse_one(before, read="spark"),
    )
    steps = (exp.alias_(exp.and_(whole, staged_column(one)), one, quoted=True) for one in labels)
    asked = exp.Select(
        expressions=[*map(staged_column, group), exp.alias_(at, time, quoted=True), *steps]
    )
    asked.set("from_", exp.From(this=work.tables.answer(df, "")))
    return work.spark(asked, "nulls are no steps")


def _without_nulls(params: list[exp.Expr]) -> exp.Expr:
    """The condition under which neither the time nor a step is null."""
    needed = dict.fromkeys(one for param in params for one in _needed(param))
    known = (exp.Not(this=exp.Is(this=exp.paren(one), expression=exp.Null())) for one in needed)
    return exp.and_(*known) if needed else exp.true()


def _needed(node: exp.Expr) -> list[exp.Expr]:
    """What must not be null for an expression not to be: a comparison's columns, else itself."""
    if isinstance(node, exp.Literal | exp.Boolean | exp.Is):
        return []
    if isinstance(node, exp.Coalesce) and node.expressions == [exp.false()]:
        return []
    if isinstance(node, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        return [*_needed(node.left), *_needed(node.right)]
    return _needed(node.this) if isinstance(node, exp.Paren) else [node]
