"""A backfill bound to its two tables: columns found, types checked, before a job starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from workbench.backfill.aggregation import Aggregation, Window
from workbench.backfill.checks import check_bucket, check_hop, check_sides, check_windows
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import BUNDLE, PARTITION
from workbench.columnar.subpartitions import SubpartitionTask, subpartitions_of
from workbench.engine.block import Call
from workbench.spark.shuffle import instants_of, numbered, shuffle_partitions, with_partition
from workbench.spark.table import column, has_hash, is_integer_time
from workbench.windows.bind import Resolved, check_kinds, resolve

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

    from workbench.backfill.spec import BackfillSpec

#: The number of a value among all that one task sends.
MADE = "__made__"


@dataclass(frozen=True)
class BoundFeature:
    """One column of the result, bound to the events.

    Attributes
    ----------
    aggregation : Aggregation
    window : str, timedelta, int or None
    span : Span
    resolved : Resolved
        The function with its arguments and types.
    """

    aggregation: Aggregation
    window: Window
    span: Span
    resolved: Resolved

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.resolved.column

    @property
    def by(self) -> str | None:
        """The events' column of buckets."""
        return self.aggregation.by


@dataclass(frozen=True)
class Plan:
    """A backfill and the tables that it is about.

    Attributes
    ----------
    backfill : BackfillSpec
    queries, events : pyspark.sql.DataFrame
    features : tuple of BoundFeature
    """

    backfill: "BackfillSpec"
    queries: "DataFrame"
    events: "DataFrame"
    features: tuple[BoundFeature, ...]

    @property
    def integer_time(self) -> bool:
        """Whether times are integers."""
        return is_integer_time(self.events, self.backfill.time)

    @property
    def alive(self) -> bool:
        """Whether events have a life, and count while it lasts."""
        return False

    @property
    def reach(self) -> int | None:
        """How far before a query an event may be and still count, None without a bound."""
        if any(one.span.window is None for one in self.features):
            return None
        return max((one.span.window or 0) + one.span.hop for one in self.features)

    @property
    def schema(self) -> "StructType":
        """The columns of the result: those of the queries, and the features."""
        from pyspark.sql.types import StructField, StructType

        added = [StructField(one.name, self.type_of(one)) for one in self.features]
        return StructType([*self.queries.schema.fields, *added])

    def type_of(self, one: BoundFeature) -> "DataType":
        """Return the type of a column of the result."""
        from pyspark.sql.types import MapType

        if one.by is None:
            return one.resolved.answer
        return MapType(self.events.schema[one.by].dataType, one.resolved.answer)


def bind(backfill: "BackfillSpec", queries: "DataFrame", events: "DataFrame") -> Plan:
    """Bind a backfill to its tables.

    Raises
    ------
    WorkbenchError
        When a column is missing or has a type that cannot be used so.
    """
    check_sides(backfill, queries, events)
    integers = is_integer_time(events, backfill.time)
    check_windows(backfill, integers)
    found = []
    for aggregation in backfill.aggregations:
        functions = dict.fromkeys(aggregation.names, aggregation.function)
        resolved = {one.column: one for one in resolve(events, functions, None, ())}
        if aggregation.by is not None:
            check_bucket(events, aggregation.by)
        for window in aggregation.windows:
            span = backfill.span(aggregation, window, integers)
            check_hop(backfill, aggregation, window, span)
            found.append(
                BoundFeature(aggregation, window, span, resolved[aggregation.name(window)])
            )
    return Plan(backfill, queries, events, tuple(found))


@dataclass(frozen=True)
class Wire:
    """What goes to the workers: columns of both tables by the names that they have there."""

    queries: "dict[str, Column]"
    events: "dict[str, Column]"
    task: BackfillTask


@dataclass(frozen=True)
class Work:
    """A method's plan up to its last step, and what this does with the rows that meet there.

    Attributes
    ----------
    plan : Plan
    bundles : pyspark.sql.DataFrame
        Behind the shuffle.
    task : BackfillTask
    """

    plan: Plan
    bundles: "DataFrame"
    task: BackfillTask

    def answers(self) -> "DataFrame":
        """Return every query with its features."""
        return self.bundles.mapInArrow(self.task.run, self.plan.schema)


def sent(plan: Plan) -> Wire:
    """Return the columns that the workers get of both tables, and what they do with them."""
    backfill = plan.backfill
    keys = {f"k{i}": name for i, name in enumerate(backfill.key)}
    queries = {held: column(plan.queries, name, "key") for held, name in keys.items()}
    queries |= {TIME: instants_of(plan.queries, backfill.query_time)}
    back = {name: f"c{i}" for i, name in enumerate(plan.queries.columns)}
    queries |= {held: column(plan.queries, name, "queries") for name, held in back.items()}
    events = {held: column(plan.events, name, "key") for held, name in keys.items()}
    events |= {TIME: instants_of(plan.events, backfill.time)}
    if plan.alive:
        events |= {name: column(plan.events, name, "events") for name in (VALID_FROM, VALID_TO)}
    features = tuple(_feature(plan, one, events) for one in plan.features)
    rows = plan.events.select(*events.values())
    kinds = zip(events, (field.dataType for field in rows.schema.fields), strict=True)
    schema = pa.schema([(name, arrow_type(plan.events, kind)) for name, kind in kinds])
    return Wire(queries, events, BackfillTask(tuple(back.items()), tuple(keys), features, schema))


def bundles(
    plan: Plan,
    wanted: "dict[str, Column]",
    keys: Sequence[str],
    queries: bool,
    present: Sequence[str] | None = None,
) -> "DataFrame":
    """Return one of the two tables in bundles, with the number of the partition of each.

    Events in which one of the columns ``present`` is null stay behind: key and time, if not named.
    """
    from pyspark.sql import functions as F

    df = plan.queries if queries else plan.events
    wanted = wanted | {QUERY: F.lit(True)} if queries else wanted
    rows, number = numbered(df, wanted)
    needed = (*keys, TIME) if present is None else present
    for name in () if queries else needed:
        rows = rows.where(F.col(number[name]).isNotNull())
    places = places_of(df)
    if queries:
        goes = with_place(rows, plan, keys, number)
    else:
        goes = with_partition(rows, [number[name] for name in keys], places)
    task = SubpartitionTask((*wanted, PARTITION), tuple(keys), places)
    return goes.mapInArrow(task.run, f"{PARTITION} int, {BUNDLE} binary")


def with_place(
    rows: "DataFrame", plan: Plan, keys: Sequence[str], number: "Mapping[str, str]"
) -> "DataFrame":
    """Return queries with the number of the place that each goes to: that of its key.

    Without key or time a query sees no event, so any place can give it back, and there may be many
    of them: each goes by all that it holds. So it goes the same way whenever Spark sends it again.
    """
    from pyspark.sql import functions as F

    places = places_of(plan.queries)
    goes = with_partition(rows, [number[name] for name in keys], places)
    lacks = reduce(or_, (F.col(number[name]).isNull() for name in (*keys, TIME)))
    fields = enumerate(plan.queries.schema.fields)
    holds = [number[f"c{i}"] for i, field in fields if has_hash(field.dataType)]
    anywhere = F.pmod(F.hash(*holds), F.lit(places))
    return goes.withColumn(PARTITION, F.when(lacks, anywhere).otherwise(F.col(PARTITION)))


def places_of(df: "DataFrame") -> int:
    """Return how many places there are for keys: the subpartitions of a shuffle."""
    partitions = shuffle_partitions(df)
    return partitions * subpartitions_of(partitions)


def gathered_by_place(bundled: "DataFrame") -> "DataFrame":
    """Return bundles, each in the partition of its place, and there in their order."""
    from pyspark.sql import functions as F

    partitions = shuffle_partitions(bundled)
    to = F.pmod(F.col(PARTITION), F.lit(partitions))
    # The values of a bundle follow each other in the order in which they were made.
    made = bundled.withColumn(MADE, F.monotonically_increasing_id())
    together = made.repartitionById(partitions, to).sortWithinPartitions(PARTITION, MADE)
    return together.select(PARTITION, BUNDLE)


def arrow_type(df: "DataFrame", kind: "DataType") -> pa.DataType:
    """Return how Arrow calls a type of Spark, where the workers of a table's session get it."""
    from pyspark.sql.pandas.types import to_arrow_type

    zone = df.sparkSession.conf.get("spark.sql.session.timeZone")
    return to_arrow_type(kind, timezone=zone)


def _feature(plan: Plan, one: BoundFeature, events: "dict[str, Column]") -> Feature:
    add = _Adding(plan.events, events)
    resolved = one.resolved
    check_kinds(resolved)
    given = zip(resolved.function.arguments, resolved.arguments, strict=True)
    call = Call(
        one.name,
        resolved.function.name,
        tuple(add(argument, value) for argument, value in given),
        resolved.function.options,
        cast(Any, one.span),
        None if resolved.where is None else add(None, resolved.where),
    )
    by = None if one.by is None else add(one.by, column(plan.events, one.by, "by"))
    return Feature(call, arrow_type(plan.events, plan.type_of(one)), by)


@dataclass(frozen=True)
class _Adding:
    """Takes columns of the events along, each once."""

    df: "DataFrame"
    wanted: "dict[str, Column]"

    def __call__(self, given: Any, value: "Column") -> str:
        if isinstance(given, str):
            name = f"c{self.df.columns.index(given)}"
        else:
            # Columns have no equality of their own: the same one twice is the same object.
            known = (name for name, other in self.wanted.items() if other is value)
            name = next(known, f"x{len(self.wanted)}")
        self.wanted.setdefault(name, value)
        return name
