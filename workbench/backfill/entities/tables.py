"""Snapshots and mutations as one table of rows, and its validity intervals and problems."""

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from kernels.entities.validity import IN, OUT, SNAPSHOT
from kernels.structures.instants import MOST
from workbench.backfill.entities.worker import (
    AT,
    HOLDS,
    KNOWN,
    MISPLACED,
    PROBLEM,
    SAYS,
    FollowTask,
)
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.columnar.blocks import TIME
from workbench.described import set_html, unrun_table
from workbench.durations import DAY
from workbench.errors import WorkbenchError
from workbench.spark.jobs import collected
from workbench.spark.micros import micros
from workbench.spark.shipping import ship
from workbench.spark.shuffle import bundle_rows
from workbench.spark.table import BoundTable, column, name_of, type_of, unused

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

#: What mutations are called, and whether they are put in or taken out.
OPS = {
    **dict.fromkeys(("insert", "update_after", "update_postimage"), IN),
    **dict.fromkeys(("delete", "update_before", "update_preimage"), OUT),
}
NO_SNAPSHOT = "no snapshot of this day"
EXACT, MIDNIGHT = "exact", "midnight"


@dataclass
class EntityTables:
    """Snapshots and mutations of a table, and what their columns are called.

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
        """The snapshots with their columns."""
        return BoundTable.of(self.snapshots, self.key, self.time, "snapshots")

    @cached_property
    def changes(self) -> BoundTable | None:
        """The mutations with their columns."""
        if self.mutations is None:
            return None
        return BoundTable.of(self.mutations, self.key, str(self.mutation_time), "mutations")

    @property
    def by_midnight(self) -> bool:
        """Whether mutations are not looked at."""
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
        """When the snapshots were taken, as the kernels count times: from a job of its own.

        Raises
        ------
        WorkbenchError
            When mutations are something that is not known.
        """
        return days_of(self)


def raw_rows(entities: EntityTables) -> "DataFrame":
    """Return the rows of snapshots and mutations, with what they say and from when on.

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
    found = _rows(entities, entities.bound_snapshots, taken_at(entities), F.lit(SNAPSHOT), never)
    if changes is None or entities.by_midnight:
        return found
    made = micros(changes, changes.time, column(changes, changes.time, "mutation_time"))
    # A query at the mutation's own instant does not see it, and so none sees one of the last.
    known = F.when(made < F.lit(MOST), made + F.lit(1))
    says, misplaced = _says(entities, changes), _misplaced(entities, changes, made)
    return found.unionAll(_rows(entities, changes, known, says, misplaced))


def taken_at(entities: EntityTables) -> "Column":
    """Return when each snapshot was taken, as the kernels count times."""
    from pyspark.sql import functions as F

    name = entities.date
    date = column(entities.bound_snapshots, name, "date")
    if not _in_days(entities.bound_snapshots, name):
        return micros(entities.bound_snapshots, name, date)
    after = 1 if entities.taken == "end" else 0
    day = F.unix_date(date.try_cast("date")).cast("long") + F.lit(after)
    return day * F.lit(DAY)


def days_of(entities: EntityTables) -> tuple[int, ...]:
    """Return when the snapshots were taken, sorted.

    Raises
    ------
    WorkbenchError
        When mutations are something that is not known.
    """
    from pyspark.sql import functions as F

    days = F.collect_set(taken_at(entities)).alias(AT)
    looked_at = entities.snapshots.agg(days, F.lit(None).cast("string").alias(SAYS))
    changes = entities.changes
    if changes is not None and not entities.by_midnight:
        none = F.lit(None).cast("array<long>").alias(AT)
        unknown = changes.df.agg(none, _unknown_op(entities, changes).alias(SAYS))
        looked_at = looked_at.unionAll(unknown)
    found = collected(looked_at)
    for row in found:
        if row[SAYS] is not None:
            op = None if row[SAYS] == "" else row[SAYS]
            raise WorkbenchError(
                f"op: {op!r} is not known; give 'insert', 'update_before', 'update_after' or "
                "'delete', or a column that is true for what was before a change."
            )
    return tuple(sorted(int(day) for row in found for day in row[AT] or ()))


def followed_rows(
    entities: EntityTables, names: "StructType", columns: tuple[str, ...], faults: bool
) -> "DataFrame":
    """Return what is found out about the rows of both tables, key by key.

    Parameters
    ----------
    entities : EntityTables
    names : pyspark.sql.types.StructType
        The columns of the result.
    columns : tuple of str
        The same as the workers call them.
    faults : bool
        Whether faults are wanted, and not validity intervals.

    Returns
    -------
    pyspark.sql.DataFrame
    """
    rows = BoundTable.of(raw_rows(entities), entities.key, entities.time)
    ship(rows.df.sparkSession)
    keys, ids = keys_and_ids(entities)
    wanted = {alias: column(rows, name, "key") for alias, name in {**keys, **ids}.items()}
    wanted |= {TIME: rows.instants}
    wanted |= {name: column(rows, name, "entities") for name in (AT, SAYS, HOLDS, MISPLACED)}
    if not faults:
        wanted |= {f"s{i}": column(rows, name, "s") for i, name in enumerate(entities.shared)}
    entity = (*keys, *ids)
    task = FollowTask(columns, entity, entities.days, faults, entities.by_midnight)
    bundles = bundle_rows(rows.df, wanted, tuple(keys), (*entity, AT))
    return bundles.mapInArrow(task.run, names)


def keys_and_ids(entities: EntityTables) -> tuple[dict[str, str], dict[str, str]]:
    """Return the columns of key and id by what the workers call them."""
    keys = {f"k{i}": name for i, name in enumerate(entities.key)}
    return keys, {f"i{i}": name for i, name in enumerate(entities.id)}


def validity_of(entities: EntityTables) -> "DataFrame":
    """Return the shared columns of every row, and its validity interval as the kernels count it.

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
    found = followed_rows(
        entities, StructType(schema), (*aliases, VALID_FROM, VALID_TO), faults=False
    )
    return found.toDF(*entities.shared, VALID_FROM, VALID_TO)


def shown_validity(entities: EntityTables) -> "DataFrame":
    """Return validity intervals with their ends as times; see :meth:`workbench.Entities.lives`."""
    from pyspark.sql import functions as F

    found = validity_of(entities)
    shared = [name_of(name) for name in entities.shared]
    begin, end = F.col(VALID_FROM), F.when(F.col(VALID_TO) < F.lit(MOST), F.col(VALID_TO))
    ends = [(begin, "alive_from"), (end, "alive_until")]
    shown = [_as_time(entities, one).alias(unused(entities.shared, name)) for one, name in ends]
    return found.select(*shared, *shown)


def problems_of(entities: EntityTables) -> "DataFrame":
    """Return what is wrong; see :meth:`workbench.backfill.entities.entities.Entities.problems`."""
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
    found = followed_rows(entities, StructType(schema), columns, faults=True)
    spark, missing = found.sparkSession, _missing_days(entities)
    if missing:
        nothing = (None,) * len(named)
        days = [(*nothing, day, NO_SNAPSHOT) for day in missing]
        found = found.unionAll(spark.createDataFrame(days, StructType(schema)))
    # A key may have a column called "known".
    known, problem = (unused(named.values(), own) for own in (KNOWN, PROBLEM))
    reasons = _as_time(entities, F.col(KNOWN)).alias(known), F.col(PROBLEM).alias(problem)
    shown = [F.col(alias).alias(name) for alias, name in named.items()]
    # An id that is part of the key is shown once.
    shown = list(dict(zip(named.values(), shown, strict=True)).values())
    problems = found.select(*shown, *reasons)
    set_html(problems, lambda: unrun_table("Problems of snapshots and mutations", problems.columns))
    return problems


def skipped_in(entities: EntityTables) -> int:
    """Return how many rows have no key, id, time, or no time of when they are known."""
    from pyspark.sql import functions as F

    rows = BoundTable.of(raw_rows(entities))
    names = (*entities.key, *entities.id, entities.time, AT)
    missing = [column(rows, name, "key").isNull() for name in names]
    count = F.count_if(reduce(lambda a, b: a | b, missing))
    return int(collected(rows.df.agg(count))[0][0])


def _rows(
    entities: EntityTables, rows: BoundTable, at: "Column", says: "Column", misplaced: "Column"
) -> "DataFrame":
    from pyspark.sql import functions as F

    columns = [column(rows, name, "entities") for name in entities.shared]
    # Rows are only compared with others of the same key and id.
    held = [
        (one, type_of(rows, name))
        for one, name in zip(columns, entities.shared, strict=True)
        if name not in (*entities.key, *entities.id)
    ]
    hashed = [_with_hash(one, kind) for one, kind in held]
    # Spark's hash passes over nulls: where they are has to count too. And it takes one at least.
    holds = F.xxhash64(F.lit(0), *hashed, *(one.isNull() for one, _ in held))
    added = {AT: at, SAYS: says.cast("byte"), HOLDS: holds, MISPLACED: misplaced}
    return rows.df.select(*columns, *(value.alias(name) for name, value in added.items()))


def _with_hash(values: "Column", kind: "DataType") -> "Column":
    """Values that Spark has a hash of, and whose hashes differ where the given ones do.

    Spark's hash of a list or a struct is that of what it holds, one behind the other: it passes
    over nulls in there, and does not tell where an inner list ends.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType, VariantType

    def inner(value: "Column", held: "DataType") -> "Column":
        return F.struct(value.isNull(), _with_hash(value, held))

    if isinstance(kind, VariantType):
        return F.to_json(values)
    if isinstance(kind, MapType):
        entries = StructType().add("key", kind.keyType).add("value", kind.valueType)
        return _with_hash(F.map_entries(values), ArrayType(entries))
    if isinstance(kind, ArrayType):
        each = F.transform(values, lambda one: inner(one, kind.elementType))
        return F.struct(F.size(values), each)
    if isinstance(kind, StructType):
        fields = [inner(values[one.name], one.dataType) for one in kind.fields]
        return F.struct(F.lit(0), *fields)
    return values


def _says(entities: EntityTables, mutations: BoundTable) -> "Column":
    from pyspark.sql import functions as F

    op = column(mutations, entities.op, "op")
    if type_of(mutations, entities.op).typeName() == "string":
        op = op.isin([name for name, says in OPS.items() if says == OUT])
    return F.when(op, F.lit(OUT)).otherwise(F.lit(IN))


def _misplaced(entities: EntityTables, mutations: BoundTable, made: "Column") -> "Column":
    from pyspark.sql import functions as F

    if entities.date not in mutations.names or not _in_days(mutations, entities.date):
        return F.lit(False)
    date = column(mutations, entities.date, "date").try_cast("date")
    own = F.floor(made / F.lit(DAY))
    return F.coalesce(F.unix_date(date).cast("long") != own, F.lit(True))


def _unknown_op(entities: EntityTables, mutations: BoundTable) -> "Column":
    """One that is not known, an empty text for a null, and null without any."""
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
    """Whether a column says days, and not times as the rows' own are."""
    return type_of(rows, name).typeName() in ("date", "string")


def _as_time(entities: EntityTables, value: "Column") -> "Column":
    """What the kernels count in as a time of the type of the rows' own."""
    from pyspark.sql import functions as F

    if entities.bound_snapshots.integer_time:
        return value
    instant = F.timestamp_micros(value)
    kind = type_of(entities.bound_snapshots, entities.time).typeName()
    if kind == "timestamp":
        return instant
    # Without a zone, its clock is that of UTC.
    local = F.timestamp_add("MICROSECOND", value, F.lit("1970-01-01").cast("timestamp_ntz"))
    if kind != "date":
        return local
    # Dates are midnights: what is so from some time on, they see from the next one on.
    return F.date_add(local.cast("date"), F.when(value % F.lit(DAY) == 0, 0).otherwise(1))
