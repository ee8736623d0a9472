"""Fetches the queries of a key, and the events before one of them, for inspection."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from kernels.structures.instants import LEAST
from workbench.backfill.bind import Plan
from workbench.backfill.inspect.origin import NUMBER, Key, OneQuery
from workbench.columnar.blocks import TIME
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.zones import readable_type
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected, in_one_sentence
from workbench.spark.micros import micros
from workbench.spark.names import nearest, unused
from workbench.spark.one_key import check_value, first_rows, has_key, key_values, literal
from workbench.spark.table import column

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, Row

MOST_EVENTS, MOST_KEYS, MOST_QUERIES = 50_000, 200, 1_000


@in_one_sentence()
def fetch_query(
    plan: Plan, key: Any, time: Any = None, micro: int | None = None, most: int = MOST_EVENTS
) -> OneQuery:
    """Fetch a query and the newest events before it.

    Parameters
    ----------
    plan : Plan
    key : value, or tuple of values when the key has several columns
    time : value, optional
        The time of the query, a value of its column's type. By default ``micro`` or the last one.
    micro : int, optional
        The time of the query in the kernels' integers.
    most : int
        The most events that are fetched.

    Returns
    -------
    OneQuery

    Raises
    ------
    WorkbenchError
        When no query has this key and time.
    """
    from pyspark.sql import functions as F

    backfill = plan.backfill
    if time is not None:
        check_value(plan.queries, backfill.query_time, time, "time")
    queries, number = rows_of_key(plan, key, queries=True)
    if time is not None or micro is not None:
        query_time = column(plan.queries, backfill.query_time, "query_time")
        queries = queries.where(
            query_time == literal(time) if micro is None else number == F.lit(micro)
        )
    found = first_rows(queries, [number.desc()], plan.wire.queries, 0)
    if not len(found):
        shown = "" if time is None else f" at {time}"
        raise WorkbenchError(f"key: no query has the key {key!r}{shown}; give one that exists.")
    query = int(instants(as_array(found.column(TIME)))[0])
    visible, at = rows_of_key(plan, key, queries=False)
    visible = visible.where(at < F.lit(query))
    if plan.extent is not None:
        visible = visible.where(at >= F.lit(max(query - plan.extent, LEAST)))
    return one_query(plan, found, first_rows(visible, [at.desc()], plan.wire.events, most), most)


def rows_of_key(plan: Plan, key: Any, queries: bool) -> "tuple[DataFrame, Column]":
    """Return the rows of a key that have a time, from one of the tables, and their time as integer.

    Parameters
    ----------
    plan : Plan
    key : value, or tuple of values when the key has several columns
    queries : bool
        Whether to return queries, and not events.

    Returns
    -------
    rows : pyspark.sql.DataFrame
    time : pyspark.sql.Column
        In the kernels' integers.
    """
    table, backfill = (plan.queries if queries else plan.events), plan.backfill
    name = backfill.query_time if queries else backfill.time
    time = column(table, name, "query_time" if queries else "time")
    rows_with_key = table.df.where(_is_key(plan, key_values(key, backfill.key), queries))
    return rows_with_key.where(time.isNotNull()), micros(table, name, time)


def one_query(plan: Plan, query: "pa.Table", events: "pa.Table", most: int) -> OneQuery:
    """Return a query with the events before it.

    Parameters
    ----------
    plan : Plan
    query : pyarrow.Table
        One row with the workers' columns.
    events : pyarrow.Table
        The newest first; one more than ``most`` if there are more.
    most : int

    Returns
    -------
    OneQuery
    """
    task = plan.wire.task
    features = (replace(one, kind=readable_type(one.kind)) for one in task.features)
    task = replace(task, features=tuple(features), schema=events.schema)
    if len(events) <= most:
        return OneQuery(task, query, events)
    # Some of the events at the oldest time may be missing.
    return OneQuery(task, query, events, int(instants(as_array(events.column(TIME))).min()) + 1)


@in_one_sentence()
def keys_with_queries(plan: Plan, first: Any = None) -> list[tuple[Key, int]]:
    """Return the keys with the most queries, and the number of queries of each.

    Parameters
    ----------
    plan : Plan
    first : value, or tuple of values, optional
        A key to return before the others.

    Returns
    -------
    list of (tuple, int)
        At most :data:`MOST_KEYS`, without null keys, which see no events.

    Raises
    ------
    WorkbenchError
        When no query has a key and a time, or no query has the first key.
    """
    from pyspark.sql import functions as F

    names = plan.backfill.key
    chosen = [] if first is None else [_is_key(plan, key_values(first, names), queries=True)]
    keys = [column(plan.queries, name, "key") for name in names]
    needed = [*keys, column(plan.queries, plan.backfill.query_time, "query_time")]
    with_key = plan.queries.df.where(
        reduce(lambda a, b: a & b, (one.isNotNull() for one in needed))
    )
    order = [*(F.max(one).desc() for one in chosen), F.count(F.lit(1)).desc(), *keys]
    number = unused(names, NUMBER)
    found = with_key.groupBy(*keys).agg(
        F.count(F.lit(1)).alias(number), *(F.max(c) for c in chosen)
    )
    counts = collected(found.orderBy(*order).limit(MOST_KEYS))
    if not counts:
        raise WorkbenchError("queries: none has both a key and a time, so nothing can be shown.")
    if chosen and not counts[0][-1]:
        raise WorkbenchError(
            f"key: no query has the key {first!r}; {_others(first, counts, len(names))}"
        )
    return [(tuple(row[: len(names)]), row[number]) for row in counts]


def times_of_key(plan: Plan, key: Any) -> list[int]:
    """Return the last query times of a key, sorted, in the kernels' integers."""
    from pyspark.sql import functions as F

    rows_with_key, number = rows_of_key(plan, key, queries=True)
    times = rows_with_key.select(number.alias(NUMBER)).distinct()
    found = collected(times.orderBy(F.col(NUMBER).desc()).limit(MOST_QUERIES))
    return sorted(row[0] for row in found)


def _others(key: Any, counts: "Sequence[Row]", width: int) -> str:
    """Return the end of an error about a key that does not exist: the existing keys."""
    known: list[Any] = [row[0] if width == 1 else tuple(row[:width]) for row in counts]
    if all(isinstance(one, str) for one in known):
        return nearest(key, known)
    return f"there are {', '.join(map(repr, known[:10]))}{' and more' if len(known) > 10 else ''}."


def _is_key(plan: Plan, values: Key, queries: bool) -> "Column":
    table = plan.queries if queries else plan.events
    # A null key may have queries but no events, as it matches nothing.
    return has_key(table, values, null_is_value=queries)
