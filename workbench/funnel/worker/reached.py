"""How far partitions got: as kernels say it, as an answer tells it, and what goes with it."""

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
        Which of these times mean something.
    excluded : bool array of shape (partitions,), or None
        Where an excluded event has ended the furthest chain.
    """

    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    taken: NDArray[np.bool_]
    excluded: NDArray[np.bool_] | None = None


class ScanResult(NamedTuple):
    """What the kernels say of the partitions of a block.

    Attributes
    ----------
    level : int64 array of shape (partitions,)
    reached : int64 array of shape (partitions, steps)
    outcome : int64 array of shape (partitions, 4), or None
        See :func:`kernels.funnel.chain_levels.chain_levels`; None of ClickHouse's scan.
    """

    level: NDArray[np.int64]
    reached: NDArray[np.int64]
    outcome: NDArray[np.int64] | None

    def copy(self) -> "ScanResult":
        """Return the same, to be written to."""
        outcome = None if self.outcome is None else self.outcome.copy()
        return ScanResult(self.level.copy(), self.reached.copy(), outcome)


class FunnelAnswers(NamedTuple):
    """What is known of partitions that are answered for.

    Attributes
    ----------
    keys : pyarrow.Table
        One row for each.
    result : Reached
    time_type : pyarrow.DataType
        Of the column of times.
    segments : dict of str to pyarrow.Array
        The values of ``by``.
    entered : int64 array, or None
        When the last row was that may begin a chain, where it is asked.
    number : int64 array, or None
        Of the sessions or chains of a key, from 1.
    """

    keys: pa.Table
    result: Reached
    time_type: pa.DataType
    segments: dict[str, pa.Array]
    entered: NDArray[np.int64] | None = None
    number: NDArray[np.int64] | None = None
