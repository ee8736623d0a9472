"""The people of a figure: the keys of Spark's tables, found without a shuffle of all rows."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from tests.workbench.funnel.events import FUNNEL, STEPS, WINDOW, Way, as_table, seeded_events, ways
from tests.workbench.spark.jobs import no_job
from workbench.funnel.inspect.people import first_people

ROWS = seeded_events(users=150, seed=5)
WAYS = ways(ROWS)
#: Codes of segments, in the reverse order.
CODES = {"east": 3, "north": 2, "west": 1, None: 0}


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    codes = [F.when(F.col("segment") == name, code) for name, code in CODES.items() if name]
    return as_table(spark, ROWS).withColumn("code", F.coalesce(*codes, F.lit(0)))


@pytest.fixture(scope="module")
def prepared(events: DataFrame) -> Iterator[wb.Prepared]:
    with FUNNEL.prepare(events, keep=["segment", "code"]) as prepared:
        assert prepared.tasks == 1
        yield prepared


@pytest.fixture(params=["in this process", "in two tasks"])
def prepared_events(
    request: pytest.FixtureRequest, prepared: wb.Prepared, monkeypatch: pytest.MonkeyPatch
) -> wb.Prepared:
    if request.param != "in this process":
        monkeypatch.setattr(prepared, "tasks", 2)
    return prepared


def segment_of(way: Way) -> tuple[int, str | None]:
    """Return code and segment at the first step: the least pair among rows at that instant."""
    starts = [
        (CODES[segment], segment)
        for user, time, name, segment in ROWS
        if (user, time, name) == (way.user, way.chain[0], STEPS[0])
    ]
    return min(starts, key=lambda pair: (pair[0], pair[1] is None, pair[1] or ""))


def test_people_are_those_of_the_table_with_times_of_pandas(prepared_events: wb.Prepared) -> None:
    people = first_people(FUNNEL, prepared_events, [2])
    expected = FUNNEL.people(prepared_events, 2).orderBy("user_id").toPandas()
    assert (
        people.keys
        == expected["user_id"].tolist()
        == sorted(user for user, way in WAYS.items() if len(way.chain) == 2)
    )
    last = pd.to_datetime(expected["reached"].map(lambda times: times[-1]))
    assert people.table["last_step"].tolist() == last.tolist()
    assert people.table["next_time"].equals(expected["next_time"].astype("datetime64[us]"))
    assert (
        people.table["next_event"].fillna("").tolist() == expected["next_event"].fillna("").tolist()
    )
    after = (expected["next_time"] - last).dt.total_seconds()
    assert people.table["after"].dt.total_seconds().equals(after)
    assert not people.cut


def test_no_more_than_the_first_keys_are_returned(prepared_events: wb.Prepared) -> None:
    people = first_people(FUNNEL, prepared_events, [1], limit=3)
    assert people.keys == sorted(u for u, way in WAYS.items() if len(way.chain) == 1)[:3]
    assert people.cut


def test_people_may_be_those_of_segments_or_of_the_others(prepared_events: wb.Prepared) -> None:
    segments = {user: segment_of(way) for user, way in WAYS.items() if way.chain}
    for values in ([(3.0, "east")], [(0, None), (1, "west")]):
        wanted = [(int(code), name) for code, name in values]
        for others in (False, True):
            people = first_people(
                FUNNEL,
                prepared_events,
                [1, 2, 3],
                ["code", "segment"],
                segments=values,
                others=others,
            )
            expected = [user for user, pair in segments.items() if (pair in wanted) != others]
            assert people.keys == sorted(expected)


def test_people_may_be_those_who_took_a_range_of_times(prepared_events: wb.Prepared) -> None:
    people = first_people(FUNNEL, prepared_events, [3], took=(5_000_000, 10_000_001))
    took = {u: way.chain[2] - way.chain[0] for u, way in WAYS.items() if len(way.chain) == 3}
    assert people.keys == sorted(user for user, seconds in took.items() if 5 <= seconds <= 10)


def test_segments_of_several_columns_are_those_computed_by_hand(
    events: DataFrame, prepared: wb.Prepared
) -> None:
    entered = Counter(segment_of(way) for way in WAYS.values() if way.chain)
    finished = Counter(segment_of(way) for way in WAYS.values() if len(way.chain) == 3)
    for source in (events, prepared):
        table = FUNNEL.steps(source, by=["code", "segment"])
        assert list(table.columns[:3]) == ["code", "segment", "step"]
        rows = list(table[["code", "segment", "step", "users"]].itertuples(index=False))
        for step, expected in ((STEPS[0], entered), (STEPS[2], finished)):
            assert {tuple(row[:2]): row.users for row in rows if row.step == step} == {
                pair: expected[pair] for pair in entered
            }
        levels = FUNNEL.levels(source, by=["code", "segment"]).where("level > 0").collect()
        assert Counter((row["code"], row["segment"]) for row in levels) == entered


def test_tables_have_the_unit_of_keys(events: DataFrame, prepared: wb.Prepared) -> None:
    plain = wb.Funnel(STEPS, f"{WINDOW} seconds")
    with_unit = events.withMetadata("user_id", {"unit": "boats"})
    assert FUNNEL.steps(prepared).attrs["unit"] == "ships"
    assert plain.steps(events).attrs["unit"] == plain.times(prepared).attrs["unit"] == "users"
    assert plain.steps(with_unit).attrs["unit"] == "boats"
    assert FUNNEL.steps(with_unit).attrs["unit"] == "ships"
    assert "100.0%" in FUNNEL.steps(prepared)._repr_html_()  # type: ignore[operator]


def test_people_display_their_first_rows_where_that_needs_no_job(
    events: DataFrame, prepared: wb.Prepared, spark: SparkSession
) -> None:
    prepared.fetched()
    with no_job(spark):
        of_prepared: Any = FUNNEL.people(prepared, 1)._repr_html_()
        of_table: Any = FUNNEL.people(events, 1)._repr_html_()
    first, *_ = first_people(FUNNEL, prepared, [1]).keys
    assert "level 1: the first 10" in of_prepared
    assert f'<td class="wb-number">{first}</td>' in of_prepared
    assert "nothing has run yet" in of_table
    assert "next_event" in of_table
    with no_job(spark):
        assert str(prepared.rows) in prepared._repr_html_().replace(",", "")


def test_a_unit_that_is_not_text_is_refused() -> None:
    for unit in (5, " "):
        with pytest.raises(wb.WorkbenchError) as error:
            wb.Funnel(STEPS, "1 day", unit=unit)  # type: ignore[arg-type]
        assert str(error.value) == (
            f"unit: {unit!r} is not a noun; say what the keys are, such as 'aircraft' or 'orders'."
        )
