"""A point of the live view that was clicked: the rows in its frame, as a stream has said them."""

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


class SaidRow(NamedTuple):
    """A row that a stream has said.

    Attributes
    ----------
    key : str
        As a person reads it.
    time : numpy.datetime64
    number : int
        Which of the key's rows of that time it is, from 0.
    """

    key: str
    time: np.datetime64
    number: int = 0


class FrameOfPoint(NamedTuple):
    """The answer to a row, and the rows in its frame.

    Attributes
    ----------
    answer : value
    rows : pyarrow.Table
    """

    answer: Any
    rows: pa.Table


class PointTable(Table):
    """The rows in the frame of the point that was clicked last; nothing is seen before.

    Parameters
    ----------
    over : Over
        A band, partitioned by one column, and ordered by one.
    spark : pyspark.sql.SparkSession

    Attributes
    ----------
    point : SaidRow or None
        It stays while another moment is shown, in which it may not have been said yet.
    """

    def __init__(self, over: "Over", spark: "SparkSession") -> None:
        super().__init__()
        self._over, self._spark = over, spark
        self.point: SaidRow | None = None
        self._listed: pa.Table | None = None
        self.layout.display = "none"

    def look(self, point: SaidRow, said: pa.Table | None, when: str) -> None:
        """List the rows in the frame of a point.

        Parameters
        ----------
        point : SaidRow
        said : pyarrow.Table or None
            All that has been said.
        when : str
            By when, in words.
        """
        self._take(point, self.frame_of(point, said), when)
        self.point = point

    def renew(self, said: pa.Table | None, when: str) -> None:
        """List the rows in the frame of the same point, as they have been said by another time."""
        if self.point is not None:
            self._take(self.point, self.frame_of(self.point, said), when)

    def frame_of(self, point: SaidRow, said: pa.Table | None) -> FrameOfPoint | None:
        """Return the frame of a point; None where its row has not been said."""
        key, band = self._over.partition_by[0], band_of(self._over)
        rows = None if said is None else rows_of(said, key, point.key)
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

    def _take(self, point: SaidRow, found: FrameOfPoint | None, when: str) -> None:
        self.layout.display = "none" if found is None else None
        if found is None:
            return
        # What a person has sorted or looked for stays where no row has changed.
        if self._listed is None or not self._listed.equals(found.rows):
            self._list(point, found.rows)
        self._listed = found.rows
        band, size = band_of(self._over), len(found.rows)
        who = element("b", f"{point.key} at {value_text(point.time.item())}")
        frame = f"of the {size:,} row{'' if size == 1 else 's'} in its frame, as said {when}."
        self.note.value = element("p", who, f": {band} = {value_text(found.answer)}, {frame}")

    def _list(self, point: SaidRow, rows: pa.Table) -> None:
        frame = pd.DataFrame({name: rows.column(name).to_pylist() for name in rows.column_names})
        # As the axis has it, whatever the session's zone is.
        frame[self._time] = instants(rows, self._time)
        more = f", {point.number}" if point.number else ""
        self.show(
            frame,
            f"live.frame_of({point.key!r}, {str(point.time)!r}{more}).to_pandas()",
            shown={band_of(self._over): value_text},
            name="frame",
        )


def rows_of(said: pa.Table, name: str, key: str) -> pa.Table:
    """Return the rows of a key, by how a person reads it.

    Examples
    --------
    >>> rows_of(pa.table({"line": [1, 2, 1], "x": [5, 6, 7]}), "line", "1").to_pydict()
    {'line': [1, 1], 'x': [5, 7]}
    """
    return said.filter(pc.equal(said.column(name).cast(pa.string()), key))


def instants(rows: pa.Table, name: str) -> Any:
    """Return a column of times as NumPy has them, in microseconds of UTC.

    Examples
    --------
    >>> instants(pa.table({"at": pa.array([0], pa.timestamp("s", "UTC"))}), "at").tolist()
    [datetime.datetime(1970, 1, 1, 0, 0)]
    """
    times = as_array(rows.column(name))
    return np.asarray(times.cast(pa.timestamp("us", times.type.tz)).cast(pa.int64())).view("M8[us]")
