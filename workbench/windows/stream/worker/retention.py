"""When rows that are kept can be dropped, though nothing comes."""

from collections.abc import Sequence

import numpy as np

from kernels.core.arrays import Ints
from kernels.frames.extent import BACK, START, FrameExtent, along_order, extent_table
from kernels.frames.ordering import MOST
from workbench.windows.stream.worker.operator import NEVER


def due_of(
    offsets: Ints, time: Ints | None, extents: Sequence[FrameExtent], watermark: int | None
) -> Ints:
    """Return what the watermark must reach before rows of each partition can be dropped.

    A quiet partition is asked at most twice: when its last row is passed, and when that row is out
    of reach of any that may still come.

    Parameters
    ----------
    offsets : int64 array of shape (partitions + 1,)
    time : int64 array of shape (rows,), or None
        Where the order begins with instants that ascend: these.
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
    some = offsets[1:] > offsets[:-1]
    last = time[offsets[1:][some] - 1]
    passed = np.full(len(last), False) if watermark is None else last <= watermark
    away = np.where(last > NEVER - reach, NEVER, last + reach)
    gone = away <= (NEVER if watermark is None else watermark)
    due[some] = np.where(passed, np.where(gone, NEVER, away), last)
    return due
