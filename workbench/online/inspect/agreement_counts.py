"""Counts of equal values and measures of the differences between two tables of features.

Everything is plain Spark SQL over a join of both tables.
"""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from workbench.backfill.inspect.given_types import NUMBERS, GivenTable, read_alike
from workbench.backfill.instants import begin_of_hop
from workbench.columnar.equality import RELATIVE
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected
from workbench.spark.micros import micros
from workbench.spark.table import BoundTable, column, type_of
from workbench.spark.types import INTEGERS

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

    from workbench.backfill.backfill import Backfill

#: The columns of the joined table with the time, its period, and whether each side has a row.
QUERY_TIME, PERIOD, SERVED, ANSWERED = "__asked__", "__period__", "__served__", "__answered__"
#: How two values may compare: the columns of the result.
STATES = ("both_null", "left_null", "right_null", "equal", "different")
#: The percentiles of the difference.
PERCENTILES = {"p05": 0.05, "p50": 0.5, "p95": 0.95}


def joined_rows(
    backfill: "Backfill", view_log: BoundTable, offline: BoundTable, names: Sequence[str]
) -> "DataFrame":
    """Return the full join of logged and offline rows by key and time.

    Parameters
    ----------
    backfill : Backfill
    view_log, offline : BoundTable
    names : sequence of str
        The features.

    Returns
    -------
    pyspark.sql.DataFrame
        Columns ``k0``, ..., the time, ``v0``, ... of the log, and ``o0``, ... of the other table.
    """
    from pyspark.sql import functions as F

    query_columns = {f"k{i}": name for i, name in enumerate(backfill.key)}
    query_columns |= {QUERY_TIME: backfill.query_time}
    left = [
        column(view_log, name, "view_log").alias(alias) for alias, name in query_columns.items()
    ]
    left += [column(view_log, name, "view_log").alias(f"v{i}") for i, name in enumerate(names)]
    right = [
        column(offline, name, "offline").alias(f"r{alias}") for alias, name in query_columns.items()
    ]
    right += [column(offline, name, "offline").alias(f"o{i}") for i, name in enumerate(names)]
    served = view_log.df.select(*left, F.lit(True).alias(SERVED))
    # A backfill gives the queries of one key and time the same answer.
    answered = offline.df.select(*right, F.lit(True).alias(ANSWERED))
    answered = answered.dropDuplicates([f"r{alias}" for alias in query_columns])
    same = [F.col(alias).eqNullSafe(F.col(f"r{alias}")) for alias in query_columns]
    both = served.join(answered, reduce(lambda a, b: a & b, same), "full")
    return both.drop(*(f"r{alias}" for alias in query_columns))


def comparable_tables(
    backfill: "Backfill", view_log: GivenTable, offline: GivenTable
) -> tuple[BoundTable, BoundTable, tuple[str, ...]]:
    """Return both tables with their common features, in types that can be compared.

    Raises
    ------
    WorkbenchError
        When there are no common features, or their types cannot be compared.
    """
    query_columns = (*backfill.key, backfill.query_time)
    sides = (("view_log", view_log.bound), ("offline", offline.bound))
    for side, df in sides:
        for name in query_columns:
            column(df, name, side)
    names = tuple(name for name in backfill.names if name in view_log.bound.names)
    if not names:
        raise WorkbenchError(
            "view_log: the table has none of the backfill's columns, which are "
            f"{', '.join(map(repr, backfill.names))}; rename its columns to these."
        )
    maps = {name for one in backfill.aggregations if one.by is not None for name in one.names}
    chosen: list[tuple[Column, Column]] = []
    for name in (*query_columns, *names):
        column(offline.bound, name, "offline")
        pair = read_alike(view_log, offline, name, name in maps)
        if pair is None:
            ours, theirs = (type_of(df, name).simpleString() for _, df in sides)
            raise WorkbenchError(
                f"offline: {name!r} holds {ours} in the log but {theirs} offline; "
                "cast one of them to the type of the other."
            )
        chosen.append((pair[0].alias(name), pair[1].alias(name)))
    log, other = (
        BoundTable.of(df.df.select(*columns), df.key, df.time, df.side)
        for (_, df), columns in zip(sides, zip(*chosen, strict=True), strict=True)
    )
    return log, other, names


def count_states(
    backfill: "Backfill",
    both: "DataFrame",
    names: Sequence[str],
    view_log: BoundTable,
    period: int | None,
) -> "tuple[pd.DataFrame, int, int]":
    """Return counts of how values compare, by column and period; a null period is all times.

    Parameters
    ----------
    backfill : Backfill
    both : pyspark.sql.DataFrame
        From :func:`joined_rows`.
    names : sequence of str
    view_log : BoundTable
    period : int or None
        The length of a period.

    Returns
    -------
    counted : pandas.DataFrame
    only_served, only_offline : int
        The numbers of rows that only one of the tables has.
    """
    import pandas as pd
    from pyspark.sql import functions as F

    query_time = micros(view_log, backfill.query_time, F.col(QUERY_TIME))
    begin = F.lit(None).cast("long") if period is None else begin_of_hop(query_time, period)
    compared = F.col(SERVED).isNotNull() & F.col(ANSWERED).isNotNull()
    aggregates = [
        F.count_if(compared).alias("rows"),
        F.count_if(F.col(ANSWERED).isNull()).alias(SERVED),
        F.count_if(F.col(SERVED).isNull()).alias(ANSWERED),
    ]
    kinds = [type_of(view_log, name) for name in names]
    for i, kind in enumerate(kinds):
        aggregates += _column_aggregates(i, kind, both.schema[f"o{i}"].dataType, compared)
    rows = both.withColumn(PERIOD, begin)
    grouped = rows.rollup(PERIOD) if period is not None else rows.groupBy(PERIOD)
    whole = F.grouping(PERIOD) == 1 if period is not None else F.lit(True)
    found = collected(grouped.agg(whole.alias("whole"), *aggregates))
    alone = next(((row[SERVED], row[ANSWERED]) for row in found if row["whole"]), (0, 0))
    counted = [
        {"whole": row["whole"], "period": row[PERIOD], "column": name, "rows": row["rows"]}
        | {state: row[f"{state}{i}"] for state in STATES}
        | _measures(row, i)
        for row in found
        if row["rows"]
        for i, name in enumerate(names)
    ]
    columns = ["whole", "period", "column", "rows", *STATES, "smape", *PERCENTILES]
    return pd.DataFrame(counted, columns=columns), *alone


def differing_rows(both: "DataFrame", names: Sequence[str]) -> "DataFrame":
    """Return the rows of both tables in which a value differs."""
    from pyspark.sql import functions as F

    differs = [
        ~same(F.col(f"v{i}"), F.col(f"o{i}"), *(both.schema[f"{a}{i}"].dataType for a in "vo"))
        for i in range(len(names))
    ]
    return both.where(F.col(SERVED) & F.col(ANSWERED) & reduce(lambda a, b: a | b, differs))


def same(a: "Column", b: "Column", kind: "DataType", other: "DataType") -> "Column":
    """Return whether two values are equal, floats up to their last digits; never null."""
    from pyspark.sql import functions as F

    both_null, one_null = a.isNull() & b.isNull(), a.isNull() | b.isNull()
    alike = F.when(one_null, False).otherwise(_alike(a, b, kind, other))
    return both_null | F.coalesce(alike, F.lit(False))


def _alike(a: "Column", b: "Column", kind: "DataType", other: "DataType") -> "Column":
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType

    if isinstance(kind, ArrayType) and isinstance(other, ArrayType):
        inner, theirs = kind.elementType, other.elementType
        pairs = F.zip_with(a, b, lambda x, y: same(x, y, inner, theirs))
        return (F.size(a) == F.size(b)) & F.forall(pairs, lambda one: one)
    if isinstance(kind, MapType) and isinstance(other, MapType):
        keys, others = (F.array_sort(F.map_keys(one)) for one in (a, b))
        value, its = kind.valueType, other.valueType
        return (keys == others) & F.forall(keys, lambda k: same(a[k], b[k], value, its))
    names = kind.typeName(), other.typeName()
    if all(name in NUMBERS for name in names) and not all(name in INTEGERS for name in names):
        x, y = a.cast("double"), b.cast("double")
        near = F.abs(x - y) <= F.lit(RELATIVE) * F.greatest(F.abs(x), F.abs(y))
        return (x == y) | near
    return a == b


def _column_aggregates(
    i: int, kind: "DataType", other: "DataType", compared: "Column"
) -> "list[Column]":
    from pyspark.sql import functions as F

    view, offline = F.col(f"v{i}"), F.col(f"o{i}")
    present = compared & view.isNotNull() & offline.isNotNull()
    equal = present & same(view, offline, kind, other)
    states = {
        "both_null": compared & view.isNull() & offline.isNull(),
        "left_null": compared & view.isNull() & offline.isNotNull(),
        "right_null": compared & view.isNotNull() & offline.isNull(),
        "equal": equal,
        "different": present & ~equal,
    }
    found = [F.count_if(condition).alias(f"{name}{i}") for name, condition in states.items()]
    if kind.typeName() not in NUMBERS:
        return found
    x, y = view.cast("double"), offline.cast("double")
    size = F.abs(x) + F.abs(y)
    share = F.when(equal, 0.0).when(present, 200 * F.abs(x - y) / size)
    percentiles = F.array(*map(F.lit, PERCENTILES.values()))
    return [
        *found,
        F.avg(F.when(~F.isnan(share), share)).alias(f"smape{i}"),
        F.percentile(F.when(present, x - y), percentiles).alias(f"percentiles{i}"),
    ]


def _measures(row: Any, i: int) -> dict[str, float | None]:
    known = row.asDict()
    percentiles = known.get(f"percentiles{i}") or [None] * len(PERCENTILES)
    return {"smape": known.get(f"smape{i}"), **dict(zip(PERCENTILES, percentiles, strict=True))}
