"""The front door proposes roles, asks what is wanted, and ends in an explorer and in its code."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.profiles.columns import ColumnProfile, TimeReading
from workbench.profiles.profile import Profile
from workbench.profiles.proposals import proposed
from workbench.widgets.controls.questions import QUESTIONS, Choice, usual_window, windows_of
from workbench.widgets.explorers.front_door import AS_IT_IS, NONE, FrontDoor

ROWS = 900
READING = TimeReading("d/M/yyyy", 890, 10, ("soon",), "2024-01-01", "2024-03-31", 90 * 86_400.0)
COLUMNS = [
    ColumnProfile("user", "string", "text", 0, 30, "a", "z", 0.0, {}, ()),
    ColumnProfile("when", "string", "text", 0, 90, "1/1/2024", "soon", 0.0, {}, (READING,)),
    ColumnProfile("event", "string", "text", 0, 3, "cart", "visit", 0.0,
                  {"visit": 500, "cart": 300, "pay": 100}, ()),
    ColumnProfile("price", "double", "number", 9, 80, 0.5, 99.0, 0.0, {}, ()),
    ColumnProfile("tick", "bigint", "integer", 0, 900, 0, 899, 0.0, {}, ()),
]  # fmt: skip
FIRST = pa.table(
    {"user": ["<i>ann"], "when": ["1/1/2024"], "event": ["visit"], "price": [1.5], "tick": [0]}
)


def door_of(columns: list[ColumnProfile] = COLUMNS, rows: int = ROWS) -> FrontDoor:
    """A front door that asks no Spark."""
    held = {one.name: one for one in columns}
    first = FIRST.select([name for name in FIRST.column_names if name in held])
    profile: Any = Profile(None, rows, held, first, proposed(columns, rows))  # type: ignore[arg-type]
    return FrontDoor(profile, "shop.csv", "'shop.csv'", lambda *_: None)


def test_it_begins_with_the_proposals_and_the_code_of_the_first_question() -> None:
    door = door_of()
    assert {role: one.value for role, one in door.roles.items()} == {
        "key": "user", "time": "when", "event": "event", "value": "price",
    }  # fmt: skip
    assert door.question.value == "Funnel"
    assert door.code.splitlines() == [
        "import workbench as wb",
        "",
        "events = wb.table('shop.csv', times={'when': 'd/M/yyyy'})",
        "funnel = wb.Funnel(['visit', 'cart', 'pay'], window='30 days', key='user', time='when')",
        "wb.explore(funnel, events)",
    ]
    assert "10 of 900 cannot be read so" in door.reasons["time"].value


def test_another_question_and_other_columns_change_the_code() -> None:
    door = door_of()
    door.question.value = "Moving band"
    assert "over = wb.Over(partition_by=['user'], order_by=['when'], frame=" in door.code
    door.roles["key"].value = NONE
    assert "partition_by" not in door.code
    door.question.value = "Features as of queries"
    assert door.code == ""
    assert "needs whose events they are (key)" in door.status.value
    assert door.button.disabled
    door.roles["key"].value = "user"
    assert "queries = events.select('user', 'when')" in door.code
    assert not door.button.disabled


def test_integers_are_times_by_themselves_with_windows_of_integers() -> None:
    door = door_of()
    door.roles["time"].value = "tick"
    assert door.format.value == AS_IT_IS
    assert "events = wb.table('shop.csv')\n" in door.code
    assert isinstance(door.window.value, int)


def test_without_times_or_rows_it_says_what_is_missing() -> None:
    untimed = [one for one in COLUMNS if one.name in ("user", "event", "price")]
    door = door_of(untimed)
    assert "needs when they happened (time)" in door.status.value
    assert door.code == ""
    with pytest.raises(wb.WorkbenchError, match="Funnel needs when they happened"):
        door.show()
    none = [ColumnProfile("user", "string", "text", 0, 0, None, None, 0.0, {}, ())]
    assert "The table has no rows." in door_of(none, rows=0).status.value


def test_a_still_says_what_is_proposed() -> None:
    still = door_of()._repr_mimebundle_()["image/svg+xml"]
    assert "key: user, 30 different values" in still
    assert "wb.explore(funnel, events)" in still


@pytest.mark.parametrize(("title", "question"), QUESTIONS.items())
def test_the_code_of_each_question_makes_the_specification_that_is_explored(
    title: str, question: Any
) -> None:
    choice = Choice("user", "at", "event", "price", ("visit", "pay"), "7 days")
    code = question.lines(choice, "wb.table('shop.csv')")
    made = next(line for line in code if line.startswith(f"{question.name} = "))
    again = eval(made.partition(" = ")[2], {"wb": wb})
    assert repr(again) == repr(question.make(choice))


def test_windows_suit_the_length_of_the_time() -> None:
    assert windows_of(400 * 86_400, False, days=True)[0] == "1 day"
    assert windows_of(5, False, days=False) == ["10 seconds"]
    assert usual_window(["1 hour", "1 day", "7 days"], 33 * 86_400, 11) == "7 days"
    assert usual_window(["1 hour", "1 day", "7 days"], 33 * 86_400, 4_000) == "1 hour"


def test_the_lines_make_the_explorer_that_the_door_opens(
    spark: SparkSession, tmp_path: Any
) -> None:
    shop = pd.DataFrame(
        {
            "user_id": ["ann", "ann", "bob", "bob", "bob", "eve"] * 5,
            "at": [f"{day}/1/2024" for day in range(1, 31)],
            "event": ["visit", "cart", "visit", "cart", "pay", "visit"] * 5,
            "price": [float(n) for n in range(30)],
        }
    )
    path = tmp_path / "shop.csv"
    shop.to_csv(path, index=False)
    for given in (shop, path):
        door = wb.explore(given)
        for title in QUESTIONS:
            door.question.value = title
            opened, names = door.show(), {"shop": shop}
            lines = door.code.splitlines()
            exec("\n".join([*lines[:-1], f"again = {lines[-1]}"]), names)
            assert repr(names["again"]) == repr(opened)
    unnamed = wb.explore(shop.copy())
    assert "'d/M/yyyy'})  # events: the table that was given" in unnamed.code
    with pytest.raises(wb.WorkbenchError, match="by, keep, key: they are for specifications"):
        wb.explore(shop, key="ann")
