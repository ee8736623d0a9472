"""The front door proposes roles, asks what is wanted, and ends in an explorer and in its code."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import ipywidgets as widgets
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.profiles.columns import ColumnProfile, TimeReading
from workbench.profiles.profile import Profile
from workbench.profiles.proposals import propose
from workbench.widgets import progress
from workbench.widgets.controls.questions import QUESTIONS, Choice, default_window, windows_for
from workbench.widgets.explorers import front_door
from workbench.widgets.explorers.front_door import AS_IT_IS, NONE, FrontDoor
from workbench.widgets.table import Table

RunOn = Callable[..., Any]
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


def door_of(
    columns: list[ColumnProfile] = COLUMNS,
    rows: int = ROWS,
    seen: pa.Table = FIRST,
    explore: Callable[..., Any] = lambda *_: None,
) -> FrontDoor:
    """Return a front door that uses no Spark."""
    profiles = {one.name: one for one in columns}
    first = seen.select([name for name in seen.column_names if name in profiles])
    profile: Any = Profile(None, rows, profiles, first, propose(columns, rows))  # type: ignore[arg-type]
    return FrontDoor(profile, "shop.csv", "'shop.csv'", explore)


def parts_of(widget: Any) -> Iterator[Any]:
    """Yield all widgets within a widget, from top to bottom."""
    for one in getattr(widget, "children", ()):
        yield one
        yield from parts_of(one)


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
    assert "10 of 900 cannot be read this way" in door.reasons["time"].value


def test_numbers_of_the_first_rows_are_on_the_right_and_unformatted_and_nulls_are_a_dash() -> None:
    rows = {"user": ["a", None], "tick": [1545, None], "price": [float("nan"), None]}
    first_rows = next(
        one for one in parts_of(door_of(seen=pa.table(rows))) if isinstance(one, Table)
    )
    options = first_rows.grid._dt_args
    assert [one["className"] for one in options["columnDefs"][1:]] == [
        *("dt-left", "dt-right", "dt-right")
    ]
    cells = [row[:3] for row in json.loads(options["data_json"])]
    assert cells == [["a", "1545", "nan"], ["—", "—", "—"]]


def test_another_question_and_other_columns_change_the_code() -> None:
    door = door_of()
    door.question.value = "Moving band"
    assert "over = wb.Over(partition_by=['user'], order_by=['when'], frame=" in door.code
    door.roles["key"].value = NONE
    assert "partition_by" not in door.code
    door.question.value = "Features as of queries"
    assert door.code == ""
    assert "needs a column for key (whose events they are)" in door.status.value
    assert door.button.disabled
    door.roles["key"].value = "user"
    assert "queries = events.select('user', 'when')" in door.code
    assert not door.button.disabled


def test_integer_times_need_no_format_and_have_integer_windows() -> None:
    door = door_of()
    door.roles["time"].value = "tick"
    assert door.format.value == AS_IT_IS
    assert "events = wb.table('shop.csv')\n" in door.code
    assert isinstance(door.window.value, int)


def test_without_times_or_rows_it_says_what_is_missing() -> None:
    untimed = [one for one in COLUMNS if one.name in ("user", "event", "price")]
    door = door_of(untimed)
    assert "needs a column for time (when they happened)" in door.status.value
    assert door.code == ""
    with pytest.raises(wb.WorkbenchError, match="Funnel needs a column for time"):
        door.show()
    no_rows = [ColumnProfile("user", "string", "text", 0, 0, None, None, 0.0, {}, ())]
    assert "The table has no rows." in door_of(no_rows, rows=0).status.value


def test_a_still_says_what_is_proposed() -> None:
    still = door_of()._repr_mimebundle_()["image/svg+xml"]
    assert "key: user, 30 different values" in still
    assert "wb.explore(funnel, events)" in still


@pytest.mark.parametrize(("title", "question"), QUESTIONS.items())
def test_the_code_of_each_question_makes_the_specification_that_is_explored(
    title: str, question: Any
) -> None:
    choice = Choice("user", "at", "event", "price", ("visit", "pay"), "7 days")
    code = question.code_lines(choice, "wb.table('shop.csv')")
    made = next(line for line in code if line.startswith(f"{question.name} = "))
    again = eval(made.partition(" = ")[2], {"wb": wb})
    assert repr(again) == repr(question.make(choice))


def test_windows_fit_the_time_span() -> None:
    assert windows_for(400 * 86_400, False, days=True)[0] == "1 day"
    assert windows_for(5, False, days=False) == ["10 seconds"]
    assert default_window(["1 hour", "1 day", "7 days"], 33 * 86_400, 11) == "7 days"
    assert default_window(["1 hour", "1 day", "7 days"], 33 * 86_400, 4_000) == "1 hour"


def test_a_table_without_rows_is_shown_and_says_that_it_has_none(spark: SparkSession) -> None:
    door = wb.explore(pd.DataFrame({"user": pd.Series(dtype=str), "price": pd.Series(dtype=float)}))
    assert "The table has no rows." in door.status.value
    assert door.button.disabled


def test_events_of_one_moment_open_each_explorer(spark: SparkSession) -> None:
    rows = [("ann", "visit", 1.0), ("ann", "pay", 2.0), ("bob", "visit", 3.0)]
    events = pd.DataFrame(rows, columns=["user", "event", "price"]).assign(at=pd.Timestamp(0))
    door = wb.explore(events)
    for title in QUESTIONS:
        door.question.value = title
        door.show()


def test_the_code_makes_the_explorer_that_the_door_opens(
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
    for table in (shop, path):
        door = wb.explore(table)
        for title in QUESTIONS:
            door.question.value = title
            opened, namespace = door.show(), {"shop": shop}
            lines = door.code.splitlines()
            exec("\n".join([*lines[:-1], f"again = {lines[-1]}"]), namespace)
            assert repr(namespace["again"]) == repr(opened)
    unnamed = wb.explore(shop.copy())
    assert "'d/M/yyyy'})  # events: the table that was given" in unnamed.code
    with pytest.raises(wb.WorkbenchError, match=r"^key: it is for specifications; leave it out\.$"):
        wb.explore(shop, key="ann")
    refused = r"^by, state: they are for specifications; leave them out\.$"
    with pytest.raises(wb.WorkbenchError, match=refused):
        wb.explore(shop, by="shop", state="a=1")


def test_a_key_has_as_many_columns_as_are_chosen() -> None:
    door = door_of()
    door.also.value = ["event"]
    door.roles["event"].value = NONE
    door.question.value = "Features as of queries"
    assert "wb.Backfill(key=['user', 'event'], time='when'" in door.code
    assert "queries = events.select('user', 'event', 'when')" in door.code
    assert "Together with event." in door.reasons["key"].value
    door.roles["key"].value = "event"
    assert list(door.also.value) == []
    assert "user" in door.also.allowed_tags
    assert "event" not in door.also.allowed_tags
    door.also.value = ["tick"]
    door.roles["time"].value = "tick"
    assert "tick&#39; is chosen twice" in door.status.value
    door.roles["key"].value = NONE
    assert door.choice.keys == []
    assert door.also.layout.display == "none"


def explorers_of(spark: SparkSession, rows: Any) -> dict[str, list[str]]:
    """Return the code and the explorer of the front door of a table, for each question."""
    columns = "country string, user string, at string, event string, price double"
    events = spark.createDataFrame(rows, columns)
    explorers = {}
    for title in QUESTIONS:
        door = wb.explore(events)
        door.roles["key"].value, door.also.value = "user", ["country"]
        door.question.value = title
        # A table of one session is not known in another.
        code = door.code.replace("wb.table(events, ", "wb.table(rows, ")
        shown = door.show()
        frame = shown.shown.band if title == "Moving band" else getattr(shown, "steps", None)
        answer = repr(shown.origin) if title == "Features as of queries" else repr(frame)
        explorers[title] = [code, repr(shown), answer]
    return explorers


def test_over_spark_connect_it_proposes_and_opens_the_same(run_on: RunOn) -> None:
    rows = [
        (["US", "FR"][n % 3 > 0], ["ann", "bob"][n % 2], f"{1 + n % 28}/{1 + n // 28}/2024 9:30",
         ["visit", "cart", "pay"][n % 3], float(n))
        for n in range(84)
    ]  # fmt: skip
    classic, connect = run_on("classic", explorers_of, rows), run_on("connect", explorers_of, rows)
    assert set(classic) == set(QUESTIONS)
    for title in QUESTIONS:
        assert connect[title] == classic[title], title
        assert "Empty" not in connect[title][2]
        assert "user" in connect[title][0]
        assert "country" in connect[title][0]


def test_codes_are_offered_as_events_and_their_most_frequent_ones_as_steps() -> None:
    code = ColumnProfile("evt", "int", "integer", 0, 3, 1, 3, 0.0, {"2": 500, "1": 300, "3": 9}, ())
    shelf = replace(code, name="shelf")
    door = door_of([*COLUMNS[:2], code, shelf, *COLUMNS[3:]])
    # What may be codes can be chosen; numbers of many values cannot.
    assert door.roles["event"].options == ("evt", "user", "when", "shelf", NONE)
    assert door.question.value == "Funnel"
    line = door.code.splitlines()[3]
    assert line.startswith("funnel = wb.Funnel(['2', '1', '3'],")
    assert "event='evt'" in line
    door.roles["event"].value = "shelf"
    assert "chosen by hand: int" in door.reasons["event"].value


def test_a_funnel_of_codes_opens(spark: SparkSession) -> None:
    rows = [(n % 9, 1_700_000_000 + 60 * n, 1 + n % 4) for n in range(200)]
    codes = pd.DataFrame(rows, columns=["User ID", "Zeit/Punkt", "evt"])
    explorer = wb.explore(codes).show()
    explorer.progress.wait()
    assert sorted(explorer.steps["step"]) == sorted(explorer.funnel.labels)
    assert explorer.steps["users"].tolist() == [9, 9, 9]


def test_an_event_with_an_empty_name_is_not_proposed_as_a_step() -> None:
    event = replace(COLUMNS[2], names={"": 500, "cart": 300})
    door = door_of([*COLUMNS[:2], event])
    assert door.steps.value == door.steps.allowed_tags == ["cart"]
    # A field without tags says what it is for.
    assert door.steps.placeholder == "a step"


def test_two_quick_clicks_open_one_explorer(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def explore(*arguments: Any) -> Any:
        calls.append(arguments)
        return widgets.HTML()

    door = door_of([*COLUMNS[:1], *COLUMNS[2:]], explore=explore)
    door.roles["time"].value = "tick"
    door.button.click()
    door.button.click()
    assert len(calls) == 1
    monkeypatch.setattr(front_door, "DOUBLE_CLICK", 0.0)
    door.button.click()
    assert len(calls) == 2


def test_while_an_explorer_is_opened_the_kernel_is_free_and_it_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    monkeypatch.setattr(progress, "request", lambda: {"header": {"msg_type": "comm_msg"}})
    begun, let_go, ended = Event(), Event(), Event()

    def explore(*_: Any) -> Any:
        begun.set()
        let_go.wait(60)
        ended.set()
        return widgets.HTML()

    door = door_of([*COLUMNS[:1], *COLUMNS[2:]], explore=explore)
    door.profile = replace(door.profile, df=spark.range(1))
    door.roles["time"].value = "tick"
    door.button.click()
    assert begun.wait(60)
    assert door.progress.asking
    door.progress.button.click()
    let_go.set()
    assert ended.wait(60)
    door.progress.wait(60)
    assert door.place.children == ()
    assert "below" not in door.status.value
    door.button.click()
    door.progress.wait(60)
    assert len(door.place.children) == 1
    assert "The explorer is below" in door.status.value
