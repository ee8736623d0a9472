"""Generated readings that arrive as a stream of files, a little out of order."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

#: Rows of a file, and how many files are a micro-batch: so that two cores read some each.
ROWS_A_FILE, FILES_A_BATCH = 125_000, 4
#: By how many seconds a row may be behind.
DELAY = 10
SCHEMA = "sensor long, at timestamp, value double, id long"
#: 2024-05-01.
START = 1_714_521_600_000_000


@dataclass(frozen=True)
class Arrivals:
    """Readings of sensors, one a millisecond.

    Attributes
    ----------
    rows, sensors : int
    behind : float
        The share of rows that come out of order.
    delay : int
        By how many seconds at most these are behind the others.
    """

    rows: int
    sensors: int
    behind: float = 1.0
    delay: int = DELAY

    @property
    def name(self) -> str:
        """The name of the folder of files."""
        return f"arrivals-{self.rows}-{self.sensors}-{self.behind:g}-{self.delay}"

    def stored(self, folder: Path) -> str:
        """Return the path of the files, which are made unless they are there."""
        path = folder / self.name
        if not (path / "_SUCCESS").exists():
            path.mkdir(parents=True, exist_ok=True)
            for number in range(-(-self.rows // ROWS_A_FILE)):
                self._write(path / f"part-{number:04}.parquet", number)
            (path / "_SUCCESS").touch()
        return str(path)

    def _write(self, path: Path, number: int) -> None:
        first = number * ROWS_A_FILE
        ids = np.arange(first, min(first + ROWS_A_FILE, self.rows))
        random = np.random.default_rng(number)
        late = random.random(len(ids)) < self.behind
        at = START + ids * 1_000 - random.integers(0, self.delay * 1_000_000, len(ids)) * late
        columns = {
            "sensor": pa.array(random.integers(0, self.sensors, len(ids))),
            "at": pa.array(at).cast(pa.timestamp("us", "UTC")),
            "value": pa.array(random.integers(0, 1_000, len(ids)).astype(np.float64)),
            "id": pa.array(ids),
        }
        pq.write_table(pa.table(columns), path)
        # Spark takes files in the order of their times.
        os.utime(path, (START // 1_000_000 + number,) * 2)
