"""How far partitions got: the output of the kernels, the result, and what accompanies it."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class Reached(NamedTuple):
    """How far the partitions of a block got.

    Attributes
    ----------
    level : int64 array of shape (partitions,)
    reached : int64 array of shape (partitions, steps)
        The times of the winning chain.
    taken : bool array of shape (partitions, steps)
        Which steps the chain has, so which of these times are valid.
    excluded : bool array of shape (partitions,), or None
        Whether an excluded event ended the furthest chain.
    """

    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    taken: NDArray[np.bool_]
    excluded: NDArray[np.bool_] | None = None


class ScanResult(NamedTuple):
    """The output of the kernels for the partitions of a block.

    Attributes
    ----------
    level : int64 array of shape (partitions,)
    reached : int64 array of shape (partitions, steps)
    outcome : int64 array of shape (partitions, 4), or None
        See :func:`kernels.funnel.chain_levels.chain_levels`; None for ClickHouse's scan.
    """

    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    outcome: NDArray[np.int64] | None

    def copy(self) -> "ScanResult":
        """Return a copy that may be written to."""
        outcome = None if self.outcome is None else self.outcome.copy()
        return ScanResult(self.level.copy(), self.reached.copy(), outcome)


class FunnelAnswers(NamedTuple):
    """The results of partitions, with their keys and segments.

    Attributes
    ----------
    keys : pyarrow.Table
        One row for each partition.
    result : Reached
    time_type : pyarrow.DataType
        The type of the time column.
    segments : dict of str to pyarrow.Array
        The values of each column of ``by``.
    entered : int64 array, or None
        The time of the last row that may begin a chain, if requested.
    number : int64 array, or None
        The number of the session or chain of its key, from 1.
    """

    keys: pa.Table
    result: Reached
    time_type: pa.DataType
    segments: dict[str, pa.Array]
    entered: NDArray[np.int64] | None = None
    number: NDArray[np.int64] | None = None
