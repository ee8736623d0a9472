"""The step player on a funnel: the lesson is the kernel's own run on one key's rows."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import workbench as wb
from kernels import registry
from tests.kernels.funnel.events import COMBINATIONS, name

MINUTE = 60_000_000
NAMES = ["landing_page", "signup", "welcome", "add_to_cart", "related", "add_to_cart", "checkout"]
SHOP = ["signup", "add_to_cart", "checkout"]


@pytest.fixture(scope="module")
def shop(spark: SparkSession) -> DataFrame:
    rows = [
        (user, "web", 60 * i, what) for user in (1, 2) for i, what in enumerate(NAMES[: 8 - user])
    ]
    table = spark.createDataFrame(rows, "user_id long, site string, second long, event string")
    return table.selectExpr("user_id", "site", "timestamp_seconds(second) AS timestamp", "event")


def lesson(funnel: wb.Funnel, *args: Any, **options: Any) -> dict[str, Any]:
    return wb.play(funnel, *args, **options).lesson


def test_captions_say_what_each_event_does(shop: DataFrame) -> None:
    captions = [step["caption"] for step in lesson(wb.Funnel(SHOP, "1 hour"), shop, key=1)["steps"]]
    assert captions == [
        "3 steps, and no level holds a chain yet.",
        "00:00: none of the steps, so it does not count.",
        "00:01: step 1 (signup) opens a window; the newest start is kept.",
        "00:02: none of the steps, so it does not count.",
        "00:03: step 2 (add_to_cart) is in time: its chain is taken over.",
        "00:04: none of the steps, so it does not count.",
        "00:05: step 2 (add_to_cart) is in time: its chain is taken over.",
        "00:06: step 3 (checkout) is in time: its chain is taken over.",
        "Every step is reached, nothing can be better.",
        "The answer is level 3 of 3.",
    ]


@pytest.mark.parametrize("modes", COMBINATIONS, ids=name)
def test_the_last_step_shows_the_winning_chain_in_every_mode(
    shop: DataFrame, modes: dict[str, bool]
) -> None:
    funnel = wb.Funnel(SHOP, "1 hour", modes=[mode for mode, on in modes.items() if on])
    shown = lesson(funnel, shop, key=1)
    level = funnel.levels(shop).where("user_id = 1").collect()[0]["level"]
    timeline, slots = shown["pictures"]
    assert shown["result"] == str(level)
    assert len(timeline["states"][-1]["chain"]) == level
    assert len(timeline["states"]) == len(slots["states"]) == len(shown["steps"])


def test_prepared_events_give_the_same_lesson(shop: DataFrame) -> None:
    funnel = wb.Funnel(SHOP, "1 hour")
    with funnel.prepare(shop) as prepared:
        assert lesson(funnel, prepared, key=2) == lesson(funnel, shop, key=2)


def test_conditions_and_keys_of_several_columns_are_played(shop: DataFrame) -> None:
    steps = {"in": "event = 'signup'", "cart": "event LIKE 'add%'"}
    funnel = wb.Funnel(steps, "1 hour", key=["site", "user_id"])
    shown = lesson(funnel, shop, key=("web", 2))
    assert shown["title"] == "Funnel of 2 steps within 1 h · web, 2"
    one = wb.Funnel(["signup"], "1 hour", key=["site", "user_id"])
    assert lesson(one, shop, key=("web", 2))["title"] == "Funnel of 1 step within 1 h · web, 2"
    with funnel.prepare(shop, keep=["event"]) as prepared:
        assert lesson(funnel, prepared, key=("web", 2)) == shown


def test_a_key_of_prepared_events_is_named_as_in_their_table(spark: SparkSession) -> None:
    table = spark.sql("SELECT double('NaN') x, DATE '2024-01-31' day, 1.50BD price, 'a' event, 1 t")
    funnel = wb.Funnel(["a"], 9, key=["x", "day", "price"], time="t")
    nan, day = float("nan"), "2024-01-31"
    with funnel.prepare(table) as prepared:
        assert lesson(funnel, prepared, key=(nan, day, 1.5))["result"] == "1"
        for key, says in (
            ((1.5, day, 1.5), "no row has the key"),
            ((nan, day, Decimal("1.555")), "no row has the key"),
            ((nan, 5, 1.5), "5 is no value of 'day', which holds date;"),
            ((nan, day, "much"), "'much' is no value of 'price', which holds decimal"),
        ):
            with pytest.raises(wb.WorkbenchError, match=f"^key: {says}"):
                wb.play(funnel, prepared, key=key)


def test_a_condition_may_be_a_window_function_across_keys(shop: DataFrame) -> None:
    again = "event = lag(event) OVER (ORDER BY timestamp, user_id, event)"
    saved = shop.withColumn("again", F.expr(again)).localCheckpoint()
    by_column, by_call = (
        lesson(wb.Funnel({"in": "event = 'signup'", "again": one}, "1 hour"), table, key=2)
        for one, table in (("again", saved), (again, shop))
    )
    assert by_call == by_column


def test_without_a_key_one_that_reached_the_highest_level_is_played(shop: DataFrame) -> None:
    assert lesson(wb.Funnel(SHOP, "1 hour"), shop)["title"].endswith("· 1")


def test_too_many_rows_to_follow_are_cut_and_the_lesson_says_so(spark: SparkSession) -> None:
    table = spark.range(600).selectExpr(
        "1 AS user_id", "timestamp_seconds(id) AS timestamp", "'help' AS event"
    )
    shown = lesson(wb.Funnel(SHOP, "1 hour"), table, key=1)
    assert shown["intro"] == "Only the first 500 rows of 1 are shown."


def test_any_kernel_can_be_played_on_its_own_arguments() -> None:
    player = wb.play(registry["insertion_sort"], np.array([2, 1]), np.array([1, 1], np.uint32))
    assert [picture["title"] for picture in player.lesson["pictures"]] == ["time", "step"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"key": 9}, "key: no row has the key 9; give one that the table holds."),
        ({"key": 10**20}, f"key: no row has the key {10**20}; give one that the table holds."),
        ({"key": (1, 2)}, "key: (1, 2) has 2 values; the key has 1: user_id."),
    ],
)
def test_a_key_that_does_not_fit_is_named(
    shop: DataFrame, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        wb.play(wb.Funnel(SHOP, "1 hour"), shop, **arguments)
    assert str(error.value) == sentence


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(wb.WorkbenchError, match="a str cannot be stepped through"):
        wb.play("signup")
    with pytest.raises(wb.WorkbenchError, match="on one table, and 0 are given"):
        wb.play(wb.Funnel(SHOP, "1 hour"))
