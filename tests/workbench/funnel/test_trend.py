"""Trends equal the funnels of single periods, in any time zone, and count open chains."""

from collections.abc import Iterator
from datetime import datetime
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.clusters import ZONE, session_options
from tests.drawn import draws
from tests.workbench.funnel.events import block_of
from tests.workbench.spark.jobs import no_job
from workbench.durations import DAY
from workbench.funnel.bind import task_of
from workbench.funnel.counting import arrow_zone, instant_of
from workbench.funnel.intervals import shares_of
from workbench.funnel.periods import span_of
from workbench.funnel.plan import each_period
from workbench.funnel.worker import entries
from workbench.funnel.worker.entries import EntriesTask, period_numbers
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.trend import TrendTask

STEPS = ["A", "B", "C"]
WINDOW = 9
Row = tuple[int, str, str | None]
#: Options of chains to combine with a trend.
OPTIONS: list[dict[str, Any]] = [
    {},
    {"modes": ["strict_order"]},
    {"modes": ["strict_increase", "strict_once"]},
    {"modes": ["strict_deduplication"]},
    {"optional": ["B"], "within": {"C": 4}},
    {"exclude": "x"},
    {"exclude": "x", "exclude_from": "all"},
    {"order": "strict"},
    {"count": "sessions", "session": 3},
    {"start": 2, "end": 14},
]
CONSECUTIVE: list[dict[str, Any]] = [{"order": "any"}, {"count": "conversions"}]
USERS = st.lists(
    st.lists(
        st.tuples(
            st.integers(-4, 20),
            st.sampled_from([*"AABBCCxo"]),
            st.sampled_from(["tv", "web", None]),
        ),
        min_size=1,
        max_size=10,
    ),
    min_size=1,
    max_size=4,
)


def answers(users: list[list[Row]], period: Any = None, **options: Any) -> list[dict[str, Any]]:
    funnel = wb.Funnel(STEPS, WINDOW, **options)
    entry_period = period or funnel.counting.period("long", "UTC")
    task = task_of(funnel, True, True, by=("device",), period=entry_period, entered=True)
    return task.answer(block_of(users, ["device"])).to_pylist()


def trend(
    users: list[list[Row]], every: int, until: int | None = None, **options: Any
) -> dict[tuple[int, str | None], tuple[int, int, list[int]]]:
    """Return by period and device: entrants, open ones, and how many others reached each step."""
    funnel = wb.Funnel(STEPS, WINDOW, **options)
    period = funnel.counting.period("long", "UTC")
    task = task_of(funnel, True, True, by=("device",), period=period)
    entries_task = EntriesTask(task, Periods(every, integers=True), each_period(funnel))
    block = block_of(users, ["device"])
    last = max(row[0] for events in users for row in events) if until is None else until
    sent = list(entries_task.from_blocks([packed(block)]))
    rows = [
        row for batch in TrendTask(3, WINDOW, last, 1_000).run(sent) for row in batch.to_pylist()
    ]
    return {
        (row["period"] * every, row["segment0"]): (row["entrants"], row["open"], row["users"])
        for row in rows
    }


def packed(block: Any) -> pa.RecordBatch:
    from workbench.columnar.packed_blocks import pack
    from workbench.columnar.packed_rows import one_binary

    return pa.record_batch({"block": one_binary(pack(block))})


def count_by_period(
    answers_of_periods: list[tuple[int, dict[str, Any]]], last: int
) -> dict[tuple[int, str | None], tuple[int, int, list[int]]]:
    """Return the figures of a trend, from each period's answers."""
    expected: dict[tuple[int, str | None], tuple[int, int, list[int]]] = {}
    for begin, one in answers_of_periods:
        if one["level"] == 0:
            continue
        entrants, still_open, users = expected.get((begin, one["device"]), (0, 0, [0, 0, 0]))
        is_open = last - one["__entered__"] < WINDOW
        there = [k < len(one["reached"]) and one["reached"][k] is not None for k in range(3)]
        if not is_open:
            users = [n + reached for n, reached in zip(users, there, strict=True)]
        expected[begin, one["device"]] = entrants + 1, still_open + is_open, users
    return expected


@given(USERS, st.sampled_from(OPTIONS), st.integers(1, 12), st.sampled_from(["first", "each"]))
@draws(300)
def test_a_point_is_the_funnel_of_its_single_period(
    users: list[list[Row]], options: dict[str, Any], every: int, attribution: str
) -> None:
    options = options | {"attribution": attribution}
    first, end = options.get("start", -12), options.get("end", 24)
    rest = {name: value for name, value in options.items() if name not in ("start", "end")}
    single = [
        (begin, one)
        for begin in range(-24, 24)
        if begin % every == 0
        for period in [(max(begin, first), min(begin + every, end))]
        if period[0] < period[1]
        for one in answers(users, period, **rest)
    ]
    last = max(row[0] for events in users for row in events)
    assert trend(users, every, **options) == count_by_period(single, last)


@given(USERS, st.sampled_from(CONSECUTIVE), st.integers(1, 12))
@draws(100)
def test_consecutive_chains_count_where_they_begin(
    users: list[list[Row]], options: dict[str, Any], every: int
) -> None:
    by_begin = [
        (min(one["reached"]) // every * every, one)
        for one in answers(users, **options)
        if one["level"]
    ]
    last = max(row[0] for events in users for row in events)
    assert trend(users, every, **options) == count_by_period(by_begin, last)


@given(USERS, st.integers(1, 12))
@draws(50)
def test_rows_in_small_chunks_give_the_same_trend(users: list[list[Row]], every: int) -> None:
    whole = trend(users, every)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(entries, "_ROWS_AT_ONCE", 3)
        assert trend(users, every) == whole


#: From PostHog's and Amplitude's documentation: users, the length of a period, and entrants and
#: conversions by period.
PRODUCTS = {
    "an entry in each period": (
        ["A0 B0 C0 A30 B31 A40 B41 C42", "A40"],
        10,
        {0: (1, 1), 30: (1, 0), 40: (2, 1)},
    ),
    "conversions over time": (["A10 B12 A50 B53 A200"], 10, {10: (1, 1), 50: (1, 1), 200: (1, 0)}),
}


@pytest.mark.parametrize("case", PRODUCTS)
def test_entries_are_counted_as_products_count_them(case: str) -> None:
    streams, every, expected = PRODUCTS[case]
    users: list[list[Row]] = [
        [(int(e[1:]), e[0], None) for e in events.split()] for events in streams
    ]
    step = max("ABC".index(e[0]) for events in streams for e in events.split())
    points = trend(users, every, until=1_000)
    assert {begin: (one[0], one[2][step]) for (begin, _), one in points.items()} == expected


def test_times_at_the_ends_of_64_bits_have_periods() -> None:
    ends = [-(2**63), 2**63 - 1]
    users: list[list[Row]] = [[(ends[0], "A", None), (ends[1], "A", None)]]
    found = trend(users, 10)
    assert {(begin, one[:2]) for (begin, _), one in found.items()} == {
        (end // 10 * 10, (1, int(end > 0))) for end in ends
    }


@pytest.mark.parametrize("every", [1, 3, 10, 2**62, 2**63 - 1])
@pytest.mark.parametrize("first", [-(2**63), 2**63 - 6])
def test_periods_at_the_ends_of_64_bits_have_people(
    spark: SparkSession, first: int, every: int
) -> None:
    rows = [("ann", first, "A"), ("ann", first + 5, "B"), ("ben", first + 5, "A")]
    table = spark.createDataFrame(rows, "user_id string, timestamp long, event string")
    funnel = wb.Funnel(["A", "B"], 5)
    points = funnel.trend(table, every)
    begins = {max(at // every * every, -(2**63)) for at in (first, first + 5)}
    assert {*points["from"][points["entrants"] > 0]} == begins
    assert (points["from"] < points["to"]).sum() >= len(points) - 2
    for at, users in ((first, ["ann"]), (first + 5, ["ben"])):
        query: dict[str, Any] = {"entered": at, "reached": "A", "open": at > first}
        people = funnel.people(table, every=every, **query)
        assert [row.user_id for row in people.collect()] == users


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["UTC", "Europe/Paris", "America/Sao_Paulo", "Asia/Kathmandu", "GMT+05:30"]),
    st.sampled_from([(DAY, False), (7 * DAY, False), (1, True), (5, True), (DAY // 7, False)]),
)
@draws(200)
def test_the_times_of_a_period_are_those_with_its_number(
    moment: datetime, zone: str, length: tuple[int, bool]
) -> None:
    periods = Periods(*length, zone=arrow_zone(zone))
    begin, end = span_of(moment, periods, "timestamp", zone)
    instant = instant_of(moment, "entered", "timestamp", zone)
    numbers = period_numbers(periods, np.array([begin - 1, begin, instant, end - 1, end]))
    assert (numbers - numbers[1]).tolist() == [-1, 0, 0, 0, 1]


#: Times at the ends of Python's calendar, and how many days their periods have.
AT_THE_ENDS = {
    "the last day": ("9999-12-31", (DAY, False), 1),
    "the last week": ("9999-12-31", (7 * DAY, False), 7),
    "the last month": ("9999-12-31 23:59", (1, True), 31),
    "days from before the first year on": ("0001-01-01", (5 * DAY, False), 5),
    "months from before the first year on": ("0001-01-01", (7, True), 212),
}


@pytest.mark.parametrize("zone", [None, "UTC", "Pacific/Kiritimati", "-08:00"])
@pytest.mark.parametrize("case", AT_THE_ENDS)
def test_a_period_may_reach_beyond_pythons_calendar(case: str, zone: str | None) -> None:
    moment, length, days = AT_THE_ENDS[case]
    kind = "timestamp_ntz" if zone is None else "timestamp"
    begin, end = span_of(moment, Periods(*length, zone=zone), kind, zone or "UTC")
    assert begin <= instant_of(moment, "entered", kind, zone or "UTC") < end
    assert end - begin == days * DAY


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    rng = np.random.default_rng(3)
    rows = [
        (f"u{user}", int(at), str(name), device)
        for user in range(60)
        for device in [["tv", "web", None][user % 3]]
        for at, name in zip(rng.integers(0, 96, 9), rng.choice([*"AABCxo"], 9), strict=True)
    ]
    table = spark.createDataFrame(rows, "user_id string, hours int, event string, device string")
    return table.withColumn("timestamp", F.timestamp_seconds(F.col("hours") * 3600 + 1_700_000_000))


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(events, keep=["device"]) as prepared:
        yield prepared


FUNNEL = wb.Funnel(STEPS, "9 hours", cohorts={"odd": "o"})


def test_a_trend_adds_up_to_the_funnels_of_its_periods(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    points = FUNNEL.trend(events, "12 hours", by=["device", "odd"])
    assert points.equals(FUNNEL.trend(prepared, "12 hours", by=["device", "odd"]))
    assert points["to"].shift(3).iloc[3:6].tolist() == points["from"].iloc[3:6].tolist()
    begin: Any
    for begin, rows in points.groupby("from"):
        part = wb.Funnel(STEPS, "9 hours", start=begin, end=begin + pd.Timedelta("12 hours")).steps(
            prepared
        )
        assert rows.loc[rows["step"] == "A", "entrants"].sum() == part["users"][0]
        if not rows["open"].any():
            assert rows.groupby("step")["users"].sum().tolist() == part["users"].tolist()
    assert points["open"].sum() > 0


def test_shares_have_wilsons_interval_and_are_of_those_whose_window_is_over(
    prepared: wb.Prepared,
) -> None:
    points = FUNNEL.trend(prepared, "6 hours", confidence=0.9)
    closed = points["entrants"] - points["open"]
    expected = shares_of(points["users"], closed, 0.9)
    for name, values in expected._asdict().items():
        assert np.array_equal(points[name], values, equal_nan=True)
    assert points.loc[closed == 0, "share"].isna().all()
    assert ((points["low"] <= points["share"]) & (points["share"] <= points["high"]))[
        closed > 0
    ].all()


def test_the_largest_segments_have_separate_points(prepared: wb.Prepared) -> None:
    whole = FUNNEL.trend(prepared, "1 day", by="device")
    points = FUNNEL.trend(prepared, "1 day", by="device", largest=1)
    rows = len(whole) // 3
    assert points["device"].drop_duplicates().tolist() == [whole["device"].iloc[0], "others"]
    assert points.iloc[:rows].equals(whole.iloc[:rows])
    assert points["users"].iloc[rows:].sum() == whole["users"].iloc[rows:].sum()
    assert (points.attrs["others"], len(points)) == (2, len(whole) * 2 // 3)


def test_a_period_without_entrants_is_a_row_without_a_share(spark: SparkSession) -> None:
    rows = [("a", 0, "A"), ("a", 1, "B"), ("b", 35, "A"), ("c", 99, "o")]
    table = spark.createDataFrame(rows, "user_id string, timestamp long, event string")
    points = wb.Funnel(["A", "B"], 5).trend(table, every=10)
    of_last_step = points[points["step"] == "B"]
    assert of_last_step["from"].tolist() == [*range(0, 100, 10)]
    assert of_last_step["share"].dropna().tolist() == [1.0, 0.0]
    assert of_last_step["entrants"].sum() == 2
    assert points.attrs["end"] == 99


def test_a_trend_of_nobody_has_no_rows(spark: SparkSession) -> None:
    empty = spark.createDataFrame([], "user_id string, timestamp long, event string, device string")
    with pytest.warns(wb.WorkbenchWarning, match="matches no event"):
        points = wb.Funnel(["A", "B"], 5).trend(empty, every=10, by="device")
    assert list(points.columns)[:4] == ["device", "from", "to", "step"]
    assert len(points) == 0


def test_days_are_those_of_the_sessions_time_zone(spark: SparkSession, events: DataFrame) -> None:
    with session_options(spark, {ZONE: "Asia/Kathmandu"}):
        points = FUNNEL.trend(events, "1 day")
        assert {str(begin.time()) for begin in points["from"]} == {"00:00:00"}
        counts = (
            events.where("event = 'A'")
            .groupBy(F.to_date("timestamp"))
            .agg(F.count_distinct("user_id"))
        )
        days = {str(row[0]): row[1] for row in counts.collect()}
        first = points[points["step"] == "A"]
        assert {
            str(b.date()): n for b, n in zip(first["from"], first["entrants"], strict=True)
        } == days


@pytest.mark.usefixtures("spark")
def test_people_who_entered_on_the_last_day_are_those_of_its_point() -> None:
    day = [datetime(9999, 12, 31, hour) for hour in (1, 23)]
    table = pa.table({"user_id": [1, 1], "timestamp": day, "event": ["A", "B"]})
    funnel = wb.Funnel(["A", "B"], "1 day")
    assert funnel.trend(table, "1 day")["entrants"].tolist() == [1, 1]
    people = funnel.people(table, reached="B", entered="9999-12-31", every="1 day", open=True)
    assert [row["user_id"] for row in people.collect()] == [1]


def rows_of_each(tables: list[DataFrame]) -> list[int]:
    """Return how many rows each table has, by one job for all."""
    numbered = [table.select(F.lit(n).alias("n")) for n, table in enumerate(tables)]
    rows = reduce(DataFrame.unionAll, numbered).toArrow()["n"].to_pylist()
    return [rows.count(n) for n in range(len(tables))]


@pytest.mark.parametrize("kind", ["timestamp_ntz", "date", "long"])
@pytest.mark.parametrize("is_prepared", [False, True])
def test_people_are_those_counted_in_a_point(
    events: DataFrame, prepared: wb.Prepared, kind: str, is_prepared: bool
) -> None:
    table = events.withColumn("timestamp", F.expr(f"cast(timestamp as {kind})"))
    window = 32_400 if kind == "long" else "1 day"
    every: Any = 86_400 if kind == "long" else "1 day"
    funnel = wb.Funnel(STEPS, window)
    source: Any = funnel.prepare(table, keep="device") if is_prepared else table
    trend_table = funnel.trend(source, every, by="device")
    points = trend_table[(trend_table["entrants"] > 0) & (trend_table["step"] != "A")]
    rows = [*(points if is_prepared else points[::5]).itertuples()]
    expected = [row.users for row in rows]
    queries: list[dict[str, Any]] = [
        {"entered": row[2], "segment": (row.device,), "reached": row.step} for row in rows
    ]
    last = trend_table.iloc[-3]
    assert last["open"] > 0
    expected.append(last["open"])
    where = {"entered": last["from"], "segment": (last["device"],)}
    queries.append(where | {"reached": "A", "open": True})
    people = [funnel.people(source, every=every, by="device", **one) for one in queries]
    assert rows_of_each(people) == expected
    if is_prepared:
        source.free()


def test_people_of_an_hour_that_the_sessions_clock_skips_are_those_of_its_point(
    spark: SparkSession,
) -> None:
    rows = spark.createDataFrame([("ann", "A"), ("ben", "A")], "user_id string, event string")
    hour = F.when(F.col("user_id") == "ann", "02:30").otherwise("03:30")
    at = F.concat(F.lit("2024-03-10 "), hour).cast("timestamp_ntz")
    with session_options(spark, {ZONE: "America/New_York"}):
        funnel = wb.Funnel(["A"], "1 day")
        table = rows.withColumn("timestamp", at)
        points = funnel.trend(table, "1 hour")
        assert points["entrants"].tolist() == [1, 1]
        for moment, user in zip(points["from"], ["ann", "ben"], strict=True):
            query: dict[str, Any] = {"reached": "A", "open": True, "entered": moment}
            people = funnel.people(table, every="1 hour", **query)
            assert [row.user_id for row in people.collect()] == [user]


def test_people_of_consecutive_chains_are_those_of_a_point(prepared: wb.Prepared) -> None:
    rules: list[dict[str, Any]] = [{"count": "conversions"}, {"order": "any"}]
    for options in rules:
        funnel = wb.Funnel(STEPS, "9 hours", **options)
        points = funnel.trend(prepared, "1 day")
        rows: list[Any] = [*points[points["entrants"] > 0].itertuples()]
        people = [
            funnel.people(prepared, reached=row.step, entered=row[1], every="1 day") for row in rows
        ]
        assert rows_of_each(people) == [row.users for row in rows]
        assert "__entered__" not in people[-1].columns
    # In any order, the label of a step would be read as a place in the chain.
    with pytest.raises(wb.WorkbenchError, match="reached: 'A' is not known; give one of '1 step'"):
        funnel.people(prepared, reached="A")


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no length": (
        {"every": "0 days"},
        "every: '0 days' is not longer than zero; give a longer one.",
    ),
    "no duration": (
        {"every": "soon"},
        "every: 'soon' is not a duration; give one such as '1 hour', '90 days' or "
        "timedelta(minutes=5).",
    ),
    "too many": (
        {"every": "1 second"},
        "every: '1 second' makes 342,001 periods, and a trend has at most 10,000 points; give a "
        "longer one.",
    ),
    "an integer of times": (
        {"every": 5},
        "every: 5 has no unit; give a duration with a unit, such as '1 hour', '90 days' or "
        "timedelta(minutes=5).",
    ),
    "segments of nothing": (
        {"largest": 3},
        "largest: 3 is a number of segments, and there are none; give by=, or leave it out.",
    ),
    "confidence in percent": (
        {"confidence": 95},
        "confidence: 95 is no share of samples; give one above 0 and below 1, such as 0.95.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_arguments_of_a_trend_are_refused_before_a_job(
    case: str, spark: SparkSession, prepared: wb.Prepared
) -> None:
    arguments, sentence = BAD[case]
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.trend(prepared, **arguments)
    assert str(error.value) == sentence


def test_too_many_points_of_a_table_are_refused(events: DataFrame) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"every: '1 second' makes \d+,\d+ periods, and a"):
        FUNNEL.trend(events, "1 second")
    with pytest.raises(wb.WorkbenchError, match="of 3 segments, and a trend has at most 10,000"):
        FUNNEL.trend(events, "1 minute", by="device")


def test_nan_is_one_segment_in_all_periods(spark: SparkSession) -> None:
    nan = float("nan")
    rows = {"user_id": [1, 2, 3, 4, 5], "timestamp": [0, 10, 20, 0, 10], "event": ["A"] * 5}
    events = pa.table(rows | {"s": pa.array([nan, nan, nan, 0.5, None])})
    funnel = wb.Funnel(["A"], 9)
    points = funnel.trend(wb.table(events), 10, by="s")
    assert points["s"].isna().tolist() == [True] * 3 + [True] * 3 + [False] * 3
    assert points["entrants"].tolist() == [1, 1, 1, 0, 1, 0, 1, 0, 0]
    assert funnel.trend(events, 10, by=["s", "event"])["entrants"].tolist() == [*points["entrants"]]
    # Three segments in three thousand periods are within the 10,000 points that a trend has.
    far = events.set_column(1, "timestamp", pa.array([0, 15_000, 29_990, 0, 10]))
    assert len(funnel.trend(far, 10, by="s")) == 3 * 3_000


BAD_PEOPLE: dict[str, tuple[dict[str, Any], str]] = {
    "neither": (
        {"entered": "2024-01-01", "every": "1 day"},
        "stopped_at: say by stopped_at= at which level people stopped, or by reached= which step "
        "they reached; give one of the two.",
    ),
    "a period without a length": (
        {"entered": "2024-01-01", "reached": "A"},
        "entered: a period is given by a time in it and the length of periods; give both, such as "
        'entered="2024-01-31", every="1 day".',
    ),
    "a segment of nothing": (
        {"reached": 1, "segment": "tv"},
        "segment: 'tv' is 1 of 0 values; give by=, and the value of each of its columns.",
    ),
    "no step": ({"reached": 9}, "reached: there is no step 9; give 1 to 3."),
}


@pytest.mark.parametrize("case", BAD_PEOPLE)
def test_invalid_queries_for_people_are_refused_before_a_job(
    case: str, spark: SparkSession, prepared: wb.Prepared
) -> None:
    arguments, sentence = BAD_PEOPLE[case]
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.people(prepared, **arguments)
    assert str(error.value) == sentence
