"""The datasets have the contents that their descriptions state, on every machine."""

import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench.datasets as datasets
from tests.clusters import generating_code
from workbench.errors import WorkbenchError


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> Iterator[SparkSession]:
    """The session of all tests, with code generation as users have it: tables here are large."""
    with generating_code(spark):
        yield spark


@pytest.fixture(scope="module")
def flights(spark: SparkSession) -> DataFrame:
    return datasets.flights(spark)


@pytest.fixture(scope="module")
def clicks(spark: SparkSession) -> DataFrame:
    return datasets.clickstream(spark, users=5000).cache()


def rows(frame: DataFrame) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def test_every_flight_left_or_was_cancelled_and_most_landed(flights: DataFrame) -> None:
    kind = F.split("event", " ")[0].alias("kind")
    counts: dict[str, int] = dict(flights.groupBy(kind).count().collect())
    assert counts == {"departed": 328_521, "landed": 327_346, "cancelled": 8_255}
    assert counts["departed"] + counts["cancelled"] == 336_776


def test_lateness_is_in_the_name_of_the_event(flights: DataFrame) -> None:
    late = flights.where("delay is not null").groupBy("event").agg(F.min("delay"), F.max("delay"))
    ranges = {event: (least, most) for event, least, most in late.collect()}
    assert len(ranges) == 8
    for verb in ("departed", "landed"):
        assert ranges[f"{verb} on time"][1] == 14
        assert ranges[f"{verb} 15 min late"] == (15, 59)
        assert ranges[f"{verb} 60 min late"] == (60, 119)
        assert ranges[f"{verb} 120 min late"][0] == 120


def test_a_known_flight_is_at_its_instants(flights: DataFrame) -> None:
    first = flights.where("tailnum = 'N14228' and time < '2013-01-02'").orderBy("time")
    events = first.select(F.unix_timestamp("time"), "event", "carrier", "flight", "origin", "dest")
    departed = datetime(2013, 1, 1, 10, 17, tzinfo=UTC)  # 05:17 in New York
    landed = datetime(2013, 1, 1, 14, 30, tzinfo=UTC)  # 08:30 in Houston
    assert rows(events) == [
        (int(departed.timestamp()), "departed on time", "UA", 1545, "EWR", "IAH"),
        (int(landed.timestamp()), "landed on time", "UA", 1545, "EWR", "IAH"),
    ]


def test_a_landing_follows_its_departure_by_a_plausible_time(flights: DataFrame) -> None:
    order = "partition by flight, carrier, origin, dest, tailnum order by time, event"
    flights_and_previous = flights.withColumn("left", F.expr(f"lag(time) over ({order})"))
    flights_and_previous = flights_and_previous.withColumn(
        "before", F.expr(f"lag(event) over ({order})")
    )
    landed = flights_and_previous.where("event like 'landed%'")
    hours = (F.unix_timestamp("time") - F.unix_timestamp("left")) / 3600
    summary = landed.agg(
        F.count_if(F.col("before").like("departed%")), F.min(hours), F.max(hours)
    ).first()
    assert summary is not None
    follows, shortest, longest = summary
    assert follows == 327_346
    assert shortest > 0.5
    assert longest < 13


def test_arrivals_are_in_the_time_zone_of_the_destination(flights: DataFrame) -> None:
    """Honolulu is ten to eleven hours of flight away; by New York's clocks it would be five."""
    order = "partition by flight, carrier, tailnum order by time"
    pairs = flights.where("dest = 'HNL' and delay is not null")
    pairs = pairs.withColumn("left", F.expr(f"lag(time) over ({order})"))
    hours = (F.unix_timestamp("time") - F.unix_timestamp("left")) / 3600
    least, most = pairs.where("event like 'landed%'").agg(F.min(hours), F.max(hours)).collect()[0]
    assert 9 < least < most < 13


def test_only_cancelled_flights_have_no_aircraft(flights: DataFrame) -> None:
    unknown = flights.where("tailnum is null").groupBy("event").count()
    assert rows(unknown) == [("cancelled", 2512)]


def test_weather_is_hourly_and_typed(spark: SparkSession) -> None:
    weather = datasets.weather(spark)
    assert weather.count() == 26_115
    assert dict(weather.dtypes)["time"] == "timestamp"
    assert dict(weather.dtypes)["wind_dir"] == "int"
    assert weather.where("temp is null").count() == 1
    local = F.from_utc_timestamp("time", "America/New_York")
    assert weather.where(
        (F.hour(local) != F.col("hour")) | (F.day(local) != F.col("day"))
    ).isEmpty()


def test_power_plants_are_the_table_of_the_article(spark: SparkSession) -> None:
    plants = datasets.power_plants(spark)
    assert plants.dtypes == [("plant", "string"), ("date", "date"), ("mwh", "bigint")]
    table = rows(plants)
    assert table[0] == ("Boston", date(2019, 1, 2), 564_337)
    assert table[-1] == ("Worcester", date(2019, 1, 13), 107_170)
    totals = plants.groupBy("plant").agg(F.count("*"), F.round(F.avg("mwh"), 2))
    assert [row[:2] for row in rows(totals)] == [("Boston", 12), ("Worcester", 12)]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and an empty folder for temporary files."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_broken_copy_is_replaced(spark: SparkSession, cache: Path) -> None:
    assert datasets.weather(spark).count() == 26_115
    (copy,) = cache.rglob("*.parquet")
    copy.write_bytes(copy.read_bytes()[:1000])
    assert datasets.weather(spark).count() == 26_115
    assert list(copy.parent.glob("*.part")) == []


def test_a_copy_goes_to_the_temporary_files_when_no_cache_folder_can_be_made(
    spark: SparkSession, cache: Path
) -> None:
    cache.write_text("a file where the folder should be")
    assert datasets.weather(spark).count() == 26_115
    assert len(list((cache.parent / "temporary").rglob("*.parquet"))) == 1


def test_the_clickstream_has_the_requested_rows_and_users(clicks: DataFrame) -> None:
    assert clicks.count() == 50_000
    assert clicks.agg(F.count_distinct("user_id"), F.max("user_id")).collect() == [(5000, 5000)]
    assert clicks.columns == ["user_id", "timestamp", "event", "country", "device"]


def test_the_clickstream_is_the_same_however_it_is_partitioned(spark: SparkSession) -> None:
    one, seven = (
        rows(datasets.clickstream(spark, users=500, seed=3, partitions=n)) for n in (1, 7)
    )
    assert one == seven


def test_another_seed_gives_another_clickstream(spark: SparkSession) -> None:
    zero, one = (rows(datasets.clickstream(spark, users=50, seed=n)) for n in (0, 1))
    assert zero != one


def test_events_of_a_user_may_be_at_one_instant(clicks: DataFrame) -> None:
    ties = clicks.groupBy("user_id", "timestamp").count().where("count > 1").count()
    assert 500 < ties < 5000


def test_segments_belong_to_the_user(clicks: DataFrame) -> None:
    per_user = clicks.groupBy("user_id").agg(F.count_distinct("country", "device").alias("n"))
    assert per_user.where("n <> 1").isEmpty()
    assert clicks.select("country", "device").distinct().count() == 18


def test_skew_gives_a_few_users_most_events(spark: SparkSession) -> None:
    def busiest(skew: float) -> int:
        clicks = datasets.clickstream(spark, users=2000, skew=skew)
        return int(clicks.groupBy("user_id").count().agg(F.max("count")).collect()[0][0])

    assert busiest(0) < 60
    assert 500 < busiest(1) < busiest(2)


def test_a_quarter_of_the_clicks_are_steps_and_each_step_loses_people(clicks: DataFrame) -> None:
    steps = ["signup", "add_to_cart", "checkout"]
    assert 0.2 < clicks.where(F.col("event").isin(steps)).count() / 50_000 < 0.3
    first = [
        F.min(F.when(F.col("event") == step, F.col("timestamp"))).alias(step) for step in steps
    ]
    users = clicks.groupBy("user_id").agg(*first)
    reached = users.agg(
        F.count("signup"),
        F.count_if(F.expr("add_to_cart > signup")),
        F.count_if(F.expr("add_to_cart > signup and checkout > add_to_cart")),
    ).collect()[0]
    assert 5000 > reached[0] > 1.2 * reached[1] > 1.4 * reached[2] > 500


BAD = [
    ({"users": True}, "users: True"),
    ({"users": 10**30}, "users: 1000000000000000000000000000000 is too many"),
    ({"seed": 1.5}, "seed: 1.5"),
    ({"skew": "1"}, "skew: '1'"),
    ({"users": 0}, "users: 0"),
    ({"users": 2.5}, "users: 2.5"),
    ({"events_per_user": 0}, "events_per_user: 0"),
    ({"skew": -1}, "skew: -1"),
    ({"skew": float("nan")}, "skew: nan"),
    ({"skew": 10**400}, "skew: 1000"),
    ({"skew": np.timedelta64(1, "s")}, "skew: np.timedelta64"),
    ({"days": 0}, "days: 0"),
    ({"partitions": 0}, "partitions: 0"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD)
def test_an_invalid_argument_is_named(
    spark: SparkSession, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(WorkbenchError, match=sentence):
        datasets.clickstream(spark, **arguments)


@pytest.mark.parametrize(
    "make", [datasets.flights, datasets.weather, datasets.power_plants, datasets.clickstream]
)
def test_what_is_no_session_is_refused(make: Callable[[Any], Any]) -> None:
    with pytest.raises(WorkbenchError, match="spark: this is an int and no Spark session; give"):
        make(1000)


def sizes(spark: SparkSession) -> list[int]:
    frames = [datasets.flights(spark), datasets.weather(spark), datasets.power_plants(spark)]
    return [frame.count() for frame in [*frames, datasets.clickstream(spark, users=100)]]


@pytest.mark.cluster
@pytest.mark.parametrize("kind", ["connect", "cluster"])
def test_executors_elsewhere_get_the_same_rows(kind: str, run_on: Callable[..., Any]) -> None:
    assert run_on(kind, sizes) == [664_122, 26_115, 24, 1000]
