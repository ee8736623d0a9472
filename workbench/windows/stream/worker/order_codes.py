"""The place of rows in a window's order, as integers that hold for those kept and those to come."""

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
    """The places of rows in the order.

    Attributes
    ----------
    code : int64 array of shape (rows,)
        In the window's order, and equal for peers.
    time : int64 array of shape (rows,), or None
        Where the order begins with instants that ascend: these, in microseconds.
    untimed : bool array of shape (rows,)
        Where the first column of the order is null.
    """

    code: Ints
    time: Ints | None
    untimed: NDArray[np.bool_]

    def late(self, watermark: int | None) -> NDArray[np.bool_]:
        """Return which rows a watermark has passed: none without one, and none without a time."""
        if self.time is None or watermark is None:
            return np.zeros(len(self.code), np.bool_)
        return (self.time <= watermark) & ~self.untimed

    def up_to(self, watermark: int | None) -> int | None:
        """Return the greatest code that no row behind the watermark can have; None without any."""
        if self.time is None or watermark is None:
            return None
        if self.time is self.code:
            return watermark
        passed = self.time <= watermark
        return int(self.code[passed].max(initial=-2)) + 1

    def passed_at(self, due: Ints) -> Ints:
        """Return which watermark passes the rows of some codes, and the greatest integer for it."""
        if self.time is None or self.time is self.code:
            return due
        time = np.full(self.code.max(initial=-1) + 2, MOST)
        time[self.code] = self.time
        return np.asarray(np.where(due < MOST, time[np.minimum(due, len(time) - 1)], MOST))

    def at(self, rows: Ints) -> "Codes":
        """Return the codes of rows in another order, or of some of them."""
        code, untimed = self.code[rows], self.untimed[rows]
        if self.time is None or self.time is self.code:
            return Codes(code, None if self.time is None else code, untimed)
        return Codes(code, self.time[rows], untimed)


def order_codes(rows: pa.Table, order: Sequence[OrderColumn], measured: bool = False) -> Codes:
    """Return the codes of rows.

    Parameters
    ----------
    rows : pyarrow.Table
        Those that are kept and those that come, in any order.
    order : sequence of OrderColumn
        Along one column of numbers or times, codes are what distances are measured in. Of text,
        long decimals and several columns they are ranks among these rows.
    measured : bool
        Whether a frame has a distance along the order. Where none has, codes are ranks as well if
        nulls would stand with a value that is the last of its type.

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
    alone = len(order) == 1 and not is_ranked(first.type)
    if alone and (measured or not _nulls_are_peers(place, untimed)):
        return Codes(place, time, untimed)
    return Codes(_ranks(rows, order), time, untimed)


def _nulls_are_peers(place: Ints, null: NDArray[np.bool_]) -> bool:
    """Whether a value stands where nulls do."""
    return bool(null.any() and (place[~null] == place[null][0]).any())


def _ranks(rows: pa.Table, order: Sequence[OrderColumn]) -> Ints:
    """Even numbers, so that a watermark has one of its own between two of them."""
    keys = [key for column in order for key in _keys(as_array(rows.column(column.name)), column)]
    at = np.lexsort(keys[::-1])
    differs = np.zeros(len(rows), np.int64)
    for key in keys:
        differs[1:] |= key[at[1:]] != key[at[:-1]]
    code = np.empty(len(rows), np.int64)
    code[at] = 2 * np.cumsum(differs)
    return code


def _keys(values: pa.Array, column: OrderColumn) -> tuple[Ints, Ints]:
    """Where nulls stand, and the order of the others."""
    there = present(values)
    code = codes_in_order(values)
    code = ~code if column.descending else code
    side = np.where(there, 0, -1 if column.nulls_first else 1)
    return side.astype(np.int64), np.where(there, code, 0)
