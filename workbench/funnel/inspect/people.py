"""The first keys that a number of a funnel counts, with what they did next."""

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
from workbench.funnel.summary import timedelta_text
from workbench.funnel.worker.levels import ENTERED
from workbench.funnel.worker.people import LAST, PeopleTask
from workbench.markup import Markup
from workbench.spark.jobs import in_arrow, in_one_sentence
from workbench.spark.names import unused
from workbench.spark.types import INTEGERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from workbench.durations import Duration
    from workbench.spark.sources.given import TableLike

MOST_PEOPLE = 500
#: How many rows a notebook shows of a table without running a job.
_ROWS_SHOWN = 10


class People(NamedTuple):
    """Keys in order, and the values that identify each in another query.

    Attributes
    ----------
    table : pandas.DataFrame
        The key's columns, those of segments, ``last_step`` (a time), ``next_event`` where names of
        events are known, ``next_time``, and ``after``, the time between the two.
    keys : list
        The key of each row: a value, or a tuple of values when the key has several columns.
    cut : bool
        Whether there are more keys than these.
    """

    table: pd.DataFrame
    keys: list[Any]
    cut: bool


class Point(NamedTuple):
    """A period of a trend.

    Attributes
    ----------
    entered : datetime or int
        A time in the period.
    every : str, timedelta or int
        The length of the period.
    open : bool
        Whether to return those whose window is not over, instead of all others.
    """

    entered: Any
    every: "Duration"
    open: bool = False

    def span(self, funnel: FunnelSpec, events: Prepared) -> tuple[int, int]:
        """Return the begin and end of the period, as the workers' integers."""
        periods = periods_for(self.every, funnel, events)
        return span_of(self.entered, periods, *clock_of(funnel, events))

    def task(self, funnel: FunnelSpec, events: Prepared) -> dict[str, Any]:
        """Return the fields of the workers' task, in addition to those of the funnel."""
        if not each_period(funnel):
            return {"entered": True}
        begin, end = self.span(funnel, events)
        own = period_of(funnel, events) or (None, None)
        first = begin if own[0] is None else max(begin, own[0])
        return {"entered": True, "period": (first, end if own[1] is None else min(end, own[1]))}

    def times(self, funnel: FunnelSpec, events: Prepared) -> tuple[int, int, int]:
        """Return the begin and end of the period, and the last entry whose window is over."""
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
    **fields: Any,
) -> People:
    """Return the first keys of some levels, without a shuffle and without sorting all of them.

    If the prepared events need only one task, it runs in this process, without a Spark job.

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
        Only those that a point of a trend counts.
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
        fields |= {"entered": point.times(funnel, events), "open": point.open}
    funnel_task = prepared_task(
        funnel, events, by=tuple(by), levels=tuple(levels), timed=True, **more
    )
    if fields.get("segments") is not None:
        kinds = [kind.typeName() for kind in segment_types(funnel, events, by)]
        fields["segments"] = tuple(
            tuple(_arrow_value(*one) for one in zip(segment, kinds, strict=True))
            for segment in fields["segments"]
        )
    task = PeopleTask(funnel_task, limit + 1, **fields)
    if events.tasks == 1:
        people = pa.Table.from_batches(task.run(events.fetched())) if events.partitions else None
    else:
        people = in_arrow(events.packed().mapInArrow(task.run, _schema(task, events)))
    if people is None:
        return People(pd.DataFrame(columns=list(dict.fromkeys((*funnel.key, *by)))), [], False)
    order = pc.sort_indices(people, [(name, "ascending") for name in funnel.key])
    return _people(people.take(order[:limit]), funnel.key, len(people) > limit)


@in_one_sentence()
def people_in(df: "DataFrame", key: Sequence[str], limit: int = MOST_PEOPLE) -> People:
    """Return the first keys of a Spark DataFrame, in order.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        A row for each person; arrays of names are shown as one text.
    key : sequence of str
        The key's columns.
    limit : int

    Returns
    -------
    People
        Its ``table`` has the columns of the DataFrame.
    """
    rows = in_arrow(df.orderBy(*key).limit(limit + 1))
    if rows is None:
        return People(pd.DataFrame(columns=df.columns), [], False)
    first = rows.slice(0, limit)
    table = first.to_pandas()
    for field in first.schema:
        if pa.types.is_list(field.type) or pa.types.is_large_list(field.type):
            table[field.name] = [" → ".join(one) for one in table[field.name]]
    return People(table, _keys(first, tuple(key)), len(rows) > limit)


def people_html(
    funnel: FunnelSpec, events: "TableLike | Prepared", level: int, columns: Sequence[str]
) -> Markup:
    """Return the keys that stopped at a level as a notebook shows them, without a Spark job.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    level : int
    columns : sequence of str
        The columns of the table that is shown.

    Returns
    -------
    Markup
        The first ten rows, if prepared events can be read in this process; else the columns.
    """
    title = f"People who stopped at level {level}"
    if not isinstance(events, Prepared) or events.tasks > 1:
        return unrun_table(title, columns)
    people = first_people(funnel, events, [level], limit=_ROWS_SHOWN)
    heading = f"{title}: the first {_ROWS_SHOWN}" if people.cut else title
    rows = [[_cell_text(value) for value in row] for row in people.table.itertuples(index=False)]
    return rows_table(heading, list(map(str, people.table.columns)), rows)


def _cell_text(value: Any) -> Any:
    return "" if pd.api.types.is_scalar(value) and pd.isna(value) else timedelta_text(value)


def _arrow_value(value: Any, kind: str) -> Any:
    """Return a segment's value from a pandas table as Arrow accepts it."""
    if pd.isna(value):
        return None
    if kind in INTEGERS:
        # Next to nulls, pandas turns integers into floats.
        return int(value)
    # Spark's rows hold times without a zone, in the time zone of this process.
    return value.astimezone() if kind == "timestamp" else getattr(value, "item", lambda: value)()


def _schema(task: PeopleTask, events: Prepared) -> Any:
    from pyspark.sql import types as T

    schema = task_schema(task.funnel, events.schema, events.time)
    own_columns = "reached", "since_first", ENTERED
    fields = [field for field in schema.fields if field.name not in own_columns]
    return T.StructType([*fields, T.StructField(LAST, schema["next_time"].dataType)])


def _people(people: pa.Table, key: tuple[str, ...], cut: bool) -> People:
    keys = _keys(people, key)
    last, then = (_local_times(people.column(name)) for name in (LAST, "next_time"))
    own_columns = ["level", LAST, "next_event", "next_time"]
    table = people.drop_columns(
        [name for name in own_columns if name in people.column_names]
    ).to_pandas()
    parts = {"last_step": last, "next_time": then, "after": then - last}
    if "next_event" in people.column_names:
        parts = {"last_step": last, "next_event": people.column("next_event").to_pandas()} | parts
    for name, values in parts.items():
        table[unused(table.columns, name)] = values
    return People(table, keys, cut)


def _keys(people: pa.Table, key: tuple[str, ...]) -> list[Any]:
    rows = zip(*(people.column(name).to_pylist() for name in key), strict=True)
    return [row[0] if len(key) == 1 else row for row in rows]


def _local_times(times: pa.ChunkedArray) -> "pd.Series[Any]":
    """Return times as local times of the session; integers stay integers, also next to nulls."""
    if pa.types.is_integer(times.type):
        local = times.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    else:
        local = pd.to_datetime(times.to_pandas()).dt.tz_localize(None)
    return pd.Series(local)
