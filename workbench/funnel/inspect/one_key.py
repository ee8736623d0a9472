"""Fetch one key's rows from a table or from prepared blocks, for a person to look at."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import CONDITIONS, NAME, TIME
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind, bits, clock_of, period_of, prepared_task, task_of
from workbench.funnel.plan import levels
from workbench.funnel.prepared import Prepared
from workbench.funnel.segment_values import value_of
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.one_key import OneKeyTask
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.names import name_of
from workbench.spark.one_key import check_kind, first_rows, has_key, key_values, unknown_key_error
from workbench.spark.shuffle import numbered
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable, column

if TYPE_CHECKING:
    from workbench.spark.sources.given import TableLike

MOST_ROWS = 500
#: The fetched column that tells whether a row has the requested key.
IS_KEY = "__is_key__"


@dataclass(frozen=True)
class KeyRows:
    """The rows of one key, in order of time.

    Attributes
    ----------
    time : int64 array of shape (rows,)
        Microseconds, or what an integer time column holds.
    conditions : uint32 array of shape (rows,)
        Bit k is set when the row fulfils step k.
    names : list of str
        The values of the event column; empty text for null.
    integer_time : bool
    cut : bool
        Whether the key has more rows than these.
    """

    time: NDArray[np.int64]
    conditions: NDArray[np.uint32]
    names: list[str]
    integer_time: bool
    cut: bool


@in_one_sentence()
def rows_of_key(
    funnel: FunnelSpec, events: "TableLike | Prepared", key: Any, limit: int = MOST_ROWS
) -> KeyRows:
    """Return the rows of one key.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared
    key : value, or tuple of values when the funnel's key has several columns
    limit : int
        How many rows are fetched at the most, the earliest ones.

    Returns
    -------
    KeyRows

    Raises
    ------
    WorkbenchError
        When no row has this key.
    """
    values = key_values(key, funnel.key)
    if isinstance(events, Prepared):
        bind(funnel, events)
        period = period_of(funnel, events)
        values = _values_in_blocks(funnel, events, values)
        task = OneKeyTask(prepared_task(funnel, events), values, limit + 1)
        schema = f"{TIME} long, {CONDITIONS} int, {NAME} string"
        integer_time = events.integer_time
        if events.tasks == 1:
            # So few rows are searched here sooner than a Spark job starts.
            batches = [batch for batch in task.run(events.fetched()) if len(batch)]
            rows = pa.Table.from_batches(batches) if batches else pa.table({})
        else:
            rows = in_arrow(events.blocks.select("block").mapInArrow(task.run, schema))
    else:
        bound = BoundTable.of(table(events), funnel.key, funnel.time)
        integer_time = bound.integer_time
        rows = _select(funnel, bound, values, limit)
        period = period_of(funnel, bound)
    if not len(rows):
        raise unknown_key_error(key)
    cut = len(rows) > limit
    rows = rows.slice(0, limit).combine_chunks()
    conditions = rows.column(CONDITIONS).to_numpy().astype(np.int32).view(np.uint32)
    names = [name or "" for name in rows.column(NAME).to_pylist()]
    time = instants(as_array(rows.column(TIME)))
    if period is not None:
        funnel_task = task_of(funnel, integer_time, names=False, period=period)
        conditions = funnel_task.in_period(time, conditions)
    return KeyRows(time, conditions, names, integer_time, cut)


def _values_in_blocks(
    funnel: FunnelSpec, events: Prepared, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Return the values of a key as blocks hold them, and refuse those that no column holds."""
    zone, found = clock_of(funnel, events)[1], []
    for name, value in zip(funnel.key, values, strict=True):
        kind = events.schema[name].dataType
        check_kind(kind, repr(name), value, "key")
        found.append(value_of(value, kind.typeName(), name, "key", zone))
    return tuple(found)


@in_one_sentence()
def a_key(funnel: FunnelSpec, events: "TableLike | Prepared") -> Any:
    """Return one of the keys that got furthest, as the default key.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared

    Returns
    -------
    value, or tuple of values when the funnel's key has several columns
    """
    from pyspark.sql import functions as F

    reached = levels(funnel, bind(funnel, events))
    names = [name_of(name) for name in funnel.key]
    best = collected(reached.orderBy(F.desc("level"), *names).select(*names).limit(1))
    if not best:
        raise WorkbenchError("events: there is no row with a key and a time; nothing can be shown.")
    return best[0][0] if len(best[0]) == 1 else tuple(best[0])


def _select(
    funnel: FunnelSpec, events: BoundTable, values: tuple[Any, ...], limit: int
) -> pa.Table:
    from pyspark.sql import functions as F

    has_events = funnel.event in events.names
    name = column(events, funnel.event, "event") if has_events else F.lit(None)
    columns = {TIME: events.instants, **bits(funnel, events), NAME: name.cast("string")}
    # Computed before rows are filtered: a condition may be a window function, also across keys.
    rows, number = numbered(events.df, columns | {IS_KEY: has_key(events, values)})
    values_of = {name: F.col(number[name]) for name in columns}
    rows = rows.where(number[IS_KEY]).where(values_of[TIME].isNotNull())
    return first_rows(rows, list(values_of.values()), values_of, limit)
