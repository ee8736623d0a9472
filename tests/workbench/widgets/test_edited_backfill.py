"""The queries and events of a backfill's player, edited: its answers are those of a run on them."""

from datetime import datetime
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from workbench.backfill.inspect.origin import in_words
from workbench.widgets.stepper.player import Player

AGGREGATIONS = [
    wb.Aggregation("sum", "price", "5 hours", where="paid"),
    wb.Aggregation("last", "page", "5 hours"),
    wb.Aggregation("count", windows="5 hours"),
]
NAMES = ["price_sum_5h", "page_last_5h", "count_5h"]
BACKFILL = wb.Backfill("user", "at", AGGREGATIONS)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    """Every twenty minutes ann looks at something, and pays for two of three."""
    return spark.range(30).selectExpr(
        "'ann' AS user", "timestamp_seconds(id * 1200) AS at", "id * 1.5D AS price",
        "id % 3 > 0 AS paid", "concat('p', id % 4) AS page",
    )  # fmt: skip


def player_of(events: DataFrame, column: str) -> Player:
    return wb.play(BACKFILL, events.select("user", "at"), events, key="ann", column=column)


def edited(player: Player) -> list[list[Any]]:
    """Return the input: a query and an event moved, a value changed, a row added, one removed."""
    rows = [list(row) for row in player.lesson["input"]["rows"]]
    rows[0][1] = "1970-01-01 08:07:00"
    rows[5][1] = "1970-01-01 09:11:30"
    if len(rows[6]) > 2:
        rows[6][2] = "7"
    return [*rows[:-2], rows[-1], ["event", "1970-01-01T09:30:00", *["9"] * (len(rows[0]) - 2)]]


def answers_of_a_run(spark: SparkSession, rows: list[list[Any]], column: str) -> str:
    """Return the answers of the backfill itself on tables with these rows."""
    times = {kind: [datetime.fromisoformat(r[1]) for r in rows if r[0] == kind] for kind in
             ("query", "event")}  # fmt: skip
    fields = [row[2:] for row in rows if row[0] == "event"]
    price = [float(one[0]) if column == "price_sum_5h" else 0.0 for one in fields]
    page = [one[0] if column == "page_last_5h" else "" for one in fields]
    queries = spark.createDataFrame(
        [("ann", at) for at in times["query"]], "user string, at timestamp"
    )
    events = [("ann", *one, True) for one in zip(times["event"], price, page, strict=True)]
    schema = "user string, at timestamp, price double, page string, paid boolean"
    answers = BACKFILL.run(queries, spark.createDataFrame(events, schema)).orderBy("at").collect()
    return ", ".join(in_words(row[column]) for row in answers)


@pytest.mark.parametrize("column", NAMES)
def test_edited_queries_and_events_are_answered_as_a_run_answers_them(
    spark: SparkSession, events: DataFrame, column: str
) -> None:
    player = player_of(events, column)
    assert player.editable
    rows = edited(player)
    player.edit(rows)
    assert not player.problem
    assert player.lesson["result"] == answers_of_a_run(spark, rows, column)
    again = [list(row) for row in player.lesson["input"]["rows"]]
    assert sorted(row[0] for row in again) == sorted(row[0] for row in rows)
    player.edit(again)
    assert player.lesson["result"] == answers_of_a_run(spark, rows, column)


def test_a_mark_that_is_dragged_knows_its_row_of_the_input(events: DataFrame) -> None:
    player = player_of(events, "price_sum_5h")
    rows = [list(row) for row in player.lesson["input"]["rows"]]
    rows[6][2] = ""
    player.edit(rows)
    shown = player.lesson["input"]["rows"]
    assert shown[-1] == rows[6]
    marks = player.lesson["pictures"][0]["events"]
    assert len(marks) == len(shown) - 1
    for mark in marks:
        assert shown[mark["row"]][0] == mark["noun"]
        assert shown[mark["row"]][1][11:16] in mark["text"]


def test_a_value_that_cannot_be_read_changes_nothing(events: DataFrame) -> None:
    player = player_of(events, "price_sum_5h")
    before = player.lesson
    rows = [list(row) for row in before["input"]["rows"]]
    player.edit([*rows[:-1], [*rows[-1][:2], "many"]])
    assert player.problem.startswith("price: Failed to parse string: 'many'")
    player.edit([row for row in rows if row[0] == "query"])
    assert player.problem == "rows: a query and an event are needed; keep one of each."
    assert player.lesson == before


def test_every_value_may_be_removed(events: DataFrame) -> None:
    player = player_of(events, "price_sum_5h")
    rows = [[*row[:2], ""] for row in player.lesson["input"]["rows"]]
    player.edit(rows)
    assert not player.problem
    assert player.lesson["result"] == "null, null, null, null"


def test_integer_times_are_edited_as_numbers(spark: SparkSession) -> None:
    rows = spark.range(20).selectExpr("1 AS k", "id AS t", "id AS v")
    backfill = wb.Backfill("k", "t", [wb.Aggregation("max", "v", 10)], hop=2)
    player = wb.play(backfill, rows.where("t > 17"), rows, key=1)
    edit = [list(row) for row in player.lesson["input"]["rows"]]
    edit[-1] = ["event", "16", "99"]
    player.edit(edit)
    assert player.lesson["result"] == "99, 99"
