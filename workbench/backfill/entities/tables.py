"""Snapshots and mutations as one table of rows; its validity intervals and its problems."""

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from kernels.entities.validity import IN, OUT, SNAPSHOT
from kernels.structures.instants import MOST
from workbench.backfill.entities.worker import (
    CONTENT,
    KIND,
    KNOWN,
    KNOWN_FROM,
    MISPLACED,
    PROBLEM,
    FollowTask,
)
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.described import set_html, unrun_table
from workbench.durations import DAY
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected
from workbench.spark.micros import micros
from workbench.spark.names import name_of, unused
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundle_rows
from workbench.spark.table import BoundTable, column, type_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

#: The kinds of mutations, and whether each inserts or deletes a row.
OPS = {
    **dict.fromkeys(("insert", "update_after", "update_postimage"), IN),
    **dict.fromkeys(("delete", "update_before", "update_preimage"), OUT),
}
NO_SNAPSHOT = "no snapshot of this day"
EXACT, MIDNIGHT = "exact", "midnight"


@dataclass
class EntityTables:
    """Snapshots and mutations of a table, and the names of their columns.

    Attributes
    ----------
    snapshots : pyspark.sql.DataFrame
    mutations : pyspark.sql.DataFrame or None
    key, id : tuple of str
    time : str
    mutation_time : str or None
    date, op, accuracy, taken : str
        As :class:`workbench.Entities` takes them.
    """

    snapshots: "DataFrame"
    mutations: "DataFrame | None"
    key: tuple[str, ...]
    id: tuple[str, ...]
    time: str
    mutation_time: str | None
    date: str
    op: str
    accuracy: str
    taken: str

    @cached_property
    def bound_snapshots(self) -> BoundTable:
        """The snapshots, bound."""
        return BoundTable.of(self.snapshots, self.key, self.time, "snapshots")

    @cached_property
    def changes(self) -> BoundTable | None:
        """The mutations, bound."""
        if self.mutations is None:
            return None
        return BoundTable.of(self.mutations, self.key, str(self.mutation_time), "mutations")

    @property
    def by_midnight(self) -> bool:
        """Whether mutations are ignored."""
        return self.accuracy == MIDNIGHT

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns that snapshots and mutations have in common."""
        other = (self.changes or self.bound_snapshots).names
        left_out = {self.date, self.op, self.mutation_time}
        left_out -= {*self.key, *self.id, self.time}
        names = self.bound_snapshots.names
        return tuple(name for name in names if name in other and name not in left_out)

    @cached_property
    def days(self) -> tuple[int, ...]:
        """The times of the snapshots, in the kernels' integers. Runs a job.

        Raises
        ------
        WorkbenchError
            When a mutation is of an unknown kind.
        """
        return days_of(self)


def raw_rows(entities: EntityTables) -> "DataFrame":
    """Return the rows of snapshots and mutations, with their kind and when they are known from.

    Parameters
    ----------
    entities : EntityTables

    Returns
    -------
    pyspark.sql.DataFrame
        The shared columns, and those that :mod:`workbench.backfill.entities.worker` names.
    """
    from pyspark.sql import functions as F

    never, changes = F.lit(False), entities.changes
    found = _with_added_columns(
        entities, entities.bound_snapshots, taken_at(entities), F.lit(SNAPSHOT), never
    )
    if changes is None or entities.by_midnight:
        return found
    made = micros(changes, changes.time, column(changes, changes.time, "mutation_time"))
    # A query at the mutation's own instant does not see it, and so none sees one of the last.
    known = F.when(made < F.lit(MOST), made + F.lit(1))
    kind, misplaced = _kind_of_mutation(entities, changes), _misplaced(entities, changes, made)
    return found.unionAll(_with_added_columns(entities, changes, known, kind, misplaced))


def taken_at(entities: EntityTables) -> "Column":
    """Return the time of each row's snapshot, in the kernels' integers."""
    from pyspark.sql import functions as F

    name = entities.date
    date = column(entities.bound_snapshots, name, "date")
    if not _in_days(entities.bound_snapshots, name):
        return micros(entities.bound_snapshots, name, date)
    after = 1 if entities.taken == "end" else 0
    day = F.unix_date(date.try_cast("date")).cast("long") + F.lit(after)
    return day * F.lit(DAY)


def days_of(entities: EntityTables) -> tuple[int, ...]:
    """Return the times of the snapshots, sorted.

    Raises
    ------
    WorkbenchError
        When a mutation is of an unknown kind.
    """
    from pyspark.sql import functions as F

    days = F.collect_set(taken_at(entities)).alias(KNOWN_FROM)
    days_and_unknown_kinds = entities.snapshots.agg(days, F.lit(None).cast("string").alias(KIND))
    changes = entities.changes
    if changes is not None and not entities.by_midnight:
        none = F.lit(None).cast("array<long>").alias(KNOWN_FROM)
        unknown = changes.df.agg(none, _unknown_op(entities, changes).alias(KIND))
        days_and_unknown_kinds = days_and_unknown_kinds.unionAll(unknown)
    found = collected(days_and_unknown_kinds)
    for row in found:
        if row[KIND] is not None:
            op = None if row[KIND] == "" else row[KIND]
            raise WorkbenchError(
                f"op: {op!r} is not known; give 'insert', 'update_before', 'update_after' or "
                "'delete', or a column that is true for the row before a change."
            )
    return tuple(sorted(int(day) for row in found for day in row[KNOWN_FROM] or ()))


def rows_of_entities(
    entities: EntityTables, names: "StructType", columns: tuple[str, ...], faults: bool
) -> "DataFrame":
    """Return validity intervals or faults of the rows of both tables, key by key.

    Parameters
    ----------
    entities : EntityTables
    names : pyspark.sql.types.StructType
        The columns of the result.
    columns : tuple of str
        The names of these columns in the workers.
    faults : bool
        Whether to return faults instead of validity intervals.

    Returns
    -------
    pyspark.sql.DataFrame
    """
    rows = BoundTable.of(raw_rows(entities), entities.key, entities.time)
    ship(rows.df.sparkSession)
    keys, ids = keys_and_ids(entities)
    wanted = {alias: column(rows, name, "key") for alias, name in {**keys, **ids}.items()}
    wanted |= {TIME: rows.instants}
    wanted |= {
        name: column(rows, name, "entities") for name in (KNOWN_FROM, KIND, CONTENT, MISPLACED)
    }
    if not faults:
        wanted |= {f"s{i}": column(rows, name, "s") for i, name in enumerate(entities.shared)}
    entity = (*keys, *ids)
    task = FollowTask(columns, entity, entities.days, faults, entities.by_midnight)
    bundles = bundle_rows(rows.df, wanted, tuple(keys), (*entity, KNOWN_FROM))
    return bundles.mapInArrow(task.run, names)


def keys_and_ids(entities: EntityTables) -> tuple[dict[str, str], dict[str, str]]:
    """Return the columns of key and id by their names in the workers."""
    keys = {f"k{i}": name for i, name in enumerate(entities.key)}
    return keys, {f"i{i}": name for i, name in enumerate(entities.id)}


def validity_of(entities: EntityTables) -> "DataFrame":
    """Return the shared columns of every row, and its validity interval in the kernels' integers.

    Parameters
    ----------
    entities : EntityTables

    Returns
    -------
    pyspark.sql.DataFrame
    """
    from pyspark.sql.types import LongType, StructField, StructType

    aliases = [f"s{i}" for i in range(len(entities.shared))]
    fields = [entities.bound_snapshots.schema[name] for name in entities.shared]
    schema = [
        StructField(name, field.dataType) for name, field in zip(aliases, fields, strict=True)
    ]
    schema += [StructField(name, LongType()) for name in (VALID_FROM, VALID_TO)]
    found = rows_of_entities(
        entities, StructType(schema), (*aliases, VALID_FROM, VALID_TO), faults=False
    )
    return found.toDF(*entities.shared, VALID_FROM, VALID_TO)


def validity_as_times(entities: EntityTables) -> "DataFrame":
    """Return validity intervals with their ends as times; see :meth:`workbench.Entities.lives`."""
    from pyspark.sql import functions as F

    found = validity_of(entities)
    shared = [name_of(name) for name in entities.shared]
    begin, end = F.col(VALID_FROM), F.when(F.col(VALID_TO) < F.lit(MOST), F.col(VALID_TO))
    ends = [(begin, "alive_from"), (end, "alive_until")]
    shown = [_as_time(entities, one).alias(unused(entities.shared, name)) for one, name in ends]
    return found.select(*shared, *shown)


def problems_of(entities: EntityTables) -> "DataFrame":
    """Return problems; see :meth:`workbench.backfill.entities.entities.Entities.problems`."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    keys, ids = keys_and_ids(entities)
    named = {**keys, **ids, TIME: entities.time}
    kinds = {alias: type_of(entities.bound_snapshots, name) for alias, name in named.items()}
    if entities.bound_snapshots.integer_time:
        kinds[TIME] = LongType()
    schema = [StructField(alias, kind) for alias, kind in kinds.items()]
    schema += [StructField(KNOWN, LongType()), StructField(PROBLEM, StringType())]
    columns = (*named, KNOWN, PROBLEM)
    found = rows_of_entities(entities, StructType(schema), columns, faults=True)
    spark, missing = found.sparkSession, _missing_days(entities)
    if missing:
        nothing = (None,) * len(named)
        days = [(*nothing, day, NO_SNAPSHOT) for day in missing]
        found = found.unionAll(spark.createDataFrame(days, StructType(schema)))
    # A key may have a column called "known".
    known, problem = (unused(named.values(), own) for own in (KNOWN, PROBLEM))
    reasons = _as_time(entities, F.col(KNOWN)).alias(known), F.col(PROBLEM).alias(problem)
    shown = [F.col(alias).alias(name) for alias, name in named.items()]
    # An id column that is part of the key is returned once.
    shown = list(dict(zip(named.values(), shown, strict=True)).values())
    problems = found.select(*shown, *reasons)
    set_html(problems, lambda: unrun_table("Problems of snapshots and mutations", problems.columns))
    return problems


def skipped_in(entities: EntityTables) -> int:
    """Return how many rows have no key, no id, no time or no time of their change."""
    from pyspark.sql import functions as F

    rows = BoundTable.of(raw_rows(entities))
    names = (*entities.key, *entities.id, entities.time, KNOWN_FROM)
    missing = [column(rows, name, "key").isNull() for name in names]
    count = F.count_if(reduce(lambda a, b: a | b, missing))
    return int(collected(rows.df.agg(count))[0][0])


def _with_added_columns(
    entities: EntityTables, rows: BoundTable, at: "Column", kind: "Column", misplaced: "Column"
) -> "DataFrame":
    from pyspark.sql import functions as F

    columns = [column(rows, name, "entities") for name in entities.shared]
    # Key and id are left out, as rows are only compared with others of the same key and id.
    compared = [
        (one, type_of(rows, name))
        for one, name in zip(columns, entities.shared, strict=True)
        if name not in (*entities.key, *entities.id)
    ]
    hashable = [_hashable(one, data_type) for one, data_type in compared]
    # Spark's hash skips nulls, so their positions are hashed too. It takes at least one argument.
    content = F.xxhash64(F.lit(0), *hashable, *(one.isNull() for one, _ in compared))
    added = {KNOWN_FROM: at, KIND: kind.cast("byte"), CONTENT: content, MISPLACED: misplaced}
    return rows.df.select(*columns, *(value.alias(name) for name, value in added.items()))


def _hashable(values: "Column", kind: "DataType") -> "Column":
    """Return values that Spark can hash, with different hashes for different values.

    Spark hashes the elements of a list or a struct one after another: it skips nulls in it, and
    does not hash where an inner list ends.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType, VariantType

    def inner(value: "Column", inner_kind: "DataType") -> "Column":
        return F.struct(value.isNull(), _hashable(value, inner_kind))

    if isinstance(kind, VariantType):
        return F.to_json(values)
    if isinstance(kind, MapType):
        entries = StructType().add("key", kind.keyType).add("value", kind.valueType)
        return _hashable(F.map_entries(values), ArrayType(entries))
    if isinstance(kind, ArrayType):
        each = F.transform(values, lambda one: inner(one, kind.elementType))
        return F.struct(F.size(values), each)
    if isinstance(kind, StructType):
        fields = [inner(values[one.name], one.dataType) for one in kind.fields]
        return F.struct(F.lit(0), *fields)
    return values


def _kind_of_mutation(entities: EntityTables, mutations: BoundTable) -> "Column":
    from pyspark.sql import functions as F

    op = column(mutations, entities.op, "op")
    if type_of(mutations, entities.op).typeName() == "string":
        op = op.isin([name for name, kind in OPS.items() if kind == OUT])
    return F.when(op, F.lit(OUT)).otherwise(F.lit(IN))


def _misplaced(entities: EntityTables, mutations: BoundTable, made: "Column") -> "Column":
    from pyspark.sql import functions as F

    if entities.date not in mutations.names or not _in_days(mutations, entities.date):
        return F.lit(False)
    date = column(mutations, entities.date, "date").try_cast("date")
    own = F.floor(made / F.lit(DAY))
    return F.coalesce(F.unix_date(date).cast("long") != own, F.lit(True))


def _unknown_op(entities: EntityTables, mutations: BoundTable) -> "Column":
    """Return an unknown kind of mutation, an empty text for a null, and null if all are known."""
    from pyspark.sql import functions as F

    op = column(mutations, entities.op, "op")
    unknown = op.isNull()
    if type_of(mutations, entities.op).typeName() == "string":
        unknown = unknown | ~op.isin(list(OPS))
    return F.max(F.when(unknown, F.coalesce(op.cast("string"), F.lit(""))))


def _missing_days(entities: EntityTables) -> list[int]:
    if not _in_days(entities.bound_snapshots, entities.date) or not entities.days:
        return []
    every = range(entities.days[0], entities.days[-1], DAY)
    return sorted(set(every) - set(entities.days))


def _in_days(rows: BoundTable, name: str) -> bool:
    """Return whether a column holds days, and not times like the rows' own."""
    return type_of(rows, name).typeName() in ("date", "string")


def _as_time(entities: EntityTables, value: "Column") -> "Column":
    """Return the kernels' integers as times, of the type of the rows' own."""
    from pyspark.sql import functions as F

    if entities.bound_snapshots.integer_time:
        return value
    instant = F.timestamp_micros(value)
    kind = type_of(entities.bound_snapshots, entities.time).typeName()
    if kind == "timestamp":
        return instant
    # Times without a zone are taken as UTC.
    local = F.timestamp_add("MICROSECOND", value, F.lit("1970-01-01").cast("timestamp_ntz"))
    if kind != "date":
        return local
    # Dates are midnights: a change takes effect at the first midnight that is not before it.
    return F.date_add(local.cast("date"), F.when(value % F.lit(DAY) == 0, 0).otherwise(1))
