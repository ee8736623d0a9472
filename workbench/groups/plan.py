"""The last row of every group on Spark: by a window, by a join, or by an aggregate."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from workbench.arguments import check_known
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import SORTED, kind_of
from workbench.spark.shuffle import several
from workbench.spark.table import check_plain, column, name_of, table, unused

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

TIES = ("all", "one")


def last_in_group(
    df: "DataFrame",
    by: str | Sequence[str],
    order_by: str | Sequence[str],
    method: str = "auto",
    ties: str = "all",
) -> "DataFrame":
    """Return the rows that come last in their group; every method gives the same ones.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    by : str or list of str
        The columns whose values are one group; null is a group as any other.
    order_by : str or list of str
        The row with the greatest value here is the last; behind the first column, the next ones
        decide. Null is less than all values, so such a row is last only where its group has no
        other; NaN is greater than all numbers.
    method : str
        "join" finds the greatest value of each group, and joins the table with these: it reads
        the table twice. "window" ranks the rows of each group from the last on: it sorts the
        table. "aggregate" keeps the greatest row of each group as a struct, and needs
        ``ties="one"``. "auto" takes "aggregate" where it can and else "join".
    ties : str
        "all" gives every row that comes last. "one" gives one row a group: of those that tie, the
        one with the greatest values in the other columns, from left to right.

    Returns
    -------
    pyspark.sql.DataFrame
        Rows of the table with all its columns, in any order. Nothing runs until it is used.

    Raises
    ------
    WorkbenchError
        When an argument cannot be meant, or does not fit the table.

    Notes
    -----
    The join needs a table that is the same each time it is read. It is the quickest way to all
    rows that tie while groups are few; where most groups have a few rows, the window is
    (docs/decisions/0009).

    Source: R. Wesley, "Windowing in DuckDB" (2021), which has the window and the join.

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
    table(df, "df")
    keys, order = several(by, "by"), several(order_by, "order_by")
    _check_table(df, keys, order)
    _check_method(df, method, ties)
    others = [name for name in df.columns if name not in (*keys, *order)] if ties == "one" else []
    if method == "auto":
        method = "aggregate" if ties == "one" else "join"
    return METHODS[method](df, keys, order, others if ties == "one" else None)


def _by_window(
    df: "DataFrame", keys: Sequence[str], order: Sequence[str], others: Sequence[str] | None
) -> "DataFrame":
    """Rank the rows of each group from the last on, and keep the first rank."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    terms = [name_of(name).desc_nulls_last() for name in (*order, *(others or ()))]
    window = Window.partitionBy(*map(name_of, keys)).orderBy(*terms)
    place = unused(df.columns, "place")
    ranked = df.withColumn(place, (F.rank() if others is None else F.row_number()).over(window))
    return ranked.where(F.col(place) == 1).drop(place)


def _by_join(
    df: "DataFrame", keys: Sequence[str], order: Sequence[str], others: Sequence[str] | None
) -> "DataFrame":
    """Join the table with the greatest order of each group."""
    from pyspark.sql import functions as F

    held = {name: unused(df.columns, f"last_{i}") for i, name in enumerate((*keys, *order))}
    groups = [name_of(key).alias(held[key]) for key in keys]
    greatest = unused(df.columns, "greatest")
    lasts = df.groupBy(*groups).agg(_greatest(order).alias(greatest))
    found = [F.col(greatest)] if len(order) == 1 else _fields(greatest, order)
    lasts = lasts.select(
        *(held[key] for key in keys),
        *(value.alias(held[name]) for name, value in zip(order, found, strict=True)),
    )
    # Nulls are equal here, so that no group is lost.
    same = [name_of(name).eqNullSafe(F.col(held[name])) for name in (*keys, *order)]
    rows = df.join(lasts, reduce(lambda a, b: a & b, same), "left_semi")
    return rows if others is None else _by_aggregate(rows, keys, order, others)


def _by_aggregate(
    df: "DataFrame", keys: Sequence[str], order: Sequence[str], others: Sequence[str] | None
) -> "DataFrame":
    """Keep the greatest row of each group: structs compare field by field."""
    from pyspark.sql import functions as F

    held = {key: unused(df.columns, f"key_{i}") for i, key in enumerate(keys)}
    row, names = unused(df.columns, "row"), (*order, *(others or ()))
    groups = [name_of(key).alias(held[key]) for key in keys]
    lasts = df.groupBy(*groups).agg(F.max(_struct(names)).alias(row))
    found = dict(zip(names, _fields(row, names), strict=True))
    found |= {key: F.col(held[key]) for key in keys}
    return lasts.select(*(found[name].alias(name) for name in df.columns))


METHODS: dict[str, Callable[..., "DataFrame"]] = {
    "window": _by_window,
    "join": _by_join,
    "aggregate": _by_aggregate,
}


def _greatest(order: Sequence[str]) -> "Column":
    """The greatest value; several columns as a struct, and one as it is, which Spark can hash."""
    from pyspark.sql import functions as F

    return F.max(name_of(order[0]) if len(order) == 1 else _struct(order))


def _struct(names: Sequence[str]) -> "Column":
    from pyspark.sql import functions as F

    return F.struct(*(name_of(name).alias(f"f{i}") for i, name in enumerate(names)))


def _fields(struct: str, names: Sequence[str]) -> "list[Column]":
    from pyspark.sql import functions as F

    return [F.col(struct).getField(f"f{i}") for i in range(len(names))]


def _check_table(df: "DataFrame", keys: Sequence[str], order: Sequence[str]) -> None:
    for name in df.columns:
        column(df, name, "df")
    for key in keys:
        column(df, key, "by")
        check_plain(df.schema, key, "by")
    for name in order:
        column(df, name, "order_by")
        held = df.schema[name].dataType
        if name in keys:
            raise WorkbenchError(
                f"order_by: column {name!r} is in by too, so all rows of a group tie; "
                "name another column."
            )
        if kind_of(held) not in SORTED:
            raise WorkbenchError(
                f"order_by: column {name!r} holds {held.simpleString()}, which has no order here; "
                "name a column of numbers, times or text."
            )


def _check_method(df: "DataFrame", method: str, ties: str) -> None:
    check_known(method, ("auto", *METHODS), "method")
    check_known(ties, TIES, "ties")
    if method == "aggregate" and ties == "all":
        raise WorkbenchError(
            "method: 'aggregate' keeps one row a group; give ties='one', or take 'join'."
        )
    for field in df.schema.fields if ties == "one" else ():
        held = field.dataType.simpleString()
        if any(part in held for part in ("map<", "variant")):
            raise WorkbenchError(
                f"ties: column {field.name!r} holds {held}, which has no order to choose one row "
                "by; give ties='all', or drop the column."
            )
