"""A backfill bound to its two tables: columns resolved and types checked, before a job starts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from workbench.backfill.aggregation import Aggregation, Window
from workbench.backfill.checks import (
    check_bucket,
    check_compared,
    check_hop,
    check_sides,
    check_windows,
)
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.backfill.worker.task import QUERY, BackfillTask
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.columnar.bundles import BUNDLE, PARTITION
from workbench.columnar.subpartitions import SubpartitionTask, subpartitions_of
from workbench.engine.block import Call
from workbench.spark.in_driver import ZONE
from workbench.spark.partitions import Shuffle, set_partitions, shuffle_of
from workbench.spark.shuffle import (
    Carried,
    bundled,
    numbered,
    repartitioned,
    with_partition,
    without_null,
)
from workbench.spark.sources.small_tables import source
from workbench.spark.steps import named_task
from workbench.spark.table import BoundTable, column, type_of
from workbench.spark.types import has_hash
from workbench.windows.bind import Resolved, check_kinds, resolve

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Observation
    from pyspark.sql.types import DataType, StructType

    from workbench.backfill.spec import BackfillSpec
    from workbench.spark.sources.given import TableLike

#: The column with the number of each value among all that a task sends.
SEND_ORDER = "__made__"


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
    """A backfill and its tables.

    Attributes
    ----------
    backfill : BackfillSpec
    queries, events : BoundTable
    features : tuple of BoundFeature
    shuffled : tuple of str
        Which of the two tables go through the shuffle.
    """

    backfill: "BackfillSpec"
    queries: BoundTable
    events: BoundTable
    features: tuple[BoundFeature, ...]
    shuffled: tuple[str, ...] = field(default=("queries", "events"), kw_only=True)

    @property
    def integer_time(self) -> bool:
        """Whether times are integers."""
        return self.events.integer_time

    @property
    def in_driver(self) -> bool:
        """Whether this process holds both tables, so that ``auto`` answers in it."""
        return self.queries.held is not None and self.events.held is not None

    @property
    def has_validity(self) -> bool:
        """Whether events have validity intervals, and count only within them."""
        return False

    @property
    def extent(self) -> int | None:
        """The most that an event may be before a query and still count; None without a bound."""
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
        return MapType(type_of(self.events, one.by), one.resolved.answer)

    @cached_property
    def wire(self) -> "Wire":
        """The columns that go to the workers, and the task that runs there."""
        return _wire(self)

    @cached_property
    def shuffle(self) -> Shuffle:
        """The shuffle of the tables: its partitions and their order."""
        columns = {"queries": self.wire.queries, "events": self.wire.events}
        tables = {"queries": self.queries, "events": self.events}
        sides = (numbered(tables[side].df, columns[side]) for side in self.shuffled)
        return shuffle_of(*(rows for rows, _ in sides))

    @property
    def partitions(self) -> int:
        """The number of the shuffle's partitions."""
        return self.shuffle.partitions

    @property
    def set_partitions(self) -> int:
        """The number of shuffle partitions in Spark's configuration."""
        return set_partitions(self.queries.without_rows.sparkSession)

    @property
    def subpartitions(self) -> int:
        """The number of subpartitions of the shuffle, to which keys are hashed."""
        return self.partitions * subpartitions_of(self.partitions)

    @cached_property
    def _zone(self) -> str | None:
        return self.events.without_rows.sparkSession.conf.get(ZONE)

    def arrow_type(self, kind: "DataType") -> pa.DataType:
        """Return the Arrow type by which the workers get a type of Spark."""
        from pyspark.sql.pandas.types import to_arrow_type

        return to_arrow_type(kind, timezone=self._zone)


def bind(
    backfill: "BackfillSpec", queries: "TableLike", events: "TableLike", side: str = "queries"
) -> Plan:
    """Bind a backfill to its tables.

    Parameters
    ----------
    backfill : BackfillSpec
    queries, events : TableLike
    side : str
        What errors call the queries.

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    query_source = source(queries, "queries")
    bound_queries = BoundTable.of(query_source, backfill.key, backfill.query_time, side)
    return bind_tables(backfill, bound_queries, bind_events(backfill, events))


def bind_events(backfill: "BackfillSpec", events: "TableLike") -> BoundTable:
    """Bind a backfill to its events alone, without a check of their columns."""
    return BoundTable.of(source(events), backfill.key, backfill.time, "events")


def bind_tables(backfill: "BackfillSpec", queries: BoundTable, events: BoundTable) -> Plan:
    """Bind a backfill to tables that are bound already.

    Raises
    ------
    WorkbenchError
        When a column is missing or has an unsupported type.
    """
    check_sides(backfill, queries, events)
    integers = events.integer_time
    check_windows(backfill, integers)
    features = []
    for aggregation in backfill.aggregations:
        functions = dict.fromkeys(aggregation.names, aggregation.function)
        resolved = {one.column: one for one in resolve(events, functions, None, ())}
        check_compared(aggregation, next(iter(resolved.values())).kinds)
        if aggregation.by is not None:
            check_bucket(events, aggregation.by)
        for window in aggregation.windows:
            span = backfill.span(aggregation, window, integers)
            check_hop(aggregation, window, span)
            features.append(
                BoundFeature(aggregation, window, span, resolved[aggregation.name(window)])
            )
    return Plan(backfill, queries, events, tuple(features))


@dataclass(frozen=True)
class Wire:
    """The columns of both tables, by the names that the workers use, and the workers' task."""

    queries: "dict[str, Column]"
    events: "dict[str, Column]"
    task: BackfillTask


@dataclass(frozen=True)
class Work:
    """A method's plan up to its last step, and the task of that step.

    Attributes
    ----------
    plan : Plan
    bundles : pyspark.sql.DataFrame
        The rows after the shuffle.
    task : BackfillTask
    """

    plan: Plan
    bundles: "DataFrame"
    task: BackfillTask

    def answers(self) -> "DataFrame":
        """Return every query with its features."""
        return self.bundles.mapInArrow(
            named_task("backfill kernel", self.task.run), self.plan.schema
        )


def _wire(plan: Plan) -> Wire:
    keys = {f"k{i}": name for i, name in enumerate(plan.backfill.key)}
    back = {name: f"c{i}" for i, name in enumerate(plan.queries.names)}
    queries = {alias: column(plan.queries, name, "key") for alias, name in keys.items()}
    queries |= {TIME: plan.queries.instants}
    queries |= {alias: column(plan.queries, name, "queries") for name, alias in back.items()}
    events = {alias: column(plan.events, name, "key") for alias, name in keys.items()}
    carried = Carried(plan.events, events | {TIME: plan.events.instants})
    if plan.has_validity:
        ends = VALID_FROM, VALID_TO
        carried.wanted |= {name: column(plan.events, name, "events") for name in ends}
    features = tuple(_feature(plan, one, carried) for one in plan.features)
    rows = plan.events.without_rows.select(*carried.wanted.values())
    kinds = zip(carried.wanted, (field.dataType for field in rows.schema.fields), strict=True)
    schema = pa.schema([(name, plan.arrow_type(kind)) for name, kind in kinds])
    task = BackfillTask(tuple(back.items()), tuple(keys), features, schema)
    return Wire(queries, carried.wanted, task)


def routed_rows(
    plan: Plan,
    wanted: "dict[str, Column]",
    keys: Sequence[str],
    queries: bool,
    present: Sequence[str] | None = None,
) -> "tuple[tuple[str, ...], DataFrame]":
    """Return the columns of one of the two tables, and its rows with their subpartitions.

    Events in which one of the columns ``present`` (by default key and time) is null are left out.
    """
    from pyspark.sql import functions as F

    if queries:
        wanted = wanted | {QUERY: F.lit(True)}
        rows, number = numbered(plan.queries.df, wanted)
        routed = with_subpartition(rows, plan, keys, number)
    else:
        rows, number = numbered(plan.events.df, wanted)
        needed = (*keys, TIME) if present is None else present
        rows = without_null(rows, [number[name] for name in needed])
        routed = with_partition(rows, [number[name] for name in keys], plan.subpartitions)
    return (*wanted, PARTITION), routed


def bundles(
    plan: Plan,
    wanted: "dict[str, Column]",
    keys: Sequence[str],
    queries: bool,
    present: Sequence[str] | None = None,
    skipped: "Observation | None" = None,
) -> "DataFrame":
    """Return one of the two tables in bundles; see :func:`routed_rows`.

    ``skipped`` counts the events that are left out.
    """
    needed = (*keys, TIME) if present is None else tuple(present)
    counted_columns = () if skipped is None else needed
    columns, routed = routed_rows(plan, wanted, keys, queries, () if counted_columns else needed)
    settings = columns, tuple(keys), plan.subpartitions
    task = SubpartitionTask(*settings, hashed=plan.shuffle.hashed, present=counted_columns)
    return bundled(routed, task, skipped=skipped)


def with_subpartition(
    rows: "DataFrame", plan: Plan, keys: Sequence[str], number: "Mapping[str, str]"
) -> "DataFrame":
    """Return queries with the number of their subpartition, which is that of their key.

    A query without key or time sees no event, so any subpartition can return it. As there may be
    many, they are spread by a hash of all their columns, which is the same if Spark retries.
    """
    from pyspark.sql import functions as F

    routed = with_partition(rows, [number[name] for name in keys], plan.subpartitions)
    lacks_key_or_time = reduce(or_, (F.col(number[name]).isNull() for name in (*keys, TIME)))
    fields = enumerate(plan.queries.schema.fields)
    hashable = [number[f"c{i}"] for i, field in fields if has_hash(field.dataType)]
    any_subpartition = F.pmod(F.hash(*hashable), F.lit(plan.subpartitions))
    return routed.withColumn(
        PARTITION, F.when(lacks_key_or_time, any_subpartition).otherwise(F.col(PARTITION))
    )


def gathered_by_subpartition(plan: Plan, values: "DataFrame") -> "DataFrame":
    """Return bundles in the partitions of their subpartitions, and there in their order."""
    from pyspark.sql import functions as F

    # The values of a bundle have to stay in the order in which they were sent.
    numbered_values = values.withColumn(SEND_ORDER, F.monotonically_increasing_id())
    together = repartitioned(numbered_values, plan.shuffle)
    return together.sortWithinPartitions(PARTITION, SEND_ORDER).select(PARTITION, BUNDLE)


def _feature(plan: Plan, one: BoundFeature, carried: Carried) -> Feature:
    resolved = one.resolved
    check_kinds(resolved, "events")
    given = zip(resolved.function.arguments, resolved.arguments, strict=True)
    call = Call(
        one.name,
        resolved.function.name,
        tuple(carried.add(argument, value) for argument, value in given),
        resolved.function.options,
        cast(Any, one.span),
        None if resolved.where is None else carried.add(None, resolved.where),
    )
    by = None if one.by is None else carried.add(one.by, column(plan.events, one.by, "by"))
    return Feature(call, plan.arrow_type(plan.type_of(one)), by)
