"""Functions with their own order for the rows of a frame, on a block."""

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
from workbench.engine.filled import interpolate_nulls
from workbench.engine.frame_rows import FrameRows, frame_rows
from workbench.engine.list_functions import list_column, text_column
from workbench.functions import catalogue as c


def answer_in_own_order(window: Window, call: Call) -> pa.Array:
    """Return a call's result for every row of a block.

    Parameters
    ----------
    window : Window
    call : Call
        With its own order.

    Returns
    -------
    pyarrow.Array
    """
    return FAMILIES[call.info.family](window, call, window.own_order(call.order))


def _nth(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    nth = window.nth_of(call)
    frames = window.frames(call, call.without_null)
    return rows_of(window.column(call.arguments[0]), _rows(window, own, frames, nth))


def _rows(window: Window, own: OwnOrder, frames: Frames, nth: Any) -> Ints:
    """Return the nth row of each frame as a row of the block, -1 for none."""
    wanted = np.full(len(frames.begin), nth, np.int64)
    place = frames.ordered(own.place)
    nth_place = nth_places(window.offsets, place, frames.begin, frames.end, wanted)
    is_none = nth_place < 0
    return np.where(is_none, -1, own.row[np.where(is_none, 0, nth_place + window.first_row)])


def _count_before(window: Window, own: OwnOrder, frames: Frames, place: Ints) -> Ints:
    """Return how many rows of each frame are before a position."""
    row_places = frames.ordered(own.place)
    return rows_before(window.offsets, row_places, frames.begin, frames.end, place)


def _shift(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    """Shift from the row's position among the rows of its frame, even if it is not in the frame."""
    frames = window.frames(call, call.without_null)
    before = _count_before(window, own, frames, own.place)
    inside = _count_before(window, own, frames, own.place + 1) - before
    distance = np.full(len(before), window.n_of(call), np.int64)
    # With its own order its extent is the frame, so the direction is read from the catalogue.
    distance = distance if c.CATALOGUE[call.function].extent == c.AHEAD else -distance
    index = np.where(distance > 0, before + inside + distance - 1, before + distance)
    rows = _rows(window, own, frames, np.where(index >= 0, index + 1, 0))
    rows = np.where(distance == 0, np.arange(len(rows)), rows)
    return values_or_default(window, call, rows)


def values_or_default(window: Window, call: Call, rows: Ints) -> pa.Array:
    """Return the values of ``lag`` and ``lead`` at rows of the block, the default for row -1.

    Where the n of a row is null, so is its value.
    """
    known = np.True_ if call.per_row_n is None else window.present(call.per_row_n)
    values = rows_of(window.column(call.arguments[0]), np.where(known, rows, -1))
    if call.default is None:
        return values
    return pc.if_else(pa.array((rows < 0) & known), window.column(call.default), values)


def _rank(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    frames = window.frames(call, ())
    name, size = call.function, frames.sizes
    if name in ("row_number", "ntile"):
        number = _count_before(window, own, frames, own.place) + 1
        return pa.array(number, pa.int32()) if name == "row_number" else _tile(window, call, number)
    if name == "cume_dist":
        up_to_peers = _count_before(window, own, frames, own.after_peers)
        return pa.array(up_to_peers / np.maximum(size, 1))
    rank = _count_before(window, own, frames, own.first_peer)
    if name == "percent_rank":
        return pa.array(np.where(size > 1, rank / np.maximum(size - 1, 1), 0.0))
    return pa.array(rank + 1, pa.int32())


def _tile(window: Window, call: Call, number: Ints) -> pa.Array:
    """Return the ``ntile`` bucket of each row among the rows of its frame."""
    size = window.frames(call, ()).sizes
    buckets, known = window.buckets(call)
    tile = ntile_bucket(np.minimum(number, size), size, buckets)
    return pa.array(tile.astype(np.int32), mask=(size == 0) | ~known)


def ntile_bucket(number: Ints, size: Ints, buckets: Any) -> Ints:
    """Return the ``ntile`` bucket of each row, from 1, given its row number and the row count.

    Examples
    --------
    >>> ntile_bucket(np.array([1, 3, 4, 5]), np.full(4, 5), 2).tolist()
    [1, 1, 2, 2]
    """
    at = number - 1
    small, large = size // buckets, size % buckets
    in_large = (small + 1) * large
    after_large = large + (at - in_large) // np.maximum(small, 1)
    return np.asarray(np.where(at < in_large, at // (small + 1), after_large) + 1)


def _fill(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    values, along = (
        window.column(name).take(pa.array(own.row))
        for name in (call.arguments[0], call.order[0].name)
    )
    return interpolate_nulls(own.order, along, values).take(pa.array(own.place_in_block))


def _value_at_extreme(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    """Return the value at the least or greatest value; the first such row in the own order."""
    frames, codes = window.frames(call, call.arguments), window.codes(call.arguments[-1])
    least = call.info.keeps == c.LEAST
    place = own.place if least else -own.place
    code = np.empty(len(codes), np.int64)
    code[np.lexsort((place, codes))] = np.arange(len(codes))
    ordered = frames.ordered(code)
    ranges = frames.begin, frames.end
    positions = moving_aggregate(window.offsets, "min" if least else "max", ordered, *ranges)
    return rows_of(window.column(call.arguments[0]), window.block_rows(frames, positions))


def _mode(window: Window, call: Call, own: OwnOrder) -> pa.Array:
    frames = window.frames(call, call.arguments)
    codes, row = window.equal_codes(call.arguments[0]), np.full(len(frames.begin), -1, np.int64)
    for at, lists in frame_rows(window, frames, own):
        if call.options.distinct:
            # All distinct values are equally frequent, so the mode is the first one.
            row[at][lists.sizes > 0] = lists.rows[lists.ends[:-1][lists.sizes > 0]]
        elif len(lists.rows):
            row[at] = _modes(lists, codes)
    return rows_of(window.column(call.arguments[0]), row)


def _modes(lists: FrameRows, codes: Ints) -> Ints:
    """Return the first row of each list with its most frequent value, -1 for an empty list."""
    begin = np.zeros((len(lists.rows), 1), np.int64)
    end = np.repeat(lists.sizes, lists.sizes)[:, None]
    modes = moving_mode(lists.ends, codes[lists.rows], begin, end)
    nonempty = lists.sizes > 0
    first = lists.ends[:-1][nonempty]
    rows = np.full(len(lists.sizes), -1, np.int64)
    rows[nonempty] = lists.rows[modes[first] + first]
    return rows


FAMILIES: dict[str, Callable[[Window, Call, OwnOrder], pa.Array]] = {
    c.NTH: _nth,
    c.SHIFT: _shift,
    c.RANKING: _rank,
    c.FILL: _fill,
    c.ROW: _value_at_extreme,
    c.MODE: _mode,
    c.STRING_AGG: text_column,
    c.ARRAY_AGG: list_column,
    c.END_VALUES: list_column,
}
