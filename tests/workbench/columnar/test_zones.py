"""Every time zone that Spark accepts is accepted here."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.clusters import ZONE, session_options
from workbench import Frame, fn
from workbench.columnar.zones import zone_of
from workbench.engine.order import shift_months


def ahead(hours: int, minutes: int = 0, seconds: int = 0) -> tzinfo:
    return timezone(timedelta(hours=hours, minutes=minutes, seconds=seconds))


#: By the names that Spark accepts: those of ``java.time.ZoneId``.
ZONES: dict[str, tzinfo] = {
    "Z": UTC,
    "UTC": UTC,
    "GMT+3": ahead(3),
    "UTC+01:00": ahead(1),
    "UT-2": ahead(-2),
    "+05:30": ahead(5, 30),
    "-8:00": ahead(-8),
    "+1": ahead(1),
    "-0330": ahead(-3, -30),
    "+01:02:03": ahead(1, 2, 3),
    "PST": ZoneInfo("America/Los_Angeles"),
    "IST": ZoneInfo("Asia/Kolkata"),
    "Etc/GMT+3": ahead(-3),
    "Europe/Berlin": ZoneInfo("Europe/Berlin"),
}

MONTH_ENDS = [datetime(2024, 1, 31, 23, 30, tzinfo=UTC), datetime(2023, 7, 1, 0, 10, tzinfo=UTC)]


def a_month_later(instant: datetime, zone: tzinfo) -> datetime:
    """Return the same clock time on the same day of the next month, or on its last."""
    local = instant.astimezone(zone)
    year, month = divmod(local.year * 12 + local.month, 12)
    following = datetime(year + month // 12, month % 12 + 1, 1)
    last = (datetime(following.year, following.month % 12 + 1, 1) - timedelta(days=1)).day
    moved = following.replace(day=min(local.day, last), hour=local.hour, minute=local.minute)
    return moved.replace(second=local.second, tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(("name", "zone"), ZONES.items(), ids=ZONES)
@pytest.mark.parametrize("instant", MONTH_ENDS, ids=str)
def test_months_go_by_the_clock_of_the_zone(instant: datetime, name: str, zone: tzinfo) -> None:
    micros = np.array([instant.timestamp() * 1_000_000], np.int64)
    moved = shift_months(micros, 1, name).view("M8[us]").tolist()[0]
    assert moved.replace(tzinfo=UTC) == a_month_later(instant, zone)


@pytest.mark.parametrize("name", ["GMT+3", "PST"])
def test_frames_of_months_are_those_of_spark_in_a_zone_that_arrow_does_not_know(
    spark: SparkSession, name: str
) -> None:
    with session_options(spark, {ZONE: name}):
        days = spark.sql(
            "SELECT id, timestamp'2024-01-31 22:30:00' + make_dt_interval(int(id % 40)) AS at "
            "FROM range(60)"
        )
        frame = Frame.range("-1 month", 0)
        sums = wb.over(days, (), "at", frame, n=fn.sum("id")).orderBy("id").select("id", "n")
        before = "b.at <= a.at AND b.at >= a.at - INTERVAL '1' MONTH"
        expected = spark.sql(
            f"SELECT a.id, sum(b.id) AS n FROM {{days}} a JOIN {{days}} b ON {before} "
            "GROUP BY a.id ORDER BY a.id",
            days=days,
        )
        assert sums.collect() == expected.collect()
        text = str(wb.Over(order_by="at", frame=frame, n=fn.sum("id")).frames(days))
        assert "(■)" in text


def test_a_zone_that_is_an_offset_needs_no_rules() -> None:
    assert {name: zone_of(name).offset is None for name in ZONES} == {
        name: isinstance(zone, ZoneInfo) or name == "Etc/GMT+3" for name, zone in ZONES.items()
    }


def test_arrow_and_python_know_each_zone_by_its_name_here() -> None:
    for name in ZONES:
        assert pa.scalar(0, pa.timestamp("us", zone_of(name).name)).as_py() is not None
