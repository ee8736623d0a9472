"""Generated readings of many sensors, written one file at a time."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measuring.kept import cached_folder
from benchmarks.windows.readings import generated

ROWS_A_FILE, SENSORS_A_FILE = 2_500_000, 25


def readings(rows: int, folder: Path) -> str:
    """Return a folder of Parquet files, each with different sensors, ordered by time.

    Parameters
    ----------
    rows : int
        The total; a sensor has 100,000 of them.
    folder : Path
        The folder where generated files are kept for the next run.

    Returns
    -------
    str
    """

    def write(path: Path) -> None:
        for number, first in enumerate(range(0, rows, ROWS_A_FILE)):
            made = generated(min(ROWS_A_FILE, rows - first), SENSORS_A_FILE, number)
            table = made.table().drop(["row", "code"])
            sensors = made.sensor + number * SENSORS_A_FILE
            table = table.set_column(0, "sensor", [sensors])
            ordered = table.take(np.argsort(made.time, kind="stable"))
            pq.write_table(ordered, path / f"part-{number}.parquet")

    return str(cached_folder(folder / f"large-readings-{rows}", write))
