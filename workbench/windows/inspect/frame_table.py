"""Which rows are in the frame of each row of a partition: what the frame explorer draws."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernels.core.arrays import Mask
from workbench.frames.frame import Frame
from workbench.windows.inspect.one_partition import Partition, value_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FrameTable:
    """The frames of one partition's rows, and the answers over them.

    Attributes
    ----------
    who : str
        The partition's key.
    column : str
        The result whose frames these are.
    frame : Frame
    names : tuple of str
        The columns of the order, and those that the function looks at.
    labels, values : list of str
        Each row's place in the order, and what the function looks at.
    group : int64 array of shape (rows,)
        The number of each row's group of peers, from 0.
    inside : bool array of shape (rows, rows)
        ``inside[i, j]``: row j is in the frame of row i.
    left_out : bool array of shape (rows, rows)
        ``left_out[i, j]``: row j would be in it, but for EXCLUDE.
    counted : bool array of shape (rows,)
        Whether the row counts for the function: its value is not null, and its condition true.
    rows : pandas.DataFrame
        The rows in their order, with the answer of every function.
    answers : tuple of str
        The columns of these answers.
    cut : bool
        Whether the partition has more rows than these; the frames here end with the last of them.
    """

    who: str
    column: str
    frame: Frame
    names: tuple[str, str]
    labels: list[str]
    values: list[str]
    group: NDArray[np.int64]
    inside: Mask
    left_out: Mask
    counted: Mask
    rows: "pd.DataFrame"
    answers: tuple[str, ...]
    cut: bool

    @property
    def shown(self) -> list[str]:
        """The columns of answers, that of the frames first."""
        return sorted(self.answers, key=lambda name: name != self.column)

    def texts(self, name: str) -> list[str]:
        """Return a column of the rows as a person reads it."""
        return [value_text(value) for value in self.rows[name]]

    def listed(self) -> "pd.DataFrame":
        """Return the rows with their answers, and which rows are in the frame of each."""
        members = [", ".join(map(str, np.flatnonzero(row))) for row in self.inside]
        listed = self.rows.copy()
        listed.insert(0, "row", range(len(members)))
        listed.insert(1, "rows in its frame", members)
        return listed

    def mark(self, i: int, j: int) -> str:
        """Return how row j stands to the frame of row i.

        Returns
        -------
        str
            "in", "not counted" (in, but its value is null or its condition not true), "left out"
            (by EXCLUDE) or "out".
        """
        if self.left_out[i, j]:
            return "left out"
        if not self.inside[i, j]:
            return "out"
        return "in" if self.counted[j] else "not counted"

    def __str__(self) -> str:
        signs = {"in": "■", "not counted": "□", "left out": "✕", "out": "·"}
        width = max(map(len, self.labels), default=0)
        lines = [f"{self.column} over {self.frame!r}, {self.who}"]
        for i, label in enumerate(self.labels):
            cells = [
                f"({signs[self.mark(i, j)]})" if i == j else f" {signs[self.mark(i, j)]} "
                for j in range(len(self.labels))
            ]
            lines.append(f"{label:>{width}} {''.join(cells)} {self.texts(self.column)[i]}")
        return "\n".join(lines)


def frame_table(partition: Partition, column: str | None = None) -> FrameTable:
    """Return the frames of a partition's rows, by the kernels that find them on Spark.

    Parameters
    ----------
    partition : Partition
    column : str, optional
        The result whose frames are wanted; without it, the first.

    Returns
    -------
    FrameTable

    Raises
    ------
    WorkbenchError
        When there is no such result.

    Notes
    -----
    O(rows²): for as many rows as a person can look at.
    """
    call, window = partition.call(column), partition.window()
    inside = _members(*window.ranges(call.frame))
    plain = replace(call.frame, exclude="no others")
    counted = window.counted(call, call.without_null)
    answers = tuple(one.column for one in partition.task.calls)
    return FrameTable(
        partition.who,
        call.column,
        call.frame,
        partition.names(call),
        partition.labels(),
        partition.values(call),
        window.order.group,
        inside,
        _members(*window.ranges(plain)) & ~inside,
        np.ones(partition.rows, np.bool_) if counted is None else counted,
        _pandas(partition),
        answers,
        partition.cut,
    )


def _members(begin: NDArray[np.int64], end: NDArray[np.int64]) -> Mask:
    """Ranges of one partition as a matrix: which rows are in the frame of each."""
    row = np.arange(len(begin))
    inside = (begin[:, :, None] <= row) & (row < end[:, :, None])
    return np.asarray(inside.any(axis=1), np.bool_)


def _pandas(partition: Partition) -> "pd.DataFrame":
    """The answers, whole numbers and nulls as they are."""
    import pandas as pd

    answered = partition.answers()
    columns: dict[str, Any] = {
        name: pd.Series(answered.column(name).to_pylist(), dtype=object)
        for name in answered.column_names
    }
    return pd.DataFrame(columns)
