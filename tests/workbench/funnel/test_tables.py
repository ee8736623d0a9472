"""Steps, times, people and segments are those computed by hand, in any layout of the rows."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.funnel.events import (
    STEPS,
    WINDOW,
    as_table,
    seeded_events,
    steps_by_hand,
    ways,
)

ROWS = seeded_events()
WAYS = ways(ROWS)
FUNNEL = wb.Funnel(STEPS, f"{WINDOW} seconds")
LAYOUTS = [(1, 0), (3, 1), (7, 2)]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return as_table(spark, ROWS)


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with FUNNEL.prepare(events, keep=["segment"]) as prepared:
        yield prepared


@pytest.fixture(params=["table", "prepared"])
def source(
    request: pytest.FixtureRequest, events: DataFrame, prepared: wb.Prepared
) -> DataFrame | wb.Prepared:
    return events if request.param == "table" else prepared


def laid_out(events: DataFrame, partitions: int, seed: int) -> DataFrame:
    """Return the same rows, shuffled, in a number of partitions."""
    return events.orderBy(F.rand(seed)).repartition(partitions)


def by_user(levels: DataFrame) -> dict[int, tuple[object, ...]]:
    rows = [tuple(row) for row in levels.collect()]
    assert len({user for user, *_ in rows}) == len(rows)
    return {user: tuple(rest) for user, *rest in rows}


def seconds(levels: DataFrame) -> DataFrame:
    return levels.withColumn("reached", F.transform("reached", F.unix_seconds))


def test_levels_chains_and_segments_are_those_computed_by_hand(
    source: DataFrame | wb.Prepared,
) -> None:
    levels = seconds(FUNNEL.levels(source, by="segment"))
    assert levels.columns == ["user_id", "level", "reached", "segment"]
    expected = {u: (len(w.chain), [*w.chain], w.segment) for u, w in WAYS.items()}
    assert by_user(levels) == expected


def test_reached_has_a_time_for_each_step_and_never_goes_back(events: DataFrame) -> None:
    rows = FUNNEL.levels(events).collect()
    assert {row["level"] for row in rows} == {0, 1, 2, 3}
    for row in rows:
        assert len(row["reached"]) == row["level"]
        assert row["reached"] == sorted(row["reached"])


def test_steps_are_those_computed_by_hand(source: DataFrame | wb.Prepared) -> None:
    steps = FUNNEL.steps(source)
    pd.testing.assert_frame_equal(steps, steps_by_hand(list(WAYS.values())), check_dtype=False)
    assert steps.attrs["skipped"] == 0


def test_each_segment_is_a_separate_funnel(source: DataFrame | wb.Prepared) -> None:
    steps = FUNNEL.steps(source, by="segment")
    entered = [way for way in WAYS.values() if way.chain]
    assert steps["segment"].nunique(dropna=False) == 4
    for segment, table in steps.groupby("segment", dropna=False):
        name = None if pd.isna(segment) else segment
        expected = steps_by_hand([way for way in entered if way.segment == name])
        table = table.drop(columns="segment").reset_index(drop=True)
        pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    firsts = steps.loc[steps["step"] == "view", "users"]
    assert firsts.is_monotonic_decreasing
    assert firsts.sum() == len(entered)


@pytest.mark.parametrize("level", range(len(STEPS) + 1))
def test_people_are_those_of_the_level_with_the_event_that_they_did_next(
    level: int, source: DataFrame | wb.Prepared
) -> None:
    people = seconds(FUNNEL.people(source, stopped_at=level))
    assert people.columns == ["user_id", "level", "reached", "next_event", "next_time"]
    expected = {
        user: (level, [*way.chain], way.next[1] if way.next else None, way.next and way.next[0])
        for user, way in WAYS.items()
        if len(way.chain) == level
    }
    assert by_user(people.withColumn("next_time", F.unix_seconds("next_time"))) == expected


@pytest.mark.parametrize("bins", [4, 30])
def test_times_count_everyone_who_finished_in_round_intervals(
    bins: int, source: DataFrame | wb.Prepared
) -> None:
    took = [w.chain[-1] - w.chain[0] for w in WAYS.values() if len(w.chain) == len(STEPS)]
    times = FUNNEL.times(source, bins=bins)
    assert len(times) <= bins
    assert times["users"].sum() == len(took)
    end = times["to"].iloc[-1]
    for first, last, users in times.itertuples(index=False):
        within = [first <= t < last or t == last == end for t in pd.to_timedelta(took, "s")]
        assert users == sum(within)
    width = times["to"] - times["from"]
    assert (width == width[0]).all()
    assert (times["from"] == pd.to_timedelta(times.index * width[0])).all()


@pytest.mark.parametrize(
    ("window", "longest", "bins", "edges"),
    [
        (1_000, 1_000, 30, range(0, 1_001, 100)),
        (1_000, 1_000, 3, [0, 1_000]),
        (7, 7, 30, range(8)),
        (10**12, 20, 10, range(0, 21, 2)),
        (10**12, 123_456, 2, [0, 100_000, 200_000]),
        (0, 0, 5, [0, 1]),
    ],
)
def test_one_who_needs_the_longest_time_is_in_the_last_interval(
    spark: SparkSession, window: int, longest: int, bins: int, edges: Sequence[int]
) -> None:
    rows = [(1, 0, "a"), (1, longest, "b")]
    events = spark.createDataFrame(rows, "user_id long, n long, event string")
    times = wb.Funnel(["a", "b"], window, time="n").times(events, bins=bins)
    assert [*times["from"], times["to"].iloc[-1]] == list(edges)
    assert times["users"].tolist() == [0] * (len(edges) - 2) + [1]


@pytest.mark.parametrize(("partitions", "seed"), LAYOUTS)
def test_no_answer_depends_on_the_layout_of_rows(
    events: DataFrame, partitions: int, seed: int
) -> None:
    rows = laid_out(events, partitions, seed)
    levels = seconds(FUNNEL.levels(rows, by="segment"))
    assert by_user(levels) == {u: (len(w.chain), [*w.chain], w.segment) for u, w in WAYS.items()}
    pd.testing.assert_frame_equal(
        FUNNEL.steps(rows), steps_by_hand(list(WAYS.values())), check_dtype=False
    )
    people = FUNNEL.people(rows, stopped_at=1).select("user_id", "next_event")
    expected = {u: (w.next and w.next[1],) for u, w in WAYS.items() if len(w.chain) == 1}
    assert by_user(people) == expected


def test_integer_times_give_integer_lengths(events: DataFrame) -> None:
    funnel = wb.Funnel(STEPS, WINDOW, time="seconds")
    expected = steps_by_hand(list(WAYS.values()))
    steps = funnel.steps(events)
    assert math.isnan(steps["median_time"][0])
    assert (
        steps["median_time"][1:].tolist() == expected["median_time"][1:].dt.total_seconds().tolist()
    )


def test_there_is_no_interval_if_no_one_finished(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(1, 0, "a")], "user_id long, n long, event string")
    assert wb.Funnel(["a", "b"], 5, time="n").times(rows).empty


def test_too_many_segments_are_cut_with_a_warning(spark: SparkSession) -> None:
    rows = spark.range(1_200).selectExpr(
        "id AS user_id", "0 AS n", "'a' AS event", "id % 1100 AS s"
    )
    funnel = wb.Funnel(["a"], 5, time="n")
    with pytest.warns(wb.WorkbenchWarning, match="more than 1,000 segments") as caught:
        steps = funnel.steps(rows, by="s")
    assert len(caught) == 1
    assert len(steps) == 1_000
    assert steps["users"][:100].tolist() == [2] * 100
