"""``wb.sql``: a query of another system, run by Spark and the kernels."""

from typing import TYPE_CHECKING

from workbench.queries.query import Query

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


def sql(query: str, /, dialect: str = "duckdb", **tables: "TableLike") -> "DataFrame":
    """Return the answer to a query as its own system would give it.

    Windows, ClickHouse's ``windowFunnel`` and quantiles of groups are answered by
    :class:`workbench.Over`, :class:`workbench.Funnel` and :func:`workbench.quantiles`, all else by
    Spark's own SQL; :func:`workbench.explain_sql` tells which engine runs which part,
    and :func:`workbench.query` returns the query for the verbs ``explore``, ``play`` and ``plan``.

    Parameters
    ----------
    query : str
        One query.
    dialect : str
        The system whose SQL it is: "duckdb", "clickhouse", "risingwave", "postgres" or "spark". It
        determines the order of nulls, the type of a quotient of integers, whether the case of
        names matters, and what functions mean.
    **tables : TableLike
        Tables by their names in the query. Other names are Spark's temporary views and tables of
        its catalog.

    Returns
    -------
    pyspark.sql.DataFrame
        Nothing runs until it is used.

    Raises
    ------
    WorkbenchError
        When the text is no query, a name in it does not exist, or a part of it is not available.

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> wb.sql('''
    ...     SELECT plant, date, quantile_cont(mwh, [0.25, 0.5, 0.75]) OVER seven AS iqr
    ...     FROM plants
    ...     WINDOW seven AS (PARTITION BY plant ORDER BY date
    ...         RANGE BETWEEN INTERVAL 3 DAYS PRECEDING AND INTERVAL 3 DAYS FOLLOWING)
    ...     ORDER BY 1, 2 LIMIT 2
    ... ''', plants=plants).show(truncate=False)
    +------+----------+-------------------------------+
    |plant |date      |iqr                            |
    +------+----------+-------------------------------+
    |Boston|2019-01-02|[497938.25, 517964.0, 537476.5]|
    |Boston|2019-01-03|[474163.0, 507405.0, 528523.0] |
    +------+----------+-------------------------------+
    <BLANKLINE>
    """
    return Query(query, dialect, tables).answer
