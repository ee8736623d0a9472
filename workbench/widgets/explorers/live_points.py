"""A clicked point of the live view: the rows in its frame, as a stream has emitted them."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from workbench.columnar.key_codes import as_array
from workbench.markup import element
from workbench.widgets.table import Table
from workbench.windows.bands.call import band_of
from workbench.windows.inspect.held_frames import held_frames
from workbench.windows.inspect.one_partition import value_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.windows.over import Over


class EmittedRow(NamedTuple):
    """A row that a stream has emitted.

    Attributes
    ----------
    key : str
        The key as text.
    time : numpy.datetime64
    number : int
        The row's number among those of the key at that time, from 0.
    """

    key: str
    time: np.datetime64
    number: int = 0


class FrameOfPoint(NamedTuple):
    """The answer of a row, and the rows in its frame.

    Attributes
    ----------
    answer : value
    rows : pyarrow.Table
    """

    answer: Any
    rows: pa.Table


class PointTable(Table):
    """The rows in the frame of the point that was clicked last; hidden until then.

    Parameters
    ----------
    over : Over
        A band, partitioned by one column, and ordered by one.
    spark : pyspark.sql.SparkSession

    Attributes
    ----------
    point : EmittedRow or None
        It stays while another moment is shown, at which it may not have been emitted yet.
    """

    def __init__(self, over: "Over", spark: "SparkSession") -> None:
        super().__init__()
        self._over, self._spark = over, spark
        self.point: EmittedRow | None = None
        self._listed_rows: pa.Table | None = None
        self.layout.display = "none"

    def list_point(self, point: EmittedRow, emitted: pa.Table | None, when: str) -> None:
        """List the rows in the frame of a point.

        Parameters
        ----------
        point : EmittedRow
        emitted : pyarrow.Table or None
            All rows emitted so far.
        when : str
            The time of that, in words.
        """
        self._show_frame(point, self.frame_of(point, emitted), when)
        self.point = point

    def refresh(self, emitted: pa.Table | None, when: str) -> None:
        """List the rows in the frame of the same point, as emitted by another time."""
        if self.point is not None:
            self._show_frame(self.point, self.frame_of(self.point, emitted), when)

    def frame_of(self, point: EmittedRow, emitted: pa.Table | None) -> FrameOfPoint | None:
        """Return the frame of a point, or None if its row has not been emitted."""
        key, band = self._over.partition_by[0], band_of(self._over)
        rows = None if emitted is None else rows_of(emitted, key, point.key)
        if rows is None or not len(rows):
            return None
        frames = held_frames(self._over, rows, band, self._spark)
        same = np.flatnonzero(instants(frames.rows, self._time) == point.time)
        if len(same) <= point.number:
            return None
        row = int(same[point.number])
        return FrameOfPoint(frames.rows.column(band)[row].as_py(), frames.of(row))

    @property
    def _time(self) -> str:
        return self._over.order_by[0].name

    def _show_frame(self, point: EmittedRow, frame: FrameOfPoint | None, when: str) -> None:
        self.layout.display = "none" if frame is None else None
        if frame is None:
            return
        # Sorting and search stay if no row has changed.
        if self._listed_rows is None or not self._listed_rows.equals(frame.rows):
            self._list_rows(point, frame.rows)
        self._listed_rows = frame.rows
        band, size = band_of(self._over), len(frame.rows)
        who = element("b", f"{point.key} at {value_text(point.time.item())}")
        rows = f"of the {size:,} row{'' if size == 1 else 's'} in its frame, as emitted {when}."
        self.note.value = element("p", who, f": {band} = {value_text(frame.answer)}, {rows}")

    def _list_rows(self, point: EmittedRow, rows: pa.Table) -> None:
        frame = pd.DataFrame({name: rows.column(name).to_pylist() for name in rows.column_names})
        # In UTC like the axis, whatever the session's time zone is.
        frame[self._time] = instants(rows, self._time)
        more = f", {point.number}" if point.number else ""
        self.show(
            frame,
            f"live.frame_of({point.key!r}, {str(point.time)!r}{more}).to_pandas()",
            shown={band_of(self._over): value_text},
            name="frame",
        )


def rows_of(emitted: pa.Table, name: str, key: str) -> pa.Table:
    """Return the rows of a key, given as text.

    Examples
    --------
    >>> rows_of(pa.table({"line": [1, 2, 1], "x": [5, 6, 7]}), "line", "1").to_pydict()
    {'line': [1, 1], 'x': [5, 7]}
    """
    return emitted.filter(pc.equal(emitted.column(name).cast(pa.string()), key))


def instants(rows: pa.Table, name: str) -> Any:
    """Return a column of times as a NumPy array, in microseconds of UTC.

    Examples
    --------
    >>> instants(pa.table({"at": pa.array([0], pa.timestamp("s", "UTC"))}), "at").tolist()
    [datetime.datetime(1970, 1, 1, 0, 0)]
    """
    times = as_array(rows.column(name))
    return np.asarray(times.cast(pa.timestamp("us", times.type.tz)).cast(pa.int64())).view("M8[us]")
