"""Answers of rows that are valid for an interval: laid out in tiles, or listed query by query."""

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

#: The rows of windows that are listed at once.
AT_ONCE = 8_000_000
#: Windows that hold at most so many rows, for each row and query there is, are listed.
FEW = 4


def answer_valid(call: Call, cogroup: CoGroup, tiled: bool | None = None) -> tuple[pa.Array, Ints]:
    """Return the answers of a meeting's queries in their order, and how many rows each is of.

    Parameters
    ----------
    call : Call
    cogroup : CoGroup
        Its columns :data:`BEGIN` and :data:`END` are the events' validity intervals.
    tiled : bool, optional
        Lay rows out in tiles, or list those of each query, instead of what takes fewer steps.

    Returns
    -------
    answers : pyarrow.Array
    sizes : int64 array

    Notes
    -----
    Tiled, a function that combines takes O(rows · log queries + queries) steps. For others each row
    is laid out O(log queries) times, and the steps are those of the function over frames of
    O(log queries) ranges. Listed, a call takes as many steps as there are rows in windows.
    """
    validity = valid_intervals(call, cogroup)
    sizes = validity.sizes
    if tiled is None:
        listed = int(sizes.sum()) <= FEW * (len(validity.row) + len(sizes))
        tiled = combines(call) or not listed
    # No tree holds less than all rows in their order.
    if not tiled or call.info.in_order or not len(sizes):
        return _listed(call, validity, cogroup), sizes
    return answer_in_tiles(call, validity, cogroup.columns), sizes


def _listed(call: Call, validity: ValidIntervals, cogroup: CoGroup) -> pa.Array:
    """Answer each query from a list of its own rows: as if it were alone with them in its key."""
    found = [_of_some(call, validity, cogroup, *chunk) for chunk in _chunks(validity.sizes)]
    return pa.concat_arrays(found) if len(found) > 1 else found[0]


def _chunks(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of queries that see not too many rows together."""
    number = np.cumsum(sizes) // AT_ONCE
    edges = np.flatnonzero(np.diff(number)) + 1
    bounds = [0, *edges.tolist(), len(sizes)]
    yield from pairwise(bounds)


def _of_some(
    call: Call, validity: ValidIntervals, cogroup: CoGroup, low: int, high: int
) -> pa.Array:
    if high - low < len(validity.queries.time):
        apart = _apart(validity, cogroup, low, high)
    else:
        apart = validity.once("apart", lambda: _apart(validity, cogroup, low, high))
    # Every row of the list is in the window: nothing is left to decide.
    everything = replace(call, frame=cast(Any, Span(None, ahead=1 + _ahead(call))), where=None)
    return answer(apart.window(call.arguments), everything).take(pa.array(apart.query_places))


def _apart(validity: ValidIntervals, cogroup: CoGroup, low: int, high: int) -> CoGroup:
    """Some queries, each in a key of its own with the rows that it sees."""
    first, last = (np.clip(run, low, high) - low for run in validity.runs)
    counts = last - first
    at = np.repeat(np.arange(len(counts)), counts)
    query = rows_of_runs(first, counts)
    offsets, order = grouped(query.astype(np.uint32), high - low)
    at = at[order]
    rows = Times(offsets, validity.row[at].astype(np.uint32), validity.time[at])
    count = np.arange(high - low + 1)
    alone = Times(count, count[:-1].astype(np.uint32), cogroup.queries.time[low:high])
    return CoGroup(alone, rows, cogroup.columns)


def _ahead(call: Call) -> int:
    return cast(Span, call.frame).ahead
