"""Which rows are in the frame of each row of a partition, as the frame explorer draws it."""

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
    """The frames of one partition's rows, and the results over them.

    Attributes
    ----------
    who : str
        The partition's key.
    column : str
        The result whose frames these are.
    frame : Frame
    names : tuple of str
        The order columns, and the function's arguments.
    labels, values : list of str
        The order values and the function's arguments of each row, as text.
    group : int64 array of shape (rows,)
        The number of each row's group of peers, from 0.
    inside : bool array of shape (rows, rows)
        ``inside[i, j]``: row j is in the frame of row i.
    left_out : bool array of shape (rows, rows)
        ``left_out[i, j]``: EXCLUDE removes row j from that frame.
    counted : bool array of shape (rows,)
        Whether the row counts for the function: its value is not null, and its condition true.
    rows : pandas.DataFrame
        The rows in order, with the result of every function.
    answers : tuple of str
        The names of the result columns.
    cut : bool
        Whether the partition has more rows; the frames here end with the last of these.
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
        """The result columns, the one whose frames these are first."""
        return sorted(self.answers, key=lambda name: name != self.column)

    def texts(self, name: str) -> list[str]:
        """Return a column of the rows as text."""
        return [value_text(value) for value in self.rows[name]]

    def listed(self) -> "pd.DataFrame":
        """Return the rows with their results, and the row numbers in the frame of each."""
        members = [", ".join(map(str, np.flatnonzero(row))) for row in self.inside]
        listed = self.rows.copy()
        listed.insert(0, "row", range(len(members)))
        listed.insert(1, "rows in its frame", members)
        return listed

    def mark(self, i: int, j: int) -> str:
        """Return whether row j is in the frame of row i, and if not, why.

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
    """Return the frames of a partition's rows, computed by the kernels that run on Spark.

    Parameters
    ----------
    partition : Partition
    column : str, optional
        The result column whose frames to return; without it, the first.

    Returns
    -------
    FrameTable

    Raises
    ------
    WorkbenchError
        When there is no such result.

    Notes
    -----
    O(rows²): only for as many rows as can be displayed.
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
    """Return ranges of rows as a matrix: whether row j is in the frame of row i."""
    row = np.arange(len(begin))
    inside = (begin[:, :, None] <= row) & (row < end[:, :, None])
    return np.asarray(inside.any(axis=1), np.bool_)


def _pandas(partition: Partition) -> "pd.DataFrame":
    """Return the results as pandas, with integers and nulls unchanged."""
    import pandas as pd

    answers = partition.answers()
    columns: dict[str, Any] = {
        name: pd.Series(answers.column(name).to_pylist(), dtype=object)
        for name in answers.column_names
    }
    return pd.DataFrame(columns)
