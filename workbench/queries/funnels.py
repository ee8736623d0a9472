"""``windowFunnel(3600, 'strict_order')(time, a, b)`` of ClickHouse as a ``wb.Funnel``."""

from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import kind_of
from workbench.funnel.funnel import Funnel
from workbench.queries.functions import whole_number
from workbench.queries.parts import Translation
from workbench.queries.staged import Staged, staged_column
from workbench.spark.names import quoted, unused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: A time before all others, for rows that are no step, by the kind of time.
_BEFORE_ALL = {
    "integer": "-4611686018427387904",
    "date": "DATE '0001-01-01'",
    "timestamp": "TIMESTAMP '0001-01-01 00:00:00Z'",
    "timestamp_ntz": "TIMESTAMP_NTZ '0001-01-01 00:00:00'",
}
#: The unit of a window in ClickHouse, by the kind of time.
_UNITS = {"date": "days", "timestamp": "seconds", "timestamp_ntz": "seconds"}
#: All times of a DateTime lie within so many units; a longer window is cut to this length.
_LONGEST = {"days": 106_000, "seconds": 9_200_000_000}


def is_funnel(node: exp.Expr) -> bool:
    """Return whether an aggregate is a funnel.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> tree = parse_query("SELECT windowFunnel(60)(t, a, b), sum(x)", "clickhouse")
    >>> [is_funnel(one) for one in tree.expressions]
    [True, False]
    """
    return isinstance(node, exp.ParameterizedAgg) and str(node.this).lower() == "windowfunnel"


def funnel_levels(
    name: str,
    node: exp.Expr,
    rows: exp.Select,
    keys: Staged,
    names: list[str],
    translation: Translation,
) -> "DataFrame":
    """Return the level of each group, by ``wb.Funnel``.

    Parameters
    ----------
    name : str
        The name of the level.
    node : sqlglot.exp.Expr
        The funnel.
    rows : sqlglot.exp.Select
        The rows of the query, still without columns.
    keys : Staged
    names : list of str
        The columns of the groups.
    translation : Translation

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of the groups, and the level.

    Raises
    ------
    WorkbenchError
        When the funnel is not available.
    """
    params = list(node.args["params"])
    if len(params) < 2:
        raise WorkbenchError(
            "query: windowFunnel(window)(time, condition, ...) needs a time and a condition."
        )
    window, modes = _window_and_modes(node.expressions)
    group = names or [unused([], "everyone")]
    time = unused(group, "time")
    labels = _labels(params[1:], [*group, time], translation.dialect)
    df = _steps(rows, keys, names, group, time, params, labels, translation)
    unit = _UNITS.get(kind_of(df.schema[time].dataType))
    funnel = Funnel(
        {label: quoted(label) for label in labels},
        window=f"{min(window, _LONGEST[unit])} {unit}" if unit else window,
        key=group,
        time=time,
        modes=modes,
    )
    levels = funnel.levels(df)
    why = "windowFunnel runs as wb.Funnel"
    translation.add_part("funnel", funnel, why, df, levels, f"{funnel!r}.levels({{df}})")
    level: exp.Expr = exp.column("level")
    if not names:
        level = exp.Coalesce(this=exp.Max(this=level), expressions=[exp.Literal.number(0)])
    select = translation.select_from(
        levels, [*map(staged_column, names), exp.alias_(level, name, quoted=True)]
    )
    return translation.run_spark(select, "the level of each group")


def _window_and_modes(parameters: list[exp.Expr]) -> tuple[int, list[str]]:
    """Return the window and the modes of a funnel."""
    if not parameters:
        raise WorkbenchError("query: windowFunnel needs a window: windowFunnel(3600)(time, ...).")
    window = whole_number(parameters[0], "the window of windowFunnel")
    modes = []
    for one in parameters[1:]:
        if not (isinstance(one, exp.Literal) and one.is_string):
            raise WorkbenchError(
                f"query: {one.sql()} is not a mode of windowFunnel; write modes in quotes."
            )
        modes.append(one.this)
    return window, modes


def _labels(conditions: list[exp.Expr], taken: list[str], dialect: str) -> list[str]:
    """Return the names of the steps: the text that a condition compares to, else its SQL."""
    labels: list[str] = []
    for one in conditions:
        text = one.sql(dialect=dialect)
        if isinstance(one, exp.Coalesce) and one.expressions == [exp.false()]:
            one = one.this
        if isinstance(one, exp.EQ) and isinstance(one.expression, exp.Literal):
            text = one.expression.this
        labels.append(unused([*taken, *labels], text[:60] or "step"))
    return labels


def _steps(
    rows: exp.Select,
    keys: Staged,
    names: list[str],
    group: list[str],
    time: str,
    params: list[exp.Expr],
    labels: list[str],
    translation: Translation,
) -> "DataFrame":
    """Return the keys, the time and the steps of each row; a row with a null is no step.

    ClickHouse drops such a row but keeps its group. Here its time is before all others, where it
    is neither a step nor between two.
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
    df = translation.run_spark(rows, "the input of the funnel")
    time_type = df.schema[time].dataType
    if kind_of(time_type) not in _BEFORE_ALL:
        raise WorkbenchError(
            "query: windowFunnel needs times or integers as its first argument, but "
            f"{params[0].sql()} holds {time_type.simpleString()}."
        )
    no_nulls, before_all = staged_column(is_whole), _BEFORE_ALL[kind_of(time_type)]
    step_time = exp.Case(
        ifs=[exp.If(this=no_nulls, true=staged_column(time))],
        default=sqlglot.parse_one(before_all, read="spark"),
    )
    steps = (exp.alias_(exp.and_(no_nulls, staged_column(one)), one, quoted=True) for one in labels)
    select = translation.select_from(
        df, [*map(staged_column, group), exp.alias_(step_time, time, quoted=True), *steps]
    )
    return translation.run_spark(select, "a row with a null is not a step")


def _without_nulls(params: list[exp.Expr]) -> exp.Expr:
    """Return the condition that neither the time nor a step is null."""
    operands = dict.fromkeys(one for param in params for one in _operands(param))
    conditions = (
        exp.Not(this=exp.Is(this=exp.paren(one), expression=exp.Null())) for one in operands
    )
    return exp.and_(*conditions) if operands else exp.true()


def _operands(node: exp.Expr) -> list[exp.Expr]:
    """Return the operands that make an expression null: those of a comparison, else itself."""
    if isinstance(node, exp.Literal | exp.Boolean | exp.Is):
        return []
    if isinstance(node, exp.Coalesce) and node.expressions == [exp.false()]:
        return []
    if isinstance(node, exp.EQ | exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        return [*_operands(node.left), *_operands(node.right)]
    return _operands(node.this) if isinstance(node, exp.Paren) else [node]
