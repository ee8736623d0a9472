"""Sorting of a window's rows, and the frames around them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.frames.frames import Bound, BoundKeys, Ranges, frame_ranges
from kernels.frames.ordering import Order, order_by_key, order_by_starts
from kernels.structures.order import sort_entries
from workbench.columnar.blocks import Block, grouped
from workbench.columnar.columns import codes_in_order, is_ranked, numbers, present
from workbench.columnar.key_codes import as_array, key_codes
from workbench.columnar.ragged import offsets_of
from workbench.columnar.zones import instants_of, zone_of
from workbench.durations import DAY
from workbench.errors import WorkbenchError
from workbench.frames.bounds import COUNT, MONTHS, NUMBER, Offset, PerRow
from workbench.frames.frame import Frame
from workbench.functions.order import OrderColumn

_ONE_DAY = np.timedelta64(1, "D")


def ordered_block(rows: pa.Table, keys: Sequence[str], order: Sequence[OrderColumn]) -> Block:
    """Return a block of rows grouped by partition, and sorted within each.

    Parameters
    ----------
    rows : pyarrow.Table
        All rows of some partitions, at least one.
    keys : sequence of str
        The columns that define the partitions, if any.
    order : sequence of OrderColumn
        The sort is stable.

    Returns
    -------
    Block
        Its rows include the columns of the key.

    Examples
    --------
    >>> rows = pa.table({"user": [7, 8, 7], "time": [5, 2, None]})
    >>> block = ordered_block(rows, ["user"], [OrderColumn("time", False, nulls_first=True)])
    >>> block.offsets.tolist(), block.rows.to_pydict()
    ([0, 2, 3], {'user': [7, 7, 8], 'time': [None, 5, 2]})
    """
    codes, count = key_codes(rows.select(list(keys)))
    offsets, at = grouped(codes, count)
    at = rows_in_order(rows, order, offsets, at)
    first = rows.select(list(keys)).take(at[offsets[:-1]])
    # One column after another, so that memory holds only one of them twice.
    columns = {name: as_array(rows.column(name)).take(at) for name in rows.column_names}
    return Block(first, offsets, pa.table(columns))


def rows_in_order(
    rows: pa.Table,
    order: Sequence[OrderColumn],
    offsets: NDArray[np.int64],
    at: NDArray[np.uint32],
) -> NDArray[np.uint32]:
    """Return the sorted row numbers, grouped by partition.

    Parameters
    ----------
    rows : pyarrow.Table
    order : sequence of OrderColumn
        The sort is stable.
    offsets : int64 array of shape (partitions + 1,)
    at : uint32 array of shape (rows,)
        The rows of each partition.

    Returns
    -------
    uint32 array of shape (rows,)

    Examples
    --------
    >>> rows = pa.table({"x": [7, 3, 5]})
    >>> at = np.arange(3, dtype=np.uint32)
    >>> order = [OrderColumn("x", False, nulls_first=True)]
    >>> rows_in_order(rows, order, np.array([0, 2, 3]), at).tolist()
    [1, 0, 2]
    """
    for column in reversed(order):
        values = as_array(rows.column(column.name))
        code = codes_in_order(values)
        at = _stable_sort(~code if column.descending else code, offsets, at)
        if values.null_count:
            null = ~present(values)
            at = _stable_sort((null ^ column.nulls_first).astype(np.int64), offsets, at)
    return at


def _stable_sort(
    code: NDArray[np.int64], offsets: NDArray[np.int64], at: NDArray[np.uint32]
) -> NDArray[np.uint32]:
    place = np.arange(len(at), dtype=np.uint32)
    sort_entries.over(offsets, code[at], place)
    return at[place]


def order_of(block: Block, order: Sequence[OrderColumn]) -> Order:
    """Return the order of a block's rows for frames and ranks.

    Parameters
    ----------
    block : Block
        From :func:`ordered_block`, with the same columns.
    order : sequence of OrderColumn

    Returns
    -------
    kernels.Order
        With a key where the order has one column.
    """
    columns = [block.column(column.name) for column in order]
    if len(columns) == 1:
        null = ~present(columns[0])
        counts = np.diff(offsets_of(null)[block.offsets])
        sides = np.array([1, 0] if order[0].nulls_first else [0, 1], np.int64)
        key = measured(columns[0])
        return order_by_key(block.offsets, key, np.outer(counts, sides), order[0].descending)
    starts = np.zeros(len(block.rows), np.uint8)
    for column in columns:
        code, valid = codes_in_order(column), present(column)
        same = (valid[1:] == valid[:-1]) & ((code[1:] == code[:-1]) | ~valid[1:])
        starts[1:] |= ~same
    return order_by_starts(block.offsets, starts)


def measured(values: pa.Array) -> NDArray[Any]:
    """Return a column as numbers along which distances are measured: times in microseconds."""
    if is_ranked(values.type):
        return codes_in_order(values)
    if pa.types.is_time64(values.type) and values.type.unit == "ns":
        return numbers(values) // 1000
    scale = DAY if pa.types.is_date32(values.type) else 1
    unscaled = numbers(values)
    return unscaled if scale == 1 else unscaled * scale


def ranges_of(
    frame: Frame, order: Order, like: pa.DataType | None, column: Callable[[str], pa.Array]
) -> Ranges:
    """Return the frame of every row.

    Parameters
    ----------
    frame : Frame
    order : kernels.Order
    like : pyarrow.DataType or None
        The type of the order column, where there is only one.
    column : function
        Returns a column of the block by name, for bounds that are columns.

    Returns
    -------
    begin, end : int64 arrays of shape (rows, pieces)
    """
    bounds = {"low": frame.low, "high": frame.high}
    low, high = (
        _bound_per_row(name, bound, order, like, column(str(bound.amount.column)))
        if bound is not None and isinstance(bound.amount, PerRow)
        else _bound(bound, order, like)
        for name, bound in bounds.items()
    )
    return frame_ranges(order, frame.unit, low, high, frame.exclude)


def _bound(bound: Offset | None, order: Order, like: pa.DataType | None) -> Bound:
    if bound is None or bound.amount == 0:
        return None if bound is None else 0
    if bound.unit == MONTHS:
        assert like is not None
        return _months_away(order, like, bound.amount)
    if bound.unit == NUMBER and pa.types.is_floating(like):
        return float(bound.amount)
    if bound.unit == NUMBER and pa.types.is_decimal(like):
        assert like is not None
        return bound.scaled(like.scale)
    return int(bound.amount)


def _bound_per_row(
    name: str, bound: Offset, order: Order, like: pa.DataType | None, given: pa.Array
) -> Bound:
    """Return a bound that is a column; it must not be null in rows whose frames depend on it."""
    distance = numbers(given)
    missing = ~present(given) | np.isnan(distance)
    if bound.unit != COUNT:
        # The frame of rows without a key is their peers, whatever the distance.
        missing &= _with_key(order)
    if missing.any():
        count = missing.sum()
        rows = "row" if count == 1 else "rows"
        raise WorkbenchError(
            f"{name}: the bound is null or NaN in {count:,} {rows} of a partition; give every row "
            "a distance, such as with F.coalesce(..., F.lit(0))."
        )
    if bound.unit == MONTHS:
        assert like is not None
        return _months_away(order, like, distance)
    return distance


def _with_key(order: Order) -> NDArray[np.bool_]:
    sizes = np.diff(order.offsets)
    first, last = (np.repeat(order.offsets[:-1] + order.valid[:, k], sizes) for k in (0, 1))
    row = np.arange(order.rows)
    return np.asarray((first <= row) & (row < last))


def _months_away(order: Order, like: pa.DataType, months: Any) -> BoundKeys:
    zone = like.tz if pa.types.is_timestamp(like) else None
    signed = -months if order.descending else months
    return BoundKeys(shift_months(np.asarray(order.key), signed, zone))


def shift_months(
    instants: NDArray[np.int64], months: int | NDArray[np.int64], zone: str | None = None
) -> NDArray[np.int64]:
    """Return the instants some calendar months later; days beyond a month's end move to its end.

    Parameters
    ----------
    instants : int64 array
        Microseconds.
    months : int, or int64 array of the same shape
        Negative is earlier.
    zone : str, optional
        The time zone of the calendar; see :func:`instants_of` for local times that a change of
        the clock skips or repeats.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> day = np.array([np.datetime64("2024-03-31T12:00", "us")]).view(np.int64)
    >>> shift_months(day, -1).view("M8[us]").tolist()
    [datetime.datetime(2024, 2, 29, 12, 0)]
    """
    zone_name, offset = zone_of(zone or "UTC")
    local = np.asarray(instants, np.int64)
    if offset is None:
        zoned = pa.array(local).cast(pa.timestamp("us", zone_name))
        local = np.asarray(pc.local_timestamp(zoned).cast(pa.int64()), np.int64)
    time = (local + (offset or 0)).view("M8[us]")
    month = time.astype("M8[M]")
    since_month = time - month.astype("M8[us]")
    target = month + np.asarray(months, np.int64).astype("m8[M]")
    next_month = target + np.timedelta64(1, "M")
    last_day = next_month.astype("M8[D]") - target.astype("M8[D]") - _ONE_DAY
    day = np.minimum(since_month // _ONE_DAY * _ONE_DAY, last_day)
    shifted = target.astype("M8[us]") + day + since_month % _ONE_DAY
    local_shifted: NDArray[np.int64] = shifted.view(np.int64)
    if offset is not None:
        return local_shifted - offset
    instants_there = instants_of(pa.array(local_shifted).cast(pa.timestamp("us")), zone_name)
    return np.asarray(instants_there.cast(pa.int64()), np.int64)
