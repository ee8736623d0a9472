"""The first keys that stand behind a number of a funnel, with what they did next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.described import rows_table, unrun_table
from workbench.funnel.bind import (
    bind,
    clock_of,
    period_of,
    prepared_task,
    segment_types,
    task_schema,
)
from workbench.funnel.periods import periods_for, span_of
from workbench.funnel.plan import each_period
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import duration_text
from workbench.funnel.worker.levels import ENTERED
from workbench.funnel.worker.people import LAST, PeopleTask
from workbench.markup import Markup
from workbench.spark.jobs import in_arrow, in_one_sentence
from workbench.spark.table import INTEGERS, unused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.durations import Duration
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


class Point(NamedTuple):
    """A period of a trend.

    Attributes
    ----------
    entered : datetime or int
        A time in it.
    every : str, timedelta or int
        How long it is.
    open : bool
        Whether those are meant whose window is not over, in place of all others.
    """

    entered: Any
    every: "Duration"
    open: bool = False

    def span(self, funnel: FunnelSpec, events: Prepared) -> tuple[int, int]:
        """Return when it begins and ends, as the workers have times."""
        periods = periods_for(self.every, funnel, events)
        return span_of(self.entered, periods, *clock_of(funnel, events))

    def task(self, funnel: FunnelSpec, events: Prepared) -> dict[str, Any]:
        """Return what the workers have to know beside the funnel itself."""
        if not each_period(funnel):
            return {"entered": True}
        begin, end = self.span(funnel, events)
        own = period_of(funnel, events) or (None, None)
        first = begin if own[0] is None else max(begin, own[0])
        return {"entered": True, "period": (first, end if own[1] is None else min(end, own[1]))}

    def times(self, funnel: FunnelSpec, events: Prepared) -> tuple[int, int, int]:
        """Return when it begins and ends, and the last entry whose window is over."""
        last = 0 if events.span is None else events.span[1]
        return (*self.span(funnel, events), last - funnel.span(events.integer_time))


@in_one_sentence()
def first_people(
    funnel: FunnelSpec,
    events: Prepared,
    levels: Sequence[int],
    by: Sequence[str] = (),
    limit: int = MOST_PEOPLE,
    point: "Point | None" = None,
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
    point : Point, optional
        Only those behind a point of a trend.
    **which
        Further fields of :class:`workbench.funnel.worker.people.PeopleTask`: ``segments`` and
        ``others``, ``step``, ``took``, ``excluded``.

    Returns
    -------
    People
    """
    bind(funnel, events, by)
    more = {} if point is None else point.task(funnel, events)
    if point is not None:
        which |= {"entered": point.times(funnel, events), "open": point.open}
    asked = prepared_task(funnel, events, by=tuple(by), levels=tuple(levels), timed=True, **more)
    if which.get("segments") is not None:
        kinds = [kind.typeName() for kind in segment_types(funnel, events, by)]
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


@in_one_sentence()
def people_in(found: "DataFrame", key: Sequence[str], limit: int = MOST_PEOPLE) -> People:
    """Return the first keys of a table of Spark, in their order.

    Parameters
    ----------
    found : pyspark.sql.DataFrame
        A row for each person; arrays of names are shown as one text.
    key : sequence of str
        The key's columns.
    limit : int

    Returns
    -------
    People
        Its ``table`` has the columns of the table.
    """
    rows = in_arrow(found.orderBy(*key).limit(limit + 1))
    if rows is None:
        return People(pd.DataFrame(columns=found.columns), [], False)
    kept = rows.slice(0, limit)
    table = kept.to_pandas()
    for field in kept.schema:
        if pa.types.is_list(field.type) or pa.types.is_large_list(field.type):
            table[field.name] = [" → ".join(one) for one in table[field.name]]
    return People(table, _keys(kept, tuple(key)), len(rows) > limit)


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
        return unrun_table(title, columns)
    found = first_people(funnel, events, [level], limit=_LOOKED_AT)
    told = f"{title}: the first {_LOOKED_AT}" if found.cut else title
    read = [[_read(value) for value in row] for row in found.table.itertuples(index=False)]
    return rows_table(told, list(map(str, found.table.columns)), read)


def _read(value: Any) -> Any:
    return "" if pd.api.types.is_scalar(value) and pd.isna(value) else duration_text(value)


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
    own = "reached", "since_first", ENTERED
    kept = [field for field in schema.fields if field.name not in own]
    return T.StructType([*kept, T.StructField(LAST, schema["next_time"].dataType)])


def _people(found: pa.Table, key: tuple[str, ...], cut: bool) -> People:
    keys = _keys(found, key)
    last, then = (_moments(found.column(name)) for name in (LAST, "next_time"))
    own = ["level", LAST, "next_event", "next_time"]
    table = found.drop_columns([name for name in own if name in found.column_names]).to_pandas()
    parts = {"last_step": last, "next_time": then, "after": then - last}
    if "next_event" in found.column_names:
        parts = {"last_step": last, "next_event": found.column("next_event").to_pandas()} | parts
    for name, values in parts.items():
        table[unused(table.columns, name)] = values
    return People(table, keys, cut)


def _keys(found: pa.Table, key: tuple[str, ...]) -> list[Any]:
    rows = zip(*(found.column(name).to_pylist() for name in key), strict=True)
    return [row[0] if len(key) == 1 else row for row in rows]


def _moments(times: pa.ChunkedArray) -> "pd.Series[Any]":
    """Times as the clock of the session shows them; integers stay, also beside nulls."""
    if pa.types.is_integer(times.type):
        found = times.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    else:
        found = pd.to_datetime(times.to_pandas()).dt.tz_localize(None)
    return pd.Series(found)
