"""The approximate functions on a block: sketches of chunks of rows, merged for each frame."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import nsmallest
from itertools import pairwise
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.windows.first_last_k import list_ends
from workbench.columnar.columns import (
    answers,
    floats,
    lists,
    maps_of_ends,
    rows_of,
    type_between,
)
from workbench.columnar.sketches import Distinct, Frequent, Quantiles
from workbench.columnar.value_texts import items_of
from workbench.engine.block import Call, Frames, Window
from workbench.engine.order import measured
from workbench.functions.catalogue import (
    DISTINCT_SKETCH,
    FREQUENT_SKETCH,
    QUANTILES_SKETCH,
    Options,
)

#: The rows of a chunk. Each chunk has a sketch, each pair of chunks a merged one, and so on.
CHUNK = 512

Ranges = tuple[tuple[int, int], ...]


class FrameSketch(Protocol):
    """The interface of the sketches of chunks."""

    def merge(self, other: Any) -> None:
        """Merge another sketch into this one."""

    def copy(self) -> Any:
        """Return a copy."""


S = TypeVar("S", bound=FrameSketch)


class Chunks(Generic[S]):
    """The sketches of a partition's rows: one per chunk, and a binary tree of merged ones above.

    The sketch of a frame merges the chunks that it covers, from O(log rows) nodes of the tree, and
    adds the rows at its edges one by one. Chunks count from the partition's first row, so the
    result of a frame does not depend on earlier frames.

    Parameters
    ----------
    make : callable
        Returns an empty sketch.
    feed : callable
        Feeds rows of the partition to a sketch.
    """

    def __init__(self, make: Callable[[], S], feed: Callable[[S, Ints], None]) -> None:
        self._make, self._feed = make, feed
        self._nodes: dict[tuple[int, int], S] = {}
        self._covered: tuple[Ranges, S] = (), make()

    def of_frame(self, ranges: Ranges) -> S:
        """Return a sketch of the rows of some ascending ranges."""
        whole = tuple((-(-low // CHUNK), high // CHUNK) for low, high in ranges)
        inner = tuple((first, last) for first, last in whole if first < last)
        if self._covered[0] != inner:
            self._covered = inner, self._merged(inner)
        sketch: S = self._covered[1].copy()
        edges = list(_edges(ranges))
        if edges:
            self._feed(sketch, np.concatenate(edges))
        return sketch

    def _merged(self, inner: Ranges) -> S:
        sketch = self._make()
        for first, last in inner:
            while first < last:
                level = (last - first).bit_length() - 1
                if first:
                    level = min(level, (first & -first).bit_length() - 1)
                sketch.merge(self._node(level, first >> level))
                first += 1 << level
        return sketch

    def _node(self, level: int, index: int) -> S:
        if (level, index) not in self._nodes:
            node = self._make()
            if level == 0:
                self._feed(node, np.arange(index * CHUNK, (index + 1) * CHUNK))
            else:
                node.merge(self._node(level - 1, 2 * index))
                node.merge(self._node(level - 1, 2 * index + 1))
            self._nodes[level, index] = node
        return self._nodes[level, index]


def _edges(ranges: Ranges) -> Iterator[Ints]:
    """Yield the rows of ranges outside of whole chunks."""
    for low, high in ranges:
        first, last = -(-low // CHUNK) * CHUNK, high // CHUNK * CHUNK
        if first < last:
            yield from (np.arange(low, first), np.arange(last, high))
        else:
            yield np.arange(low, high)


def answer_by_sketches(window: Window, call: Call) -> pa.Array:
    """Return the result of an approximate function for every row of a block.

    Parameters
    ----------
    window : Window
    call : Call

    Returns
    -------
    pyarrow.Array

    Notes
    -----
    O(log rows) merges and O(1) values fed for each row, however long its frame; rows whose frames
    cover the same chunks share the merges.
    """
    functions = {DISTINCT_SKETCH: _distinct, QUANTILES_SKETCH: _quantiles, FREQUENT_SKETCH: _top}
    return functions[call.info.family](window, call, window.frames(call, call.arguments))


def _distinct(window: Window, call: Call, frames: Frames) -> pa.Array:
    number, values = _numbered(window, call, frames)
    items = np.array(items_of(values), object)

    def feed(sketch: Distinct, rows: Ints) -> None:
        sketch.add(items[np.unique(number[rows])])

    counts = _per_frame(window, frames, lambda: Distinct(call.options.n), feed, Distinct.estimate)
    return pa.array([one or 0 for one in counts], pa.int64())


def _quantiles(window: Window, call: Call, frames: Frames) -> pa.Array:
    values, q = window.column(call.arguments[0]), call.options.q
    column = frames.ordered(sketch_numbers(values))

    def feed(sketch: Quantiles, rows: Ints) -> None:
        sketch.add(column[rows])

    def estimate(sketch: Quantiles) -> list[float] | None:
        return sketch.estimate(q)

    quantiles = _per_frame(window, frames, lambda: Quantiles(call.options.n), feed, estimate)
    return quantiles_of(quantiles, call.options, values.type)


def sketch_numbers(values: pa.Array) -> NDArray[np.float64]:
    """Return numbers or times as the floats that a sketch of quantiles takes."""
    return measured(values).astype(np.float64) if _is_time(values.type) else floats(values)


def quantiles_of(
    quantiles: Sequence[list[float] | None], options: Options, kind: pa.DataType
) -> pa.Array:
    """Return the quantiles of sketches as a column.

    Parameters
    ----------
    quantiles : sequence of (list of float, or None)
        None for a sketch without numbers.
    options : Options
        The requested quantiles, and whether a single one was given.
    kind : pyarrow.DataType
        The type of the values.

    Returns
    -------
    pyarrow.Array
    """
    zeros = [0.0] * len(options.q)
    empty = np.array([one is None for one in quantiles], np.bool_)
    flat = np.array([one or zeros for one in quantiles], np.float64).ravel()
    null = np.repeat(empty, len(options.q))
    if _is_time(kind):
        column = answers(np.rint(flat).astype(np.int64), null).cast(type_between(kind))
    else:
        column = answers(flat, null)
    return column if options.single else lists(column, len(options.q), empty)


def _is_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date32(kind))


def _top(window: Window, call: Call, frames: Frames) -> pa.Array:
    k, (number, values) = call.options.n, _numbered(window, call, frames)
    items = np.array(items_of(values), object)
    number_of = {item: at for at, item in enumerate(items)}

    def feed(sketch: Frequent, rows: Ints) -> None:
        distinct, counts = np.unique(number[rows], return_counts=True)
        sketch.add(items[distinct], counts.tolist())

    def most_frequent(sketch: Frequent) -> list[tuple[int, int]]:
        known = ((-count, number_of[item]) for item, count in sketch.estimates())
        return nsmallest(k, known)

    tops = _per_frame(window, frames, lambda: Frequent(k), feed, most_frequent)
    ends = list_ends(np.array([len(one or ()) for one in tops], np.int64))
    pairs = np.array([pair for one in tops for pair in one or ()], np.int64).reshape(-1, 2)
    return maps_of_ends(ends, rows_of(values, pairs[:, 1]), -pairs[:, 0], frames.sizes == 0)


def _numbered(window: Window, call: Call, frames: Frames) -> tuple[Ints, pa.Array]:
    """Return the index of each counted row's value among the sorted distinct values, and these."""
    name = call.arguments[0]
    codes, present = window.codes(name), np.flatnonzero(window.present(name))
    distinct, first = np.unique(codes[present], return_index=True)
    # The code of a null is arbitrary, but no frame holds it.
    number = np.searchsorted(distinct, codes)
    return frames.ordered(number), window.column(name).take(pa.array(present[first]))


def _feed_from(feed: Callable[[S, Ints], None], first: int, sketch: S, rows: Ints) -> None:
    """Feed rows that are numbered from the first row of their partition."""
    feed(sketch, rows + first)


def _per_frame(
    window: Window,
    frames: Frames,
    make: Callable[[], S],
    feed: Callable[[S, Ints], None],
    estimate: Callable[[S], Any],
) -> list[Any]:
    """Return the estimate of the sketch of each row's frame, None for an empty frame."""
    estimates: list[Any] = []
    for first, last in pairwise(window.offsets.tolist()):
        chunks = Chunks(make, partial(_feed_from, feed, first))
        before: tuple[Ranges, Any] = (), None
        ends = zip(frames.begin[first:last].tolist(), frames.end[first:last].tolist(), strict=True)
        for begin, end in ends:
            pieces = zip(begin, end, strict=True)
            ranges = tuple((low, high) for low, high in pieces if low < high)
            if ranges != before[0]:
                before = ranges, estimate(chunks.of_frame(ranges)) if ranges else None
            estimates.append(before[1])
    return estimates
