"""The plans for whole groups: one shuffle for quantiles, and three ways to the last rows."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.functions.catalogue import Options, answer_type
from workbench.groups.checks import KINDS
from workbench.groups.worker import QuantileTask
from workbench.spark.in_driver import as_dataframe, run_by_key, worker_rows
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundle_rows
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, column, name_of, type_of, unused

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def quantiles_of(df: BoundTable, names: Sequence[str], options: Options, kind: str) -> "DataFrame":
    """Return quantiles of columns, one row a group.

    Parameters
    ----------
    df : BoundTable
        By the columns that make its groups.
    names : sequence of str
    options : Options
        With the shares.
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
    answers = [StructField(name, kind) for name, kind in zip(names, kinds, strict=True)]
    schema = StructType([*(df.schema[key] for key in df.key), *answers])
    if (here := _in_driver(df, aliases, task)) is not None:
        return as_dataframe(here, schema, df.without_rows.sparkSession)
    ship(df.without_rows.sparkSession)
    return _bundled(df, aliases).mapInArrow(named_task("quantile kernel", task.from_rows), schema)


def _in_driver(
    df: BoundTable, aliases: dict[str, str], task: QuantileTask
) -> "list[pa.RecordBatch] | None":
    """The answers of a table that this process holds; None where Spark has to give them."""
    if df.held is None:
        return None
    wanted = {alias: column(df, name, "columns") for name, alias in aliases.items()}
    rows = worker_rows(df.held, wanted, {alias: name for name, alias in aliases.items()})
    if rows is None:
        return None
    if not df.key:
        # As below: one answer is asked for even where the table is empty.
        nulls = [pa.nulls(1, kind) for kind in rows.schema.types]
        rows = pa.concat_tables([rows, pa.table(nulls, schema=rows.schema)])
    keys = tuple(aliases[key] for key in df.key)
    return run_by_key(task.of_groups, [rows], keys)


def _bundled(df: BoundTable, aliases: dict[str, str]) -> "DataFrame":
    """The columns by the names that the workers know, the rows of a group in one partition."""
    from pyspark.sql import functions as F

    kinds = {name: type_of(df, name) for name in aliases}
    rows = df.df.select(*(column(df, name, "columns").alias(aliases[name]) for name in aliases))
    if not df.key:
        # A row of nulls changes no answer, and one is asked for even where the table is empty.
        nulls = [F.lit(None).cast(kind).alias(aliases[name]) for name, kind in kinds.items()]
        rows = rows.union(rows.sparkSession.range(1, numPartitions=1).select(*nulls))
    wanted = {name: F.col(name) for name in aliases.values()}
    return bundle_rows(rows, wanted, [aliases[key] for key in df.key])


def _by_window(df: BoundTable, order: Sequence[str], others: Sequence[str] | None) -> "DataFrame":
    """Rank the rows of each group from the last on, and keep the first rank."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    terms = [name_of(name).desc_nulls_last() for name in (*order, *(others or ()))]
    window = Window.partitionBy(*map(name_of, df.key)).orderBy(*terms)
    place = unused(df.names, "place")
    ranked = df.df.withColumn(place, (F.rank() if others is None else F.row_number()).over(window))
    return ranked.where(F.col(place) == 1).drop(place)


def _by_join(df: BoundTable, order: Sequence[str], others: Sequence[str] | None) -> "DataFrame":
    """Join the table with the greatest order of each group."""
    from pyspark.sql import functions as F

    aliases = {name: unused(df.names, f"last_{i}") for i, name in enumerate((*df.key, *order))}
    groups = [name_of(key).alias(aliases[key]) for key in df.key]
    greatest = unused(df.names, "greatest")
    lasts = df.df.groupBy(*groups).agg(_greatest(order).alias(greatest))
    found = [F.col(greatest)] if len(order) == 1 else _fields(greatest, order)
    lasts = lasts.select(
        *(aliases[key] for key in df.key),
        *(value.alias(aliases[name]) for name, value in zip(order, found, strict=True)),
    )
    # Nulls are equal here, so that no group is lost.
    same = [name_of(name).eqNullSafe(F.col(aliases[name])) for name in (*df.key, *order)]
    rows = df.df.join(lasts, reduce(lambda a, b: a & b, same), "left_semi")
    return rows if others is None else _by_aggregate(df.with_rows(rows), order, others)


def _by_aggregate(
    df: BoundTable, order: Sequence[str], others: Sequence[str] | None
) -> "DataFrame":
    """Keep the greatest row of each group: structs compare field by field."""
    from pyspark.sql import functions as F

    aliases = {key: unused(df.names, f"key_{i}") for i, key in enumerate(df.key)}
    row, names = unused(df.names, "row"), (*order, *(others or ()))
    groups = [name_of(key).alias(aliases[key]) for key in df.key]
    lasts = df.df.groupBy(*groups).agg(F.max(_struct(names)).alias(row))
    found = dict(zip(names, _fields(row, names), strict=True))
    found |= {key: F.col(aliases[key]) for key in df.key}
    return lasts.select(*(found[name].alias(name) for name in df.names))


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
