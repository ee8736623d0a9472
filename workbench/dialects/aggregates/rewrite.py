"""Aggregates of groups that have the same name in Spark and another meaning."""

from sqlglot import exp

from workbench.dialects.aggregates.call import Rewrite, unwrapped
from workbench.dialects.aggregates.clickhouse import CLICKHOUSE_REWRITES
from workbench.dialects.aggregates.numeric import (
    corr_or_slope,
    count_if,
    mean_as_double,
    mode,
    of_doubles,
    sample_moment,
    sum_as_number,
)
from workbench.dialects.aggregates.ordered import (
    arg_min_or_max,
    array_agg,
    drop_order,
    first_or_last,
    min_or_max,
    quantile_disc,
    string_agg,
)

_REWRITES: dict[type[exp.Expr], Rewrite] = {
    exp.ArrayAgg: array_agg,
    **dict.fromkeys(
        (exp.First, exp.FirstValue, exp.Last, exp.LastValue, exp.AnyValue), first_or_last
    ),
    **dict.fromkeys((exp.ArgMin, exp.ArgMax), arg_min_or_max),
    **dict.fromkeys((exp.Skewness, exp.Kurtosis), sample_moment),
    **dict.fromkeys((exp.Min, exp.Max), min_or_max),
    exp.Count: drop_order,
    exp.Sum: sum_as_number,
    exp.CountIf: count_if,
    exp.Avg: mean_as_double,
    exp.GroupConcat: string_agg,
    exp.Mode: mode,
    exp.AnonymousAggFunc: of_doubles,
    **dict.fromkeys((exp.Corr, exp.RegrSlope), corr_or_slope),
    **dict.fromkeys((exp.PercentileDisc, exp.Quantile), quantile_disc),
}  # fmt: skip


def rewrite_aggregates(tree: exp.Expr, dialect: str) -> None:
    """Replace aggregates of groups by expressions with the same meaning in Spark.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
        It is changed.
    dialect : str

    Raises
    ------
    WorkbenchError
        When Spark has nothing with the same meaning.

    Examples
    --------
    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT arg_min(y, id), first(y ORDER BY id) FROM t", read="duckdb")
    >>> rewrite_aggregates(tree, "duckdb")
    >>> print(tree.expressions[0].sql("spark"))
    MIN_BY(y, id) FILTER(WHERE NOT y IS NULL)
    """
    rewrites = CLICKHOUSE_REWRITES if dialect == "clickhouse" else _REWRITES
    if dialect == "spark":
        for one in list(tree.find_all(exp.PercentileCont, exp.PercentileDisc)):
            # sqlglot would write percentile_approx, without the order.
            one.replace(exp.AnonymousAggFunc(this=one.sql_name(), expressions=[one.this]))
        return
    for node in reversed(list(tree.find_all(*rewrites))):
        if (rewrite := rewrites.get(type(node))) is None:
            continue
        call, outer = unwrapped(node)
        of_window = isinstance(outer.parent, exp.Window) and outer.arg_key == "this"
        if not of_window and (result := rewrite(call, dialect)) is not None:
            outer.replace(result)
