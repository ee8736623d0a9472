"""The watermarks at which retained rows can be dropped without arrivals."""

from collections.abc import Sequence

import numpy as np

from kernels.core.arrays import Ints
from kernels.frames.extent import BACK, START, FrameExtent, along_order, extent_table
from kernels.frames.ordering import MOST
from workbench.windows.stream.worker.operator import NEVER


def due_of(
    offsets: Ints, time: Ints | None, extents: Sequence[FrameExtent], watermark: int | None
) -> Ints:
    """Return the watermark at which rows of each partition can be dropped.

    A partition without arrivals is due at most twice: when the watermark passes its last row, and
    when that row is out of reach of all rows that may still arrive.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,), or None
        The times, where the order begins with an ascending timestamp.
    extents : sequence of FrameExtent
    watermark : int or None

    Returns
    -------
    int64 array of shape (partitions,)
        :data:`workbench.windows.stream.worker.operator.NEVER` where nothing can be dropped.

    Examples
    --------
    >>> week = [FrameExtent("range", -7, 0)]
    >>> due_of(np.array([0, 2, 3, 4]), np.array([1, 20, 12, 3]), week, 15).tolist()
    [20, 19, 9223372036854775807]
    """
    due = np.full(len(offsets) - 1, NEVER)
    table = extent_table(extents)
    if time is None or (table[:, [BACK, START]] == MOST).any():
        return due
    reach = int(table[along_order(table)][:, [BACK, START]].max(initial=0))
    nonempty = offsets[1:] > offsets[:-1]
    last = time[offsets[1:][nonempty] - 1]
    passed = np.full(len(last), False) if watermark is None else last <= watermark
    out_of_reach = np.where(last > NEVER - reach, NEVER, last + reach)
    dropped = out_of_reach <= (NEVER if watermark is None else watermark)
    due[nonempty] = np.where(passed, np.where(dropped, NEVER, out_of_reach), last)
    return due
