"""The functions that give several values of a frame, on a block: lists of them, and histograms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.windows.first_last_k import moving_ends
from kernels.windows.histogram import moving_extremes, moving_histogram
from workbench.columnar.columns import lists_of_ends, maps_of_ends, rows_of
from workbench.engine.block import Call, Frames, Window
from workbench.functions.catalogue import GREATEST, LAST

Ints = NDArray[np.int64]


def end_values(window: Window, call: Call) -> pa.Array:
    """Return the first or the last values of each frame that are not null."""
    frames, last = window.frames(call, call.arguments), call.info.keeps == LAST
    ranges = frames.begin, frames.end
    ends, rows = _run(call, moving_ends, window.offsets, *ranges, call.options.n, last=last)
    flat = rows_of(window.column(call.arguments[0]), _block_rows(window, frames, ends, rows))
    return lists_of_ends(ends, flat, frames.sizes == 0)


def extreme_values(window: Window, call: Call) -> pa.Array:
    """Return the greatest or the least values of each frame."""
    codes, frames = _codes(window, call)
    how = {"greatest": call.info.keeps == GREATEST, "once": call.options.distinct}
    moving = window.offsets, codes, frames.begin, frames.end
    ends, rows = _run(call, moving_extremes, *moving, call.options.n, **how)
    flat = rows_of(window.column(call.arguments[0]), _block_rows(window, frames, ends, rows))
    return lists_of_ends(ends, flat, frames.sizes == 0)


def histogram(window: Window, call: Call) -> pa.Array:
    """Return the values of each frame, and how often each is there."""
    codes, frames = _codes(window, call)
    moving = window.offsets, codes, frames.begin, frames.end
    ends, rows, counts = _run(call, moving_histogram, *moving)
    keys = rows_of(window.column(call.arguments[0]), _block_rows(window, frames, ends, rows))
    return maps_of_ends(ends, keys, counts, frames.sizes == 0)


def _codes(window: Window, call: Call) -> tuple[Ints, Frames]:
    frames = window.frames(call, call.arguments)
    return frames.ordered(window.codes(call.arguments[0])), frames


def _run(call: Call, moving: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The answer of a kernel, whose error names the result's column."""
    try:
        return moving(*arguments, **options)
    except OverflowError as error:
        raise OverflowError(f"{call.column}: {error}") from None


def _block_rows(window: Window, frames: Frames, ends: Ints, positions: Ints) -> Ints:
    """The rows of the block at positions in the partitions, list by list."""
    sizes = np.diff(ends[window.offsets])
    at = positions + np.repeat(window.offsets[:-1], sizes)
    return at if frames.row is None else frames.row[at]
