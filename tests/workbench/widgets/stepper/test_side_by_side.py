"""Two lessons side by side: each is complete, and both move together on the same event."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

import workbench as wb
from kernels import registry
from tests.workbench.widgets.played import EVENTS, RUNG, SHOP, key_rows, shop
from workbench.widgets.lessons.edited import make_both, open_player
from workbench.widgets.lessons.funnel import funnel_maker
from workbench.widgets.lessons.tiling import play_rung
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player

PLAYERS = {
    "modes": open_player(make_both(shop(), shop("strict_order"))),
    "kernels": open_player(make_both(shop(), shop("strict_once"))),
    "rungs": play_rung("stack hops", "max", **RUNG, beside="tree hops"),
}


def current_event(lesson: Lesson, step: int) -> str | None:
    line = lesson["pictures"][0]
    current = line["states"][step]["current"]
    return None if current is None else line["events"][current]["text"]


@pytest.mark.parametrize("name", PLAYERS)
def test_every_step_of_both_is_shown_in_its_order(name: str) -> None:
    lesson = PLAYERS[name].lesson
    for side, one in enumerate((lesson, lesson["beside"])):
        steps = [pair[side] for pair in lesson["pairs"]]
        assert sorted(set(steps)) == list(range(len(one["steps"])))
        assert all(now - before in (0, 1) for before, now in pairwise(steps))


def test_both_look_at_the_same_event_while_both_go_on() -> None:
    lesson = PLAYERS["modes"].lesson
    moves = pairwise(lesson["pairs"])
    together = [now for before, now in moves if now[0] != before[0] and now[1] != before[1]]
    assert together == [[1, 1], [2, 2], [3, 3], [9, 4]]
    for left, right in together:
        assert current_event(lesson, left) == current_event(lesson["beside"], right)


def test_both_end_with_their_own_answer() -> None:
    lesson = PLAYERS["modes"].lesson
    assert (lesson["result"], lesson["beside"]["result"]) == ("3", "1")
    assert lesson["pairs"][-1] == [len(one["steps"]) - 1 for one in (lesson, lesson["beside"])]


def test_an_edited_input_is_run_on_both_sides() -> None:
    player = open_player(make_both(shop(), shop("strict_order")))
    rows = [row for row in player.lesson["input"]["rows"] if row[1] != "welcome"]
    player.edit(rows)
    assert not player.problem
    assert player.lesson["beside"]["result"] == "2"


def test_funnels_of_different_steps_share_no_input() -> None:
    one, other = (wb.Funnel(steps, "1 hour") for steps in (SHOP, SHOP[:2]))
    rows = key_rows(EVENTS[:6])
    player = open_player(make_both(*(funnel_maker(funnel, rows, "ann") for funnel in (one, other))))
    assert not player.editable


def test_the_second_kernel_begins_with_the_given_arguments() -> None:
    sort = registry["insertion_sort"]
    player = wb.play(sort, np.array([2, 1]), np.array([1, 1], np.uint32), beside=sort)
    assert player.lesson["beside"]["steps"] == player.lesson["steps"]
    assert not player.editable


def test_the_second_lesson_must_be_of_the_same_kind() -> None:
    with pytest.raises(wb.WorkbenchError, match="beside: it is a Funnel; give a Kernel"):
        wb.play(registry["insertion_sort"], beside=wb.Funnel(["a"], 5))


@pytest.mark.parametrize("pairs", [[[0]], [[0, 99]], [["0", 0]], [5]])
def test_pairs_that_are_not_steps_are_refused(pairs: list[object]) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"lesson: pair 0 is .*; give a step of either"):
        Player({**PLAYERS["modes"].lesson, "pairs": pairs})


def test_the_still_shows_both() -> None:
    player = PLAYERS["modes"]
    words = "".join(
        ElementTree.fromstring(player._repr_mimebundle_()[0]["image/svg+xml"]).itertext()
    )
    assert "In strict order that ends the scan." in words or "The answer is level 1" in words
    assert "The answer is level 3 of 3." in words
