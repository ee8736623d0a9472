"""Correlation and regression in windows without spread or with NaN, as Postgres and Spark do."""

from collections.abc import Callable

from sqlglot import exp

from workbench.dialects.aggregates.call import function_of
from workbench.dialects.functions import POSTGRES
from workbench.dialects.templates import fill_template

_NAN_OF_NAN = "IF(:independent <> 0, COALESCE(:result, DOUBLE('NaN')), NULL)"
#: The result by the sums of squares of the independent and the dependent column, for functions by
#: their names in ``wb.fn``. There they are as in DuckDB.
_BY_SQUARES = {
    "corr": "IF(:independent = 0 OR :dependent = 0, NULL, :result)",
    "regr_slope": "IF(:independent = 0, NULL, :result)",
    "regr_intercept": _NAN_OF_NAN,
    "regr_r2": _NAN_OF_NAN,
}
_SQUARES = {"independent": exp.RegrSxx, "dependent": exp.RegrSyy}


def has_other_limits(name: str, dialect: str) -> bool:
    """Return whether a function differs from the one of ``wb.fn`` without spread or with NaN.

    Examples
    --------
    >>> has_other_limits("corr", "postgres"), has_other_limits("corr", "duckdb")
    (True, False)
    """
    return name in _BY_SQUARES and dialect in (*POSTGRES, "spark")


def by_squares(
    name: str, result: exp.Expr, window: exp.Window, answer: Callable[[exp.Window], exp.Expr]
) -> exp.Expr:
    """Return a correlation or regression that is null without spread, and NaN if a value is NaN.

    Parameters
    ----------
    name : str
        The name in ``wb.fn``.
    result : sqlglot.exp.Expr
        The result of ``wb.fn``.
    window : sqlglot.exp.Window
    answer : callable
        Takes a window over the same rows, and returns its result.

    Returns
    -------
    sqlglot.exp.Expr

    Examples
    --------
    >>> import sqlglot
    >>> window = sqlglot.parse_one("CORR(x, y) OVER (ORDER BY z)", read="spark")
    >>> print(by_squares("corr", exp.column("r"), window, lambda one: one).sql("spark"))
    IF(REGR_SXX(x, y) OVER (ORDER BY z) = 0 OR REGR_SYY(x, y) OVER (ORDER BY z) = 0, NULL, r)
    """
    template = _BY_SQUARES[name]
    parts = {
        column: answer(_window_of(kind, window))
        for column, kind in _SQUARES.items()
        if f":{column}" in template
    }
    return fill_template(template, result=result, **parts)


def _window_of(kind: type[exp.Expr], window: exp.Window) -> exp.Window:
    """Return a window of another function of the same two columns."""
    window = window.copy()
    function = function_of(window.this)
    function.replace(kind(this=function.this, expression=function.expression))
    return window
