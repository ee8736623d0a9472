"""A player whose input is edited shows the kernels' run on that input."""

from typing import Any

import pytest

import workbench as wb
from tests.workbench.widgets.played import EVENTS, RUNG, shop
from workbench.errors import WorkbenchError
from workbench.widgets.lessons.edited import open_player
from workbench.widgets.lessons.fresh import partition_of_rows
from workbench.widgets.lessons.tiling import play_rung
from workbench.widgets.lessons.window import window_maker
from workbench.widgets.stepper.player import Player


def rows_of(player: Player) -> list[list[Any]]:
    return [list(row) for row in player.lesson["input"]["rows"]]


def test_an_edited_event_gives_the_lesson_of_that_input() -> None:
    player = open_player(shop())
    rows = rows_of(player)
    rows[6] = ["1970-01-01T01:20:00", "checkout"]
    player.edit(rows)
    moved = [*EVENTS[:6], *EVENTS[7:], ("checkout", 80)]
    fresh = shop(events=moved)(None)
    assert player.lesson == Player(fresh).lesson
    assert [row[1] for row in rows_of(player)][-1] == "checkout"


def test_events_are_added_and_removed() -> None:
    player = open_player(shop())
    player.edit([row for row in rows_of(player) if row[1] != "checkout"])
    assert player.lesson["result"] == "2"
    player.edit([*rows_of(player), ["1970-01-01T00:59:00", "checkout"]])
    assert player.lesson["result"] == "3"


def test_the_events_of_the_picture_know_their_row() -> None:
    lesson = shop()(None)
    for event in lesson["pictures"][0]["events"]:
        assert event["text"].endswith(lesson["input"]["rows"][event["row"]][1])


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "rows: no row is left to step through; keep one."),
        ([["never", "signup"]], "time: 'never' is not a time; give one such as 2013-01-01 10:03"),
        ([["1970-01-01T00:01", "sleep"]], "event: 'sleep' is not known; use 'landing_page', "),
        ([["1970-01-01T00:01"]], "rows: a row needs 2 fields."),
    ],
)
def test_an_input_that_does_not_run_says_why_and_changes_nothing(
    rows: list[list[Any]], sentence: str
) -> None:
    player = open_player(shop())
    before = player.lesson
    player.edit(rows)
    assert player.problem.startswith(sentence)
    assert player.lesson == before
    player.edit(rows_of(player))
    assert player.problem == ""


def test_an_edit_in_the_browser_is_run() -> None:
    player = open_player(shop())
    player._handle_custom_msg({"rows": rows_of(player)[:2]}, [])
    assert len(player.lesson["input"]["rows"]) == 2


def test_predictions_begin_anew_with_another_run() -> None:
    player = open_player(shop())
    player.answers = {"1": 0}
    player.edit(rows_of(player)[:3])
    assert player.answers == {}


def test_queries_and_events_of_a_rung_are_edited() -> None:
    player = play_rung("sawtooth", "max", **RUNG)
    rows = rows_of(player)
    rows[-1] = ["event", "20", "99"]
    player.edit(rows)
    time, values = [*RUNG["time"][:-1], 20], [*RUNG["values"][:-1], 99.0]
    ordered = sorted(zip(time, values, strict=True))
    edited = {**RUNG, "time": [t for t, _ in ordered], "values": [v for _, v in ordered]}
    assert player.lesson == play_rung("sawtooth", "max", **edited).lesson
    player.edit([row for row in rows if row[0] == "event"])
    assert player.problem == "rows: a query and an event are needed; keep one of each."


def test_every_column_of_a_partition_is_edited() -> None:
    partition: dict[str, list[Any]] = {"k": [1, 2, 3], "v": [5, None, 9], "s": ["a", None, "b"]}
    call = wb.Over(order_by="k", frame=wb.Frame.rows(-1, 0), engine="kernel", m=wb.fn.max("v"))
    player = open_player(window_maker(partition_of_rows(call, partition)))
    assert player.lesson["input"]["rows"] == [["1", "5", "a"], ["2", "", ""], ["3", "9", "b"]]
    player.edit([["4", "1", "c"], ["2", "", ""], ["3", "70", ""], ["1", "5", ""]])
    edited: dict[str, list[Any]] = {
        "k": [1, 2, 3, 4],
        "v": [5, None, 70, 1],
        "s": [None, None, None, "c"],
    }
    assert player.lesson == Player(window_maker(partition_of_rows(call, edited))(None)).lesson
    player.edit([["4", "many", "c"]])
    assert player.problem.startswith("v: Failed to parse string: 'many'")


def test_a_lesson_without_an_input_says_so() -> None:
    player = Player({"title": "", "functions": [], "steps": []})
    player.edit([])
    assert player.problem == "The input of this lesson cannot be edited."
    assert not player.editable


def test_a_mode_that_is_unknown_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="mode: 'guess' is not known; use watch, predict"):
        open_player(shop()).mode = "guess"
