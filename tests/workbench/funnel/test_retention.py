"""Retention, checked by a scan of every user's events, in process and on Spark."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
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
from tests.workbench.funnel.events import Event, as_table, block_of, seeded_events
from tests.workbench.spark.jobs import no_job
from workbench.funnel.behaviour.retention_spec import RetentionSpec
from workbench.funnel.bind import task_of
from workbench.funnel.worker import retention
from workbench.funnel.worker.periods import Periods
from workbench.funnel.worker.retention import CohortCell, RetentionTask

DAY = 86_400
ROWS = seeded_events(users=200, seed=7)
Triangle = dict[tuple[Any, int], tuple[int, int, bool]]


def triangle(
    users: dict[int, list[tuple[Any, str | None]]], first: str, again: str, most: int, number: Any
) -> Triangle:
    """Return by cohort and period: users, how many came back, and whether the period is open."""
    last = max(number(at) for events in users.values() for at, _ in events)
    cohorts: dict[int, list[set[int]]] = defaultdict(list)
    for events in users.values():
        start = min((at for at, name in events if name == first), default=None)
        if start is not None:
            later = {number(at) for at, name in events if name == again and at > start}
            cohorts[number(start)].append(later)
    return {
        (cohort, k): (len(members), sum(cohort + k in one for one in members), cohort + k == last)
        for cohort, members in cohorts.items()
        for k in range(most + 1)
        if cohort + k <= last
    }


def triangle_of(result: wb.Retention, number: Any) -> Triangle:
    rows: Any = result.table.itertuples()
    return {(number(row.cohort), row.period): (row.users, row.back, row.open) for row in rows}


def by_user(rows: list[Event]) -> dict[int, list[tuple[Any, str | None]]]:
    events_of_user: dict[int, list[tuple[Any, str | None]]] = defaultdict(list)
    for user, at, name, _ in rows:
        events_of_user[user].append((at, name))
    return events_of_user


TIMES = st.integers(-9, 20)
USERS = st.lists(
    st.lists(st.tuples(TIMES, st.sampled_from("AABx")), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
)


@given(USERS, st.integers(1, 7), st.integers(1, 4), st.sampled_from(["B", "A", None]))
@draws(150)
def test_counts_are_those_of_a_scan_of_every_user(
    users: list[list[tuple[int, str]]], every: int, most: int, again: str | None
) -> None:
    spec = RetentionSpec.of("A", again, every, most, "user_id", "timestamp", "event", None)
    events = task_of(spec.funnel(integer_time=True), integer_time=True, names=True)
    periods = Periods(every, integers=True)
    task = RetentionTask(events, periods, most)
    rows = task.counts(block_of(users)).to_pylist()
    whole = dict(enumerate(users))
    expected = triangle(whole, "A", again or "A", most, lambda at: at // every)  # type: ignore[arg-type]
    assert {(one["cohort"], k): (one["users"], one[str(k)])
            for one in rows for k in range(most + 1) if (one["cohort"], k) in expected} == {
        cell: values[:2] for cell, values in expected.items()
    }  # fmt: skip
    for (cohort, k), (many, back, _) in expected.items():
        for wanted, count in ((True, back), (False, many - back)):
            people = task.people(block_of(users), CohortCell(cohort, k, wanted))
            assert len(people) == count
            assert people.column("again_time").null_count == (0 if wanted else count)


def test_many_people_are_counted_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = RetentionSpec.of("A", "B", 2, 3, "user_id", "timestamp", "event", None)
    events = task_of(spec.funnel(integer_time=True), integer_time=True, names=True)
    task = RetentionTask(events, Periods(2, integers=True), 3)
    rng = np.random.default_rng(3)
    users = [
        [(int(at), "ABx"[name]) for at, name in rng.integers(0, [12, 3], (7, 2))] for _ in range(20)
    ]
    block = block_of(users)
    whole = task.counts(block)
    largest = max(whole.to_pylist(), key=lambda row: row["1"])
    cell = CohortCell(largest["cohort"], 1, True)
    people = task.people(block, cell)
    monkeypatch.setattr(retention, "CELLS", 12)
    parts = task.counts(block)
    assert len(parts) > len(whole)
    names = [name for name in parts.column_names if name != "cohort"]
    summed = parts.group_by("cohort").aggregate([(name, "sum") for name in names])
    assert summed.sort_by("cohort").to_pydict() == {
        name if name == "cohort" else f"{name}_sum": values
        for name, values in whole.to_pydict().items()
    }
    assert task.people(block, cell).equals(people)
    assert len(people) == largest["1"] > 1


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    """A table with the same times as timestamps, without a zone, as dates and as integers."""
    days = as_table(spark, ROWS)
    return days.select(
        "user_id",
        "event",
        F.col("seconds").alias("n"),
        F.timestamp_seconds(F.col("seconds") * 40_000).alias("timestamp"),
        F.expr("timestamp_seconds(seconds * 40000)::timestamp_ntz").alias("plain"),
        F.expr("date_add(date'1970-01-01', int(seconds))").alias("day"),
    )


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with wb.prepare(events) as prepared:
        assert prepared.tasks == 1
        yield prepared


def test_a_table_and_prepared_events_have_the_same_retention(
    events: DataFrame, prepared: wb.Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"first": "view", "again": "buy", "every": "2 days", "periods": 5}
    moments = {
        user: [(datetime(1970, 1, 1) + timedelta(seconds=40_000 * at), name) for at, name in rows]
        for user, rows in by_user(ROWS).items()
    }

    def number(at: datetime) -> int:
        return (at - datetime(1970, 1, 1)) // timedelta(days=2)

    expected = triangle(moments, "view", "buy", 5, number)
    assert triangle_of(wb.retention(events, **query), number) == expected  # type: ignore[arg-type]
    assert triangle_of(wb.retention(prepared, **query), number) == expected  # type: ignore[arg-type]
    monkeypatch.setattr(prepared, "tasks", 2)
    assert triangle_of(wb.retention(prepared, **query), number) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("time", "every"), [("timestamp", "1 day"), ("plain", "1 day"),
                                             ("day", "7 days"), ("n", 4)])  # fmt: skip
def test_people_of_a_cell_are_as_many_as_it_counts(
    events: DataFrame, time: str, every: Any
) -> None:
    result = wb.retention(events, "view", "buy", every=every, periods=3, time=time)
    cells = result.table[result.table["back"] > 0]
    assert len(cells) > 3
    row = cells.iloc[len(cells) // 2]
    people = result.people(row["cohort"], row["period"]).toPandas()
    assert len(people) == people["user_id"].nunique() == row["back"]
    assert (people["again_time"] > people["first_time"]).all()
    others = result.people(row["cohort"], row["period"], back=False).toPandas()
    assert len(others) == row["users"] - row["back"]
    assert others["again_time"].isna().all()
    everybody = result.people(row["cohort"]).toPandas()
    assert {*everybody["user_id"]} == {*people["user_id"], *others["user_id"]}


def test_months_are_those_of_the_calendar(spark: SparkSession) -> None:
    rows = [
        (1, date(2024, 1, 31)), (1, date(2024, 2, 1)), (1, date(2024, 4, 30)),
        (2, date(2024, 2, 29)), (2, date(2024, 3, 31)),
    ]  # fmt: skip
    table = spark.createDataFrame(rows, "user_id int, timestamp date")
    result = wb.retention(table, {"a visit": "true"}, every="1 month", periods=3)
    assert result.triangle().reset_index().fillna(-1).to_numpy().tolist() == [
        [pd.Timestamp(2024, 1, 1), 1, 0.0, 1.0, 0.0, -1],
        [pd.Timestamp(2024, 2, 1), 1, 0.0, 1.0, -1, -1],
    ]
    assert result.people("2024-02-01", 1).toPandas()["again_time"].tolist() == [date(2024, 3, 31)]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "GMT+02:00"])
def test_days_begin_at_midnight_of_the_session(spark: SparkSession, zone: str) -> None:
    with session_options(spark, {ZONE: zone}):
        table = spark.sql(
            "SELECT 1 AS user_id, explode(array(timestamp'2024-07-01 23:59:59', "
            "timestamp'2024-07-02 00:00:00', timestamp'2024-07-03 01:00:00')) AS timestamp"
        )
        visit = {"a visit": "true"}
        table_of_days = wb.retention(table, visit, every="1 day", periods=1).table
        assert table_of_days["cohort"].tolist() == [pd.Timestamp(2024, 7, 1)] * 2
        assert table_of_days["back"].tolist() == [0, 1]
        hours = wb.retention(table, visit, every="1 hour", periods=1).table
        assert hours["cohort"].tolist() == [pd.Timestamp(2024, 7, 1, 23)] * 2
        assert hours["back"].tolist() == [0, 1]
        with wb.prepare(table, event=visit) as prepared:
            again = wb.retention(prepared, visit, every="1 day", periods=1).table
            pd.testing.assert_frame_equal(again, table_of_days)


def test_integer_times_may_span_all_of_64_bits(spark: SparkSession) -> None:
    ends = [-(2**63), 2**63 - 1]
    rows = [(1, ends[0]), (1, ends[0] + 5), (1, ends[1]), (2, ends[1])]
    table = spark.createDataFrame(rows, "user_id int, timestamp long")
    for every in (1, 7, 2**63 - 1):
        result = wb.retention(table, {"a visit": "true"}, every=every, periods=2)
        assert result.table["users"].sum() >= 2
        assert result.people(result.table["cohort"].iloc[0]).count() == 1
    assert result.table["cohort"].tolist() == [ends[0], ends[0], ends[0], 2**63 - 1]


def test_rows_without_a_key_or_a_time_are_left_out_and_counted(spark: SparkSession) -> None:
    rows = [(1, 1, "A"), (1, 5, "B"), (None, 90, "A"), (2, None, "A")]
    table = spark.createDataFrame(rows, "user_id int, timestamp long, event string")
    one_less = table.where("timestamp is not null")
    with pytest.warns(wb.WorkbenchWarning, match=r"^1 row was left out: its key or its time is nu"):
        wb.retention(one_less, "A", "B", every=4, periods=9)
    with pytest.warns(wb.WorkbenchWarning, match=r"^2 rows were left out: their key or their time"):
        result = wb.retention(table, "A", "B", every=4, periods=9)
    assert result.skipped == 2
    # The last event with a key and a time is at 5.
    assert result.table["open"].tolist() == [False, True]


def test_a_warning_suggests_the_nearest_name_of_an_event_that_nobody_did(
    prepared: wb.Prepared,
) -> None:
    with pytest.warns(wb.WorkbenchWarning) as caught:
        result = wb.retention(prepared, "vew", "by")
    assert [str(one.message) for one in caught] == [
        "first: 'vew' matches no event; did you mean 'view'?",
        "again: 'by' matches no event; did you mean 'buy'?",
    ]
    assert result.table.empty
    assert "none" in result._repr_html_()


def test_too_many_cohorts_are_cut_to_the_newest_with_a_warning(spark: SparkSession) -> None:
    table = spark.range(1_005).selectExpr("id AS user_id", "id AS timestamp")
    with pytest.warns(wb.WorkbenchWarning, match="there are 1,005 cohorts"):
        result = wb.retention(table, {"a visit": "true"}, every=1, periods=1)
    assert result.table["cohort"].unique().tolist() == list(range(5, 1_005))


A_KIND = 'give two of one kind, such as {"back": "event = \'visit\'"}.'
#: Invalid arguments, and the error message.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"first": None}, "first: no event is named; give its name, a list of names, or a condition "
     "by its label."),
    ({"first": 5}, "first: 5 is not text; name events by text, and label conditions by text."),
    ({"first": {"a": "true", "b": "true"}}, "first: 2 conditions are given; give one by its "
     'label, such as {"late": "delay > 15"}.'),
    ({"again": {"b": "true"}}, "again: one of first and again is a name and the other a "
     f"condition; {A_KIND}"),
    ({"first": {"a": "true"}, "again": {"a": "n > 1"}}, "again: 'a' is the label of first; give "
     "it another one."),
    ({"every": "soon"}, "every: 'soon' is not a duration; give one such as '1 hour', '90 days' or "
     "timedelta(minutes=5)."),
    ({"every": "1 month 2 days"}, "every: '1 month 2 days' has no fixed length, as months differ "
     "in length; give days, such as '30 days'."),
    ({"every": "0 days"}, "every: '0 days' is not longer than zero; give a longer one."),
    ({"every": "0 months"}, "every: '0 months' is not longer than zero; give a longer one."),
    ({"every": "99999 years"}, "every: '99999 years' is too long; give at most 1,000 years."),
    ({"every": 5}, "every: 5 has no unit; give a duration with a unit, such as '1 hour', "
     "'90 days' or timedelta(minutes=5)."),
    ({"every": "1 month", "time": "n"}, "every: '1 month' has a unit, but the time column holds "
     "integers; give an integer in the unit of that column."),
    ({"periods": 0}, "periods: 0 is not possible; give 1 to 366 periods."),
    ({"periods": 367}, "periods: 367 is not possible; give 1 to 366 periods."),
    ({"time": "tim"}, "time: there is no column 'tim'; did you mean 'time'?"),
    ({"key": "first_time"}, "key: the result has a column 'first_time' of its own; rename yours "
     "first."),
    ({"key": "event", "event": "evnt"}, "event: there is no column 'evnt'; did you mean 'event'?"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "sentence"), WRONG, ids=[one for _, one in WRONG])
def test_invalid_arguments_are_refused_before_a_job(
    spark: SparkSession, given: dict[str, Any], sentence: str
) -> None:
    table = spark.sql(
        "SELECT 1 AS user_id, 2L AS n, current_timestamp() AS time, 'a' AS event, 1 AS first_time"
    )
    arguments = {"first": "a", "again": "b", "every": "1 day", "time": "time"} | given
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        wb.retention(table, **arguments)
    assert str(error.value) == sentence


def test_a_cell_that_does_not_exist_is_refused(prepared: wb.Prepared) -> None:
    result = wb.retention(prepared, "view", "buy", every="1 week", periods=2)
    for call, sentence in (
        (lambda: result.people("2024-05-05"), "cohort: '2024-05-05' is not a cohort; there are "),
        (lambda: result.people("soon"), "cohort: 'soon' is not a cohort; there are 1969-12-29, "),
        (
            lambda: result.people("1969-12-29", 3),
            "period: 3 is not a period; give 0 to 2, or leave ",
        ),
        (lambda: result.people("1969-12-29", back=False), "back: it is for one period; name "),
        (
            lambda: result.people("1969-12-29", 1, back="no"),  # type: ignore[arg-type]
            "back: 'no' is not known; give True ",
        ),
    ):
        with pytest.raises(wb.WorkbenchError) as error:
            call()
        assert str(error.value).startswith(sentence)


def test_periods_of_some_hours_are_multiples_since_1970() -> None:
    time = pa.array(np.array([-1, 0, 6 * 3_600_000_000 - 1, 6 * 3_600_000_000]), pa.timestamp("us"))
    periods = Periods(6 * 3_600_000_000)
    assert periods.numbers(time).tolist() == [-1, 0, 0, 1]
    assert periods.begins(np.array([-1]))[0].as_py() == datetime(1969, 12, 31, 18)


def test_an_hour_that_clocks_repeat_is_two_cohorts(spark: SparkSession) -> None:
    start = datetime.fromisoformat("2024-11-03T04:30:00+00:00")
    times = [start + timedelta(hours=hour) for hour in range(5)]
    visits = pa.table(
        {"user_id": range(5), "timestamp": pa.array(times, pa.timestamp("us", "UTC"))}
    )
    with session_options(spark, {ZONE: "America/New_York"}):
        result = wb.retention(visits, {"a visit": "true"}, every="1 hour", periods=1)
        assert "5 users in 5 cohorts" in repr(result)
        assert result.triangle()["users"].tolist() == [1] * 5
        clock_times = ["00:00", "01:00", "02:00", "03:00"]
        by_clock = [result.people(f"2024-11-03 {hour}").first() for hour in clock_times]
        assert [row and row["user_id"] for row in by_clock] == [0, 1, 3, 4]
        again = result.people(times[2]).first()
        assert again is not None
        assert again["user_id"] == 2


@pytest.mark.parametrize("again", ["buy", None])
def test_the_events_of_one_user_are_played(
    events: DataFrame, prepared: wb.Prepared, again: str | None
) -> None:
    for table in (events, prepared):
        result = wb.retention(table, "view", again, every="2 days", periods=3)
        row = result.table[result.table["back"] > 0].iloc[-1]
        key = result.people(row["cohort"], row["period"]).toPandas()["user_id"][0].item()
        player = wb.play(result, key=key)
        captions = [step["caption"] for step in player.lesson["steps"]]
        assert any(one.endswith(f"came back in period {row['period']}.") for one in captions)
        assert "the first event" in " ".join(captions)
        assert player.lesson["title"].endswith(f"· {key}")
    assert wb.play(result).lesson["steps"]
    with pytest.raises(wb.WorkbenchError, match=r"^what: a retention has its events already"):
        wb.play(result, table)
