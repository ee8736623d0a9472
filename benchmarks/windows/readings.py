"""Generated readings of sensors, with gaps in time: as Parquet files, and as sorted columns."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.measuring.kept import cached_folder
from workbench.durations import DAY, MINUTE

FILES = 8
START = 1_704_067_200_000_000  # 2024-01-01 00:00 UTC, in microseconds
#: Minutes from one reading to the next of its sensor: mostly one, at times an outage.
STEPS = (1, 1, 1, 1, 1, 1, 1, 2, 3, 90)


@dataclass(frozen=True)
class Readings:
    """Readings in memory, sorted by sensor and time.

    Attributes
    ----------
    offsets : int64 array of shape (sensors + 1,)
        Sensor s owns the rows ``offsets[s]`` to ``offsets[s + 1]``.
    time : int64 array of shape (rows,)
        Microseconds, different for every reading of a sensor.
    value : float64 array of shape (rows,)
        A daily wave and noise, of two decimals.
    code : int64 array of shape (rows,)
        One of some hundred states, a few of them frequent.
    """

    offsets: NDArray[np.int64]
    time: NDArray[np.int64]
    value: NDArray[np.float64]
    code: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many readings there are."""
        return len(self.time)

    @property
    def sensor(self) -> NDArray[np.int64]:
        """The number of each reading's sensor."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def table(self) -> pa.Table:
        """Return the readings as an Arrow table, with the number of each row."""
        time = pa.array(self.time, pa.timestamp("us"))
        columns = {"row": np.arange(self.rows), "sensor": self.sensor, "time": time}
        return pa.table(columns | {"value": self.value, "code": self.code})


def generated(rows: int, sensors: int, seed: int = 0) -> Readings:
    """Return readings that depend on the arguments alone, equally many of each sensor.

    Parameters
    ----------
    rows, sensors : int
    seed : int

    Returns
    -------
    Readings

    Examples
    --------
    >>> made = generated(10, 2)
    >>> made.offsets.tolist(), (np.diff(made.time[:5]) > 0).all()
    ([0, 5, 10], np.True_)
    """
    random = np.random.default_rng(seed)
    offsets = np.linspace(0, rows, sensors + 1).astype(np.int64)
    minutes = random.choice(STEPS, rows).cumsum()
    since = minutes - np.repeat(minutes[offsets[:-1]], np.diff(offsets))
    time = START + since * MINUTE
    wave = 10 * np.sin(time % DAY * (2 * np.pi / DAY))
    value = np.round(20 + wave + random.normal(0, 3, rows), 2)
    return Readings(offsets, time, value, random.geometric(0.01, rows))


def stored(rows: int, sensors: int, folder: Path) -> Path:
    """Return a folder of Parquet files with the readings in the order of their time.

    Parameters
    ----------
    rows, sensors : int
    folder : Path
        The folder where generated files are kept for the next run.

    Returns
    -------
    Path
    """

    def write(path: Path) -> None:
        made = generated(rows, sensors)
        table = made.table().drop(["row"]).take(np.argsort(made.time, kind="stable"))
        for number, first in enumerate(range(0, rows, -(-rows // FILES))):
            part = table.slice(first, -(-rows // FILES))
            pq.write_table(part, path / f"part-{number}.parquet")

    return cached_folder(folder / f"readings-{rows}-{sensors}", write)


def loaded(rows: int, sensors: int, folder: Path) -> Readings:
    """Return the readings of the Parquet files in memory, sorted by sensor and time.

    Parameters
    ----------
    rows, sensors, folder
        As :func:`stored` takes them.

    Returns
    -------
    Readings
    """
    table = ds.dataset(stored(rows, sensors, folder)).to_table()
    sensor, time = table["sensor"].to_numpy(), table["time"].cast(pa.int64()).to_numpy()
    order = np.lexsort((time, sensor))
    offsets = np.searchsorted(sensor[order], np.arange(sensors + 1))
    value, code = table["value"].to_numpy()[order], table["code"].to_numpy()[order]
    return Readings(offsets, time[order], value, code)
