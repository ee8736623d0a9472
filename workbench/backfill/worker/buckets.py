"""Features by bucket: maps from the value of each bucket to the answer for its events."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.worker.cogroup import CoGroup, Times
from workbench.columnar.columns import as_map_keys, codes_in_order
from workbench.columnar.key_codes import key_codes
from workbench.columnar.ragged import offsets_of, rows_of_runs, run_of_rows
from workbench.engine.block import Call
from workbench.engine.functions import answer

#: Computes the answers to the queries of a CoGroup, in their order, and their numbers of events.
AnswerFunction = Callable[[Call, CoGroup], tuple[pa.Array, Ints]]


def answer_plainly(call: Call, cogroup: CoGroup) -> tuple[pa.Array, Ints]:
    """Return the answers to a CoGroup's queries in order, and the number of events of each."""
    window, places = cogroup.window(call.arguments), cogroup.query_positions
    sizes = window.frames(call, call.without_null).sizes
    return answer(window, call).take(pa.array(places)), sizes[places]


def answer_by_bucket(
    call: Call,
    by: str,
    kind: pa.DataType,
    cogroup: CoGroup,
    answer_function: AnswerFunction = answer_plainly,
) -> pa.Array:
    """Return a map for each query, in the order of the CoGroup's queries.

    Parameters
    ----------
    call : Call
    by : str
        The events' column of buckets.
    kind : pyarrow.DataType
        The type of the maps.
    cogroup : CoGroup
    answered : function
        Computes the answers for the queries of each bucket.

    Returns
    -------
    pyarrow.MapArray
        The buckets with an event that counts, sorted; null if there is none.

    Notes
    -----
    Each query is answered once for every bucket of its key, whether it is in the window or not.
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
    # The buckets of a key are adjacent and sorted by their values.
    rank = np.lexsort((order[first], key_of_event[first]))
    place = np.empty(count, np.uint32)
    place[rank] = np.arange(count, dtype=np.uint32)
    first, key_of_bucket = first[rank], key_of_event[first[rank]]
    by_bucket = _cogroup_of_buckets(cogroup, place[pair], valid, key_of_bucket)
    found, sizes = answer_function(call, by_bucket)
    query = by_bucket.queries.row.astype(np.int64)
    bucket = np.repeat(np.arange(count), np.diff(by_bucket.queries.offsets))
    answered = np.flatnonzero(sizes > 0)
    answered = answered[np.lexsort((bucket[answered], query[answered]))]
    counts = np.bincount(query[answered], minlength=len(cogroup.queries.row))
    ends = offsets_of(counts).astype(np.int32)
    keys = as_map_keys(buckets.take(pa.array(first[bucket[answered]])))
    items = found.take(pa.array(answered)).cast(kind.item_type)
    offsets = pa.array(ends, mask=np.concatenate([counts == 0, [False]]))
    return pa.MapArray.from_arrays(offsets, keys.cast(kind.key_type), items).cast(kind)


def _cogroup_of_buckets(
    cogroup: CoGroup, place: "np.ndarray[tuple[int], np.dtype[np.uint32]]", valid: Ints, key: Ints
) -> CoGroup:
    """Return the same events by key and bucket, with each query once for every bucket of its key.

    The rows of the new queries are places among the old queries.
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
