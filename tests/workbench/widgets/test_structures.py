"""What a kernel remembers, as its pictures show it: against what it must be."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import workbench as wb
from kernels.tiling.cells import COUNT, HEAD, join_windows
from tests.workbench.widgets.played import EVENTS, RUNG, shop
from workbench.widgets.lessons.tiling import play_rung
from workbench.widgets.stepper.pictures import drawn_at
from workbench.widgets.stepper.player import Player


def picture(lesson: dict[str, Any], title: str) -> dict[str, Any]:
    return next(one for one in lesson["pictures"] if one["title"].startswith(title))


def test_the_older_stack_knows_each_hop_to_the_pivot_and_the_newer_one_the_rest() -> None:
    lesson = play_rung("stack hops", "max", **RUNG).lesson
    stacks = [picture(lesson, f"The {age} stack")["states"] for age in ("older", "newer")]
    hops = picture(lesson, "Hops")["states"][-1]["cells"]
    turned = 0
    for step, (older, newer) in enumerate(zip(*stacks, strict=True)):
        held = [k for k, cell in enumerate(older["cells"]) if cell]
        for k in held:
            assert int(older["cells"][k]) == max(map(int, hops[k : held[-1] + 1]))
        for k, cell in enumerate(newer["cells"]):
            assert cell in (None, hops[k])
            assert not (cell and k in held)
        turned += "is turned over" in lesson["steps"][step]["caption"]
    assert turned > 3


def test_what_no_event_has_written_is_blank() -> None:
    lesson = play_rung("stack hops", "max", **RUNG).lesson
    first = next(step for step in lesson["steps"] if step["function"] == "stack_tails")
    values = {one["name"]: one["value"] for one in first["variables"]}
    assert set(values["older"]) == {""}
    start = shop()(None)["steps"][0]["variables"]
    slots = {one["name"]: one["value"] for one in start}
    assert slots["start"] == slots["reached"] == ["", "", ""]


@pytest.mark.parametrize("mode", [(), ("strict_once",)])
def test_the_last_step_shows_the_winning_chain_in_its_window(mode: tuple[str, ...]) -> None:
    far = [*EVENTS, ("welcome", 9000)]
    lesson = shop(*mode, events=far)(None)
    line = lesson["pictures"][0]
    last = line["states"][-1]
    events = [line["events"][k] for k in last["chain"]]
    assert [event["label"] for event in events] == ["signup", "add_to_cart", "checkout"]
    assert last["window"]["from"] == events[0]["at"]
    assert last["current"] is None


def test_the_cells_of_a_query_lie_on_a_line_of_time() -> None:
    slots, windows = np.array([[COUNT, HEAD, 0]]), np.array([[0, 20, 5, 20], [0, -1, 5, -50]])
    cells = np.array(
        [[1, 20, 29, 4], [2, -50, 29, 9], [0, 10, 12, 2], [0, 15, 19, 1], [0, 30, 34, 3]]
    )
    read = cells.ravel(), np.zeros(cells.size), 37, -50, 30, 1
    lesson = wb.play(join_windows, *read, windows, slots, np.zeros(8, int), np.zeros(0)).lesson
    line, has = lesson["pictures"]
    assert line["lanes"] == ["hops of 5", "core of window 0", "core of window 1"]
    assert [(one["at"], one["to"]) for one in line["events"]] == [
        (20, 30), (-50, 30), (10, 15), (15, 20), (30, 35),
    ]  # fmt: skip
    assert has["states"][-1]["cells"] == ["8", "12"]
    for state, held in zip(line["states"], has["states"], strict=True):
        window = int(state["window"]["label"].split()[1].strip(","))
        counts = [int(cells[k, HEAD]) for k in state["chain"]]
        assert str(sum(counts)) == held["cells"][window]


def test_numbers_stand_on_a_scale_of_numbers() -> None:
    events = [{"at": k, "level": level, "lane": None} for k, level in enumerate((0.0, 5.0, 10.0))]
    scale = {"low": 0, "high": 10, "ticks": [{"at": 0, "label": "0"}, {"at": 10, "label": "10"}]}
    line = {"kind": "timeline", "lanes": [], "events": events, "scale": scale, "states": [{}]}
    drawn = ElementTree.fromstring(f"<svg>{drawn_at(line, live=True).markup}</svg>")
    places = [
        float(re.findall(r"[\d.]+", group.get("transform", ""))[1])
        for group in drawn.iter("g")
        if any(one.get("class") == "wbp-event" for one in group)
    ]
    assert places[0] - places[1] == pytest.approx(places[1] - places[2], abs=0.2)
    assert places[0] > places[1] > places[2]


def test_a_still_opens_at_its_telling_step_until_another_is_chosen() -> None:
    lesson = play_rung("stack hops", "max", **RUNG).lesson

    def said(player: Player) -> str:
        return player._repr_mimebundle_()[0]["image/svg+xml"]

    player = Player(lesson)
    assert "Step 1 of" not in said(player)
    assert said(player) == said(Player(lesson, step=player._told))
    player.step = 3
    assert "Step 4 of" in said(player)
