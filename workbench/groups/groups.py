"""Quantiles of groups on Spark by selection: what SQL calls ordered-set aggregates, unsorted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.arguments import check_known
from workbench.functions import fn
from workbench.functions.catalogue import answer_type, check_arguments
from workbench.groups.worker import QuantileTask
from workbench.spark.shipping import ship
from workbench.spark.shuffle import any_of, bundle_rows, several
from workbench.spark.table import check_plain, check_sent, column, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

#: The window function that gives the same quantile, by the kind.
KINDS = {"cont": "quantile", "disc": "quantile_disc"}


def quantiles(
    df: "DataFrame",
    columns: str | Sequence[str],
    q: float | Sequence[float] = 0.5,
    by: str | Sequence[str] | None = None,
    kind: str = "cont",
) -> "DataFrame":
    """Return quantiles of columns, one row a group, found by selection and not by sorting.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    columns : str or list of str
        Whose quantiles: numbers, dates or timestamps, and for "disc" of any type that has an order.
        Nulls do not count; NaN is the largest number.
    q : float or list of float
        From 0 to 1. One gives a value, a list gives an array in the order of the list.
    by : str or list of str, optional
        The columns whose values are one group; nulls and NaNs are groups of their own. Without
        any, all rows are one.
    kind : str
        "cont" interpolates between two values, "disc" gives the least value that reaches the share.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns of ``by``, and each of ``columns`` under its own name: null where a group has
        no values. Without ``by`` it has one row, for an empty table as well. Nothing runs until it
        is used.

    Raises
    ------
    WorkbenchError
        When an argument cannot be meant, or does not fit the table.

    Notes
    -----
    O(rows) for each column. Only the named columns travel, once for all of them. All values of a
    group go to one worker: 8 bytes for each number or time, and as much again while they are
    selected from. Without ``by`` that is one worker for the whole column, up to some 250 million
    values (docs/decisions/0009).

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
    table(df, "df")
    names = several(columns, "columns")
    keys = any_of(by, "by")
    _check_groups(df, names, keys)
    check_known(kind, KINDS, "kind")
    options = fn.quantile(names[0], q).options
    for name in names:
        column(df, name, "columns")
        check_arguments(name, KINDS[kind], (df.schema[name].dataType,))
    ship(df.sparkSession)
    held = {name: f"c{i}" for i, name in enumerate((*keys, *names))}
    groups, values = (tuple((name, held[name]) for name in some) for some in (keys, names))
    task = QuantileTask(groups, values, options.q, options.single, kind == "disc")
    rows = _bundled(df, held, keys)
    answers = [answer_type(KINDS[kind], options, df.schema[name].dataType) for name in names]
    return rows.mapInArrow(task.from_rows, _schema(df, keys, names, answers))


def _bundled(df: "DataFrame", held: dict[str, str], keys: Sequence[str]) -> "DataFrame":
    """The columns by the names that the workers know, the rows of a group in one partition."""
    from pyspark.sql import functions as F

    kinds = {name: df.schema[name].dataType for name in held}
    rows = df.select(*(column(df, name, "columns").alias(held[name]) for name in held))
    if not keys:
        # A row of nulls changes no answer, and one is asked for even where the table is empty.
        nulls = [F.lit(None).cast(kind).alias(held[name]) for name, kind in kinds.items()]
        rows = rows.union(df.sparkSession.range(1, numPartitions=1).select(*nulls))
    wanted = {name: F.col(name) for name in held.values()}
    return bundle_rows(rows, wanted, [held[key] for key in keys])


def _schema(
    df: "DataFrame", keys: Sequence[str], names: Sequence[str], answers: "Sequence[DataType]"
) -> "StructType":
    from pyspark.sql.types import StructField, StructType

    found = [StructField(name, kind) for name, kind in zip(names, answers, strict=True)]
    return StructType([*(df.schema[key] for key in keys), *found])


def _check_groups(df: "DataFrame", names: Sequence[str], keys: Sequence[str]) -> None:
    for key in keys:
        column(df, key, "by")
        check_plain(df.schema, key, "by", names)
        check_sent(df.schema[key].dataType, key, "by")
