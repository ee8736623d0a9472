"""Functions that return several values of a frame, on a block: lists and histograms."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.core.arrays import Ints
from kernels.windows.first_last_k import MOST_VALUES, moving_ends
from kernels.windows.histogram import moving_extremes, moving_histogram
from workbench.columnar.columns import lists_of_ends, maps_of_ends, rows_of
from workbench.columnar.ragged import starts_of
from workbench.engine.block import Call, Frames, OwnOrder, Window
from workbench.engine.frame_rows import FrameRows, frame_rows
from workbench.functions.catalogue import END_VALUES, GREATEST, LAST


def end_values(window: Window, call: Call) -> pa.Array:
    """Return the first or the last non-null values of each frame."""
    frames, last = window.frames(call, call.arguments), call.info.keeps == LAST
    ranges = frames.begin, frames.end
    ends, rows = _run(call, moving_ends, window.offsets, *ranges, call.options.n, last=last)
    flat = rows_of(window.column(call.arguments[0]), _block_rows(window, frames, ends, rows))
    return lists_of_ends(ends, flat, frames.sizes == 0)


def array_agg(window: Window, call: Call) -> pa.Array:
    """Return all values of each frame in row order, nulls included."""
    return list_column(window, call, None)


def list_column(window: Window, call: Call, own: OwnOrder | None) -> pa.Array:
    """Return values of each frame, in the window's order or the function's own order."""
    values, chunks = window.column(call.arguments[0]), []
    for lists in _lists(window, call, own):
        flat = rows_of(values, lists.rows)
        chunks.append(lists_of_ends(lists.ends, flat, lists.sizes == 0))
    return _concat(chunks, pa.list_(values.type))


def text_column(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    """Return the joined strings of each frame, in the function's own order."""
    values, chunks = window.column(call.arguments[0]), []
    for lists in _lists(window, call, own):
        flat = rows_of(values, lists.rows)
        texts = lists_of_ends(lists.ends, flat, lists.sizes == 0)
        chunks.append(pc.binary_join(texts, pa.scalar(call.options.separator, values.type)))
    return _concat(chunks, values.type)


def _concat(chunks: list[pa.Array], kind: pa.DataType) -> pa.Array:
    return pa.concat_arrays(chunks) if chunks else pa.array([], kind)


def _lists(window: Window, call: Call, own: OwnOrder | None) -> Iterator[FrameRows]:
    """Yield the rows whose values are listed, a batch of frames at a time."""
    frames, name, written = window.frames(call, call.without_null), call.arguments[0], 0
    for _, lists in frame_rows(window, frames, own):
        if call.options.distinct:
            lists = lists.first_of_each(window.codes_with_null(name))
        if call.info.family == END_VALUES:
            lists = lists.ends_of(call.options.n, call.info.keeps == LAST)
        written += len(lists.rows)
        if written > MOST_VALUES:
            raise OverflowError(
                f"{call.column}: the lists of a partition have {written:,} values, but a column "
                f"holds {MOST_VALUES:,}; take shorter frames, or more partitions."
            )
        yield lists


def extreme_values(window: Window, call: Call) -> pa.Array:
    """Return the greatest or the least values of each frame."""
    codes, frames = _codes(window, call)
    how = {"greatest": call.info.keeps == GREATEST, "once": call.options.distinct}
    moving = window.offsets, codes, frames.begin, frames.end
    ends, rows = _run(call, moving_extremes, *moving, call.options.n, **how)
    flat = rows_of(window.column(call.arguments[0]), _block_rows(window, frames, ends, rows))
    return lists_of_ends(ends, flat, frames.sizes == 0)


def histogram(window: Window, call: Call) -> pa.Array:
    """Return the values of each frame, and how often each occurs."""
    codes, frames = _codes(window, call)
    moving = window.offsets, codes, frames.begin, frames.end
    ends, rows, counts = _run(call, moving_histogram, *moving)
    keys = rows_of(window.column(call.arguments[0]), _block_rows(window, frames, ends, rows))
    return maps_of_ends(ends, keys, counts, frames.sizes == 0)


def entropy(window: Window, call: Call) -> pa.Array:
    """Return the entropy of each frame's values in bits."""
    codes, frames = _codes(window, call)
    ends, _, counts = _run(call, moving_histogram, window.offsets, codes, frames.begin, frames.end)
    counts = np.ones(len(counts)) if call.options.distinct else counts.astype(np.float64)
    several = np.flatnonzero(np.diff(ends) > 1)
    bits = np.zeros(len(frames.begin))
    if len(several):
        # The entropy of a single distinct value is 0.
        in_several = np.repeat(np.diff(ends) > 1, np.diff(ends))
        counts, size = counts[in_several], np.diff(ends)[several]
        first = starts_of(size)
        rows = np.add.reduceat(counts, first)
        bits[several] = np.log2(rows) - np.add.reduceat(counts * np.log2(counts), first) / rows
    return pa.array(bits)


def _codes(window: Window, call: Call) -> tuple[Ints, Frames]:
    frames = window.frames(call, call.arguments)
    return frames.ordered(window.codes(call.arguments[0])), frames


def _run(call: Call, moving: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Return the result of a kernel; its error names the result's column."""
    try:
        return moving(*arguments, **options)
    except OverflowError as error:
        raise OverflowError(f"{call.column}: {error}") from None


def _block_rows(window: Window, frames: Frames, ends: Ints, positions: Ints) -> Ints:
    """Return the rows of the block at positions in the partitions, list by list."""
    sizes = np.diff(ends[window.offsets])
    at = positions + np.repeat(window.offsets[:-1], sizes)
    return at if frames.row is None else frames.row[at]
