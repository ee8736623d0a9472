"""Generated visits of users and queries on them, as Parquet files."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring.kept import cached_folder
from workbench.durations import DAY

FILES = 8
KEYS = 1_000
START = 1_704_067_200_000_000  # 2024-01-01 00:00 UTC, in microseconds
YEAR = 365 * DAY


@dataclass(frozen=True)
class Visits:
    """Two tables of one size.

    Attributes
    ----------
    events, queries : int
        The number of rows of each.
    hot : bool
        Whether one key has more rows than the others.
    share : float
        The share of that key's rows in both tables.
    """

    events: int
    queries: int
    hot: bool = False
    share: float = 0.5

    def paths(self, folder: Path) -> tuple[str, str]:
        """Return the folders of the queries and of the events, writing them first if needed.

        Parameters
        ----------
        folder : Path
            The folder where generated files are kept.

        Returns
        -------
        tuple of (str, str)
        """
        skew = "-hot" if self.hot else ""
        skew += f"-{self.share:g}" if self.hot and self.share != 0.5 else ""
        sizes = {"queries": self.queries, "events": self.events}
        folders = {
            name: folder / f"visits-{name}-{self.events}x{self.queries}{skew}" for name in sizes
        }
        for seed, (name, rows) in enumerate(sizes.items()):
            cached_folder(folders[name], partial(self._write, rows, seed))
        return str(folders["queries"]), str(folders["events"])

    def _write(self, rows: int, seed: int, path: Path) -> None:
        for part in range(FILES):
            random = np.random.default_rng((seed, part))
            size = rows // FILES + (part < rows % FILES)
            key = random.integers(0, KEYS, size)
            if self.hot:
                key[random.random(size) < self.share] = 0
            time = pa.array(START + random.integers(0, YEAR, size)).cast(pa.timestamp("us", "UTC"))
            value = {"price": random.integers(0, 10_000, size) / 100} if seed else {}
            columns = {"user": pa.array(key), "at": time} | value
            pq.write_table(pa.table(columns), path / f"part-{part}.parquet")
