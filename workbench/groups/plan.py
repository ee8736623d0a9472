"""The plans for whole groups: quantiles with one shuffle, and three methods for last rows."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.functions.catalogue import Options, answer_type
from workbench.groups.checks import KINDS, check_times_of_day
from workbench.groups.worker import QuantileTask
from workbench.spark.in_driver import as_dataframe, run_by_key, worker_rows
from workbench.spark.names import name_of, unused
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundle_rows
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, column, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def quantiles_of(df: BoundTable, names: Sequence[str], options: Options, kind: str) -> "DataFrame":
    """Return quantiles of columns, one row for each group.

    Parameters
    ----------
    df : BoundTable
        Its key is the columns that define groups.
    names : sequence of str
    options : Options
        Holds the shares ``q``.
    kind : str
        One of :data:`workbench.groups.checks.KINDS`.

    Returns
    -------
    pyspark.sql.DataFrame
    """
    from pyspark.sql.types import StructField, StructType

    aliases = {name: f"c{i}" for i, name in enumerate((*df.key, *names))}
    groups, values = (tuple((name, aliases[name]) for name in some) for some in (df.key, names))
    task = QuantileTask(groups, values, options.q, options.single, kind == "disc")
    kinds = [answer_type(KINDS[kind], options, type_of(df, name)) for name in names]
    fields = [StructField(name, kind) for name, kind in zip(names, kinds, strict=True)]
    schema = StructType([*(df.schema[key] for key in df.key), *fields])
    if (here := _in_driver(df, aliases, task)) is not None:
        return as_dataframe(here, schema, df.without_rows.sparkSession)
    ship(df.without_rows.sparkSession)
    return _bundled_rows(df, aliases).mapInArrow(
        named_task("quantile kernel", task.from_rows), schema
    )


def _in_driver(
    df: BoundTable, aliases: dict[str, str], task: QuantileTask
) -> "list[pa.RecordBatch] | None":
    """Return the quantiles of a table that this process holds; None if Spark has to run."""
    if df.held is None:
        return None
    columns = {alias: column(df, name, "columns") for name, alias in aliases.items()}
    rows = worker_rows(df.held, columns, {alias: name for name, alias in aliases.items()})
    if rows is None:
        return None
    if not df.key:
        # As below: an empty table has one row of results, too.
        nulls = [pa.nulls(1, kind) for kind in rows.schema.types]
        rows = pa.concat_tables([rows, pa.table(nulls, schema=rows.schema)])
    keys = tuple(aliases[key] for key in df.key)
    return run_by_key(task.batches_of_groups, [rows], keys)


def _bundled_rows(df: BoundTable, aliases: dict[str, str]) -> "DataFrame":
    """Return the columns by the workers' names, in bundles with a group's rows in one partition."""
    from pyspark.sql import functions as F

    kinds = {name: type_of(df, name) for name in aliases}
    rows = df.df.select(*(column(df, name, "columns").alias(aliases[name]) for name in aliases))
    if not df.key:
        check_times_of_day(df, list(aliases), "columns", "give by")
        # A row of nulls changes no result, and an empty table has one row of results, too.
        nulls = [F.lit(None).cast(kind).alias(aliases[name]) for name, kind in kinds.items()]
        rows = rows.union(rows.sparkSession.range(1, numPartitions=1).select(*nulls))
    columns = {name: F.col(name) for name in aliases.values()}
    return bundle_rows(rows, columns, [aliases[key] for key in df.key])


def _by_window(df: BoundTable, order: Sequence[str], others: Sequence[str] | None) -> "DataFrame":
    """Rank the rows of each group in descending order, and keep the first rank."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    terms = [name_of(name).desc_nulls_last() for name in (*order, *(others or ()))]
    window = Window.partitionBy(*map(name_of, df.key)).orderBy(*terms)
    rank = unused(df.names, "place")
    ranked = df.df.withColumn(rank, (F.rank() if others is None else F.row_number()).over(window))
    return ranked.where(F.col(rank) == 1).drop(rank)


def _by_join(df: BoundTable, order: Sequence[str], others: Sequence[str] | None) -> "DataFrame":
    """Join the table with the greatest order of each group."""
    from pyspark.sql import functions as F

    aliases = {name: unused(df.names, f"last_{i}") for i, name in enumerate((*df.key, *order))}
    groups = [name_of(key).alias(aliases[key]) for key in df.key]
    greatest = unused(df.names, "greatest")
    last_values = df.df.groupBy(*groups).agg(_greatest_value(order).alias(greatest))
    values = [F.col(greatest)] if len(order) == 1 else _fields(greatest, order)
    last_values = last_values.select(
        *(aliases[key] for key in df.key),
        *(value.alias(aliases[name]) for name, value in zip(order, values, strict=True)),
    )
    # Nulls are equal here, so that no group is lost; but in a join, Spark takes no row of a column
    # of type void as equal to another one, and such a column divides no group.
    names = [name for name in (*df.key, *order) if type_of(df, name).typeName() != "void"]
    matches = [name_of(name).eqNullSafe(F.col(aliases[name])) for name in names]
    rows = df.df.join(last_values, reduce(lambda a, b: a & b, matches), "left_semi")
    return rows if others is None else _by_aggregate(df.with_rows(rows), order, others)


def _by_aggregate(
    df: BoundTable, order: Sequence[str], others: Sequence[str] | None
) -> "DataFrame":
    """Keep the greatest row of each group: structs compare field by field."""
    from pyspark.sql import functions as F

    aliases = {key: unused(df.names, f"key_{i}") for i, key in enumerate(df.key)}
    row, names = unused(df.names, "row"), (*order, *(others or ()))
    groups = [name_of(key).alias(aliases[key]) for key in df.key]
    last_rows = df.df.groupBy(*groups).agg(F.max(_struct(names)).alias(row))
    columns = dict(zip(names, _fields(row, names), strict=True))
    columns |= {key: F.col(aliases[key]) for key in df.key}
    return last_rows.select(*(columns[name].alias(name) for name in df.names))


METHODS: dict[str, Callable[..., "DataFrame"]] = {
    "window": _by_window,
    "join": _by_join,
    "aggregate": _by_aggregate,
}


def _greatest_value(order: Sequence[str]) -> "Column":
    """Return the greatest value, as a struct only for several columns: plain ones can be hashed."""
    from pyspark.sql import functions as F

    return F.max(name_of(order[0]) if len(order) == 1 else _struct(order))


def _struct(names: Sequence[str]) -> "Column":
    from pyspark.sql import functions as F

    return F.struct(*(name_of(name).alias(f"f{i}") for i, name in enumerate(names)))


def _fields(struct: str, names: Sequence[str]) -> "list[Column]":
    from pyspark.sql import functions as F

    return [F.col(struct).getField(f"f{i}") for i in range(len(names))]
