"""The first keys that stand behind a number of a funnel, with what they did next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.described import facts_table, rows_table
from workbench.durations import spoken
from workbench.funnel.bind import bind, prepared_task, task_schema
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.people import LAST, PeopleTask
from workbench.markup import Markup
from workbench.spark.jobs import in_arrow, in_one_sentence
from workbench.spark.table import INTEGERS, unused

if TYPE_CHECKING:
    from workbench.spark.sources.given import TableLike

MOST_PEOPLE = 500
#: Rows that a notebook shows of a table that nobody asked to be run.
_LOOKED_AT = 10


class People(NamedTuple):
    """Keys in their order, and the values by which each is asked for again.

    Attributes
    ----------
    table : pandas.DataFrame
        The key's columns, those of segments, ``last_step`` (a time), ``next_event`` where names of
        events are known, ``next_time``, and ``after``, the time between the two.
    keys : list
        Of each row its key: a value, or a tuple of values when the key has several columns.
    cut : bool
        Whether there are more than these.
    """

    table: pd.DataFrame
    keys: list[Any]
    cut: bool


@in_one_sentence()
def first_people(
    funnel: FunnelSpec,
    events: Prepared,
    levels: Sequence[int],
    by: Sequence[str] = (),
    limit: int = MOST_PEOPLE,
    **which: Any,
) -> People:
    """Return the first keys of some levels, without a shuffle and without a sort of all of them.

    Where a question to the prepared events takes one task, it is answered in this process, without
    a job of Spark.

    Parameters
    ----------
    funnel : FunnelSpec
    events : Prepared
    levels : sequence of int
        The levels that the keys stopped at.
    by : sequence of str
        The columns of segments.
    limit : int
    **which
        Further fields of :class:`workbench.funnel.worker.people.PeopleTask`: ``segments`` and
        ``others``, ``took``.

    Returns
    -------
    People
    """
    bind(funnel, events, by)
    asked = prepared_task(funnel, events, by=tuple(by), levels=tuple(levels), timed=True)
    if which.get("segments") is not None:
        kinds = [events.schema[name].dataType.typeName() for name in by]
        which["segments"] = tuple(
            tuple(_plain(*one) for one in zip(segment, kinds, strict=True))
            for segment in which["segments"]
        )
    task = PeopleTask(asked, limit + 1, **which)
    if events.tasks == 1:
        found = pa.Table.from_batches(task.run(events.fetched())) if events.partitions else None
    else:
        found = in_arrow(events.packed().mapInArrow(task.run, _schema(task, events)))
    if found is None:
        return People(pd.DataFrame(columns=[*funnel.key, *by]), [], False)
    order = pc.sort_indices(found, [(name, "ascending") for name in funnel.key])
    return _people(found.take(order[:limit]), funnel.key, len(found) > limit)


def people_html(
    funnel: FunnelSpec, events: "TableLike | Prepared", level: int, columns: Sequence[str]
) -> Markup:
    """Return what a notebook shows of the keys that stopped at a level, without a job of Spark.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    level : int
    columns : sequence of str
        Those of the table that is shown.

    Returns
    -------
    Markup
        The first ten rows, where prepared events are asked in this process; else the columns.
    """
    title = f"People that stopped at level {level}"
    if not isinstance(events, Prepared) or events.tasks > 1:
        how = "nothing has run yet: .show() asks Spark"
        return facts_table(title, {"columns": ", ".join(columns), "rows": how})
    found = first_people(funnel, events, [level], limit=_LOOKED_AT)
    told = f"{title}: the first {_LOOKED_AT}" if found.cut else title
    read = [[_read(value) for value in row] for row in found.table.itertuples(index=False)]
    return rows_table(told, list(map(str, found.table.columns)), read)


def _read(value: Any) -> Any:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    return spoken(value / pd.Timedelta("1us")) if isinstance(value, pd.Timedelta) else value


def _plain(value: Any, kind: str) -> Any:
    """What a table of pandas holds of a segment, as Arrow has it."""
    if pd.isna(value):
        return None
    if kind in INTEGERS:
        # Beside nulls pandas makes floats of integers.
        return int(value)
    # A time without a zone is this process's, as Spark's rows have it.
    return value.astimezone() if kind == "timestamp" else getattr(value, "item", lambda: value)()


def _schema(task: PeopleTask, events: Prepared) -> Any:
    from pyspark.sql import types as T

    schema = task_schema(task.funnel, events.schema, events.time)
    kept = [field for field in schema.fields if field.name not in ("reached", "since_first")]
    return T.StructType([*kept, T.StructField(LAST, schema["next_time"].dataType)])


def _people(found: pa.Table, key: tuple[str, ...], cut: bool) -> People:
    rows = zip(*(found.column(name).to_pylist() for name in key), strict=True)
    keys = [row[0] if len(key) == 1 else row for row in rows]
    last, then = (_moments(found.column(name)) for name in (LAST, "next_time"))
    own = ["level", LAST, "next_event", "next_time"]
    table = found.drop_columns([name for name in own if name in found.column_names]).to_pandas()
    parts = {"last_step": last, "next_time": then, "after": then - last}
    if "next_event" in found.column_names:
        parts = {"last_step": last, "next_event": found.column("next_event").to_pandas()} | parts
    for name, values in parts.items():
        table[unused(table.columns, name)] = values
    return People(table, keys, cut)


def _moments(times: pa.ChunkedArray) -> "pd.Series[Any]":
    """Times as the clock of the session shows them; integers stay, also beside nulls."""
    if pa.types.is_integer(times.type):
        found = times.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    else:
        found = pd.to_datetime(times.to_pandas()).dt.tz_localize(None)
    return pd.Series(found)
