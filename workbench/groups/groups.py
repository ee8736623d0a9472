"""Results for whole groups of rows: quantiles by selection, and the last row of each group."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.arguments import check_known, column_names, optional_names
from workbench.functions import fn
from workbench.groups.checks import (
    KINDS,
    check_order,
    check_ties,
    check_times_of_day,
    check_values,
)
from workbench.groups.plan import METHODS, quantiles_of
from workbench.spark.sources.given import table
from workbench.spark.sources.small_tables import source
from workbench.spark.table import BoundTable, check_key

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.spark.sources.given import TableLike


def last_in_group(
    df: "TableLike",
    by: str | Sequence[str],
    order_by: str | Sequence[str],
    method: str = "auto",
    ties: str = "all",
) -> "DataFrame":
    """Return the rows that come last in their group; every method returns the same rows.

    Parameters
    ----------
    df : TableLike
    by : str or list of str
        The columns whose values define a group; null is a group like any other.
    order_by : str or list of str
        The row with the greatest value here is the last; further columns break ties. Null is less
        than all values, so a row with null is last only if its group has no other value; NaN is
        greater than all numbers.
    method : str
        "join" finds the greatest value of each group, and joins the table with these: it reads
        the table twice. "window" ranks the rows of each group in descending order: it sorts the
        table. "aggregate" keeps the greatest row of each group as a struct, and needs
        ``ties="one"``. "auto" uses "aggregate" if possible and else "join".
    ties : str
        "all" returns every row that comes last. "one" returns one row for each group: of tied rows,
        the one with the greatest values in the other columns, from left to right.

    Returns
    -------
    pyspark.sql.DataFrame
        Rows of the table with all its columns, in any order. Nothing runs until it is used.

    Raises
    ------
    WorkbenchError
        When an argument is invalid, or does not fit the table.

    Notes
    -----
    The join needs a table that is the same each time it is read. It is the fastest method for all
    tied rows if groups are few; if most groups have only a few rows, the window is faster
    (docs/decisions/0009).

    Source: R. Wesley, "Windowing in DuckDB" (2021), which describes the window and the join.

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> wb.last_in_group(plants, by="plant", order_by="date").orderBy("plant").show()
    +---------+----------+------+
    |    plant|      date|   mwh|
    +---------+----------+------+
    |   Boston|2019-01-13|531518|
    |Worcester|2019-01-13|107170|
    +---------+----------+------+
    <BLANKLINE>
    """
    keys, order = column_names(by, "by"), column_names(order_by, "order_by")
    rows = BoundTable.of(table(df, "df"), keys)
    check_order(rows, order)
    check_known(method, ("auto", *METHODS), "method")
    check_ties(rows, method, ties)
    if method == "auto":
        method = "aggregate" if ties == "one" else "join"
    if method != "window":
        check_times_of_day(rows, rows.names, "df", "give method='window'")
    others = [name for name in rows.names if name not in (*keys, *order)]
    return METHODS[method](rows, order, others if ties == "one" else None)


def quantiles(
    df: "TableLike",
    columns: str | Sequence[str],
    q: float | Sequence[float] = 0.5,
    by: str | Sequence[str] | None = None,
    kind: str = "cont",
) -> "DataFrame":
    """Return quantiles of columns, one row for each group, by selection instead of sorting.

    Parameters
    ----------
    df : TableLike
    columns : str or list of str
        Numbers, dates, timestamps or times of day, and for "disc" columns of any type that has an
        order. Nulls do not count; NaN is the largest number.
    q : float or list of float
        From 0 to 1. A number returns a value, a list returns an array in the order of the list.
    by : str or list of str, optional
        The columns whose values define a group; null and NaN are groups of their own. Without any,
        all rows are one group.
    kind : str
        "cont" interpolates between two values, "disc" returns the least value that reaches the
        share.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of ``by``, and each of ``columns`` under its own name: null if a group has no
        values. Without ``by`` it has one row, for an empty table as well. Nothing runs until it is
        used.

    Raises
    ------
    WorkbenchError
        When an argument is invalid, or does not fit the table.

    Notes
    -----
    O(rows) for each column. Only the named columns are shuffled, all at once. All values of a group
    go to one worker: 8 bytes for each number or time, and as much again during selection. Without
    ``by``, one worker gets the whole column, up to about 250 million values (docs/decisions/0009).

    Source: C. A. R. Hoare, "Algorithm 65: FIND" (1961), which R. Wesley, "Windowing in DuckDB"
    (2021), names for ordered-set aggregates.

    Examples
    --------
    >>> import workbench as wb
    >>> plants = wb.datasets.power_plants(wb.session())
    >>> wb.quantiles(plants, "mwh", 0.75, by="plant").orderBy("plant").show()
    +---------+---------+
    |    plant|      mwh|
    +---------+---------+
    |   Boston|539722.75|
    |Worcester| 108754.0|
    +---------+---------+
    <BLANKLINE>
    """
    names = column_names(columns, "columns")
    rows = BoundTable.of(source(df, "df"), optional_names(by, "by"))
    check_key(rows, names, "by")
    check_known(kind, KINDS, "kind")
    options = fn.quantile(names[0], q).options
    check_values(rows, names, kind)
    return quantiles_of(rows, names, options, kind)
