"""The parts of a query: which engine runs each and why, and the same in Python."""

from typing import TYPE_CHECKING

from workbench.queries.query import Query

if TYPE_CHECKING:
    from workbench.spark.sources.given import TableLike


def explain_sql(query: str, /, dialect: str = "duckdb", **tables: "TableLike") -> str:
    """Return the parts of a query: which engine runs each and why, and the same in Python.

    Parameters
    ----------
    query, dialect, **tables
        As :func:`workbench.sql` takes them.

    Returns
    -------
    str
        Python code whose last variable is the answer; each part begins with a comment.

    Raises
    ------
    WorkbenchError
        As :func:`workbench.sql` does.

    Examples
    --------
    >>> import workbench as wb
    >>> print(wb.explain_sql('''
    ...     SELECT day, mode(mwh) OVER (ORDER BY day ROWS 2 PRECEDING) AS usual
    ...     FROM days WHERE mwh > 0
    ... ''', days=wb.session().sql("SELECT id AS day, id % 3 AS mwh FROM range(9)")))
    # Spark's SQL: the input of the windows
    step_1 = spark.sql(
        "SELECT `day` AS `day`, `mwh` AS `mwh` FROM {days} AS `days` WHERE `mwh` > 0",
        days=days,
    )
    # wb.Over: kernel answers, because Spark's mode is any of the equally frequent values (usual)
    step_2 = wb.Over(order_by=[('day', 'asc', 'nulls last')], frame=wb.Frame.rows(-2, 0), \
usual=wb.fn.mode('mwh')).run(step_1)
    # Spark's SQL: the rest of the query, after its windows
    step_3 = spark.sql(
        "SELECT `day` AS `day`, `usual` AS `usual` FROM {step_2} AS `t1`",
        step_2=step_2,
    )
    """
    return Query(query, dialect, tables).explain()
