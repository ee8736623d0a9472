"""The pictures of a lesson: a drawing changed to another step is the drawing of that step."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.widgets.lessons.tree import play_tree
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.pictures import draw_at, for_browser
from workbench.widgets.stepper.player import Player

FUNNEL = json.loads((Path(__file__).parents[3] / "data/funnel_lesson.json").read_text("utf-8"))


def zoomed() -> Lesson:
    lesson: Lesson = json.loads(json.dumps(FUNNEL))
    lines = lesson["pictures"][0]
    lines["events"].append({"at": 500, "lane": 0, "label": "signup", "text": "far away"})
    lines["ticks"] = [{"at": at, "label": f"second {at}"} for at in range(0, 500, 3)]
    lines["states"][3] = None
    return lesson


def crowded() -> Lesson:
    """Names without a lane that come into view and leave it, two of them too close to be drawn."""
    lesson = zoomed()
    lines = lesson["pictures"][0]
    lines["events"] = [{"at": at, "lane": None, "label": "name"} for at in (0, 4, 500, 500)]
    windows = [{"from": at, "to": at + 8, "label": "8 s"} for at in (0, 493)]
    lines["states"] = [{"window": windows[k % 2], "seen": 1} for k in range(len(lesson["steps"]))]
    return lesson


def queue() -> Lesson:
    """A list that outgrows what is shown of it, changes at its end, and disappears."""
    states: list[Any] = [{"cells": list(range(k)), "changed": [k - 1]} for k in (1, 39, 41, 90)]
    states += [None, {"cells": [1.5, None], "current": 1}]
    step = {"function": "f", "line": 1, "caption": "."}
    picture = {"kind": "cells", "labels": ["first"], "states": states}
    functions = [{"name": "f", "source": ["pass"]}]
    return {"title": "", "functions": functions, "steps": [step] * 6, "pictures": [picture]}


LESSONS = {
    "funnel": FUNNEL,
    "zoomed": zoomed(),
    "crowded": crowded(),
    "queue": queue(),
    "tree": play_tree("sum", [5, 7, 3, 10], wb.Frame.rows(-2, 1, exclude="current row")).lesson,
}


def changed_to(picture: dict[str, Any], step: int) -> list[Any]:
    """Return the drawing of the first step after the player has updated it to another step."""

    def updated(node: list[Any]) -> list[Any]:
        tag, attributes, *children = node
        inside = [one if isinstance(one, str) else updated(one) for one in children]
        if (part := attributes.get("data-part")) is None:
            return [tag, attributes, *inside]
        look = [look for start, look in picture["parts"][int(part)] if start <= step][-1]
        values = {**attributes, **picture["looks"][look]}
        if (text := values.pop("text", None)) is not None:
            inside = [text] * bool(text)
        return [tag, {name: value for name, value in values.items() if value is not None}, *inside]

    return updated(picture["drawn"])


@pytest.mark.parametrize("name", LESSONS)
def test_the_first_drawing_changed_to_a_step_is_the_drawing_of_that_step(name: str) -> None:
    lesson = LESSONS[name]
    first = for_browser(lesson)
    for step in range(len(lesson["steps"])):
        for picture, expected in zip(first, for_browser(lesson, step), strict=True):
            assert changed_to(picture, step) == expected["drawn"]


def changing_parts(node: list[Any]) -> list[int]:
    """Return the parts of a drawing that change."""
    _, attributes, *children = node
    inside = [part for one in children if not isinstance(one, str) for part in changing_parts(one)]
    return [int(attributes["data-part"]), *inside] if "data-part" in attributes else inside


@pytest.mark.parametrize("name", LESSONS)
def test_every_part_that_changes_has_its_place_in_the_drawing(name: str) -> None:
    for picture in for_browser(LESSONS[name]):
        assert sorted(changing_parts(picture["drawn"])) == [*range(len(picture["parts"]))]


def test_long_lists_are_drawn_around_their_change() -> None:
    drawn = draw_at(queue()["pictures"][0], 3).markup
    assert ">… 50 before, 0 more, 90 in all<" in drawn
    assert ">● changed<" in drawn


def test_a_long_name_of_a_lane_ends_where_its_picture_begins() -> None:
    events = [{"at": 0, "lane": 0, "label": "a"}, {"at": 9, "lane": 1, "label": "b"}]
    picture = {"kind": "timeline", "lanes": ["a" * 120, "pay"], "events": events, "states": [{}]}
    drawn = str(draw_at(picture).markup)
    place, name = re.findall(r'<text x="([\d.]+)"[^>]*>(a+…)<', drawn)[0]
    assert len(name) * 0.61 * 14 <= float(place)
    assert ">pay<" in drawn


def test_a_picture_has_a_description_for_those_who_cannot_see_it() -> None:
    _, attributes, *_ = changed_to(for_browser(FUNNEL)[0], 7)
    assert attributes["aria-label"] == (
        "Events; now second 5: related; window of 7 s; "
        "counts so far: second 1: signup, second 4: add_to_cart"
    )


def test_only_the_browser_gets_drawn_pictures() -> None:
    player = Player(FUNNEL)
    assert player.lesson == FUNNEL
    sent = json.loads(gzip.decompress(player.get_state()["lesson"]["packed"]))
    assert {*sent["pictures"][0]} == {"kind", "title", "drawn", "parts", "looks"}
