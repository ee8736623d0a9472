"""Answers over rows with validity intervals: laid out in tiles, or listed query by query."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.worker.cogroup import CoGroup, Span, Times
from workbench.backfill.worker.validity.functions import answer_in_tiles, combines
from workbench.backfill.worker.validity.intervals import ValidIntervals, valid_intervals
from workbench.columnar.blocks import grouped
from workbench.columnar.ragged import rows_of_runs
from workbench.engine.block import Call
from workbench.engine.functions import answer

#: The most rows of windows that are listed at once.
AT_ONCE = 8_000_000
#: Rows are listed if windows hold at most this many rows for each row and query.
FEW = 4


def answer_valid(call: Call, cogroup: CoGroup, tiled: bool | None = None) -> tuple[pa.Array, Ints]:
    """Return the answers to a CoGroup's queries in order, and the number of rows of each.

    Parameters
    ----------
    call : Call
    cogroup : CoGroup
        Its columns :data:`VALID_FROM` and :data:`VALID_TO` are the events' validity intervals.
    tiled : bool, optional
        Whether to lay rows out in tiles or to list those of each query. By default what takes
        fewer steps.

    Returns
    -------
    answers : pyarrow.Array
    sizes : int64 array

    Notes
    -----
    In tiles, a function whose states combine takes O(rows · log queries + queries) steps. For other
    functions each row is laid out O(log queries) times, and frames have O(log queries) ranges.
    Listed, a call takes as many steps as there are rows in windows.
    """
    validity = valid_intervals(call, cogroup)
    sizes = validity.sizes
    if tiled is None:
        listed = int(sizes.sum()) <= FEW * (len(validity.row) + len(sizes))
        tiled = combines(call) or not listed
    # A function that needs all rows in their order gains nothing from tiles.
    if not tiled or call.info.in_order or not len(sizes):
        return _listed(call, validity, cogroup), sizes
    return answer_in_tiles(call, validity, cogroup.columns), sizes


def _listed(call: Call, validity: ValidIntervals, cogroup: CoGroup) -> pa.Array:
    """Return the answer to each query from a list of its rows, as if each had a key of its own."""
    found = [_answer_range(call, validity, cogroup, *chunk) for chunk in _chunks(validity.sizes)]
    return pa.concat_arrays(found) if len(found) > 1 else found[0]


def _chunks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of queries that see about :data:`AT_ONCE` rows together."""
    number = np.cumsum(sizes) // AT_ONCE
    edges = np.flatnonzero(np.diff(number)) + 1
    bounds = [0, *edges.tolist(), len(sizes)]
    yield from pairwise(bounds)


def _answer_range(
    call: Call, validity: ValidIntervals, cogroup: CoGroup, low: int, high: int
) -> pa.Array:
    if high - low < len(validity.queries.time):
        cogroup_of_range = _one_key_per_query(validity, cogroup, low, high)
    else:
        cogroup_of_range = validity.once(
            "apart", lambda: _one_key_per_query(validity, cogroup, low, high)
        )
    # Every row of the list is in the window, so the frame is unbounded.
    unbounded = replace(call, frame=cast(Any, Span(None, ahead=1 + _ahead(call))), where=None)
    return answer(cogroup_of_range.window(call.arguments), unbounded).take(
        pa.array(cogroup_of_range.query_positions)
    )


def _one_key_per_query(validity: ValidIntervals, cogroup: CoGroup, low: int, high: int) -> CoGroup:
    """Return some queries, each with the rows that it sees in a key of its own."""
    first, last = (np.clip(run, low, high) - low for run in validity.runs)
    counts = last - first
    at = np.repeat(np.arange(len(counts)), counts)
    query = rows_of_runs(first, counts)
    offsets, order = grouped(query.astype(np.uint32), high - low)
    at = at[order]
    rows = Times(offsets, validity.row[at].astype(np.uint32), validity.time[at])
    count = np.arange(high - low + 1)
    queries = Times(count, count[:-1].astype(np.uint32), cogroup.queries.time[low:high])
    return CoGroup(queries, rows, cogroup.columns)


def _ahead(call: Call) -> int:
    return cast(Span, call.frame).ahead
