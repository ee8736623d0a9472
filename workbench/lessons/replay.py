"""A table replayed as a stream, whose rows arrive roughly in the order of their times."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from workbench.columnar.key_codes import as_array
from workbench.durations import microseconds
from workbench.errors import WorkbenchError


@dataclass
class Replay:
    """Rows that are written to a folder in the order of their arrival, a file at a time.

    Parameters
    ----------
    rows : pyarrow.Table
    time : str
        The column with the time of each row: timestamps without nulls.
    folder : Path
        The folder of the files; ``spark.readStream.parquet`` reads them as a stream.
    delay : str or timedelta
        The longest usual delay between a row's time and its arrival; each row's is random.
    late : float
        The share of the rows that arrive much later than that.
    most_late : str or timedelta
        The longest additional delay of these rows.
    seed : int
    lateness : str
        The distance of a stream's watermark from the newest row.

    Attributes
    ----------
    now : numpy.datetime64
        The time up to which arrived rows have been written.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> hours = pa.array(range(0, 4 * 3_600_000_000, 3_600_000_000)).cast(pa.timestamp("us"))
    >>> rows = pa.table({"at": hours, "x": [1, 2, 3, 4]})
    >>> replay = Replay(rows, "at", Path(mkdtemp()), late=0)
    >>> replay.advance("90 minutes"), replay.left
    (2, 2)
    """

    rows: pa.Table
    time: str
    folder: Path
    delay: str | timedelta = "10 minutes"
    late: float = 0.03
    most_late: str | timedelta = "2 hours"
    seed: int = 0
    lateness: str = "3 hours"
    now: np.datetime64 = field(init=False)
    written: int = field(default=0, init=False)
    files: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.folder = Path(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows = self.rows.combine_chunks()
        if self.time not in self.rows.column_names:
            raise WorkbenchError(f"time: the table has no column {self.time!r}; name one it has.")
        times = as_array(self.rows.column(self.time))
        if not pa.types.is_timestamp(times.type) or times.null_count or not len(times):
            raise WorkbenchError(
                f"time: {self.time!r} must hold timestamps without nulls, in one row or more."
            )
        happened = np.asarray(times.cast(pa.timestamp("us", times.type.tz)).cast(pa.int64()))
        arrives = happened + self._delays(len(happened))
        self._order = np.argsort(arrives, kind="stable")
        self._arrives = arrives[self._order]
        self.now = np.datetime64(int(happened.min()), "us")

    def _delays(self, rows: int) -> NDArray[np.int64]:
        random = np.random.default_rng(self.seed)
        some, more = microseconds(self.delay, "delay"), microseconds(self.most_late, "most_late")
        delays = random.integers(0, some + 1, rows)
        is_late = random.random(rows) < self.late
        return np.asarray(delays + is_late * random.integers(0, more + 1, rows), np.int64)

    @property
    def left(self) -> int:
        """The number of rows that have not arrived."""
        return len(self.rows) - self.written

    def advance(self, by: str | timedelta) -> int:
        """Advance the time, and write the rows that have arrived.

        Parameters
        ----------
        by : str or timedelta

        Returns
        -------
        int
            The number of rows.
        """
        self.now = self.now + np.timedelta64(microseconds(by, "by"), "us")
        until = int(np.searchsorted(self._arrives, self.now.astype(np.int64), side="right"))
        arrived = self.rows.take(pa.array(self._order[self.written : until]))
        self.written = max(until, self.written)
        self.write(arrived)
        return len(arrived)

    def write(self, rows: "pa.Table | list[dict[str, Any]]") -> None:
        """Write arriving rows, which need not be those of the table.

        Parameters
        ----------
        rows : pyarrow.Table or list of dict
            With the table's columns.
        """
        if isinstance(rows, list):
            rows = pa.Table.from_pylist(rows, self.rows.schema)
        if len(rows):
            path = self.folder / f"{self.files:06}.parquet"
            # Readers skip names that begin with a dot, so that they see only complete files.
            pq.write_table(rows, path.with_name(f".{path.name}"))
            path.with_name(f".{path.name}").rename(path)
            self.files += 1
