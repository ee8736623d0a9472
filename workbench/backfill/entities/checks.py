"""Checks of the tables of entities: errors of one sentence, before a job starts."""

from typing import TYPE_CHECKING, Any, cast

from workbench.arguments import check_known, one_name
from workbench.backfill.checks import check_in_both
from workbench.backfill.entities.tables import EntityTables
from workbench.backfill.entities.worker import CONTENT, KIND, KNOWN_FROM, MISPLACED
from workbench.backfill.worker.validity.intervals import VALID_FROM, VALID_TO
from workbench.errors import WorkbenchError
from workbench.spark.names import nearest
from workbench.spark.table import (
    BoundTable,
    check_arrow_type,
    check_plain,
    column,
    is_integer_time,
    type_of,
)
from workbench.spark.types import TIMES, values_in_words

if TYPE_CHECKING:
    from workbench.backfill.spec import BackfillSpec

ADDED_COLUMNS = (KNOWN_FROM, KIND, CONTENT, MISPLACED, VALID_FROM, VALID_TO)
ACCURACIES, TAKEN_AT = ("exact", "midnight"), ("end", "begin")


def check_entities(entities: EntityTables) -> None:
    """Refuse tables that lack a column, or have it in types that cannot be used.

    Raises
    ------
    WorkbenchError
    """
    for argument, known in (("accuracy", ACCURACIES), ("taken", TAKEN_AT)):
        check_known(getattr(entities, argument), known, argument)
    for argument in ("mutation_time", "date", "op"):
        if (name := getattr(entities, argument)) is not None:
            one_name(name, argument)
    _check_columns(entities, entities.bound_snapshots)
    _check_names(entities)
    _check_date(entities)
    for name in entities.shared:
        check_arrow_type(type_of(entities.bound_snapshots, name), name, "snapshots")
    if entities.by_midnight:
        return
    if entities.mutations is None:
        raise WorkbenchError(
            "mutations: without them rows are only known as of the snapshots; "
            "give mutations, or accuracy='midnight'."
        )
    changes = cast(BoundTable, entities.changes)
    _check_columns(entities, changes)
    _check_types(entities, changes)
    _check_mutations(entities, changes)


def check_match(backfill: "BackfillSpec", entities: EntityTables) -> None:
    """Refuse a backfill whose key or time has another name than that of its entities.

    Raises
    ------
    WorkbenchError
    """
    for argument in ("key", "time"):
        ours, theirs = getattr(backfill, argument), getattr(entities, argument)
        if ours != theirs:
            shown = (" and ".join(map(repr, (one,) if isinstance(one, str) else one))
                     for one in (ours, theirs))  # fmt: skip
            first, second = shown
            raise WorkbenchError(
                f"{argument}: the backfill names {first} but the entities name {second}; "
                "give both the same."
            )
    for one in backfill.aggregations:
        for name in (*one.function.arguments, one.by):
            if isinstance(name, str) and name not in entities.shared:
                raise WorkbenchError(f"{one.names[0]}: {_not_shared(entities, name)}")


def _not_shared(entities: EntityTables, name: str) -> str:
    """Return why a column is not one that both tables share."""
    tables = (entities.bound_snapshots, entities.changes)
    lacking = [one.side for one in tables if one is not None and name not in one.names]
    if not lacking:
        return (
            f"column {name!r} says when or how rows change, and is not part of them; "
            "add a copy of it under another name to both tables."
        )
    others = "both tables need it, under the same name."
    if len(lacking) == 2 or entities.changes is None:
        others = nearest(name, entities.shared)
    return f"the {lacking[0]} have no column {name!r}; {others}"


def check_not_entities(events: Any) -> None:
    """Refuse entities where events are wanted.

    Raises
    ------
    WorkbenchError
    """
    if isinstance(events, EntityTables):
        raise WorkbenchError(
            "events: rows of entities have validity intervals, which only run and check look at; "
            "give a table of events."
        )


def _check_columns(entities: EntityTables, rows: BoundTable) -> None:
    named: list[tuple[str, Any]] = [("key", entities.key), ("id", entities.id)]
    for argument, names in (*named, ("time", (entities.time,))):
        for name in names:
            check_in_both(rows, name, argument)
            if argument != "time":
                check_plain(rows.schema, name, argument, side=rows.side)
                check_arrow_type(type_of(rows, name), name, argument, rows.side)
    is_integer_time(rows, entities.time)


def _check_names(entities: EntityTables) -> None:
    """Refuse columns with the names of those that are added to the rows."""
    for name in entities.bound_snapshots.names:
        if name.lower() in ADDED_COLUMNS:
            raise WorkbenchError(
                f"snapshots: column {name!r} has the name of a column that is added; rename yours."
            )


def _check_date(entities: EntityTables) -> None:
    rows, name = entities.bound_snapshots, entities.date
    if name not in rows.names:
        raise WorkbenchError(
            f"date: the snapshots have no column {name!r}; name the one that says when each was "
            "taken."
        )
    column(rows, name, "date")
    kind, own = (type_of(rows, one).typeName() for one in (name, entities.time))
    integers = rows.integer_time
    fits = kind == own if integers else kind in (own, "date", "string")
    if not fits:
        like = "integers of that type" if integers else "dates, or times of that type"
        raise WorkbenchError(
            f"date: {rows.column_text(name)} holds {values_in_words(kind)} but "
            f"{entities.time!r} {values_in_words(own)}; give {like}."
        )


def _check_types(entities: EntityTables, mutations: BoundTable) -> None:
    for name in entities.shared:
        ours, theirs = (
            type_of(rows, name).simpleString() for rows in (entities.bound_snapshots, mutations)
        )
        if ours != theirs:
            raise WorkbenchError(
                f"mutations: {name!r} holds {ours} in the snapshots but {theirs} in the mutations; "
                "cast one of them to the type of the other."
            )


def _check_mutations(entities: EntityTables, mutations: BoundTable) -> None:
    name = entities.mutation_time
    if not isinstance(name, str):
        raise WorkbenchError(
            "mutation_time: it is missing; name the mutations' column that says when each was made."
        )
    column(mutations, name, "mutation_time")
    kind, own = (type_of(mutations, one).simpleString() for one in (name, entities.time))
    typed = type_of(mutations, name).typeName() in TIMES
    same = kind == own if typed else is_integer_time(mutations, entities.time)
    if not same or (not typed and not is_integer_time(mutations, name)):
        raise WorkbenchError(
            f"mutation_time: the mutations' {name!r} holds {kind} but {entities.time!r} holds "
            f"{own}; cast one of them to the type of the other."
        )
    column(mutations, entities.op, "op")
    kind = type_of(mutations, entities.op).typeName()
    if kind not in ("boolean", "string"):
        raise WorkbenchError(
            f"op: {mutations.column_text(entities.op)} holds {values_in_words(kind)}; give text "
            "such as 'insert', or true for the row before a change and false for the row after it."
        )
