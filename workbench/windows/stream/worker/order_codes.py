"""Integer codes for the order of rows, valid for retained rows and for arrivals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kernels.core.arrays import Ints
from kernels.frames.ordering import MOST
from workbench.columnar.columns import codes_in_order, is_ranked, present
from workbench.columnar.key_codes import as_array
from workbench.engine.ranges.sort_codes import places
from workbench.functions.order import OrderColumn


class Codes(NamedTuple):
    """Order codes of rows.

    Attributes
    ----------
    code : int64 array of shape (rows,)
        Ascending in the window's order, and equal for peers.
    time : int64 array of shape (rows,), or None
        The times, in microseconds, where the order begins with an ascending timestamp.
    untimed : bool array of shape (rows,)
        Where the first column of the order is null.
    """

    code: Ints
    time: Ints | None
    untimed: NDArray[np.bool_]

    def late(self, watermark: int | None) -> NDArray[np.bool_]:
        """Return which rows a watermark has passed; rows without a time are never late."""
        if self.time is None or watermark is None:
            return np.zeros(len(self.code), np.bool_)
        return (self.time <= watermark) & ~self.untimed

    def up_to(self, watermark: int | None) -> int | None:
        """Return the greatest code that later rows cannot have; None without a watermark."""
        if self.time is None or watermark is None:
            return None
        if self.time is self.code:
            return watermark
        passed = self.time <= watermark
        return int(self.code[passed].max(initial=-2)) + 1

    def passed_at(self, due: Ints) -> Ints:
        """Return the watermarks that pass rows of the given codes, or the greatest integer."""
        if self.time is None or self.time is self.code:
            return due
        time = np.full(self.code.max(initial=-1) + 2, MOST)
        time[self.code] = self.time
        return np.asarray(np.where(due < MOST, time[np.minimum(due, len(time) - 1)], MOST))

    def at(self, rows: Ints) -> "Codes":
        """Return the codes of the given rows, in the given order."""
        code, untimed = self.code[rows], self.untimed[rows]
        if self.time is None or self.time is self.code:
            return Codes(code, None if self.time is None else code, untimed)
        return Codes(code, self.time[rows], untimed)


def order_codes(rows: pa.Table, order: Sequence[OrderColumn], measured: bool = False) -> Codes:
    """Return the order codes of rows.

    Parameters
    ----------
    rows : pyarrow.Table
        Retained rows and arrivals, in any order.
    order : sequence of OrderColumn
        For one column of numbers or times, distances between codes are distances of values. For
        text, long decimals and several columns, codes are ranks among these rows.
    measured : bool
        Whether a frame has a distance along the order. If not, codes are also ranks where the code
        of nulls would equal that of the least or greatest value of the type.

    Returns
    -------
    Codes

    Examples
    --------
    >>> rows = pa.table({"word": ["b", "a", "b"], "n": [1, 2, 1]})
    >>> by = OrderColumn("word", False, nulls_first=True), OrderColumn("n", True, nulls_first=False)
    >>> order_codes(rows, by).code.tolist()
    [2, 0, 2]
    """
    if not order:
        return Codes(np.zeros(len(rows), np.int64), None, np.zeros(len(rows), np.bool_))
    first = as_array(rows.column(order[0].name))
    place, untimed = places(first, order[0]), ~present(first)
    time = place if pa.types.is_timestamp(first.type) and not order[0].descending else None
    has_distances = len(order) == 1 and not is_ranked(first.type)
    if has_distances and (measured or not _nulls_share_code(place, untimed)):
        return Codes(place, time, untimed)
    return Codes(_ranks(rows, order), time, untimed)


def _nulls_share_code(place: Ints, null: NDArray[np.bool_]) -> bool:
    """Return whether a value has the code of nulls."""
    return bool(null.any() and (place[~null] == place[null][0]).any())


def _ranks(rows: pa.Table, order: Sequence[OrderColumn]) -> Ints:
    """Return ranks as even numbers, so that a watermark can have a number between two ranks."""
    keys = [key for column in order for key in _keys(as_array(rows.column(column.name)), column)]
    at = np.lexsort(keys[::-1])
    differs = np.zeros(len(rows), np.int64)
    for key in keys:
        differs[1:] |= key[at[1:]] != key[at[:-1]]
    code = np.empty(len(rows), np.int64)
    code[at] = 2 * np.cumsum(differs)
    return code


def _keys(values: pa.Array, column: OrderColumn) -> tuple[Ints, Ints]:
    """Return sort keys: the side on which nulls stand, and the codes of the values."""
    there = present(values)
    code = codes_in_order(values)
    code = ~code if column.descending else code
    side = np.where(there, 0, -1 if column.nulls_first else 1)
    return side.astype(np.int64), np.where(there, code, 0)
