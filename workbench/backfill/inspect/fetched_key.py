"""The queries and events of one key, held on the driver to inspect its queries without a job."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.backfill.bind import Plan
from workbench.backfill.inspect.one_query import (
    MOST_EVENTS,
    MOST_QUERIES,
    fetch_query,
    one_query,
    rows_of_key,
)
from workbench.backfill.inspect.origin import NUMBER, OneQuery
from workbench.columnar.blocks import TIME
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.spark.jobs import in_one_sentence
from workbench.spark.names import unused
from workbench.spark.one_key import first_rows

#: The most events of a key that are held; of more, the newest ones.
MOST_FETCHED = 250_000


@dataclass(frozen=True)
class FetchedKey:
    """The queries and events of one key, to be inspected query by query.

    Attributes
    ----------
    plan : Plan
    key : value, or tuple of values
    queries, events : pyarrow.Table
        A query for each time, and the events, in the workers' columns and in the order of time.
    query_time, time : int64 array
        The time of each query, and of each event.
    whole : bool
        Whether all events of the key are held.
    """

    plan: Plan
    key: Any
    queries: pa.Table
    events: pa.Table
    query_time: NDArray[np.int64]
    time: NDArray[np.int64]
    whole: bool

    @property
    def times(self) -> list[int]:
        """The last query times of the key, in the kernels' integers."""
        return [int(time) for time in self.query_time]

    def ask(self, micro: int, most: int = MOST_EVENTS) -> OneQuery:
        """Return a query with the newest events before it, as :func:`fetch_query` fetches it.

        Parameters
        ----------
        micro : int
            One of :attr:`times`.
        most : int
            The most events.

        Returns
        -------
        OneQuery

        Notes
        -----
        No job runs, except for a query that sees events older than those that are held.
        """
        extent = self.plan.extent
        begin = None if extent is None else micro - extent
        first = 0 if begin is None else int(np.searchsorted(self.time, begin))
        last = int(np.searchsorted(self.time, micro))
        # Some of the events at the oldest time that is held may be missing.
        is_complete = (
            self.whole or (begin is not None and begin > self.time[0]) or last - first > most
        )
        if not is_complete:
            return fetch_query(self.plan, self.key, micro=micro, most=most)
        first = max(first, last - most - 1)
        row = int(np.searchsorted(self.query_time, micro))
        newest_first = pa.array(np.arange(first, last)[::-1])
        return one_query(
            self.plan, self.queries.slice(row, 1), self.events.take(newest_first), most
        )


@in_one_sentence()
def fetched_key(plan: Plan, key: Any) -> FetchedKey:
    """Fetch the queries and the newest events of a key.

    Parameters
    ----------
    plan : Plan
    key : value, or tuple of values when the key has several columns

    Returns
    -------
    FetchedKey

    Notes
    -----
    Two jobs. One query is fetched for each time, and of more than a thousand times the last ones.
    """
    queries, query_time = rows_of_key(plan, key, queries=True)
    number = unused(queries.columns, NUMBER)
    each = queries.withColumn(number, query_time).dropDuplicates([number])
    found = first_rows(each, [each[number].desc()], plan.wire.queries, MOST_QUERIES - 1)
    events, at = rows_of_key(plan, key, queries=False)
    rows = first_rows(events, [at.desc()], plan.wire.events, MOST_FETCHED)
    found, rows = (some.take(pa.array(np.arange(len(some))[::-1])) for some in (found, rows))
    times = [instants(as_array(some.column(TIME))).astype(np.int64) for some in (found, rows)]
    return FetchedKey(plan, key, found, rows, times[0], times[1], len(rows) <= MOST_FETCHED)
