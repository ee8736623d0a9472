"""The small table of the lessons on the moving average and the moving IQR."""

from datetime import date, timedelta

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from workbench.arrow_frame import arrow_frame
from workbench.spark.sessions.session import check_session

_FIRST_DAY = date(2019, 1, 2)

_MWH = {
    "Boston": (
        *(564337, 507405, 528523, 469538, 474163, 507213),
        *(613040, 582588, 499506, 482014, 486134, 531518),
    ),
    "Worcester": (
        *(118860, 101977, 106054, 92182, 94492, 99932),
        *(118854, 113506, 96644, 93806, 98963, 107170),
    ),
}


def power_plants(spark: SparkSession) -> DataFrame:
    """Return the energy of two power plants on twelve days, from DuckDB's article on windowing.

    Parameters
    ----------
    spark
        The session, classic or Connect.

    Returns
    -------
    DataFrame
        24 rows: `plant` (string), `date` (date, 2019-01-02 to 2019-01-13), `mwh` (long,
        megawatt hours).

    Raises
    ------
    WorkbenchError
        When ``spark`` is no session.

    Examples
    --------
    >>> import workbench as wb
    >>> wb.datasets.power_plants(wb.session()).orderBy("plant", "date").show(3)
    +------+----------+------+
    | plant|      date|   mwh|
    +------+----------+------+
    |Boston|2019-01-02|564337|
    |Boston|2019-01-03|507405|
    |Boston|2019-01-04|528523|
    +------+----------+------+
    only showing top 3 rows
    """
    check_session(spark)
    days = [_FIRST_DAY + timedelta(days=day) for day in range(12)]
    table = pa.table(
        {
            "plant": [plant for plant in _MWH for _ in days],
            "date": days * len(_MWH),
            "mwh": [mwh for series in _MWH.values() for mwh in series],
        }
    )
    return arrow_frame(spark, table)
