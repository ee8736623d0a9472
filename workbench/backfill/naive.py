"""A backfill as the SQL of the article does it: join each query with its events, and group."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from kernels.structures.instants import MOST
from workbench.backfill.bind import BoundFeature, Plan
from workbench.backfill.instants import begin_of_hop, earlier, later
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import (
    AGGREGATE,
    COUNT,
    COUNT_DISTINCT,
    EXACT_SUM,
    LAST,
    LIKE_SUM,
    NTH,
    QUANTILE,
    ROW,
    TIMES,
    kind_of,
)
from workbench.spark.exact_sums import exact_aggregate
from workbench.spark.micros import micros
from workbench.spark.percentiles import percentile
from workbench.spark.table import column
from workbench.spark.types import has_order

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The columns of the joined table with a query's time, an event's arrival, and its bucket.
QUERY_TIME, ARRIVAL, BUCKET = "__asked__", "__known__", "__bucket__"
#: Why a function is refused: Spark SQL lacks it as an aggregate, or gives another answer.
WITHOUT_SQL = "Spark's SQL has no such aggregate with the same answer"
#: Families whose function in Spark is an aggregate with the same meaning.
SAME_IN_SQL = (COUNT, EXACT_SUM, AGGREGATE, ROW)


def naive(plan: Plan, arrived: str | None = None) -> "DataFrame":
    """Return every query with its features, by a join on the key and the times.

    Parameters
    ----------
    plan : Plan
    arrived : str, optional
        The events' column of arrival times: only queries from then on see an event.

    Returns
    -------
    pyspark.sql.DataFrame

    Notes
    -----
    O(queries · events of a key within the longest window). Queries with the same key and time are
    answered once.

    Source: Zipline, "Window Tiling Algorithm": the join of queries and events.
    """
    from pyspark.sql import functions as F

    wire = plan.wire
    keys = wire.task.keys
    event_columns = [value.alias(name) for name, value in wire.events.items()]
    arrival = plan.backfill.time if arrived is None else arrived
    event_columns.append(
        micros(plan.events, arrival, column(plan.events, arrival, "arrived")).alias(ARRIVAL)
    )
    events = plan.events.df.select(*event_columns)
    events = events.withColumn(TIME, micros(plan.events, plan.backfill.time, F.col(TIME)))
    query_time = column(plan.queries, plan.backfill.query_time, "query_time")
    query_time = micros(plan.queries, plan.backfill.query_time, query_time)
    query_keys = [wire.queries[name].alias(f"q{name}") for name in keys]
    query_times = plan.queries.df.select(*query_keys, query_time.alias(QUERY_TIME)).distinct()
    joined = query_times.join(events, _sees_event(plan, keys, arrived is not None))
    query_key = [*(f"q{name}" for name in keys), QUERY_TIME]
    found = _answers(plan, joined, query_key, wire.task.features)
    # Aliases, as a query may have a column of any name.
    aliased = [wire.queries[name].alias(name) for _, name in wire.task.columns]
    queries = plan.queries.df.select(*aliased, *query_keys, query_time.alias(QUERY_TIME))
    query_columns = [F.col(name).alias(own) for own, name in wire.task.columns]
    features = [_feature_column(one, i) for i, one in enumerate(plan.features)]
    return queries.join(found, query_key, "left").select(*query_columns, *features)


def _sees_event(plan: Plan, keys: Sequence[str], by_arrival: bool) -> "Column":
    from pyspark.sql import functions as F

    same = [F.col(f"q{name}") == F.col(name) for name in keys]
    same.append(
        F.col(TIME) < later(F.col(QUERY_TIME), max(one.span.ahead for one in plan.features))
    )
    if by_arrival:
        same.append(F.col(ARRIVAL) <= F.col(QUERY_TIME))
    # A window as long as all times has no bound.
    if plan.extent is not None and plan.extent <= MOST:
        same.append(F.col(TIME) >= earlier(F.col(QUERY_TIME), plan.extent))
    return reduce(lambda a, b: a & b, same)


def _answers(
    plan: Plan, joined: "DataFrame", query_key: Sequence[str], features: Sequence[Feature]
) -> "DataFrame":
    """Return a row for each query that sees an event, with columns f0, f1, ... for the features."""
    from pyspark.sql import functions as F

    pairs = list(zip(plan.features, features, strict=True))
    plain = [
        _aggregate(one, call, plan.has_validity).alias(f"f{i}")
        for i, (one, call) in enumerate(pairs)
        if one.by is None
    ]
    found = joined.groupBy(*query_key).agg(*(plain or [F.count(F.lit(1)).alias(BUCKET)]))
    # Features of the same buckets share a join, as each join repeats that of queries and events.
    for by in dict.fromkeys(feature.by for _, feature in pairs if feature.by is not None):
        of_buckets = {i: pair for i, pair in enumerate(pairs) if pair[1].by == by}
        maps = _maps(joined, query_key, by, of_buckets, plan.has_validity)
        found = found.join(maps, list(query_key), "left")
    return found


def _maps(
    joined: "DataFrame",
    query_key: Sequence[str],
    by: str,
    pairs: "Mapping[int, tuple[BoundFeature, Feature]]",
    has_validity: bool,
) -> "DataFrame":
    """Return features by the values of one column of buckets, null where no event counts."""
    from pyspark.sql import functions as F

    values, maps = [], []
    for i, (one, feature) in pairs.items():
        values.append(_aggregate(one, feature, has_validity).alias(f"f{i}"))
        values.append(F.bool_or(_counted(one, feature, has_validity)).alias(f"any{i}"))
        entry = F.struct(F.col(BUCKET), F.col(f"f{i}").alias("value"))
        entries = F.array_sort(F.collect_list(F.when(F.col(f"any{i}"), entry)))
        some = F.bool_or(f"any{i}")
        maps.append(F.when(some, F.map_from_entries(entries)).alias(f"f{i}"))
    seen = joined.where(F.col(by).isNotNull())
    each = seen.groupBy(*query_key, F.col(by).alias(BUCKET)).agg(*values)
    return each.groupBy(*query_key).agg(*maps)


def _in_window(span: Span, has_validity: bool) -> "Column":
    from pyspark.sql import functions as F

    time, query_time = F.col(TIME), F.col(QUERY_TIME)
    window_end = begin_of_hop(later(query_time, span.ahead), span.last_hop)
    inside = time < window_end
    if has_validity:
        end = F.col(VALID_TO)
        # An interval that ends with the last instant has no end.
        not_ended = (window_end < end) | (end == F.lit(MOST))
        inside = inside & (F.col(VALID_FROM) <= window_end) & not_ended
    if span.window is not None:
        inside = inside & (time >= begin_of_hop(earlier(query_time, span.window), span.hop))
    return inside


def _counted(one: BoundFeature, feature: Feature, has_validity: bool) -> "Column":
    from pyspark.sql import functions as F

    counts = _in_window(one.span, has_validity)
    if feature.call.where is not None:
        counts = counts & F.coalesce(F.col(feature.call.where), F.lit(False))
    for name in feature.call.without_null:
        counts = counts & F.col(name).isNotNull()
    return counts


def _aggregate(one: BoundFeature, feature: Feature, has_validity: bool) -> "Column":
    from pyspark.sql import functions as F

    info, options = feature.call.info, feature.call.options
    counts = _counted(one, feature, has_validity)
    values = [F.col(argument) for argument in feature.call.arguments]
    if info.family == NTH and info.picks_row:
        # Ties in time are broken by the order of the values.
        if not has_order(one.resolved.kinds[0]):
            raise WorkbenchError(
                f"{one.name}: method='naive' cannot answer {one.resolved.function!r}, as Spark has "
                f"no order of {one.resolved.kinds[0].simpleString()}; take another method."
            )
        pick: Callable[..., Column] = F.max_by if info.keeps == LAST else F.min_by
        return pick(values[0], F.when(counts, F.struct(F.col(TIME), values[0])))
    exactly = info.family == EXACT_SUM and not options.distinct
    if exactly and kind_of(one.resolved.kinds[0]) != "float":
        return exact_aggregate(
            feature.call.function, one.name, F.when(counts, values[0]), one.resolved.kinds[0]
        )
    if one.resolved.answer.typeName() == "double" and info.gives != LIKE_SUM:
        values = [value.cast("double") for value in values]
    values = [F.when(counts, value) for value in values]
    numbers = not one.resolved.kinds or kind_of(one.resolved.kinds[0]) not in TIMES
    if info.family == QUANTILE and numbers and not options.distinct:
        return percentile(values[0], options.q, options.single)
    if info.family == COUNT:
        return F.count(values[0] if values else F.when(counts, F.lit(1)))
    if info.family == COUNT_DISTINCT and not info.keeps_n:
        return F.count_distinct(values[0])
    if info.family not in SAME_IN_SQL or not info.spark or options.distinct:
        raise WorkbenchError(
            f"{one.name}: method='naive' cannot answer {one.resolved.function!r}, as "
            f"{WITHOUT_SQL}; take another method."
        )
    function: Callable[..., Any] = getattr(F, info.spark)
    aggregate: Column = function(*values)
    return aggregate


def _feature_column(one: BoundFeature, i: int) -> "Column":
    from pyspark.sql import functions as F

    value = F.col(f"f{i}")
    counted = one.resolved.function.info.family in (COUNT, COUNT_DISTINCT) and one.by is None
    return (F.coalesce(value, F.lit(0)) if counted else value).alias(one.name)
