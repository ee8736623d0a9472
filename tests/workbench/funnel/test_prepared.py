"""Prepared events give the answers of the table, any number of times, even once freed."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.funnel.events import (
    SEGMENTS,
    STEPS,
    Event,
    as_table,
    seeded_events,
    ways,
)
from tests.workbench.spark.jobs import no_job

ROWS = seeded_events(users=60, seed=3)
#: Rows without a user, and without a time.
NULLS: list[Event] = [(None, 1, "view", None), (5, None, "buy", None)]  # type: ignore[list-item]
FUNNEL = wb.Funnel(STEPS, "20 seconds")
LATE = {"help": "event = 'help'", "bought": "event = 'buy'", "odd": "seconds % 2 = 1"}


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return as_table(spark, [*ROWS, *NULLS])


def levels_of(funnel: wb.Funnel, source: DataFrame | wb.Prepared) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in funnel.levels(source).collect())


def test_prepared_events_report_what_they_hold(events: DataFrame) -> None:
    with wb.prepare(events, keep=["segment", "seconds", "segment"]) as prepared:
        assert prepared.rows == len(ROWS)
        assert prepared.keys == len(ways(ROWS)) == 60
        assert prepared.skipped == FUNNEL.skipped(prepared) == FUNNEL.skipped(events) == 2
        assert prepared.names == ("buy", "cart", "help", "view")
        assert prepared.keep == ("segment", "seconds")
        assert prepared.bytes > 0
        assert 1 <= prepared.partitions <= 4
        assert repr(prepared).startswith(
            f"<prepared: {len(ROWS)} events of 60 keys, 4 kinds of event, 0.0 MB in "
        )
        assert repr(prepared).endswith(", 2 rows skipped>")


def test_blocks_are_cached_until_they_are_freed_and_answers_continue(events: DataFrame) -> None:
    with FUNNEL.prepare(events) as prepared:
        assert prepared.blocks.storageLevel.useMemory
        expected = levels_of(FUNNEL, prepared)
    assert not prepared.blocks.storageLevel.useMemory
    assert levels_of(FUNNEL, prepared) == expected == levels_of(FUNNEL, events)
    prepared.free()


def test_blocks_are_freed_when_the_with_block_fails(events: DataFrame) -> None:
    with pytest.raises(ZeroDivisionError), FUNNEL.prepare(events) as prepared:
        raise ZeroDivisionError
    assert not prepared.blocks.storageLevel.useMemory


def test_other_steps_windows_and_modes_use_the_same_blocks(events: DataFrame) -> None:
    others = [
        wb.Funnel(["help", "view", "help"], "5 seconds"),
        wb.Funnel(["buy"], "0 seconds", modes=["strict_order"]),
        wb.Funnel([*STEPS, "nowhere"], "1 day", modes=["strict_once", "strict_increase"]),
    ]
    with wb.prepare(events) as prepared:
        for funnel in others:
            assert levels_of(funnel, prepared) == levels_of(funnel, events)


def test_any_subset_of_conditions_works_in_any_order(events: DataFrame) -> None:
    with wb.prepare(events, event=LATE, keep=["event"]) as prepared:
        assert prepared.names == tuple(LATE)
        for labels in (["help", "bought", "odd"], ["odd", "help"], ["bought"]):
            funnel = wb.Funnel({label: LATE[label] for label in labels}, "20 seconds")
            assert levels_of(funnel, prepared) == levels_of(funnel, events)
            stopped = [funnel.people(source, 1) for source in (prepared, events)]
            rows = [sorted((tuple(r) for r in df.collect()), key=repr) for df in stopped]
            assert rows[0] == rows[1]


def test_the_column_of_next_events_may_have_any_type(events: DataFrame) -> None:
    funnel = wb.Funnel({"buy": "event = 'buy'"}, "1 day", event="seconds")
    with funnel.prepare(events, keep=["seconds"]) as prepared:
        people = funnel.people(prepared, stopped_at=1).where("next_time IS NOT NULL")
        rows = people.select("next_event", F.unix_seconds("next_time").cast("string")).collect()
    assert rows
    assert all(name == time for name, time in rows)


def test_conditions_may_be_columns_of_the_table(events: DataFrame) -> None:
    steps = {"view": events["event"] == "view", "cart": F.col("event").startswith("ca")}
    funnel = wb.Funnel(steps, "20 seconds")
    with funnel.prepare(events) as prepared:
        expected = levels_of(wb.Funnel(["view", "cart"], "20 seconds"), events)
        assert levels_of(funnel, prepared) == levels_of(funnel, events) == expected


def test_several_threads_may_query_at_once(events: DataFrame) -> None:
    funnels = [wb.Funnel(STEPS, f"{window} seconds") for window in (0, 5, 20, 100)]
    expected = [levels_of(funnel, events) for funnel in funnels]
    with wb.prepare(events) as prepared, ThreadPoolExecutor(4) as threads:
        futures = [threads.submit(levels_of, funnel, prepared) for funnel in funnels]
        assert [one.result() for one in futures] == expected


def test_segments_come_from_the_columns_that_are_kept(events: DataFrame) -> None:
    with wb.prepare(events, keep="segment") as prepared:
        segments = {row["segment"] for row in FUNNEL.levels(prepared, by="segment").collect()}
    assert segments == set(SEGMENTS)


def test_rows_left_out_are_warned_of_once(events: DataFrame) -> None:
    with wb.prepare(events) as prepared:
        for source in (events, prepared):
            with pytest.warns(wb.WorkbenchWarning) as caught:
                steps = FUNNEL.steps(source)
            assert [str(warning.message) for warning in caught] == [
                "2 rows were left out: their key or their time is null."
            ]
            assert steps.attrs["skipped"] == 2


def test_levels_are_lazy_and_compose(events: DataFrame, spark: SparkSession) -> None:
    users = spark.range(3).withColumnRenamed("id", "user_id")
    with FUNNEL.prepare(events) as prepared:
        for source in (events, prepared):
            with no_job(spark):
                levels = FUNNEL.levels(source)
                finished = levels.where("level = 3")
                joined = users.join(levels, "user_id", "left").groupBy("level").count()
                FUNNEL.people(source, stopped_at=1)
            chains = {user: len(way.chain) for user, way in ways(ROWS).items()}
            assert finished.count() == list(chains.values()).count(3)
            counts = {row["level"]: row["count"] for row in joined.collect()}
            first = [chains[user] for user in range(3)]
            assert counts == {level: first.count(level) for level in set(first)}
