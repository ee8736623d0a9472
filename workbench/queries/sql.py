"""``wb.sql``: a query of another system, answered by Spark and the kernels."""

from typing import TYPE_CHECKING

from workbench.queries.query import Query

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


def sql(query: str, /, dialect: str = "duckdb", **tables: "TableLike") -> "DataFrame":
    """Return the answer to a query as its own system would give it.

    Windows, ClickHouse's ``windowFunnel`` and quantiles of groups are answered by
    :class:`workbench.Over`, :class:`workbench.Funnel` and :func:`workbench.quantiles`, all else by
    Spark's own SQL; :func:`workbench.explain_sql` says what goes where,
    and :func:`workbench.query` gives what the verbs look at.

    Parameters
    ----------
    query : str
        One query.
    dialect : str
        Whose SQL it is: "duckdb", "clickhouse", "risingwave", "postgres" or "spark". It says where
        nulls go in an order, what a quotient of integers is, which names are the same, and what
        functions mean.
    **tables : TableLike
        Tables by the names that the query has for them. Others are Spark's temporary views and
        tables of its catalog.

    Returns
    -------
    pyspark.sql.DataFrame
        Nothing runs until it is used.

    Raises
    ------
    WorkbenchError
        When the text is no query, names what is not there, or asks for what is not available.

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
