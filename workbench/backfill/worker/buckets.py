"""Features by bucket: a map of each bucket's value to the answer of its own events."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.worker.cogroup import CoGroup, Times
from workbench.columnar.columns import codes_in_order
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import offsets_of, rows_of_runs, run_of_rows
from workbench.engine.block import Call
from workbench.engine.functions import answer

#: Answers for a meeting's queries in their order, and how many events each is of.
Answered = Callable[[Call, CoGroup], tuple[pa.Array, Ints]]


def plainly(call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
    """Return the answers of a meeting's queries in their order, and how many events each is of."""
    window, places = cogroup.window(call.arguments), cogroup.query_places
    sizes = window.frames(call, call.without_null).sizes
    return answer(window, call).take(pa.array(places)), sizes[places]


def bucketed(
    call: Call, by: str, kind: pa.DataType, cogroup: CoGroup, answered: Answered = plainly
) -> pa.Array:
    """Return a map for each query, in the order of the meeting's queries.

    Parameters
    ----------
    call : Call
    by : str
        The events' column of buckets.
    kind : pyarrow.DataType
        That of the maps.
    cogroup : CoGroup
    answered : function
        Answers for the queries of each bucket.

    Returns
    -------
    pyarrow.MapArray
        The buckets that have an event which counts, in their order; null where there is none.

    Notes
    -----
    Each query is asked once for every bucket that its key has, in any window.
    """
    values = cogroup.columns[by]
    key_of_event = run_of_rows(cogroup.events.offsets)
    row = cogroup.events.row
    buckets = values.take(pa.array(row))
    valid = buckets.is_valid().to_numpy(zero_copy_only=False)
    row, key_of_event, buckets = row[valid], key_of_event[valid], buckets.filter(pa.array(valid))
    if not len(buckets):
        return pa.nulls(len(cogroup.queries.row), kind)
    order = codes_in_order(buckets)
    pair, count = key_codes(pa.table({"key": key_of_event, "bucket": order}))
    first = np.zeros(count, np.int64)
    first[pair[::-1]] = np.arange(len(pair))[::-1]
    # Buckets of a key stand side by side and in the order of their values.
    rank = np.lexsort((order[first], key_of_event[first]))
    place = np.empty(count, np.uint32)
    place[rank] = np.arange(count, dtype=np.uint32)
    first, key_of_bucket = first[rank], key_of_event[first[rank]]
    apart = _apart(cogroup, place[pair], valid, key_of_bucket)
    found, sizes = answered(call, apart)
    query = apart.queries.row.astype(np.int64)
    bucket = np.repeat(np.arange(count), np.diff(apart.queries.offsets))
    seen = np.flatnonzero(sizes > 0)
    seen = seen[np.lexsort((bucket[seen], query[seen]))]
    counts = np.bincount(query[seen], minlength=len(cogroup.queries.row))
    ends = offsets_of(counts).astype(np.int32)
    keys = buckets.take(pa.array(first[bucket[seen]]))
    items = found.take(pa.array(seen)).cast(kind.item_type)
    offsets = pa.array(ends, mask=np.concatenate([counts == 0, [False]]))
    return pa.MapArray.from_arrays(offsets, keys.cast(kind.key_type), items).cast(kind)


def _apart(
    cogroup: CoGroup, place: "np.ndarray[tuple[int], np.dtype[np.uint32]]", valid: Ints, key: Ints
) -> CoGroup:
    """The same events by key and bucket, and each query once for every bucket of its key.

    The new queries' rows are places among the old queries.
    """
    events, queries = cogroup.events, cogroup.queries
    order = np.argsort(place, kind="stable")
    offsets = offsets_of(np.bincount(place, minlength=len(key)))
    row, time = events.row[valid][order], events.time[valid][order]
    counts = np.diff(queries.offsets)[key]
    ends = offsets_of(counts)
    at = rows_of_runs(queries.offsets[key], counts)
    queries_of_bucket = Times(ends, at.astype(np.uint32), queries.time[at])
    return CoGroup(queries_of_bucket, Times(offsets, row, time), cogroup.columns)
