"""Functions that look at the rows of a frame in an order of their own, on a block."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.core.arrays import Ints
from kernels.windows.aggregate import moving_aggregate
from kernels.windows.mode import moving_mode
from kernels.windows.own_order import nth_places, rows_before
from workbench.columnar.columns import rows_of
from workbench.engine.block import Call, Frames, OwnOrder, Window
from workbench.engine.filled import filled
from workbench.engine.frame_rows import FrameRows, frame_rows
from workbench.engine.list_functions import list_column, text_column
from workbench.functions import catalogue as c


def in_own_order(window: Window, call: Call) -> pa.Array:
    """Return a call's answer for every row of a block.

    Parameters
    ----------
    window : Window
    call : Call
        With an order of its own.

    Returns
    -------
    pyarrow.Array
    """
    return FAMILIES[call.info.family](window, call, window.own_order(call.order))


def _nth(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    nth = window.each(call) if call.info.keeps_n else (1 if call.info.keeps == c.FIRST else -1)
    frames = window.frames(call, call.without_null)
    return rows_of(window.column(call.arguments[0]), _rows(window, own, frames, nth))


def _rows(window: Window, own: OwnOrder, frames: Frames, nth: Any) -> Ints:
    """The row of the block that is the nth of each frame, -1 for none."""
    wanted = np.full(len(frames.begin), nth, np.int64)
    place = frames.ordered(own.place)
    found = nth_places(window.offsets, place, frames.begin, frames.end, wanted)
    return np.where(found < 0, -1, own.row[np.where(found < 0, 0, found + window.first_row)])


def _before(window: Window, own: OwnOrder, frames: Frames, place: Ints) -> Ints:
    """How many rows of each frame stand before a place."""
    of = frames.ordered(own.place)
    return rows_before(window.offsets, of, frames.begin, frames.end, place)


def _shift(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    """The row itself stands among those of its frame, whether it is one of them or not."""
    frames = window.frames(call, call.without_null)
    before = _before(window, own, frames, own.place)
    inside = _before(window, own, frames, own.place + 1) - before
    away = np.full(len(before), window.each(call), np.int64)
    # In an order of its own it looks as far as its frame, and the catalogue still says which way.
    away = away if c.CATALOGUE[call.function].extent == c.AHEAD else -away
    index = np.where(away > 0, before + inside + away - 1, before + away)
    rows = _rows(window, own, frames, np.where(index >= 0, index + 1, 0))
    rows = np.where(away == 0, np.arange(len(rows)), rows)
    known = np.True_ if call.each is None else window.present(call.each)
    found = rows_of(window.column(call.arguments[0]), np.where(known, rows, -1))
    if call.default is None:
        return found
    return pc.if_else(pa.array((rows < 0) & known), window.column(call.default), found)


def _rank(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    frames = window.frames(call, ())
    name, size = call.function, frames.sizes
    if name in ("row_number", "ntile"):
        number = _before(window, own, frames, own.place) + 1
        return pa.array(number, pa.int32()) if name == "row_number" else _tile(window, call, number)
    if name == "cume_dist":
        upto = _before(window, own, frames, own.behind_peers)
        return pa.array(upto / np.maximum(size, 1))
    rank = _before(window, own, frames, own.first_peer)
    if name == "percent_rank":
        return pa.array(np.where(size > 1, rank / np.maximum(size - 1, 1), 0.0))
    return pa.array(rank + 1, pa.int32())


def _tile(window: Window, call: Call, number: Ints) -> pa.Array:
    """The bucket of each row among the rows of its frame, as ``ntile`` deals them."""
    size = window.frames(call, ()).sizes
    buckets, known = window.buckets(call)
    tile = dealt(np.minimum(number, size), size, buckets)
    return pa.array(tile.astype(np.int32), mask=(size == 0) | ~known)


def dealt(number: Ints, size: Ints, buckets: Any) -> Ints:
    """Return the bucket of each row that is some number of so many, from 1, as ``ntile`` deals.

    Examples
    --------
    >>> dealt(np.array([1, 3, 4, 5]), np.full(4, 5), 2).tolist()
    [1, 1, 2, 2]
    """
    at = number - 1
    small, large = size // buckets, size % buckets
    in_large = (small + 1) * large
    behind = large + (at - in_large) // np.maximum(small, 1)
    return np.asarray(np.where(at < in_large, at // (small + 1), behind) + 1)


def _fill(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    values, along = (
        window.column(name).take(pa.array(own.row))
        for name in (call.arguments[0], call.order[0].name)
    )
    return filled(own.order, along, values).take(pa.array(own.place_in_block))


def _beside(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    """Of equal values, the row that stands first in the order is taken."""
    frames, codes = window.frames(call, call.arguments), window.codes(call.arguments[-1])
    least = call.info.keeps == c.LEAST
    place = own.place if least else -own.place
    code = np.empty(len(codes), np.int64)
    code[np.lexsort((place, codes))] = np.arange(len(codes))
    ordered = frames.ordered(code)
    ranges = frames.begin, frames.end
    found = moving_aggregate(window.offsets, "min" if least else "max", ordered, *ranges)
    return rows_of(window.column(call.arguments[0]), window.block_rows(frames, found))


def _mode(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    frames = window.frames(call, call.arguments)
    codes, row = window.equal_codes(call.arguments[0]), np.full(len(frames.begin), -1, np.int64)
    for at, lists in frame_rows(window, frames, own):
        if call.options.distinct:
            # All values are as frequent, and the first of them is taken.
            row[at][lists.sizes > 0] = lists.rows[lists.ends[:-1][lists.sizes > 0]]
        elif len(lists.rows):
            row[at] = _modes(lists, codes)
    return rows_of(window.column(call.arguments[0]), row)


def _modes(lists: FrameRows, codes: Ints) -> Ints:
    """The first row of each list that has its most frequent value, -1 for an empty one."""
    begin = np.zeros((len(lists.rows), 1), np.int64)
    end = np.repeat(lists.sizes, lists.sizes)[:, None]
    found = moving_mode(lists.ends, codes[lists.rows], begin, end)
    some = lists.sizes > 0
    first = lists.ends[:-1][some]
    rows = np.full(len(lists.sizes), -1, np.int64)
    rows[some] = lists.rows[found[first] + first]
    return rows


FAMILIES: dict[str, Callable[[Window, Call, OwnOrder], pa.Array]] = {
    c.NTH: _nth,
    c.SHIFT: _shift,
    c.RANKING: _rank,
    c.FILL: _fill,
    c.ROW: _beside,
    c.MODE: _mode,
    c.STRING_AGG: text_column,
    c.ARRAY_AGG: list_column,
    c.END_VALUES: list_column,
}
