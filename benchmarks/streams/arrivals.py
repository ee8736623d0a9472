"""Generated readings that arrive as a stream of files, a little out of order."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring.kept import cached_folder
from kernels.core.arrays import Ints

#: Rows of a file, and files of a micro-batch: enough for two cores.
ROWS_A_FILE, FILES_A_BATCH = 125_000, 4
#: The largest delay of a row in seconds.
DELAY = 10
SCHEMA = "sensor long, at timestamp, value double, id long"
#: 2024-05-01.
START = 1_714_521_600_000_000


@dataclass(frozen=True)
class Arrivals:
    """Readings of sensors, one per millisecond.

    Attributes
    ----------
    rows, sensors : int
    late_share : float
        The share of rows that arrive out of order.
    delay : int
        The largest delay of these rows in seconds.
    """

    rows: int
    sensors: int
    late_share: float = 1.0
    delay: int = DELAY
    files_a_batch = FILES_A_BATCH

    @property
    def name(self) -> str:
        """The name of the folder of files."""
        return f"arrivals-{self.rows}-{self.sensors}-{self.late_share:g}-{self.delay}"

    def stored(self, folder: Path) -> str:
        """Return the path of the files, writing them first if needed."""
        return write_files(
            folder / self.name, map(self._table, range(-(-self.rows // ROWS_A_FILE)))
        )

    def _table(self, number: int) -> pa.Table:
        first = number * ROWS_A_FILE
        ids = np.arange(first, min(first + ROWS_A_FILE, self.rows))
        random = np.random.default_rng(number)
        late = random.random(len(ids)) < self.late_share
        at = START + ids * 1_000 - random.integers(0, self.delay * 1_000_000, len(ids)) * late
        sensors = random.integers(0, self.sensors, len(ids))
        return readings(sensors, at, ids, random.integers(0, 1_000, len(ids)))


def readings(sensor: Ints, at: Ints, ids: Ints, value: Ints | None = None) -> pa.Table:
    """Return readings as a table; without values, the ids are the values."""
    columns = {
        "sensor": pa.array(sensor),
        "at": pa.array(at).cast(pa.timestamp("us", "UTC")),
        "value": pa.array((ids if value is None else value).astype(np.float64)),
        "id": pa.array(ids),
    }
    return pa.table(columns)


def write_files(folder: Path, tables: Iterable[pa.Table]) -> str:
    """Write tables as files that Spark reads in order, unless they exist."""

    def write(folder: Path) -> None:
        for number, table in enumerate(tables):
            path = folder / f"part-{number:04}.parquet"
            pq.write_table(table, path)
            # Spark reads files in the order of their modification times.
            os.utime(path, (START // 1_000_000 + number,) * 2)

    return str(cached_folder(folder, write))


#: The number of idle partitions in the state, of partitions with new rows, and of new rows of each
#: in a micro-batch.
IDLE, BUSY, ROWS_EACH = 1_000_000, 1_000, 10
BATCHES = 12


@dataclass(frozen=True)
class AmongIdle:
    """Readings of a few sensors, after one reading of each of many others.

    Attributes
    ----------
    idle : int
        The number of the others.
    """

    idle: int
    delay = DELAY
    files_a_batch = 1

    def stored(self, folder: Path) -> str:
        """Return the path of the files, writing them first if needed."""
        return write_files(folder / f"among-idle-{self.idle}", self._tables())

    def _tables(self) -> Iterator[pa.Table]:
        # Busy sensors are spread among the others, so their hashes are spread, too.
        every = max(self.idle // BUSY, 1)
        first = np.arange(max(self.idle, BUSY))
        yield readings(first, START + first, first)
        busy = np.tile(np.arange(BUSY) * every, ROWS_EACH)
        for number in range(1, BATCHES + 1):
            ids = number * 10 * IDLE + np.arange(len(busy))
            yield readings(busy, START + number * 60_000_000 + ids % IDLE * 1_000, ids)
