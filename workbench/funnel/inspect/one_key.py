"""One key's rows, fetched from a table or from prepared blocks, to be looked at by a person."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.columnar.blocks import CONDITIONS, NAME, TIME, instants
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.funnel.bind import bind, bits, period_of, prepared_task, task_of
from workbench.funnel.plan import levels
from workbench.funnel.prepared import Prepared
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.worker.one_key import OneKeyTask
from workbench.spark.jobs import collected, in_arrow, in_one_sentence
from workbench.spark.one_key import first_rows, has_key, key_values, unknown_key_error
from workbench.spark.shuffle import numbered
from workbench.spark.sources.given import table
from workbench.spark.table import BoundTable, column, name_of

if TYPE_CHECKING:
    from workbench.spark.sources.given import TableLike

MOST_ROWS = 500
#: Whether a row has the key that is asked for, among the columns that are fetched.
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
        What happened, as the event column says; empty text where there is none.
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
        The most rows that are fetched, the earliest ones.

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
        task = OneKeyTask(prepared_task(funnel, events), values, limit + 1)
        schema = f"{TIME} long, {CONDITIONS} int, {NAME} string"
        integer_time = events.integer_time
        if events.tasks == 1:
            # So little is looked through here before a job of Spark has started.
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
        asked = task_of(funnel, integer_time, names=False, period=period)
        conditions = asked.in_period(time, conditions)
    return KeyRows(time, conditions, names, integer_time, cut)


@in_one_sentence()
def a_key(funnel: FunnelSpec, events: "TableLike | Prepared") -> Any:
    """Return a key that got as far as any, for those who name none.

    Parameters
    ----------
    funnel : FunnelSpec
    events : TableLike or Prepared

    Returns
    -------
    value, or tuple of values when the funnel's key has several columns
    """
    from pyspark.sql import functions as F

    found = levels(funnel, bind(funnel, events))
    names = [name_of(name) for name in funnel.key]
    best = collected(found.orderBy(F.desc("level"), *names).select(*names).limit(1))
    if not best:
        raise WorkbenchError("events: there is no row with a key and a time; nothing can be shown.")
    return best[0][0] if len(best[0]) == 1 else tuple(best[0])


def _select(
    funnel: FunnelSpec, events: BoundTable, values: tuple[Any, ...], limit: int
) -> pa.Table:
    from pyspark.sql import functions as F

    known = funnel.event in events.names
    name = column(events, funnel.event, "event") if known else F.lit(None)
    wanted = {TIME: events.instants, **bits(funnel, events), NAME: name.cast("string")}
    # Computed before rows are taken: a condition may be a window function, also across keys.
    rows, number = numbered(events.df, wanted | {IS_KEY: has_key(events, values)})
    values_of = {name: F.col(number[name]) for name in wanted}
    rows = rows.where(number[IS_KEY]).where(values_of[TIME].isNotNull())
    return first_rows(rows, list(values_of.values()), values_of, limit)
