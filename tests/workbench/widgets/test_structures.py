"""The state of a kernel, as its pictures show it, is what it must be."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import workbench as wb
from kernels.tiling.cells import COUNT, HEAD, join_windows
from tests.workbench.widgets.played import EVENTS, RUNG, shop
from workbench.widgets.lessons.fresh import partition_of_rows
from workbench.widgets.lessons.tiling import play_rung
from workbench.widgets.lessons.window import window_lesson
from workbench.widgets.stepper.pictures import draw_at
from workbench.widgets.stepper.player import Player


def picture(lesson: dict[str, Any], title: str) -> dict[str, Any]:
    return next(one for one in lesson["pictures"] if one["title"].startswith(title))


def test_the_older_stack_knows_each_hop_to_the_pivot_and_the_newer_one_the_rest() -> None:
    lesson = play_rung("stack hops", "max", **RUNG).lesson
    stacks = [picture(lesson, f"The {age} stack")["states"] for age in ("older", "newer")]
    hops = picture(lesson, "Hops")["states"][-1]["cells"]
    turns = 0
    for step, (older, newer) in enumerate(zip(*stacks, strict=True)):
        filled = [k for k, cell in enumerate(older["cells"]) if cell]
        for k in filled:
            assert int(older["cells"][k]) == max(map(int, hops[k : filled[-1] + 1]))
        for k, cell in enumerate(newer["cells"]):
            assert cell in (None, hops[k])
            assert not (cell and k in filled)
        turns += "is turned over" in lesson["steps"][step]["caption"]
    assert turns > 3


def test_values_that_no_event_has_written_are_blank() -> None:
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


PARTITION: dict[str, list[Any]] = {
    "k": [1, 2, 3, 4, 5, 6, 7, 8],
    "v": [5, 30, 12, None, 9, 40, 3, 21],
    "x": [1.5, 2, 8, 3, 1, 7, 4, 6.0],
}


def played(**functions: Any) -> dict[str, Any]:
    has_frame = any(one.info.has_frame for one in functions.values())
    frame = wb.Frame.rows(-2, 1) if has_frame else None
    call = wb.Over(order_by="k", frame=frame, engine="kernel", **functions)
    return window_lesson(partition_of_rows(call, PARTITION))


def test_the_older_rows_are_turned_over_one_by_one() -> None:
    lesson = played(spread=wb.fn.stddev("x"))
    older, newer = (picture(lesson, f"The {age} rows")["states"] for age in ("older", "newer"))
    flips = [k for k, step in enumerate(lesson["steps"]) if "turned over" in step["caption"]]
    assert len(flips) > 3
    for k in flips:
        older_rows = [row for row, cell in enumerate(older[k]["cells"]) if cell]
        newer_rows = [row for row, cell in enumerate(newer[k]["cells"]) if cell]
        assert older_rows == list(range(older_rows[0], older_rows[-1] + 1))
        assert newer_rows == list(range(newer_rows[0], older_rows[0])) if newer_rows else True
        assert older[k]["cells"][older_rows[0]].startswith(f"rows {len(older_rows)},")


def test_the_fingers_stand_on_the_ranks_of_the_quantiles() -> None:
    lesson = played(q=wb.fn.quantile_disc("v", [0.0, 1.0]))
    fingers = picture(lesson, "The fingers")
    assert fingers["labels"] == ["0", "1"]
    ranks = picture(lesson, "The rank of each")["states"][0]["cells"]
    known = [one for one in PARTITION["v"] if one is not None]
    assert [value for _, value in sorted(zip(ranks[: len(known)], known, strict=True))] == sorted(
        known
    )
    for step, state in zip(lesson["steps"], fingers["states"], strict=True):
        if "The finger for 1" in step["caption"]:
            words = state["cells"][1]
            assert words.startswith(f"rank {step['caption'].rstrip('.').split()[-1]},")


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (wb.fn.max("v"), "least"),
        (wb.fn.avg("v"), "states"),
        (wb.fn.quantile("v", 0.5), "low"),
        (wb.fn.row_number(), "number"),
        (wb.fn.lead("v"), "to"),
        (wb.fn.stddev("x"), "states"),
    ],
    ids=str,
)
def test_answers_that_are_still_to_come_are_blank(function: Any, name: str) -> None:
    for step in played(answer=function)["steps"]:
        values = {one["name"]: one["value"] for one in step["variables"]}
        for row, cell in enumerate(values[name]):
            to_come = row > values.get("i", -1)
            assert not to_come or set(cell if isinstance(cell, list) else [cell]) == {""}


def test_the_rows_of_numbers_stand_at_their_values() -> None:
    line = played(mean=wb.fn.avg("v"))["pictures"][0]
    assert [event.get("level") for event in line["events"]] == PARTITION["v"]
    assert [tick["label"] for tick in line["scale"]["ticks"]] == ["0", "10", "20", "30", "40"]


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
    for state, totals in zip(line["states"], has["states"], strict=True):
        window = int(state["window"]["label"].split()[1].strip(","))
        counts = [int(cells[k, HEAD]) for k in state["chain"]]
        assert str(sum(counts)) == totals["cells"][window]


def test_numbers_stand_on_a_scale_of_numbers() -> None:
    events = [{"at": k, "level": level, "lane": None} for k, level in enumerate((0.0, 5.0, 10.0))]
    scale = {"low": 0, "high": 10, "ticks": [{"at": 0, "label": "0"}, {"at": 10, "label": "10"}]}
    line = {"kind": "timeline", "lanes": [], "events": events, "scale": scale, "states": [{}]}
    drawn = ElementTree.fromstring(f"<svg>{draw_at(line, live=True).markup}</svg>")
    places = [
        float(re.findall(r"[\d.]+", group.get("transform", ""))[1])
        for group in drawn.iter("g")
        if any(one.get("class") == "wbp-event" for one in group)
    ]
    assert places[0] - places[1] == pytest.approx(places[1] - places[2], abs=0.2)
    assert places[0] > places[1] > places[2]


def test_a_still_opens_at_its_telling_step_until_another_is_chosen() -> None:
    lesson = play_rung("stack hops", "max", **RUNG).lesson

    def still_of(player: Player) -> str:
        return player._repr_mimebundle_()[0]["image/svg+xml"]

    player = Player(lesson)
    assert "Step 1 of" not in still_of(player)
    assert still_of(player) == still_of(Player(lesson, step=player._still_step))
    player.step = 3
    assert "Step 4 of" in still_of(player)


def test_the_page_of_two_rungs_stays_small(tmp_path: Path) -> None:
    page = play_rung("tree sawtooth", "max", **RUNG, beside="sawtooth").to_html(tmp_path / "page")
    assert page.stat().st_size < 2_000_000
