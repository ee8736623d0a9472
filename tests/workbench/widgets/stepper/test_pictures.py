"""The pictures of a lesson: one step put into the markup of another is that step drawn."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import workbench as wb
from workbench.widgets.lessons.tree import play_tree
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.pictures import drawn_at, for_browser
from workbench.widgets.stepper.player import Player

FUNNEL = json.loads((Path(__file__).parents[3] / "data/funnel_lesson.json").read_text("utf-8"))


def zoomed() -> Lesson:
    lesson: Lesson = json.loads(json.dumps(FUNNEL))
    lines = lesson["pictures"][0]
    lines["events"].append({"at": 500, "lane": 0, "label": "signup", "text": "far away"})
    lines["ticks"] = [{"at": at, "label": f"second {at}"} for at in range(0, 500, 3)]
    lines["states"][3] = None
    return lesson


def queue() -> Lesson:
    """A list that grows over what is shown of it, changes at its end, and is gone."""
    states: list[Any] = [{"cells": list(range(k)), "changed": [k - 1]} for k in (1, 39, 41, 90)]
    states += [None, {"cells": [1.5, None], "current": 1}]
    step = {"function": "f", "line": 1, "caption": "."}
    picture = {"kind": "cells", "labels": ["first"], "states": states}
    functions = [{"name": "f", "source": ["pass"]}]
    return {"title": "", "functions": functions, "steps": [step] * 6, "pictures": [picture]}


LESSONS = {
    "funnel": FUNNEL,
    "zoomed": zoomed(),
    "queue": queue(),
    "tree": play_tree("sum", [5, 7, 3, 10], wb.Frame.rows(-2, 1, exclude="current row")).lesson,
}


def put(picture: dict[str, Any], step: int) -> ElementTree.Element:
    """What the player does to the markup of the first step."""
    found = ElementTree.fromstring(picture["markup"])
    for node in list(found.iter()):
        if (part := node.get("data-part")) is None:
            continue
        number = [look for start, look in picture["parts"][int(part)] if start <= step][-1]
        for name, value in picture["looks"][number].items():
            if name == "text":
                node.text = value
            elif value is None:
                node.attrib.pop(name, None)
            else:
                node.set(name, value)
    return found


def plain(node: ElementTree.Element) -> Any:
    return node.tag, node.attrib, node.text or "", [plain(child) for child in node]


@pytest.mark.parametrize("name", LESSONS)
def test_every_step_that_is_put_in_is_that_step_drawn(name: str) -> None:
    lesson = LESSONS[name]
    first = for_browser(lesson)
    for step in range(len(lesson["steps"])):
        for shown, drawn in zip(first, for_browser(lesson, step), strict=True):
            assert plain(put(shown, step)) == plain(ElementTree.fromstring(drawn["markup"]))


def test_long_lists_are_drawn_around_their_change() -> None:
    drawn = drawn_at(queue()["pictures"][0], 3).markup
    assert ">… 50 before, 0 more, 90 in all<" in drawn
    assert ">● changed<" in drawn


def test_who_does_not_see_a_picture_is_told_what_it_shows() -> None:
    words = put(for_browser(FUNNEL)[0], 7).get("aria-label")
    assert words == (
        "Events; now second 5: related; window of 7 s; "
        "counts so far: second 1: signup, second 4: add_to_cart"
    )


def test_only_the_browser_gets_drawn_pictures() -> None:
    player = Player(FUNNEL)
    assert player.lesson == FUNNEL
    assert {*player.get_state()["lesson"]["pictures"][0]} == {
        *("kind", "title", "markup", "parts", "looks")
    }
