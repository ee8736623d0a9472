"""Generated days of power plants as Parquet files, kept for the next run."""

from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring.kept import cached_folder

FILES = 8
DAYS = 3_650
#: 1970-01-01 to 2010-01-01, where the days begin.
FIRST = 14_610


def plants(rows: int, folder: Path) -> Path:
    """Return a folder of the days of plants, ten years of each: whole MWh, unordered.

    Parameters
    ----------
    rows : int
    folder : Path
    """
    return cached_folder(folder / f"plants-{rows}", partial(_write, rows))


def _write(rows: int, folder: Path) -> None:
    random = np.random.default_rng(0)
    number = random.permutation(rows)
    for k, part in enumerate(np.array_split(number, FILES)):
        columns = {
            "plant": part // DAYS,
            "date": pa.array((part % DAYS + FIRST).astype(np.int32), pa.date32()),
            "mwh": random.integers(400_000, 700_000, len(part)).astype(np.float64),
        }
        pq.write_table(pa.table(columns), folder / f"{k}.parquet")
